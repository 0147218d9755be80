"""Optimised programs of XLA's compilers, which come as protocol buffers, as text.

The text has each computation's instructions with their types, operands, called computations
and targets; it is for reading, not for parsing again. Fields that it does not name are left out.
"""

from typing import Any

from jax._src.core import hlo_sharding

# Fields of HloModuleProtoWithConfig, HloModuleProto, HloComputationProto, HloInstructionProto
# and ShapeProto, by their numbers.
_MODULE_OF_PAIR = 1
_MODULE_NAME, _MODULE_COMPUTATIONS, _MODULE_ENTRY = 1, 3, 6
_COMPUTATION_NAME, _COMPUTATION_INSTRUCTIONS, _COMPUTATION_ID, _ROOT = 1, 2, 5, 6
_NAME, _OPCODE, _SHAPE, _PARAMETER, _TARGET = 1, 2, 3, 9, 28
_ID, _OPERANDS, _CALLED, _DIMENSIONS, _KIND = 35, 36, 38, 14, 11
_ELEMENT, _SIZES, _PARTS, _LAYOUT, _MINOR = 2, 3, 4, 5, 1
_ELEMENTS = (
    "invalid pred s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64 tuple opaque c64 bf16 token "
    "c128 f8e5m2 f8e4m3fn s4 u4 f8e4m3b11fnuz f8e5m2fnuz f8e4m3fnuz s2 u2 f8e4m3 f8e3m4 "
    "s1 u1 f4e2m1fn f8e8m0fnu"
).split()


def _message(data: bytes) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for number, value in hlo_sharding.fields_of(data):
        found.setdefault(number, []).append(value)
    return found


def _text(message: dict[int, list[Any]], field: int) -> str:
    return message.get(field, [b""])[-1].decode("utf-8", "replace")


def _numbers(message: dict[int, list[Any]], field: int) -> list[int]:
    found = []
    for value in message.get(field, []):
        if isinstance(value, int):
            found.append(value)
            continue
        found += hlo_sharding.packed_numbers(value)
    return found


def _shape(data: bytes) -> str:
    message = _message(data)
    kind = message.get(_ELEMENT, [0])[-1]
    name = _ELEMENTS[kind] if kind < len(_ELEMENTS) else f"type{kind}"
    if name == "tuple":
        return f"({', '.join(map(_shape, message.get(_PARTS, [])))})"
    sizes = ",".join(map(str, _numbers(message, _SIZES)))
    text = f"{name}[{sizes}]"
    for layout in message.get(_LAYOUT, []):
        order = _numbers(_message(layout), _MINOR)
        if order:
            text += "{" + ",".join(map(str, order)) + "}"
    return text


def _instruction(message, names, computations, root):
    number = message.get(_ID, [0])[-1]
    opcode = _text(message, _OPCODE)
    operands = [f"%{names.get(i, i)}" for i in _numbers(message, _OPERANDS)]
    if opcode == "parameter":
        operands = [str(message.get(_PARAMETER, [0])[-1])]
    shape = _shape(message.get(_SHAPE, [b""])[-1])
    line = f"%{names[number]} = {shape} {opcode}({', '.join(operands)})"
    dimensions = _numbers(message, _DIMENSIONS)
    if dimensions:
        line += ", dimensions={" + ",".join(map(str, dimensions)) + "}"
    if _text(message, _KIND):
        line += f", kind={_text(message, _KIND)}"
    if _text(message, _TARGET):
        line += f', custom_call_target="{_text(message, _TARGET)}"'
    called = [f"%{computations.get(i, i)}" for i in _numbers(message, _CALLED)]
    if called:
        line += f", calls={{{', '.join(called)}}}"
    return f"  {'ROOT ' if number == root else ''}{line}"


def text_of(program: bytes, *, has_config: bool) -> str:
    """A program as text.

    Args:
        program: the message.
        has_config: whether the module stands in it beside its configuration.

    Raises:
        ValueError: the bytes are no such message.
    """
    if has_config:
        (program,) = _message(program).get(_MODULE_OF_PAIR, [b""])
    module = _message(program)
    parts = [_message(data) for data in module.get(_MODULE_COMPUTATIONS, [])]
    computations = {
        p.get(_COMPUTATION_ID, [0])[-1]: _text(p, _COMPUTATION_NAME) for p in parts
    }
    entry = module.get(_MODULE_ENTRY, [None])[-1]
    lines = [f"HloModule {_text(module, _MODULE_NAME)}"]
    for part in parts:
        number = part.get(_COMPUTATION_ID, [0])[-1]
        found = [_message(d) for d in part.get(_COMPUTATION_INSTRUCTIONS, [])]
        names = {m.get(_ID, [0])[-1]: _text(m, _NAME) for m in found}
        root = part.get(_ROOT, [None])[-1]
        head = "ENTRY " if number == entry else ""
        lines += ["", f"{head}%{computations[number]} {{"]
        lines += [_instruction(m, names, computations, root) for m in found]
        lines.append("}")
    return "\n".join(lines) + "\n"
