"""Programs whose shardings are tiles, as front ends without named axes write them."""

import numpy as np
import pypjrt
import pytest
from pypjrt import errors
from pypjrt.compile_options import CompileOptions

from tests.plugin.conftest import BACKEND

DEVICES = 8
F32 = 11


@pytest.fixture(scope="module")
def client(plugin):
    """A client with eight devices."""
    options = {"backend": BACKEND, "cpu_device_count": DEVICES}
    with pypjrt.Client.create(plugin, options=options) as made:
        yield made


def compiled(client, body, argument="", result=""):
    """Compiles a function from `%x` to `%r`, both tensor<8x8xf32>; `body` may hold other functions."""
    sharding = ' {{mhlo.sharding = "{}"}}'.format
    module = (
        f"module attributes {{mhlo.num_partitions = {DEVICES} : i32}} {{\n"
        f"func.func @main(%x: tensor<8x8xf32>{sharding(argument) if argument else ''}) -> "
        f"(tensor<8x8xf32>{sharding(result) if result else ''}) {{\n{body}\n"
        "return %r : tensor<8x8xf32>\n}\n}"
    )
    options = CompileOptions(num_partitions=DEVICES, use_spmd_partitioning=True)
    return client.compile(module, options=options)


def run(client, executable, pieces):
    """The pieces of the result."""
    rows = []
    for number, piece in enumerate(pieces):
        with client.device(number) as device:
            data = bytearray(np.ascontiguousarray(piece, np.float32).tobytes())
            rows.append([client.buffer_from_host(data, F32, list(piece.shape), device)])
    return [
        np.frombuffer(out.to_host(), np.float32)
        for (out,) in executable.execute_sharded(rows)
    ]


X = np.arange(64, dtype=np.float32).reshape(8, 8)
# `{devices=[4,2]<=[8]}`, device by device; and the columns only, over two.
TILES = [X[2 * i : 2 * i + 2, 4 * j : 4 * j + 4] for i in range(4) for j in range(2)]
COLUMNS = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}"
LISTED = [7, 0, 6, 1, 5, 2, 4, 3]


def test_arguments_and_results_come_in_tiles(client):
    executable = compiled(
        client,
        "%r = stablehlo.add %x, %x : tensor<8x8xf32>",
        "{devices=[4,2]<=[8]}",
        COLUMNS,
    )
    for number, out in enumerate(run(client, executable, TILES)):
        j = number % 2
        np.testing.assert_array_equal(out.reshape(8, 4), 2 * X[:, 4 * j : 4 * j + 4])


def test_devices_may_be_listed_in_any_order(client):
    result = f"{{devices=[8,1]{','.join(map(str, LISTED))}}}"
    executable = compiled(
        client,
        "%r = stablehlo.negate %x : tensor<8x8xf32>",
        "{devices=[4,2]<=[8]}",
        result,
    )
    outs = run(client, executable, TILES)
    for row, device in enumerate(LISTED):
        np.testing.assert_array_equal(outs[device], -X[row])


def test_each_device_computes_by_itself_between_the_calls(client):
    body = """
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[4,2]<=[8]}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8x8xf32>) -> tensor<2x4xf32>
  %i = stablehlo.partition_id : tensor<ui32>
  %f = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
  %2 = stablehlo.multiply %1, %b : tensor<2x4xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %r = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[4,2]<=[8]}"} : (tensor<2x4xf32>) -> tensor<8x8xf32>"""
    executable = compiled(client, body, "{replicated}", "{replicated}")
    expected = np.block(
        [[(2 * i + j) * TILES[2 * i + j] for j in range(2)] for i in range(4)]
    )
    for out in run(client, executable, [X] * DEVICES):
        np.testing.assert_array_equal(out.reshape(8, 8), expected)


@pytest.mark.parametrize(
    ("sharding", "says"),
    [
        ("{devices=[4]<=[4]}", "over 4 devices, and the program is for 8"),
        ("{devices=[8]<=[8]}", "has 1 dimensions, and the array 2"),
        ("{tiles}", "is no sharding"),
    ],
)
def test_tiles_that_do_not_fit_are_refused(client, sharding, says):
    with pytest.raises(errors.PjrtError, match=says):
        compiled(client, "%r = stablehlo.negate %x : tensor<8x8xf32>", sharding)


def test_arguments_and_results_are_sharded_along_parts_of_an_axis(client):
    module = (
        f"module attributes {{mhlo.num_partitions = {DEVICES} : i32}} {{\n"
        'sdy.mesh @m = <["x"=8]>\n'
        "func.func @main("
        '%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)2}, {}]>}) -> ('
        'tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(2)4}, {}]>}) {\n'
        "%r = stablehlo.add %x, %x : tensor<8x8xf32>\n"
        "return %r : tensor<8x8xf32>\n}\n}"
    )
    options = CompileOptions(num_partitions=DEVICES, use_spmd_partitioning=True)
    executable = client.compile(module, options=options)
    halves = [X[4 * (i // 4) : 4 * (i // 4) + 4] for i in range(DEVICES)]
    for i, got in enumerate(run(client, executable, halves)):
        np.testing.assert_array_equal(
            got.reshape(2, 8), 2 * X[2 * (i % 4) : 2 * (i % 4) + 2]
        )
