"""The memory spaces of kernels, and what they may hold."""

import enum
from typing import Any

from jax._src import dtypes
from jax._src.base import errors, records
from jax._src.core import avals
from jax._src.core.reference_types import AbstractRef
from jax._src.pallas import accesses, checking


class AbstractMemory:
    """A type of references that kernels take as scratch, or name for their results."""

    __slots__ = ()


@records.record
class MemoryRef(AbstractMemory):
    """A type of references: an array of memory in some space.

    Args:
        inner_aval: the type of the array.
        memory_space: its memory space.
    """

    inner_aval: Any
    memory_space: Any

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
        return kernel_ref(self.inner_aval, self.memory_space)

    def __lt__(self, other: "MemoryRef") -> bool:
        if type(other) is not MemoryRef:
            return NotImplemented
        return repr(self) < repr(other)


def kernel_ref(inner_aval: Any, memory_space: Any, kind: Any = None) -> AbstractRef:
    """The type of references in kernels to an array of some type."""
    return AbstractRef(inner_aval, memory_space, kind, accesses.KERNEL)


def numbered(ref: AbstractRef, number: int) -> AbstractRef:
    """The type of a reference whose accesses are reported to a checker."""
    access = accesses.KernelAccess(number)
    return AbstractRef(ref.inner_aval, ref.memory_space, ref.kind, access)


def run_ref(checker: checking.Checker) -> AbstractRef:
    """The type of the reference that holds the number of a run of a checked kernel."""
    access = accesses.KernelAccess(None, checker)
    return AbstractRef(checking.RUN, MemorySpace.INDEX, None, access)


def array_in(space: Any, shape: Any, dtype: Any) -> MemoryRef:
    """An array of memory in a space, as scratch or result of a kernel."""
    sizes = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    return MemoryRef(avals.ShapedArray(sizes, dtypes.canonicalize_dtype(dtype)), space)


class MemorySpace(enum.Enum):
    """Spaces that every platform has; call one, ``pl.ANY(shape, dtype)``, for memory in it."""

    ANY = "any"
    DEFAULT = "default"
    ERROR = "error"
    INDEX = "index"
    KEY = "key"
    HOST = "host"

    def __str__(self) -> str:
        return self.value

    def __call__(self, shape: Any, dtype: Any) -> MemoryRef:
        return array_in(self, shape, dtype)


ANY = MemorySpace.ANY
HOST = MemorySpace.HOST


def reference_type(kind: Any, what: str) -> AbstractRef:
    """The type of references to what was given as scratch.

    Raises:
        AttributeError: it is no type of memory.
    """
    found = getattr(kind, "get_ref_aval", None)
    if found is None:
        raise AttributeError(
            errors.explain(
                f"{what}: this is no type of memory.",
                [("given", repr(kind))],
                "Scratch memory has a shape, a dtype and a space.",
                "Name the space: pltpu.VMEM(shape, dtype), pl.ANY(shape, dtype).",
            )
        )
    return found()
