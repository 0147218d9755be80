"""The order in which operations run beside each other."""

from jax._src.lax.program_order import program_order as program_order
