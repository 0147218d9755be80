"""What jaxlib is here."""

from jax._src.lib.fit import JAXLIB_VERSION as __version__  # noqa: F401
