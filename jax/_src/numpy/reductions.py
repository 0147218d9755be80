"""Reductions: many elements to one, along axes."""

from __future__ import annotations

import builtins
import functools as ft
import inspect
import math
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter, util
from jax._src.numpy import (
    arithmetic,
    elementwise,
    lax_api as lax,
    operands as op,
    weighting,
)
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike
Axis = Any

# A float of these is added up in 32 bits, as are the means.
_NARROW = (np.dtype(np.float16), np.dtype(dtypes.bfloat16))
_static = ft.partial(
    jit, static_argnames=("axis", "dtype", "keepdims", "promote_integers")
)


def _axes(name, axis, x):
    """The axes to reduce. An axis of a scalar may be 0 or -1, as NumPy has it."""
    is_number = isinstance(axis, int | np.integer)
    if op.ndim(x) == 0 and is_number and axis in (0, -1):
        return ()
    return op.canonical_axes(name, axis, op.ndim(x))


def _keep(x, axes, keepdims):
    """Puts axes of size 1 where axes were reduced."""
    return lax.expand_dims(x, axes) if keepdims and axes else x


def _masked(name, x, where, neutral):
    """`x` with the neutral element where the mask is false."""
    if where is None:
        return x
    mask, common = _mask(name, x, where)
    x, mask = op.broadcast_to(x, common), op.broadcast_to(mask, common)
    return lax.select(mask, x, lax.full_like(x, neutral))


def check_options(name: str, x: Array, axis: Axis, where: ArrayLike | None) -> None:
    """Raises what a reduction would, in the name of the function that was called.

    Scalars have no axes here: the functions that ask are not NumPy's.

    Raises:
        ValueError: an axis is out of bounds or named twice, or the mask does not fit.
        TypeError: an axis is no whole number.
    """
    op.canonical_axes(name, axis, op.ndim(x))
    if where is not None:
        _mask(name, x, where)


def _mask(name, x, where):
    """The mask, and the shape that it has in common with the array."""
    mask = op.ensure_arraylike(name, where)
    if op.kind_of(mask) != "b":
        raise ValueError(
            op.explain(
                name,
                "where must be None or a boolean array.",
                [("where", op.type_name(mask))],
                "A mask is an array of booleans.",
                "Compare first: where=mask != 0.",
            )
        )
    return mask, op.broadcast_shapes(name, op.shape(x), op.shape(mask))


def _check_initial(name, initial, x, axes, where):
    """min and max have no neutral element: the user supplies one where it is needed."""
    if where is not None and initial is None:
        raise ValueError(
            op.explain(
                name,
                f"reduction operation {name} does not have an identity, so to use a "
                "where mask one has to specify 'initial'.",
                rule="A row that is masked entirely has no extreme.",
                ways="Pass initial=, the result of such a row.",
            )
        )
    if initial is None and builtins.any(op.shape(x)[axis] == 0 for axis in axes):
        raise ValueError(
            op.explain(
                name,
                "an axis to reduce is empty.",
                [("a", op.type_name(x)), ("axis", str(axes))],
                "No elements have no extreme.",
                "Pass initial=, the result in that case.",
            )
        )


def _combine_initial(x, initial, combine):
    if initial is None:
        return x
    initial = op.ensure_arraylike("reduction", initial)
    if op.ndim(initial):
        raise ValueError(
            op.explain(
                "reduction",
                "initial value must be a scalar.",
                [("initial", op.type_name(initial))],
            )
        )
    return combine(x, op.convert(initial, op.dtype_of(x)))


def _sum_dtype(name, a, dtype, promote_integers):
    """The dtype of a sum: small integers widen to the default one."""
    if dtype is not None:
        return op.user_dtype(name, dtype)
    found = op.dtype_of(a)
    letter = op.kind(found)
    if letter == "b":
        return dtypes.default_int_dtype()
    if promote_integers and letter in "iu":
        default = (
            dtypes.default_int_dtype() if letter == "i" else dtypes.default_uint_dtype()
        )
        if dtypes.iinfo(found).bits < dtypes.iinfo(default).bits:
            return default
    return found


