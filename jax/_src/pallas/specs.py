"""Specifications: what blocks a kernel gets, and how often it is run."""

import dataclasses
import enum
import typing
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, records


@typing.runtime_checkable
class CompilerParams(typing.Protocol):
    """Settings of one platform's compiler: any data class."""

    __dataclass_fields__: typing.ClassVar[dict[str, Any]]


class _NoBlockSpec:
    """Stands for a specification that was not given: whole arrays."""

    def __repr__(self) -> str:
        return "NoBlockSpec"


no_block_spec = _NoBlockSpec()


class RevisitMode(enum.Enum):
    """Whether an output block may be visited again after another one."""

    IMMEDIATE = "immediate"
    ANY = "any"


@records.record
class Buffered:
    """How many buffers a pipeline holds for blocks: a hint, without effect on results.

    Args:
        buffer_count: the number of buffers.
        use_lookahead: whether blocks are fetched as soon as there is a free buffer.
        revisit: whether an output block may be visited again after another one.
        prefetched_count: how many blocks are there when the pipeline begins.
    """

    buffer_count: int
    use_lookahead: bool = False
    revisit: RevisitMode | None = None
    prefetched_count: int = 0


@dataclasses.dataclass
class BlockSpec:
    """Which block of an array a step of the grid gets.

    Args:
        block_shape: an entry for each dimension of the array: the size of blocks, None for
            a dimension that blocks lack, `pl.Element` and the like; None: the whole array.
        index_map: from the program ids (and the prefetched scalars) to the number of
            the block along each dimension; None: all zeros.
        pipeline_mode: how blocks are buffered; a hint.
        memory_space: the memory space of the block.
    """

    block_shape: Sequence[Any] | None = None
    index_map: Callable[..., Any] | None = None
    pipeline_mode: Any = None
    memory_space: Any = dataclasses.field(kw_only=True, default=None)

    def __post_init__(self) -> None:
        if self.index_map is not None and not isinstance(self.index_map, IndexMap):
            self.index_map = IndexMap(self.index_map)

    def replace(self, **changes: Any) -> "BlockSpec":
        """Returns a copy with some fields changed."""
        return dataclasses.replace(self, **changes)


class IndexMap:
    """A function that returns a tuple, whatever sequence or lone value it is made of."""

    __slots__ = ("__wrapped__",)

    def __init__(self, fun: Callable[..., Any]):
        self.__wrapped__ = fun

    def __call__(self, *args: Any, **kwargs: Any) -> tuple:
        out = self.__wrapped__(*args, **kwargs)
        return tuple(out) if isinstance(out, list | tuple) else (out,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexMap) and self.__wrapped__ == other.__wrapped__

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)


@dataclasses.dataclass(init=False)
class GridSpec:
    """How often a kernel is run, on which blocks, and with what memory of its own.

    Args:
        grid: a size, or sizes, or pairs of name and size.
        in_specs: a tree of `BlockSpec`s like the arguments.
        out_specs: the same for results.
        scratch_shapes: a tree of types of memory.
    """

    grid: tuple[Any, ...]
    grid_names: tuple[Any, ...] | None
    in_specs: Any
    out_specs: Any
    scratch_shapes: Any = ()

    # How many of the first arguments index maps may read.
    num_scalar_prefetch = 0

    def __init__(
        self,
        grid: Any = (),
        in_specs: Any = no_block_spec,
        out_specs: Any = no_block_spec,
        scratch_shapes: Any = (),
    ):
        self.grid, self.grid_names = _grid(grid)
        self.in_specs = _as_tuple(in_specs)
        self.out_specs = _as_tuple(out_specs)
        self.scratch_shapes = _as_tuple(scratch_shapes)


def _as_tuple(given):
    return tuple(given) if isinstance(given, list) else given


def _grid(given):
    """The sizes of a grid, and the names of its axes if it has some.

    Raises:
        ValueError: an entry is no integer.
    """
    entries = tuple(given) if isinstance(given, tuple | list) else (given,)
    names = None
    if entries and all(isinstance(e, tuple) and len(e) == 2 for e in entries):
        names = tuple(name for name, _ in entries)
        entries = tuple(size for _, size in entries)
    return tuple(_grid_size(size) for size in entries), names


def _grid_size(size):
    if isinstance(size, int | np.integer) and not isinstance(size, bool):
        return int(size)
    dtype = getattr(size, "dtype", None)
    if dtype is not None and np.issubdtype(dtype, np.integer) and size.shape == ():
        return size
    raise errors.value_error(
        "A grid has an entry that is no integer.",
        [("entry", repr(size)), ("type", type(size).__name__)],
        "An axis of a grid has a number of steps: an integer, or an integer array "
        "without dimensions.",
    )
