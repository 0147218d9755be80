"""Functions in C++ as functions of JAX: `normalize` and `count`."""

import ctypes
import pathlib
from typing import Any

import numpy as np

import jax
from jax.typing import ArrayLike

_library = ctypes.CDLL(str(next(pathlib.Path(__file__).parent.glob("*handlers*.so"))))


def _address(name: str) -> Any:
    function = _library[name]
    function.restype = ctypes.c_void_p
    return jax.ffi.pycapsule(function())


jax.ffi.register_ffi_target("normalize", jax.ffi.pycapsule(_library.Normalize))
jax.ffi.register_ffi_type(
    "Counter",
    {
        "type_id": _address("counterTypeId"),
        "type_info": _address("counterTypeInfo"),
    },
)
jax.ffi.register_ffi_target(
    "count",
    {
        "instantiate": jax.ffi.pycapsule(_library.MakeCounter),
        "execute": jax.ffi.pycapsule(_library.Count),
    },
)


def normalize(x: ArrayLike, epsilon: float = 1e-6) -> Any:
    """Rows of length 1 on average: ``x / sqrt(mean(x ** 2, -1) + epsilon)``."""
    call = jax.ffi.ffi_call(
        "normalize",
        jax.ShapeDtypeStruct(jax.numpy.shape(x), np.float32),
        vmap_method="broadcast_all",
    )
    return call(x, epsilon=np.float32(epsilon))


def count(start: int = 0) -> Any:
    """The next number; each program counts for itself."""
    call = jax.ffi.ffi_call(
        "count", jax.ShapeDtypeStruct((), np.int32), has_side_effect=True
    )
    return call(start=np.int64(start))
