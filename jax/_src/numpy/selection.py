"""Choosing elements by condition, and where conditions hold."""

from __future__ import annotations

import functools as ft
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core import state
from jax._src.numpy import (
    elementwise,
    lax_api as lax,
    operands as op,
    reshaping,
)
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike


@jit
def _where(condition, x, y):
    condition, x, y = op.ensure_arraylike("where", condition, x, y)
    x, y = op.promote_dtypes(x, y)
    condition = elementwise.as_boolean(condition)
    shape = op.broadcast_shapes("where", op.shape(condition), op.shape(x), op.shape(y))
    condition, x, y = (op.broadcast_to(part, shape) for part in (condition, x, y))
    return lax.select(*lax.alike("where", condition, x, y))


def where(
    condition: ArrayLike,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    /,
    *,
    size: int | None = None,
    fill_value: Any = None,
) -> Any:
    """Elements of `x` where a condition is true, else of `y`.

    Args:
        condition: array; numbers count as true unless zero.
        x: array; without `x` and `y`, the result is that of `jax.numpy.nonzero`.
        y: array.
        size: for `nonzero`.
        fill_value: for `nonzero`.

    Raises:
        TypeError: just one of `x` and `y` is given. ValueError: `size` with both.

    Examples:
        >>> jnp.where(jnp.array([True, False]), jnp.array([1, 2]), 0)
        Array([1, 0], dtype=int32)
    """
    if x is None and y is None:
        return nonzero(condition, size=size, fill_value=fill_value)
    if x is None or y is None:
        raise op.type_error(
            "where", "one of `x` and `y` is missing.", rule="They go together."
        )
    if size is not None or fill_value is not None:
        raise ValueError(
            "jnp.where: `size` and `fill_value` need `x` and `y` left out."
        )
    return _where(condition, x, y)


def select(
    condlist: Sequence[ArrayLike],
    choicelist: Sequence[ArrayLike],
    default: ArrayLike = 0,
) -> Array:
    """For each position, the choice whose condition is the first true one.

    Args:
        condlist: conditions.
        choicelist: as many arrays.
        default: where no condition is true.

    Raises:
        ValueError: the numbers differ, or there are none.
        TypeError: a condition is not boolean.

    Examples:
        >>> x = jnp.arange(4)
        >>> jnp.select([x < 1, x > 2], [-x, 10 * x], 5)
        Array([ 0,  5,  5, 30], dtype=int32)
    """
    if len(condlist) != len(choicelist) or not len(condlist):
        raise op.value_error(
            "select",
            "there is not one choice per condition.",
            [("conditions", str(len(condlist))), ("choices", str(len(choicelist)))],
        )
    conditions = [
        elementwise.as_boolean(op.ensure_arraylike("select", c)) for c in condlist
    ]
    *choices, result = op.promote_dtypes(
        *(op.ensure_arraylike("select", c) for c in (*choicelist, default))
    )
    for condition, choice in zip(conditions[::-1], choices[::-1], strict=True):
        result = where(condition, choice, result)
    return result


@jit
def clip(
    arr: ArrayLike | None = None,
    /,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
) -> Array:
    """Elements brought into a range.

    Args:
        arr: array.
        min: the lower bound, None for none.
        max: the upper bound; it wins where it is below the lower one.

    Raises:
        ValueError: an argument is complex.

    Examples:
        >>> jnp.clip(jnp.array([-2, 0, 9]), -1, 5)
        Array([-1,  0,  5], dtype=int32)
    """
    if arr is None:
        raise ValueError("jnp.clip: the array is missing.")
    arr = op.ensure_arraylike("clip", arr)
    bounds = [op.ensure_arraylike("clip", b) for b in (min, max) if b is not None]
    if any(op.kind_of(x) == "c" for x in (arr, *bounds)):
        raise op.value_error(
            "clip",
            "complex numbers have no order.",
            [("arr", op.type_name(arr))],
            ways="Clip the parts: lax.complex(jnp.clip(x.real, a, b), …).",
        )
    return _clip(arr, min, max)


@jit
def _clip(arr, low, high):
    if low is not None:
        arr = lax.max(*op.promote_args("clip", low, arr))
    if high is not None:
        arr = lax.min(*op.promote_args("clip", high, arr))
    return op.strong_like(arr)


def nonzero(
    a: ArrayLike, *, size: int | None = None, fill_value: Any = None
) -> tuple[Array, ...]:
    """The positions of elements other than zero, one array per axis.

    Args:
        a: array.
        size: how many positions to return, needed when `a` is traced; missing ones are
            filled, surplus ones left out.
        fill_value: the position that fills; default: 0.

    Returns:
        A tuple of vectors of the default integer dtype.

    Raises:
        ConcretizationTypeError: `a` is traced and `size` is not given. ValueError: `a`
            is a scalar, or `fill_value` does not fit.
        TypeError: `a` is no array or number.

    Examples:
        >>> jnp.nonzero(jnp.array([0, 5, 0, 7]))
        (Array([1, 3], dtype=int32),)
    """
    a = op.ensure_arraylike("nonzero", a)
    if not op.ndim(a):
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use jnp.atleast_1d(x).nonzero() "
            "instead."
        )
    if size is None:
        size = int(np.count_nonzero(op.concrete("nonzero", "a", a)))
    return _nonzero(a, operator.index(size), _fills(fill_value, op.ndim(a)))


