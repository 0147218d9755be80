"""References to arrays that change."""

# Re-exports that third-party libraries reach as an attribute, without importing them.
from jax._src.base import lazy as _lazy

_PARTS = ("types",)
__getattr__ = _lazy.submodules(__name__, _PARTS)
__dir__ = _lazy.listing(__name__, _PARTS)
