"""Arrays of one value with the sharding of another array."""

from typing import Any

from jax._src.base import caches
from jax._src.core import avals, state, trace
from jax._src.jit import jit as jit_module
from jax._src.lax.ops import creation
from jax._src.lib import client


def filled_like(x: Any, shape: Any, value: Any) -> Any:
    """Many times one value, lying as an array that was put somewhere on purpose.

    Each device fills its part. None: `x` is not committed, or it has another shape
    or is traced, or its type has a sharding.
    """
    if not isinstance(x, client.Array) or tuple(shape) != x.shape:
        return None
    if not (x.committed or x.sharding.num_devices > 1):
        return None
    if state.current() is not trace.evaluation:
        return None
    if avals.get_aval(x).sharding.mesh.explicit_axes:
        return None
    return _filler(tuple(shape), x.sharding)(value)


@caches.memoize(1024)
def _filler(shape, sharding):
    return jit_module.jit(
        lambda value: creation.full(shape, value), out_shardings=sharding
    )
