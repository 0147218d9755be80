"""CHLO: operations that broadcast, and functions that StableHLO lacks. Re-exports."""

# The names are generated from the dialect's definition, so they cannot be listed.
from jaxlib.mlir.dialects._chlo_ops_gen import *  # noqa: F403
from jaxlib.mlir.dialects._chlo_ops_gen import _Dialect as _Dialect
