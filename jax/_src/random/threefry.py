"""The generator threefry2x32, which keys are of by default.

Reference: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3
(2011), with 20 rounds.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jax._src.base import options
from jax._src.numpy import lax_api as lax, operands
from jax._src.random import generators as gen

Array = Any

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA


def block(key0: Array, key1: Array, x0: Array, x1: Array) -> tuple[Array, Array]:
    """Two words of output for each pair of words of a counter."""
    parity = np.uint32(_PARITY)
    keys = (key0, key1, lax.bitwise_xor(lax.bitwise_xor(key0, key1), parity))
    keys = tuple(gen.spread(key, x0) for key in keys)
    x0, x1 = lax.add(x0, keys[0]), lax.add(x1, keys[1])
    for group in range(5):
        for rotation in _ROTATIONS[group % 2]:
            x0 = lax.add(x0, x1)
            x1 = lax.bitwise_xor(x0, gen.rotate_left(x1, rotation))
        x0 = lax.add(x0, keys[(group + 1) % 3])
        x1 = lax.add(x1, keys[(group + 2) % 3])
        x1 = lax.add(x1, gen.constant(x1, group + 1))
    return x0, x1


def _flat(key: Array, counts: Array) -> Array:
    """The older order: the first half of the counters beside the second."""
    count = operands.size(counts)
    odd = count % 2
    half = (count + 1) // 2
    if type(odd) is not int:  # of a symbolic size
        counts = lax.pad(counts, np.uint32(0), [(0, 2 * half - count, 0)])
    elif odd:
        counts = lax.concatenate((counts, lax.full((1,), 0, gen.U32)), 0)
    first = lax.slice_in_dim(counts, 0, half)
    second = lax.slice_in_dim(counts, half, 2 * half)
    y0, y1 = block(gen.word(key, 0), gen.word(key, 1), first, second)
    return lax.slice_in_dim(lax.concatenate((y0, y1), 0), 0, count)


def _flat_blocks(key: Array, count: int) -> Array:
    if type(count) is int and count >= 2**32:
        raise NotImplementedError(
            f"random arrays of {count} words: more than 2**32 - 1 are not supported."
        )
    return _flat(key, lax.iota(gen.U32, count))


def _is_partitionable() -> bool:
    return options.threefry_partitionable.value


def split(key: Array, shape: tuple[int, ...]) -> Array:
    """Independent keys, of shape ``(*shape, 2)``."""
    if not _is_partitionable():
        return lax.reshape(_flat_blocks(key, 2 * math.prod(shape)), (*shape, 2))
    high, low = gen.counters(shape)
    return gen.stacked(list(block(gen.word(key, 0), gen.word(key, 1), high, low)))


def bits(key: Array, width: int, shape: tuple[int, ...]) -> Array:
    """Unsigned integers with `width` random bits."""
    if not _is_partitionable():
        return _bits_in_older_order(key, width, shape)
    high, low = gen.counters(shape)
    y0, y1 = block(gen.word(key, 0), gen.word(key, 1), high, low)
    if width == 64:
        return gen.joined(y0, y1)
    return gen.narrowed(lax.bitwise_xor(y0, y1), width)


def _bits_in_older_order(key, width, shape):
    count = math.prod(shape)
    if width == 64:
        words = _flat_blocks(key, 2 * count)
        high = lax.slice_in_dim(words, 0, count)
        low = lax.slice_in_dim(words, count, 2 * count)
        return lax.reshape(gen.joined(high, low), shape)
    parts = 32 // width
    words = _flat_blocks(key, -(-count // parts))
    if parts > 1:
        shifts = np.arange(parts, dtype=np.uint32) * np.uint32(width)
        rows = (operands.size(words), parts)
        pieces = lax.shift_right_logical(
            lax.broadcast_in_dim(words, rows, (0,)),
            lax.broadcast_in_dim(shifts, rows, (1,)),
        )
        words = lax.reshape(gen.narrowed(pieces, width), (math.prod(rows),))
    return lax.reshape(lax.slice_in_dim(words, 0, count), shape)


def fold_in(key: Array, data: Array) -> Array:
    """The key that `data` picks."""
    zero = gen.constant(data, 0)
    return gen.stacked(list(block(gen.word(key, 0), gen.word(key, 1), zero, data)))


def seed(high: Array, low: Array) -> Array:
    """The key of a seed: its two words."""
    return gen.stacked([high, low])
