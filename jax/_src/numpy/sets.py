"""Distinct elements, and vectors as sets: unique, isin, union, intersection, difference."""

from __future__ import annotations

import functools as ft
import itertools
import math
import operator
from typing import Any, NamedTuple

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, traceback_filter
from jax._src.core import state
from jax._src.numpy import (
    creation,
    elementwise,
    joining_splitting,
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    reductions,
    reshaping,
    selection,
    sorting,
    taking,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.numpy.sorting import lax_take, searchsorted, sort

Array = Any
ArrayLike = Any


def _two(name, ar1, ar2):
    ar1, ar2 = operands.promote_dtypes(*operands.ensure_arraylike(name, ar1, ar2))
    return reshaping.ravel(ar1), reshaping.ravel(ar2)


def _like(value, example):
    """`value` in the dtype of `example`, which stays weak if it is."""
    return operands.convert(
        value, operands.dtype_of(example), dtypes.is_weakly_typed(example)
    )


def _is_first(ordered):
    """Whether each element of a sorted vector differs from the one before it."""
    before, here = ordered[:-1], ordered[1:]
    # All NaNs count as one.
    differs = (here != before) & ((here == here) | (before == before))
    return joining_splitting.concatenate(
        (creation.ones(min(1, operands.size(ordered)), bool), differs)
    )


def _true_indices(name, chosen, size):
    """Where a mask is true; indices past the end fill up to `size`."""
    if size is None:
        operands.concrete(name, "ar1` and `ar2", chosen)
    return selection.nonzero(chosen, size=size, fill_value=operands.size(chosen))[0]


@jit
def _picked(values, indices, fill_value):
    """The elements at indices; those past the end give `fill_value`, or the first one."""
    if not operands.size(values):
        zero = 0 if fill_value is None else fill_value
        return creation.full(operands.shape(indices), zero, operands.dtype_of(values))
    if fill_value is None:
        first = taking.take(values, indices[:1], mode="clip")
        fill_value = selection.where(
            indices[:1] < operands.size(values), first, creation.zeros_like(first)
        )
        fill_value = fill_value[0] if operands.size(indices) else 0
    is_real = indices < operands.size(values)
    picked = taking.take(values, indices, mode="clip")
    return selection.where(is_real, picked, fill_value)


def union1d(
    ar1: ArrayLike, ar2: ArrayLike, *, size: int | None = None, fill_value: Any = None
) -> Array:
    """The distinct elements of both arrays, ascending.

    Args:
        ar1, ar2: arrays, which are flattened.
        size: how many elements to return, needed when an array is traced.
        fill_value: fills missing ones; default: the least element.

    Returns:
        Vector of the promoted dtype.

    Raises:
        ConcretizationTypeError: an array is traced and `size` is not given.
        TypeError: `ar1` or `ar2` is no array or number.
    """
    return unique(_joined(ar1, ar2), size=size, fill_value=fill_value)


@jit
def _joined(ar1, ar2):
    return joining_splitting.concatenate(_two("union1d", ar1, ar2))


def setdiff1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: Any = None,
) -> Array:
    """The distinct elements of the first array that the second lacks, ascending.

    Args:
        ar1: array.
        ar2: array.
        assume_unique: a promise that the arrays hold each element once; then the order
            of `ar1` is kept.
        size: how many elements to return, needed when an array is traced.
        fill_value: fills missing ones; default: 0.

    Returns:
        Vector of the dtype of `ar1`.

    Raises:
        ConcretizationTypeError: an array is traced and `size` is not given.
        TypeError: `ar1` or `ar2` is no array or number.
    """
    values, chosen = _lacking(ar1, ar2, bool(assume_unique))
    indices = _true_indices("setdiff1d", chosen, size)
    return _picked_of_one_dtype(
        values, indices, 0 if fill_value is None else fill_value
    )


@jit
def _picked_of_one_dtype(values, indices, fill_value):
    """`_picked`, with a value to fill that gives way to the elements."""
    return _picked(values, indices, _like(creation.asarray(fill_value), values))


@ft.partial(jit, static_argnums=(2,))
def _lacking(ar1, ar2, assume_unique):
    """The elements of one vector, sorted unless they are distinct, and which of them the other lacks."""
    ar1, ar2 = map(reshaping.ravel, operands.ensure_arraylike("setdiff1d", ar1, ar2))
    values = ar1 if assume_unique else sorting.sort(ar1)
    chosen = isin(values, ar2, invert=True)
    return values, chosen if assume_unique else chosen & _is_first(values)


