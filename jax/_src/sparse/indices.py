"""Reading and adding at indices; what is out of bounds is padding.

All functions here take the buffers of one element of a batch.
"""

import functools as ft
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.core.symbols import expressions
from jax._src.lax.ops import sorting
from jax._src.numpy import lax_api as lax, numpy_api as jnp


def columns(indices: Any) -> tuple[Any, ...]:
    """The indices along each dimension."""
    return tuple(indices[:, k] for k in range(indices.shape[1]))


def take(indices: Any, chosen: Sequence[int]) -> Any:
    """Some columns of indices; a slice where they follow each other."""
    chosen = list(chosen)
    begin = chosen[0] if chosen else 0
    if chosen == list(range(begin, begin + len(chosen))):
        return indices[..., begin : begin + len(chosen)]
    return jnp.stack([indices[..., k] for k in chosen], -1)


def read(dense: Any, indices: Any) -> Any:
    """The values at indices of the leading dimensions; 0 where they are out of bounds."""
    if not indices.shape[1]:
        return jnp.broadcast_to(dense[None], (indices.shape[0], *dense.shape))
    return dense.at[columns(indices)].get(mode="fill", fill_value=0)


def add_up(shape: Sequence[int], indices: Any, data: Any, **promises: bool) -> Any:
    """An array of zeros to which values are added at indices of its leading dimensions."""
    if data.dtype == bool:
        return add_up(shape, indices, data.astype(np.int32), **promises) != 0
    if not indices.shape[1]:
        return data.sum(0, dtype=data.dtype)
    zeros = jnp.zeros(tuple(shape), data.dtype)
    return zeros.at[columns(indices)].add(data, mode="drop", **promises)


def sizes_as(dtype: Any, sizes: Sequence[int]) -> Any:
    """Sizes as a vector: one of NumPy, or of the program where a size is symbolic."""
    if expressions.is_static(sizes):
        return np.array(sizes, dtype)
    return jnp.stack([jnp.asarray(size, dtype) for size in sizes])


def wrapped(indices: Any, sparse: Sequence[int]) -> Any:
    """Indices without negative components: these count from the end."""
    axes = range(indices.ndim - 1)
    sizes = jnp.expand_dims(sizes_as(indices.dtype, sparse), tuple(axes))
    return jnp.where(indices < 0, indices + sizes, indices)


def in_bounds(indices: Any, sparse: Sequence[int]) -> Any:
    """Which rows of indices have no component that is out of bounds."""
    tests = [
        (column >= 0) & (column < size)
        for column, size in zip(columns(indices), sparse, strict=True)
    ]
    return ft.reduce(operator.and_, tests, jnp.ones(indices.shape[0], bool))


def padded(indices: Any, keep: Any, sparse: Sequence[int]) -> Any:
    """Indices, but for those that are not kept: these become padding."""
    full = jnp.broadcast_to(sizes_as(indices.dtype, sparse)[None], indices.shape)
    return jnp.where(keep[:, None], indices, full)


def order(indices: Any) -> Any:
    """The permutation that sorts rows of indices lexicographically; it is stable."""
    count = indices.shape[0]
    numbers = jnp.arange(count, dtype=np.int32)
    if not indices.shape[1]:
        return numbers
    keys = columns(indices)
    return sorting.sort((*keys, numbers), num_keys=len(keys))[-1]


def is_first(ordered: Any) -> Any:
    """In sorted rows of indices, which differ from the row before."""
    if not ordered.shape[0]:
        return jnp.zeros(0, bool)
    differs = (ordered[1:] != ordered[:-1]).any(1)
    return jnp.concatenate([jnp.ones(1, bool), differs])


def count_distinct(indices: Any, sparse: Sequence[int]) -> Any:
    """The number of distinct rows of indices that are in bounds."""
    indices = wrapped(indices, sparse)
    rows = padded(indices, in_bounds(indices, sparse), sparse)
    rows = rows[order(rows)]
    return (is_first(rows) & in_bounds(rows, sparse)).sum()


def distinct(indices: Any, sparse: Sequence[int], nse: int) -> tuple[Any, Any]:
    """The distinct rows of indices in order, and for each row the number of its own.

    Rows that are out of bounds count as one, the last. There are `nse` results: more are
    cut off, and if there are fewer, padding follows.
    """
    indices = wrapped(indices, sparse)
    rows = padded(indices, in_bounds(indices, sparse), sparse)
    permutation = order(rows)
    rows = rows[permutation]
    groups = jnp.cumsum(is_first(rows), dtype=np.int32) - 1
    empty = jnp.broadcast_to(
        sizes_as(indices.dtype, sparse)[None], (nse, indices.shape[1])
    )
    found = empty.at[groups].set(rows, mode="drop")
    number = jnp.zeros(rows.shape[0], np.int32).at[permutation].set(groups)
    return found, number


def first_of_each(indices: Any) -> Any:
    """Which rows of indices do not occur before."""
    permutation = order(indices)
    first = is_first(indices[permutation])
    return jnp.zeros(indices.shape[0], bool).at[permutation].set(first)


def meet(left: Any, right: Any) -> Any:
    """Which rows of indices on the left equal which on the right: a matrix."""
    tests = [
        a[:, None] == b[None, :]
        for a, b in zip(columns(left), columns(right), strict=True)
    ]
    return ft.reduce(
        operator.and_, tests, jnp.ones((left.shape[0], right.shape[0]), bool)
    )


def nonzero(mask: Any, nse: int, dtype: Any) -> Any:
    """Where a mask holds, in row-major order: `nse` rows of indices, padding last."""
    if not mask.ndim:
        return jnp.zeros((nse, 0), dtype)
    flat = mask.reshape(-1)
    # The position of each true element among the true ones is the sum before it.
    target = jnp.where(flat, jnp.cumsum(flat, dtype=np.int32) - 1, nse)
    where = jnp.full(nse, flat.size, np.int32)
    numbers = lax.iota(np.dtype(np.int32), flat.size)
    where = where.at[target].set(numbers, mode="drop")
    return unravelled(where, mask.shape, dtype)


def unravelled(flat: Any, shape: Sequence[int], dtype: Any) -> Any:
    """Rows of indices of numbers in row-major order; too large ones become padding."""
    found = []
    inside = flat < math.prod(shape)
    for k, size in enumerate(shape):
        column = flat // max(1, math.prod(shape[k + 1 :])) % max(1, size)
        found.append(jnp.where(inside, column, size).astype(dtype))
    return jnp.stack(found, -1)
