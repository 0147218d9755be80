"""The version of jax."""

from jax._src.base.version import (
    __version__ as __version__,
    __version_info__ as __version_info__,
)

# As libraries read it.
_version = __version__
_release_version = __version__
