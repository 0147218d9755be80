"""What clients do right and wrong with buffers and programs: an answer, and never a crash."""

import array
import concurrent.futures
import random

import pytest
from pypjrt import Buffer, CompileOptions, errors

F32 = 11

ADD = """
func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

DOUBLE_DONATED = """
func.func public @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

ADD_DONATED = """
func.func public @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32>)
    -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def put(client, values, device=0):
    """Puts floats on a device."""
    with client.device(device) as target:
        return client.buffer_from_host(
            array.array("f", values), F32, [len(values)], target
        )


def get(buffer):
    """The floats of a buffer."""
    values = array.array("f")
    values.frombytes(buffer.to_host())
    return list(values)


def execute_raw(executable, *buffers):
    """Executes without the client's own bookkeeping, which would refuse used buffers."""
    return [out for row in executable.execute_sharded([list(buffers)]) for out in row]


def test_a_program_adds(client):
    add = client.compile(ADD)
    (out,) = add(put(client, [1, 2, 3, 4]), put(client, [10, 20, 30, 40]))
    assert get(out) == [11, 22, 33, 44]


def test_a_donated_buffer_is_gone(client):
    double = client.compile(DOUBLE_DONATED)
    x = put(client, [1, 2, 3, 4])
    (out,) = double(x)
    assert get(out) == [2, 4, 6, 8]
    assert x.is_deleted
    with pytest.raises(errors.PjrtError):
        double(x)


def test_a_donated_buffer_is_kept_when_the_caller_says_so(client):
    double = client.compile(DOUBLE_DONATED)
    x = put(client, [1, 2, 3, 4])
    (out,) = double(x, non_donatable=[0])
    assert get(out) == [2, 4, 6, 8]
    assert not x.is_deleted
    assert get(x) == [1, 2, 3, 4]


def test_donating_and_passing_a_buffer_at_once_is_refused(client):
    add = client.compile(ADD_DONATED)
    x = put(client, [1, 2, 3, 4])
    with pytest.raises(errors.InvalidArgument, match="same buffer"):
        add(x, x)
    assert get(x) == [1, 2, 3, 4]


def test_a_deleted_buffer_is_refused(client):
    add = client.compile(ADD)
    x = put(client, [1, 2, 3, 4])
    y = put(client, [1, 2, 3, 4])
    args = client._plugin.args("PJRT_Buffer_Delete_Args", buffer=y.address)
    client._plugin.call("PJRT_Buffer_Delete", args)
    with pytest.raises(errors.InvalidArgument, match="deleted or donated"):
        add(x, y)
    with pytest.raises(errors.InvalidArgument, match="deleted or donated"):
        y.to_host()


@pytest.mark.parametrize(
    ("values", "message"),
    [([1, 2, 3], r"f32\[3\].*compiled for f32\[4\]"), ([1, 2, 3, 4, 5], r"f32\[5\]")],
)
def test_wrong_dimensions_are_named(client, values, message):
    add = client.compile(ADD)
    with pytest.raises(errors.InvalidArgument, match=message):
        add(put(client, [1, 2, 3, 4]), put(client, values))


