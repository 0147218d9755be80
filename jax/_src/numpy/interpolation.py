"""Interpolation between points of one dimension."""

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import (
    creation,
    elementwise,
    joining_splitting,
    operands,
    selection,
    sorting,
)
from jax._src.numpy.jit_wrapper import jit

Array = Any
ArrayLike = Any


def _check_extrapolate(name, given):
    if given != "extrapolate":
        raise ValueError(
            f"jnp.interp: the only string that `{name}` may be is 'extrapolate'; "
            f"got {given!r}."
        )


def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: Any = None,
    right: Any = None,
    period: ArrayLike | None = None,
) -> Array:
    """Values between points, by straight lines.

    Args:
        x: where to evaluate.
        xp: ascending coordinates of the points.
        fp: values there.
        left: the value before the first point; default: the first value;
            ``"extrapolate"`` continues the first line.
        right: the value after the last point; likewise.
        period: the period of the coordinates; with it, `left` and `right` have no effect.

    Returns:
        Array of the shape of `x`, of the inexact dtype to which the arguments promote.

    Raises:
        ValueError: `xp` and `fp` are no vectors of one size, or `left` or `right` is
            another string. TypeError: they are empty.

    Examples:
        >>> jnp.interp(2.5, jnp.array([1, 2, 3]), jnp.array([3, 2, 0]))
        Array(1., dtype=float32)
    """
    x, xp, fp = operands.ensure_arraylike("interp", x, xp, fp)
    if operands.shape(xp) != operands.shape(fp) or operands.ndim(xp) != 1:
        raise operands.value_error(
            "interp",
            "xp and fp are not vectors of one size.",
            [("xp", operands.type_name(xp)), ("fp", operands.type_name(fp))],
        )
    x, xp = operands.promote_dtypes_inexact(x, xp)
    if operands.kind_of(x) == "c":
        raise operands.value_error(
            "interp",
            "the points are complex: they have no order.",
            [("x", operands.type_name(x)), ("xp", operands.type_name(xp))],
            "Only the values `fp` may be complex.",
        )
    (fp,) = operands.promote_args_inexact("interp", fp)
    goes_on = tuple(isinstance(end, str) for end in (left, right))
    for name, end in (("left", left), ("right", right)):
        if isinstance(end, str):
            _check_extrapolate(name, end)
    left, right = (None if isinstance(end, str) else end for end in (left, right))
    return _interp(x, xp, fp, left, right, period, goes_on)


@ft.partial(jit, static_argnums=(6,))
def _interp(x, xp, fp, left, right, period, goes_on):
    """Values between points; beyond an end that goes on, by the line that ends there."""
    if period is not None:
        period = elementwise.absolute(period)
        x, xp = x % period, xp % period
        order = sorting.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = joining_splitting.concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = joining_splitting.concatenate((fp[-1:], fp, fp[:1]))
    index = selection.clip(
        sorting.searchsorted(xp, x, side="right"), 1, max(1, operands.size(xp) - 1)
    )
    rise = (
        fp[index] - fp[index - 1] if operands.size(xp) > 1 else creation.zeros_like(x)
    )
    run = xp[index] - xp[index - 1] if operands.size(xp) > 1 else creation.ones_like(x)
    tiny = np.spacing(dtypes.finfo(operands.dtype_of(xp)).eps)
    is_step = elementwise.absolute(run) <= tiny
    slope = selection.where(is_step, 1, run)
    value = selection.where(
        is_step, fp[index - 1], fp[index - 1] + (x - xp[index - 1]) / slope * rise
    )
    if period is None:
        for is_line, given, outside, end in (
            (goes_on[0], left, x < xp[0], fp[0]),
            (goes_on[1], right, x > xp[-1], fp[-1]),
        ):
            if not is_line:
                value = selection.where(outside, end if given is None else given, value)
    return value


traceback_filter.hide_frames(globals())
