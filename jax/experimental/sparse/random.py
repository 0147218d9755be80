"""Random sparse arrays."""

from jax._src.sparse import methods as _methods  # noqa: F401  (installs operators)
from jax._src.sparse.random import (
    random_bcoo as random_bcoo,
)