def setxor1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: Any = None,
) -> Array:
    """The elements that just one of the arrays has, ascending.

    Args:
        ar1: array.
        ar2: array.
        assume_unique: has no effect.
        size: how many elements to return, needed when an array is traced.
        fill_value: fills missing ones; default: the least element.

    Returns:
        Vector of the promoted dtype.

    Raises:
        ConcretizationTypeError: an array is traced and `size` is not given.
        TypeError: `ar1` or `ar2` is no array or number.
    """
    del assume_unique
    values, chosen = _exclusive(ar1, ar2)
    return _picked(values, _true_indices("setxor1d", chosen, size), fill_value)


@jit
def _exclusive(ar1, ar2):
    """The elements of both arrays, sorted, and which of them are the first of their kind in one alone."""
    ar1, ar2 = map(sorting.sort, _two("setxor1d", ar1, ar2))
    values = joining_splitting.concatenate((ar1, ar2))
    chosen = joining_splitting.concatenate(
        (
            _is_first(ar1) & isin(ar1, ar2, invert=True),
            _is_first(ar2) & isin(ar2, ar1, invert=True),
        )
    )
    order = sorting.argsort(values)
    return values[order], chosen[order]


def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    return_indices: bool = False,
    *,
    size: int | None = None,
    fill_value: Any = None,
) -> Any:
    """The distinct elements that both arrays have, ascending.

    Args:
        ar1: array.
        ar2: array.
        assume_unique: has no effect.
        return_indices: whether to return also where each first occurs in the one and
            the other.
        size: how many elements to return, needed when an array is traced.
        fill_value: fills missing ones; default: the least element.

    Returns:
        Vector of the promoted dtype; with `return_indices` a tuple with two vectors of
        integers.

    Raises:
        ConcretizationTypeError: an array is traced and `size` is not given. TypeError:
            one is no array.
    """
    del assume_unique
    (values, *mine), (_, *others) = _common(ar1, ar2)
    indices = _true_indices("intersect1d", mine[1], size)
    result = _picked(values, indices, fill_value)
    if not return_indices:
        return result
    other_indices = _true_indices("intersect1d", others[1], size)
    return (
        result,
        _picked(mine[0], indices, operands.size(mine[0])),
        _picked(others[0], other_indices, operands.size(others[0])),
    )


@jit
def _common(ar1, ar2):
    """For each of two arrays: its elements in order, where they were, and which of them the other has first."""
    found = []
    ar1, ar2 = _two("intersect1d", ar1, ar2)
    for x, other in ((ar1, ar2), (ar2, ar1)):
        order = sorting.argsort(x)
        values = x[order]
        found.append((values, order, _is_first(values) & isin(values, other)))
    return found


