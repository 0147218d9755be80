"""Masks of attention: which keys each query sees.

A mask is indexed like an array of Booleans, one row per query and one column per key, and
makes the part that is requested. Masks are values: equal ones share memory in a kernel.
"""

import abc
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors


class Mask(abc.ABC):
    """A mask; ``mask & other`` and ``mask | other`` combine two."""

    @property
    @abc.abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The numbers of queries and keys."""

    @abc.abstractmethod
    def __getitem__(self, idx: Any) -> np.ndarray:
        """The part of the mask that slices name."""

    def __bool__(self) -> bool:
        raise errors.not_implemented(
            "A mask was converted to a boolean.",
            [("mask", type(self).__name__)],
            "It is an array of answers.",
            "Combine masks with & and |, not with `and` and `or`.",
        )

    def __and__(self, other: "Mask") -> "Mask":
        _check_alike(self, other)
        return LogicalAnd(self, other)

    def __or__(self, other: "Mask") -> "Mask":
        _check_alike(self, other)
        return LogicalOr(self, other)


def _check_alike(mask, other):
    if mask.shape != other.shape:
        raise errors.value_error(
            "Two masks of different shapes are combined.",
            [("shapes", f"{mask.shape}, {other.shape}")],
        )


@dataclasses.dataclass(frozen=True)
class AbstractPair(Mask):
    """Two masks of one shape, combined."""

    left: Mask
    right: Mask

    @property
    def shape(self) -> tuple[int, ...]:
        return self.left.shape


class LogicalAnd(AbstractPair):
    """Where both masks are true."""

    def __getitem__(self, idx: Any) -> np.ndarray:
        return self.left[idx] & self.right[idx]


class LogicalOr(AbstractPair):
    """Where one of the masks is true."""

    def __getitem__(self, idx: Any) -> np.ndarray:
        return self.left[idx] | self.right[idx]


@dataclasses.dataclass(frozen=True, init=False)
class MultiHeadMask(Mask):
    """A mask for each head, of one shape; the first axis counts heads."""

    masks: tuple[Mask, ...]

    def __init__(self, masks: Sequence[Mask]):
        object.__setattr__(self, "masks", tuple(masks))
        if not self.masks:
            raise ValueError("MultiHeadMask: there is no mask.")
        for mask in self.masks:
            if isinstance(mask, MultiHeadMask):
                raise ValueError(
                    "MultiHeadMask: a mask is one of several heads already."
                )
            _check_alike(self.masks[0], mask)

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.masks), *self.masks[0].shape)

    def __getitem__(self, idx: Any) -> np.ndarray:
        head, *rest = idx if isinstance(idx, tuple) else (idx, slice(None), slice(None))
        if isinstance(head, int):
            return self.masks[head][tuple(rest)]
        return np.stack([mask[tuple(rest)] for mask in self.masks[head]])


class AbstractComputedMask(Mask):
    """A mask that depends on the indices of query and key alone.

    Args:
        shape: the numbers of queries and keys.
        mask_function: from index arrays to Booleans.
        shard_count: over how many devices queries are divided.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        mask_function: Callable[[Any, Any], Any],
        shard_count: int = 1,
    ):
        if shape[0] % (shard_count * shard_count):
            raise errors.value_error(
                "A mask's queries are not divided evenly.",
                [("queries", str(shape[0])), ("shard_count", str(shard_count))],
                "shard_count times shard_count divides the number of queries.",
            )
        self._shape = tuple(shape)
        self.mask_function = mask_function
        self.q_sequence = np.arange(shape[0], dtype=np.int32)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    def __getitem__(self, idx: Any) -> np.ndarray:
        rows, columns = _slices(idx, self.shape)
        keys = np.arange(self.shape[1], dtype=np.int32)[columns]
        return self.mask_function(self.q_sequence[rows][:, None], keys[None, :])

    def _key(self) -> tuple:
        return (type(self), self._shape, self.q_sequence.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbstractComputedMask) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


def _slices(idx, shape):
    entries = idx if isinstance(idx, tuple) else (idx, slice(None))
    if len(entries) != 2 or not all(isinstance(e, slice) for e in entries):
        raise errors.not_implemented(
            "A mask is indexed with something else than two slices.",
            [("index", str(idx)), ("shape", str(shape))],
            ways="mask[a:b, c:d]",
        )
    return entries


