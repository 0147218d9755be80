"""From entries to what `gather` and `scatter` are given.

A `Plan` is known at trace time and hashable: together with the index arrays it
says everything, so that eager indexing is one cached native call.
"""

from __future__ import annotations

import functools as ft
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import records
from jax._src.core.symbols import expressions
from jax._src.numpy import index_expressions, lax_api as lax, operands
from jax._src.numpy.jit_wrapper import jit


@records.record
class Plan:
    """How index arrays and slices make up the indexed part of an array.

    The part has the *batch* axes, along which index arrays run, and the *window*
    axes, which are axes of the array: whole ones, and stretches of some.
    """

    # The shape of the part, before new axes of size 1 are put in.
    shape: tuple[int, ...]
    # Axes of the array that are given by indices, in the order of the index arrays.
    indexed_axes: tuple[int, ...]
    # For each of them, the axes of the part along which its indices run.
    spans: tuple[tuple[int, ...], ...]
    # Those of the axes given by indices that are sliced: an index is the start of a slice.
    cut_axes: tuple[int, ...]
    # The axes of the part that are axes of the array, whole or cut.
    window_axes: tuple[int, ...]
    # Where axes of size 1 go in the result.
    new_axes: tuple[int, ...]
    # Whether indices of the part are known to differ and to ascend.
    is_unique: bool

    @property
    def batch_axes(self) -> tuple[int, ...]:
        """The axes of the part along which indices run."""
        return tuple(i for i in range(len(self.shape)) if i not in self.window_axes)

    @property
    def gone_axes(self) -> tuple[int, ...]:
        """The axes of the array of which each batch element has one index."""
        return tuple(sorted({*self.indexed_axes} - {*self.cut_axes}))

    @property
    def result_shape(self) -> tuple[int, ...]:
        """The shape of the indexed part, new axes included."""
        sizes = list(self.shape)
        for axis in self.new_axes:
            sizes.insert(axis, 1)
        return tuple(sizes)


def make_plan(
    entries: Sequence[index_expressions.Entry], sizes: Sequence[int]
) -> tuple[Plan, list[Any]]:
    """The plan, and the index arrays that go with it."""
    arrays = [e for e in entries if isinstance(e, index_expressions.IndexArray)]
    group_shape = _group_shape([e.indices for e in arrays])
    group = [
        e
        for e in entries
        if isinstance(e, (index_expressions.IntegerIndex, index_expressions.IndexArray))
    ]
    at_front = bool(arrays) and not _is_contiguous(entries)
    shape: list[int] = []
    new_axes, window_axes, cut_axes = [], [], []
    indexed: list[tuple[int, tuple[int, ...], Any]] = []
    group_start = 0 if at_front else None
    if at_front:
        shape += group_shape
    position_of_new: list[int] = []
    for entry in entries:
        if isinstance(entry, index_expressions.NewAxis):
            position_of_new.append(len(shape))
        elif isinstance(entry, index_expressions.Range):
            if entry.is_whole:
                window_axes.append(len(shape))
            elif entry.step == 1:
                window_axes.append(len(shape))
                cut_axes.append(entry.axis)
                indexed.append((entry.axis, (), operands.int32(entry.start)))
            else:
                indexed.append((entry.axis, (len(shape),), range_indices(entry)))
            shape.append(entry.count)
        elif isinstance(entry, index_expressions.Window):
            if entry.step == 1 and entry.count <= sizes[entry.axis]:
                window_axes.append(len(shape))
                cut_axes.append(entry.axis)
                indexed.append((entry.axis, (), raw_index(entry.start)))
            else:
                positions = window_indices(entry, sizes[entry.axis])
                indexed.append((entry.axis, (len(shape),), positions))
            shape.append(entry.count)
        elif arrays and group_start is None:
            group_start = len(shape)
            shape += group_shape
    span_start = group_start or 0
    for entry in group:
        indices = (
            entry.indices
            if isinstance(entry, index_expressions.IndexArray)
            else entry.index
        )
        rank = operands.ndim(indices)
        stop = span_start + len(group_shape)
        positions = _normalized(indices, sizes[entry.axis])
        indexed.append((entry.axis, tuple(range(stop - rank, stop)), positions))
    for count, position in enumerate(position_of_new):
        new_axes.append(position + count)
    plan = Plan(
        tuple(shape),
        tuple(axis for axis, _, _ in indexed),
        tuple(span for _, span, _ in indexed),
        tuple(cut_axes),
        tuple(window_axes),
        tuple(new_axes),
        not arrays,
    )
    return plan, [positions for _, _, positions in indexed]


def range_indices(entry: index_expressions.Range) -> Any:
    """The indices of a range; on the host where its size is known."""
    if type(entry.count) is int and type(entry.start) is int:
        return (entry.start + entry.step * np.arange(entry.count)).astype(np.int32)
    counted = operands.counted(entry.count)
    steps = lax.mul(counted, lax.full_like(counted, operands.int32(entry.step)))
    return lax.add(steps, lax.full_like(counted, operands.int32(entry.start)))


