"""Functions written for dense arrays, applied to sparse ones."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.sparse import methods as _methods  # noqa: F401  (installs operators)
from jax._src.sparse.sparsify import (
    SparseTrace as SparseTrace,
    SparseTracer as SparseTracer,
    eval_sparse as eval_sparse,
    sparse_rules_bcoo as sparse_rules_bcoo,
    sparse_rules_bcsr as sparse_rules_bcsr,
    sparsify as sparsify,
    sparsify_fun as sparsify_fun,
    sparsify_raw as sparsify_raw,
)
from jax._src.sparse.values import (
    Array as Array,
    ArrayOrSparse as ArrayOrSparse,
    SparsifyEnv as SparsifyEnv,
    SparsifyValue as SparsifyValue,
    arrays_to_spvalues as arrays_to_spvalues,
    spvalues_to_arrays as spvalues_to_arrays,
    spvalues_to_avals as spvalues_to_avals,
)

_doc_examples.attach(__name__)
