"""Kinds of dimensions of blocks: how large one is in the kernel, and where it starts."""

from typing import Any

from jax._src.base import errors, records
from jax._src.core.symbols import expressions


@records.record
class Blocked:
    """A block of `block_size` elements, at multiples of its size."""

    block_size: int

    def __str__(self) -> str:
        return f"Blocked({self.block_size})"


@records.record
class Element:
    """A block of `block_size` elements that starts at any index.

    Args:
        block_size: the number of elements.
        padding: how many elements the array is thought to have before and behind its own.
    """

    block_size: int
    padding: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        if self.padding == (0, 0):
            return f"Element({self.block_size})"
        return f"Element({self.block_size}, padding={self.padding})"


@records.record
class Squeezed:
    """One index of the array: the block lacks this dimension."""


@records.record
class BoundedSlice:
    """A block of at most `block_size` elements; the index map gives a `pl.Slice`."""

    block_size: int

    def __repr__(self) -> str:
        return f"BoundedSlice({self.block_size})"


@records.record
class Indirect:
    """A block of elements at the indices in an array."""

    block_size: int


BlockDim = Blocked | Element | Squeezed | BoundedSlice | Indirect
squeezed = Squeezed()


def block_dim(given: Any) -> BlockDim:
    """The kind of dimension that an entry of a block's shape stands for.

    Raises:
        ValueError: it stands for none.
    """
    if given is None:
        return squeezed
    if isinstance(given, BlockDim):
        return given
    if expressions.is_dimension(given):
        raise errors.value_error(
            "shape polymorphism for Pallas does not support dynamically-shaped blocks.",
            [("entry", str(given))],
            "The sizes of blocks are known when the kernel is traced. Symbolic sizes may "
            "stand in grids alone.",
            "Give the block a constant size, and the grid the symbolic one.",
        )
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise errors.value_error(
            "A block has an entry in its shape that is no dimension.",
            [("entry", repr(given))],
            "Entries are integers, None for a dimension that the block lacks, "
            "pl.Element and the like.",
        )
    return Blocked(given.__index__())


def is_squeezed(dim: BlockDim) -> bool:
    """Whether the block lacks this dimension."""
    return isinstance(dim, Squeezed)


def size_of(dim: BlockDim) -> int:
    """How many elements of the array a block takes along a dimension."""
    return 1 if isinstance(dim, Squeezed) else dim.block_size


def step_of(dim: BlockDim) -> int:
    """How many elements of the array are between the starts of one index and the next."""
    return dim.block_size if isinstance(dim, Blocked) else 1


def padding_of(dim: BlockDim) -> tuple[int, int]:
    """How many elements the array is thought to have before and behind its own."""
    return dim.padding if isinstance(dim, Element) else (0, 0)
