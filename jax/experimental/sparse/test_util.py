"""Random sparse arrays, and comparisons with dense ones, for tests."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.sparse.testing import (
    MATMUL_TOL as MATMUL_TOL,
    BatchedDotGeneralProperties as BatchedDotGeneralProperties,
    SparseLayout as SparseLayout,
    SparseTestCase as SparseTestCase,
    is_sparse as is_sparse,
    iter_bcsr_layouts as iter_bcsr_layouts,
    iter_sparse_layouts as iter_sparse_layouts,
    iter_subsets as iter_subsets,
    rand_bcoo as rand_bcoo,
    rand_bcsr as rand_bcsr,
    rand_sparse as rand_sparse,
)

_doc_examples.attach(__name__)
