"""The version of jaxlib, and the numbers by which jax knows whether the two fit."""

__version__ = "0.11.0"
__version_info__ = (0, 11, 0)

# Counts changes to what `jaxlib._native` offers to `jax/_src/lib`. The extension has the
# number of its build compiled in (jaxlib/py/Interface.h), jax names the one it wants.
native_interface = 1
