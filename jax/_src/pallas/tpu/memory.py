"""The memory spaces of TPUs."""

import enum
from typing import Any

from jax._src.core import avals
from jax._src.pallas import memory


class MemorySpace(enum.Enum):
    """Spaces of a TPU; call one, ``pltpu.VMEM(shape, dtype)``, for memory in it."""

    VMEM = "vmem"
    VMEM_SHARED = "vmem_shared"
    SMEM = "smem"
    CMEM = "cmem"
    SEMAPHORE = "semaphore_mem"
    HBM = "hbm"

    def __repr__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.value

    def __call__(self, shape: Any, dtype: Any) -> memory.MemoryRef:
        return memory.array_in(self, shape, dtype)

    def like(self, x: Any) -> memory.MemoryRef:
        """Memory in this space of the shape and dtype of `x`."""
        return memory.array_in(self, x.shape, x.dtype)

    def __matmul__(self, mesh: Any) -> "CoreMemorySpace":
        return CoreMemorySpace(self, mesh)


class CoreMemorySpace:
    """A memory space of each core of a mesh.

    Args:
        memory_space: the space.
        mesh: the cores.
    """

    __slots__ = ("memory_space", "mesh")

    def __init__(self, memory_space: MemorySpace, mesh: Any):
        self.memory_space = memory_space
        self.mesh = mesh

    def __str__(self) -> str:
        return f"{self.memory_space}@{self.mesh}"

    def __call__(self, shape: Any, dtype: Any) -> memory.MemoryRef:
        return memory.array_in(self, shape, dtype)


VMEM = MemorySpace.VMEM
VMEM_SHARED = MemorySpace.VMEM_SHARED
SMEM = MemorySpace.SMEM
CMEM = MemorySpace.CMEM
SEMAPHORE = MemorySpace.SEMAPHORE
HBM = MemorySpace.HBM


def with_memory_space_constraint(x: Any, memory_space: Any) -> Any:
    """The array itself, kept in a memory space of TPUs, of which there is none here.

    Raises:
        TypeError: `x` is no array.
    """
    avals.get_aval(x)
    return x
