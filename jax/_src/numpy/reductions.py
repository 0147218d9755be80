"""Reductions: many elements to one, along axes."""

from __future__ import annotations

import builtins
import functools as ft
import inspect
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter, util
from jax._src.numpy import (
    elementwise,
    lax_api as lax,
    operands as op,
)
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike
Axis = Any

# A float of these is added up in 32 bits, as are the means.
NARROW = (np.dtype(np.float16), np.dtype(dtypes.bfloat16))
_static = ft.partial(
    jit, static_argnames=("axis", "dtype", "keepdims", "promote_integers")
)


def reduced_axes(name, axis, x):
    """The axes to reduce. An axis of a scalar may be 0 or -1, as NumPy has it."""
    is_number = isinstance(axis, int | np.integer)
    if op.ndim(x) == 0 and is_number and axis in (0, -1):
        return ()
    return op.canonical_axes(name, axis, op.ndim(x))


def keep_axes(x, axes, keepdims):
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
        raise op.value_error(
            name,
            "where must be None or a boolean array.",
            [("where", op.type_name(mask))],
            "A mask is an array of booleans.",
            "Compare first: where=mask != 0.",
        )
    return mask, op.broadcast_shapes(name, op.shape(x), op.shape(mask))


def _check_initial(name, initial, x, axes, where):
    """min and max have no neutral element: the user supplies one where it is needed."""
    if where is not None and initial is None:
        raise op.value_error(
            name,
            f"reduction operation {name} does not have an identity, so to use a "
            "where mask one has to specify 'initial'.",
            rule="A row that is masked entirely has no extreme.",
            ways="Pass initial=, the result of such a row.",
        )
    if initial is None and builtins.any(op.shape(x)[axis] == 0 for axis in axes):
        raise op.value_error(
            name,
            "an axis to reduce is empty.",
            [("a", op.type_name(x)), ("axis", str(axes))],
            "No elements have no extreme.",
            "Pass initial=, the result in that case.",
        )


def _combine_initial(x, initial, combine):
    if initial is None:
        return x
    initial = op.ensure_arraylike("reduction", initial)
    if op.ndim(initial):
        raise op.value_error(
            "reduction",
            "initial value must be a scalar.",
            [("initial", op.type_name(initial))],
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
    if dtype is None and found in NARROW:
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
    axes = reduced_axes("sum", axis, a)
    x = op.convert(a, _sum_dtype("sum", a, dtype, promote_integers))
    x = _masked("sum", x, where, 0)
    if op.kind_of(x) == "b":
        total = lax.reduce_or(x, axes)
        return keep_axes(
            _combine_initial(total, initial, lax.bitwise_or), axes, keepdims
        )
    total = _accumulate(x, axes, lax.reduce_sum, dtype)
    return keep_axes(_combine_initial(total, initial, lax.add), axes, keepdims)


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

    Examples:
        >>> jnp.prod(jnp.array([[1, 2], [3, 4]]), axis=1)
        Array([ 2, 12], dtype=int32)
    """
    op.refuse_out("prod", out)
    a = op.ensure_arraylike("prod", a)
    axes = reduced_axes("prod", axis, a)
    x = op.convert(a, _sum_dtype("prod", a, dtype, promote_integers))
    x = _masked("prod", x, where, 1)
    if op.kind_of(x) == "b":
        total = lax.reduce_and(x, axes)
        return keep_axes(
            _combine_initial(total, initial, lax.bitwise_and), axes, keepdims
        )
    total = _accumulate(x, axes, lax.reduce_prod, dtype)
    return keep_axes(_combine_initial(total, initial, lax.mul), axes, keepdims)


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
    axes = reduced_axes(name, axis, a)
    _check_initial(name, initial, a, axes, where)
    x = _masked(name, a, where, neutral(op.dtype_of(a)))
    result = reduce(x, axes)
    return keep_axes(_combine_initial(result, initial, combine), axes, keepdims)


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

    Examples:
        >>> jnp.min(jnp.array([[3, 1], [2, 5]]), axis=0)
        Array([2, 1], dtype=int32)
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

    Examples:
        >>> jnp.all(jnp.array([[True, False], [True, True]]), axis=1)
        Array([False,  True], dtype=bool)
    """
    op.refuse_out("all", out)
    x = op.strong(elementwise.as_boolean(op.ensure_arraylike("all", a)))
    axes = reduced_axes("all", axis, x)
    return keep_axes(
        lax.reduce_and(_masked("all", x, where, True), axes), axes, keepdims
    )


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

    Examples:
        >>> jnp.any(jnp.array([0.0, 2.0, 0.0]) > 1)
        Array(True, dtype=bool)
    """
    op.refuse_out("any", out)
    x = op.strong(elementwise.as_boolean(op.ensure_arraylike("any", a)))
    axes = reduced_axes("any", axis, x)
    return keep_axes(
        lax.reduce_or(_masked("any", x, where, False), axes), axes, keepdims
    )


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

    Examples:
        >>> jnp.ptp(jnp.array([[1, 5], [2, 9]]), axis=1)
        Array([4, 7], dtype=int32)
    """
    op.refuse_out("ptp", out)
    a = op.ensure_arraylike("ptp", a)
    if op.kind_of(a) == "b":
        raise op.type_error(
            "ptp",
            "booleans have no differences.",
            [("a", op.type_name(a))],
            ways="Convert them: a.astype(int).",
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

    Examples:
        >>> jnp.count_nonzero(jnp.array([[0, 1, 2], [0, 0, 3]]), axis=1)
        Array([2, 1], dtype=int32)
    """
    x = elementwise.as_boolean(op.ensure_arraylike("count_nonzero", a))
    return sum(x, axis=axis, dtype=dtypes.default_int_dtype(), keepdims=keepdims)


def _index_of(name, a, axis, keepdims, find):
    a = op.ensure_arraylike(name, a)
    if op.kind_of(a) == "c":
        raise op.type_error(
            name, "complex numbers have no order.", [("a", op.type_name(a))]
        )
    if axis is None:
        flat, kept = lax.reshape(a, (op.size(a),)), tuple(range(op.ndim(a)))
        axis = 0
    else:
        flat = op.strong_like(a)
        axis = op.canonical_axis(name, axis, op.ndim(a))
        kept = (axis,)
    if op.shape(flat)[axis] == 0:
        raise op.value_error(
            name,
            "the axis is empty.",
            [("a", op.type_name(a)), ("axis", str(axis))],
            "No elements have no extreme.",
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

    Examples:
        >>> jnp.argmin(jnp.array([3.0, 1.0, 2.0]))
        Array(1, dtype=int32)
    """
    op.refuse_out("argmin", out)
    return _index_of("argmin", a, axis, keepdims, lax.argmin)


traceback_filter.hide_frames(globals())
