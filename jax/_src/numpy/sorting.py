"""Sorting, partitioning and searching of sorted arrays."""

from __future__ import annotations

import functools as ft
import math
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core import avals as av
from jax._src.numpy import (
    lax_api as lax,
    logic,
    operands as op,
    reshaping,
)
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike


def _axis_of(name, a, axis):
    """The array and axis to sort; None flattens."""
    if axis is None:
        return reshaping.ravel(a), 0
    return op.strong_like(a), op.canonical_axis(name, axis, op.ndim(a))


def _refuse_kinds(name, kind, order):
    if kind is not None or order is not None:
        raise op.type_error(
            name, "`kind` and `order` are not supported.", ways="Leave them out."
        )


@ft.partial(jit, static_argnames=("axis", "kind", "order", "stable", "descending"))
def sort(
    a: ArrayLike,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
) -> Array:
    """The elements in order along an axis; NaN comes last.

    Args:
        a: array.
        axis: the axis; None sorts the flattened array.
        kind: not supported.
        order: not supported.
        stable: whether equal elements keep their order.
        descending: whether the largest comes first.

    Returns:
        Array of the dtype of `a` and its shape, or a vector without an axis.

    Raises:
        TypeError: `kind` or `order` is given, or `a` is no array. ValueError: the axis
            is out of bounds.

    Examples:
        >>> jnp.sort(jnp.array([3, 1, 2]))
        Array([1, 2, 3], dtype=int32)
    """
    _refuse_kinds("sort", kind, order)
    a = op.ensure_arraylike("sort", a)
    x, axis = _axis_of("sort", a, axis)
    result = lax.sort(x, dimension=axis, is_stable=stable)
    return lax.rev(result, (axis,)) if descending else result


@ft.partial(
    jit, static_argnames=("axis", "kind", "order", "stable", "descending", "dtype")
)
def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
    dtype: Any = None,
) -> Array:
    """The indices that would sort an array.

    Args:
        a: array.
        axis: the axis; None sorts the flattened array.
        kind: not supported.
        order: not supported.
        stable: whether equal elements keep their order.
        descending: whether the largest comes first.
        dtype: the dtype of the indices.

    Returns:
        Array of the shape of `a`, or a vector without an axis; of the default integer
        dtype.

    Raises:
        TypeError: `kind` or `order` is given, or `a` is no array. ValueError: the axis
            is out of bounds.

    Examples:
        >>> jnp.argsort(jnp.array([3, 1, 2]))
        Array([1, 2, 0], dtype=int32)
    """
    _refuse_kinds("argsort", kind, order)
    a = op.ensure_arraylike("argsort", a)
    x, axis = _axis_of("argsort", a, axis)
    found = (
        dtypes.default_int_dtype() if dtype is None else op.user_dtype("argsort", dtype)
    )
    # The keys and the indices are sorted together: they are sharded alike.
    where = av.get_aval(x).sharding
    indices = lax.broadcasted_iota(
        found,
        op.shape(x),
        axis,
        out_sharding=where if where.mesh.explicit_axes else None,
    )
    if descending:
        # Reversed first and last, so that equal elements keep their order.
        x, indices = lax.rev(x, (axis,)), lax.rev(indices, (axis,))
    _, result = lax.sort((x, indices), dimension=axis, is_stable=stable, num_keys=1)
    return lax.rev(result, (axis,)) if descending else result


