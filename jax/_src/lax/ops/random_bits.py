"""Random bits from the generators of the compiler."""

import enum

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core.avals import ShapedArray
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.broadcast_and_reduce_sum import batch_in_front, expand_dims
from jax._src.lax.ops.checks import (
    ORDERED,
    canonical_shape,
    check_kind,
)
from jax._src.lax.ops.joining_splitting import concatenate
from jax._src.lax.ops.messages import type_error, value_error
from jax._src.lax.ops.random_reference import random_bits
from jax._src.lax.ops.reshaping import reshape, squeeze
from jax._src.lax.ops.slicing_padding import index_in_dim, slice_in_dim


class RandomAlgorithm(enum.IntEnum):
    """Generators of random bits; the default is that of the compiler."""

    RNG_DEFAULT = 0
    RNG_THREE_FRY = 1
    RNG_PHILOX = 2

    def __repr__(self):
        return f"<RandomAlgorithm.{self.name}: {int(self)}>"

    def __str__(self):
        return self.name


_UNSIGNED = [np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)]


_EXEMPT = {"batch": "the batch elements are drawn from the first key"}


@declare("rng_bit_generator", multiple_results=True, traits=Trait.NOT_DIFFERENTIABLE)
class rng_bit_generator_p:
    """Random bits and the next state of their generator."""

    def types(key, *, shape, dtype, algorithm, out_sharding):
        facts = [("key", key.str_short()), ("shape", shape), ("dtype", dtype.name)]
        if dtype not in _UNSIGNED:
            raise type_error(
                f"lax.rng_bit_generator: rng_bit_generator: unsupported dtype {dtype}.",
                facts,
                "Bits come as unsigned integers.",
                "For other numbers: jax.random.",
            )
        sizes = {np.dtype(np.uint32): (4, 6), np.dtype(np.uint64): (2, 3)}
        if key.ndim != 1 or key.shape[0] not in sizes.get(key.dtype, ()):
            raise type_error(
                "lax.rng_bit_generator: this is not the state of a generator.",
                facts,
                "A state is uint32[4] or uint64[2].",
                "From a seed: jax.random.key(seed, impl='rbg').",
            )
        return [key, ShapedArray(shape, dtype)]

    def sharding(key, *, out_sharding, out, **params):
        given = (None,) * out[1].ndim if out_sharding is None else out_sharding
        return [splitting.entries(key), given]

    def lower(ctx, key, *, shape, dtype, algorithm, out_sharding):
        return emit.rng_bit_generator(ctx, key, RandomAlgorithm(algorithm).name)

    def batch(axis, args, dims, *, shape, **params):
        # The bits of all rows come from the first key: one call of the generator, as
        # upstream has it. The other keys stay as they are.
        keys = batch_in_front(args[0], dims[0], axis.size)
        if not axis.size:
            empty = np.zeros((0, *shape), params["dtype"])
            return [keys, reshape(empty, empty.shape)], [0, 0]
        first = squeeze(index_in_dim(keys, 0, 0), (0,))
        state, bits = rng_bit_generator_p.bind(
            first, shape=(axis.size, *shape), **params
        )
        rest = slice_in_dim(keys, 1, axis.size)
        return [concatenate([expand_dims(state, (0,)), rest], 0), bits], [0, 0]

    exempt = _EXEMPT

    def reference(key, *, shape, dtype, algorithm, out_sharding):
        words = key if key.dtype == np.uint64 else key.view(np.uint64)
        state, bits = random_bits(words, shape, dtype, algorithm == 1)
        return [state.view(key.dtype), bits]

    def samples():
        key = np.array([1, 2, 3, 4], np.uint32)
        return [
            Sample(
                (key,),
                {
                    "shape": shape,
                    "dtype": np.dtype(dtype),
                    "algorithm": algorithm,
                    "out_sharding": None,
                },
            )
            for shape, dtype in [
                ((5,), np.uint32),
                ((2, 3), np.uint32),
                ((3,), np.uint8),
            ]
            for algorithm in (
                RandomAlgorithm.RNG_THREE_FRY,
                RandomAlgorithm.RNG_PHILOX,
            )
        ]


def rng_bit_generator(
    key,
    shape,
    dtype=np.uint32,
    algorithm=RandomAlgorithm.RNG_DEFAULT,
    *,
    out_sharding=None,
):
    """Random bits and the next state of their generator.

    Args:
        key: the state, ``uint32[4]`` or ``uint64[2]``.
        shape: the shape of the bits.
        dtype: unsigned integer dtype of the bits.
        algorithm: the generator.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Returns:
        The next state, and an array of bits.

    Raises:
        TypeError: the state or the dtype is not one of those.
    """
    shape = canonical_shape(shape, "rng_bit_generator")
    out_sharding = splitting.given_sharding(
        "rng_bit_generator", out_sharding, len(shape)
    )
    return tuple(
        rng_bit_generator_p.bind(
            key,
            shape=shape,
            dtype=np.dtype(
                dtypes.check_and_canonicalize_user_dtype(dtype, "rng_bit_generator")
            ),
            algorithm=RandomAlgorithm(algorithm),
            out_sharding=out_sharding,
        )
    )


@declare("rng_uniform", traits=Trait.NOT_DIFFERENTIABLE)
class rng_uniform_p:
    """Uniform random numbers whose seed nobody knows."""

    def types(low, high, *, shape):
        facts = [("a", low.str_short()), ("b", high.str_short())]
        if low.dtype != high.dtype or low.shape or high.shape:
            raise value_error(
                "lax.rng_uniform: Arguments to rng_uniform must be scalars of one dtype.",
                facts,
                "They are scalars of one dtype.",
            )
        check_kind("rng_uniform", low, ORDERED, "a")
        return ShapedArray(shape, low.dtype, low.weak_type and high.weak_type)

    sharding = splitting.replicated

    def lower(ctx, low, high, *, shape):
        return emit.rng_uniform(ctx, low, high, shape)


def rng_uniform(a, b, shape):
    """Uniform random numbers, not reproducible; prefer `jax.random.uniform`.

    Args:
        a: scalar, the lower bound.
        b: scalar of the same dtype, the upper bound, which does not occur.
        shape: the shape of the result.

    Raises:
        ValueError: the bounds differ in dtype, or are no scalars.
        TypeError: they are complex, or no numbers.
    """
    return rng_uniform_p.bind(a, b, shape=canonical_shape(shape, "rng_uniform"))


traceback_filter.hide_frames(globals())
