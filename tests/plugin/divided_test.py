"""What several devices compute in pieces is what one computes whole.

Arguments and results are moved to random shardings over several meshes, so that each operation
meets operands that are sharded in any way, evenly or not.
"""

import math
import random

import numpy as np
import pypjrt
import pytest
from pypjrt.compile_options import CompileOptions

from tests.plugin.conftest import BACKEND
from tests.plugin.divided_programs import PROGRAMS

MESHES = {"8": (8,), "4x2": (4, 2), "2x2x2": (2, 2, 2), "3": (3,), "3x2": (3, 2)}
# Over the same devices; some list them in another order.
SEVERAL = {"8": [(8,), (4, 2), (2, 4)], "6": [(3, 2), (2, 3), (6,)]}
TIMES = 3
DTYPES = {"f32": (11, np.float32), "i32": (4, np.int32), "i1": (1, np.bool_)}


@pytest.fixture(scope="module")
def client(plugin):
    """A client with eight devices."""
    options = {"backend": BACKEND, "cpu_device_count": 8}
    with pypjrt.Client.create(plugin, options=options) as made:
        yield made


def shape_of(text):
    """`8x6xf32` as its sizes and its element type."""
    *sizes, element = text.split("x")
    return [int(size) for size in sizes], element


def values(text, seed):
    """An array of the type; integers are indices, some of them outside."""
    sizes, element = shape_of(text)
    draw = np.random.default_rng(seed)
    if element == "f32":
        return np.asarray(draw.integers(-8, 9, sizes), np.float32) / 4
    high = 2 if element == "i1" else 9
    return np.asarray(draw.integers(0, high, sizes), DTYPES[element][1])


def placement(text, meshes, draw):
    """A mesh, and axes of it for each dimension, each axis at most once."""
    number = draw.randrange(len(meshes)) if len(meshes) > 1 else 0
    mesh, _ = meshes[number]
    dims = [[] for _ in shape_of(text)[0]]
    for axis in draw.sample(range(len(mesh)), len(mesh)):
        if dims and draw.random() < 0.7:
            draw.choice(dims).append(f'"a{axis}"')
    listed = ", ".join("{" + ", ".join(axes) + "}" for axes in dims)
    return f"<@mesh{number}, [{listed}]>"


def module(name, meshes=(), draw=None):
    """The program; with meshes, its values are sharded over them at random.

    A mesh is the sizes of its axes and its devices in order, none where they are 0, 1, 2, ...
    """
    types, result, body = PROGRAMS[name]
    lines, head, attributes = [], "", ""
    arguments = [f"%{'abc'[i]}" for i in range(len(types))]
    parameters = arguments
    if meshes:
        for number, (mesh, devices) in enumerate(meshes):
            axes = ", ".join(f'"a{i}"={size}' for i, size in enumerate(mesh))
            order = f", device_ids={devices}" if devices else ""
            head += f"sdy.mesh @mesh{number} = <[{axes}]{order}>\n"
        count = math.prod(meshes[0][0])
        attributes = f"attributes {{mhlo.num_partitions = {count} : i32}}"
        parameters = [f"%whole{i}" for i in range(len(types))]
        lines = [
            f"  {to} = sdy.reshard {whole} {placement(kind, meshes, draw)} : tensor<{kind}>"
            for to, whole, kind in zip(arguments, parameters, types, strict=True)
        ]
    lines.append("  " + body)
    returned = "%r"
    if meshes:
        returned = "%moved"
        lines.append(
            f"  %moved = sdy.reshard %r {placement(result, meshes, draw)} : tensor<{result}>"
        )
    signature = ", ".join(
        f"{parameter}: tensor<{kind}>"
        for parameter, kind in zip(parameters, types, strict=True)
    )
    text = "\n".join(lines)
    return (
        f"module {attributes} {{\n{head}func.func public @main({signature}) -> "
        f"tensor<{result}> {{\n{text}\n  return {returned} : tensor<{result}>\n}}\n}}"
    )


def run(client, text, arrays, result, devices):
    """The result on each device; each has all arguments whole."""
    executable = client.compile(
        text, options=CompileOptions(num_partitions=devices, use_spmd_partitioning=True)
    )
    sizes, element = shape_of(result)
    codes = {np.dtype(dtype): code for code, dtype in DTYPES.values()}
    rows = []
    for number in range(devices):
        with client.device(number) as device:
            rows.append(
                [
                    client.buffer_from_host(
                        bytearray(x.tobytes()), codes[x.dtype], list(x.shape), device
                    )
                    for x in arrays
                ]
            )
    outputs = executable.execute_sharded(rows)
    return [
        np.frombuffer(out.to_host(), DTYPES[element][1]).reshape(sizes)
        for (out,) in outputs
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_pieces_make_up_the_whole(client, name):
    types, result, _ = PROGRAMS[name]
    arrays = [values(kind, seed) for seed, kind in enumerate(types)]
    (whole,) = run(client, module(name), arrays, result, 1)
    for label, mesh in MESHES.items():
        for time in range(TIMES):
            draw = random.Random(f"{name} {label} {time}")
            text = module(name, [(mesh, None)], draw)
            for got in run(client, text, arrays, result, math.prod(mesh)):
                np.testing.assert_allclose(got, whole, rtol=1e-5, err_msg=text)


def several(label, draw):
    """Meshes over the same devices, all but the first in some other order or as they are."""
    meshes = []
    for number, sizes in enumerate(SEVERAL[label]):
        order = list(range(math.prod(sizes)))
        if number > 0 and draw.random() < 0.7:
            draw.shuffle(order)
        meshes.append((sizes, order if order != sorted(order) else None))
    return meshes


@pytest.mark.parametrize("name", PROGRAMS)
def test_meshes_in_different_orders_make_up_the_whole(client, name):
    types, result, _ = PROGRAMS[name]
    arrays = [values(kind, seed) for seed, kind in enumerate(types)]
    (whole,) = run(client, module(name), arrays, result, 1)
    for label, meshes in SEVERAL.items():
        draw = random.Random(f"{name} {label}")
        text = module(name, several(label, draw), draw)
        for got in run(client, text, arrays, result, math.prod(meshes[0])):
            np.testing.assert_allclose(got, whole, rtol=1e-5, err_msg=text)
