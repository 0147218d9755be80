"""The memory spaces of GPUs, and what they hold: arrays, barriers, accumulators."""

import dataclasses
import enum
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import errors
from jax._src.core import avals
from jax._src.core.reference_types import AbstractRef
from jax._src.dtypes import query
from jax._src.numpy import scalar_types
from jax._src.pallas import memory, semaphores
from jax._src.pallas.mosaic_gpu import layouts


class MemorySpace(enum.Enum):
    """Spaces of a GPU; call one, ``plgpu.SMEM(shape, dtype)``, for memory in it."""

    GMEM = "gmem"
    SMEM = "smem"
    TMEM = "tmem"
    REGS = "regs"

    def __str__(self) -> str:
        return self.value

    def __call__(
        self,
        shape: Sequence[int],
        dtype: Any,
        *,
        transforms: Sequence[Any] = (),
        packed: bool | None = None,
        collective: bool | None = None,
        layout: Any = None,
    ) -> "GPUMemoryRef":
        if self is not MemorySpace.TMEM:
            if any(option is not None for option in (packed, collective, layout)):
                raise errors.value_error(
                    "packed, collective and layout arguments are only supported for "
                    "TMEM.",
                    [("space", self.name)],
                )
        else:
            collective = bool(collective)
            layout = _tensor_layout(tuple(shape), dtype, packed, collective, layout)
        aval = avals.ShapedArray(tuple(shape), dtypes.canonicalize_dtype(dtype))
        return GPUMemoryRef(aval, self, tuple(transforms), layout, collective)

    def like(self, x: Any) -> "GPUMemoryRef":
        """Memory in this space of the shape and dtype of `x`."""
        return self(x.shape, x.dtype)


def _tensor_layout(shape, dtype, packed, collective, layout):
    """The layout of an array in tensor memory."""
    if len(shape) != 2:
        raise ValueError(f"TMEM can only represent 2D shapes, got {shape}.")
    if layout is not None:
        return layout.to_mgpu() if hasattr(layout, "to_mgpu") else layout
    bits = query.itemsize_bits(np.dtype(dtype))
    if bits < 32 and packed is None:
        raise errors.value_error(
            "dtypes narrower than 32-bit require either the packed argument or an "
            "explicit TMEM layout.",
            [("dtype", str(np.dtype(dtype)))],
        )
    packing = 32 // bits if packed else 1
    rows, columns = shape
    if rows == 128:
        return layouts.tmem_default_layout(packing)
    if rows == 64:
        make = (
            layouts.tmem_m64_collective_layout
            if collective
            else layouts.tmem_half_lane_layout
        )
        return make(columns, packing)
    raise errors.value_error(
        f"Unsupported shape: {shape}. TMEM references must have either 128 or 64 "
        f"rows, but got {rows}."
    )


@dataclasses.dataclass(frozen=True)
class GPUMemoryRef(memory.AbstractMemory):
    """A type of references: an array in a memory space of GPUs.

    Args:
        inner_aval: the type of the array.
        memory_space: the space.
        transforms: how the memory is arranged.
        layout: the layout of tensor memory.
        collective: whether two blocks of threads share tensor memory.
    """

    inner_aval: Any
    memory_space: Any
    transforms: tuple[Any, ...] = ()
    layout: Any = None
    collective: bool | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.inner_aval.shape

    @property
    def dtype(self) -> Any:
        """The dtype of the array."""
        return self.inner_aval.dtype

    def get_array_aval(self) -> Any:
        """The type of the array."""
        return self.inner_aval

    def get_ref_aval(self) -> AbstractRef:
        """The type of references to it in kernels."""
        return memory.kernel_ref(self.inner_aval, self.memory_space)


