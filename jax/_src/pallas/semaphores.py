"""Semaphores: counters that kernels signal and wait for.

Interpreted, signals add at once, and nothing ever waits; those from other devices: `remote.py`.
"""

import enum
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors
from jax._src.core import avals, reference_views, references
from jax._src.core.reference_types import AbstractRef
from jax._src.pallas import checking, memory

# An interpreted kernel counts in this type.
COUNT = np.dtype(np.int16)


class semaphore(dtypes.extended):
    """The dtype of semaphores."""


class dma_semaphore(semaphore):
    """The dtype of semaphores that copies signal."""


class DeviceIdType(enum.Enum):
    """How other devices are named: by mesh coordinates, or by number."""

    MESH = "mesh"
    LOGICAL = "logical"


class SemaphoreMemory:
    """A type of references: semaphores of a kind.

    Args:
        kind: the kind.
        shape: the shape of the array of them.
        memory_space: their memory space.
    """

    __slots__ = ("kind", "memory_space", "shape")

    def __init__(self, kind: "SemaphoreType", shape: tuple[int, ...], space: Any):
        self.kind = kind
        self.shape = shape
        self.memory_space = space

    def get_array_aval(self) -> Any:
        """The type of the array."""
        return avals.ShapedArray(self.shape, COUNT)

    def get_ref_aval(self) -> AbstractRef:
        """The type of references to it in kernels."""
        return memory.kernel_ref(self.get_array_aval(), self.memory_space, self.kind)


class SemaphoreType(enum.Enum):
    """Kinds of semaphores: as scratch one of them, or an array when called with a shape."""

    REGULAR = "regular"
    DMA = "dma"
    BARRIER = "barrier"

    def __call__(self, shape: Any = ()) -> SemaphoreMemory:
        sizes = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
        return SemaphoreMemory(self, sizes, _SPACE)

    def get_array_aval(self) -> Any:
        """The type of the array."""
        return self().get_array_aval()

    def get_ref_aval(self) -> AbstractRef:
        """The type of references to it in kernels."""
        return self().get_ref_aval()


class _Space:
    def __str__(self) -> str:
        return "semaphore_mem"


_SPACE = _Space()


def kind_of(ref: Any) -> Any:
    """The kind of semaphores that a reference or view is to; None for other references."""
    base = ref.ref if isinstance(ref, reference_views.TransformedRef) else ref
    return base.aval.kind if isinstance(base, references.Ref) else None


def checked(ref: Any, what: str, *, is_copy: bool = False) -> Any:
    """The reference to one semaphore.

    Raises:
        ValueError: it is to something else.
    """
    kind = kind_of(ref) if isinstance(ref, reference_views.AbstractView) else None
    if not isinstance(kind, SemaphoreType) or ref.shape != ():
        raise errors.value_error(
            f"{what}: this is no semaphore.",
            [("given", repr(getattr(ref, "aval", ref)))],
            "One semaphore is signalled or waited for at a time.",
            "Make them as scratch: pltpu.SemaphoreType.REGULAR. Of an array of them "
            "name one: sem.at[i].",
        )
    if is_copy and kind is not SemaphoreType.DMA:
        raise errors.value_error(
            f"{what}: the semaphore is not for copies.",
            [("kind", kind.value)],
            ways="Make it as scratch: pltpu.SemaphoreType.DMA.",
        )
    return ref


def change(ref: Any, by: Any) -> None:
    """Adds to the count of a semaphore."""
    step = by if isinstance(by, int) else by.astype(COUNT)
    ref.set((ref.get() + step).astype(COUNT))


def semaphore_read(sem_or_view: Any) -> Any:
    """The count of a semaphore, int32.

    Raises:
        ValueError: it is none.
    """
    return checked(sem_or_view, "pl.semaphore_read").get().astype(np.int32)


def semaphore_wait(sem_or_view: Any, value: Any = 1, *, decrement: bool = True) -> None:
    """Waits until a semaphore counts `value`, and takes it away.

    Interpreted kernels do not wait: what is missing becomes a negative count.

    Args:
        sem_or_view: the semaphore.
        value: the count that is waited for.
        decrement: whether it is taken away.

    Raises:
        ValueError: it is no semaphore.
    """
    ref = checked(sem_or_view, "pl.semaphore_wait")
    checking.waited(ref, ref.read(), value)
    if decrement:
        change(ref, -value)
