"""Arrays from buffers, strings and files; saved arrays."""

from __future__ import annotations

import os
from typing import IO, Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import creation, operands
from jax._src.runtime.arrays import dlpack

Array = Any


def frombuffer(
    buffer: bytes | Any, dtype: Any = float, count: int = -1, offset: int = 0
) -> Array:
    """A vector of the elements, of any numeric dtype, whose bytes are in a buffer.

    Args:
        buffer: an object with the buffer protocol.
        dtype: the dtype of the elements.
        count: how many elements; -1: all.
        offset: where to begin, in bytes.

    Returns:
        Vector of that dtype; 64-bit elements are read as such, and narrowed while
        `jax_enable_x64` is off.

    Raises:
        ValueError: the buffer is too small, or its size no multiple of an element.
            TypeError: it is no buffer.
    """
    return creation.array(np.frombuffer(buffer, _dtype(dtype), count, offset))


def fromstring(string: str, dtype: Any = float, count: int = -1, *, sep: str) -> Array:
    """The numbers that a string lists, as a vector.

    Args:
        string: the text.
        dtype: the dtype of the elements.
        count: how many numbers to read; -1: all.
        sep: what stands between the numbers.

    Returns:
        Vector of that dtype, 64 bits narrowed while `jax_enable_x64` is off.

    Raises:
        ValueError: the text holds something else, or `sep` is empty.
    """
    return creation.array(np.fromstring(string, _dtype(dtype), count, sep=sep))


def _dtype(dtype):
    """NumPy's dtype; 64 bits are read as such, and narrowed as an array."""
    return np.dtype(
        dtype if isinstance(dtype, type) else getattr(dtype, "dtype", dtype)
    )


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """An array of a tensor `x` of another library; shape and dtype stay.

    The arguments are those of `jax.dlpack.from_dlpack`, and so are errors.
    """
    return dlpack.from_dlpack(x, device=device, copy=copy)


def _impure(name):
    def function(*args: Any, **kwargs: Any) -> Array:
        raise operands.not_implemented(
            name,
            "not implemented.",
            rule="Its result may change from call to call, which programs that are "
            "compiled once cannot show.",
            ways=f"Read it once: jnp.asarray(np.{name}(...)).",
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Not implemented: `numpy.{name}` may give another result each time.\n\n"
        f"Use ``jnp.asarray(np.{name}(...))``, of any dtype.\n\nArgs:\n"
        "    args, kwargs: not used.\n\nRaises:\n    NotImplementedError: always."
    )
    return function


fromfile = _impure("fromfile")
fromiter = _impure("fromiter")


def load(file: IO[bytes] | str | os.PathLike, *args: Any, **kwargs: Any) -> Array:
    """The array that `jax.numpy.save` wrote to a file; its dtype is narrowed as usual.

    Files hold two bytes without a name for each number of bfloat16, and are read as such.
    What arrays cannot hold stays a NumPy array: ``.view`` of a dtype makes numbers of it.

    Args:
        file: a path or a file that is open for reading.
        args, kwargs: further arguments of `numpy.load`.

    Raises:
        What `numpy.load` raises, such as FileNotFoundError, or ValueError for other
            formats.
    """
    loaded = np.load(file, *args, **kwargs)
    if not isinstance(loaded, np.ndarray):
        return loaded
    if loaded.dtype == np.dtype("V2"):
        loaded = loaded.view(dtypes.bfloat16)
    return creation.asarray(loaded) if dtypes.is_array_dtype(loaded.dtype) else loaded


traceback_filter.hide_frames(globals())
