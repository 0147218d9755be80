"""Shardings: how values are divided over the devices of a mesh. Re-exports."""

# The names are generated from the dialect's definition, so they cannot be listed.
from jaxlib._native.ir.sdy import *  # noqa: F403
from jaxlib.mlir.dialects._sdy_ops_gen import *  # noqa: F403
from jaxlib.mlir.dialects._sdy_ops_gen import _Dialect as _Dialect


def register_dialect(context: object, load: bool = True) -> None:
    """Does nothing, as every context knows the dialect; third-party libraries call it."""
