"""``jnp.float32`` and its kin: classes that name a dtype and make scalars of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.numpy import creation


class _ScalarMeta(type):
    """The class of the scalar classes: each equals NumPy's class of its dtype."""

    dtype: np.dtype

    def __hash__(cls) -> int:
        return hash(cls.dtype.type)

    def __eq__(cls, other: object) -> bool:
        if cls is other:
            return True
        scalar_class = other.dtype.type if isinstance(other, _ScalarMeta) else other
        return cls.dtype.type == scalar_class

    def __ne__(cls, other: object) -> bool:
        return not cls == other

    def __call__(cls, x: Any) -> Any:
        if isinstance(x, str):
            # As NumPy: a number in letters; else ValueError.
            x = np.asarray(x).astype(cls.dtype)
        return creation.asarray(x, dtype=cls.dtype)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.dtype.type)


def _make(scalar_class: type, name: str | None = None) -> Any:
    dtype = np.dtype(scalar_class)
    return _ScalarMeta(
        name or scalar_class.__name__,
        (object,),
        {
            "dtype": dtype,
            "__module__": "jax.numpy",
            "__doc__": f"The dtype {dtype}. Called, it makes an array of that dtype.",
        },
    )


bool_ = _make(np.bool_, "bool")
uint1 = _make(dtypes.uint1)
uint2 = _make(dtypes.uint2)
uint4 = _make(dtypes.uint4)
uint8 = _make(np.uint8)
uint16 = _make(np.uint16)
uint32 = _make(np.uint32)
uint64 = _make(np.uint64)
int1 = _make(dtypes.int1)
int2 = _make(dtypes.int2)
int4 = _make(dtypes.int4)
int8 = _make(np.int8)
int16 = _make(np.int16)
int32 = _make(np.int32)
int64 = _make(np.int64)
float4_e2m1fn = _make(dtypes.float4_e2m1fn)
float6_e2m3fn = _make(dtypes.float6_e2m3fn)
float6_e3m2fn = _make(dtypes.float6_e3m2fn)
float8_e3m4 = _make(dtypes.float8_e3m4)
float8_e4m3 = _make(dtypes.float8_e4m3)
float8_e4m3b11fnuz = _make(dtypes.float8_e4m3b11fnuz)
float8_e4m3fn = _make(dtypes.float8_e4m3fn)
float8_e4m3fnuz = _make(dtypes.float8_e4m3fnuz)
float8_e5m2 = _make(dtypes.float8_e5m2)
float8_e5m2fnuz = _make(dtypes.float8_e5m2fnuz)
float8_e8m0fnu = _make(dtypes.float8_e8m0fnu)
bfloat16 = _make(dtypes.bfloat16)
float16 = _make(np.float16)
float32 = single = _make(np.float32)
float64 = double = _make(np.float64)
complex64 = csingle = _make(np.complex64)
complex128 = cdouble = _make(np.complex128)

int_ = int64
uint = uint64
float_ = float64
complex_ = complex128