@dataclasses.dataclass(frozen=True, init=False)
class RefUnion(memory.AbstractMemory):
    """Several arrays in the same bytes of memory, of which one is used at a time.

    Args:
        refs: trees of types of memory in one space, SMEM or TMEM.

    Raises:
        ValueError: there are none. NotImplementedError: they are in several spaces.
    """

    inner_aval: Any
    memory_space: Any
    transforms: tuple[Any, ...]
    layout: Any
    collective: bool | None
    refs: tuple[Any, ...]

    def __init__(self, *refs: Any):
        if not refs:
            raise ValueError("RefUnion takes at least one type of memory.")
        leaves = [tree.tree_leaves(ref, is_leaf=_is_memory) for ref in refs]
        spaces = {leaf.memory_space for group in leaves for leaf in group}
        if len(spaces) != 1 or not spaces <= {MemorySpace.SMEM, MemorySpace.TMEM}:
            raise errors.not_implemented(
                "All aliased Refs must have the same memory space (SMEM or TMEM).",
                [("spaces", ", ".join(sorted(str(s) for s in spaces)))],
            )
        (space,) = spaces
        if space is MemorySpace.SMEM:
            size = max(sum(map(_aligned_bytes, group)) for group in leaves)
            aval = avals.ShapedArray((size,), np.dtype(np.int8))
            layout = collective = None
        else:
            columns = max(sum(map(_columns, group)) for group in leaves)
            aval = avals.ShapedArray((128, columns), np.dtype(np.int32))
            layout = layouts.tmem_default_layout(1)
            collective = any(leaf.collective for group in leaves for leaf in group)
        for name, value in (
            ("inner_aval", aval),
            ("memory_space", space),
            ("transforms", ()),
            ("layout", layout),
            ("collective", collective),
            ("refs", refs),
        ):
            object.__setattr__(self, name, value)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the bytes."""
        return self.inner_aval.shape

    @property
    def dtype(self) -> Any:
        """The dtype of the bytes."""
        return self.inner_aval.dtype

    def get_array_aval(self) -> Any:
        """The type of the bytes."""
        return self.inner_aval

    def get_ref_aval(self) -> AbstractRef:
        """The type of references to the bytes in kernels."""
        return memory.kernel_ref(self.inner_aval, self.memory_space)


def _is_memory(x):
    return isinstance(x, GPUMemoryRef | RefUnion)


def _aligned_bytes(ref):
    bits = math.prod(ref.shape) * query.itemsize_bits(np.dtype(ref.dtype))
    return -(-bits // 8 // 16) * 16


def _columns(ref):
    packing = ref.layout.vector_length if ref.layout is not None else 1
    columns = ref.shape[1] // packing
    return columns // 2 if ref.shape[0] == 64 else columns


def TryClusterCancelResult(num_buffers: int | None = None) -> GPUMemoryRef:  # noqa: N802
    """Memory for the answer to an attempt to take over the work of another cluster."""
    leading = () if num_buffers is None else (num_buffers,)
    return MemorySpace.SMEM((*leading, 16), np.int8)


def _counts(given):
    return (given,) if isinstance(given, int) else tuple(given)


class _Barriers(memory.AbstractMemory):
    """What barriers of both kinds share: the references to them."""

    num_barriers: Any

    def get_array_aval(self) -> Any:
        """Barriers have no array.

        Raises:
            ValueError: always.
        """
        raise ValueError("Barriers are not arrays: a kernel takes references to them.")

    def get_ref_aval(self) -> AbstractRef:
        """The type of references to them in kernels."""
        kind = semaphores.SemaphoreType.BARRIER
        shape = _counts(self.num_barriers)
        return semaphores.SemaphoreMemory(kind, shape, MemorySpace.SMEM).get_ref_aval()


def _checked_arrivals(arrivals):
    if arrivals < 1:
        raise ValueError(f"Num arrivals must be at least 1, but got {arrivals}.")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Barrier(_Barriers):
    """Barriers at which the threads of a block meet.

    Args:
        num_arrivals: how many arrivals complete one.
        num_barriers: how many there are, or the shape of an array of them.
        orders_tensor_core: whether they order accesses of tensor cores.

    Raises:
        ValueError: `num_arrivals` is below 1.
    """

    num_arrivals: int = 1
    num_barriers: int | Sequence[int] = 1
    orders_tensor_core: bool = False

    def __post_init__(self) -> None:
        _checked_arrivals(self.num_arrivals)
        object.__setattr__(self, "num_barriers", _counts(self.num_barriers))


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusterBarrier(_Barriers):
    """Barriers at which the blocks of a cluster meet.

    Args:
        collective_axes: the axes of the cluster along which they meet.
        num_barriers: how many there are, or the shape of an array of them.
        num_arrivals: how many arrivals complete one.
        orders_tensor_core: whether they order accesses of tensor cores.
        leader_tracked: whether only the first block counts.

    Raises:
        ValueError: `num_arrivals` is below 1.
    """

    collective_axes: tuple[str | tuple[str, ...], ...]
    num_barriers: int | Sequence[int] = 1
    num_arrivals: int = 1
    orders_tensor_core: bool = False
    leader_tracked: bool = False

    def __post_init__(self) -> None:
        _checked_arrivals(self.num_arrivals)
        object.__setattr__(self, "num_barriers", _counts(self.num_barriers))


class SemaphoreType(enum.Enum):
    """Kinds of semaphores in the global memory of GPUs."""

    REGULAR = "regular"
    BARRIER = "barrier"

    def __call__(self, shape: Sequence[int] = ()) -> semaphores.SemaphoreMemory:
        kind = semaphores.SemaphoreType(self.value)
        return semaphores.SemaphoreMemory(kind, tuple(shape), MemorySpace.GMEM)

    def get_array_aval(self) -> Any:
        """The type of a semaphore."""
        return self().get_array_aval()

    def get_ref_aval(self) -> AbstractRef:
        """The type of references to a semaphore in kernels."""
        return self().get_ref_aval()


class Uninitialized:
    """Stands for memory that holds nothing yet."""


uninitialized = Uninitialized()


@dataclasses.dataclass(frozen=True)
class WGMMAAccumulatorRef(memory.AbstractMemory):
    """A type of references: the accumulator of matrix products of a group of warps.

    Args:
        shape: the shape of the product.
        dtype: its dtype.
    """

    shape: tuple[int, int]
    dtype: Any = scalar_types.float32
    _init: Any = uninitialized

    def get_array_aval(self) -> Any:
        """The type of the product."""
        return avals.ShapedArray(tuple(self.shape), np.dtype(self.dtype))

    def get_ref_aval(self) -> AbstractRef:
        """The type of references to it in kernels."""
        return memory.kernel_ref(self.get_array_aval(), MemorySpace.REGS)

    @staticmethod
    def init(array: Any) -> "WGMMAAccumulatorRef":
        """An accumulator that begins with the values of an array.

        Args:
            array: the values.
        """
        return WGMMAAccumulatorRef(array.shape, array.dtype, _init=array)


GMEM = MemorySpace.GMEM
SMEM = MemorySpace.SMEM
TMEM = MemorySpace.TMEM
REGS = MemorySpace.REGS
