"""The version of jax, and the jaxlib that it needs."""

from jax._src.base import releases

# The release that this process answers as; the wheel's own is `releases.DEFAULT`.
__version__ = releases.RELEASES[releases.RELEASE]
__version_info__ = tuple(map(int, __version__.split(".")))

# jaxlib from the first on, below the second.
JAXLIB_MINIMUM = "0.11.0"
JAXLIB_BELOW = "0.12"

# The number in `jaxlib/version.py` by which jaxlib names what it offers.
NATIVE_INTERFACE = 1
