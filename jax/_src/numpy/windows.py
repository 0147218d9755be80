"""Window functions."""

from __future__ import annotations

import math
from typing import Any

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import creation, elementwise, methods as _methods, operands, ranges  # noqa: F401

Array = Any
ArrayLike = Any


def _sample_points(name, M):
    """Returns the points 0 … M - 1 as floats, and their number: a float M is cut."""
    count = operands.canonical_shape(name, int(M))[0]
    dtype = dtypes.default_float_dtype()
    return count, ranges.arange(count, dtype=dtype)


def _cosines(name, M, weights):
    count, n = _sample_points(name, M)
    if count <= 1:
        return creation.ones(count)
    total = weights[0]
    for order, weight in enumerate(weights[1:], 1):
        total = total + weight * elementwise.cos(2 * math.pi * order * n / (count - 1))
    return total


def bartlett(M: int) -> Array:
    """A triangle of `M` points, 0 at both ends.

    Args:
        M: the number of points, known while tracing; a fraction is cut off.

    Returns:
        Vector of floats of shape ``(M,)``; ones for a single point.

    Raises:
        TypeError: `M` is negative. ConcretizationTypeError: it is traced.
    """
    count, n = _sample_points("bartlett", M)
    if count <= 1:
        return creation.ones(count)
    return 1 - elementwise.absolute(2 * n - (count - 1)) / (count - 1)


def blackman(M: int) -> Array:
    """Blackman's window of `M` points.

    The arguments are those of `jax.numpy.bartlett`, and so are shape, dtype and errors.
    """
    return _cosines("blackman", M, (0.42, -0.5, 0.08))


def hamming(M: int) -> Array:
    """Hamming's window of `M` points.

    The arguments are those of `jax.numpy.bartlett`, and so are shape, dtype and errors.
    """
    return _cosines("hamming", M, (0.54, -0.46))


def hanning(M: int) -> Array:
    """Hann's window of `M` points.

    The arguments are those of `jax.numpy.bartlett`, and so are shape, dtype and errors.
    """
    return _cosines("hanning", M, (0.5, -0.5))


def kaiser(M: int, beta: ArrayLike) -> Array:
    """Kaiser's window of `M` points.

    Args:
        M: the number of points, as for `jax.numpy.bartlett`.
        beta: how steep it is: 0 for a rectangle.

    Returns:
        Vector of floats of shape ``(M,)``.

    Raises:
        TypeError: `M` is negative, or `beta` is no number. ConcretizationTypeError: `M`
            is traced.
    """
    count, n = _sample_points("kaiser", M)
    if count <= 1:
        return creation.ones(count)
    half = 0.5 * (count - 1)
    inside = 1 - elementwise.square((n - half) / half)
    # Rounding may leave a little less than 0 at the ends.
    root = elementwise.sqrt(elementwise.absolute(inside))
    beta = operands.convert(beta, operands.dtype_of(n))
    return elementwise.i0(beta * root) / elementwise.i0(beta)


traceback_filter.hide_frames(globals())
