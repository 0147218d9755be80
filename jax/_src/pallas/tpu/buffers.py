"""Buffers of pipelines: what they are for, and windows on them.

Here a block is copied when its step comes (`pipelines.py`): there are no buffers to manage,
and the classes that manage them on TPUs refuse to be made.
"""

import enum
from typing import Any

from jax._src.pallas.unsupported import not_here


class BufferType(enum.Enum):
    """What a pipeline does with the buffers of an operand."""

    INPUT = 1
    OUTPUT = 2
    INPUT_OUTPUT = 3
    MANUAL = 4

    @property
    def is_input(self) -> bool:
        """Whether blocks are copied in."""
        return self in (BufferType.INPUT, BufferType.INPUT_OUTPUT)

    @property
    def is_output(self) -> bool:
        """Whether blocks are copied out."""
        return self in (BufferType.OUTPUT, BufferType.INPUT_OUTPUT)


class BufferedRefBase:
    """A reference to the blocks of an operand in buffers of a TPU.

    Raises:
        NotImplementedError: one is made.
    """

    def __init__(self) -> None:
        raise _refused(type(self))


class BufferedRef(BufferedRefBase):
    """A reference to the blocks of an operand in buffers of a TPU, with its semaphores.

    Raises:
        NotImplementedError: one is made.
    """

    def __init__(
        self,
        _spec: Any,
        _buffer_type: BufferType,
        _buffer_count: int,
        _grid_rank: int | None,
        window_ref: Any,
        copy_in_slot: Any,
        wait_in_slot: Any,
        copy_out_slot: Any,
        wait_out_slot: Any,
        next_fetch: Any,
        sem_recvs: Any,
        sem_sends: Any,
        tiling: Any,
        is_trivial_windowing: bool = False,
        has_allocated_buffer: bool = False,
    ):
        raise _refused(type(self))

    @classmethod
    def create(cls, *args: Any, **options: Any) -> "BufferedRef":
        """Buffers of a kind.

        Raises:
            NotImplementedError: always.
        """
        raise _refused(cls)

    @classmethod
    def input(cls, *args: Any, **options: Any) -> "BufferedRef":
        """Buffers of an input.

        Raises:
            NotImplementedError: always.
        """
        raise _refused(cls)

    @classmethod
    def output(cls, *args: Any, **options: Any) -> "BufferedRef":
        """Buffers of a result.

        Raises:
            NotImplementedError: always.
        """
        raise _refused(cls)

    @classmethod
    def input_output(cls, *args: Any, **options: Any) -> "BufferedRef":
        """Buffers of a result that starts as an input.

        Raises:
            NotImplementedError: always.
        """
        raise _refused(cls)


def _refused(cls):
    return not_here(
        f"pltpu.{cls.__name__}",
        "TPUs",
        "pltpu.emit_pipeline, which makes what it needs.",
    )
