"""Solvers that only multiply by the matrix."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.scipy.sparse.linalg import (
    bicgstab as bicgstab,
    cg as cg,
    gmres as gmres,
)

_doc_examples.attach(__name__)