class CausalMask(AbstractComputedMask):
    """Each query sees the keys up to its own index, and `offset` further.

    Args:
        shape: the numbers of queries and keys.
        offset: how many keys further.
        shard_count: over how many devices queries are divided.
    """

    def __init__(self, shape: tuple[int, int], offset: int = 0, shard_count: int = 1):
        self.offset = offset
        super().__init__(shape, lambda q, k: q + offset >= k, shard_count)

    def _key(self) -> tuple:
        return (*super()._key(), self.offset)


class ChunkedCausalMask(AbstractComputedMask):
    """Each query sees the keys of its own chunk, up to its own index.

    Args:
        shape: the numbers of queries and keys.
        chunk_size: the size of chunks.
        shard_count: over how many devices queries are divided.
    """

    def __init__(self, shape: tuple[int, int], chunk_size: int, shard_count: int = 1):
        if chunk_size <= 0:
            raise ValueError(f"chunk_size is {chunk_size}; it must be positive.")
        self.chunk_size = chunk_size

        def sees(q, k):
            return (q // chunk_size == k // chunk_size) & (q >= k)

        super().__init__(shape, sees, shard_count)

    def _key(self) -> tuple:
        return (*super()._key(), self.chunk_size)


class LocalMask(AbstractComputedMask):
    """Each query sees keys not too far before and behind its own index.

    Args:
        shape: the numbers of queries and keys.
        window_size: how far before and behind; None: any distance.
        offset: the number added to the index of the query.
        shard_count: over how many devices queries are divided.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        window_size: tuple[int | None, int | None],
        offset: int,
        shard_count: int = 1,
    ):
        self.window_size = tuple(window_size)
        self.offset = offset
        before, behind = self.window_size

        def sees(q, k):
            is_seen = np.ones(np.broadcast_shapes(q.shape, k.shape), bool)
            if before is not None:
                is_seen = is_seen & (q - before + offset <= k)
            if behind is not None:
                is_seen = is_seen & (q + behind + offset >= k)
            return is_seen

        super().__init__(shape, sees, shard_count)

    def _key(self) -> tuple:
        return (*super()._key(), self.window_size, self.offset)


@dataclasses.dataclass(frozen=True)
class FullMask(Mask):
    """Each query sees every key.

    Args:
        _shape: the numbers of queries and keys.
    """

    _shape: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    def __getitem__(self, idx: Any) -> np.ndarray:
        parts = zip(_slices(idx, self.shape), self.shape, strict=True)
        return np.ones([len(range(*part.indices(size))) for part, size in parts], bool)


@dataclasses.dataclass(frozen=True, eq=False)
class NumpyMask(Mask):
    """An array of Booleans as a mask.

    Args:
        array: NumPy array with one row per query and one column per key.
    """

    array: np.ndarray

    def __post_init__(self) -> None:
        if self.array.ndim != 2:
            raise ValueError(f"A mask of shape {self.array.shape}: it has two axes.")
        if self.array.dtype != np.bool_:
            raise ValueError(f"A mask of {self.array.dtype}: it has Booleans.")

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    def __getitem__(self, idx: Any) -> np.ndarray:
        return self.array[idx]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NumpyMask) and np.array_equal(self.array, other.array)

    def __hash__(self) -> int:
        return hash((self.array.shape, np.asarray(self.array).tobytes()))


def make_causal_mask(shape: tuple[int, int], offset: int = 0) -> np.ndarray:
    """The array of a `CausalMask`.

    Raises:
        ValueError: `shape` has not two entries.
    """
    return CausalMask(shape, offset)[:, :]


def make_local_attention_mask(
    shape: tuple[int, int],
    window_size: tuple[int | None, int | None],
    *,
    offset: int = 0,
) -> np.ndarray:
    """The array of a `LocalMask`.

    Raises:
        ValueError: `shape` or `window_size` has not two entries.
    """
    return LocalMask(shape, window_size, offset)[:, :]


def make_chunk_attention_mask(shape: tuple[int, int], chunk_size: int) -> np.ndarray:
    """The array of a `ChunkedCausalMask`.

    Raises:
        ValueError: `chunk_size` is not positive.
    """
    return ChunkedCausalMask(shape, chunk_size)[:, :]


def make_random_mask(shape: tuple[int, int], sparsity: float, seed: int) -> np.ndarray:
    """An array of Booleans drawn at random.

    Args:
        shape: its shape.
        sparsity: the share of False, from 0 to 1.
        seed: what it is drawn from.

    Raises:
        ValueError: a size is negative.
    """
    return np.random.RandomState(seed).binomial(1, 1.0 - sparsity, shape).astype(bool)
