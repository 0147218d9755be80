"""Arrays with slices put in or taken out, where the shape depends on the places."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import (
    concatenation,
    creation,
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands as op,
    reshaping,
    selecting,
    sorting,
)

Array = Any
ArrayLike = Any


def _flat(name, arr, axis):
    """The array and a valid axis; without one, the flattened array."""
    if axis is None:
        return reshaping.ravel(arr), 0
    return arr, op.canonical_axis(name, axis, op.ndim(arr))


def _places_of(name, obj, size):
    """A slice as the places that it names."""
    if not isinstance(obj, slice):
        return op.ensure_arraylike(name, obj)
    return creation.arange(*obj.indices(size))


def insert(
    arr: ArrayLike,
    obj: ArrayLike | slice,
    values: ArrayLike,
    axis: int | None = None,
) -> Array:
    """The array with values put in before given places.

    Args:
        arr: array.
        obj: places in `arr`, as a number, a vector of numbers or a slice; those out of
            bounds count as the nearest.
        values: what is put in, converted to the dtype of `arr`.
        axis: the axis; None inserts into the flattened array.

    Raises:
        ValueError: the places are no integers, or have more than one axis.
        TypeError: `arr` or `obj` or `values` is no array or number.
    """
    arr, values = op.ensure_arraylike("insert", arr, values)
    arr, axis = _flat("insert", arr, axis)
    size = op.shape(arr)[axis]
    places = _places_of("insert", obj, size)
    if op.kind_of(places) not in "iu":
        raise ValueError(
            op.explain(
                "insert",
                "the places are not integers.",
                [("obj", op.type_name(places))],
            )
        )
    if op.ndim(places) > 1:
        raise ValueError(
            op.explain(
                "insert", "the places form no vector.", [("obj", op.type_name(places))]
            )
        )
    is_weak = dtypes.is_weakly_typed(arr) and dtypes.is_weakly_typed(values)
    values = op.convert(values, op.dtype_of(arr), is_weak)
    if op.ndim(values) < op.ndim(arr):
        extra = tuple(range(op.ndim(arr) - op.ndim(values)))
        values = lax.expand_dims(values, extra)
    if not op.ndim(places):
        # NumPy's rule: one place takes all values along their first axis.
        values = reshaping.moveaxis(values, 0, axis)
        places = reshaping.ravel(places)
    count = op.shape(values)[axis]
    count = max(count, op.size(places)) if op.size(places) else 0
    shape = list(op.shape(arr))
    shape[axis] = count
    values = op.broadcast_to(values, tuple(shape), "insert")
    return _interleaved(arr, values, op.broadcast_to(places, (count,)), axis)


def _interleaved(arr, values, places, axis):
    size, count = op.shape(arr)[axis], op.shape(values)[axis]
    if not count:
        return op.strong_like(arr)
    places = op.strong(places)
    places = selecting.where(places < 0, places + size, places)
    places = selecting.clip(places, 0, size)
    order = sorting.argsort(places)
    # Each earlier insertion moves the later ones by one.
    targets = places[order] + creation.arange(count, dtype=op.dtype_of(places))
    moved = concatenation.take_along(values, order, axis)
    is_new = creation.zeros(size + count, bool).at[targets].set(True)
    sources = selecting.where(
        is_new, size + is_new.cumsum() - 1, (~is_new).cumsum() - 1
    )
    both = concatenation.concatenate([op.strong_like(arr), moved], axis)
    return concatenation.take_along(both, sources, axis)


def delete(
    arr: ArrayLike,
    obj: ArrayLike | slice,
    axis: int | None = None,
    *,
    assume_unique_indices: bool = False,
) -> Array:
    """The array without the slices at given places.

    Args:
        arr: array.
        obj: places, as a number, a slice, an array of numbers, or a mask.
        axis: the axis; None deletes from the flattened array.
        assume_unique_indices: a promise that no place is named twice; then the places
            may be traced.

    Raises:
        IndexError: a place is out of bounds.
        ValueError: one place is out of bounds, or the places are no integers.
        TypeError: `arr` or `obj` is no array or number.
    """
    arr = op.ensure_arraylike("delete", arr)
    arr, axis = _flat("delete", arr, axis)
    size = op.shape(arr)[axis]
    if isinstance(obj, slice):
        kept = np.delete(np.arange(size), obj)
        return concatenation.take_along(arr, kept.astype(np.int32), axis)
    obj = op.ensure_arraylike("delete", obj)
    letter = op.kind_of(obj)
    if letter == "b":
        return _without_masked(arr, obj, axis, size)
    if letter not in "iu":
        raise ValueError(
            op.explain(
                "delete",
                "the places are neither integers nor a mask.",
                [("obj", op.type_name(obj))],
            )
        )
    if not op.ndim(obj) and op.known(obj):
        place = operator.index(np.asarray(obj).item())
        if not -size <= place < size:
            raise ValueError(
                op.explain(
                    "delete",
                    "the place is out of bounds.",
                    [("obj", str(place)), ("axis", str(axis)), ("size", str(size))],
                )
            )
    if assume_unique_indices:
        return _without_distinct(arr, reshaping.ravel(obj), axis, size)
    places = op.concrete("delete", "obj", obj).ravel()
    outside = places[(places < -size) | (places >= size)]
    if outside.size:
        raise IndexError(
            op.explain(
                "delete",
                "a place is out of bounds.",
                [("place", str(outside[0])), ("axis", str(axis)), ("size", str(size))],
            )
        )
    kept = np.setdiff1d(np.arange(size), places % max(size, 1))
    return concatenation.take_along(arr, kept.astype(np.int32), axis)


def _without_masked(arr, mask, axis, size):
    if op.shape(mask) != (size,):
        raise ValueError(
            op.explain(
                "delete",
                "the mask has not one entry per place.",
                [("obj", op.type_name(mask)), ("size", str(size))],
            )
        )
    kept = np.flatnonzero(~op.concrete("delete", "obj", mask))
    return concatenation.take_along(arr, kept.astype(np.int32), axis)


def _without_distinct(arr, places, axis, size):
    """For traced places: each kept slice moves up by the deleted ones before it."""
    places = selecting.where(places < 0, places + size, places)
    is_kept = creation.ones(size, bool).at[places].set(False, mode="drop")
    order = sorting.argsort(~is_kept)
    left = max(size - op.size(places), 0)
    return concatenation.take_along(arr, lax.slice_in_dim(order, 0, left), axis)


def trim_zeros(
    filt: ArrayLike, trim: str = "fb", axis: int | Sequence[int] | None = None
) -> Array:
    """The array without the zeros at its ends.

    Args:
        filt: array, not traced.
        trim: ``"f"`` for the front, ``"b"`` for the back, or both.
        axis: the axes to trim; None means all.

    Returns:
        Array of the dtype of `filt`.

    Raises:
        ConcretizationTypeError: `filt` is traced. ValueError: an axis is out of bounds.
        TypeError: `filt` is no array or number.
    """
    filt = op.ensure_arraylike("trim_zeros", filt)
    axes = op.canonical_axes("trim_zeros", axis, op.ndim(filt))
    found = np.nonzero(op.concrete("trim_zeros", "filt", filt))
    sides = trim.lower()
    for i in axes:
        size, places = op.shape(filt)[i], found[i]
        start = (places.min() if places.size else size) if "f" in sides else 0
        stop = (places.max() + 1 if places.size else 0) if "b" in sides else size
        filt = lax.slice_in_dim(filt, int(start), int(max(start, stop)), axis=i)
    return op.strong_like(filt)


traceback_filter.hide_frames(globals())
