"""The implementation. Everything here is private: import from `jax` instead."""

# First: it finds what libraries look for below this package.
from jax._src.compat import finder as _finder
