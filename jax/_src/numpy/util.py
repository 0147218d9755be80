"""Operands at their common dtype: re-exports for third-party libraries, which import this path."""

from jax._src.numpy.operands import (
    check_arraylike as check_arraylike,
    promote_dtypes as promote_dtypes,
    promote_dtypes_complex as promote_dtypes_complex,
    promote_dtypes_inexact as promote_dtypes_inexact,
    promote_dtypes_numeric as promote_dtypes_numeric,
)
