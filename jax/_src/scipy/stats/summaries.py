"""Numbers that describe a sample."""

from __future__ import annotations

import functools as ft
from typing import Any, NamedTuple

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.lax.ops.creation import broadcasted_iota
from jax._src.lax.ops.cumulative import cummax, cummin
from jax._src.numpy import numpy_api as jnp, operands
from jax._src.numpy.jit_wrapper import jit

Array = Any
ArrayLike = Any


class ModeResult(NamedTuple):
    """The most frequent values, and how often they occur."""

    mode: Array
    count: Array


def _check_policy(name: str, policy: str, supported: tuple[str, ...]) -> None:
    if policy in supported:
        return
    known = ("propagate", "omit", "raise")
    error = NotImplementedError if policy in known else ValueError
    if policy == "raise":
        error = ValueError if name.endswith("sem") else NotImplementedError
    raise error(
        operands.explain(
            name,
            "this policy for NaN is not supported.",
            [("nan_policy", repr(policy))],
            f"Supported are {', '.join(map(repr, supported))}.",
        )
    )


def _flat_if_no_axis(x: Array, axis: int | None) -> tuple[Array, int]:
    if axis is None:
        return jnp.ravel(x), 0
    return jnp.atleast_1d(x), axis


def _starts(ordered: Array) -> Array:
    """Where, along the last axis of sorted numbers, a new value begins.

    NaN is one value.
    """
    first = jnp.ones_like(ordered[..., :1], dtype=np.bool_)
    x, y = ordered[..., 1:], ordered[..., :-1]
    differs = (x != y) & ((x == x) | (y == y))
    return jnp.concatenate([first, differs], axis=-1)


