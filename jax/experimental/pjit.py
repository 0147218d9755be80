"""The older name of `jax.jit` for several devices."""

from jax._src.transforms.jit import jit as jit

pjit = jit
