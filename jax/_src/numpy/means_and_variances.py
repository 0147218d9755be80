"""Means, averages, variances and standard deviations along axes."""

import functools as ft
import math
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import (
    arithmetic,
    lax_api as lax,
    operands,
    reductions,
    weighting,
)
from jax._src.numpy.jit_wrapper import jit

Array = operands.Array
ArrayLike = operands.ArrayLike
Axis = Any


def _count(x, axes, where, dtype):
    """How many elements each result is made of."""
    if where is None:
        return math.prod(operands.shape(x)[axis] for axis in axes)
    mask = operands.broadcast_to(
        where,
        operands.broadcast_shapes("mean", operands.shape(x), operands.shape(where)),
    )
    return reductions.sum(mask, axis=axes, dtype=dtype)


def _mean_dtypes(name, a, dtype):
    """The dtype to compute a mean in, and that of the result."""
    if dtype is None:
        result = dtypes.canonicalize_dtype(
            dtypes.to_inexact_dtype(operands.dtype_of(a))
        )
        return (np.dtype(np.float32) if result in reductions.NARROW else result), result
    result = operands.user_dtype(name, dtype)
    is_chosen = name == "mean" or result not in reductions.NARROW
    return (result if is_chosen else np.dtype(np.float32)), result


@ft.partial(jit, static_argnames=("axis", "dtype", "keepdims"))
def mean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """The arithmetic mean along axes, a float; NaN of no elements.

    Args:
        a: array.
        axis: axis or axes to reduce; None means all.
        dtype: the dtype of the result; default: a float.
        out: not supported.
        keepdims: whether reduced axes stay, with size 1.
        where: mask of the elements to include.

    Returns:
        Array without the axes; integers and booleans become floats, other dtypes stay.

    Raises:
        ValueError: an axis is out of bounds or named twice. TypeError: `a` is no array
            or number, or `dtype` boolean. NotImplementedError: `out` is given.

    Examples:
        >>> jnp.mean(jnp.array([1, 2, 6]))
        Array(3., dtype=float32)
    """
    operands.refuse_out("mean", out)
    a = operands.ensure_arraylike("mean", a)
    computed, result = _mean_dtypes("mean", a, dtype)
    if operands.kind(result) == "b":
        raise operands.type_error(
            "mean",
            "booleans cannot be divided.",
            [("a", operands.type_name(a)), ("dtype", str(result))],
            ways="For the share of elements that are true: leave dtype out.",
        )
    axes = reductions.reduced_axes("mean", axis, a)
    total = reductions.sum(
        operands.convert(a, computed), axes, computed, keepdims=keepdims, where=where
    )
    count = _count(a, axes, where, computed)
    if where is not None and keepdims:
        count = reductions.keep_axes(count, axes, True)
    return operands.convert(_divide(total, count), result)


def _divide(total, count):
    """Divides by a count; integers, which a `dtype` may ask for, divide as integers."""
    return lax.div(total, _count_like(count, total))


@ft.partial(jit, static_argnames=("axis", "dtype", "ddof", "keepdims", "correction"))
def var(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: int | float | None = None,
) -> Array:
    """The variance along axes, a real float.

    Args:
        a: array.
        axis: axis or axes to reduce; None means all.
        dtype: the dtype of the result, of integers the float that goes with them;
            default: a real float.
        out: not supported.
        ddof: taken from the number of elements before dividing by it.
        keepdims: whether reduced axes stay, with size 1.
        where: mask of the elements to include.
        mean: the mean, if it is known, with reduced axes of size 1.
        correction: another name of `ddof`.

    Raises:
        ValueError: both `ddof` and `correction` are given.
        TypeError: `a` is no array or number. NotImplementedError: `out` is given.
        TypeError: `a` is no array or number. NotImplementedError: `out` is given.

    Examples:
        >>> jnp.var(jnp.array([1.0, 2.0, 3.0, 4.0]))
        Array(1.25, dtype=float32)
        >>> jnp.var(jnp.array([1.0, 2.0, 3.0]), ddof=1)
        Array(1., dtype=float32)
    """
    operands.refuse_out("var", out)
    if correction is not None:
        if ddof != 0:
            raise operands.value_error(
                "var", "`ddof` and `correction` are both given.", ways="Pass one."
            )
        ddof = correction
    a = operands.ensure_arraylike("var", a)
    if (
        dtype is not None
        and operands.kind_of(a) == "c"
        and operands.kind(operands.user_dtype("var", dtype)) != "c"
    ):
        raise operands.value_error(
            "var",
            "complex numbers cannot be computed with in a real dtype.",
            [("a", operands.type_name(a)), ("dtype", str(dtype))],
        )
    computed, result = _mean_dtypes("var", a, dtype)
    axes = reductions.reduced_axes("var", axis, a)
    x = operands.convert(a, computed)
    center = (
        _mean_of(x, axes, where) if mean is None else operands.convert(mean, computed)
    )
    centered = lax.sub(*operands.broadcast_arrays("var", x, center))
    if operands.kind_of(centered) == "c":
        squares = lax.real(lax.mul(centered, lax.conj(centered)))
        result = result if dtype is not None else dtypes.to_floating_dtype(result)
    else:
        squares = lax.square(centered)
        result = dtypes.canonicalize_dtype(dtypes.to_inexact_dtype(result))
    total = reductions.sum(squares, axis=axes, keepdims=keepdims, where=where)
    count = _count(a, axes, where, operands.dtype_of(squares))
    if where is not None and keepdims:
        count = reductions.keep_axes(count, axes, True)
    degrees = arithmetic.subtract(count, ddof) if where is not None else count - ddof
    return operands.convert(_divide_or_nan(total, degrees), result)


