"""Layer 2: transformations of programs. Knows no operation."""

# A module that third-party libraries reach as an attribute, without importing it.
from jax._src.base import lazy as _lazy

_PARTS = ("pxla",)
__getattr__ = _lazy.submodules(__name__, _PARTS)
__dir__ = _lazy.listing(__name__, _PARTS)
