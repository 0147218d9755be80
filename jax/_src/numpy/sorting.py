"""Sorting, searching, counting and sets."""

from __future__ import annotations

import functools as ft
import itertools
import math
import operator
from typing import Any, NamedTuple

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, traceback_filter
from jax._src.core import avals as av, state
from jax._src.numpy import (
    elementwise,
    lax_api as lax,
    logic,
    operands as op,
    reductions,
    reshaping,
    taking,
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
        raise TypeError(
            op.explain(
                name, "`kind` and `order` are not supported.", ways="Leave them out."
            )
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
    # The keys and the places are sorted together: they lie alike.
    where = av.get_aval(x).sharding
    places = lax.broadcasted_iota(
        found,
        op.shape(x),
        axis,
        out_sharding=where if where.mesh.explicit_axes else None,
    )
    if descending:
        # Reversed first and last, so that equal elements keep their order.
        x, places = lax.rev(x, (axis,)), lax.rev(places, (axis,))
    _, result = lax.sort((x, places), dimension=axis, is_stable=stable, num_keys=1)
    return lax.rev(result, (axis,)) if descending else result


@ft.partial(jit, static_argnames=("axis",))
def lexsort(keys: Any, axis: int = -1) -> Array:
    """The indices that sort by several keys, the last one first in weight.

    Args:
        keys: a sequence of arrays of one shape.
        axis: the axis to sort along.

    Returns:
        Array of the shape of a key, of the default integer dtype.

    Raises:
        TypeError: there is no key. ValueError: shapes differ, or the axis is out of
            bounds.
    """
    keys = [op.ensure_arraylike("lexsort", k) for k in keys]
    if not keys:
        raise TypeError("jnp.lexsort: at least one key is needed.")
    if len({op.shape(k) for k in keys}) > 1:
        raise ValueError("jnp.lexsort: the keys differ in shape.")
    if not op.ndim(keys[0]):
        return op.convert(0, dtypes.default_int_dtype())
    axis = op.canonical_axis("lexsort", axis, op.ndim(keys[0]))
    places = lax.broadcasted_iota(dtypes.default_int_dtype(), op.shape(keys[0]), axis)
    return lax.sort((*keys[::-1], places), dimension=axis, num_keys=len(keys))[-1]


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
        kth: a place along the axis; negative ones count from the end.
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
        raise ValueError(
            op.explain("searchsorted", "`a` is not a vector.", [("a", op.type_name(a))])
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


def lax_take(a, places):
    """The elements of a vector at valid places."""
    return lax.gather(
        a,
        lax.expand_dims(places, (op.ndim(places),)),
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
    places = lax.sort((order, lax.iota(found, count)), dimension=0, num_keys=1)[1]
    start = 0 if side == "left" else op.size(a)
    mine = lax.slice_in_dim(places, start, start + op.size(flat))
    ranks = lax.sort(
        (
            lax.sort((flat, lax.iota(found, op.size(flat))), num_keys=1)[1],
            lax.iota(found, op.size(flat)),
        ),
        num_keys=1,
    )[1]
    return lax.reshape(lax.sub(mine, ranks), op.shape(v))


@ft.partial(jit, static_argnames=("right", "method"))
def digitize(
    x: ArrayLike, bins: ArrayLike, right: bool = False, *, method: str | None = None
) -> Array:
    """The bin that each element falls in.

    Args:
        x: array.
        bins: monotonic edges.
        right: whether a bin includes its right edge instead of the left one.
        method: see `jax.numpy.searchsorted`.

    Returns:
        Array of the shape of `x`, of the default integer dtype; 0 and ``len(bins)`` lie
        outside.

    Raises:
        ValueError: `bins` is no vector.
        TypeError: `x` or `bins` is no array or number.
    """
    x, bins = op.ensure_arraylike("digitize", x, bins)
    if op.ndim(bins) != 1:
        raise ValueError(
            op.explain(
                "digitize", "`bins` is not a vector.", [("bins", op.type_name(bins))]
            )
        )
    if not op.size(bins):
        return lax.full(op.shape(x), 0, np.dtype(np.int32))
    side = "left" if right else "right"
    method = method or "scan"
    rising = searchsorted(bins, x, side=side, method=method)
    falling = lax.sub(
        np.int32(op.size(bins)),
        searchsorted(lax.rev(bins, (0,)), x, side=side, method=method),
    )
    first = lax.index_in_dim(bins, 0, keepdims=False)
    last = lax.index_in_dim(bins, op.size(bins) - 1, keepdims=False)
    is_falling = op.broadcast_to(lax.gt(first, last), op.shape(x))
    return lax.select(*lax.alike("digitize", is_falling, falling, rising))


# ---------------------------------------------------------------- sets


def _known_size(name, size, what):
    """A size that the user gives for results whose length depends on values."""
    if size is None:
        raise errors.ConcretizationTypeError(
            op.explain(
                name,
                f"the number of {what} depends on values, which are traced.",
                rule="Under jit, the shape of a result must be known.",
                ways="Pass size=, an upper bound; fill_value= fills what is left.",
            )
        )
    return operator.index(size)


class UniqueAll(NamedTuple):
    """What `jax.numpy.unique_all` returns."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """What `jax.numpy.unique_counts` returns."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """What `jax.numpy.unique_inverse` returns."""

    values: Array
    inverse_indices: Array


def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
    sorted: bool = True,
) -> Any:
    """The distinct elements, or slices along an axis, in ascending order.

    Args:
        ar: array.
        return_index: whether to return where each first occurs.
        return_inverse: whether to return which of them each element is.
        return_counts: whether to return how often each occurs.
        axis: the axis along which slices are compared; None compares elements.
        equal_nan: whether all NaNs count as one.
        size: the number of results, needed when `ar` is traced.
        fill_value: fills results beyond the distinct ones; default: the least.
        sorted: has no effect: results are sorted.

    Returns:
        Array of the dtype of `ar`; with options a tuple, whose other arrays are of the
        default integer dtype. The inverse has the shape of `ar`, or of its axis.

    Raises:
        ConcretizationTypeError: `ar` is traced and `size` is not given. ValueError: the
            axis is out of bounds.
        TypeError: `ar` is no array or number.

    Examples:
        >>> jnp.unique(jnp.array([3, 1, 3]), return_counts=True)
        (Array([1, 3], dtype=int32), Array([1, 2], dtype=int32))
    """
    ar = op.ensure_arraylike("unique", ar)
    if size is None and not op.known(ar):
        _known_size("unique", None, "distinct elements")
    if axis is not None:
        axis = op.canonical_axis("unique", axis, op.ndim(ar))
    is_empty = not (op.size(ar) if axis is None else op.shape(ar)[axis])
    groups = None if is_empty else _groups(ar, axis, bool(equal_nan))
    if size is None:
        distinct = 0 if is_empty else int(np.asarray(groups[0])[-1]) + 1
    else:
        distinct = operator.index(size)
    wanted = (True, bool(return_index), bool(return_inverse), bool(return_counts))
    results = _distinct(ar, groups, fill_value, axis, distinct, wanted)
    return results[0] if len(results) == 1 else tuple(results)


def _in_rows(ar, axis):
    """What is compared, as rows of a matrix."""
    if axis is None:
        return lax.reshape(ar, (op.size(ar), 1))
    rows = reshaping.moveaxis(ar, axis, 0)
    return lax.reshape(rows, (op.shape(rows)[0], math.prod(op.shape(rows)[1:])))


@ft.partial(jit, static_argnums=(3, 4, 5))
def _distinct(ar, groups, fill_value, axis, distinct, wanted):
    """The wanted ones of: distinct parts, first places, inverse and counts."""
    rows = _in_rows(ar, axis)
    if groups is None:
        values, index, inverse, counts = _no_rows(rows, distinct, fill_value)
    else:
        values, index, inverse, counts = _unique_rows(
            rows, *groups, distinct, fill_value
        )
    if axis is None:
        values = reshaping.ravel(values)
        inverse = lax.reshape(inverse, op.shape(ar))
    else:
        rest = op.shape(ar)[:axis] + op.shape(ar)[axis + 1 :]
        values = lax.reshape(values, (op.shape(values)[0], *rest))
        values = reshaping.moveaxis(values, 0, axis)
    return list(itertools.compress((values, index, inverse, counts), wanted))


@ft.partial(jit, static_argnums=(1, 2))
def _groups(ar, axis, equal_nan):
    """For the rows in order: the number of their group, whether they begin it, places."""
    rows = _in_rows(ar, axis)
    count, width = op.shape(rows)
    found = dtypes.default_int_dtype()
    columns = [lax.index_in_dim(rows, i, 1, keepdims=False) for i in range(width)]
    *ordered, order = lax.sort(
        (*columns, lax.iota(found, count)),
        dimension=0,
        is_stable=True,
        num_keys=max(width, 1),
    )
    is_new = lax.full((count,), False, np.dtype(bool))
    for column in ordered:
        is_new = lax.bitwise_or(_differs_from_previous(column, equal_nan), is_new)
    is_first = lax.eq(lax.iota(found, count), lax.full((count,), 0, found))
    is_new = lax.bitwise_or(is_new, is_first)
    group = lax.sub(lax.cumsum(op.convert(is_new, found)), lax.full((count,), 1, found))
    return group, is_new, order


def _unique_rows(rows, group, is_new, order, distinct, fill_value):
    """Distinct rows with first places, inverse and counts."""
    count, found = op.size(group), op.dtype_of(group)
    # One group more than wanted: where it starts, the last wanted one ends.
    bounds = _first_places(group, is_new, distinct + 1, count, found)
    starts = lax.slice_in_dim(bounds, 0, distinct)
    last = lax.index_in_dim(group, count - 1, keepdims=False)
    is_real = lax.ge(
        lax.broadcast_in_dim(last, (distinct,), ()), lax.iota(found, distinct)
    )
    safe = lax.min(lax.full_like(starts, count - 1), starts)
    index = lax_take(order, safe)
    values = _take_rows(rows, index)
    counts = lax.sub(lax.slice_in_dim(bounds, 1, distinct + 1), starts)
    inverse = _scatter_places(group, order, count, found)
    index = lax.select(
        is_real,
        index,
        op.broadcast_to(lax.index_in_dim(index, 0), (distinct,)) if distinct else index,
    )
    counts = lax.select(is_real, counts, lax.full_like(counts, 0))
    values = _fill_rows(values, is_real, fill_value, rows)
    return values, index, inverse, counts


def _no_rows(rows, length, fill_value):
    found = dtypes.default_int_dtype()
    if length and fill_value is None:
        raise ValueError("jnp.unique: an empty array needs fill_value= with size=.")
    value = 0 if fill_value is None else fill_value
    values = lax.full((length, op.shape(rows)[1]), 0, op.dtype_of(rows))
    values = op.broadcast_to(op.convert(value, op.dtype_of(rows)), op.shape(values))
    empty = lax.full((length,), 0, found)
    return values, empty, lax.full((0,), 0, found), empty


def _differs_from_previous(column, equal_nan):
    count = op.size(column)
    before = lax.slice_in_dim(column, 0, count - 1)
    after = lax.slice_in_dim(column, 1, count)
    differs = lax.ne(before, after)
    if equal_nan and op.kind_of(column) in "fc":
        both_nan = lax.bitwise_and(lax.ne(before, before), lax.ne(after, after))
        differs = lax.bitwise_and(differs, lax.bitwise_not(both_nan))
    return lax.concatenate((lax.full((1,), True, np.dtype(bool)), differs), 0)


def _first_places(group, is_new, distinct, count, found):
    """For each group the place of its first element; `count` for groups that are not."""
    places = lax.select(
        is_new, lax.iota(found, count), lax.full((count,), count, found)
    )
    targets = lax.select(is_new, group, lax.full_like(group, distinct))
    numbers = lax.ScatterDimensionNumbers(
        update_window_dims=(),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
    )
    with state.scope(state.OUT_OF_BOUNDS_IS_DEFINED):
        return lax.scatter(
            lax.full((distinct,), count, found),
            lax.expand_dims(targets, (1,)),
            places,
            numbers,
            mode=lax.GatherScatterMode.FILL_OR_DROP,
        )


def _scatter_places(group, order, count, found):
    numbers = lax.ScatterDimensionNumbers(
        update_window_dims=(),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
    )
    return lax.scatter(
        lax.full((count,), 0, found),
        lax.expand_dims(order, (1,)),
        group,
        numbers,
        unique_indices=True,
        mode=lax.GatherScatterMode.PROMISE_IN_BOUNDS,
    )


def _take_rows(rows, places):
    return lax.gather(
        rows,
        lax.expand_dims(places, (1,)),
        lax.GatherDimensionNumbers(
            offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,)
        ),
        (1, op.shape(rows)[1]),
        mode=lax.GatherScatterMode.PROMISE_IN_BOUNDS,
    )


def _fill_rows(values, is_real, fill_value, rows):
    if fill_value is None:
        # The least row is the first one.
        fill = lax.slice_in_dim(values, 0, min(1, op.shape(values)[0]))
    else:
        fill = op.convert(op.ensure_arraylike("unique", fill_value), op.dtype_of(rows))
    fill = op.broadcast_to(fill, op.shape(values))
    mask = lax.broadcast_in_dim(is_real, op.shape(values), (0,))
    return lax.select(mask, values, fill)


def unique_all(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueAll:
    """The distinct elements of `x`, their first places, the inverse, and counts.

    The arguments are those of `jax.numpy.unique`, and so are dtypes and errors.

    Returns:
        A named tuple of arrays: `values`, `indices`, `inverse_indices` and `counts`.
    """
    return UniqueAll(
        *unique(x, True, True, True, equal_nan=False, size=size, fill_value=fill_value)
    )


def unique_counts(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueCounts:
    """The distinct elements of `x` and how often each occurs.

    The arguments are those of `jax.numpy.unique`, and so are dtypes and errors.

    Returns:
        A named tuple of vectors: `values` and `counts`.
    """
    return UniqueCounts(
        *unique(
            x, return_counts=True, equal_nan=False, size=size, fill_value=fill_value
        )
    )


def unique_inverse(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueInverse:
    """The distinct elements, and which of them each element is.

    The arguments are those of `jax.numpy.unique`, and so are dtypes and errors.

    Returns:
        A named tuple of arrays: `values`, and `inverse_indices` of the shape of `x`.
    """
    return UniqueInverse(
        *unique(
            x, return_inverse=True, equal_nan=False, size=size, fill_value=fill_value
        )
    )


def unique_values(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> Array:
    """The distinct elements of `x` in ascending order, a vector.

    The arguments are those of `jax.numpy.unique`, and so are dtypes and errors.
    """
    return unique(x, equal_nan=False, size=size, fill_value=fill_value)


# Up to so many values are compared with every element.
_FEW_VALUES = 64


@ft.partial(jit, static_argnames=("assume_unique", "invert", "method"))
def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    method: str = "auto",
) -> Array:
    """Whether each element is among `test_elements`.

    Args:
        element: array.
        test_elements: array of values to look for.
        assume_unique: has no effect.
        invert: whether to answer the opposite.
        method: ``"compare_all"``: each is compared with each; ``"binary_search"`` or
            ``"sort"``: each is looked up among the sorted values; ``"auto"``: the
            first for few values, the second for many.

    Returns:
        Array of booleans of the shape of `element`.

    Raises:
        ValueError: there is no such method.
        TypeError: `element` or `test_elements` is no array or number.
    """
    methods = ("auto", "compare_all", "binary_search", "sort")
    if method not in methods:
        raise ValueError(f"jnp.isin: method={method!r} is none of {methods}.")
    element, tests = op.promote_dtypes(
        *op.ensure_arraylike("isin", element, test_elements)
    )
    tests = reshaping.ravel(tests)
    few = _FEW_VALUES if method == "auto" else 0
    if method == "compare_all" or op.size(tests) <= few:
        shape = (*op.shape(element), op.size(tests))
        same = lax.eq(
            lax.broadcast_in_dim(element, shape, tuple(range(op.ndim(element)))),
            lax.broadcast_in_dim(tests, shape, (op.ndim(element),)),
        )
        found = reductions.any(same, axis=-1)
    else:
        ordered = sort(tests)
        place = searchsorted(ordered, element, method="scan")
        found = taking.take(ordered, place, mode="clip") == element
    return elementwise.logical_not(found) if invert else found


traceback_filter.hide_frames(globals())
