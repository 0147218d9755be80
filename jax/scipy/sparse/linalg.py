"""Solvers that only multiply by the matrix."""

from jax._src.scipy.sparse.linalg import (
    bicgstab as bicgstab,
    cg as cg,
    gmres as gmres,
)
