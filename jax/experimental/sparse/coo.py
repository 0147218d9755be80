"""Coordinates of one matrix."""

from jax._src.sparse import methods as _methods  # noqa: F401  (installs operators)
from jax._src.sparse.coo import (
    COO as COO,
    coo_fromdense as coo_fromdense,
    coo_fromdense_p as coo_fromdense_p,
    coo_matmat as coo_matmat,
    coo_matmat_p as coo_matmat_p,
    coo_matvec as coo_matvec,
    coo_matvec_p as coo_matvec_p,
    coo_todense as coo_todense,
    coo_todense_p as coo_todense_p,
)
from jax._src.sparse.layouts import (
    COOInfo as COOInfo,
    Shape as Shape,
)
