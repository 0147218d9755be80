"""Random numbers that do not depend on how they are cut into blocks."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors
from jax._src.numpy import numpy_api as jnp
from jax._src.pallas import program_ids
from jax._src.random import keys


def sample_block(
    sampler_fn: Callable[..., Any],
    global_key: Any,
    block_size: tuple[int, ...],
    tile_size: tuple[int, ...],
    total_size: tuple[int, ...],
    block_index: tuple[Any, ...] | None = None,
    **kwargs: Any,
) -> Any:
    """One block of an array of random numbers, drawn tile by tile.

    Every tile has a key of its own, so that blocks of any sizes are parts of one array.

    Args:
        sampler_fn: ``sampler_fn(key, shape, **kwargs)``, such as `jax.random.uniform`.
        global_key: the key of the whole array.
        block_size: the shape of the block; multiples of `tile_size`.
        tile_size: the shape of tiles.
        total_size: the shape of the whole array.
        block_index: which block; None: the program ids of the kernel.
        **kwargs: further arguments of `sampler_fn`.

    Returns:
        Array of shape `block_size`.

    Raises:
        ValueError: shapes do not fit each other.
    """
    ranks = {len(block_size), len(tile_size), len(total_size)}
    is_whole = all(b % t == 0 for b, t in zip(block_size, tile_size, strict=False))
    if len(ranks) != 1 or not is_whole:
        raise errors.value_error(
            "pltpu.sample_block: the block is not made of whole tiles.",
            [
                ("block_size", str(block_size)),
                ("tile_size", str(tile_size)),
                ("total_size", str(total_size)),
            ],
        )
    axes = range(len(block_size))
    if block_index is None:
        block_index = tuple(program_ids.program_id(axis) for axis in axes)
    inside = [b // t for b, t in zip(block_size, tile_size, strict=True)]
    overall = [-(-n // t) for n, t in zip(total_size, tile_size, strict=True)]
    first = [i * n for i, n in zip(block_index, inside, strict=True)]
    tiles = []
    for offsets in itertools.product(*map(range, inside)):
        number = _number([f + p for f, p in zip(first, offsets, strict=True)], overall)
        key = keys.fold_in(global_key, number)
        tiles.append(sampler_fn(key, tile_size, **kwargs))
    return _joined(tiles, inside)


def _number(offsets: Sequence[Any], sizes: Sequence[int]) -> Any:
    number: Any = 0
    for index, size in zip(offsets, sizes, strict=True):
        number = number * size + index
    return number


def _joined(tiles: Sequence[Any], counts: Sequence[int]) -> Any:
    """The tiles side by side, of which there are so many along each axis."""
    if not counts:
        return tiles[0]
    each = len(tiles) // counts[0]
    rows = [
        _joined(tiles[i * each : (i + 1) * each], counts[1:]) for i in range(counts[0])
    ]
    return jnp.concatenate(rows, -len(counts))
