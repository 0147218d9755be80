"""Integrals of sampled functions."""

from __future__ import annotations

import functools as ft
from typing import Any

from jax._src.base import traceback_filter
from jax._src.numpy import differences
from jax._src.numpy.jit_wrapper import jit

Array = Any
ArrayLike = Any


@ft.partial(jit, static_argnames=("axis",))
def trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1
) -> Array:
    """The integral of values along an axis, by straight lines between them.

    Args:
        y: array of values.
        x: array of the coordinates of the values, of one axis or of the shape of `y`;
            default: steps of `dx`.
        dx: the distance between neighbouring coordinates.
        axis: the axis along which to integrate.

    Returns:
        Array of the shape of `y` without `axis`.

    Raises:
        ValueError: the axis is out of bounds, or `x` does not fit. TypeError: an
            argument is no array or number.
    """
    return differences.trapezoid(y, x, dx, axis)


traceback_filter.hide_frames(globals())
