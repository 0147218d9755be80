"""How arrays are arranged in the memories of GPUs, and how copies rearrange them."""

import dataclasses
import enum
import typing
from collections.abc import Sequence
from typing import Any, Literal

from jax._src.base import errors


class AsyncCopyImplementation(enum.Enum):
    """What carries out copies that run beside a kernel."""

    TMA = enum.auto()
    CP_ASYNC = enum.auto()


class LoweringSemantics(enum.Enum):
    """Whether programs are written for one lane of a warp or for a group of warps."""

    Lane = enum.auto()
    Warpgroup = enum.auto()


class OOBFillMode(enum.IntEnum):
    """What copies put where their source ends."""

    UNDEFINED = 0
    PROMISE_IN_BOUNDS = 1
    ZEROS = 2


class Rounding(enum.Enum):
    """How conversions round."""

    TO_NEAREST_EVEN = enum.auto()
    TO_POSITIVE_INFINITY = enum.auto()
    TO_ZERO = enum.auto()


class ThreadSubset(enum.IntEnum):
    """Which threads work together."""

    WARP = enum.auto()
    WARPGROUP = enum.auto()
    BLOCK = enum.auto()


class TraceScope(enum.Enum):
    """Which threads have a line of their own in profiles of kernels."""

    WARP = "warp"
    WARPGROUP = "warpgroup"


class PipelinePipeline(enum.IntEnum):
    """Which part of a pipeline over several calls one call is."""

    START = 0
    STEADY = 1
    STOP = 2


MultimemReductionOp = Literal["add", "min", "max", "and", "or", "xor"]
TMAReductionOp = Literal[
    "add",
    "min",
    "max",
    "inc",
    "dec",
    "and",
    "or",
    "xor",
    "umin",
    "umax",
    "smin",
    "smax",
]


@dataclasses.dataclass(frozen=True)
class _Partitioned:
    axis: int


@dataclasses.dataclass(frozen=True)
class _Replicated:
    pass


class CopyPartition:
    """How a copy by several blocks of threads is divided between them.

    `CopyPartition.PARTITIONED(axis)` divides an axis, `CopyPartition.REPLICATED` gives each
    block the whole.
    """

    PARTITIONED = _Partitioned
    REPLICATED = _Replicated()


class GlobalBroadcast:
    """Stands for all devices, where one is named."""


GLOBAL_BROADCAST = GlobalBroadcast()


@dataclasses.dataclass(frozen=True)
class DynamicSlice:
    """A slice of constant length that begins at a value of the program.

    Args:
        base: where it begins.
        length: how long it is.
    """

    base: Any
    length: int


