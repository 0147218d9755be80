"""What a random number generator offers, on raw words of `uint32`.

A generator turns a key of a few words into new keys and into bits; nothing here
knows of key arrays or of distributions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src.base import records
from jax._src.numpy import lax_api as lax, operands

Array = Any
U32 = np.dtype(np.uint32)


@records.identity_record
class Generator:
    """A counter-based generator.

    Every function takes the words of one key, an array of shape ``(words,)``.
    """

    # The name that users write: jax.random.key(0, impl=name).
    name: str
    # The short name in the dtype of keys: key<tag>.
    tag: str
    # How many words a key has.
    words: int
    # (high, low) words of a seed -> key
    seed: Callable[[Array, Array], Array]
    # (key, shape) -> keys of shape (*shape, words)
    split: Callable[[Array, tuple[int, ...]], Array]
    # (key, bit width, shape) -> unsigned integers
    bits: Callable[[Array, int, tuple[int, ...]], Array]
    # (key, uint32 scalar) -> key
    fold_in: Callable[[Array, Array], Array]
    # The shape of the words of one key, where users see several axes of them.
    axes: tuple[int, ...] = ()

    @property
    def key_shape(self) -> tuple[int, ...]:
        """The shape of the raw words of one key."""
        return self.axes or (self.words,)

    def shown(self, keys: Array) -> Array:
        """Words of keys, of shape (*shape, words), with the axes that users see."""
        if not self.axes:
            return keys
        return lax.reshape(keys, (*operands.shape(keys)[:-1], *self.axes))

    def flat(self, keys: Array) -> Array:
        """The inverse of `shown`."""
        if not self.axes:
            return keys
        shape = operands.shape(keys)
        return lax.reshape(keys, (*shape[: len(shape) - len(self.axes)], self.words))

    def __repr__(self) -> str:
        return f"PRNGImpl({self.name})"

    def __str__(self) -> str:
        return self.tag


registry: dict[str, Generator] = {}


def register(generator: Generator) -> Generator:
    """Makes a generator known by its name."""
    registry[generator.name] = generator
    return generator


def word(key: Array, i: int) -> Array:
    """The i-th word of a key, a scalar."""
    return lax.index_in_dim(key, i, operands.ndim(key) - 1, keepdims=False)


def words_of(key: Array) -> list[Array]:
    """All words of a key."""
    return [word(key, i) for i in range(operands.shape(key)[-1])]


def stacked(parts: list[Array]) -> Array:
    """Arrays of one shape along a new last axis."""
    rank = operands.ndim(parts[0])
    return lax.concatenate([lax.expand_dims(p, (rank,)) for p in parts], rank)


def counters(shape: tuple[int, ...]) -> tuple[Array, Array]:
    """The high and low words of the row-major index of each element."""
    count = math.prod(shape)
    if type(count) is int and count >= 2**32:
        raise NotImplementedError(
            f"random arrays of {count} elements: more than 2**32 - 1 are not supported."
        )
    low = lax.reshape(lax.iota(U32, count), shape)
    return lax.full(shape, 0, U32), low


def constant(x: Array, value: int) -> Array:
    """A constant of the shape and dtype of `x`."""
    return lax.full_like(x, np.asarray(value, operands.dtype_of(x))[()])


def spread(scalar: Array, like: Array) -> Array:
    """A scalar repeated to the shape of `like`."""
    return operands.broadcast_to(scalar, operands.shape(like))


def rotate_left(x: Array, by: int) -> Array:
    """Rotates 32-bit words by `by` bits."""
    return lax.bitwise_or(
        lax.shift_left(x, constant(x, by)),
        lax.shift_right_logical(x, constant(x, 32 - by)),
    )


def joined(high: Array, low: Array) -> Array:
    """64-bit words of two 32-bit ones."""
    high, low = (operands.convert(part, np.uint64) for part in (high, low))
    return lax.bitwise_or(lax.shift_left(high, constant(high, 32)), low)


def narrowed(bits: Array, width: int) -> Array:
    """The lowest bits of 32-bit words."""
    return bits if width == 32 else operands.convert(bits, np.dtype(f"uint{width}"))
