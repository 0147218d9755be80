"""Types of programs for GPUs: barriers, memory, scalars of a program, and arrays in registers."""

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

from jax._src.base import errors
from jax._src.pallas.mosaic_gpu.only import METHODS

_T = TypeVar("_T")


def _with_methods(cls):
    """Gives a class the methods that refuse, from the table of them."""
    for name, method in METHODS[cls.__name__].items():
        setattr(cls, name, method)
    return cls


@dataclasses.dataclass(frozen=True)
class Barrier:
    """Barriers in shared memory.

    Args:
        arrival_count: how many arrivals complete one.
        num_barriers: how many there are.
        orders_tensor_core: whether they order accesses of tensor cores.
    """

    arrival_count: int
    num_barriers: int = 1
    orders_tensor_core: bool = False


@dataclasses.dataclass(frozen=True)
class ClusterBarrier:
    """Barriers at which the blocks of a cluster meet.

    Args:
        collective_dims: the dimensions of the cluster along which they meet.
        arrival_count: how many arrivals complete one.
        num_barriers: how many there are.
        orders_tensor_core: whether they order accesses of tensor cores.
        leader_tracked: whether only the first block counts.
    """

    collective_dims: Sequence[Any]
    arrival_count: int = 1
    num_barriers: int = 1
    orders_tensor_core: bool = dataclasses.field(default=False, kw_only=True)
    leader_tracked: bool = dataclasses.field(default=False, kw_only=True)


@dataclasses.dataclass(frozen=True)
class TMABarrier:
    """Barriers that copies complete.

    Args:
        num_barriers: how many there are.
    """

    num_barriers: int = 1


@dataclasses.dataclass(frozen=True)
class TMEM:
    """Tensor memory.

    Args:
        shape: its rows and columns.
        dtype: the dtype of its elements.
        layout: its layout.
        collective: whether two blocks share it.
        packing: how many elements share a column.

    Raises:
        ValueError: a layout and a packing are given.
    """

    shape: tuple[int, int]
    dtype: Any
    layout: Any = dataclasses.field(default=None, kw_only=True)
    collective: bool = dataclasses.field(default=False, kw_only=True)
    packing: int | None = dataclasses.field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.layout is not None and self.packing is not None:
            raise ValueError("A layout of tensor memory says the packing; give one.")


@dataclasses.dataclass(frozen=True)
class Union(Generic[_T]):
    """Several types of memory in the same bytes.

    Args:
        members: the types.
    """

    members: Sequence[_T]

    def __iter__(self) -> Iterator[_T]:
        return iter(self.members)


@dataclasses.dataclass(frozen=True)
class Arch:
    """The version of an instruction set.

    Args:
        major: the number before the point.
        minor: the number after it.
    """

    major: int
    minor: int


@_with_methods
@dataclasses.dataclass(frozen=True)
class BarrierRef:
    """References to barriers in a program.

    Args:
        base_address: where they are.
        offset: which one.
        phases: the phase of each.
        num_barriers: how many there are.
    """

    base_address: Any
    offset: Any
    phases: Any
    num_barriers: int


@_with_methods
@dataclasses.dataclass(frozen=True)
class CollectiveBarrierRef:
    """References to barriers of a cluster in a program.

    Args:
        barrier: those of this block.
        cluster_mask: which blocks meet.
        leader_tracked: whether only the first block counts.
    """

    barrier: BarrierRef
    cluster_mask: Any
    leader_tracked: bool = False


@_with_methods
@dataclasses.dataclass(frozen=True)
class DialectBarrierRef:
    """References to barriers in a program of the dialect.

    Args:
        barrier_ref: the barriers.
        orders_tensor_core: whether they order accesses of tensor cores.
    """

    barrier_ref: BarrierRef
    orders_tensor_core: bool


@_with_methods
@dataclasses.dataclass(frozen=True)
class SemaphoreRef:
    """A reference to a semaphore in a program.

    Args:
        ptr: where it is.
    """

    ptr: Any


@_with_methods
@dataclasses.dataclass(frozen=True)
class MultimemRef:
    """A reference to the same memory of several devices.

    Args:
        ref: the reference.
    """

    ref: Any