def tile_shape(shape: Sequence[int], tiling: Sequence[int]) -> tuple[int, ...]:
    """The shape of an array whose last dimensions are split into tiles.

    Raises:
        ValueError: the tiles do not divide them.
    """
    if not tiling:
        return tuple(shape)
    leading, tiled = tuple(shape[: -len(tiling)]), tuple(shape[-len(tiling) :])
    pairs = list(zip(tiled, tiling, strict=False))
    if len(tiled) != len(tiling) or any(size % tile for size, tile in pairs):
        raise errors.value_error(
            "Non-divisible tiling.",
            [("shape", str(tuple(shape))), ("tiling", str(tuple(tiling)))],
        )
    return (*leading, *(size // tile for size, tile in pairs), *tiling)


@dataclasses.dataclass(frozen=True)
class MemRefTransform:
    """A rearrangement of an array in memory."""

    def apply(self, ref: Any) -> Any:
        """The rearranged reference.

        Raises:
            NotImplementedError: always: references of this kind belong to programs for GPUs.
        """
        raise errors.not_implemented(
            "References are rearranged in programs for GPUs only."
        )

    def transform_index(self, idx: Sequence[Any]) -> tuple[Any, ...]:
        """The indices of an element in the rearranged array.

        Raises:
            NotImplementedError: the rearrangement does not say.
        """
        raise NotImplementedError(type(self).__name__)

    def transform_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of the rearranged array.

        Raises:
            NotImplementedError: the rearrangement does not say.
        """
        raise NotImplementedError(type(self).__name__)

    def transform_strides(self, strides: Sequence[int]) -> tuple[int, ...]:
        """The strides of the rearranged array.

        Raises:
            NotImplementedError: the rearrangement does not say.
        """
        raise NotImplementedError(type(self).__name__)

    def transform_gmem_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of the rearranged array in global memory."""
        return self.transform_shape(shape)

    def batch(self, leading_rank: int) -> "MemRefTransform":
        """The rearrangement of arrays with further leading dimensions.

        Raises:
            NotImplementedError: the rearrangement does not say.
        """
        raise NotImplementedError(type(self).__name__)


@dataclasses.dataclass(frozen=True)
class TileTransform(MemRefTransform):
    """Splits the last dimensions into tiles.

    Args:
        tiling: the sizes of a tile.
        rounding: how sizes that tiles do not divide are rounded.
    """

    tiling: tuple[int, ...]
    rounding: Rounding | None = None

    def transform_index(self, idx: Sequence[Any]) -> tuple[Any, ...]:
        """The indices of a tile's first element: those of the tile, then zeros."""
        rank = len(self.tiling)
        tiles = (i // t for i, t in zip(idx[-rank:], self.tiling, strict=True))
        return (*idx[:-rank], *tiles, *(i % t for i, t in self._pairs(idx)))

    def _pairs(self, idx):
        return zip(idx[-len(self.tiling) :], self.tiling, strict=True)

    def transform_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The number of tiles along each dimension, then the sizes of a tile.

        Raises:
            ValueError: the tiles do not divide the shape.
        """
        return tile_shape(shape, self.tiling)

    def transform_strides(self, strides: Sequence[int]) -> tuple[int, ...]:
        """The strides from tile to tile, then those within one."""
        rank = len(self.tiling)
        steps = (s * t for s, t in zip(strides[-rank:], self.tiling, strict=True))
        return (*strides[:-rank], *steps, *strides[-rank:])

    def batch(self, leading_rank: int) -> "TileTransform":
        """This transform itself: tiles are of the last dimensions."""
        return self


@dataclasses.dataclass(frozen=True)
class TransposeTransform(MemRefTransform):
    """Permutes dimensions.

    Args:
        permutation: for each dimension of the result which one it is.

    Raises:
        ValueError: a dimension appears twice.
    """

    permutation: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(set(self.permutation)) != len(self.permutation):
            raise errors.value_error(
                "All elements of `permutation` must be unique.",
                [("permutation", str(self.permutation))],
            )

    def _permuted(self, given):
        return tuple(given[i] for i in self.permutation)

    def transform_index(self, idx: Sequence[Any]) -> tuple[Any, ...]:
        """The indices in the order of the permutation."""
        return self._permuted(idx)

    def transform_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape in the order of the permutation."""
        return self._permuted(shape)

    def transform_strides(self, strides: Sequence[int]) -> tuple[int, ...]:
        """The strides in the order of the permutation."""
        return self._permuted(strides)

    def batch(self, leading_rank: int) -> "TransposeTransform":
        """The permutation of the last dimensions; leading ones stay where they are."""
        leading = range(leading_rank)
        return TransposeTransform(
            (*leading, *(d + leading_rank for d in self.permutation))
        )


@typing.runtime_checkable
class Transform(typing.Protocol):
    """How memory behind a reference is arranged."""

    def transform_type(self, x: Any) -> Any:
        """The type of the arranged array."""

    def undo(self, x: Any) -> Any:
        """The type of the array whose arrangement this is."""


@dataclasses.dataclass(frozen=True)
class TilingTransform:
    """Memory in tiles: each is contiguous.

    Args:
        tiling: the sizes of a tile, of the last dimensions.
    """

    tiling: tuple[int, ...]

    def transform_type(self, x: Any) -> Any:
        """The type of the array in tiles.

        Raises:
            ValueError: the tiles do not divide it.
        """
        return x.update(shape=tile_shape(x.shape, self.tiling))

    def undo(self, x: Any) -> Any:
        """The type of the array whose tiles these are.

        Raises:
            ValueError: the last dimensions are not those of the tiles.
        """
        rank = len(self.tiling)
        shape = tuple(x.shape)
        if len(shape) < 2 * rank or shape[-rank:] != tuple(self.tiling):
            raise errors.value_error(
                "The array is not in these tiles.",
                [("shape", str(shape)), ("tiling", str(self.tiling))],
            )
        pairs = zip(shape[-2 * rank : -rank], self.tiling, strict=True)
        return x.update(shape=(*shape[: -2 * rank], *(n * t for n, t in pairs)))


@dataclasses.dataclass(frozen=True)
class SwizzleTransform:
    """Memory whose 16-byte parts are permuted within lines, so that banks do not collide.

    Args:
        swizzle: the length of a line in bytes: 32, 64 or 128.

    Raises:
        ValueError: it is another.
    """

    swizzle: int

    def __post_init__(self) -> None:
        if self.swizzle not in (32, 64, 128):
            raise ValueError(
                f"Swizzle {self.swizzle} is not supported. Only 32, 64 and 128 are accepted."
            )

    def transform_type(self, x: Any) -> Any:
        """The type of the array: swizzling permutes elements only."""
        return x

    def undo(self, x: Any) -> Any:
        """The type of the array: swizzling permutes elements only."""
        return x


@dataclasses.dataclass
class PeerMemRef:
    """Memory of another device.

    Args:
        device_id: the device.
        device_id_type: how it is named.
    """

    device_id: Any
    device_id_type: Any

    def transform_type(self, x: Any) -> Any:
        """The type of the array there: the same."""
        return x

    def undo(self, x: Any) -> Any:
        """The type of the array here: the same."""
        return x


@dataclasses.dataclass(frozen=True)
class SemaphoreSignal:
    """A signal to a semaphore, one of several that are sent at once.

    Args:
        ref: the semaphore.
        device_id: the device that has it.
        inc: how much is added.
    """

    ref: Any
    device_id: Any = dataclasses.field(kw_only=True)
    inc: Any = dataclasses.field(default=1, kw_only=True)
