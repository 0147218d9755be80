"""The older name of `jax.jit` for several devices."""

from jax._src.transforms.pjit import pjit as pjit
