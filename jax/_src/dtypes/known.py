"""The dtypes that arrays may have, by kind.

Every list is ordered by width. The small types come from ``ml_dtypes``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from jax._src.base import scalars

DType = np.dtype

bool_: type[np.generic] = np.bool_
uint1: type[np.generic] = ml_dtypes.uint1
uint2: type[np.generic] = ml_dtypes.uint2
uint4: type[np.generic] = ml_dtypes.uint4
uint8: type[np.generic] = np.uint8
uint16: type[np.generic] = np.uint16
uint32: type[np.generic] = np.uint32
uint64: type[np.generic] = np.uint64
int1: type[np.generic] = ml_dtypes.int1
int2: type[np.generic] = ml_dtypes.int2
int4: type[np.generic] = ml_dtypes.int4
int8: type[np.generic] = np.int8
int16: type[np.generic] = np.int16
int32: type[np.generic] = np.int32
int64: type[np.generic] = np.int64
float4_e2m1fn: type[np.generic] = ml_dtypes.float4_e2m1fn
float6_e2m3fn: type[np.generic] = ml_dtypes.float6_e2m3fn
float6_e3m2fn: type[np.generic] = ml_dtypes.float6_e3m2fn
float8_e3m4: type[np.generic] = ml_dtypes.float8_e3m4
float8_e4m3: type[np.generic] = ml_dtypes.float8_e4m3
float8_e4m3b11fnuz: type[np.generic] = ml_dtypes.float8_e4m3b11fnuz
float8_e4m3fn: type[np.generic] = ml_dtypes.float8_e4m3fn
float8_e4m3fnuz: type[np.generic] = ml_dtypes.float8_e4m3fnuz
float8_e5m2: type[np.generic] = ml_dtypes.float8_e5m2
float8_e5m2fnuz: type[np.generic] = ml_dtypes.float8_e5m2fnuz
float8_e8m0fnu: type[np.generic] = ml_dtypes.float8_e8m0fnu
bfloat16: type[np.generic] = ml_dtypes.bfloat16
float16: type[np.generic] = np.float16
float32: type[np.generic] = np.float32
float64: type[np.generic] = np.float64
complex64: type[np.generic] = np.complex64
complex128: type[np.generic] = np.complex128

# What the Python types mean before the choice between 32 and 64 bits.
int_: type[np.generic] = np.int64
uint: type[np.generic] = np.uint64
float_: type[np.generic] = np.float64
complex_: type[np.generic] = np.complex128


def _dtypes(*scalar_types: type[np.generic]) -> tuple[DType, ...]:
    return tuple(np.dtype(scalar_type) for scalar_type in scalar_types)


bool_dtypes = _dtypes(np.bool_)
small_unsigned_dtypes = _dtypes(uint1, uint2, uint4)
small_signed_dtypes = _dtypes(int1, int2, int4)
small_integer_dtypes = small_unsigned_dtypes + small_signed_dtypes
unsigned_dtypes = small_unsigned_dtypes + _dtypes(uint8, uint16, uint32, uint64)
signed_dtypes = small_signed_dtypes + _dtypes(int8, int16, int32, int64)
integer_dtypes = unsigned_dtypes + signed_dtypes
float4_dtypes = _dtypes(float4_e2m1fn)
float6_dtypes = _dtypes(float6_e2m3fn, float6_e3m2fn)
float8_dtypes = _dtypes(
    float8_e3m4,
    float8_e4m3,
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
)
small_float_dtypes = float4_dtypes + float6_dtypes + float8_dtypes
custom_float_dtypes = small_float_dtypes + _dtypes(bfloat16)
floating_dtypes = custom_float_dtypes + _dtypes(float16, float32, float64)
complex_dtypes = _dtypes(complex64, complex128)
inexact_dtypes = floating_dtypes + complex_dtypes
array_dtypes = bool_dtypes + integer_dtypes + inexact_dtypes

_ARRAY_DTYPES = frozenset(array_dtypes)

# The tangent type of integers and booleans: it has no values worth storing.
float0: DType = scalars.float0

# The Python scalars and the dtype each stands for when 64 bits are allowed.
python_scalar_dtypes: dict[type, DType] = {
    bool: np.dtype(np.bool_),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    complex: np.dtype(np.complex128),
}

_SIXTY_FOUR_TO_THIRTY_TWO: dict[DType, DType] = {
    np.dtype(np.int64): np.dtype(np.int32),
    np.dtype(np.uint64): np.dtype(np.uint32),
    np.dtype(np.float64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.complex64),
}


def is_array_dtype(dtype: Any) -> bool:
    """Whether `dtype` is a plain dtype that arrays may have."""
    return dtype in _ARRAY_DTYPES


def narrowed(dtype: DType) -> DType:
    """The 32-bit counterpart of a 64-bit dtype; any other dtype as it is."""
    return _SIXTY_FOUR_TO_THIRTY_TWO.get(dtype, dtype)


def names(dtypes: Sequence[Any]) -> str:
    """The dtypes' names, for messages."""
    return ", ".join(str(dtype) for dtype in dtypes)
