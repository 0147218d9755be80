"""Generators of random numbers, by the interface of the kernels for TPUs.

Reference: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (2011).
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.random import counter_generators, extension, generators, threefry

Shape = Sequence[int]
BLOCK_SIZE = (256, 256)
# What is added to the words of a key, and what counters are multiplied by.
K_HI_32, K_LO_32 = 0x9E3779B9, 0xBB67AE85
MUL_A, MUL_B = 0xCD9E8D57, 0xD2511F53
_WORDS = 2**32 - 1


def round_up(x: int, y: int) -> int:
    """The least multiple of `y` that is not below `x`."""
    return (x + y - 1) // y * y


def blocked_iota(block_shape: Shape, total_shape: Shape) -> Any:
    """The row-major indices, in an array, of a block that begins where the array does.

    Args:
        block_shape: the shape of the block.
        total_shape: the shape of the array.
    """
    block_shape = tuple(block_shape)
    total = tuple(total_shape)[len(total_shape) - len(block_shape) :]
    found = jnp.zeros(block_shape, np.uint32)
    for axis in range(len(block_shape)):
        index = lax.broadcasted_iota(np.uint32, block_shape, axis)
        found = found + index * np.uint32(math.prod(total[axis + 1 :]))
    return found


def compute_scalar_offset(
    iteration_index: Sequence[Any], total_size: Shape, block_size: Shape
) -> Any:
    """The row-major index, in an array, of the first element of a block.

    Args:
        iteration_index: the number of the block along each axis.
        total_size: the shape of the array.
        block_size: the shape of the block.
    """
    offset: Any = 0
    for axis, number in enumerate(iteration_index):
        row = math.prod(tuple(total_size)[axis + 1 :])
        offset = offset + number * block_size[axis] * row
    return offset


def mul32_hi_lo(x: Any, y: Any) -> tuple[Any, Any]:
    """The high and low words of a product of words.

    Args:
        x: array of uint32.
        y: array of uint32.
    """
    return lax.mulhi(*jnp.broadcast_arrays(x, y)), x * y


def philox_4x32(
    hi0: Any, lo0: Any, hi1: Any, lo1: Any, k_hi: Any, k_lo: Any, rounds: int = 10
) -> tuple[Any, Any, Any, Any]:
    """Philox with four words.

    Args:
        hi0: the first word of counters.
        lo0: the second one.
        hi1: the third one.
        lo1: the fourth one.
        k_hi: the first word of the key.
        k_lo: the second one.
        rounds: how often the words are mixed.
    """
    words = jnp.broadcast_arrays(hi0, lo0, hi1, lo1)
    mixed = counter_generators.philox4(
        [jnp.asarray(k_hi), jnp.asarray(k_lo)], list(words), rounds
    )
    return mixed[0], mixed[1], mixed[2], mixed[3]


def _check_blocks(shape, block_size):
    """Refuses shapes that the kernels could not have.

    Raises:
        ValueError: blocks do not divide the last axes, or there are too many words.
    """
    if math.prod(shape) > _WORDS:
        raise errors.value_error(
            f"Shape too large: {math.prod(shape)} > {_WORDS}.",
            [("shape", str(tuple(shape)))],
            "Each word has a counter of 32 bits.",
        )
    sizes = zip(shape[-2:], block_size[-2:], strict=True)
    if any(size % block for size, block in sizes):
        raise errors.value_error(
            f"Shape dimension {tuple(shape[-2:])} must be divisible by {block_size}.",
            [("shape", str(tuple(shape)))],
            "The last two axes are cut into whole blocks.",
            "philox_4x32_count has arrays of any shape.",
        )


def _philox(key, counts, fuse_output):
    zeros = jnp.zeros_like(counts)
    first, second, _, _ = philox_4x32(zeros, counts, zeros, zeros, key[0], key[1])
    return first ^ second if fuse_output else jnp.stack([first, second])


def _offset(offset):
    offset = jnp.asarray(offset, np.uint32)
    if offset.ndim:
        raise errors.value_error(
            f"Offset must be scalar, got {offset.shape}.",
            rule="It is added to all counters.",
        )
    return offset


def philox_4x32_kernel(
    key: Any,
    shape: Shape,
    unpadded_shape: Shape,
    block_size: tuple[int, int],
    offset: Any = 0,
    fuse_output: bool = True,
) -> Any:
    """Random bits of an array that was made larger, by Philox.

    Args:
        key: the two words of a key.
        shape: the shape of the result.
        unpadded_shape: the shape that counters are of.
        block_size: divides the last two axes; checked alone.
        offset: is added to all counters.
        fuse_output: whether the two words of each counter become one.

    Returns:
        Array of uint32 of `shape`, or with an axis of size 2 in front.

    Raises:
        ValueError: blocks do not divide the shape.
    """
    _check_blocks(shape, block_size)
    counts = blocked_iota(shape, unpadded_shape) + _offset(offset)
    return _philox(key, counts, fuse_output)


def philox_4x32_count(
    key: Any, shape: Shape, offset: Any = 0, fuse_output: bool = True
) -> Any:
    """Random bits of an array, by Philox.

    Args:
        key: the two words of a key.
        shape: the shape of the result.
        offset: is added to all counters.
        fuse_output: whether the two words of each counter become one.

    Raises:
        ValueError: there are more words than counters.
    """
    _check_blocks(shape, (1, 1)[: len(shape)])
    return _philox(key, blocked_iota(shape, shape) + _offset(offset), fuse_output)


def philox_split(key: Any, shape: Shape) -> Any:
    """Independent keys, of shape ``(*shape, 2)``.

    Args:
        key: the two words of a key.
        shape: the shape of the keys.
    """
    return jnp.moveaxis(philox_4x32_count(key, shape, fuse_output=False), 0, -1)


def _check_width(bit_width):
    if bit_width != 32:
        raise errors.value_error(
            "Only 32-bit PRNG supported.",
            [("width", str(bit_width))],
            "The kernels make words of 32 bits.",
            "jax.random.key(seed) has other widths.",
        )


def philox_random_bits(key: Any, bit_width: int, shape: Shape) -> Any:
    """Random words.

    Args:
        key: the two words of a key.
        bit_width: must be 32.
        shape: the shape of the result.

    Raises:
        ValueError: another width.
    """
    _check_width(bit_width)
    return philox_4x32_count(key, shape)


def philox_fold_in(key: Any, data: Any) -> Any:
    """The key that a number picks.

    Args:
        key: the two words of a key.
        data: scalar of uint32.
    """
    return philox_4x32_count(key, (), offset=data, fuse_output=False)


def threefry_2x32_count(
    key: Any, shape: Shape, unpadded_shape: Shape, block_size: tuple[int, int]
) -> Any:
    """Random bits of an array that was made larger, by Threefry.

    Args:
        key: the two words of a key.
        shape: the shape of the result.
        unpadded_shape: the shape that counters are of.
        block_size: divides the last two axes; checked alone.

    Raises:
        ValueError: blocks do not divide the shape.
    """
    _check_blocks(shape, block_size)
    counts = blocked_iota(shape, unpadded_shape)
    first, second = threefry.block(key[0], key[1], jnp.zeros_like(counts), counts)
    return first ^ second


def plthreefry_random_bits(key: Any, bit_width: int, shape: Shape) -> Any:
    """Random words, by Threefry.

    Args:
        key: the two words of a key.
        bit_width: must be 32.
        shape: the shape of the result.

    Raises:
        ValueError: another width.
    """
    _check_width(bit_width)
    return threefry_2x32_count(key, shape, shape, (1, 1)[: len(shape)])


plphilox_prng_impl = generators.register(
    extension.define_prng_impl(
        key_shape=(2,),
        seed=extension.threefry_seed,
        split=philox_split,
        random_bits=philox_random_bits,
        fold_in=philox_fold_in,
        name="pallas_philox4x32",
        tag="pllox",
    )
)
plthreefry_prng_impl = generators.register(
    extension.define_prng_impl(
        key_shape=(2,),
        seed=extension.threefry_seed,
        split=extension.threefry_split,
        random_bits=plthreefry_random_bits,
        fold_in=extension.threefry_fold_in,
        name="pallas_threefry2x32",
        tag="plfry",
    )
)
