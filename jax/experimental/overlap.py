"""The order in which operations run beside each other."""

from jax._src.transforms.program_order import program_order as program_order
