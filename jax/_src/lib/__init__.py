"""The one door to jaxlib: nothing else in jax imports it."""

# First: nothing native runs before jax and jaxlib are known to fit.
from jax._src.lib.fit import CHECKED as CHECKED