def _accumulate(x, axes, reduce, dtype):
    """Reduces 16-bit floats in 32 bits unless `dtype` is given; the result goes back."""
    found = op.dtype_of(x)
    if dtype is None and found in _NARROW:
        return op.convert(reduce(op.convert(x, np.float32), axes), found)
    return reduce(x, axes)


@_static
def sum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    promote_integers: bool = True,
) -> Array:
    """The sum of elements along axes.

    Args:
        a: array.
        axis: axis or axes to add up; None means all.
        dtype: the dtype to add in; default: that of `a`, small integers widened.
        out: not supported.
        keepdims: whether reduced axes stay, with size 1.
        initial: added to each sum.
        where: mask of the elements to include.
        promote_integers: whether small integers widen to the default integer dtype.

    Returns:
        Array without the axes; booleans and integers narrower than the default are
        added in the default integer dtype, other dtypes stay.

    Raises:
        ValueError: an axis is out of bounds or named twice. TypeError: `a` is no array
            or number. NotImplementedError: `out` is given.

    Examples:
        >>> jnp.sum(jnp.array([[1, 2], [3, 4]]), axis=0)
        Array([4, 6], dtype=int32)
    """
    op.refuse_out("sum", out)
    a = op.ensure_arraylike("sum", a)
    axes = _axes("sum", axis, a)
    x = op.convert(a, _sum_dtype("sum", a, dtype, promote_integers))
    x = _masked("sum", x, where, 0)
    if op.kind_of(x) == "b":
        total = lax.reduce_or(x, axes)
        return _keep(_combine_initial(total, initial, lax.bitwise_or), axes, keepdims)
    total = _accumulate(x, axes, lax.reduce_sum, dtype)
    return _keep(_combine_initial(total, initial, lax.add), axes, keepdims)


@_static
def prod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    promote_integers: bool = True,
) -> Array:
    """The product of elements along axes; 1 of no elements.

    The arguments are those of `jax.numpy.sum`, with its dtypes; `initial` multiplies.
    """
    op.refuse_out("prod", out)
    a = op.ensure_arraylike("prod", a)
    axes = _axes("prod", axis, a)
    x = op.convert(a, _sum_dtype("prod", a, dtype, promote_integers))
    x = _masked("prod", x, where, 1)
    if op.kind_of(x) == "b":
        total = lax.reduce_and(x, axes)
        return _keep(_combine_initial(total, initial, lax.bitwise_and), axes, keepdims)
    total = _accumulate(x, axes, lax.reduce_prod, dtype)
    return _keep(_combine_initial(total, initial, lax.mul), axes, keepdims)


def sum_dtype(name, a):
    """The dtype in which `jax.numpy.sum` adds up."""
    return _sum_dtype(name, a, None, True)


def lowest(dtype):
    """The lowest value of a dtype: minus infinity where there is one."""
    return _limit(dtype, -np.inf, "min")


def highest(dtype):
    """The highest value of a dtype: infinity where there is one."""
    return _limit(dtype, np.inf, "max")


def _limit(dtype, infinity, end):
    letter = op.kind(dtype)
    if letter == "b":
        return end == "max"
    if letter in "iu":
        return getattr(dtypes.iinfo(dtype), end)
    if dtypes.supports_inf(dtype):
        return np.asarray(infinity, dtype)[()]
    return getattr(dtypes.finfo(dtype), end)


def _extreme(name, a, axis, keepdims, initial, where, reduce, combine, neutral):
    a = op.ensure_numbers(name, a)
    a = op.strong(a)
    axes = _axes(name, axis, a)
    _check_initial(name, initial, a, axes, where)
    x = _masked(name, a, where, neutral(op.dtype_of(a)))
    result = reduce(x, axes)
    return _keep(_combine_initial(result, initial, combine), axes, keepdims)


