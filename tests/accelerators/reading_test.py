"""Programs that come as protocol buffers are read as text."""

import pytest

from jax._src.interpreters.mlir import hlo_proto


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
    inner = field(1, "inner") + field(5, 7) + field(2, parameter) + field(6, 300)
    entry = field(1, "main") + field(5, 8) + field(2, parameter) + field(2, call)
    entry += field(6, 301)
    return field(1, "jit_f") + field(3, inner) + field(3, entry) + field(6, 8)


TEXT = """HloModule jit_f

%inner {
  ROOT %x = f32[200,3]{1,0} parameter(0)
}

ENTRY %main {
  %x = f32[200,3]{1,0} parameter(0)
  ROOT %y = f32[200,3]{1,0} custom-call(%x), custom_call_target="__cublas$gemm", calls={%inner}
}
"""


def test_names_types_operands_and_targets_are_read():
    assert hlo_proto.text_of(program(), has_config=False) == TEXT
    assert hlo_proto.text_of(field(1, program()), has_config=True) == TEXT


@pytest.mark.parametrize("length", range(1, len(program()), 7))
def test_what_is_cut_off_is_refused_or_short(length):
    try:
        text = hlo_proto.text_of(program()[:length], has_config=False)
    except (ValueError, IndexError):
        return
    assert text.startswith("HloModule")
