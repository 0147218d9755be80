"""Differences, gradients and integrals along an axis; phases without jumps."""

from __future__ import annotations

import functools as ft
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.symbols import expressions
from jax._src.numpy import (
    elementwise,
    joining_splitting,
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    reductions,
    reshaping,
    selection,
)
from jax._src.numpy.jit_wrapper import jit

Array = Any
ArrayLike = Any


@ft.partial(jit, static_argnames=("n", "axis"))
def diff(
    a: ArrayLike,
    n: int = 1,
    axis: int = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Array:
    """Differences of neighbours along an axis.

    Args:
        a: array.
        n: how often to take differences.
        axis: the axis.
        prepend: values that come first.
        append: values that come last.

    Returns:
        Array with an axis shorter by `n`, of the promoted dtype; booleans stay, and say
        where neighbours differ.

    Raises:
        ValueError: `n` is negative, `a` is a scalar, or the axis is out of bounds.
            TypeError: an argument is no array or number.

    Examples:
        >>> jnp.diff(jnp.array([1, 4, 9, 16]))
        Array([3, 5, 7], dtype=int32)
    """
    a = operands.ensure_arraylike("diff", a)
    if n < 0:
        raise ValueError(f"jnp.diff: n={n} is negative.")
    if n == 0:
        return operands.strong_like(a)
    if not operands.ndim(a):
        raise operands.value_error(
            "diff", "a scalar has no neighbours.", [("a", operands.type_name(a))]
        )
    axis = operands.canonical_axis("diff", axis, operands.ndim(a))
    parts = [_edge(prepend, a, axis), a, _edge(append, a, axis)]
    a = joining_splitting.concatenate([p for p in parts if p is not None], axis)
    for _ in range(n):
        length = operands.shape(a)[axis]
        later = lax.slice_in_dim(a, expressions.min_dim(1, length), length, axis=axis)
        earlier = lax.slice_in_dim(a, 0, expressions.max_dim(0, length - 1), axis=axis)
        a = later != earlier if operands.kind_of(a) == "b" else later - earlier
    return a


def _edge(value, a, axis):
    if value is None:
        return None
    value = operands.ensure_arraylike("diff", value)
    if operands.ndim(value):
        return value
    sizes = list(operands.shape(a))
    sizes[axis] = 1
    return operands.broadcast_to(value, tuple(sizes))


@jit
def ediff1d(
    ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> Array:
    """Differences of neighbours of the flattened array, with values before and after.

    Args:
        ary: array, which is flattened.
        to_end: values after the differences.
        to_begin: values before them.

    Returns:
        Vector of the dtype of `ary`.

    Raises:
        TypeError: an argument is no array or number.
    """
    ary = reshaping.ravel(operands.ensure_arraylike("ediff1d", ary))
    parts = [ary[1:] - ary[:-1]]
    if to_begin is not None:
        parts.insert(
            0, operands.convert(reshaping.ravel(to_begin), operands.dtype_of(ary))
        )
    if to_end is not None:
        parts.append(operands.convert(reshaping.ravel(to_end), operands.dtype_of(ary)))
    return joining_splitting.concatenate(parts)


@ft.partial(jit, static_argnames=("axis",))
def trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1
) -> Array:
    """The integral of values along an axis, by straight lines between them.

    Args:
        y: array of values.
        x: their points: a vector, or an array of the shape of `y`.
        dx: the distance of points where `x` is None; an array broadcasts with the
            differences of `y`.
        axis: the axis.

    Returns:
        Array without the axis; integers become floats, other dtypes are promoted.

    Raises:
        ValueError: the axis is out of bounds, or `x` does not fit. TypeError: an
            argument is no array or number.

    Reference: the composite trapezoidal rule.
    """
    if x is None:
        (y,) = operands.promote_args_inexact("trapezoid", y)
        steps = operands.ensure_arraylike("trapezoid", dx)
        if operands.ndim(steps):
            missing = range(operands.ndim(y) - operands.ndim(steps))
            steps = reshaping.moveaxis(lax.expand_dims(steps, missing), axis, -1)
    else:
        y, x = operands.promote_dtypes_inexact(
            *operands.ensure_arraylike("trapezoid", y, x)
        )
        if operands.ndim(x) == 1:
            steps = lax.expand_dims(diff(x), range(operands.ndim(y) - 1))
        else:
            steps = reshaping.moveaxis(diff(x, axis=axis), axis, -1)
    y = reshaping.moveaxis(y, axis, -1)
    return 0.5 * reductions.sum(steps * (y[..., 1:] + y[..., :-1]), axis=-1)


@ft.partial(jit, static_argnames=("axis", "edge_order"))
def gradient(
    f: ArrayLike,
    *varargs: ArrayLike,
    axis: int | Sequence[int] | None = None,
    edge_order: int | None = None,
) -> Array | list[Array]:
    """Slopes along axes: central differences inside, one-sided ones at the ends.

    Args:
        f: array of values at points.
        varargs: one spacing or vector of points for all axes, or one for each.
        axis: axis or axes; None means all.
        edge_order: not supported.

    Returns:
        An array for one axis, a list of arrays for several.

    Raises:
        ValueError: an axis has less than two points, or the points do not fit.
        TypeError: the number of spacings is another than that of axes.

    Reference: Fornberg, Generation of finite difference formulas on arbitrarily spaced
    grids (1988).

    Examples:
        >>> jnp.gradient(jnp.array([0.0, 1.0, 4.0, 9.0]))
        Array([1., 2., 4., 5.], dtype=float32)
    """
    if edge_order is not None:
        raise operands.not_implemented(
            "gradient", "the argument `edge_order` is not supported."
        )
    operands.check_arraylike("gradient", f, *varargs)
    f, *spacings = operands.promote_dtypes_inexact(
        *map(operands.to_array, (f, *varargs))
    )
    axes = operands.canonical_axes("gradient", axis, operands.ndim(f))
    if not spacings:
        spacings = [1.0] * len(axes)
    elif len(spacings) == 1:
        spacings = spacings * len(axes)
    elif len(spacings) != len(axes):
        raise operands.type_error(
            "gradient",
            "there is not one spacing per axis.",
            [("spacings", str(len(spacings))), ("axes", str(axes))],
        )
    slopes = [_slopes(f, h, i) for h, i in zip(spacings, axes, strict=True)]
    return slopes[0] if len(slopes) == 1 else slopes


def _slopes(f, spacing, axis):
    length = operands.shape(f)[axis]
    if length < 2:
        raise operands.value_error(
            "gradient",
            "an axis has less than two points.",
            [("f", operands.type_name(f)), ("axis", str(axis))],
        )
    if operands.ndim(spacing) == 0:
        left, right = spacing, spacing
        first = last = spacing
    elif operands.shape(spacing) == (length,):
        steps = spacing[1:] - spacing[:-1]
        wide = [1] * operands.ndim(f)
        wide[axis] = length - 1
        steps = reshaping.reshape(steps, wide)
        first, last = (lax.index_in_dim(steps, i, axis) for i in (0, length - 2))
        left = lax.slice_in_dim(steps, 0, length - 2, axis=axis)
        right = lax.slice_in_dim(steps, 1, length - 1, axis=axis)
    else:
        raise operands.value_error(
            "gradient",
            "the points do not fit the axis.",
            [("points", operands.type_name(spacing)), ("size", str(length))],
            "There is one point for each element along the axis.",
        )

    def part(start, stop):
        return lax.slice_in_dim(f, start, stop, axis=axis)

    inside = _central(part, left, right, length, operands.ndim(spacing) == 0)
    return joining_splitting.concatenate(
        [
            (part(1, 2) - part(0, 1)) / first,
            inside,
            (part(length - 1, length) - part(length - 2, length - 1)) / last,
        ],
        axis,
    )


def _central(part, left, right, length, is_even):
    """The slope of the parabola through three neighbours."""
    before, here, after = (part(i, length - 2 + i) for i in range(3))
    if is_even:
        return (after - before) * 0.5 / left
    share = left / (left + right)
    return share * (after - here) / right + (1 - share) * (here - before) / left


def unwrap(
    p: ArrayLike, discont: Any = None, axis: int = -1, period: Any = 2 * np.pi
) -> Array:
    """Angles without jumps: multiples of the period are added along an axis.

    Args:
        p: array.
        discont: how large a step must be to count as a jump; default: half a period.
        axis: the axis.
        period: the period.

    Returns:
        Array of the shape of `p`, of the dtype to which `p` and `period` promote.

    Raises:
        TypeError: `p` is complex or no array. ValueError: the axis is out of bounds.
    """
    is_known = isinstance(period, (int, float))
    return (_unwrap_known if is_known else _unwrap)(p, discont, axis, period)


def _unwrap(p, discont, axis, period):
    p = operands.ensure_arraylike("unwrap", p)
    if operands.kind_of(p) == "c":
        raise operands.value_error(
            "unwrap",
            "complex numbers have no order.",
            [("p", operands.type_name(p))],
            ways="For their phases: jnp.unwrap(jnp.angle(p)).",
        )
    p = (
        p
        if operands.kind_of(p) in "iu" and isinstance(period, int)
        else operands.promote_dtypes_inexact(p)[0]
    )
    axis = operands.canonical_axis("unwrap", axis, operands.ndim(p))
    moved = reshaping.moveaxis(p, axis, -1)
    steps = moved[..., 1:] - moved[..., :-1]
    half = period / 2 if operands.kind_of(moved) == "f" else period // 2
    wrapped = (steps + half) % period - half
    wrapped = selection.where((wrapped == -half) & (steps > 0), half, wrapped)
    jumps = wrapped - steps
    limit = half if discont is None else discont
    jumps = selection.where(elementwise.absolute(steps) < limit, 0, jumps)
    added = jumps.cumsum(-1)
    result = joining_splitting.concatenate((moved[..., :1], moved[..., 1:] + added), -1)
    return reshaping.moveaxis(result, -1, axis)


_unwrap_known = jit(_unwrap, static_argnums=(2, 3))


traceback_filter.hide_frames(globals())
