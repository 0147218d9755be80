"""Adding and removing elements: insert, delete, append, resize, trim_zeros."""

from __future__ import annotations

import functools as ft
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import (
    creation,
    joining_splitting,
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    ranges,
    reshaping,
    selection,
    sorting,
    tiling,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.numpy.joining_splitting import _joined

Array = Any
ArrayLike = Any


def _flat(name, arr, axis):
    """The array and a valid axis; without one, the flattened array."""
    if axis is None:
        return reshaping.ravel(arr), 0
    return arr, operands.canonical_axis(name, axis, operands.ndim(arr))


def _indices_of(name, obj, size):
    """A slice as the indices that it names."""
    if not isinstance(obj, slice):
        return operands.ensure_arraylike(name, obj)
    return ranges.arange(*obj.indices(size))


def insert(
    arr: ArrayLike,
    obj: ArrayLike | slice,
    values: ArrayLike,
    axis: int | None = None,
) -> Array:
    """The array with values put in before given indices.

    Args:
        arr: array.
        obj: indices in `arr`, as a number, a vector of numbers or a slice; those out of
            bounds count as the nearest.
        values: what is put in, converted to the dtype of `arr`.
        axis: the axis; None inserts into the flattened array.

    Raises:
        ValueError: the indices are no integers, or have more than one axis.
        TypeError: `arr` or `obj` or `values` is no array or number.

    Examples:
        >>> jnp.insert(jnp.array([1, 2, 4]), 2, 3)
        Array([1, 2, 3, 4], dtype=int32)
    """
    arr, values = operands.ensure_arraylike("insert", arr, values)
    arr, axis = _flat("insert", arr, axis)
    size = operands.shape(arr)[axis]
    indices = _indices_of("insert", obj, size)
    if operands.kind_of(indices) not in "iu":
        raise operands.value_error(
            "insert",
            "the indices are not integers.",
            [("obj", operands.type_name(indices))],
        )
    if operands.ndim(indices) > 1:
        raise operands.value_error(
            "insert",
            "the indices form no vector.",
            [("obj", operands.type_name(indices))],
        )
    is_weak = dtypes.is_weakly_typed(arr) and dtypes.is_weakly_typed(values)
    values = operands.convert(values, operands.dtype_of(arr), is_weak)
    if operands.ndim(values) < operands.ndim(arr):
        extra = tuple(range(operands.ndim(arr) - operands.ndim(values)))
        values = lax.expand_dims(values, extra)
    if not operands.ndim(indices):
        # NumPy's rule: one index takes all values along their first axis.
        values = reshaping.moveaxis(values, 0, axis)
        indices = reshaping.ravel(indices)
    count = operands.shape(values)[axis]
    count = max(count, operands.size(indices)) if operands.size(indices) else 0
    shape = list(operands.shape(arr))
    shape[axis] = count
    values = operands.broadcast_to(values, tuple(shape), "insert")
    return _interleaved(arr, values, operands.broadcast_to(indices, (count,)), axis)


def _interleaved(arr, values, indices, axis):
    size, count = operands.shape(arr)[axis], operands.shape(values)[axis]
    if not count:
        return operands.strong_like(arr)
    indices = operands.strong(indices)
    indices = selection.where(indices < 0, indices + size, indices)
    indices = selection.clip(indices, 0, size)
    order = sorting.argsort(indices)
    # Each earlier insertion moves the later ones by one.
    targets = indices[order] + ranges.arange(count, dtype=operands.dtype_of(indices))
    moved = tiling.take_along(values, order, axis)
    is_new = creation.zeros(size + count, bool).at[targets].set(True)
    sources = selection.where(
        is_new, size + is_new.cumsum() - 1, (~is_new).cumsum() - 1
    )
    both = joining_splitting.concatenate([operands.strong_like(arr), moved], axis)
    return tiling.take_along(both, sources, axis)


def delete(
    arr: ArrayLike,
    obj: ArrayLike | slice,
    axis: int | None = None,
    *,
    assume_unique_indices: bool = False,
) -> Array:
    """The array without the slices at given indices.

    Args:
        arr: array.
        obj: indices, as a number, a slice, an array of numbers, or a mask.
        axis: the axis; None deletes from the flattened array.
        assume_unique_indices: a promise that no index is named twice; then the indices
            may be traced.

    Raises:
        IndexError: an index is out of bounds.
        ValueError: one index is out of bounds, or the indices are no integers.
        TypeError: `arr` or `obj` is no array or number.

    Examples:
        >>> jnp.delete(jnp.array([10, 20, 30, 40]), 1)
        Array([10, 30, 40], dtype=int32)
    """
    arr = operands.ensure_arraylike("delete", arr)
    arr, axis = _flat("delete", arr, axis)
    size = operands.shape(arr)[axis]
    if isinstance(obj, slice):
        kept = np.delete(np.arange(size), obj)
        return tiling.take_along(arr, kept.astype(np.int32), axis)
    obj = operands.ensure_arraylike("delete", obj)
    letter = operands.kind_of(obj)
    if letter == "b":
        return _without_masked(arr, obj, axis, size)
    if letter not in "iu":
        raise operands.value_error(
            "delete",
            "the indices are neither integers nor a mask.",
            [("obj", operands.type_name(obj))],
        )
    if not operands.ndim(obj) and operands.known(obj):
        index = operator.index(np.asarray(obj).item())
        if not -size <= index < size:
            raise operands.value_error(
                "delete",
                "the index is out of bounds.",
                [("obj", str(index)), ("axis", str(axis)), ("size", str(size))],
            )
    if assume_unique_indices:
        return _without_distinct(arr, reshaping.ravel(obj), axis, size)
    indices = operands.concrete("delete", "obj", obj).ravel()
    outside = indices[(indices < -size) | (indices >= size)]
    if outside.size:
        raise IndexError(
            operands.explain(
                "delete",
                "an index is out of bounds.",
                [("index", str(outside[0])), ("axis", str(axis)), ("size", str(size))],
            )
        )
    kept = np.setdiff1d(np.arange(size), indices % max(size, 1))
    return tiling.take_along(arr, kept.astype(np.int32), axis)


def _without_masked(arr, mask, axis, size):
    if operands.shape(mask) != (size,):
        raise operands.value_error(
            "delete",
            "the mask has not one entry per index.",
            [("obj", operands.type_name(mask)), ("size", str(size))],
        )
    kept = np.flatnonzero(~operands.concrete("delete", "obj", mask))
    return tiling.take_along(arr, kept.astype(np.int32), axis)


def _without_distinct(arr, indices, axis, size):
    """For traced indices: each kept slice moves up by the deleted ones before it."""
    indices = selection.where(indices < 0, indices + size, indices)
    is_kept = creation.ones(size, bool).at[indices].set(False, mode="drop")
    order = sorting.argsort(~is_kept)
    left = max(size - operands.size(indices), 0)
    return tiling.take_along(arr, lax.slice_in_dim(order, 0, left), axis)


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
    filt = operands.ensure_arraylike("trim_zeros", filt)
    axes = operands.canonical_axes("trim_zeros", axis, operands.ndim(filt))
    found = np.nonzero(operands.concrete("trim_zeros", "filt", filt))
    sides = trim.lower()
    for i in axes:
        size, indices = operands.shape(filt)[i], found[i]
        start = (indices.min() if indices.size else size) if "f" in sides else 0
        stop = (indices.max() + 1 if indices.size else 0) if "b" in sides else size
        filt = lax.slice_in_dim(filt, int(start), int(max(start, stop)), axis=i)
    return operands.strong_like(filt)


@ft.partial(jit, static_argnames=("axis",))
def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> Array:
    """`values` after `arr` along an axis; both flattened when `axis` is None.

    Args:
        arr: array.
        values: array; without `axis` of any shape, else of the shape of `arr` but for
            it.
        axis: the axis to join.

    Returns:
        Array of the promoted dtype.

    Raises:
        TypeError: shapes do not fit. ValueError: the axis is out of bounds.

    Examples:
        >>> jnp.append(jnp.array([1, 2]), jnp.array([3]))
        Array([1, 2, 3], dtype=int32)
    """
    operands.check_arraylike("append", arr, values)
    return _joined("append", [operands.to_array(arr), operands.to_array(values)], axis)


def resize(a: ArrayLike, new_shape: Any) -> Array:
    """A shape filled with the elements of `a`, again and again as needed.

    Args:
        a: array, which is flattened.
        new_shape: a whole number or a sequence of them.

    Returns:
        Array of that shape and the dtype of `a`; zeros where `a` is empty.

    Raises:
        TypeError: `a` is no array or number. ValueError: a size is negative.
    """
    a = operands.ensure_arraylike("resize", a)
    operands.refuse_negative("resize", new_shape=new_shape)
    sizes = operands.canonical_shape("resize", new_shape)
    total = math.prod(sizes)
    flat = reshaping.ravel(a)
    if not operands.size(flat) or not total:
        return creation.zeros(sizes, operands.dtype_of(a))
    copies = -(-total // operands.size(flat))
    flat = tiling.tile(flat, copies)
    return lax.reshape(lax.slice_in_dim(flat, 0, total), sizes)


traceback_filter.hide_frames(globals())
