"""One program on several devices: every collective, on every element type."""

import numpy as np
import pypjrt
import pytest
from pypjrt import errors
from pypjrt.compile_options import CompileOptions

from tests.plugin.conftest import BACKEND
from tests.plugin.element_types import TYPES

DEVICES = 4
GROUPS = [[[0, 1, 2, 3]], [[2, 0], [1, 3]], [[3], [2], [1], [0]]]

each_type = pytest.mark.parametrize("name", TYPES)
each_group = pytest.mark.parametrize("groups", GROUPS, ids=["all", "pairs", "alone"])


@pytest.fixture(scope="module")
def devices(plugin):
    """A client with four devices."""
    options = {"backend": BACKEND, "cpu_device_count": DEVICES}
    with pypjrt.Client.create(plugin, options=options) as made:
        yield made


def tensor(shape, name):
    """A type in StableHLO's text."""
    return "tensor<" + "".join(f"{n}x" for n in shape) + name + ">"


def program(body, argument, result, prologue=""):
    """A module whose `body` computes %r from %x."""
    return (
        f"module @devices attributes {{mhlo.num_partitions = {DEVICES} : i32}} {{\n"
        f"func.func @main(%x: {argument}{prologue}) -> {result} {{\n"
        f"  %r = {body} : ({argument}) -> {result}\n  return %r : {result}\n}}\n}}"
    )


def listing(groups, attribute="replica_groups"):
    """The groups as an attribute, with what makes their numbers partitions."""
    rows, columns = len(groups), len(groups[0])
    return (
        "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
        f"{attribute} = dense<{groups}> : tensor<{rows}x{columns}xi64>"
    )


def run(client, module, arrays):
    """The results of the devices, each on an array of its own."""
    executable = client.compile(module, options=CompileOptions(num_partitions=DEVICES))
    return execute(client, executable, arrays)


def execute(client, executable, arrays):
    codes = {np.dtype(dtype): code for code, dtype in TYPES.values()}
    dtypes = dict(TYPES.values())
    rows = []
    for number, x in enumerate(arrays):
        with client.device(number) as device:
            data = bytearray(x.tobytes())
            code = codes[x.dtype]
            rows.append([client.buffer_from_host(data, code, list(x.shape), device)])
    return [
        np.frombuffer(out.to_host(), dtypes[int(out.element_type)]).reshape(
            tuple(out.dimensions)
        )
        for (out,) in executable.execute_sharded(rows)
    ]


def values(name, shape, seed=0):
    """An array per device, of small numbers that the type has."""
    random = np.random.default_rng(seed)
    most = 2 if name in ("i1", "i2", "ui2") else 4
    numbers = random.integers(0, most, (DEVICES, *shape))
    if name == "f8E8M0FNU":
        numbers = 2.0**numbers
    return [each.astype(TYPES[name][1]) for each in numbers]


def assert_same_bits(results, expected):
    for result, wanted in zip(results, expected, strict=True):
        assert result.shape == wanted.shape
        assert result.tobytes() == wanted.tobytes()


def peers(groups, device):
    """The group of a device, and its rank there."""
    (group,) = [group for group in groups if device in group]
    return group, group.index(device)


@each_group
@each_type
def test_all_gather_joins_the_arrays_of_a_group(devices, name, groups):
    arrays, size = values(name, (2, 3)), len(groups[0])
    body = (
        '"stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, use_global_device_ids, '
        f"{listing(groups)}}}"
    )
    module = program(body, tensor((2, 3), name), tensor((2, 3 * size), name))
    assert_same_bits(
        run(devices, module, arrays),
        [
            np.concatenate([arrays[peer] for peer in peers(groups, d)[0]], 1)
            for d in range(DEVICES)
        ],
    )


@each_group
@each_type
@pytest.mark.parametrize(("split", "concat"), [(0, 0), (0, 2), (2, 0), (1, 1), (2, 1)])
def test_all_to_all_sends_a_piece_to_each(devices, name, groups, split, concat):
    shape, size = (4, 8, 4), len(groups[0])
    arrays = values(name, shape)
    result = list(shape)
    result[split] //= size
    result[concat] *= size
    body = (
        f'"stablehlo.all_to_all"(%x) {{split_dimension = {split} : i64, '
        f"concat_dimension = {concat} : i64, split_count = {size} : i64, "
        f"{listing(groups)}}}"
    )
    expected = []
    for device in range(DEVICES):
        group, rank = peers(groups, device)
        pieces = [np.split(arrays[peer], size, split)[rank] for peer in group]
        expected.append(np.concatenate(pieces, concat))
    module = program(body, tensor(shape, name), tensor(result, name))
    assert_same_bits(run(devices, module, arrays), expected)


@each_type
def test_collective_permute_leaves_zeros_where_nobody_sends(devices, name):
    arrays = values(name, (5,))
    pairs = [[0, 2], [2, 1], [3, 3]]
    body = f'"stablehlo.collective_permute"(%x) {{{listing(pairs, "source_target_pairs")}}}'
    zeros = np.frombuffer(bytes(arrays[0].nbytes), arrays[0].dtype)
    module = program(body, tensor((5,), name), tensor((5,), name))
    assert_same_bits(
        run(devices, module, arrays), [zeros, arrays[2], arrays[0], arrays[3]]
    )


