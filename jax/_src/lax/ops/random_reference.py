"""Threefry and Philox in NumPy, as the compiler counts: the oracle of their tests.

Source: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, 2011.
"""

import math

import numpy as np

_MASK = 0xFFFFFFFF
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def threefry(key: int, counter: int) -> tuple[int, int]:
    """Two 32-bit words from a 64-bit key and counter, in 20 rounds."""
    keys = [key & _MASK, key >> 32]
    keys.append(keys[0] ^ keys[1] ^ 0x1BD11BDA)
    x = (counter & _MASK) + keys[0] & _MASK
    y = (counter >> 32) + keys[1] & _MASK
    for group in range(5):
        for turn in _ROTATIONS[group % 2]:
            x = x + y & _MASK
            y = (y << turn | y >> 32 - turn) & _MASK
            y ^= x
        x = x + keys[(group + 1) % 3] & _MASK
        y = y + keys[(group + 2) % 3] + group + 1 & _MASK
    return x, y


def philox(key: int, counter: int) -> list[int]:
    """Four 32-bit words from a 64-bit key and 128-bit counter, in 10 rounds."""
    words = [counter >> 32 * i & _MASK for i in range(4)]
    low, high = key & _MASK, key >> 32
    for _ in range(10):
        first, second = words[0] * 0xD2511F53, words[2] * 0xCD9E8D57
        words = [
            second >> 32 ^ words[1] ^ low,
            second & _MASK,
            first >> 32 ^ words[3] ^ high,
            first & _MASK,
        ]
        low, high = low + 0x9E3779B9 & _MASK, high + 0xBB67AE85 & _MASK
    return words


def random_bits(state: np.ndarray, shape, dtype, is_threefry: bool):
    """The next state and bits of a shape and unsigned dtype."""
    words = [int(word) for word in state]
    fill = _threefry_bits if is_threefry else _philox_bits
    new, bits = fill(words, tuple(shape), np.dtype(dtype).itemsize * 8)
    return np.array(new, np.uint64), bits.astype(dtype)


def _threefry_bits(words, shape, width):
    key, counter = words[0], words[1]
    count = math.prod(shape)
    if width == 64:
        pairs = [threefry(key, (counter + i) % 2**64) for i in range(count)]
        bits = np.array([x | y << 32 for x, y in pairs], np.uint64).reshape(shape)
        return [key, (counter + count) % 2**64, *words[2:]], bits
    split = _split_axis(shape)
    half = list(shape)
    if shape:
        half[split] = (shape[split] + 1) // 2
    blocks = math.prod(half)
    bits = np.zeros(shape, np.uint64)
    for position in np.ndindex(*shape):
        at = list(position)
        word = 0
        if shape:
            at[split], word = divmod(position[split], 2)
        index = int(np.ravel_multi_index(at, half)) if shape else 0
        found = threefry(key, (counter + index) % 2**64)[word]
        bits[position] = found & (2**width - 1)
    return [key, (counter + blocks) % 2**64, *words[2:]], bits


def _split_axis(shape):
    for axis, size in enumerate(shape):
        if size % 2 == 0:
            return axis
    return int(np.argmax(shape)) if shape else 0


def _philox_bits(words, shape, width):
    key = words[0]
    has_high = len(words) > 2
    counter = words[1] | (words[2] if has_high else words[0]) << 64
    count = math.prod(shape)
    needed = count * 2 if width == 64 else count
    blocks = -(-needed // 4)
    stream = [w for i in range(blocks) for w in philox(key, (counter + i) % 2**128)]
    if width == 64:
        values = [stream[2 * i] | stream[2 * i + 1] << 32 for i in range(count)]
    else:
        values = [word & (2**width - 1) for word in stream[:count]]
    new = (counter + blocks) % 2**128
    rest = [new >> 64] if has_high else []
    return [key, new % 2**64, *rest], np.array(values, np.uint64).reshape(shape)
