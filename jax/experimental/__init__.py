"""Parts of the interface that may still change."""

from jax._src.base import lazy as _lazy
from jax._src.callbacks.calls import io_callback as io_callback
from jax._src.dtypes.primal_tangents import (
    primal_tangent_dtype as primal_tangent_dtype,
)
from jax._src.compat.hijax import cur_qdd as cur_qdd
from jax._src.runtime.arrays.extended_arrays import EArray as EArray

# Loaded at the first use.
_PARTS = ("compilation_cache",)
__getattr__ = _lazy.submodules(__name__, _PARTS)
__dir__ = _lazy.listing(__name__, _PARTS)
