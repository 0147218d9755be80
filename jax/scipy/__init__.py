"""Functions of SciPy on arrays that can be traced. Its modules are imported at their first use."""

from jax._src.base import lazy as _lazy

_PARTS = (
    "cluster",
    "fft",
    "integrate",
    "interpolate",
    "linalg",
    "ndimage",
    "optimize",
    "signal",
    "sparse",
    "spatial",
    "special",
    "stats",
)
__getattr__ = _lazy.submodules(__name__, _PARTS)
__dir__ = _lazy.listing(__name__, _PARTS)
