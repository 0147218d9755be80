"""What kernels for Triton are written with."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.pallas.triton.api import (
    CompilerParams as CompilerParams,
    approx_tanh as approx_tanh,
    atomic_add as atomic_add,
    atomic_and as atomic_and,
    atomic_cas as atomic_cas,
    atomic_max as atomic_max,
    atomic_min as atomic_min,
    atomic_or as atomic_or,
    atomic_xchg as atomic_xchg,
    atomic_xor as atomic_xor,
    debug_barrier as debug_barrier,
    dot as dot,
    elementwise_inline_asm as elementwise_inline_asm,
    load as load,
    max_contiguous as max_contiguous,
    store as store,
)

_doc_examples.attach(__name__)
