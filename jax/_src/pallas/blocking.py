"""Blocks of arrays: cut out, and put back."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas import block_dims, uninitialized


def sizes(dims: Sequence[block_dims.BlockDim]) -> tuple[int, ...]:
    """How many elements of the array a block takes along each dimension."""
    return tuple(map(block_dims.size_of, dims))


def starts(dims: Sequence[block_dims.BlockDim], indices: Sequence[Any]) -> list[Any]:
    """The start of the block of some indices in the padded array; int32."""
    return [
        jnp.asarray(index, np.int32) * np.int32(block_dims.step_of(dim))
        for index, dim in zip(indices, dims, strict=True)
    ]


def padded(array: Any, dims: Sequence[block_dims.BlockDim]) -> Any:
    """The array, reaching as far as its blocks do."""
    return uninitialized.padded(array, paddings(array.shape, dims))


def padded_shape(
    shape: Sequence[int], dims: Sequence[block_dims.BlockDim]
) -> tuple[int, ...]:
    """The shape of an array that reaches as far as its blocks do."""
    pairs = zip(shape, paddings(shape, dims), strict=True)
    return tuple(size + low + high for size, (low, high) in pairs)


def paddings(
    shape: Sequence[int], dims: Sequence[block_dims.BlockDim]
) -> list[tuple[int, int]]:
    """How many elements an array is padded with before and behind its own, to whole blocks."""
    found = []
    for size, dim in zip(shape, dims, strict=True):
        (low, high), block = block_dims.padding_of(dim), block_dims.size_of(dim)
        beyond = -(size + low + high) % block if block else 0
        found.append((low, high + beyond))
    return found


def unpadded(
    array: Any, dims: Sequence[block_dims.BlockDim], shape: Sequence[int]
) -> Any:
    """The array without what it was padded with."""
    if array.shape == tuple(shape):
        return array
    lows = [block_dims.padding_of(dim)[0] for dim in dims]
    ends = [low + size for low, size in zip(lows, shape, strict=True)]
    return lax.slice(array, lows, ends)


def _squeezed(dims):
    return [i for i, dim in enumerate(dims) if block_dims.is_squeezed(dim)]


def cut(array: Any, dims: Sequence[block_dims.BlockDim], starts: Sequence[Any]) -> Any:
    """The block that starts somewhere, moved inside where it would reach beyond."""
    if sizes(dims) != array.shape:
        array = lax.dynamic_slice(array, starts, sizes(dims))
    return lax.squeeze(array, _squeezed(dims))


def put_back(
    array: Any, dims: Sequence[block_dims.BlockDim], starts: Sequence[Any], block: Any
) -> Any:
    """The array with another block there."""
    block = lax.expand_dims(block, _squeezed(dims))
    if sizes(dims) == array.shape:
        return block
    return lax.dynamic_update_slice(array, block, starts)