def _mean_of(x, axes, where):
    total = reductions.sum(
        x, axis=axes, dtype=operands.dtype_of(x), keepdims=True, where=where
    )
    count = _count(x, axes, where, operands.dtype_of(x))
    if where is not None:
        count = reductions.keep_axes(count, axes, True)
    return _divide(total, count)


def _count_like(count, total):
    """A count as an array like `total`; it may be too large for an int32."""
    dtype = operands.dtype_of(total)
    if isinstance(count, int) and dtypes.issubdtype(dtype, np.inexact):
        count = float(count)
    return operands.broadcast_to(operands.convert(count, dtype), operands.shape(total))


def _divide_or_nan(total, degrees):
    """The quotient, NaN where there are no degrees of freedom."""
    total, degrees = lax.alike("divide", total, _count_like(degrees, total))
    enough = lax.gt(degrees, lax.full_like(degrees, 0))
    safe = lax.select(enough, degrees, lax.full_like(degrees, 1))
    return lax.select(enough, lax.div(total, safe), lax.full_like(total, np.nan))


@ft.partial(jit, static_argnames=("axis", "dtype", "ddof", "keepdims", "correction"))
def std(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: int | float | None = None,
) -> Array:
    """The standard deviation: the square root of the variance.

    The arguments are those of `jax.numpy.var`, and so are shape and dtype of the
    result.

    Raises:
        ValueError: `dtype` is neither floating-point nor complex; and as
            `jax.numpy.var`.

    Examples:
        >>> jnp.std(jnp.array([[1.0, 3.0], [2.0, 8.0]]), axis=1)
        Array([1., 3.], dtype=float32)
    """
    operands.refuse_out("std", out)
    a = operands.ensure_arraylike("std", a)
    _, result = _mean_dtypes("std", a, dtype)
    if operands.kind(result) not in "fc":
        raise operands.value_error(
            "std",
            "the result cannot have this dtype.",
            [("dtype", str(result))],
            "A square root is a floating-point or complex number.",
        )
    wide = np.float32 if result in reductions.NARROW else dtype
    spread = lax.sqrt(
        var(
            a,
            axis,
            wide,
            None,
            ddof,
            keepdims,
            where=where,
            mean=mean,
            correction=correction,
        )
    )
    return operands.convert(spread, result) if result in reductions.NARROW else spread


@ft.partial(jit, static_argnames=("axis", "returned", "keepdims"))
def average(
    a: ArrayLike,
    axis: Axis = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    keepdims: bool = False,
) -> Array | tuple[Array, Array]:
    """The weighted mean along axes.

    Args:
        a: array.
        axis: axis or axes to reduce; None means all.
        weights: of the shape of `a`, or of its sizes along the axes in their order.
        returned: whether the sum of weights is returned too.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        Array without the axes, of the inexact dtype to which `a` and `weights` promote;
        with `returned` a pair with the sums of weights, of its shape and dtype.

    Raises:
        ValueError: the weights do not fit, or an axis is out of bounds. TypeError: `a`
            is no array or number.

    Examples:
        >>> jnp.average(jnp.array([1.0, 2.0]), weights=jnp.array([3.0, 1.0]))
        Array(1.25, dtype=float32)
    """
    a = operands.ensure_arraylike("average", a)
    if weights is None:
        result = mean(a, axis=axis, keepdims=keepdims)
        count = math.prod(
            operands.shape(a)[i] for i in reductions.reduced_axes("average", axis, a)
        )
        total = lax.full_like(result, count)
        return (result, total) if returned else result
    weights = operands.ensure_arraylike("average", weights)
    a, weights = operands.promote_dtypes_inexact(a, weights)
    if operands.shape(weights) != operands.shape(a):
        weights = weighting.along_axes("average", a, weights, axis)
    total = reductions.sum(weights, axis=axis, keepdims=keepdims)
    result = lax.div(
        reductions.sum(lax.mul(a, weights), axis=axis, keepdims=keepdims), total
    )
    return (result, total) if returned else result


traceback_filter.hide_frames(globals())
