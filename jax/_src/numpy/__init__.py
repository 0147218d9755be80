"""`jax.numpy`: one file per theme; import the file, not this package."""

# Re-exports that third-party libraries reach as an attribute, without importing them.
from jax._src.base import lazy as _lazy

_PARTS = ("util",)
__getattr__ = _lazy.submodules(__name__, _PARTS)
__dir__ = _lazy.listing(__name__, _PARTS)