@ft.partial(jit, static_argnames=("axis", "nan_policy", "keepdims"))
def mode(
    a: ArrayLike,
    axis: int | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ModeResult:
    """The most frequent value along an axis, the smallest one of several.

    Args:
        a: array.
        axis: the axis; None: the flattened array.
        nan_policy: 'propagate': NaN is a value like others.
        keepdims: whether the axis stays, with size 1.

    Returns:
        A tuple of the values, of the dtype of `a`, and of how often they occur, floats
        or integers; NaN and 0 for no values.

    Raises:
        NotImplementedError: another policy.
        TypeError: `a` is no array or number.
        ValueError: the axis is out of bounds.
    """
    name = "jax.scipy.stats.mode"
    _check_policy(name, nan_policy, ("propagate",))
    x = operands.ensure_arraylike(name, a)
    rank = jnp.ndim(x)
    x, axis = _flat_if_no_axis(x, axis)
    was_flattened = rank != jnp.ndim(x)
    axis = operands.canonical_axis(name, axis, jnp.ndim(x))
    moved = jnp.moveaxis(x, axis, -1)
    integer = dtypes.canonicalize_dtype(np.int64)
    if not jnp.shape(moved)[-1]:
        shape = jnp.shape(moved)[:-1]
        found, most = jnp.full(shape, np.nan), jnp.zeros(shape, integer)
    else:
        ordered = jnp.sort(moved, axis=-1)
        indices = broadcasted_iota(integer, jnp.shape(ordered), ordered.ndim - 1)
        # How far each number is from the first of its value.
        begins = jnp.where(_starts(ordered), indices, 0)
        runs = indices - cummax(begins, axis=begins.ndim - 1)
        best = jnp.argmax(runs, axis=-1, keepdims=True)
        found = jnp.take_along_axis(ordered, best, axis=-1)[..., 0]
        most = jnp.take_along_axis(runs, best, axis=-1)[..., 0] + 1
    if keepdims:
        axes = tuple(range(rank)) if was_flattened else (axis,)
        found, most = (jnp.expand_dims(v, axes) for v in (found, most))
    return ModeResult(found, operands.convert(most, integer))


def rankdata(
    a: ArrayLike,
    method: str = "average",
    *,
    axis: int | None = None,
    nan_policy: str = "propagate",
) -> Array:
    """The ranks of numbers, from 1 on.

    Args:
        a: array.
        method: the rank of equal numbers: 'average', 'min' or 'max' of theirs, 'dense' to
            count distinct numbers, 'ordinal' to give each its own, in order.
        axis: the axis; None: the flattened array.
        nan_policy: 'propagate': all ranks along an axis with a NaN are NaN.

    Returns:
        Array of floats, of the shape of `a`, or flat where `axis` is None.

    Raises:
        ValueError: there is no such method.
        NotImplementedError: another policy.
        TypeError: `a` is no array or number.
    """
    name = "jax.scipy.stats.rankdata"
    _check_policy(name, nan_policy, ("propagate",))
    if method not in ("average", "min", "max", "dense", "ordinal"):
        raise operands.value_error(
            name,
            "there is no such method.",
            [("method", repr(method))],
            "Methods are 'average', 'min', 'max', 'dense' and 'ordinal'.",
        )
    x = operands.ensure_arraylike(name, a)
    x, axis = _flat_if_no_axis(x, axis)
    axis = operands.canonical_axis(name, axis, jnp.ndim(x))
    moved = jnp.moveaxis(x, axis, -1)
    ranks = _ranks(moved, method)
    if operands.kind_of(x) in "fc":
        has_nan = jnp.any(jnp.isnan(moved), axis=-1, keepdims=True)
        ranks = jnp.where(has_nan, np.nan, ranks)
    return jnp.moveaxis(ranks, -1, axis)


def _ranks(x: Array, method: str) -> Array:
    dtype = dtypes.canonicalize_dtype(np.float64)
    size = jnp.shape(x)[-1]
    order = jnp.argsort(x, axis=-1)
    back = jnp.argsort(order, axis=-1)
    indices = jnp.arange(size)
    if method == "ordinal":
        return operands.convert(back + 1, dtype)
    begins = _starts(jnp.take_along_axis(x, order, axis=-1))
    if method == "dense":
        ranks = jnp.cumsum(begins, axis=-1)
        return operands.convert(jnp.take_along_axis(ranks, back, axis=-1), dtype)
    least = cummax(jnp.where(begins, indices, 0), axis=x.ndim - 1)
    ends = jnp.concatenate([begins[..., 1:], jnp.ones_like(begins[..., :1])], axis=-1)
    backwards = jnp.where(ends, indices, size)[..., ::-1]
    most = cummin(backwards, axis=x.ndim - 1)[..., ::-1]
    found = {"min": least, "max": most, "average": (least + most) / 2}[method] + 1
    return operands.convert(jnp.take_along_axis(found, back, axis=-1), dtype)


@ft.partial(jit, static_argnames=("axis", "ddof", "nan_policy", "keepdims"))
def sem(
    a: ArrayLike,
    axis: int | None = 0,
    ddof: int = 1,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> Array:
    """The standard error of the mean.

    Args:
        a: array.
        axis: the axis; None: the flattened array.
        ddof: what is subtracted from the number of values in the variance.
        nan_policy: 'propagate', or 'omit' to leave out NaN.
        keepdims: whether the axis stays, with size 1.

    Raises:
        ValueError: another policy.
        TypeError: `a` is no array or number.
    """
    name = "jax.scipy.stats.sem"
    _check_policy(name, nan_policy, ("propagate", "omit"))
    (x,) = operands.promote_args_inexact(name, a)
    where = ~jnp.isnan(x) if nan_policy == "omit" else None
    kept = (
        jnp.ones_like(x)
        if where is None
        else operands.convert(where, operands.dtype_of(x))
    )
    count = jnp.sum(kept, axis=axis, keepdims=keepdims)
    spread = jnp.std(x, axis=axis, ddof=ddof, keepdims=keepdims, where=where)
    return spread / jnp.sqrt(count)


traceback_filter.hide_frames(globals())
