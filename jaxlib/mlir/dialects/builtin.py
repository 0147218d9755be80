"""The builtin dialect: modules. Re-exports."""

# The names are generated from the dialect's definition, so they cannot be listed.
from jaxlib.mlir.dialects._builtin_ops_gen import *  # noqa: F403
from jaxlib.mlir.dialects._builtin_ops_gen import _Dialect as _Dialect
