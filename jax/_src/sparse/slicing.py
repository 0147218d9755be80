"""Parts of sparse arrays."""

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.core.symbols import expressions
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.sparse import (
    batches,
    bcoo,
    indices as indices_lib,
    relayout,
    shaping,
    sums,
)

fail, require = shaping.fail, shaping.require


def _sliced(mat, starts, counts, strides, data, indices):
    """Moves the sparse part of a slice; elements out of bounds become padding.

    `data` and `indices` are sliced along batch and dense dimensions already; `starts` are
    numbers or traced, `counts` the new sizes, for all dimensions.
    """
    begin, end = mat.n_batch, mat.n_batch + mat.n_sparse
    old, new = mat._kinds.sparse, tuple(counts[begin:end])

    def one(data, indices):
        indices = indices_lib.wrapped(indices, old)
        keep = indices_lib.in_bounds(indices, old)
        moved = []
        for k, column in enumerate(indices_lib.columns(indices)):
            start, stride = starts[begin + k], strides[begin + k]
            offset = column - jnp.asarray(start, column.dtype)
            position = offset // stride if stride != 1 else offset
            keep &= (offset >= 0) & (position < new[k])
            if stride != 1:
                keep &= offset % stride == 0
            moved.append(position)
        rows = jnp.stack(moved, -1) if moved else indices
        inside = keep.reshape(keep.shape + (1,) * (data.ndim - 1))
        return (
            jnp.where(inside, data, jnp.zeros((), data.dtype)),
            indices_lib.padded(rows, keep, new),
        )

    is_cut = any(
        not (
            isinstance(starts[d], int) and starts[d] == 0 and counts[d] == mat.shape[d]
        )
        or strides[d] != 1
        for d in range(begin, end)
    )
    if is_cut:
        data, indices = batches.over(begin, one, data, indices)
    made = bcoo.BCOO((data, indices), shape=tuple(counts))
    room = math.prod(new)
    if mat.n_sparse and expressions.is_certain(lambda: mat.nse > room):
        made = sums.bcoo_sum_duplicates(made, nse=room)
        made = bcoo.BCOO((made.data, made.indices), shape=made.shape)
    return made


