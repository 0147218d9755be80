"""The math dialect: elementary functions of scalars and vectors. Re-exports."""

# The names are generated from the dialect's definition, so they cannot be listed.
from jaxlib.mlir.dialects._math_ops_gen import *  # noqa: F403
from jaxlib.mlir.dialects._math_ops_gen import _Dialect as _Dialect
