"""What memory holds before it is written: values that are found when they are used."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.core import avals, reference_types
from jax._src.lax.control_flow import composites
from jax._src.numpy import lax_api as lax
from jax._src.pallas.tpu import params

# The operation that `CallComposites` replaces by memory with unspecified contents.
_UNINITIALIZED = "xla.uninitialized"


class _Filling(threading.local):
    mode: Any = None
    # Whether a kernel is compiled: what was never written need not be found.
    is_unfilled: bool = False


_filling = _Filling()


@contextlib.contextmanager
def under(mode: Any) -> Iterator[None]:
    """For a block, memory holds what this way of interpreting says."""
    before = _filling.mode, _filling.is_unfilled
    _filling.mode = mode if isinstance(mode, params.InterpretParams) else None
    _filling.is_unfilled = not mode
    try:
        yield
    finally:
        _filling.mode, _filling.is_unfilled = before


def params_now() -> params.InterpretParams | None:
    """How kernels are interpreted now; None without `InterpretParams`."""
    return _filling.mode


def value_of(dtype: Any) -> Any:
    """What an element holds: NaN, the smallest integer, False.

    Under `InterpretParams`, it is the largest integer, or zero in every element.
    """
    mode = _filling.mode
    if mode is not None and mode.uninitialized_memory == "zero":
        return np.asarray(0, dtype)[()]
    if dtypes.issubdtype(dtype, np.inexact):
        return np.nan
    # Semaphores count in int16, and start at zero.
    if dtype in (np.dtype(np.int16), np.dtype(bool)):
        return np.asarray(0, dtype)[()]
    limits = dtypes.iinfo(dtype)
    # A number of this dtype: the largest ones do not fit those of Python's integers.
    return np.asarray(limits.min if mode is None else limits.max, dtype)[()]


def array(aval: avals.ShapedArray) -> Any:
    """An array that was never written.

    In compiled kernels it is memory that nothing fills, where the compiler knows such.
    """
    is_static = all(isinstance(size, int) for size in aval.shape)
    if _filling.is_unfilled and is_static:
        return composites.composite(lambda: _filled(aval), _UNINITIALIZED)()
    return _filled(aval)


def scratch(ref: reference_types.AbstractRef, in_front: tuple[int, ...] = ()) -> Any:
    """Memory of a kernel's own as it starts; semaphores count from zero.

    Args:
        ref: the type of the reference to it.
        in_front: the shape of an array of such memories.
    """
    aval = ref.inner_aval.update(shape=(*in_front, *ref.inner_aval.shape))
    if ref.kind is not None:
        return lax.full(aval.shape, 0, aval.dtype)
    return array(aval)


def _filled(aval):
    return lax.full(aval.shape, value_of(aval.dtype), aval.dtype)


def padded(array: Any, paddings: Sequence[tuple[int, int]]) -> Any:
    """The array with memory that was never written before and behind it."""
    if not any(map(any, paddings)):
        return array
    filling = lax.full((), value_of(array.dtype), array.dtype)
    return lax.pad(array, filling, [(low, high, 0) for low, high in paddings])
