"""Functions that run on hosts, and what their calls are bound to."""

from jax._src.colocated.functions import (
    FunctionInfo as FunctionInfo,
    ShapeDtypeStructTree as ShapeDtypeStructTree,
    Specialization as Specialization,
    is_prng_key_dtype as is_prng_key_dtype,
    make_callable as make_callable,
)
from jax._src.colocated.reducing import of_key_words as _make_prng_wrapped_fun  # noqa: F401
