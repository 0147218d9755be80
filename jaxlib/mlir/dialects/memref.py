"""The memref dialect: buffers, their loads, stores and views. Re-exports."""

# The names are generated from the dialect's definition, so they cannot be listed.
from jaxlib.mlir.dialects._memref_ops_gen import *  # noqa: F403
from jaxlib.mlir.dialects._memref_ops_gen import _Dialect as _Dialect
