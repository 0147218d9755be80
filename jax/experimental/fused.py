"""Functions as one kernel, which no compiler here makes."""

from jax._src.transforms.fused import fused as fused, fused_p as fused_p
