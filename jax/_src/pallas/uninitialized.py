"""What memory holds before it is written: values that are found when they are used."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.core import avals as av
from jax._src.numpy import lax_api as lax


def value_of(dtype: Any) -> Any:
    """What an element holds: NaN, the smallest integer, False."""
    if dtypes.issubdtype(dtype, np.inexact):
        return np.nan
    # Semaphores count in int16, and start at zero.
    if dtype in (np.dtype(np.int16), np.dtype(bool)):
        return 0
    return dtypes.iinfo(dtype).min


def array(aval: av.ShapedArray) -> Any:
    """An array that was never written."""
    return lax.full(aval.shape, value_of(aval.dtype), aval.dtype)


def padded(array: Any, paddings: Sequence[tuple[int, int]]) -> Any:
    """The array with memory that was never written before and behind it."""
    if not any(map(any, paddings)):
        return array
    filling = lax.full((), value_of(array.dtype), array.dtype)
    return lax.pad(array, filling, [(low, high, 0) for low, high in paddings])
