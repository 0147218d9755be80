"""What programs for Acme's devices do otherwise: an operation of their own, and a rule for `erf`."""

import ctypes
import pathlib
from typing import Any

import numpy as np

import jax
from jax.interpreters import mlir
from jax.lax import erf_p

PLATFORM = "acme"
_HANDLERS = {"acme_scaled_add": "AcmeScaledAdd", "acme_erf": "AcmeErf"}


def scaled_add(factor: float, x: jax.Array, y: jax.Array) -> jax.Array:
    """``factor * x + y`` of float32 arrays of one shape, in one pass over memory."""

    def native(x: jax.Array, y: jax.Array) -> Any:
        call = jax.ffi.ffi_call(
            "acme_scaled_add", jax.ShapeDtypeStruct(x.shape, x.dtype)
        )
        return call(x, y, factor=np.float32(factor))

    def other_platforms(x: jax.Array, y: jax.Array) -> jax.Array:
        return factor * x + y

    result: jax.Array = jax.lax.platform_dependent(
        x, y, acme=native, default=other_platforms
    )
    return result


def _erf(ctx: Any, x: Any, **params: Any) -> Any:
    if ctx.avals_in[0].dtype != np.float32:
        return _otherwise(ctx, x, **params)
    return jax.ffi.ffi_lowering("acme_erf")(ctx, x)


def _otherwise(ctx: Any, x: Any, **params: Any) -> Any:
    """Lowers as on other platforms, by way of float32."""
    dtype = ctx.avals_in[0].dtype

    def by_float32(x: jax.Array) -> Any:
        return erf_p.bind(x.astype(np.float32)).astype(dtype)

    return mlir.lower_fun(by_float32, multiple_results=False)(ctx, x)


def install() -> None:
    """Registers the handlers and the rules, once."""
    library = ctypes.CDLL(str(pathlib.Path(__file__).parent / "handlers.so"))
    for target, symbol in _HANDLERS.items():
        handler = jax.ffi.pycapsule(getattr(library, symbol))
        jax.ffi.register_ffi_target(target, handler, platform=PLATFORM)
    mlir.register_lowering(erf_p, _erf, platform=PLATFORM)
