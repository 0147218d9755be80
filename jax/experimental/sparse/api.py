"""Making sparse arrays of every format."""

from jax._src.sparse import methods as _methods  # noqa: F401  (installs operators)
from jax._src.sparse.api import (
    empty as empty,
    eye as eye,
    todense as todense,
    todense_p as todense_p,
)