def window_indices(entry: index_expressions.Window, size: int) -> Any:
    """The indices of a window; all are out of bounds where it would pass the end."""
    offsets = (entry.step * np.arange(entry.count)).astype(np.int32)
    start, last = entry.start, size - entry.count
    if isinstance(start, int):
        start += size if start < 0 else 0
        is_outside = entry.step == 1 and not 0 <= start <= last
        return np.full_like(offsets, size) if is_outside else offsets + np.int32(start)
    start = operands.convert(wrap_negative(start, size), np.int32)
    if entry.step == 1:
        is_inside = lax.bitwise_and(
            lax.ge(start, np.int32(0)), lax.le(start, np.int32(last))
        )
        start = lax.select(is_inside, start, lax.full_like(start, size))
    return lax.add(lax.broadcast_in_dim(start, (entry.count,), ()), offsets)


def _group_shape(arrays) -> list[int]:
    if not arrays:
        return []
    shapes = [operands.shape(a) for a in arrays]
    try:
        return list(expressions.broadcast_shapes(*shapes))
    except ValueError:
        raise IndexError(
            "Index arrays do not broadcast together.\n"
            + "\n".join(f"  array {i}  shape {s}" for i, s in enumerate(shapes))
            + "\nTo index each axis on its own: jnp.ix_(...)."
        ) from None


def _is_contiguous(entries) -> bool:
    """Whether nothing separates the entries that are indices."""
    which = [
        i
        for i, e in enumerate(entries)
        if isinstance(e, (index_expressions.IntegerIndex, index_expressions.IndexArray))
    ]
    return which[-1] - which[0] + 1 == len(which)


def _normalized(indices, size):
    """Indices counted from the start; on the host where they are known there."""
    if isinstance(indices, (int, np.integer)):
        index = int(indices)
        if index < 0 and expressions.is_dimension(size):
            return operands.int32(size + index)
        return np.int32(_to_int32(index + size if index < 0 else index))
    if isinstance(indices, np.ndarray) and type(size) is int:
        counted = indices.astype(np.int64) if indices.dtype.kind == "i" else indices
        counted = np.where(counted < 0, counted + size, counted)
        return np.clip(counted, -(2**31), 2**31 - 1).astype(np.int32)
    return wrap_negative(indices, size)


def raw_index(index: Any) -> Any:
    """An index as it was written; known ones beyond 32 bits are out of bounds as well."""
    return np.int32(_to_int32(index)) if isinstance(index, int) else index


def _to_int32(index: int) -> int:
    return max(-(2**31), min(index, 2**31 - 1))


@ft.partial(jit, static_argnums=(1,))
def wrap_negative(indices: Any, size: int) -> Any:
    """Indices counted from the start, of traced or device arrays."""
    found = operands.dtype_of(indices)
    if operands.kind(found) == "u":
        return indices
    if found.itemsize < 4:
        indices = operands.convert(indices, np.int32)
    indices = operands.strong(indices)
    is_negative = lax.lt(indices, lax.full_like(indices, 0))
    return lax.select(
        is_negative, lax.add(indices, lax.full_like(indices, size)), indices
    )


def index_array(plan: Plan, positions: Sequence[Any]) -> Any:
    """All indices as one array; its last axis has an entry per indexed axis."""
    batch = plan.batch_axes
    sizes = tuple(plan.shape[i] for i in batch)
    if not positions:
        return np.zeros((*sizes, 0), np.int32)
    columns = []
    for span, indices in zip(plan.spans, positions, strict=True):
        indices = operands.convert(indices, index_expressions.index_dtype(indices))
        columns.append(_spread(indices, span, batch, sizes))
    if len({operands.dtype_of(c) for c in columns}) > 1:
        columns = [operands.convert(c, np.int64) for c in columns]
    return lax.concatenate(columns, len(sizes)) if len(columns) > 1 else columns[0]


def _spread(indices, span, batch, sizes):
    """An index array repeated over the batch axes, with one more axis of size 1."""
    rank = len(sizes)
    own = tuple(batch.index(i) for i in span)
    kept = [i for i, n in enumerate(operands.shape(indices)) if n == sizes[own[i]]]
    if len(kept) != len(own):
        indices = lax.reshape(indices, tuple(operands.shape(indices)[i] for i in kept))
    return (
        lax.broadcast_in_dim(indices, (*sizes, 1), tuple(own[i] for i in kept))
        if (rank or operands.ndim(indices) == 0)
        else indices
    )


def slice_sizes(plan: Plan, sizes: Sequence[int]) -> tuple[int, ...]:
    """The size of the window of one batch element along each axis of the array."""
    counts = iter([plan.shape[i] for i in plan.window_axes])
    return tuple(1 if i in plan.gone_axes else next(counts) for i in range(len(sizes)))


def gather_numbers(plan: Plan) -> lax.GatherDimensionNumbers:
    """The dimension numbers of the gather that reads the part."""
    return lax.GatherDimensionNumbers(
        offset_dims=plan.window_axes,
        collapsed_slice_dims=plan.gone_axes,
        start_index_map=plan.indexed_axes,
    )


def scatter_numbers(plan: Plan) -> lax.ScatterDimensionNumbers:
    """The dimension numbers of the scatter that writes the part."""
    return lax.ScatterDimensionNumbers(
        update_window_dims=plan.window_axes,
        inserted_window_dims=plan.gone_axes,
        scatter_dims_to_operand_dims=plan.indexed_axes,
    )


def element_count(plan: Plan) -> int:
    """The number of elements of the part."""
    return math.prod(plan.shape)
