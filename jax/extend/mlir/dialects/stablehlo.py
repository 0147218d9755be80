"""The stablehlo dialect: the module of the bindings themselves."""

import sys

from jax._src.lib import mlir

sys.modules[__name__] = mlir.dialects.stablehlo
