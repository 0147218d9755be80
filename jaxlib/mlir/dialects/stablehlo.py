"""StableHLO: what programs are lowered to. Re-exports."""

# The names are generated from the dialect's definition, so they cannot be listed.
from jaxlib._native.ir.stablehlo import *  # noqa: F403
from jaxlib.mlir.dialects._stablehlo_ops_gen import *  # noqa: F403
from jaxlib.mlir.dialects._stablehlo_ops_gen import _Dialect as _Dialect
