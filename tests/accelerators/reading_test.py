"""Programs that come as protocol buffers are read as text."""

import pytest

from jax._src.interpreters.hlo import programs


def number(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(tag: int, value) -> bytes:
    if isinstance(value, int):
        return number(tag << 3) + number(value)
    data = value.encode() if isinstance(value, str) else value
    return number(tag << 3 | 2) + number(len(data)) + data


def shape(element: int, *sizes: int) -> bytes:
    layout = field(1, b"".join(number(i) for i in reversed(range(len(sizes)))))
    packed = field(3, b"".join(map(number, sizes)))
    return field(2, element) + packed + field(5, layout)


def program() -> bytes:
    f32 = 11
    parameter = field(1, "x") + field(2, "parameter") + field(3, shape(f32, 200, 3))
    parameter += field(35, 300) + field(9, 0)
    call = field(1, "y") + field(2, "custom-call") + field(3, shape(f32, 200, 3))
    call += field(28, "__cublas$gemm") + field(35, 301) + field(36, number(300))
    call += field(38, number(7))
    signature = field(1, shape(f32, 200, 3)) + field(2, shape(f32, 200, 3))
    signature += field(3, "x")
    inner = field(1, "inner") + field(5, 7) + field(2, parameter) + field(6, 300)
    inner += field(4, signature)
    entry = field(1, "main") + field(5, 8) + field(2, parameter) + field(2, call)
    entry += field(6, 301) + field(4, signature)
    module = field(1, "jit_f") + field(3, inner) + field(3, entry) + field(6, 8)
    return module + field(4, signature)


TEXT = """HloModule jit_f, entry_computation_layout={(f32[200,3]{1,0})->f32[200,3]{1,0}}

%inner (x: f32[200,3]) -> f32[200,3] {
  ROOT %x = f32[200,3]{1,0} parameter(0)
}

ENTRY %main (x: f32[200,3]) -> f32[200,3] {
  %x = f32[200,3]{1,0} parameter(0)
  ROOT %y = f32[200,3]{1,0} custom-call(%x), custom_call_target="__cublas$gemm", called_computations={%inner}
}
"""


def test_names_types_operands_and_targets_are_read():
    read = programs.of_bytes(program(), has_config=False)
    assert read.to_string() == TEXT
    wrapped = programs.of_bytes(field(1, program()), has_config=True)
    assert wrapped.to_string() == TEXT
    again = programs.of_bytes(read.as_serialized_hlo_module_proto(), has_config=False)
    assert again.to_string() == TEXT


@pytest.mark.parametrize("length", range(1, len(program()), 7))
def test_what_is_cut_off_is_refused_or_short(length):
    try:
        text = programs.of_bytes(program()[:length], has_config=False).to_string()
    except ValueError:
        return
    assert text.startswith("HloModule")
