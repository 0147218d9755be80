"""Re-exports jaxlib: nothing else in jax imports it."""

# First: nothing native runs before jax and jaxlib are known to fit.
from jax._src.lib.fit import CHECKED as CHECKED

# What other libraries look for here.
from jax._src.base import lazy as _lazy

_LAZY_NAMES = {"cuda_versions": "jax._src.lib.cuda"}
__getattr__ = _lazy.names(__name__, _LAZY_NAMES)
__dir__ = _lazy.listing(__name__, _LAZY_NAMES)
