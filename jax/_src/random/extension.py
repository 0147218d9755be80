"""Generators of others, and threefry itself, for those who build on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors
from jax._src.core import avals
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.lax.ops import splitting
from jax._src.numpy import creation, lax_api as lax, operands, reshaping
from jax._src.random import generators as gen, keys, threefry

Array = Any


@declare("threefry2x32", multiple_results=True, traits=Trait.NOT_DIFFERENTIABLE)
class threefry2x32_p:
    """The block function of threefry: two words of output for two words of a counter."""

    def types(*words):
        for x in words:
            if x.dtype != gen.U32:
                raise TypeError(
                    _wrong_words([(str(i), w) for i, w in enumerate(words)])
                )
        shape = operands.broadcast_shapes("threefry2x32", *(x.shape for x in words))
        return [avals.ShapedArray(shape, gen.U32)] * 2

    def sharding(*words, out):
        return [splitting.elementwise("threefry2x32")(*words)] * len(out)

    def decompose(*words):
        shape = operands.broadcast_shapes(
            "threefry2x32", *(operands.shape(x) for x in words)
        )
        key0, key1, x0, x1 = (operands.broadcast_to(x, shape) for x in words)
        return threefry.block(key0, key1, x0, x1)

    def batch(axis, args, dims):
        rows = [
            operands.broadcast_to(x, (axis.size, *operands.shape(x)))
            if d is None
            else reshaping.moveaxis(x, d, 0)
            for x, d in zip(args, dims, strict=True)
        ]
        rank = max(operands.ndim(x) for x in rows)
        aligned = [
            lax.expand_dims(x, tuple(range(1, 1 + rank - operands.ndim(x))))
            for x in rows
        ]
        return threefry2x32_p.bind(*aligned), 0

    def reference(key0, key1, x0, x1):
        keys = [key0, key1, key0 ^ key1 ^ np.uint32(0x1BD11BDA)]
        x0, x1 = x0 + key0, x1 + key1
        for group in range(5):
            for by in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
                x0 = x0 + x1
                x1 = x0 ^ ((x1 << np.uint32(by)) | (x1 >> np.uint32(32 - by)))
            x0 = x0 + keys[(group + 1) % 3]
            x1 = x1 + keys[(group + 2) % 3] + np.uint32(group + 1)
        return [x0, x1]

    def samples():
        words = np.arange(24, dtype=np.uint32).reshape(4, 2, 3) * np.uint32(0x9E3779B9)
        return [Sample(tuple(words)), Sample(tuple(words[:, 0]))]


def _wrong_words(facts):
    return errors.explain(
        "threefry_2x32 requires uint32 arguments.",
        [(name, x.str_short()) for name, x in facts],
    )


def threefry_2x32(keypair: Any, count: Array) -> Array:
    """Random words: threefry with a key, applied to a counter.

    Args:
        keypair: two words, ``uint32[2]`` or a pair of scalars.
        count: array of `uint32`; its first half is paired with its second.

    Returns:
        An array of `uint32` of the shape of `count`.

    Raises:
        TypeError: a dtype is not `uint32`.

    Reference: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3
    (2011).
    """
    if isinstance(keypair, tuple | list):
        key = gen.stacked([creation.asarray(word) for word in keypair])
    else:
        key = creation.asarray(keypair)
    count = creation.asarray(count)
    wrong = [x for x in (key, count) if operands.dtype_of(x) != gen.U32]
    if wrong or operands.shape(key) != (2,):
        facts = [("keypair", avals.get_aval(key)), ("count", avals.get_aval(count))]
        raise TypeError(_wrong_words(facts))
    words = threefry._flat(key, lax.reshape(count, (operands.size(count),)))
    return lax.reshape(words, operands.shape(count))


def threefry_seed(seed: Any) -> Array:
    """The words of a key of threefry, ``uint32[2]``.

    Args:
        seed: a whole number.
    """
    value = np.int64(seed) if isinstance(seed, int) else seed
    return threefry.seed(*keys.words_of_seed(value))


def threefry_split(key: Array, shape: tuple[int, ...]) -> Array:
    """The words of independent keys, of shape ``(*shape, 2)``."""
    return threefry.split(key, tuple(shape))


def threefry_random_bits(key: Array, bit_width: int, shape: tuple[int, ...]) -> Array:
    """Unsigned integers with `bit_width` random bits."""
    return threefry.bits(key, bit_width, tuple(shape))


def threefry_fold_in(key: Array, data: Array) -> Array:
    """The words of the key that `data`, a `uint32`, picks."""
    return threefry.fold_in(key, data)


def define_prng_impl(
    *,
    key_shape: tuple[int, ...],
    seed: Callable[[Array], Array],
    split: Callable[[Array, tuple[int, ...]], Array],
    random_bits: Callable[[Array, int, tuple[int, ...]], Array],
    fold_in: Callable[[Array, Array], Array],
    name: str = "<unnamed>",
    tag: str = "?",
) -> gen.Generator:
    """Makes a generator of random bits, to be named as `impl` in `jax.random.key`.

    Args:
        key_shape: the shape of the raw words of a key.
        seed: from an integer scalar to the words of a key.
        split: from the words of a key and a shape to keys of that shape.
        random_bits: from the words of a key, a width in bits and a shape to unsigned
            integers.
        fold_in: from the words of a key and a `uint32` scalar to those of another one.
        name: the name in messages.
        tag: the short name in the dtype of the keys.
    """
    axes = tuple(key_shape)
    words = math.prod(axes)

    def seed_words(high, low):
        wide = dtypes.canonicalize_dtype(np.dtype(np.uint64)).itemsize == 8
        return seed(gen.joined(high, low) if wide else low)

    def bits(key, width, shape):
        return random_bits(key, width, shape)

    if len(axes) == 1:
        return gen.Generator(name, tag, words, seed_words, split, bits, fold_in)
    # Keys are kept flat; the functions of users get and give them with all axes.
    made = gen.Generator(
        name,
        tag,
        words,
        lambda high, low: made.flat(seed_words(high, low)),
        lambda key, shape: made.flat(split(made.shown(key), shape)),
        lambda key, width, shape: random_bits(made.shown(key), width, shape),
        lambda key, data: made.flat(fold_in(made.shown(key), data)),
        axes,
    )
    return made


def prng_impl(
    key_shape: tuple[int, ...],
    seed: Callable[[Array], Array],
    split: Callable[[Array, tuple[int, ...]], Array],
    random_bits: Callable[[Array, int, tuple[int, ...]], Array],
    fold_in: Callable[[Array, Array], Array],
    name: str = "<unnamed>",
    tag: str = "?",
) -> gen.Generator:
    """`define_prng_impl` with arguments by position."""
    return define_prng_impl(
        key_shape=key_shape,
        seed=seed,
        split=split,
        random_bits=random_bits,
        fold_in=fold_in,
        name=name,
        tag=tag,
    )


def register_prng(impl: gen.Generator) -> None:
    """Makes a generator known by its name, so that `jax.random.key` takes that as `impl`.

    Raises:
        ValueError: another one has the name.
    """
    if impl.name in gen.registry:
        raise errors.value_error(
            f"PRNG with name {impl.name} already registered.",
            [("generator", repr(gen.registry[impl.name]))],
            "A name stands for one generator.",
        )
    gen.register(impl)


def random_seed(seeds: Any, impl: gen.Generator) -> Array:
    """The typed key of a seed.

    Args:
        seeds: a whole number.
        impl: a generator.
    """
    return keys.key(seeds, impl=impl)


def seed_with_impl(impl: gen.Generator, seed: Any) -> Array:
    """`random_seed` with its arguments in the older order."""
    return random_seed(seed, impl)


threefry_prng_impl = gen.registry["threefry2x32"]
rbg_prng_impl = gen.registry["rbg"]
unsafe_rbg_prng_impl = gen.registry["unsafe_rbg"]