def _known_size(name, size, what):
    """A size that the user gives for results whose length depends on values."""
    if size is None:
        raise errors.ConcretizationTypeError(
            errors.explain(
                "Abstract tracer value encountered where concrete value is expected: the "
                f"number of {what} depends on values. The error arose for the first "
                f"argument of jnp.{name}().",
                [],
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
    ar = operands.ensure_arraylike("unique", ar)
    if size is None and not operands.known(ar):
        _known_size("unique", None, "distinct elements")
    if axis is not None:
        axis = operands.canonical_axis("unique", axis, operands.ndim(ar))
    is_empty = not (operands.size(ar) if axis is None else operands.shape(ar)[axis])
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
        return lax.reshape(ar, (operands.size(ar), 1))
    rows = reshaping.moveaxis(ar, axis, 0)
    return lax.reshape(
        rows, (operands.shape(rows)[0], math.prod(operands.shape(rows)[1:]))
    )


@ft.partial(jit, static_argnums=(3, 4, 5))
def _distinct(ar, groups, fill_value, axis, distinct, wanted):
    """Returns the requested ones of: distinct parts, first indices, inverse and counts."""
    rows = _in_rows(ar, axis)
    if groups is None:
        values, index, inverse, counts = _no_rows(rows, distinct, fill_value)
    else:
        values, index, inverse, counts = _unique_rows(
            rows, *groups, distinct, fill_value
        )
    if axis is None:
        values = reshaping.ravel(values)
        inverse = lax.reshape(inverse, operands.shape(ar))
    else:
        rest = operands.shape(ar)[:axis] + operands.shape(ar)[axis + 1 :]
        values = lax.reshape(values, (operands.shape(values)[0], *rest))
        values = reshaping.moveaxis(values, 0, axis)
    return list(itertools.compress((values, index, inverse, counts), wanted))


@ft.partial(jit, static_argnums=(1, 2))
def _groups(ar, axis, equal_nan):
    """Returns for the sorted rows the number of their group, whether they begin it, and indices."""
    rows = _in_rows(ar, axis)
    count, width = operands.shape(rows)
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
    group = lax.sub(
        lax.cumsum(operands.convert(is_new, found)), lax.full((count,), 1, found)
    )
    return group, is_new, order


def _unique_rows(rows, group, is_new, order, distinct, fill_value):
    """Distinct rows with first indices, inverse and counts."""
    count, found = operands.size(group), operands.dtype_of(group)
    # One group more than wanted: where it starts, the last wanted one ends.
    bounds = _first_indices(group, is_new, distinct + 1, count, found)
    starts = lax.slice_in_dim(bounds, 0, distinct)
    last = lax.index_in_dim(group, count - 1, keepdims=False)
    is_real = lax.ge(
        lax.broadcast_in_dim(last, (distinct,), ()), lax.iota(found, distinct)
    )
    safe = lax.min(lax.full_like(starts, count - 1), starts)
    index = lax_take(order, safe)
    values = _take_rows(rows, index)
    counts = lax.sub(lax.slice_in_dim(bounds, 1, distinct + 1), starts)
    inverse = _scatter_indices(group, order, count, found)
    index = lax.select(
        is_real,
        index,
        operands.broadcast_to(lax.index_in_dim(index, 0), (distinct,))
        if distinct
        else index,
    )
    counts = lax.select(is_real, counts, lax.full_like(counts, 0))
    values = _fill_rows(values, is_real, fill_value, rows)
    return values, index, inverse, counts


def _no_rows(rows, length, fill_value):
    found = dtypes.default_int_dtype()
    if length and fill_value is None:
        raise ValueError("jnp.unique: an empty array needs fill_value= with size=.")
    value = 0 if fill_value is None else fill_value
    values = lax.full((length, operands.shape(rows)[1]), 0, operands.dtype_of(rows))
    values = operands.broadcast_to(
        operands.convert(value, operands.dtype_of(rows)), operands.shape(values)
    )
    empty = lax.full((length,), 0, found)
    return values, empty, lax.full((0,), 0, found), empty


def _differs_from_previous(column, equal_nan):
    count = operands.size(column)
    before = lax.slice_in_dim(column, 0, count - 1)
    after = lax.slice_in_dim(column, 1, count)
    differs = lax.ne(before, after)
    if equal_nan and operands.kind_of(column) in "fc":
        both_nan = lax.bitwise_and(lax.ne(before, before), lax.ne(after, after))
        differs = lax.bitwise_and(differs, lax.bitwise_not(both_nan))
    return lax.concatenate((lax.full((1,), True, np.dtype(bool)), differs), 0)


def _first_indices(group, is_new, distinct, count, found):
    """For each group the index of its first element; `count` for groups that are not."""
    indices = lax.select(
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
            indices,
            numbers,
            mode=lax.GatherScatterMode.FILL_OR_DROP,
        )


def _scatter_indices(group, order, count, found):
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


def _take_rows(rows, indices):
    return lax.gather(
        rows,
        lax.expand_dims(indices, (1,)),
        lax.GatherDimensionNumbers(
            offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,)
        ),
        (1, operands.shape(rows)[1]),
        mode=lax.GatherScatterMode.PROMISE_IN_BOUNDS,
    )


def _fill_rows(values, is_real, fill_value, rows):
    if fill_value is None:
        # The least row is the first one.
        fill = lax.slice_in_dim(values, 0, min(1, operands.shape(values)[0]))
    else:
        fill = operands.convert(
            operands.ensure_arraylike("unique", fill_value), operands.dtype_of(rows)
        )
    fill = operands.broadcast_to(fill, operands.shape(values))
    mask = lax.broadcast_in_dim(is_real, operands.shape(values), (0,))
    return lax.select(mask, values, fill)


def unique_all(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueAll:
    """The distinct elements of `x`, their first indices, the inverse, and counts.

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
    element, tests = operands.promote_dtypes(
        *operands.ensure_arraylike("isin", element, test_elements)
    )
    tests = reshaping.ravel(tests)
    few = _FEW_VALUES if method == "auto" else 0
    if method == "compare_all" or operands.size(tests) <= few:
        shape = (*operands.shape(element), operands.size(tests))
        same = lax.eq(
            lax.broadcast_in_dim(element, shape, tuple(range(operands.ndim(element)))),
            lax.broadcast_in_dim(tests, shape, (operands.ndim(element),)),
        )
        found = reductions.any(same, axis=-1)
    else:
        ordered = sort(tests)
        index = searchsorted(ordered, element, method="scan")
        found = taking.take(ordered, index, mode="clip") == element
    return elementwise.logical_not(found) if invert else found


traceback_filter.hide_frames(globals())
