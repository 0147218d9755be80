"""Batched compressed rows."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.sparse import methods as _methods  # noqa: F401  (installs operators)
from jax._src.sparse.bcsr import (
    BCSR as BCSR,
)
from jax._src.sparse.compressed import (
    bcsr_broadcast_in_dim as bcsr_broadcast_in_dim,
    bcsr_concatenate as bcsr_concatenate,
    bcsr_dot_general as bcsr_dot_general,
    bcsr_dot_general_p as bcsr_dot_general_p,
    bcsr_eliminate_zeros as bcsr_eliminate_zeros,
    bcsr_extract as bcsr_extract,
    bcsr_extract_p as bcsr_extract_p,
    bcsr_fromdense as bcsr_fromdense,
    bcsr_fromdense_p as bcsr_fromdense_p,
    bcsr_sum_duplicates as bcsr_sum_duplicates,
    bcsr_todense as bcsr_todense,
    bcsr_todense_p as bcsr_todense_p,
)
from jax._src.sparse.layouts import (
    BCSRProperties as BCSRProperties,
)

_doc_examples.attach(__name__)