@ft.partial(jit, static_argnames=("axis", "batch_size"))
def lexsort(keys: Any, axis: int = -1, *, batch_size: int = 16) -> Array:
    """The indices that sort by several keys, the last one first in weight.

    Args:
        keys: a sequence of arrays of one shape.
        axis: the axis to sort along.
        batch_size: how many keys to sort by at once, at least; all are.

    Returns:
        Array of the shape of a key, of the default integer dtype.

    Raises:
        TypeError: there is no key. ValueError: shapes differ, the axis is out of bounds,
            or `batch_size` is below 1.
    """
    if batch_size < 1:
        raise ValueError(f"jnp.lexsort: batch_size={batch_size} is below 1.")
    keys = [op.ensure_arraylike("lexsort", k) for k in keys]
    if not keys:
        raise TypeError("jnp.lexsort: at least one key is needed.")
    if len({op.shape(k) for k in keys}) > 1:
        raise ValueError("jnp.lexsort: the keys differ in shape.")
    if not op.ndim(keys[0]):
        return op.convert(0, dtypes.default_int_dtype())
    axis = op.canonical_axis("lexsort", axis, op.ndim(keys[0]))
    indices = lax.broadcasted_iota(dtypes.default_int_dtype(), op.shape(keys[0]), axis)
    return lax.sort((*keys[::-1], indices), dimension=axis, num_keys=len(keys))[-1]


@jit
def sort_complex(a: ArrayLike) -> Array:
    """The elements as complex numbers, in lexicographic order along the last axis.

    Args:
        a: array of numbers of any dtype, of one axis or more.

    Returns:
        Array of the shape of `a`, of the complex dtype to which that of `a` promotes.

    Raises:
        ValueError: `a` is a scalar.
        TypeError: `a` is no array or number.
    """
    (x,) = op.promote_dtypes_complex(op.ensure_arraylike("sort_complex", a))
    x = op.strong(x)
    return lax.sort(x, dimension=op.canonical_axis("sort_complex", -1, op.ndim(x)))


def _check_kth(name, a, kth, axis):
    a = op.ensure_arraylike(name, a)
    if op.kind_of(a) == "c":
        raise NotImplementedError(f"jnp.{name}: complex numbers are not supported.")
    axis = op.canonical_axis(name, axis, op.ndim(a))
    return a, op.canonical_axis(name, kth, op.shape(a)[axis]), axis


def partition(a: ArrayLike, kth: int, axis: int = -1) -> Array:
    """Elements in order around the `kth`: none before it is larger, none after smaller.

    Args:
        a: real array with at least one axis.
        kth: an index along the axis; negative ones count from the end.
        axis: the axis.

    Returns:
        Array of the shape and dtype of `a`.

    Raises:
        ValueError: `kth` or `axis` is out of bounds. NotImplementedError: `a` is
            complex. TypeError: it is no array, or `kth` or `axis` no whole number.

    Differs from NumPy: both sides are sorted.
    """
    a, _, axis = _check_kth("partition", a, kth, axis)
    return sort(a, axis)


def argpartition(a: ArrayLike, kth: int, axis: int = -1) -> Array:
    """The indices that give `jax.numpy.partition`.

    The arguments are those of `jax.numpy.partition`, and so are errors.

    Returns:
        Array of the shape of `a`, of int32.
    """
    a, _, axis = _check_kth("argpartition", a, kth, axis)
    return op.convert(argsort(a, axis), np.int32)


@ft.partial(jit, static_argnames=("side", "method"))
def searchsorted(
    a: ArrayLike,
    v: ArrayLike,
    side: str = "left",
    sorter: ArrayLike | None = None,
    *,
    method: str = "scan",
) -> Array:
    """Where values would go in a sorted vector.

    Args:
        a: sorted vector.
        v: values.
        side: ``"left"``: before equal elements; ``"right"``: after them.
        sorter: indices that sort `a`, where it is not sorted.
        method: ``"scan"``, ``"scan_unrolled"``: by halves; ``"sort"``: by sorting both;
            ``"compare_all"``: by comparing each with each.

    Returns:
        Indices from 0 to ``len(a)``, of the shape of `v` and the default integer dtype.

    Raises:
        ValueError: `a` is no vector, or `side` or `method` are unknown.
        TypeError: `a` or `v` is no array or number.

    Examples:
        >>> jnp.searchsorted(jnp.array([1, 3, 5]), jnp.array([0, 3, 9]))
        Array([0, 1, 3], dtype=int32)
    """
    a, v = op.ensure_arraylike("searchsorted", a, v)
    if side not in ("left", "right"):
        raise ValueError(
            f"jnp.searchsorted: side={side!r} is neither 'left' nor 'right'."
        )
    methods = ("scan", "scan_unrolled", "sort", "compare_all")
    if method not in methods:
        raise ValueError(f"jnp.searchsorted: method={method!r} is none of {methods}.")
    if op.ndim(a) != 1:
        raise op.value_error(
            "searchsorted", "`a` is not a vector.", [("a", op.type_name(a))]
        )
    a, v = op.promote_dtypes(a, v)
    if sorter is not None:
        a = lax_take(a, op.ensure_arraylike("searchsorted", sorter))
    found = np.dtype(np.int32) if op.size(a) < 2**31 else np.dtype(np.int64)
    if not op.size(a):
        return lax.full(op.shape(v), 0, found)
    if method == "compare_all":
        return _compare_all(a, v, side, found)
    if method == "sort":
        return _by_sorting(a, v, side, found)
    return _by_halves(a, v, side, found)


