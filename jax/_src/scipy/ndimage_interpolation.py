"""Values of an array between its elements."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import numpy_api as jnp, operands

Array = Any
ArrayLike = Any

_NAME = "jax.scipy.ndimage.map_coordinates"


def _mirror(index: Array, size: int) -> Array:
    """Turns back at the middle of the outer cells."""
    if size == 1:
        return jnp.zeros_like(index)
    period = 2 * (size - 1)
    point = jnp.remainder(index, period)
    return jnp.where(point < size, point, period - point)


def _reflect(index: Array, size: int) -> Array:
    """Turns back at the outer edge of the outer cells."""
    point = jnp.remainder(index, 2 * size)
    return jnp.where(point < size, point, 2 * size - 1 - point)


# mode: from any whole index to one inside.
_MODES: dict[str, Callable] = {
    "constant": lambda index, size: jnp.clip(index, 0, size - 1),
    "nearest": lambda index, size: jnp.clip(index, 0, size - 1),
    "wrap": jnp.remainder,
    "mirror": _mirror,
    "reflect": _reflect,
}


def _neighbours(point: Array, order: int) -> list[tuple[Array, Array]]:
    """Whole indices and their weights, along one axis."""
    integer = dtypes.canonicalize_dtype(np.int32)
    if order == 0:
        # Halves go away from 0.
        nearest = jnp.sign(point) * jnp.floor(jnp.abs(point) + 0.5)
        return [(operands.convert(nearest, integer), jnp.ones_like(point))]
    low = jnp.floor(point)
    upper = point - low
    index = operands.convert(low, integer)
    return [(index, 1 - upper), (index + 1, upper)]


def map_coordinates(
    input: ArrayLike,
    coordinates: Sequence[ArrayLike],
    order: int,
    mode: str = "constant",
    cval: ArrayLike = 0.0,
) -> Array:
    """The values of an array at coordinates between its elements.

    Args:
        input: array of n axes.
        coordinates: n arrays of one shape, the coordinates along each axis, counted in
            elements.
        order: 0 for the nearest element, 1 for linear interpolation.
        mode: values outside: 'constant' (`cval`), 'nearest' (the edge), 'wrap' (the
            array again), 'mirror' or 'reflect' (turned around, at the middle of the outer
            elements or at their edge).
        cval: the value outside for 'constant'.

    Returns:
        Array of the shape of the coordinates; integers are rounded, halves away from 0.

    Raises:
        ValueError: there is not one coordinate per axis.
        NotImplementedError: another order or mode.
    """
    x = operands.ensure_arraylike(_NAME, input)
    points = list(coordinates)
    if len(points) != jnp.ndim(x):
        raise operands.value_error(
            _NAME,
            "coordinates must be a sequence of length input.ndim.",
            [("input", operands.type_name(x)), ("coordinates", str(len(points)))],
        )
    if mode not in _MODES or order not in (0, 1):
        what = (
            "requires order<=1."
            if mode in _MODES
            else f"does not support mode {mode!r}."
        )
        raise operands.not_implemented(
            _NAME,
            what,
            [("order", repr(order)), ("mode", repr(mode))],
            f"Orders are 0 and 1, modes {', '.join(map(repr, _MODES))}.",
        )
    points = operands.promote_args_inexact(_NAME, *points)
    return _interpolate(jnp.asarray(x), points, order, mode, cval)


def _interpolate(x, points, order, mode, cval):
    outside = operands.convert(cval, operands.dtype_of(x))
    choices = []
    for point, size in zip(points, jnp.shape(x), strict=True):
        along = []
        for index, weight in _neighbours(point, order):
            is_inside = (index >= 0) & (index < size)
            along.append((_MODES[mode](index, size), is_inside, weight))
        choices.append(along)
    total = 0
    for corner in itertools.product(*choices):
        indices, insides, weights = zip(*corner, strict=True)
        value = x[indices]
        if mode == "constant":
            for is_inside in insides:
                value = jnp.where(is_inside, value, outside)
        for weight in weights:
            value = value * weight
        total = total + value
    if operands.kind_of(x) in "iub":
        total = jnp.sign(total) * jnp.floor(jnp.abs(total) + 0.5)
    return operands.convert(total, operands.dtype_of(x))


traceback_filter.hide_frames(globals())
