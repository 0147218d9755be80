"""What compilers of kernels build on."""

from jax._src.pallas.grid_mapping import GridMapping as GridMapping
from jax._src.pallas.lowering_rules import (
    register_lowering_rule as register_lowering_rule,
)
