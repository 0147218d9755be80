"""Solvers that only multiply by the matrix. A door."""

from jax._src.scipy.sparse.linalg import (
    bicgstab as bicgstab,
    cg as cg,
    gmres as gmres,
)