@each_group
@each_type
def test_collective_broadcast_sends_what_the_first_has(devices, name, groups):
    arrays = values(name, (5,))
    body = f'"stablehlo.collective_broadcast"(%x) {{{listing(groups)}}}'
    module = program(body, tensor((5,), name), tensor((5,), name))
    assert_same_bits(
        run(devices, module, arrays),
        [arrays[peers(groups, d)[0][0]] for d in range(DEVICES)],
    )


REDUCERS = {
    "add": np.add,
    "multiply": np.multiply,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
BITWISE = ("and", "or", "xor")
SMALL = ("i4", "ui4", "i2", "ui2")


def reducible():
    """Pairs of a reducer and a type that has it, as NumPy has it too."""
    for reducer in REDUCERS:
        for name in TYPES:
            is_integer = name.lstrip("u").startswith("i")
            is_ordered = not name.startswith("complex")
            if name in SMALL or (reducer in BITWISE and not is_integer):
                continue
            if is_ordered or reducer in ("add", "multiply"):
                yield reducer, name


def region(reducer, name):
    """The region of a reduction."""
    one = tensor((), name)
    return (
        f"({{\n  ^bb0(%a: {one}, %b: {one}):\n"
        f"    %c = stablehlo.{reducer} %a, %b : {one}\n"
        f"    stablehlo.return %c : {one}\n  }})"
    )


def reduced(reducer, arrays):
    """What the reducer makes of arrays, in their own type, in order."""
    result = arrays[0]
    for x in arrays[1:]:
        result = REDUCERS[reducer](result, x).astype(x.dtype)
    return result


@each_group
@pytest.mark.parametrize(("reducer", "name"), list(reducible()))
def test_all_reduce_combines_in_the_order_of_ranks(devices, reducer, name, groups):
    arrays = values(name, (7,))
    body = (
        f'"stablehlo.all_reduce"(%x) {region(reducer, name)} '
        f"{{use_global_device_ids, {listing(groups)}}}"
    )
    module = program(body, tensor((7,), name), tensor((7,), name))
    expected = [
        reduced(reducer, [arrays[peer] for peer in peers(groups, d)[0]])
        for d in range(DEVICES)
    ]
    assert_same_bits(run(devices, module, arrays), expected)


@each_group
@pytest.mark.parametrize("name", ["f32", "bf16", "f16", "i32", "complex<f32>"])
def test_reduce_scatter_gives_the_pieces_of_all_reduce(devices, name, groups):
    size = len(groups[0])
    arrays = [(x / 3).astype(x.dtype) for x in values(name, (3, 8))]
    body = (
        f'"stablehlo.reduce_scatter"(%x) {region("add", name)} '
        f"{{scatter_dimension = 1 : i64, use_global_device_ids, {listing(groups)}}}"
    )
    module = program(body, tensor((3, 8), name), tensor((3, 8 // size), name))
    expected = []
    for device in range(DEVICES):
        group, rank = peers(groups, device)
        whole = reduced("add", [arrays[peer] for peer in group])
        expected.append(np.split(whole, size, 1)[rank])
    assert_same_bits(run(devices, module, arrays), expected)


def shifted(body="stablehlo.add %y, %x : tensor<4xf32>"):
    """A program that takes a neighbour's array and adds its own to it."""
    return (
        f"module @shifted attributes {{mhlo.num_partitions = {DEVICES} : i32}} {{\n"
        "func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32})"
        " -> tensor<4xf32> {\n"
        '  %y = "stablehlo.collective_permute"(%x) {'
        + listing([[0, 1], [1, 2], [2, 3], [3, 0]], "source_target_pairs")
        + f"}} : (tensor<4xf32>) -> tensor<4xf32>\n  %r = {body}\n"
        "  return %r : tensor<4xf32>\n}\n}"
    )


def test_what_a_peer_reads_is_not_written_over(devices):
    """Each argument is given away to the result, which a neighbour's array makes."""
    rows = values("f32", (4,))
    got = run(devices, shifted(), rows)
    assert_same_bits(got, [rows[d - 1] + rows[d] for d in range(DEVICES)])


def test_a_serialized_program_runs_again(devices):
    options = CompileOptions(num_partitions=DEVICES)
    blob = devices.compile(shifted(), options=options).serialize()
    again = devices.deserialize_executable(blob)
    rows = values("f32", (4,))
    got = execute(devices, again, rows)
    assert_same_bits(got, [rows[d - 1] + rows[d] for d in range(DEVICES)])
    assert (again.num_replicas, again.num_partitions) == (1, DEVICES)
    assert again.addressable_device_count == DEVICES


def test_a_program_says_for_how_many_devices_it_is(devices):
    with pytest.raises(errors.InvalidArgument, match="is for 4 partitions"):
        devices.compile(shifted(), options=CompileOptions(num_partitions=2))
