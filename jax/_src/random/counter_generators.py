"""The other generators: Threefry and Philox of other sizes, and the compiler's own.

Reference: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3
(2011); constants as in the authors' Random123.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jax._src.numpy import lax_api as lax, operands
from jax._src.random import generators as gen, threefry

Array = Any

_THREEFRY4_ROTATIONS = (
    (10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20),
)  # fmt: skip
_PARITY = 0x1BD11BDA
_PHILOX2_FACTOR = 0xD256D193
_PHILOX4_FACTORS = (0xD2511F53, 0xCD9E8D57)
_PHILOX_BUMPS = (0x9E3779B9, 0xBB67AE85)


def _xor(*parts):
    result = parts[0]
    for part in parts[1:]:
        result = lax.bitwise_xor(result, part)
    return result


def _zeros(x):
    return gen.constant(x, 0)


# ---------------------------------------------------------------- threefry4x32


def block4(key: list[Array], counter: list[Array]) -> list[Array]:
    """Threefry with four words and 20 rounds."""
    like = counter[0]
    keys = [gen.spread(k, like) for k in key]
    keys.append(_xor(*keys, gen.constant(like, _PARITY)))
    x = [lax.add(c, k) for c, k in zip(counter, keys[:4], strict=True)]
    for number in range(20):
        first, second = _THREEFRY4_ROTATIONS[number % 8]
        pairs = ((0, 1), (2, 3)) if number % 2 == 0 else ((0, 3), (2, 1))
        for (p, q), by in zip(pairs, (first, second), strict=True):
            x[p] = lax.add(x[p], x[q])
            x[q] = lax.bitwise_xor(gen.rotate_left(x[q], by), x[p])
        if number % 4 == 3:
            group = number // 4
            x = [lax.add(x[i], keys[(i + 1 + group) % 5]) for i in range(4)]
            x[3] = lax.add(x[3], gen.constant(like, group + 1))
    return x


def _threefry4_bits(key, width, shape):
    high, low = gen.counters(shape)
    y = block4(gen.words_of(key), [high, low, _zeros(low), _zeros(low)])
    if width == 64:
        return gen.joined(_xor(y[0], y[2]), _xor(y[1], y[3]))
    return gen.narrowed(_xor(*y), width)


def _threefry4_split(key, shape):
    high, low = gen.counters(shape)
    return gen.stacked(block4(gen.words_of(key), [_zeros(low), _zeros(low), high, low]))


def _threefry4_fold_in(key, data):
    zero = _zeros(data)
    return gen.stacked(block4(gen.words_of(key), [zero, zero, zero, data]))


def _threefry4_seed(high, low):
    zero = _zeros(low)
    return gen.stacked(block4([high, low, zero, zero], [zero, zero, zero, zero]))


# ---------------------------------------------------------------- philox


def _wide_product(factor: int, x: Array) -> tuple[Array, Array]:
    """The high and low words of a product of 32-bit words."""
    factor = gen.constant(x, factor)
    return lax.mulhi(factor, x), lax.mul(factor, x)


def philox2(key: Array, x0: Array, x1: Array) -> tuple[Array, Array]:
    """Philox with two words and 10 rounds."""
    key = gen.spread(key, x0)
    for _ in range(10):
        high, low = _wide_product(_PHILOX2_FACTOR, x0)
        x0, x1 = _xor(high, x1, key), low
        key = lax.add(key, gen.constant(key, _PHILOX_BUMPS[0]))
    return x0, x1


def philox4(key: list[Array], x: list[Array], rounds: int = 10) -> list[Array]:
    """Philox with four words."""
    key = [gen.spread(k, x[0]) for k in key]
    for _ in range(rounds):
        high0, low0 = _wide_product(_PHILOX4_FACTORS[0], x[0])
        high1, low1 = _wide_product(_PHILOX4_FACTORS[1], x[2])
        x = [_xor(high1, x[1], key[0]), low1, _xor(high0, x[3], key[1]), low0]
        key = [
            lax.add(k, gen.constant(k, bump))
            for k, bump in zip(key, _PHILOX_BUMPS, strict=True)
        ]
    return x


def _philox2_bits(key, width, shape):
    y0, y1 = philox2(gen.word(key, 0), *gen.counters(shape))
    return gen.joined(y0, y1) if width == 64 else gen.narrowed(_xor(y0, y1), width)


def _philox2_split(key, shape):
    return gen.stacked([philox2(gen.word(key, 0), *gen.counters(shape))[0]])


def _philox2_fold_in(key, data):
    return gen.stacked([philox2(gen.word(key, 0), _zeros(data), data)[0]])


def _philox2_seed(high, low):
    return gen.stacked([philox2(_zeros(low), high, low)[0]])


def _philox4_bits(key, width, shape):
    high, low = gen.counters(shape)
    y = philox4(gen.words_of(key), [high, low, _zeros(low), _zeros(low)])
    return gen.joined(y[0], y[1]) if width == 64 else gen.narrowed(_xor(*y), width)


def _philox4_split(key, shape):
    high, low = gen.counters(shape)
    y = philox4(gen.words_of(key), [_zeros(low), _zeros(low), high, low])
    return gen.stacked(y[:2])


def _philox4_fold_in(key, data):
    zero = _zeros(data)
    return gen.stacked(philox4(gen.words_of(key), [zero, zero, zero, data])[:2])


def _philox4_seed(high, low):
    zero = _zeros(low)
    return gen.stacked(philox4([zero, zero], [high, low, zero, zero])[:2])


# ---------------------------------------------------------------- the compiler's own


def _compiler_bits(key, width, shape):
    dtype = np.dtype(f"uint{max(width, 32)}")
    _, bits = lax.rng_bit_generator(key, shape, dtype)
    return bits if width >= 32 else operands.convert(bits, np.dtype(f"uint{width}"))


def _halves(key):
    return lax.slice_in_dim(key, 0, 2), lax.slice_in_dim(key, 2, 4)


def _rbg_split(key, shape):
    parts = [threefry.split(half, shape) for half in _halves(key)]
    return lax.concatenate(parts, len(shape))


def _rbg_fold_in(key, data):
    return lax.concatenate([threefry.fold_in(half, data) for half in _halves(key)], 0)


def _rbg_seed(high, low):
    return gen.stacked([high, low, high, low])


def _unsafe_split(key, shape):
    count = math.prod(shape)
    rows = _compiler_bits(key, 32, (10 * count, 4))
    chosen = lax.slice(rows, (0, 0), (10 * count, 4), (10, 1))
    return lax.reshape(chosen, (*shape, 4))


def _unsafe_fold_in(key, data):
    zero = _zeros(data)
    rows = _compiler_bits(gen.stacked([zero, data, zero, data]), 32, (10, 4))
    return lax.bitwise_xor(key, lax.index_in_dim(rows, 9, keepdims=False))


for _name, _tag, _words, _rules in (
    (
        "philox2x32", "phx2", 1,
        (_philox2_seed, _philox2_split, _philox2_bits, _philox2_fold_in),
    ),
    (
        "philox4x32", "phx4", 2,
        (_philox4_seed, _philox4_split, _philox4_bits, _philox4_fold_in),
    ),
    (
        "threefry2x32", "fry", 2,
        (threefry.seed, threefry.split, threefry.bits, threefry.fold_in),
    ),
    ("rbg", "rbg", 4, (_rbg_seed, _rbg_split, _compiler_bits, _rbg_fold_in)),
    (
        "unsafe_rbg", "urbg", 4,
        (_rbg_seed, _unsafe_split, _compiler_bits, _unsafe_fold_in),
    ),
    (
        "threefry4x32", "fry4", 4,
        (_threefry4_seed, _threefry4_split, _threefry4_bits, _threefry4_fold_in),
    ),
):  # fmt: skip
    gen.register(gen.Generator(_name, _tag, _words, *_rules))
