"""Element types, shapes and constants of HLO programs."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from jax._src.interpreters.hlo.messages import Message

# By their numbers in `PrimitiveType`.
ELEMENT_NAMES = (
    "invalid pred s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64 tuple opaque c64 bf16 token "
    "c128 f8e5m2 f8e4m3fn s4 u4 f8e4m3b11fnuz f8e5m2fnuz f8e4m3fnuz s2 u2 f8e4m3 f8e3m4 "
    "s1 u1 f4e2m1fn f8e8m0fnu"
).split()
ELEMENTS = {name: number for number, name in enumerate(ELEMENT_NAMES)}
TUPLE, TOKEN = ELEMENTS["tuple"], ELEMENTS["token"]

# Per element type: the dtype, the field of `LiteralProto` and the dtype of its items.
_STORED = {
    "pred": (np.bool_, "preds", np.bool_),
    "s8": (np.int8, "s8s", None),
    "s16": (np.int16, "s16s", None),
    "s32": (np.int32, "s32s", np.int32),
    "s64": (np.int64, "s64s", np.int64),
    "u8": (np.uint8, "u8s", None),
    "u16": (np.uint16, "u16s", None),
    "u32": (np.uint32, "u32s", np.uint32),
    "u64": (np.uint64, "u64s", np.uint64),
    "f16": (np.float16, "f16s", None),
    "f32": (np.float32, "f32s", np.float32),
    "f64": (np.float64, "f64s", np.float64),
    "bf16": (ml_dtypes.bfloat16, "bf16s", None),
    "c64": (np.complex64, "c64s", np.float32),
    "c128": (np.complex128, "c128s", np.float64),
    "s4": (ml_dtypes.int4, "s4s", None),
    "u4": (ml_dtypes.uint4, "u4s", None),
    "s2": (ml_dtypes.int2, "s2s", None),
    "u2": (ml_dtypes.uint2, "u2s", None),
    "f8e5m2": (ml_dtypes.float8_e5m2, "f8e5m2s", None),
    "f8e4m3": (ml_dtypes.float8_e4m3, "f8e4m3s", None),
    "f8e4m3fn": (ml_dtypes.float8_e4m3fn, "f8e4m3fns", None),
    "f8e3m4": (ml_dtypes.float8_e3m4, "f8e3m4s", None),
    "f8e4m3b11fnuz": (ml_dtypes.float8_e4m3b11fnuz, "f8e4m3b11fnuzs", None),
    "f8e5m2fnuz": (ml_dtypes.float8_e5m2fnuz, "f8e5m2fnuzs", None),
    "f8e4m3fnuz": (ml_dtypes.float8_e4m3fnuz, "f8e4m3fnuzs", None),
    "f8e8m0fnu": (ml_dtypes.float8_e8m0fnu, "f8e8m0fnus", None),
    "f4e2m1fn": (ml_dtypes.float4_e2m1fn, "f4e2m1fns", None),
}
# Two or four elements of these share a byte, the first in the lowest bits.
_PACKED_BITS = {"s4": 4, "u4": 4, "s2": 2, "u2": 2, "f4e2m1fn": 4}


def dtype_of(element: str) -> np.dtype:
    """The dtype of an element type, by HLO's name of it.

    Raises:
        KeyError: no array has such elements.
    """
    return np.dtype(_STORED[element][0])


def array_shape(element: str, sizes: Sequence[int]) -> Message:
    """The shape of an array in row-major order.

    Args:
        element: HLO's name of the element type, such as ``f32``.
        sizes: of the axes.
    """
    if element == "token":
        return {"element_type": TOKEN}
    shape: Message = {"element_type": ELEMENTS[element]}
    if sizes:
        shape["dimensions"] = list(sizes)
        shape["is_dynamic_dimension"] = [False] * len(sizes)
    minor = list(reversed(range(len(sizes))))
    shape["layout"] = {"minor_to_major": minor} if minor else {}
    return shape


def tuple_shape(parts: Iterable[Message]) -> Message:
    """The shape of a tuple of values."""
    return {"element_type": TUPLE, "tuple_shapes": list(parts)}


def shape_text(shape: Message, with_layout: bool = True) -> str:
    """The text of a shape: ``f32[2,3]{1,0}``, ``(f32[], s32[4]{0})``.

    Args:
        shape: a `ShapeProto`.
        with_layout: whether to write the order of the axes in memory.
    """
    number = shape.get("element_type", 0)
    name = ELEMENT_NAMES[number] if number < len(ELEMENT_NAMES) else f"type{number}"
    if number == TUPLE:
        parts = [
            # Long tuples say at every fifth element which one it is.
            (f"/*index={i}*/" if i and i % 5 == 0 else "")
            + shape_text(part, with_layout)
            for i, part in enumerate(shape.get("tuple_shapes", []))
        ]
        return f"({', '.join(parts)})"
    sizes = shape.get("dimensions", [])
    dynamic = shape.get("is_dynamic_dimension") or [False] * len(sizes)
    marked = [
        ("<=" if is_dynamic else "") + str(n)
        for n, is_dynamic in zip(sizes, dynamic, strict=False)
    ]
    text = f"{name}[{','.join(marked)}]"
    layout = shape.get("layout", {})
    order = layout.get("minor_to_major", [])
    tiles = "".join(
        f"({','.join(map(str, tile.get('dimensions', [])))})"
        for tile in layout.get("tiles", [])
    )
    if with_layout and (order or tiles):
        text += f"{{{','.join(map(str, order))}{':T' + tiles if tiles else ''}}}"
    return text


def literal_of(values: np.ndarray, element: str) -> Message:
    """A constant as `LiteralProto`.

    Args:
        values: the elements, of the dtype of `element`.
        element: HLO's name of the element type.
    """
    message: Message = {"shape": array_shape(element, values.shape)}
    dtype, field, items = _STORED[element]
    flat = np.ascontiguousarray(values, dtype).reshape(-1)
    if items is not None:
        message[field] = flat.view(items).tolist()
    elif bits := _PACKED_BITS.get(element):
        message[field] = _pack(flat.view(np.uint8), bits)
    else:
        message[field] = flat.tobytes()
    return message


def values_of(literal: Message) -> np.ndarray | None:
    """The elements of a constant; None where the message does not hold them."""
    shape = literal.get("shape", {})
    name = ELEMENT_NAMES[shape.get("element_type", 0)]
    sizes = shape.get("dimensions", [])
    if name not in _STORED:
        return None
    dtype, field, items = _STORED[name]
    stored = literal.get(field)
    count = int(np.prod(sizes, dtype=np.int64))
    if stored is None:
        return np.zeros(sizes, dtype) if count == 0 else None
    if items is not None:
        flat = np.asarray(stored, items).view(dtype)
    elif bits := _PACKED_BITS.get(name):
        flat = _unpack(stored, bits, count).view(dtype)
    else:
        flat = np.frombuffer(stored, dtype)
    if flat.size != count:
        raise ValueError(f"a constant of {count} elements holds {flat.size}")
    minor = shape.get("layout", {}).get("minor_to_major", [])
    if len(minor) != len(sizes):
        return flat.reshape(sizes)
    major = list(reversed(minor))
    return flat.reshape([sizes[d] for d in major]).transpose(np.argsort(major))


def _pack(numbers, bits):
    share = 8 // bits
    padded = np.zeros(-(-numbers.size // share) * share, np.uint8)
    padded[: numbers.size] = numbers & (2**bits - 1)
    shifts = np.arange(share, dtype=np.uint8) * bits
    grouped = padded.reshape(-1, share) << shifts
    return np.bitwise_or.reduce(grouped, axis=1, initial=0).astype(np.uint8).tobytes()


def _unpack(data, bits, count):
    share = 8 // bits
    shifts = np.arange(share, dtype=np.uint8) * bits
    found = (np.frombuffer(data, np.uint8)[:, None] >> shifts) & (2**bits - 1)
    return np.ascontiguousarray(found.reshape(-1)[:count])


# Constants of more elements are written `{...}` unless they are requested whole.
_LARGEST_SHORT = 10


def literal_text(values: np.ndarray | None, is_whole: bool) -> str:
    """The text of a constant: ``2``, ``{1, 2}``, ``{ { 1, 2 }, { 3, 4 } }``.

    Args:
        values: the elements; None where they are not known.
        is_whole: whether constants of more than ten elements are written out.
    """
    if values is None or (values.size > _LARGEST_SHORT and not is_whole):
        return "{...}"
    if values.ndim == 0:
        return str(values[()]).lower() if values.dtype == bool else _scalar(values[()])
    if values.ndim == 1:
        return "{" + ", ".join(map(_scalar, values)) + "}"
    return _nested(values)


def _nested(values):
    if values.ndim == 1:
        inner = ", ".join(map(_scalar, values))
        return f"{{{inner}}}" if values.size == 1 else f"{{ {inner} }}"
    return "{ " + ", ".join(map(_nested, values)) + " }"


def _scalar(value: Any) -> str:
    if isinstance(value, np.bool_):
        return str(int(value))
    if isinstance(value, np.complexfloating):
        return f"({_scalar(value.real)}, {_scalar(value.imag)})"
    if isinstance(value, np.integer) or "int" in value.dtype.name:
        return str(int(value))
    number = float(value)
    bits = ml_dtypes.finfo(value.dtype).nmant
    if bits >= _LONG_SIGNIFICAND:
        # Six digits of float32 where they read back as the same number, else nine.
        text = f"{number:.{int(bits * _DIGITS_PER_BIT)}g}"
        if value.dtype.type(float(text)) == value:
            return text
    return f"{number:.{math.ceil(1 + (bits + 1) * _DIGITS_PER_BIT)}g}"


_DIGITS_PER_BIT = math.log10(2)
# Stored bits of float32, the narrowest type whose numbers are shortened.
_LONG_SIGNIFICAND = 23
