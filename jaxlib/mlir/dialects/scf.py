"""The scf dialect: loops and branches. Re-exports."""

# The names are generated from the dialect's definition, so they cannot be listed.
from jaxlib.mlir.dialects._scf_ops_gen import *  # noqa: F403
from jaxlib.mlir.dialects._scf_ops_gen import _Dialect as _Dialect
