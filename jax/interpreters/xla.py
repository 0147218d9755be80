"""Evaluation of primitives, for libraries."""

from jax._src.guests.programs import apply_primitive as apply_primitive
from jax._src.lib.client import Client as Backend  # noqa: F401
