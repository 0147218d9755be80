"""Taking and putting elements at given indices."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import releases, traceback_filter
from jax._src.core import state
from jax._src.numpy import (
    elementwise,
    indexing,
    lax_api as lax,
    operands as op,
    reshaping,
    selection,
    tiling,
)
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike


# The default of an argument; None then means the same.
_WRAPS = releases.rule("wrap_negative_indices")
_TAKE_OPTIONS = "axis out mode unique_indices indices_are_sorted fill_value"


@ft.partial(jit, static_argnames=_TAKE_OPTIONS.split())
def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: int | None = None,
    out: None = None,
    mode: str | None = None,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    fill_value: Any = None,
) -> Array:
    """Takes the slices at given indices of an axis.

    Args:
        a: array.
        indices: indices, negative ones counted from the end; with ``"clip"`` those count
            as 0.
        axis: the axis; None takes from the flattened array.
        out: not supported.
        mode: what indices out of bounds give: ``"fill"`` (the default), ``"clip"`` or
            ``"wrap"``.
        unique_indices: a promise that makes the program faster.
        indices_are_sorted: likewise.
        fill_value: for ``"fill"``; default: NaN, or the extreme integer.

    Returns:
        Array of the dtype of `a`, with the axes of `indices` in place of the axis.

    Raises:
        ValueError: `axis` is out of bounds, `indices` is not of integers, or `mode` is
            unknown. NotImplementedError: `mode` is ``"raise"``, or `out` is given.
            TypeError: `a` or `indices` is no array or number.
        IndexError: the axis is empty.

    Examples:
        >>> jnp.take(jnp.array([10, 20, 30]), jnp.array([2, 0]))
        Array([30, 10], dtype=int32)
    """
    op.refuse_out("take", out)
    a, indices = op.ensure_arraylike("take", a, indices)
    if axis is None:
        a, axis = reshaping.ravel(a), 0
    axis = op.canonical_axis("take", axis, op.ndim(a))
    if op.kind_of(indices) == "b" or not op.size(indices):
        # No indices at all: whatever dtype an empty list has.
        indices = op.convert(indices, dtypes.default_int_dtype())
    if op.kind_of(indices) not in "iu":
        raise op.value_error(
            "take",
            "the indices are not integers.",
            [("indices", op.type_name(indices))],
            ways="Convert them: indices.astype(int).",
        )
    if mode == "raise":
        raise NotImplementedError(
            "jnp.take: mode='raise' is not supported: compiled programs raise nothing. "
            "Use 'fill' and look for NaN."
        )
    if not op.shape(a)[axis] and op.size(indices):
        raise IndexError("jnp.take: the axis is empty: there is nothing to take.")
    if mode not in (None, "fill", "clip", "wrap"):
        raise op.value_error(
            "take",
            f"mode={mode!r} is unknown.",
            ways="There are 'fill', 'clip' and 'wrap'.",
        )
    if mode == "wrap":
        indices, mode = _wrapped(indices, op.shape(a)[axis]), "promise_in_bounds"
    return indexing.get(
        a,
        (slice(None),) * axis + (indices,),
        mode=mode or "fill",
        unique_indices=bool(unique_indices),
        indices_are_sorted=bool(indices_are_sorted),
        fill_value=indexing.hashable(fill_value),
        wrap_negative_indices=mode != "clip",
    )


def _wrapped(indices, size):
    """Returns indices modulo the size of the axis."""
    if op.dtype_of(indices).itemsize < 4:
        indices = op.convert(indices, np.int32)
    indices = op.strong(indices)
    rest = lax.rem(indices, lax.full_like(indices, size))
    below = lax.lt(rest, lax.full_like(rest, 0))
    return lax.select(below, lax.add(rest, lax.full_like(rest, size)), rest)


def _along_axis(name, arr, indices, axis):
    """The full index that reads or writes along one axis."""
    if axis is None:
        if op.ndim(indices) != 1:
            raise op.value_error(
                name,
                "without an axis, the indices form a vector.",
                [("indices", op.type_name(indices))],
            )
        return reshaping.ravel(arr), indices, 0
    if op.ndim(arr) != op.ndim(indices):
        raise op.value_error(
            name,
            "the array and the indices differ in their number of axes.",
            [("arr", op.type_name(arr)), ("indices", op.type_name(indices))],
        )
    return arr, indices, op.canonical_axis(name, axis, op.ndim(arr))


def _index_along(name, sizes, indices, axis):
    """Returns indices along each axis: counting ones, but for `axis`."""
    rank = len(sizes)
    index: list[Any] = []
    for i, n in enumerate(sizes):
        if i == axis:
            index.append(indices)
            continue
        own = op.shape(indices)[i]
        if own not in (1, n) and n != 1:
            raise op.value_error(
                name,
                "the shapes do not broadcast together.",
                [
                    ("arr", f"shape {tuple(sizes)}"),
                    ("indices", op.type_name(indices)),
                ],
                f"On every axis but {axis}, sizes are equal or 1.",
            )
        counted = np.arange(n, dtype=np.int32).reshape((-1,) + (1,) * (rank - 1 - i))
        index.append(counted)
    return tuple(index)


def take_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    axis: int | None = -1,
    mode: Any = None,
    fill_value: Any = None,
    *,
    wrap_negative_indices: bool | None = _WRAPS,
) -> Array:
    """Takes one element per index along an axis, as `argsort` and `argmax` name them.

    Args:
        arr: array.
        indices: indices; their other axes broadcast with those of `arr`.
        axis: the axis; None means the flattened array.
        mode: what indices out of bounds give: ``"fill"`` (the default) or ``"clip"``.
        fill_value: for ``"fill"``; default: NaN, or the extreme integer.
        wrap_negative_indices: whether negative indices count from the end (the default).
            None: they do, and do not from 0.12 on.

    Raises:
        TypeError: the indices are not integers.
        ValueError: the shapes do not fit.

    Examples:
        >>> x = jnp.array([[3, 1], [2, 7]])
        >>> jnp.take_along_axis(x, jnp.argsort(x, axis=1), axis=1)
        Array([[1, 3],
               [2, 7]], dtype=int32)
    """
    arr, indices = op.ensure_arraylike("take_along_axis", arr, indices)
    if op.kind_of(indices) not in "iu":
        raise op.type_error(
            "take_along_axis",
            "the indices are not integers.",
            [("indices", op.type_name(indices))],
        )
    wraps = _WRAPS is None if wrap_negative_indices is None else wrap_negative_indices
    how = ("fill" if mode is None else mode, bool(wraps))
    return _take_along(arr, indices, axis, indexing.hashable(fill_value), *how)


@ft.partial(jit, static_argnums=(2, 3, 4, 5))
def _take_along(arr, indices, axis, fill_value, mode, wraps):
    arr, indices, axis = _along_axis("take_along_axis", arr, indices, axis)
    options = {"mode": mode, "fill_value": fill_value, "wrap_negative_indices": wraps}
    sizes, found = (
        op.shape(x)[:axis] + op.shape(x)[axis + 1 :] for x in (arr, indices)
    )
    if sizes == found and arr.size and indices.size:
        return indexing.get_along(arr, indices, axis, **options)
    index = _index_along("take_along_axis", op.shape(arr), indices, axis)
    return indexing.get(arr, index, **options)


def put_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    values: ArrayLike,
    axis: int | None,
    inplace: bool = True,
    *,
    mode: str | None = None,
) -> Array:
    """Returns `arr` with values at one index each along an axis; pass ``inplace=False``.

    Args:
        arr: array.
        indices: array of integers with as many axes, as for
            `jax.numpy.take_along_axis`.
        values: array that broadcasts with `indices`.
        axis: the axis; None means the flattened array.
        inplace: must be False.
        mode: for indices out of bounds, see ``x.at``.

    Returns:
        Array of the shape and dtype of `arr`.

    Raises:
        ValueError: `inplace` is true, the axis is out of bounds, or the numbers of axes
            differ. TypeError: `indices` is not of integers.
    """
    _refuse_inplace("put_along_axis", inplace)
    arr, indices, values = op.ensure_arraylike("put_along_axis", arr, indices, values)
    shape = op.shape(arr)
    flat, indices, along = _along_axis("put_along_axis", arr, indices, axis)
    index = _index_along("put_along_axis", op.shape(flat), indices, along)
    result = indexing.set(flat, index, values, indexing.Options(mode=mode))
    return lax.reshape(result, shape) if axis is None else result


def _refuse_inplace(name, inplace):
    if inplace:
        raise op.value_error(
            name,
            "arrays cannot be changed in place.",
            rule="Arrays of JAX do not change.",
            ways="Pass inplace=False and use the returned array.",
        )


def put(
    a: ArrayLike,
    ind: ArrayLike,
    v: ArrayLike,
    mode: str | None = None,
    *,
    inplace: bool = True,
) -> Array:
    """Returns `a` with values at indices of the flattened array; pass ``inplace=False``.

    Args:
        a: array.
        ind: indices.
        v: values, repeated as needed.
        mode: for indices out of bounds: ``"clip"`` (the default; negative ones count as
            0) or ``"wrap"``.
        inplace: must be False.

    Returns:
        Array of the shape and dtype of `a`.

    Raises:
        ValueError: `inplace` is true, or `mode` is unknown. TypeError: `ind` is not of
            integers.
    """
    _refuse_inplace("put", inplace)
    a, ind, v = op.ensure_arraylike("put", a, ind, v)
    flat, ind, v = reshaping.ravel(a), reshaping.ravel(ind), reshaping.ravel(v)
    if not op.size(ind) or not op.size(v):
        return op.strong_like(a)
    if mode == "wrap":
        ind = _wrapped(ind, op.size(a))
    elif mode in (None, "clip"):
        ind = selection._clip(ind, 0, op.size(a) - 1)
    else:
        raise ValueError(f"jnp.put: mode={mode!r} is neither 'wrap' nor 'clip'.")
    repeated = tiling.tile(v, -(-op.size(ind) // op.size(v)))
    values = lax.slice_in_dim(repeated, 0, op.size(ind))
    return lax.reshape(indexing.set(flat, ind, values), op.shape(a))


def place(
    arr: ArrayLike, mask: ArrayLike, vals: ArrayLike, *, inplace: bool = True
) -> Array:
    """`arr` with values where a mask is true, in order; pass ``inplace=False``.

    Args:
        arr: array.
        mask: array of as many elements; true where a value goes.
        vals: array of values, repeated as needed.
        inplace: must be False.

    Returns:
        Array of the shape and dtype of `arr`.

    Raises:
        ValueError: `inplace` is true, or sizes differ. TypeError: an argument is no
            array.
    """
    _refuse_inplace("place", inplace)
    arr, mask, vals = op.ensure_arraylike("place", arr, mask, vals)
    if op.size(arr) != op.size(mask):
        raise ValueError("jnp.place: the array and the mask differ in size.")
    if not op.size(vals):
        raise ValueError("jnp.place: there are no values.")
    if not op.size(arr):
        return op.strong_like(arr)
    flat = reshaping.ravel(elementwise.as_boolean(mask))
    rank = lax.sub(lax.cumsum(op.convert(flat, np.int32)), np.int32(1))
    chosen = take(reshaping.ravel(vals), _wrapped(rank, op.size(vals)), mode="clip")
    values = op.convert(chosen, op.dtype_of(arr), dtypes.is_weakly_typed(arr))
    result = selection.where(flat, values, reshaping.ravel(arr))
    return lax.reshape(result, op.shape(arr))


def compress(
    condition: ArrayLike,
    a: ArrayLike,
    axis: int | None = None,
    *,
    size: int | None = None,
    fill_value: ArrayLike = 0,
    out: None = None,
) -> Array:
    """The slices of an axis for which a condition is true.

    Args:
        condition: vector of booleans.
        a: array.
        axis: the axis; None means the flattened array.
        size: how many slices, needed when `condition` is traced.
        fill_value: fills missing ones.
        out: not supported.

    Returns:
        Array of the dtype of `a`, with as many slices as are true, or `size`.

    Raises:
        ValueError: `condition` is no vector or true beyond the end, or the axis is out
            of bounds. ConcretizationTypeError: it is traced, and `size` not given.
            NotImplementedError: `out` is given.
        TypeError: `condition` or `a` is no array or number.
    """
    op.refuse_out("compress", out)
    condition, a, fill_value = op.ensure_arraylike("compress", condition, a, fill_value)
    if op.ndim(condition) != 1:
        raise ValueError("jnp.compress: the condition is a vector.")
    if axis is None:
        a, axis = reshaping.ravel(a), 0
    axis = op.canonical_axis("compress", axis, op.ndim(a))
    length = op.shape(a)[axis]
    op.refuse_negative("compress", size=size)
    condition = elementwise.as_boolean(condition)
    if op.size(condition) > length:
        beyond = lax.slice_in_dim(condition, length, op.size(condition))
        condition = lax.slice_in_dim(condition, 0, length)
        if op.known(beyond) and np.asarray(beyond).any():
            raise ValueError(
                "jnp.compress: the condition is true beyond the end of the axis."
            )
    indices = selection.nonzero(condition, size=size, fill_value=length)[0]
    with state.scope(state.OUT_OF_BOUNDS_IS_DEFINED):
        found = take(a, indices, axis=axis, mode="fill", fill_value=_item(fill_value))
    return found if size is None else op.strong(found)


def _item(value):
    return value.item() if hasattr(value, "item") and op.known(value) else value


def extract(
    condition: ArrayLike,
    arr: ArrayLike,
    *,
    size: int | None = None,
    fill_value: ArrayLike = 0,
) -> Array:
    """The elements of the flattened array for which a condition is true.

    Args:
        condition: array, flattened; true where an element is taken.
        arr: array, flattened.
        size: how many elements to return, needed when `condition` is traced.
        fill_value: fills missing ones.

    Returns:
        Vector of the dtype of `arr`.

    Raises:
        ValueError: `condition` is true beyond the end of `arr`.
            ConcretizationTypeError: it is traced, and `size` not given.
        TypeError: `condition` or `arr` is no array or number.
    """
    condition = reshaping.ravel(op.ensure_arraylike("extract", condition))
    found = compress(condition, reshaping.ravel(arr), size=size, fill_value=fill_value)
    return op.strong(found)


def choose(a: ArrayLike, choices: Any, out: None = None, mode: str = "raise") -> Array:
    """For each index, the element of the choice that `a` numbers.

    Args:
        a: array of integers.
        choices: a sequence of arrays that broadcast with `a`.
        out: not supported.
        mode: for numbers out of range: ``"raise"`` (needs known values), ``"wrap"`` or
            ``"clip"``.

    Returns:
        Array of the promoted dtype of the choices and the common shape.

    Raises:
        ValueError: `a` is no array of integers, or a number is out of range with
            ``"raise"``, or `mode` is unknown. ConcretizationTypeError: `a` is traced
            with ``"raise"``. NotImplementedError: `out` is given.
        TypeError: `a` or `choices` is no array or number.

    Examples:
        >>> jnp.choose(jnp.array([0, 1, 0]), [jnp.array([1, 2, 3]), jnp.array([10, 20, 30])])
        Array([ 1, 20,  3], dtype=int32)
    """
    op.refuse_out("choose", out)
    a = op.ensure_arraylike("choose", a)
    if op.kind_of(a) not in "iu":
        raise ValueError("jnp.choose: `a` is an array of integers.")
    rows = (
        list(choices)
        if isinstance(choices, (list, tuple))
        else reshaping.unstack(choices)
    )
    rows = op.promote_dtypes(*(op.ensure_arraylike("choose", r) for r in rows))
    if mode == "raise":
        values = op.concrete("choose", "a", a)
        if ((values < 0) | (values >= len(rows))).any():
            raise ValueError("jnp.choose: a number is out of range.")
    elif mode == "wrap":
        a = _wrapped(a, len(rows))
    elif mode == "clip":
        a = selection._clip(a, 0, len(rows) - 1)
    else:
        raise ValueError(
            f"jnp.choose: mode={mode!r} is none of 'raise', 'wrap', 'clip'."
        )
    a, *rows = op.broadcast_arrays("choose", a, *rows)
    if len(rows) == 1:
        return op.strong(rows[0])
    return op.strong(lax.select_n(op.convert(a, np.int32), *rows))


traceback_filter.hide_frames(globals())
