"""What derivatives share: re-exports for third-party libraries, which import this path."""

from jax._src.interpreters.ad import (
    SymbolicZero as SymbolicZero,
    Zero as Zero,
    instantiate_zeros as instantiate_zeros,
)
from jax._src.lax.ops.barriers import stop_gradient_p as stop_gradient_p
