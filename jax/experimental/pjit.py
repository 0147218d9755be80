"""The older name of `jax.jit` for several devices."""

from jax._src.jit.pjit import pjit as pjit