@dataclasses.dataclass(frozen=True)
class ForResult:
    """What a loop of a program returns.

    Args:
        op: the loop.
        results: its results.
    """

    op: Any
    results: tuple[Any, ...]

    @property
    def result(self) -> Any:
        """The only result.

        Raises:
            ValueError: there are several, or none.
        """
        if len(self.results) != 1:
            raise ValueError(f"The loop has {len(self.results)} results, not one.")
        return self.results[0]


def _parts(elements, num_chunks, chunk_size, what):
    """The number and the size of the parts of each axis, of which one is given."""
    if (num_chunks is None) == (chunk_size is None):
        raise ValueError(f"{what}: give one of num_chunks and chunk_size.")
    sizes = chunk_size or tuple(
        e // n for e, n in zip(elements, num_chunks, strict=True)
    )
    counts = num_chunks or tuple(e // s for e, s in zip(elements, sizes, strict=True))
    if any(n * s != e for n, s, e in zip(counts, sizes, elements, strict=True)):
        raise errors.value_error(
            f"{what}: the parts do not divide the elements.",
            [("elements", str(tuple(elements))), ("parts", str(tuple(counts)))],
        )
    return tuple(counts)


class Partition:
    """A division of an array into parts, one for each source.

    Args:
        elements: the shape of the array.
        partition: for each dimension the source axis that divides it, or None.
        base_offset: where the array begins.
        num_chunks: the number of parts along each source axis.
        chunk_size: the size of parts along each source axis, instead.

    Raises:
        ValueError: the parts do not divide the array.
    """

    def __init__(
        self,
        elements: tuple[int, ...],
        *,
        partition: tuple[int | None, ...],
        base_offset: tuple[Any, ...] | None = None,
        num_chunks: tuple[int, ...] | None = None,
        chunk_size: tuple[int, ...] | None = None,
    ):
        if len(elements) != len(partition):
            raise ValueError("Partition: there is an entry for each dimension.")
        self.target_elements = tuple(elements)
        self.partition = tuple(partition)
        self.base_offset = base_offset
        divided = [e for e, p in zip(elements, partition, strict=True) if p is not None]
        self.source_bounds = _parts(divided, num_chunks, chunk_size, "Partition")

    @property
    def num_chunks(self) -> tuple[int, ...]:
        """The number of parts along each source axis."""
        return self.source_bounds

    @property
    def target_block_shape(self) -> tuple[int, ...]:
        """The shape of a part."""
        return tuple(
            size if axis is None else size // self.source_bounds[axis]
            for size, axis in zip(self.target_elements, self.partition, strict=True)
        )

    def get_base(self, *source_coords: Any) -> list[Any]:
        """The indices at which the part of a source begins."""
        offsets = self.base_offset or (0,) * len(self.partition)
        return [
            offset if axis is None else offset + source_coords[axis] * block
            for offset, axis, block in zip(
                offsets, self.partition, self.target_block_shape, strict=True
            )
        ]


class Partition1D:
    """A division of a sequence into parts.

    Args:
        elements: its length.
        base_offset: where it begins.
        num_chunks: the number of parts.
        chunk_size: the size of parts, instead.

    Raises:
        ValueError: the parts do not divide it.
    """

    def __init__(
        self,
        elements: int,
        *,
        base_offset: Any = None,
        num_chunks: int | None = None,
        chunk_size: int | None = None,
    ):
        self.partition = Partition(
            (elements,),
            partition=(0,),
            base_offset=None if base_offset is None else (base_offset,),
            num_chunks=None if num_chunks is None else (num_chunks,),
            chunk_size=None if chunk_size is None else (chunk_size,),
        )

    @property
    def num_chunks(self) -> int:
        """The number of parts."""
        return self.partition.num_chunks[0]

    def get_base(self, source_coords: Any) -> Any:
        """Where a part begins."""
        return self.partition.get_base(source_coords)[0]

    def refine(
        self,
        *,
        chunk: Any = None,
        num_chunks: int | None = None,
        chunk_size: int | None = None,
    ) -> "Partition1D":
        """The division of one part into parts."""
        (size,) = self.partition.target_block_shape
        base = None if chunk is None else self.get_base(chunk)
        return Partition1D(
            size, base_offset=base, num_chunks=num_chunks, chunk_size=chunk_size
        )


@_with_methods
class FragmentedArray:
    """An array whose parts are in the registers of several threads of a program.

    Args:
        _registers: the registers of one thread.
        _layout: which thread holds what.
        _is_signed: for integers, whether they have a sign.
    """

    __slots__ = ("is_signed", "layout", "registers")

    def __init__(self, *, _registers: Any, _layout: Any, _is_signed: bool | None):
        self.registers = _registers
        self.layout = _layout
        self.is_signed = _is_signed

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.layout.shape_from_registers_shape(self.registers.shape)

    def tree_flatten(self) -> tuple[list[Any], Any]:
        """The registers, and the rest."""
        aux = self.layout, self.registers.shape, self.is_signed
        return list(self.registers.flat), aux


@_with_methods
@dataclasses.dataclass
class WGMMAAccumulator:
    """The accumulator of matrix products of a group of warps in a program."""

    _value: FragmentedArray = dataclasses.field(kw_only=True)
    _original_layout: Any = dataclasses.field(kw_only=True)
    _sync: bool = dataclasses.field(default=True, kw_only=True)

    @property
    def value(self) -> FragmentedArray:
        """What is accumulated."""
        return self._value


@_with_methods
@dataclasses.dataclass
class LaunchContext:
    """What a program for GPUs is made in.

    Args:
        module: the module.
        scratch: memory of the host's.
        cluster_size: the blocks of a cluster.
        buffers: pointers to operands.
        profiler: where events are recorded.
        device_collective_metadata: addresses of other devices' memory.
        num_peers: how many devices there are.
        num_params: how many operands there are.
        num_processes: how many processes there are.
        is_device_collective: whether other devices take part.
    """

    module: Any
    scratch: Any
    cluster_size: tuple[int, int, int]
    buffers: Any
    profiler: Any = None
    device_collective_metadata: Any = None
    num_peers: int = 0
    num_params: int = 0
    num_processes: int = 1
    is_device_collective: bool = False


class MMALayouts:
    """The layouts of the operands of matrix products of warps.

    Args:
        element_type: the type of their elements.

    Raises:
        NotImplementedError: always: types of registers belong to programs for GPUs.
    """

    def __init__(self, element_type: Any):
        raise errors.not_implemented(
            "Layouts of operands of warps are made in programs for GPUs only.",
            [("element_type", str(element_type))],
        )


def ceil_div(x: int, y: int) -> int:
    """The quotient of two integers, rounded up."""
    return -(-x // y)


def get_contiguous_strides(xs: Sequence[int]) -> list[int]:
    """The strides of a contiguous array of a shape, in elements."""
    return [math.prod(xs[i + 1 :]) for i in range(len(xs))]


def reduce_shape(
    shape: Sequence[int], axes: Sequence[int], keep_dims: bool = False
) -> tuple[int, ...]:
    """The shape of an array reduced along axes.

    Args:
        shape: the shape of the array.
        axes: the axes.
        keep_dims: whether they stay, with size 1.
    """
    if keep_dims:
        return tuple(1 if d in axes else size for d, size in enumerate(shape))
    return tuple(size for d, size in enumerate(shape) if d not in axes)


def is_nvshmem_available() -> bool:
    """Whether the library for memory of other GPUs is loaded: it never is here."""
    return False


def tmem_alloc_exact_ncols(ncols: int, exact: bool) -> int:
    """How many columns of tensor memory are allocated: a power of two from 32 to 512.

    Args:
        ncols: how many are needed.
        exact: whether `ncols` must be such a number already.

    Raises:
        ValueError: there are not so many, or `ncols` is no such number.
    """
    columns = max(32, 1 << (max(ncols, 1) - 1).bit_length())
    if columns > TMEM_MAX_COLS or ncols < 1 or (exact and columns != ncols):
        raise errors.value_error(
            "This number of columns of tensor memory cannot be allocated.",
            [("columns", str(ncols))],
            "A power of two from 32 to 512 is.",
        )
    return columns


# Sizes that only a running program knows.
DYNAMIC = -(2**63)
DYNAMIC32 = -(2**31)
MBARRIER_BYTES = 8
WORKGROUP_NVPTX_ADDRESS_SPACE = 3
TMEM_ROWS = 128
TMEM_MAX_COLS = 512