@ft.partial(jit, static_argnames=("axis", "keepdims"))
def max(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The largest element along axes; NaN where there is one.

    Args:
        a: array.
        axis: axis or axes to reduce; None means all.
        out: not supported.
        keepdims: whether reduced axes stay, with size 1.
        initial: the least result; needed where nothing is left to compare.
        where: mask of the elements to include.

    Returns:
        Array without the axes, of the dtype of `a`; complex numbers go by real parts
        first.

    Raises:
        ValueError: an axis is out of bounds; one is empty, or `where` is given, without
            `initial`. TypeError: `a` is no array or number.
        NotImplementedError: `out` is given.

    Examples:
        >>> jnp.max(jnp.array([[1, 5], [7, 2]]), axis=1)
        Array([5, 7], dtype=int32)
    """
    op.refuse_out("max", out)
    return _extreme(
        "max", a, axis, keepdims, initial, where, lax.reduce_max, lax.max, lowest
    )


@ft.partial(jit, static_argnames=("axis", "keepdims"))
def min(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The smallest element along axes; NaN where there is one.

    The arguments are those of `jax.numpy.max`, with `initial` the largest result; so
    are dtypes.
    """
    op.refuse_out("min", out)
    return _extreme(
        "min", a, axis, keepdims, initial, where, lax.reduce_min, lax.min, highest
    )


def _alias(function, name):
    """Returns a function under an older name."""

    def alias(*args, **kwargs):
        return function(*args, **kwargs)

    alias.__name__ = alias.__qualname__ = name
    alias.__signature__ = inspect.signature(function)
    alias.__doc__ = f"Alias of `jax.numpy.{function.__name__}`, with the same shapes, dtypes and errors."
    return alias


amax = _alias(max, "amax")
amin = _alias(min, "amin")


@ft.partial(jit, static_argnames=("axis", "keepdims"))
def all(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Whether all elements along axes are true.

    Args:
        a: array; numbers count as true unless zero.
        axis: axis or axes to reduce; None means all.
        out: not supported.
        keepdims: whether reduced axes stay, with size 1.
        where: mask of the elements to include.

    Returns:
        Array of booleans without the axes; true of no elements.

    Raises:
        ValueError: an axis is out of bounds or named twice. TypeError: `a` is no array
            or number. NotImplementedError: `out` is given.
    """
    op.refuse_out("all", out)
    x = op.strong(elementwise.as_boolean(op.ensure_arraylike("all", a)))
    axes = _axes("all", axis, x)
    return _keep(lax.reduce_and(_masked("all", x, where, True), axes), axes, keepdims)


@ft.partial(jit, static_argnames=("axis", "keepdims"))
def any(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Whether one element along axes is true; false of no elements.

    The arguments are those of `jax.numpy.all`; the result is an array of booleans too.
    """
    op.refuse_out("any", out)
    x = op.strong(elementwise.as_boolean(op.ensure_arraylike("any", a)))
    axes = _axes("any", axis, x)
    return _keep(lax.reduce_or(_masked("any", x, where, False), axes), axes, keepdims)


def _count(x, axes, where, dtype):
    """How many elements each result is made of."""
    if where is None:
        return math.prod(op.shape(x)[axis] for axis in axes)
    mask = op.broadcast_to(
        where, op.broadcast_shapes("mean", op.shape(x), op.shape(where))
    )
    return sum(mask, axis=axes, dtype=dtype)


def _mean_dtypes(name, a, dtype):
    """The dtype to compute a mean in, and that of the result."""
    if dtype is None:
        result = dtypes.canonicalize_dtype(dtypes.to_inexact_dtype(op.dtype_of(a)))
        return (np.dtype(np.float32) if result in _NARROW else result), result
    result = op.user_dtype(name, dtype)
    is_chosen = name == "mean" or result not in _NARROW
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
    op.refuse_out("mean", out)
    a = op.ensure_arraylike("mean", a)
    computed, result = _mean_dtypes("mean", a, dtype)
    if op.kind(result) == "b":
        raise TypeError(
            op.explain(
                "mean",
                "booleans cannot be divided.",
                [("a", op.type_name(a)), ("dtype", str(result))],
                ways="For the share of elements that are true: leave dtype out.",
            )
        )
    axes = _axes("mean", axis, a)
    total = sum(op.convert(a, computed), axes, computed, keepdims=keepdims, where=where)
    count = _count(a, axes, where, computed)
    if where is not None and keepdims:
        count = _keep(count, axes, True)
    return op.convert(_divide(total, count), result)


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
    """
    op.refuse_out("var", out)
    if correction is not None:
        if ddof != 0:
            raise ValueError(
                op.explain(
                    "var", "`ddof` and `correction` are both given.", ways="Pass one."
                )
            )
        ddof = correction
    a = op.ensure_arraylike("var", a)
    if (
        dtype is not None
        and op.kind_of(a) == "c"
        and op.kind(op.user_dtype("var", dtype)) != "c"
    ):
        raise ValueError(
            op.explain(
                "var",
                "complex numbers cannot be computed with in a real dtype.",
                [("a", op.type_name(a)), ("dtype", str(dtype))],
            )
        )
    computed, result = _mean_dtypes("var", a, dtype)
    axes = _axes("var", axis, a)
    x = op.convert(a, computed)
    center = _mean_of(x, axes, where) if mean is None else op.convert(mean, computed)
    centered = lax.sub(*op.broadcast_arrays("var", x, center))
    if op.kind_of(centered) == "c":
        squares = lax.real(lax.mul(centered, lax.conj(centered)))
        result = result if dtype is not None else dtypes.to_floating_dtype(result)
    else:
        squares = lax.square(centered)
        result = dtypes.canonicalize_dtype(dtypes.to_inexact_dtype(result))
    total = sum(squares, axis=axes, keepdims=keepdims, where=where)
    count = _count(a, axes, where, op.dtype_of(squares))
    if where is not None and keepdims:
        count = _keep(count, axes, True)
    degrees = arithmetic.subtract(count, ddof) if where is not None else count - ddof
    return op.convert(_divide_or_nan(total, degrees), result)


def _mean_of(x, axes, where):
    total = sum(x, axis=axes, dtype=op.dtype_of(x), keepdims=True, where=where)
    count = _count(x, axes, where, op.dtype_of(x))
    if where is not None:
        count = _keep(count, axes, True)
    return _divide(total, count)


def _count_like(count, total):
    """A count as an array like `total`; it may be too large for an int32."""
    dtype = op.dtype_of(total)
    if isinstance(count, int) and dtypes.issubdtype(dtype, np.inexact):
        count = float(count)
    return op.broadcast_to(op.convert(count, dtype), op.shape(total))


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
    """
    op.refuse_out("std", out)
    a = op.ensure_arraylike("std", a)
    _, result = _mean_dtypes("std", a, dtype)
    if op.kind(result) not in "fc":
        raise ValueError(
            op.explain(
                "std",
                "the result cannot have this dtype.",
                [("dtype", str(result))],
                "A square root is a floating-point or complex number.",
            )
        )
    wide = np.float32 if result in _NARROW else dtype
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
    return op.convert(spread, result) if result in _NARROW else spread


@ft.partial(jit, static_argnames=("axis", "keepdims"))
def ptp(
    a: ArrayLike, axis: Axis = None, out: None = None, keepdims: bool = False
) -> Array:
    """The distance from the smallest to the largest element along axes.

    Args:
        a: array of numbers, not of booleans.
        axis: axis or axes to reduce; None means all.
        out: not supported.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        Array without the axes, of the dtype of `a`.

    Raises:
        ValueError: an axis is out of bounds or empty. TypeError: `a` is boolean or no
            array. NotImplementedError: `out` is given.
    """
    op.refuse_out("ptp", out)
    a = op.ensure_arraylike("ptp", a)
    if op.kind_of(a) == "b":
        raise TypeError(
            op.explain(
                "ptp",
                "booleans have no differences.",
                [("a", op.type_name(a))],
                ways="Convert them: a.astype(int).",
            )
        )
    options = ("ptp", a, util.reusable(axis), keepdims, None, None)
    return lax.sub(
        _extreme(*options, lax.reduce_max, lax.max, lowest),
        _extreme(*options, lax.reduce_min, lax.min, highest),
    )


@ft.partial(jit, static_argnames=("axis", "keepdims"))
def count_nonzero(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:
    """How many elements along axes are not zero.

    Args:
        a: array; NaN counts as nonzero.
        axis: axis or axes to count along; None means all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        Array of the default integer dtype, without the axes.

    Raises:
        ValueError: an axis is out of bounds. TypeError: `a` is no array or number.
    """
    x = elementwise.as_boolean(op.ensure_arraylike("count_nonzero", a))
    return sum(x, axis=axis, dtype=dtypes.default_int_dtype(), keepdims=keepdims)


def _index_of(name, a, axis, keepdims, find):
    a = op.ensure_arraylike(name, a)
    if op.kind_of(a) == "c":
        raise TypeError(
            op.explain(name, "complex numbers have no order.", [("a", op.type_name(a))])
        )
    if axis is None:
        flat, kept = lax.reshape(a, (op.size(a),)), tuple(range(op.ndim(a)))
        axis = 0
    else:
        flat = op.strong_like(a)
        axis = op.canonical_axis(name, axis, op.ndim(a))
        kept = (axis,)
    if op.shape(flat)[axis] == 0:
        raise ValueError(
            op.explain(
                name,
                "the axis is empty.",
                [("a", op.type_name(a)), ("axis", str(axis))],
                "No elements have no extreme.",
            )
        )
    index = find(flat, axis, dtypes.default_int_dtype())
    return lax.expand_dims(index, kept) if keepdims else index


@ft.partial(jit, static_argnames=("axis", "keepdims"))
def argmax(
    a: ArrayLike,
    axis: int | None = None,
    out: None = None,
    keepdims: bool | None = None,
) -> Array:
    """The index of the largest element along an axis; of equal ones, the first.

    Args:
        a: array.
        axis: the axis; None means the flattened array.
        out: not supported.
        keepdims: whether the axis stays, with size 1.

    Returns:
        Array of the default integer dtype, without the axis; NaN counts as largest.

    Raises:
        ValueError: the axis is empty or out of bounds. TypeError: `a` is complex or no
            array. NotImplementedError: `out` is given.

    Examples:
        >>> jnp.argmax(jnp.array([3, 9, 4]))
        Array(1, dtype=int32)
    """
    op.refuse_out("argmax", out)
    return _index_of("argmax", a, axis, keepdims, lax.argmax)


@ft.partial(jit, static_argnames=("axis", "keepdims"))
def argmin(
    a: ArrayLike,
    axis: int | None = None,
    out: None = None,
    keepdims: bool | None = None,
) -> Array:
    """The index of the smallest element along an axis; of equal ones, the first.

    The arguments are those of `jax.numpy.argmax`; the result is an array of integers
    too.
    """
    op.refuse_out("argmin", out)
    return _index_of("argmin", a, axis, keepdims, lax.argmin)


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
    """
    a = op.ensure_arraylike("average", a)
    if weights is None:
        result = mean(a, axis=axis, keepdims=keepdims)
        count = math.prod(op.shape(a)[i] for i in _axes("average", axis, a))
        total = lax.full_like(result, count)
        return (result, total) if returned else result
    weights = op.ensure_arraylike("average", weights)
    a, weights = op.promote_dtypes_inexact(a, weights)
    if op.shape(weights) != op.shape(a):
        weights = weighting.along_axes("average", a, weights, axis)
    total = sum(weights, axis=axis, keepdims=keepdims)
    result = lax.div(sum(lax.mul(a, weights), axis=axis, keepdims=keepdims), total)
    return (result, total) if returned else result


traceback_filter.hide_frames(globals())
