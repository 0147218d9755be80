"""Evaluation of primitives, for libraries."""

from jax._src.compat.evaluation import apply_primitive as apply_primitive
from jax._src.core.conversions import (
    canonicalize_dtype_handlers as canonicalize_dtype_handlers,
)
from jax._src.lib.client import Client as Backend  # noqa: F401
