"""Sets as sorted vectors of distinct elements."""

from __future__ import annotations

from typing import Any

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import (
    concatenation,
    creation,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands as op,
    reshaping,
    selecting,
    sorting,
    taking,
)

Array = Any
ArrayLike = Any


def _two(name, ar1, ar2):
    ar1, ar2 = op.promote_dtypes(*op.ensure_arraylike(name, ar1, ar2))
    return reshaping.ravel(ar1), reshaping.ravel(ar2)


def _like(value, example):
    """`value` in the dtype of `example`, which stays weak if it is."""
    return op.convert(value, op.dtype_of(example), dtypes.is_weakly_typed(example))


def _is_first(ordered):
    """Whether each element of a sorted vector differs from the one before it."""
    before, here = ordered[:-1], ordered[1:]
    # All NaNs count as one.
    differs = (here != before) & ((here == here) | (before == before))
    return concatenation.concatenate(
        (creation.ones(min(1, op.size(ordered)), bool), differs)
    )


def _places(name, chosen, size):
    """Where a mask is true; places past the end fill up to `size`."""
    if size is None:
        op.concrete(name, "ar1` and `ar2", chosen)
    return selecting.nonzero(chosen, size=size, fill_value=op.size(chosen))[0]


def _picked(values, places, fill_value):
    """The elements at places; those past the end give `fill_value`, or the first one."""
    if not op.size(values):
        zero = 0 if fill_value is None else fill_value
        return creation.full(op.shape(places), zero, op.dtype_of(values))
    if fill_value is None:
        first = taking.take(values, places[:1], mode="clip")
        fill_value = selecting.where(
            places[:1] < op.size(values), first, creation.zeros_like(first)
        )
        fill_value = fill_value[0] if op.size(places) else 0
    is_real = places < op.size(values)
    picked = taking.take(values, places, mode="clip")
    return selecting.where(is_real, picked, fill_value)


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
    both = concatenation.concatenate(_two("union1d", ar1, ar2))
    return sorting.unique(both, size=size, fill_value=fill_value)


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
    ar1, ar2 = map(reshaping.ravel, op.ensure_arraylike("setdiff1d", ar1, ar2))
    values = ar1 if assume_unique else sorting.sort(ar1)
    chosen = sorting.isin(values, ar2, invert=True)
    if not assume_unique:
        chosen = chosen & _is_first(values)
    places = _places("setdiff1d", chosen, size)
    fill = creation.asarray(0 if fill_value is None else fill_value)
    return _picked(values, places, _like(fill, values))


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
    ar1, ar2 = map(sorting.sort, _two("setxor1d", ar1, ar2))
    values = concatenation.concatenate((ar1, ar2))
    chosen = concatenation.concatenate(
        (
            _is_first(ar1) & sorting.isin(ar1, ar2, invert=True),
            _is_first(ar2) & sorting.isin(ar2, ar1, invert=True),
        )
    )
    order = sorting.argsort(values)
    values, chosen = values[order], chosen[order]
    return _picked(values, _places("setxor1d", chosen, size), fill_value)


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
    ar1, ar2 = _two("intersect1d", ar1, ar2)
    found = [_common(a, b, size) for a, b in ((ar1, ar2), (ar2, ar1))]
    (values, order, places), (_, other_order, other_places) = found
    result = _picked(values, places, fill_value)
    if not return_indices:
        return result
    return (
        result,
        _picked(order, places, op.size(ar1)),
        _picked(other_order, other_places, op.size(ar2)),
    )


def _common(x, other, size):
    """A sorted vector, where its elements were, and which of them the other has."""
    order = sorting.argsort(x)
    values = x[order]
    chosen = _is_first(values) & sorting.isin(values, other)
    return values, order, _places("intersect1d", chosen, size)


traceback_filter.hide_frames(globals())
