"""What memory holds before it is written: values that are found when they are used."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.core import avals
from jax._src.numpy import lax_api as lax
from jax._src.pallas.tpu import params


class _Filling(threading.local):
    mode: Any = None


_filling = _Filling()


@contextlib.contextmanager
def under(mode: Any) -> Iterator[None]:
    """For a block, memory holds what this way of interpreting says."""
    before = _filling.mode
    _filling.mode = mode if isinstance(mode, params.InterpretParams) else None
    try:
        yield
    finally:
        _filling.mode = before


def params_now() -> params.InterpretParams | None:
    """How kernels are interpreted now; None without `InterpretParams`."""
    return _filling.mode


def value_of(dtype: Any) -> Any:
    """What an element holds: NaN, the smallest integer, False.

    Under `InterpretParams`, it is the largest integer, or zero in every element.
    """
    mode = _filling.mode
    if mode is not None and mode.uninitialized_memory == "zero":
        return 0
    if dtypes.issubdtype(dtype, np.inexact):
        return np.nan
    # Semaphores count in int16, and start at zero.
    if dtype in (np.dtype(np.int16), np.dtype(bool)):
        return 0
    limits = dtypes.iinfo(dtype)
    return limits.min if mode is None else limits.max


def array(aval: avals.ShapedArray) -> Any:
    """An array that was never written."""
    return lax.full(aval.shape, value_of(aval.dtype), aval.dtype)


def padded(array: Any, paddings: Sequence[tuple[int, int]]) -> Any:
    """The array with memory that was never written before and behind it."""
    if not any(map(any, paddings)):
        return array
    filling = lax.full((), value_of(array.dtype), array.dtype)
    return lax.pad(array, filling, [(low, high, 0) for low, high in paddings])
