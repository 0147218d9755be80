"""The version of jax, and the jaxlib that it needs."""

__version__ = "0.10.2"
__version_info__ = (0, 10, 2)

# jaxlib from the first on, below the second.
JAXLIB_MINIMUM = "0.11.0"
JAXLIB_BELOW = "0.12"

# The number in `jaxlib/version.py` by which jaxlib names what it offers.
NATIVE_INTERFACE = 1
