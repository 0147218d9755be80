"""Straight lines taken out of signals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.numpy import numpy_api as jnp, operands

Array = Any
ArrayLike = Any

_NAME = "jax.scipy.signal.detrend"


def detrend(
    data: ArrayLike,
    axis: int = -1,
    type: str = "linear",  # noqa: A002 (the name that users know)
    bp: int | Sequence[int] | np.ndarray = 0,
    overwrite_data: None = None,
) -> Array:
    """A signal without its trend.

    The line that fits best by least squares has the mean of the signal at its middle,
    and as slope the covariance of signal and time by the variance of time.

    Args:
        data: array or list of numbers.
        axis: along which the signal runs.
        type: 'linear' takes out the best line, 'constant' the mean.
        bp: where a new line begins; for 'linear' only.
        overwrite_data: not supported.

    Returns:
        Array of the shape of `data`, of an inexact dtype.

    Raises:
        NotImplementedError: `overwrite_data` is given. ValueError: the type is unknown, a
            break is out of bounds, or there is no such axis.
        TypeError: `data` holds no numbers.
    """
    if overwrite_data is not None:
        raise operands.not_implemented(
            _NAME,
            "overwrite_data is not supported.",
            ways="Leave it out: arrays never change.",
        )
    (x,) = operands.promote_dtypes_inexact(jnp.asarray(data))
    if type not in ("linear", "constant"):
        raise operands.value_error(
            _NAME,
            "there is no such type of trend.",
            [("type", repr(type))],
            "Types: 'linear', 'constant'.",
        )
    axis = operands.canonical_axis(_NAME, axis, jnp.ndim(x))
    if type == "constant":
        return x - jnp.mean(x, axis=axis, keepdims=True)
    size = jnp.shape(x)[axis]
    breaks = np.unique(
        np.append(operands.concrete(_NAME, "bp", bp), [0, size]).astype(int)
    )
    if breaks[0] < 0 or breaks[-1] > size:
        raise operands.value_error(
            _NAME,
            "a break is out of bounds.",
            [("bp", str(bp)), ("length", str(size))],
            "Breaks are between 0 and the length.",
        )
    if size == 0:
        return x
    x = jnp.moveaxis(x, axis, -1)
    pieces = [
        _without_line(x[..., start:stop])
        for start, stop in zip(breaks[:-1], breaks[1:], strict=True)
    ]
    return jnp.moveaxis(jnp.concatenate(pieces, axis=-1), -1, axis)


def _without_line(x):
    size = jnp.shape(x)[-1]
    shape = (1,) * (jnp.ndim(x) - 1) + (size,)
    times = np.reshape(np.arange(size) - (size - 1) / 2, shape)
    total = np.sum(times**2) or 1.0
    rest = x - jnp.mean(x, axis=-1, keepdims=True)
    line = times.astype(operands.dtype_of(x))
    slope = jnp.sum(rest * (times / total).astype(line.dtype), axis=-1, keepdims=True)
    return rest - slope * line


traceback_filter.hide_frames(globals())
