"""Programs in HLO, the form that XLA's tools print, parse and serialize."""

from jax._src.base import lazy as _lazy

_PARTS = ("programs", "printing")
__getattr__ = _lazy.submodules(__name__, _PARTS)
__dir__ = _lazy.listing(__name__, _PARTS)
