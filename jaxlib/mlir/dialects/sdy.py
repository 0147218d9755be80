"""Shardings: how values lie on the devices of a mesh. A door."""

# The names are generated from the dialect's definition, so they cannot be listed.
from jaxlib._native.ir.sdy import *  # noqa: F403
from jaxlib.mlir.dialects._sdy_ops_gen import *  # noqa: F403
from jaxlib.mlir.dialects._sdy_ops_gen import _Dialect as _Dialect


def register_dialect(context: object, load: bool = True) -> None:
    """Does nothing: every context knows the dialect. For guests that ask first."""
