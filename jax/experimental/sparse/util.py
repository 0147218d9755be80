"""What all formats of sparse arrays share."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.sparse import methods as _methods  # noqa: F401  (installs operators)
from jax._src.sparse.batches import (
    broadcasting_vmap as broadcasting_vmap,
    nfold_vmap as nfold_vmap,
)
from jax._src.sparse.efficiency import (
    CuSparseEfficiencyWarning as CuSparseEfficiencyWarning,
    SparseEfficiencyError as SparseEfficiencyError,
    SparseEfficiencyWarning as SparseEfficiencyWarning,
)
from jax._src.sparse.layouts import (
    Shape as Shape,
    SparseInfo as SparseInfo,
)

_doc_examples.attach(__name__)