def bcoo_slice(
    mat: bcoo.BCOO,
    *,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int] | None = None,
) -> bcoo.BCOO:
    """A part of an array between known bounds.

    Args:
        mat: the array.
        start_indices: where it begins, one number for each dimension.
        limit_indices: where it ends; this element is not in it.
        strides: its steps; None: 1.

    Returns:
        A BCOO of the same layout. It stores as many elements as `mat`, unless there is
        room for fewer; elements out of bounds are padding.

    Raises:
        TypeError: `mat` is no BCOO.
        ValueError: the bounds do not fit the shape.
    """
    require("bcoo_slice", mat)
    starts = [expressions.size_index(s) for s in start_indices]
    limits = [expressions.size_index(s) for s in limit_indices]
    steps = [1] * mat.ndim if strides is None else [operator.index(s) for s in strides]
    facts = [
        ("array", repr(mat)),
        ("start_indices", starts),
        ("limit_indices", limits),
        ("strides", steps),
    ]
    if not len(starts) == len(limits) == len(steps) == mat.ndim:
        rule = "There is one number for each dimension."
        raise fail(ValueError, "bcoo_slice: wrong numbers of bounds.", facts, rule)
    if any(s < 1 for s in steps) or any(
        not 0 <= a <= b <= size
        for a, b, size in zip(starts, limits, mat.shape, strict=True)
    ):
        rule = "0 <= start <= limit <= size, and strides are positive."
        raise fail(
            ValueError, "bcoo_slice: bounds are outside of the array.", facts, rule
        )
    counts = [-(-(b - a) // s) for a, b, s in zip(starts, limits, steps, strict=True)]
    bounds = [slice(a, b, s) for a, b, s in zip(starts, limits, steps, strict=True)]
    data, indices = (
        _part(buffer, mat.n_batch, bounds) for buffer in (mat.data, mat.indices)
    )
    dense = (slice(None),) * (mat.n_batch + 1)
    data = data[(*dense, *bounds[mat.n_batch + mat.n_sparse :])]
    return _sliced(mat, starts, counts, steps, data, indices)


def _part(buffer, n_batch, bounds):
    """Slices batch dimensions, but for those of size 1 that stand for all rows."""
    chosen = [
        b if size != 1 else slice(0, min(1, b.stop - b.start))
        for b, size in zip(bounds[:n_batch], buffer.shape[:n_batch], strict=True)
    ]
    return buffer[tuple(chosen)]


def _starts(name, mat, start_indices, sizes):
    starts = list(start_indices)
    facts = [("array", repr(mat)), ("starts", len(starts)), ("sizes", sizes)]
    if len(starts) != mat.ndim or len(sizes) != mat.ndim:
        rule = "There is one number for each dimension."
        raise fail(ValueError, f"{name}: wrong numbers of bounds.", facts, rule)
    if any(not 0 <= size <= full for size, full in zip(sizes, mat.shape, strict=True)):
        rule = "A slice is as large as the array at most."
        raise fail(TypeError, f"{name}: the sizes are too large.", facts, rule)
    clamped = []
    for start, size, full in zip(starts, sizes, mat.shape, strict=True):
        if isinstance(start, int | np.integer):
            start = int(start) + (full if start < 0 else 0)
            clamped.append(min(max(start, 0), full - size))
            continue
        start = jnp.asarray(start)
        start = jnp.where(start < 0, start + full, start) if _signed(start) else start
        low, high = indices_lib.sizes_as(start.dtype, (0, full - size))
        clamped.append(lax.clamp(low, start, high))
    return clamped


def _signed(start):
    return jnp.issubdtype(start.dtype, np.signedinteger)


def bcoo_dynamic_slice(
    mat: bcoo.BCOO, start_indices: Sequence[Any], slice_sizes: Sequence[int]
) -> bcoo.BCOO:
    """A part of an array that begins where a program says.

    Args:
        mat: the array.
        start_indices: where it begins, a scalar for each dimension; moved so that the
            part is within the array.
        slice_sizes: its shape.

    Returns:
        A BCOO of the same layout, see `bcoo_slice`.

    Raises:
        ValueError: there are too many or too few numbers.
        TypeError: the part is larger than the array.
    """
    require("bcoo_dynamic_slice", mat)
    sizes = [expressions.size_index(s) for s in slice_sizes]
    starts = _starts("bcoo_dynamic_slice", mat, start_indices, sizes)
    n_batch, end = mat.n_batch, mat.n_batch + mat.n_sparse

    def part(buffer, dense=()):
        for d in range(n_batch):
            if buffer.shape[d] != 1 or sizes[d] == 0:
                buffer = lax.dynamic_slice_in_dim(buffer, starts[d], sizes[d], d)
        for k, d in enumerate(dense):
            axis = n_batch + 1 + k
            buffer = lax.dynamic_slice_in_dim(buffer, starts[d], sizes[d], axis)
        return buffer

    data = part(mat.data, range(end, mat.ndim))
    return _sliced(mat, starts, sizes, [1] * mat.ndim, data, part(mat.indices))


def bcoo_gather(
    operand: bcoo.BCOO,
    start_indices: Any,
    dimension_numbers: Any,
    slice_sizes: Sequence[int],
    *,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    mode: Any = None,
    fill_value: Any = None,
) -> bcoo.BCOO:
    """Slices of an array that begin where an array of indices says, as in `lax.gather`.

    Args:
        operand: the array.
        start_indices: integers of shape ``(*batch, k)``.
        dimension_numbers: `lax.GatherDimensionNumbers`.
        slice_sizes: the shape of a slice.
        unique_indices: not used.
        indices_are_sorted: not used.
        mode: what is done with slices that are outside: they are moved (``"clip"``), or
            filled with zeros (``"fill"``).
        fill_value: must be None or 0.

    Returns:
        A BCOO whose first dimensions, those of the indices, are batch dimensions; if they
        do not come first in the result, there are no batch dimensions.

    Raises:
        NotImplementedError: there are batching dimensions, or another value is to fill.
    """
    require("bcoo_gather", operand)
    numbers = dimension_numbers
    mode = lax.GatherScatterMode.from_any(mode)
    if numbers.operand_batching_dims or fill_value not in (None, 0):
        raise fail(
            NotImplementedError,
            "bcoo_gather: this kind of indexing is not possible on sparse arrays.",
            [("dimension_numbers", numbers), ("fill_value", fill_value)],
            "Operands have no batching dimensions, and what is filled is 0.",
        )
    starts = jnp.asarray(start_indices)
    sizes = tuple(expressions.size_index(s) for s in slice_sizes)
    fills = mode == lax.GatherScatterMode.FILL_OR_DROP
    collapsed = numbers.collapsed_slice_dims
    found = {}

    def one(start):
        full = [0] * operand.ndim
        inside = np.bool_(True)
        for k, d in enumerate(numbers.start_index_map):
            full[d] = start[k]
            inside &= (start[k] >= 0) & (start[k] <= operand.shape[d] - sizes[d])
        part = bcoo_dynamic_slice(operand, full, sizes)
        part = shaping.bcoo_squeeze(part, dimensions=collapsed)
        found["part"] = part
        data = part.data
        if fills:
            data = jnp.where(inside, data, jnp.zeros((), data.dtype))
        return data, part.indices

    n_index = starts.ndim - 1
    data, indices = batches.nfold_vmap(one, n_index, broadcasted=False)(starts)
    shape = (*starts.shape[:-1], *found["part"].shape)
    made = bcoo.BCOO((data, indices), shape=shape)
    return _ordered(made, n_index, numbers.offset_dims)


def _ordered(made, n_index, offset_dims):
    """The slices' dimensions where they belong; those of the indices are the others."""
    ndim = made.ndim
    order = [0] * ndim
    rest = [d for d in range(ndim) if d not in offset_dims]
    for k, d in enumerate((*rest, *offset_dims)):
        order[d] = k
    if order == list(range(ndim)):
        return made
    made = relayout.bcoo_update_layout(made, n_batch=0)
    if order[made.n_sparse :] != list(range(made.n_sparse, ndim)):
        made = relayout.bcoo_update_layout(made, n_dense=0)
    moved = shaping.bcoo_transpose(made, permutation=order)
    return bcoo.BCOO((moved.data, moved.indices), shape=moved.shape)