def _fills(fill_value, rank):
    if fill_value is None:
        return (0,) * rank
    fills = fill_value if isinstance(fill_value, tuple) else (fill_value,) * rank
    if len(fills) != rank or any(op.ndim(fill) for fill in fills):
        raise op.value_error(
            "nonzero",
            "the fill value does not fit.",
            [("fill_value", repr(fill_value)[:60]), ("axes", str(rank))],
            "It is a number, or a tuple of one number for each axis.",
        )
    return fills


@ft.partial(jit, static_argnums=(1,))
def _nonzero(a, size, fills):
    found = dtypes.default_int_dtype()
    mask = reshaping.ravel(elementwise.as_boolean(a))
    count = op.size(mask)
    if not count or not size:
        return tuple(
            op.broadcast_to(op.promote_dtypes(f, np.zeros((), found))[0], (size,))
            for f in fills
        )
    rank = lax.cumsum(op.convert(mask, found))
    total = lax.index_in_dim(rank, count - 1, keepdims=False)
    # The k-th true element goes to position k; false ones are dropped.
    targets = lax.select(
        mask, lax.sub(rank, lax.full_like(rank, 1)), lax.full_like(rank, size)
    )
    numbers = lax.ScatterDimensionNumbers(
        update_window_dims=(),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
    )
    with state.scope(state.OUT_OF_BOUNDS_IS_DEFINED):
        flat = lax.scatter(
            lax.full((size,), 0, found),
            lax.expand_dims(targets, (1,)),
            lax.iota(found, count),
            numbers,
            mode=lax.GatherScatterMode.FILL_OR_DROP,
        )
    is_real = lax.lt(lax.iota(found, size), op.broadcast_to(total, (size,)))
    results = []
    stride = count
    for n, fill in zip(op.shape(a), fills, strict=True):
        stride //= n
        position = lax.rem(
            lax.div(flat, lax.full_like(flat, stride)), lax.full_like(flat, n)
        )
        position, fill = op.promote_dtypes(position, fill)
        results.append(lax.select(is_real, position, op.broadcast_to(fill, (size,))))
    return tuple(results)


def flatnonzero(
    a: ArrayLike, *, size: int | None = None, fill_value: Any = None
) -> Array:
    """The positions of the flattened array that are not zero.

    The arguments are those of `jax.numpy.nonzero`, and so are errors.

    Returns:
        Vector of the default integer dtype.
    """
    return nonzero(reshaping.ravel(a), size=size, fill_value=fill_value)[0]


def argwhere(a: ArrayLike, *, size: int | None = None, fill_value: Any = None) -> Array:
    """The positions of elements other than zero, one row each.

    The arguments are those of `jax.numpy.nonzero`, and so are errors.

    Returns:
        Matrix of the default integer dtype, with a column for each axis of `a`.
    """
    a = op.ensure_arraylike("argwhere", a)
    if not op.ndim(a):
        rows = nonzero(lax.reshape(a, (1,)), size=size, fill_value=fill_value)[0]
        return lax.full((op.size(rows), 0), 0, op.dtype_of(rows))
    columns = nonzero(a, size=size, fill_value=fill_value)
    return lax.concatenate([lax.expand_dims(c, (1,)) for c in columns], 1)


def piecewise(
    x: ArrayLike, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any
) -> Array:
    """For each element the function, or value, of the last condition that is true.

    Args:
        x: array.
        condlist: conditions that broadcast to the shape of `x`.
        funclist: functions or values, one per condition; one more is the default.
        args: further arguments of the functions.
        kw: further keyword arguments of the functions.

    Returns:
        Array of the shape and dtype of `x`; values of another dtype are converted to
        it.

    Raises:
        ValueError: the numbers of conditions and functions do not fit, or a condition
            does not broadcast.
        TypeError: `x` or `condlist` is no array or number.
    """
    x = op.ensure_arraylike("piecewise", x)
    conditions = (
        list(condlist)
        if isinstance(condlist, (list, tuple))
        else list(reshaping.unstack(condlist))
    )
    if conditions and isinstance(conditions[0], (bool, np.bool_)):
        if op.shape(x) == (len(conditions),) and len(funclist) < len(conditions):
            conditions = [conditions]
    functions = list(funclist)
    if len(functions) == len(conditions):
        functions.append(0)
    if len(functions) != len(conditions) + 1:
        raise op.value_error(
            "piecewise",
            "there is not one function per condition.",
            [
                ("conditions", str(len(conditions))),
                ("functions", str(len(functions))),
            ],
            "One more function than conditions is the default.",
        )
    values = [f(x, *args, **kw) if isinstance(f, Callable) else f for f in functions]
    return _pieces(x, [_as_array(c) for c in conditions], values)


@jit
def _pieces(x, conditions, values):
    *values, result = (
        op.broadcast_to(op.convert(value, op.dtype_of(x)), op.shape(x))
        for value in values
    )
    for condition, value in zip(conditions, values, strict=True):
        mask = op.broadcast_to(elementwise.as_boolean(condition), op.shape(x))
        result = lax.select(mask, value, result)
    return result


def _as_array(x):
    return x if op.is_arraylike(x) else np.asarray(x)


traceback_filter.hide_frames(globals())
