"""Binary functions applied from element to element along axes: folds, their steps, parts."""

from __future__ import annotations

import functools as ft
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src.core import avals
from jax._src.numpy import (
    insert_delete,
    lax_api as lax,
    operands as op,
    ranges,
    reshaping,
    selection,
    taking,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.transforms import inspect_programs as ip, shape_dtype_struct

Array = Any


def dtype_of_steps(function: Callable, a: Array, dtype: Any) -> Any:
    """The dtype in which elements are folded: the given one, or that of one step."""
    if dtype is not None:
        return dtype
    element = avals.ShapedArray((), op.dtype_of(a))
    return ip.eval_shape(
        function, *[shape_dtype_struct.struct_of(element, None)] * 2
    ).dtype


def _axes_first(x, axes):
    """The axes as one, the first; the others follow."""
    rest = tuple(i for i in range(op.ndim(x)) if i not in axes)
    moved = lax.transpose(x, (*axes, *rest))
    return reshaping.reshape(moved, (-1, *op.shape(moved)[len(axes) :]))


@ft.partial(jit, static_argnums=(0,), static_argnames=("axes", "dtype", "keepdims"))
def reduce(function, a, initial, where, *, axes, dtype, keepdims):
    """Elements along axes, folded from the left; `initial` may be None where there are some.

    Args:
        function: of two arrays, hashable.
        a: array.
        initial: the first operand, or None for the first element.
        where: mask of the elements to fold, or None; needs `initial`.
        axes: the axes, not negative.
        dtype: in which to fold.
        keepdims: whether the axes stay, with size 1.
    """
    rows = _axes_first(op.convert(a, dtype), axes)
    mask = None
    if where is not None:
        mask = _axes_first(op.broadcast_to(where, op.shape(a)), axes)
    if initial is None:
        result, rows = lax.index_in_dim(rows, 0, 0, False), rows[1:]
    else:
        result = op.broadcast_to(op.convert(initial, dtype), op.shape(rows)[1:])
    result, _ = _steps(function, result, rows, mask)
    return lax.expand_dims(result, axes) if keepdims else result


@ft.partial(jit, static_argnums=(0,), static_argnames=("axis", "dtype"))
def accumulate(function, a, *, axis, dtype):
    """What each step of a fold along an axis gives."""
    x = op.convert(a, dtype)
    if not op.shape(x)[axis]:
        return x
    rows = reshaping.moveaxis(x, axis, 0)
    _, steps = _steps(function, lax.index_in_dim(rows, 0, 0, False), rows[1:], None)
    steps = lax.concatenate([rows[:1], steps], 0)
    return reshaping.moveaxis(steps, 0, axis)


def _steps(function, first, rows, mask):
    """The fold of `first` and rows, those that a mask names, and all its steps."""

    def step(result, row):
        element, is_taken = row
        after = op.convert(function(result, element), op.dtype_of(result))
        if is_taken is not None:
            after = selection.where(is_taken, after, result)
        return after, after

    return lax.scan(step, op.strong(first), (rows, mask))


def at(function, a, indices, b):
    """Applies `function` to the elements at indices of `a`, one index after the other.

    Args:
        function: of two arrays.
        a: array.
        indices: an array of whole numbers, or a tuple of such that broadcast together.
        b: the second operands, which broadcast against the elements at the indices.
    """
    positions = indices if isinstance(indices, tuple) else (indices,)
    positions = op.broadcast_arrays("ufunc.at", *positions)
    taken = op.shape(a)[len(positions) :]
    b = op.broadcast_to(b, (*op.shape(positions[0]), *taken))
    rows = [lax.reshape(p, (op.size(p),)) for p in positions]
    seconds = lax.reshape(b, (op.size(positions[0]), *taken))

    def step(a, row):
        index, second = row
        after = op.convert(function(a[index], second), op.dtype_of(a))
        return a.at[index].set(after), None

    return lax.scan(step, a, (tuple(rows), seconds))[0]


@ft.partial(jit, static_argnums=(0,), static_argnames=("axis", "dtype"))
def reduceat(function, a, indices, *, axis, dtype):
    """Folds of the parts of an axis from each index to the next one, the last to the end.

    Where the next index is no later, the part is the one element.
    """
    rows = reshaping.moveaxis(op.convert(a, dtype), axis, 0)
    count = op.shape(rows)[0]
    stops = insert_delete.append(indices[1:], op.convert(count, np.int32))
    folded = taking.take(rows, indices, axis=0)
    of_rows = (op.size(indices), *(1,) * (op.ndim(rows) - 1))

    def step(folded, row):
        index, element = row
        is_inside = lax.reshape((indices < index) & (index < stops), of_rows)
        after = op.convert(function(folded, element[None]), dtype)
        return selection.where(is_inside, after, folded), None

    folded, _ = lax.scan(step, folded, (ranges.arange(count), rows))
    return reshaping.moveaxis(folded, 0, axis)