def lax_take(a, indices):
    """The elements of a vector at valid indices."""
    return lax.gather(
        a,
        lax.expand_dims(indices, (op.ndim(indices),)),
        lax.GatherDimensionNumbers(
            offset_dims=(), collapsed_slice_dims=(0,), start_index_map=(0,)
        ),
        (1,),
        mode=lax.GatherScatterMode.PROMISE_IN_BOUNDS,
    )


def _precedes(side, element, value):
    """Whether an element stays before a value; NaN is the largest of all."""
    x, y = (element, value) if side == "left" else (value, element)
    below = logic.less(x, y)
    if op.kind_of(x) in "fc":
        below = lax.bitwise_or(below, lax.bitwise_and(lax.ne(y, y), lax.eq(x, x)))
    return below if side == "left" else lax.bitwise_not(below)


def _compare_all(a, v, side, found):
    shape = (*op.shape(v), op.size(a))
    rows = lax.broadcast_in_dim(v, shape, tuple(range(op.ndim(v))))
    columns = lax.broadcast_in_dim(a, shape, (op.ndim(v),))
    counted = op.convert(_precedes(side, columns, rows), found)
    return lax.reduce_sum(counted, (op.ndim(v),))


def _by_halves(a, v, side, found):
    """Binary search of all values together: halves intervals of known maximal length."""
    low = lax.full_like(v, 0, found)
    high = lax.full_like(v, op.size(a), found)

    def halve(_, bounds):
        low, high = bounds
        middle = lax.div(lax.add(low, high), lax.full_like(low, 2))
        inside = lax.min(middle, lax.full_like(low, op.size(a) - 1))
        goes_right = lax.bitwise_and(
            _precedes(side, lax_take(a, inside), v), lax.lt(low, high)
        )
        return (
            lax.select(goes_right, lax.add(middle, lax.full_like(low, 1)), low),
            lax.select(goes_right, high, middle),
        )

    rounds = math.ceil(math.log2(op.size(a) + 1))
    return lax.fori_loop(0, rounds, halve, (low, high))[0]


def _by_sorting(a, v, side, found):
    flat = reshaping.ravel(v)
    both = (flat, a) if side == "left" else (a, flat)
    merged = lax.concatenate(both, 0)
    count = op.size(merged)
    _, order = lax.sort(
        (merged, lax.iota(found, count)), dimension=0, is_stable=True, num_keys=1
    )
    indices = lax.sort((order, lax.iota(found, count)), dimension=0, num_keys=1)[1]
    start = 0 if side == "left" else op.size(a)
    mine = lax.slice_in_dim(indices, start, start + op.size(flat))
    ranks = lax.sort(
        (
            lax.sort((flat, lax.iota(found, op.size(flat))), num_keys=1)[1],
            lax.iota(found, op.size(flat)),
        ),
        num_keys=1,
    )[1]
    return lax.reshape(lax.sub(mine, ranks), op.shape(v))


# ---------------------------------------------------------------- sets


traceback_filter.hide_frames(globals())