def test_results_and_arguments_keep_their_layouts(client):
    """A column-major array is one only for programs that were compiled for it."""
    program = """
func.func public @main(%a: tensor<2x3xf32> ARGUMENT) -> (tensor<2x3xf32> RESULT) {
  %0 = stablehlo.add %a, %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""

    def compiled(argument, result):
        text = program.replace("ARGUMENT", argument).replace("RESULT", result)
        return client.compile(text)

    by_columns = '{mhlo.layout_mode = "{0,1}"}'
    with client.device(0) as device:
        x = client.buffer_from_host(
            array.array("f", [1, 2, 3, 4, 5, 6]), F32, [2, 3], device
        )
    (turned,) = compiled("", by_columns)(x)
    assert get(turned) == [2, 4, 6, 8, 10, 12]
    (back,) = compiled(by_columns, "")(turned)
    assert get(back) == [4, 8, 12, 16, 20, 24]
    message = r"f32\[2,3\]\{0,1\}, and the program was compiled for f32\[2,3\]"
    with pytest.raises(errors.InvalidArgument, match=message):
        compiled("", "")(turned)
    with pytest.raises(errors.InvalidArgument, match=r"compiled for .*\{0,1\}"):
        compiled(by_columns, "")(x)
    (copy,) = compiled(by_columns, by_columns)(turned)
    assert get(copy) == get(back)


def test_wrong_number_of_arguments_is_named(client):
    add = client.compile(ADD)
    with pytest.raises(errors.InvalidArgument, match="takes 2 arguments, and 1"):
        add(put(client, [1, 2, 3, 4]))


def test_a_buffer_of_another_device_is_refused(client):
    add = client.compile(ADD)
    with pytest.raises(errors.InvalidArgument, match=r"CpuDevice\(id=1\)"):
        add(put(client, [1, 2, 3, 4]), put(client, [1, 2, 3, 4], device=1))


@pytest.mark.parametrize(
    "program",
    [
        "",
        "this is no program",
        "module {",
        "func.func public @main() -> tensor<4xf32> { return }",
        ADD.replace("@main", "@other"),
        ADD.replace("stablehlo.add", "stablehlo.nonsense"),
        "ML\x00R",
        b"ML\xefR\x0dStableHLO_v1.13.7\x00" + b"\xff" * 64,
        "\x00" * 100,
    ],
)
def test_a_garbage_program_is_an_error(client, program):
    with pytest.raises(errors.PjrtError):
        client.compile(program)


class RawOptions(CompileOptions):
    """Compile options as the bytes that a test wants."""

    def __init__(self, raw):
        super().__init__()
        self.raw = raw

    def encode(self, abi):
        """The bytes, unchanged."""
        return self.raw


def test_garbage_compile_options_are_an_error_or_harmless(client):
    generator = random.Random(3)
    for _ in range(60):
        raw = generator.randbytes(generator.randrange(40))
        try:
            client.compile(ADD, options=RawOptions(raw)).close()
        except errors.PjrtError:
            pass
    with pytest.raises(errors.InvalidArgument, match="compile options"):
        client.compile(ADD, options=RawOptions(b"\x1a\xff\xff\xff\x0f"))


def test_more_replicas_than_devices_are_refused(client):
    with pytest.raises(errors.InvalidArgument, match="cpu_device_count"):
        client.compile(ADD, options=CompileOptions(num_replicas=3))


def test_replicas_run_on_each_device(client):
    add = client.compile(ADD, options=CompileOptions(num_replicas=2))
    rows = [
        [put(client, [i] * 4, device=i), put(client, [1, 2, 3, 4], device=i)]
        for i in range(2)
    ]
    outs = add.execute_sharded(rows)
    assert [get(out) for (out,) in outs] == [[1, 2, 3, 4], [2, 3, 4, 5]]


def test_a_serialized_executable_runs_again(client):
    blob = client.compile(ADD).serialize()
    add = client.deserialize_executable(blob)
    (out,) = add(put(client, [1, 2, 3, 4]), put(client, [1, 1, 1, 1]))
    assert get(out) == [2, 3, 4, 5]
    with pytest.raises(errors.PjrtError):
        client.deserialize_executable(blob[:-1])
    with pytest.raises(errors.PjrtError):
        client.deserialize_executable(b"nonsense")


def test_eight_threads_execute_at_once(client):
    add = client.compile(ADD)
    step = put(client, [1, 2, 3, 4])

    def work(start):
        x = put(client, [start] * 4)
        for _ in range(50):
            (y,) = add(x, step)
            x.close()
            x = y
        return get(x)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(8)))
    assert results == [[i + 50 * j for j in (1, 2, 3, 4)] for i in range(8)]


def test_a_huge_array_is_refused_and_the_client_lives(client):
    with client.device(0) as device:
        memory = device.default_memory()
        with pytest.raises(errors.ResourceExhausted, match="out of memory"):
            client.uninitialized_buffer(F32, [1 << 48], memory)
        with pytest.raises(errors.InvalidArgument):
            client.uninitialized_buffer(F32, [-1], memory)
    assert get(put(client, [5])) == [5]


def test_copies_reach_the_other_device(client):
    with client.device(1) as device:
        copy = put(client, [1, 2]).copy_to_device(device)
        assert isinstance(copy, Buffer)
        assert copy.device().id == 1
    assert get(copy) == [1, 2]
