"""Queries of dtypes: kinds, limits, names, widths."""

from __future__ import annotations

import functools as ft
from typing import Any

import ml_dtypes
import numpy as np

from jax._src.base import scalars, traceback_filter
from jax._src.dtypes import canonical, extension, known

DType = np.dtype
DTypeLike = Any

finfo = ml_dtypes.finfo
iinfo = ml_dtypes.iinfo

# The abstract classes under which NumPy would have filed ml_dtypes' scalars.
_ADOPTED: dict[type, type] = {
    **{dtype.type: np.floating for dtype in known.custom_float_dtypes},
    **{dtype.type: np.unsignedinteger for dtype in known.small_unsigned_dtypes},
    **{dtype.type: np.signedinteger for dtype in known.small_signed_dtypes},
}

_NO_INFINITY = frozenset(
    np.dtype(scalar_type)
    for scalar_type in (
        known.float8_e4m3b11fnuz,
        known.float8_e4m3fn,
        known.float8_e4m3fnuz,
        known.float8_e5m2fnuz,
        known.float8_e8m0fnu,
        known.float4_e2m1fn,
        known.float6_e2m3fn,
        known.float6_e3m2fn,
    )
)


@traceback_filter.hides_frames
def issubdtype(a: DTypeLike | None, b: DTypeLike | None) -> bool:
    """Whether dtype `a` is `b` or below it in the hierarchy of scalar classes.

    Knows, beyond NumPy's, the small and brain floats, the small integers, and the
    extended dtypes (`jax.dtypes.prng_key`, `jax.dtypes.extended`).

    Args:
        a: a dtype or scalar class.
        b: a dtype, or an abstract class such as `jax.numpy.floating`.

    Raises:
        TypeError: one of them names no dtype.
    """
    return _issubdtype(_hashable(a), _hashable(b))


def _hashable(dtype: Any) -> Any:
    if isinstance(dtype, (type, np.dtype, extension.ExtendedDType)):
        return dtype
    return np.dtype(dtype)


@ft.lru_cache(maxsize=1024)
def _issubdtype(a: Any, b: Any) -> bool:
    scalar_a, scalar_b = _scalar_class(a), _scalar_class(b)
    # Two extended dtypes of one class, such as keys of two generators, differ.
    if extension.is_extended(b):
        return extension.is_extended(a) and a == b
    if scalar_b in _ADOPTED:
        return scalar_a is scalar_b
    return issubclass(_ADOPTED.get(scalar_a, scalar_a), scalar_b)


def _scalar_class(dtype: Any) -> type:
    if extension.is_extended(dtype):
        return dtype.type
    if isinstance(dtype, type) and issubclass(dtype, np.generic):
        return dtype
    return np.dtype(dtype).type


def supports_inf(dtype: DTypeLike) -> bool:
    """Whether a floating-point dtype has infinities; those without saturate or NaN."""
    return canonical.jax_dtype(dtype) not in _NO_INFINITY


@traceback_filter.hides_frames
def itemsize_bits(dtype: DTypeLike) -> int:
    """The number of bits that carry a value of a dtype; booleans count eight.

    Args:
        dtype: a dtype of numbers, of arrays of any shape.

    Raises:
        TypeError: `dtype` names none. ValueError: it is an extended one.
    """
    if extension.is_extended(dtype):
        raise ValueError(
            f"{dtype} is an extended dtype; its physical form has a width."
        )
    if dtype is None:
        raise ValueError("itemsize_bits: the argument `dtype` is None.")
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return 8
    if issubdtype(dtype, np.integer):
        return iinfo(dtype).bits
    if issubdtype(dtype, np.floating):
        return finfo(dtype).bits
    if issubdtype(dtype, np.complexfloating):
        return 2 * finfo(dtype).bits
    raise ValueError(f"dtype {dtype} is not a dtype that JAX arrays may have.")


def short_dtype_name(dtype: Any) -> str:
    """The name in printed programs: ``f32``, ``i8``, ``bool``, ``key<fry>``."""
    return scalars.short_name(dtype)


def _widened(table: dict[str, str], dtype: DTypeLike) -> DType:
    dtype = canonical.jax_dtype(dtype)
    if extension.is_extended(dtype):
        raise TypeError(
            f"{dtype}: values of this dtype are no numbers, and nothing is computed with "
            "them.\nFor the raw words of random keys: jax.random.key_data(keys)."
        )
    name = table.get(dtype.name)
    return dtype if name is None else np.dtype(name)


_TO_INEXACT = {
    **{dtype.name: "float32" for dtype in known.bool_dtypes + known.integer_dtypes},
    "uint64": "float64",
    "int64": "float64",
}
_TO_COMPLEX = {
    **{dtype.name: "complex64" for dtype in known.array_dtypes},
    **{name: "complex128" for name in ("uint64", "int64", "float64", "complex128")},
}


def to_inexact_dtype(dtype: DTypeLike) -> DType:
    """The floating-point dtype in which an integer or boolean is computed."""
    return _widened(_TO_INEXACT, dtype)


def to_complex_dtype(dtype: DTypeLike) -> DType:
    """The complex dtype in which a real one is computed."""
    return _widened(_TO_COMPLEX, dtype)


def to_floating_dtype(dtype: DTypeLike) -> DType:
    """The real floating-point dtype that goes with `dtype`: that of its parts."""
    return finfo(to_inexact_dtype(dtype)).dtype


def to_numeric_dtype(dtype: DTypeLike) -> DType:
    """int32 for booleans, whatever the default integer is; any other dtype as it is."""
    dtype = canonical.jax_dtype(dtype)
    return np.dtype(np.int32) if dtype.kind == "b" else dtype
