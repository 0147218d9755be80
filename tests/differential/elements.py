"""The element types that programs are made of."""

import dataclasses

import ml_dtypes
import numpy as np


@dataclasses.dataclass(frozen=True, slots=True)
class Element:
    """One type of elements: how StableHLO, NumPy and PJRT call it, and its limits.

    `precision` counts the bits of a floating-point significand, `tiny` is the smallest
    normal number, below which others may flush to zero; of complex numbers, a part's.
    """

    name: str
    dtype: np.dtype
    code: int
    kind: str
    width: int
    precision: int = 0
    tiny: float = 0.0
    maximum: float = 0.0

    @property
    def text(self) -> str:
        return self.name

    @property
    def epsilon(self) -> float:
        return 2.0 ** (1 - self.precision)

    @property
    def is_inexact(self) -> bool:
        return self.kind in "fc"

    @property
    def is_integer(self) -> bool:
        return self.kind in "iu"


def _float(name, dtype, code, kind="f"):
    info = ml_dtypes.finfo(dtype)
    width = np.dtype(dtype).itemsize * 8
    return Element(
        name,
        np.dtype(dtype),
        code,
        kind,
        width,
        info.nmant + 1,
        # Half-precision arithmetic happens in float32, where its subnormals are normal.
        float(info.smallest_subnormal if name == "f16" else info.tiny),
        float(info.max),
    )


def _complex(name, dtype, code, part):
    return dataclasses.replace(
        part, name=name, dtype=np.dtype(dtype), code=code, kind="c"
    )


PRED = Element("i1", np.dtype(np.bool_), 1, "b", 1)
S8 = Element("i8", np.dtype(np.int8), 2, "i", 8)
S16 = Element("i16", np.dtype(np.int16), 3, "i", 16)
S32 = Element("i32", np.dtype(np.int32), 4, "i", 32)
S64 = Element("i64", np.dtype(np.int64), 5, "i", 64)
U8 = Element("ui8", np.dtype(np.uint8), 6, "u", 8)
U16 = Element("ui16", np.dtype(np.uint16), 7, "u", 16)
U32 = Element("ui32", np.dtype(np.uint32), 8, "u", 32)
U64 = Element("ui64", np.dtype(np.uint64), 9, "u", 64)
F16 = _float("f16", np.float16, 10)
F32 = _float("f32", np.float32, 11)
F64 = _float("f64", np.float64, 12)
BF16 = _float("bf16", ml_dtypes.bfloat16, 13)
C64 = _complex("complex<f32>", np.complex64, 14, F32)
C128 = _complex("complex<f64>", np.complex128, 15, F64)

INTEGERS = (S8, S16, S32, S64, U8, U16, U32, U64)
FLOATS = (F16, BF16, F32, F64)
COMPLEX = (C64, C128)
ALL = (PRED, *INTEGERS, *FLOATS, *COMPLEX)
BY_CODE = {element.code: element for element in ALL}
BY_NAME = {element.name: element for element in ALL}

PART = {C64: F32, C128: F64}
"""The type of a complex number's parts."""
