"""Collectives on eight devices: their derivatives are themselves, and transposes keep inner products.

`<A x, y> = <x, A^T y>` for every collective, over one and several axes, in groups, tiled or not, along each
dimension. Values are multiples of a power of two, so that all sums are exact.
"""

import itertools

import numpy as np
import pytest

import jax
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

AXES = {"i": "i", "jk": ("j", "k"), "kj": ("k", "j"), "ijk": ("i", "j", "k")}
SIZES = {"i": 2, "j": 2, "k": 2, "z": 8}
GROUPS = {
    "halves": [[0, 1, 2, 3], [4, 5, 6, 7]],
    "pairs": [[0, 4], [5, 1], [2, 6], [3, 7]],
    "mixed": [[6, 0, 3, 1], [2, 7, 5, 4]],
}
SHAPE = (8, 16)
TILED = (False, True)


def size_of(axes):
    names = (axes,) if isinstance(axes, str) else axes
    return int(np.prod([SIZES[name] for name in names]))


def gathers(axes, count, **groups):
    for dim, tiled in itertools.product((0, 1), TILED):
        label = f"all_gather dim={dim} tiled={tiled}"
        yield (
            label,
            lambda a, dim=dim, tiled=tiled: lax.all_gather(
                a, axes, axis=dim, tiled=tiled, **groups
            ),
        )
        # Without tiles the dimension is the group; with them it is divided by it.
        before = lambda a, dim=dim, tiled=tiled: (
            a if tiled else a[: count if dim == 0 else None, : count if dim else None]
        )
        yield (
            f"psum_scatter dim={dim} tiled={tiled}",
            lambda a, dim=dim, tiled=tiled, before=before: lax.psum_scatter(
                before(a), axes, scatter_dimension=dim, tiled=tiled, **groups
            ),
        )


def exchanges(axes, count, **groups):
    for split, join, tiled in itertools.product((0, 1), (0, 1), TILED):
        before = lambda a, split=split, tiled=tiled: (
            a
            if tiled
            else a[: count if split == 0 else None, : count if split else None]
        )
        yield (
            f"all_to_all {split}->{join} tiled={tiled}",
            lambda a, split=split, join=join, tiled=tiled, before=before: (
                lax.all_to_all(before(a), axes, split, join, tiled=tiled, **groups)
            ),
        )


def cases():
    """Names and functions of one device's part."""
    for label, axes in AXES.items():
        count = size_of(axes)
        turn = [(n, (n + 1) % count) for n in range(count)]
        some = [(count - 1, 0), (0, count // 2)]
        yield f"{label} psum", lambda a, axes=axes: lax.psum(a, axes)
        yield f"{label} pmean", lambda a, axes=axes: lax.pmean(a, axes)
        for name, pairs in (("turn", turn), ("some", some)):
            yield (
                f"{label} ppermute {name}",
                lambda a, axes=axes, pairs=pairs: lax.ppermute(a, axes, pairs),
            )
        for name, fun in (*gathers(axes, count), *exchanges(axes, count)):
            yield f"{label} {name}", fun
    order = [3, 0, 1, 2, 7, 6, 4, 5]
    yield "z pshuffle", lambda a: lax.pshuffle(a, "z", order)
    yield "z pbroadcast", lambda a: lax.pbroadcast(a, "z", 5)
    yield "z pswapaxes", lambda a: lax.pswapaxes(a, "z", 0)
    for label, groups in GROUPS.items():
        options = {"axis_index_groups": groups}
        count = len(groups[0])
        yield f"{label} psum", lambda a, o=options: lax.psum(a, "z", **o)
        for name, fun in (
            *gathers("z", count, **options),
            *exchanges("z", count, **options),
        ):
            yield f"{label} {name}", fun


CASES = dict(cases())
LABELS = list(dict.fromkeys(name.split()[0] for name in CASES))


def mesh_of(label):
    devices = np.array(jax.devices())
    assert len(devices) == 8, "this test wants eight devices"
    if label in AXES:
        return Mesh(devices.reshape(2, 2, 2), ("i", "j", "k"))
    return Mesh(devices, ("z",))


def on_all(fun, mesh, check_vma):
    """`fun` on each device's part; a dimension in front distinguishes devices."""
    every = P(mesh.axis_names)
    return jax.shard_map(
        lambda a: fun(a[0])[None],
        mesh=mesh,
        in_specs=every,
        out_specs=every,
        check_vma=check_vma,
    )


def numbers(shape, seed):
    drawn = np.random.default_rng(seed).integers(-8, 9, shape)
    return np.asarray(drawn, np.float32) / 4


@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize("label", LABELS)
def test_transposes_keep_inner_products(label, check_vma):
    mesh = mesh_of(label)
    names = [name for name in CASES if name.split()[0] == label]
    if check_vma:
        # Sums of groups have no type there: `mistakes_test` has the message.
        names = [name for name in names if label in AXES or name.split()[1] != "psum"]
    funs = {name: on_all(CASES[name], mesh, check_vma) for name in names}
    x, t = numbers((8, *SHAPE), 1), numbers((8, *SHAPE), 2)
    cts = {
        n: numbers(jax.eval_shape(f, x).shape, i)
        for i, (n, f) in enumerate(funs.items())
    }

    @jax.jit
    def derived(x, t, cts):
        forward = {name: jax.jvp(fun, (x,), (t,))[1] for name, fun in funs.items()}
        back = {name: jax.vjp(fun, x)[1](cts[name])[0] for name, fun in funs.items()}
        return forward, back, {name: fun(t) for name, fun in funs.items()}

    forward, back, applied = derived(x, t, cts)
    wrong = []
    for name in names:
        np.testing.assert_array_equal(forward[name], applied[name], err_msg=name)
        left = np.vdot(np.float64(cts[name]), forward[name])
        right = np.vdot(np.float64(back[name]), t)
        if left != right or not np.any(applied[name]):
            wrong.append((name, left, right))
    assert not wrong


def test_there_are_many_ways():
    assert len(CASES) > 100
