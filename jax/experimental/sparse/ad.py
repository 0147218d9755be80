"""Derivatives with respect to sparse arrays."""

from jax._src.sparse import methods as _methods  # noqa: F401  (installs operators)
from jax._src.sparse.ad import (
    flatten_fun_for_sparse_ad as flatten_fun_for_sparse_ad,
    grad as grad,
    is_sparse as is_sparse,
    jacfwd as jacfwd,
    jacobian as jacobian,
    jacrev as jacrev,
    value_and_grad as value_and_grad,
)
