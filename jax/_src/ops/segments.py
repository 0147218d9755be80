"""Reductions of the elements that carry the same number."""

from __future__ import annotations

import operator
from typing import Any

from jax._src.base import traceback_filter
from jax._src.core.symbols import expressions
from jax._src.numpy import (
    creation,
    indexing,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    reductions,
)
from jax._src.transforms import sharding_constraint

Array = Any
ArrayLike = Any


def _segments(
    name, update, neutral, data, segment_ids, num_segments, is_sorted, is_unique,
    bucket_size, mode, out_sharding,
):  # fmt: skip
    data, segment_ids = operands.ensure_arraylike(name, data, segment_ids)
    if operands.kind_of(segment_ids) not in "iu":
        raise operands.type_error(
            name,
            "the numbers of segments are no integers.",
            [("segment_ids", operands.type_name(segment_ids))],
        )
    if num_segments is None:
        ids = operands.concrete(name, "segment_ids", segment_ids)
        num_segments = int(ids.max()) + 1 if ids.size else 0
    count = expressions.size_index(num_segments)
    if type(count) is int and count < 0:
        raise ValueError(f"jax.ops.{name}: num_segments={count} is negative.")
    start = creation.full(
        (count, *operands.shape(data)[1:]),
        neutral(operands.dtype_of(data)),
        operands.dtype_of(data),
    )
    options = indexing.Options(is_sorted, is_unique, mode, wrap_negative_indices=False)
    if bucket_size is None:
        out = update(start, segment_ids, data, options)
    else:
        out = _in_buckets(update, start, segment_ids, data, bucket_size, options)
    if out_sharding is None:
        return out
    return sharding_constraint.with_sharding_constraint(out, out_sharding)


def _in_buckets(update, start, segment_ids, data, bucket_size, options):
    """Reduces buckets of slices on their own, then their results: less rounding."""
    bucket_size = operator.index(bucket_size)
    if bucket_size < 1:
        raise ValueError(f"jax.ops: bucket_size={bucket_size} is below 1.")
    total = start
    length = operands.shape(data)[0]
    for begin in range(0, length, bucket_size):
        end = min(begin + bucket_size, length)
        part = update(start, segment_ids[begin:end], data[begin:end], options)
        total = update(total, slice(None), part)
    return total


def segment_sum(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The sums of the elements of each segment.

    Args:
        data: array whose slices along the first axis are added.
        segment_ids: for each slice, the number of its segment; those out of range are
            dropped.
        num_segments: how many segments, needed when the numbers are traced.
        indices_are_sorted: a promise that makes the program faster.
        unique_indices: likewise.
        bucket_size: how many slices are reduced at a time, before the results are.
        mode: for numbers out of range, see ``x.at``.
        out_sharding: the sharding of the result.

    Returns:
        Array of the dtype of `data`, with segments along the first axis.

    Raises:
        ConcretizationTypeError: `segment_ids` is traced, and `num_segments` not given.
            ValueError: sizes do not fit, or `num_segments` or `bucket_size` is too
            small. TypeError: `segment_ids` is not of integers.

    Examples:
        >>> jax.ops.segment_sum(jnp.array([1, 2, 4]), jnp.array([0, 1, 0]))
        Array([5, 2], dtype=int32)
    """
    return _segments(
        "segment_sum", indexing.add, lambda dtype: 0, data, segment_ids, num_segments,
        indices_are_sorted, unique_indices, bucket_size, mode, out_sharding,
    )  # fmt: skip


def segment_prod(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The products of the elements of each segment, 1 of none.

    The arguments are those of `jax.ops.segment_sum`, and so are shape, dtype and
    errors.
    """
    return _segments(
        "segment_prod", indexing.multiply, lambda dtype: 1, data, segment_ids, num_segments,
        indices_are_sorted, unique_indices, bucket_size, mode, out_sharding,
    )  # fmt: skip


def segment_max(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The largest element of each segment, minus infinity or the least integer of none.

    The arguments are those of `jax.ops.segment_sum`, and so are shape, dtype and
    errors.
    """
    return _segments(
        "segment_max", indexing.maximum, reductions.lowest, data, segment_ids, num_segments,
        indices_are_sorted, unique_indices, bucket_size, mode, out_sharding,
    )  # fmt: skip


def segment_min(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The smallest element of each segment, infinity or the largest integer of none.

    The arguments are those of `jax.ops.segment_sum`, and so are shape, dtype and
    errors.
    """
    return _segments(
        "segment_min", indexing.minimum, reductions.highest, data, segment_ids, num_segments,
        indices_are_sorted, unique_indices, bucket_size, mode, out_sharding,
    )  # fmt: skip


traceback_filter.hide_frames(globals())
