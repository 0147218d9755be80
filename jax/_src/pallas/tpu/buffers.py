"""Buffers of pipelines: several blocks of an operand at once, each in a slot.

A buffered reference has a slot for the block that a step works on, and others for blocks that
are fetched ahead or still being stored. Interpreted, a copy is done where it starts; slots and
semaphores change as they do on TPUs.
"""

import dataclasses
import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import errors
from jax._src.core import avals, reference_types, reference_views
from jax._src.numpy import dynamic_slices, lax_api as lax, numpy_api as jnp
from jax._src.pallas import (
    block_dims,
    blocking,
    checking,
    copies,
    memory,
    semaphores,
    specs,
)
from jax._src.pallas.tpu.chips import Tiling
from jax._src.pallas.tpu.memory import HBM, SMEM, VMEM

# A slot is a count of copies; the buffer is its remainder.
_COUNT = np.dtype(np.uint32)


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
    """What pipelines know of the operands that they copy; others may be derived from it."""

    @property
    def spec(self) -> specs.BlockSpec:
        """Which blocks there are."""
        raise _not_said(self, "spec")

    @property
    def buffer_type(self) -> BufferType:
        """What is done with the buffers."""
        raise _not_said(self, "buffer_type")

    @property
    def has_allocated_buffer(self) -> bool:
        """Whether it has memory of its own."""
        raise _not_said(self, "has_allocated_buffer")

    def initialize_slots(self) -> "BufferedRefBase":
        """A copy whose slots count from zero."""
        raise _not_said(self, "initialize_slots")

    def advance_copy_in_slot(self, predicate: Any = True) -> "BufferedRefBase":
        """A copy for which one more block was requested, where the predicate holds."""
        raise _not_said(self, "advance_copy_in_slot")

    def advance_wait_in_slot(self, predicate: Any = True) -> "BufferedRefBase":
        """A copy that is done with the block that came first, where the predicate holds."""
        raise _not_said(self, "advance_wait_in_slot")

    def advance_copy_out_slot(self, predicate: Any = True) -> "BufferedRefBase":
        """A copy for which one more block is being stored, where the predicate holds."""
        raise _not_said(self, "advance_copy_out_slot")

    def advance_wait_out_slot(self, predicate: Any = True) -> "BufferedRefBase":
        """A copy for which one more block was stored, where the predicate holds."""
        raise _not_said(self, "advance_wait_out_slot")

    def with_spec(self, spec: specs.BlockSpec) -> "BufferedRefBase":
        """A copy with other blocks."""
        raise _not_said(self, "with_spec")

    @property
    def is_buffered(self) -> bool:
        """Whether blocks are copied to buffers."""
        return False

    @property
    def is_trivial_windowing(self) -> bool:
        """Whether the block is the whole array in every step: it is copied once."""
        return False

    @property
    def is_input(self) -> bool:
        """Whether blocks are copied in."""
        return self.buffer_type.is_input

    @property
    def is_output(self) -> bool:
        """Whether blocks are copied out."""
        return self.buffer_type.is_output

    @property
    def is_input_output(self) -> bool:
        """Whether blocks are copied in and out."""
        return self.buffer_type is BufferType.INPUT_OUTPUT

    @property
    def is_manual(self) -> bool:
        """Whether the kernel copies them."""
        return self.buffer_type is BufferType.MANUAL

    @property
    def block_shape(self) -> Sequence[Any] | None:
        """The shape of blocks, as the specification says."""
        return self.spec.block_shape

    @property
    def has_indirect(self) -> bool:
        """Whether elements along some dimension are at indices in an array."""
        return any(
            isinstance(dim, block_dims.Indirect) for dim in self.block_shape or ()
        )

    @property
    def compute_index(self) -> Any:
        """The index map."""
        return self.spec.index_map

    def compute_slice(self, grid_indices: Sequence[Any]) -> tuple[Any, ...]:
        """The index of the block of a step in the array.

        Raises:
            ValueError: a dimension of blocks starts at any element.
        """
        found: list[Any] = []
        for given, index in zip(
            self.block_shape or (), self.compute_index(*grid_indices), strict=True
        ):
            dim = block_dims.block_dim(given)
            if block_dims.is_squeezed(dim):
                found.append(index)
            elif isinstance(dim, block_dims.Blocked):
                size = dim.block_size
                found.append(dynamic_slices.ds(index * size, size))
            else:
                raise errors.value_error(
                    f"A pipeline has blocks of {type(dim).__name__} dimensions.",
                    [("block", str(self.block_shape))],
                    "Blocks of a pipeline start at multiples of their size.",
                )
        return tuple(found)

    def get_dma_slice(self, src_ty: Any, grid_indices: Sequence[Any]) -> tuple:
        """The index of what is copied for a step: the block, which may reach beyond the end.

        Raises:
            ValueError: `src_ty` has no shape.
        """
        if getattr(src_ty, "shape", None) is None:
            raise errors.value_error(
                "A pipeline copies from something without a shape.",
                [("given", repr(src_ty))],
            )
        return self.compute_slice(grid_indices)

    def bind_existing_ref(self, window_ref: Any, indices: Any) -> "BufferedRefBase":
        """A copy that works on the reference itself, where it is in the memory of buffers."""
        return self

    def unbind_refs(self) -> "BufferedRefBase":
        """A copy without the references that `bind_existing_ref` put there."""
        return self


def _not_said(ref, name):
    return errors.not_implemented(
        f"pltpu.{type(ref).__name__}.{name}: a kind of buffers has to say it.",
        ways="pltpu.BufferedRef says it for blocks in slots.",
    )


def _static() -> Any:
    return dataclasses.field(metadata={"static": True})


@tree.register_dataclass
@dataclasses.dataclass(frozen=True)
class BufferedRef(BufferedRefBase):
    """A reference to the blocks of an operand in buffers, with its semaphores.

    Args:
        window_ref: the buffers; before memory is there, its type.
        copy_in_slot: how many blocks were requested.
        wait_in_slot: how many of these are done with.
        copy_out_slot: how many blocks are being stored or were.
        wait_out_slot: how many were stored.
        next_fetch: the program ids up to which blocks were requested, with lookahead.
        sem_recvs: a semaphore for each buffer that is filled.
        sem_sends: a semaphore for each buffer that is stored.
        tiling: accepted.
        is_trivial_windowing: whether the block is the whole array in every step.
        has_allocated_buffer: whether it has memory of its own.

    Raises:
        NotImplementedError: results have more than two.
    """

    _spec: specs.BlockSpec = _static()
    _buffer_type: BufferType = _static()
    _buffer_count: int = _static()
    _grid_rank: int | None = _static()
    window_ref: Any
    copy_in_slot: Any
    wait_in_slot: Any
    copy_out_slot: Any
    wait_out_slot: Any
    next_fetch: Any
    sem_recvs: Any
    sem_sends: Any
    tiling: Tiling | None = _static()
    is_trivial_windowing: bool = dataclasses.field(
        default=False, metadata={"static": True}
    )
    has_allocated_buffer: bool = dataclasses.field(
        default=False, metadata={"static": True}
    )

    def __post_init__(self) -> None:
        if self.is_output and self._buffer_count > 2:
            raise errors.not_implemented(
                "pltpu.BufferedRef: a result has more than two buffers.",
                [("buffer_count", str(self._buffer_count))],
                "A block is stored while the next one is computed.",
                "Give results one buffer or two.",
            )

    @property
    def spec(self) -> specs.BlockSpec:
        """Which blocks there are."""
        return self._spec

    @property
    def buffer_type(self) -> BufferType:
        """What is done with the buffers."""
        return self._buffer_type

    @property
    def is_buffered(self) -> bool:
        """Whether blocks are copied to buffers."""
        return self._buffer_count > 0

    @property
    def use_lookahead(self) -> bool:
        """Whether blocks are fetched as soon as there is a free buffer."""
        return self._grid_rank is not None

    @property
    def buffer_count(self) -> int:
        """The number of buffers.

        Raises:
            ValueError: there are none.
        """
        if not self.is_buffered:
            raise errors.value_error(
                "pltpu.BufferedRef: buffer count is undefined.",
                rule="What is in the memory of buffers is used where it is.",
            )
        return self._buffer_count

    @classmethod
    def create(
        cls,
        spec: specs.BlockSpec,
        dtype_or_type: Any,
        buffer_type: BufferType,
        buffer_count: int,
        grid_rank: int | None = None,
        use_lookahead: bool = False,
        source_memory_space: Any = memory.ANY,
        tiling: Tiling | None = None,
        is_trivial_windowing: bool = False,
    ) -> "BufferedRef":
        """Buffers of a kind: types of memory, of which `pl.run_scoped` makes references.

        Args:
            spec: which blocks there are.
            dtype_or_type: their dtype; or a type of arrays, whose shape is that of the
                buffer where the block is the whole array.
            buffer_type: what is done with them.
            buffer_count: how many there are.
            grid_rank: the number of axes of the grid, for lookahead.
            use_lookahead: whether blocks are fetched as soon as there is a free buffer.
            source_memory_space: the memory space of the whole array.
            tiling: accepted.
            is_trivial_windowing: whether the block is the whole array in every step.

        Raises:
            ValueError: the memory space has no buffers, there is not one, or `grid_rank` is
                missing.
        """
        space = _checked_space(spec)
        is_in_place = source_memory_space is space
        if not is_in_place:
            _check_buffers(buffer_count, use_lookahead, grid_rank)
        has_buffers = not (is_in_place or is_trivial_windowing)

        def signals(other):
            is_needed = has_buffers and buffer_type is not other
            return semaphores.SemaphoreType.DMA((buffer_count,)) if is_needed else None

        window = None
        if not is_in_place:
            sizes = (buffer_count, tiling, is_trivial_windowing)
            window = space(*_buffer_shape(spec, dtype_or_type, *sizes))
        return cls(
            _spec=spec,
            _buffer_type=buffer_type,
            _buffer_count=0 if is_in_place else buffer_count,
            _grid_rank=grid_rank if use_lookahead and not is_in_place else None,
            window_ref=window,
            next_fetch=None,
            sem_recvs=signals(BufferType.OUTPUT),
            sem_sends=signals(BufferType.INPUT),
            tiling=None if is_in_place else tiling,
            is_trivial_windowing=is_trivial_windowing,
            has_allocated_buffer=not is_in_place,
            **dict.fromkeys(_SLOTS),
        )

    @classmethod
    def input(
        cls,
        spec: specs.BlockSpec,
        dtype_or_type: Any,
        buffer_count: int = 2,
        **kwargs: Any,
    ) -> "BufferedRef":
        """Buffers of an input; see `create`.

        Raises:
            As `create`.
        """
        return cls.create(spec, dtype_or_type, BufferType.INPUT, buffer_count, **kwargs)

    @classmethod
    def output(
        cls,
        spec: specs.BlockSpec,
        dtype_or_type: Any,
        buffer_count: int = 2,
        **kwargs: Any,
    ) -> "BufferedRef":
        """Buffers of a result; see `create`.

        Raises:
            As `create`.
        """
        kind = BufferType.OUTPUT
        return cls.create(spec, dtype_or_type, kind, buffer_count, **kwargs)

    @classmethod
    def input_output(
        cls,
        spec: specs.BlockSpec,
        dtype_or_type: Any,
        buffer_count: int = 2,
        **kwargs: Any,
    ) -> "BufferedRef":
        """Buffers of a result that starts as an input; see `create`.

        Raises:
            As `create`.
        """
        kind = BufferType.INPUT_OUTPUT
        return cls.create(spec, dtype_or_type, kind, buffer_count, **kwargs)

    def with_spec(self, spec: specs.BlockSpec) -> "BufferedRef":
        """A copy with other blocks."""
        return dataclasses.replace(self, _spec=spec)

    def with_next_fetch(self, next_fetch: Sequence[Any] | None = None) -> "BufferedRef":
        """A copy that has requested blocks up to those program ids."""
        return dataclasses.replace(self, next_fetch=next_fetch)

    def with_slot_index(
        self,
        copy_in_slot: Any = None,
        copy_out_slot: Any = None,
        wait_in_slot: Any = None,
        wait_out_slot: Any = None,
    ) -> "BufferedRef":
        """A copy with other counts; None leaves one as it is."""
        given = (copy_in_slot, wait_in_slot, copy_out_slot, wait_out_slot)
        pairs = zip(_SLOTS, given, strict=True)
        return dataclasses.replace(self, **{k: v for k, v in pairs if v is not None})

    def initialize_slots(self) -> "BufferedRef":
        """A copy whose slots count from zero."""
        zero = jnp.asarray(0, _COUNT)
        into, out = (zero if of else None for of in (self.is_input, self.is_output))
        first = None
        if self._grid_rank is not None:
            first = tuple(jnp.asarray(0, np.int32) for _ in range(self._grid_rank))
        made = dataclasses.replace(self, next_fetch=first)
        return made.with_slot_index(into, out, into, out)

    def _advanced(self, name, does_it, predicate):
        if not self.is_buffered or not does_it:
            return self
        now = getattr(self, name)
        return self.with_slot_index(**{name: jnp.where(predicate, now + 1, now)})

    def advance_copy_in_slot(self, predicate: Any = True) -> "BufferedRef":
        """A copy for which one more block was requested, where the predicate holds."""
        return self._advanced("copy_in_slot", self.is_input, predicate)

    def advance_wait_in_slot(self, predicate: Any = True) -> "BufferedRef":
        """A copy that is done with the block that came first, where the predicate holds."""
        return self._advanced("wait_in_slot", self.is_input, predicate)

    def advance_copy_out_slot(self, predicate: Any = True) -> "BufferedRef":
        """A copy for which one more block is being stored, where the predicate holds."""
        return self._advanced("copy_out_slot", self.is_output, predicate)

    def advance_wait_out_slot(self, predicate: Any = True) -> "BufferedRef":
        """A copy for which one more block was stored, where the predicate holds."""
        return self._advanced("wait_out_slot", self.is_output, predicate)

    def _buffer_of(self, count):
        return lax.rem(count, jnp.asarray(self.buffer_count, _COUNT))

    @property
    def cumulative_copy_in(self) -> Any:
        """How many blocks were requested."""
        return self.copy_in_slot

    @property
    def current_copy_in_slot(self) -> Any:
        """The buffer for the next block that is requested."""
        return self._buffer_of(self.copy_in_slot)

    @property
    def cumulative_copy_out(self) -> Any:
        """How many blocks are being stored or were."""
        return self.copy_out_slot

    @property
    def current_copy_out_slot(self) -> Any:
        """The buffer of the block that is computed."""
        return self._buffer_of(self.copy_out_slot)

    @property
    def cumulative_wait_in(self) -> Any:
        """How many blocks are done with."""
        return self.wait_in_slot

    @property
    def current_wait_in_slot(self) -> Any:
        """The buffer of the block that is worked on."""
        return self._buffer_of(self.wait_in_slot)

    @property
    def cumulative_wait_out(self) -> Any:
        """How many blocks were stored."""
        return self.wait_out_slot

    @property
    def current_wait_out_slot(self) -> Any:
        """The buffer that is stored first."""
        return self._buffer_of(self.wait_out_slot)

    @property
    def next_fetch_indices(self) -> Any:
        """The program ids up to which blocks were requested.

        Raises:
            ValueError: nothing is fetched ahead of its time.
        """
        if not self.use_lookahead:
            raise errors.value_error(
                "pltpu.BufferedRef: fetch indices are there only with lookahead.",
                ways="pl.Buffered(buffer_count, use_lookahead=True).",
            )
        return self.next_fetch

    @property
    def current_ref(self) -> Any:
        """The reference to the block that is worked on."""
        if not self.is_buffered or self.is_trivial_windowing:
            return self.window_ref
        return self._window_at(
            self.current_copy_out_slot if self.is_output else self.current_wait_in_slot
        )

    def _window_at(self, buffer):
        """The reference to a buffer."""
        kept = _kept_shape(self._spec)
        if len(self.window_ref.shape) == len(kept) + 1:
            return self.window_ref.at[buffer]
        start = buffer.astype(np.int32) * np.int32(kept[0])
        return self.window_ref.at[dynamic_slices.ds(start, kept[0])]

    def bind_existing_ref(self, window_ref: Any, indices: Any) -> "BufferedRef":
        """A copy that works on the reference itself, where it is in the memory of buffers."""
        if self.is_buffered or self.has_allocated_buffer:
            return self
        if not self.is_trivial_windowing:
            window_ref = window_ref.at[self.compute_slice(indices)]
        return dataclasses.replace(self, window_ref=window_ref)

    def unbind_refs(self) -> "BufferedRef":
        """A copy without the references that `bind_existing_ref` put there."""
        if self.is_buffered or self.has_allocated_buffer:
            return self
        return dataclasses.replace(self, window_ref=None)

    def copy_in(self, src_ref: Any, grid_indices: Sequence[Any]) -> None:
        """Starts to fill the next free buffer with the block of a step."""
        if not self.is_buffered:
            return
        buffer = self.current_copy_in_slot
        target = self._window_at(buffer)
        self.fetch(src_ref, grid_indices, target)
        _signal(self.sem_recvs.at[buffer], target)

    def wait_in(self, src_ref: Any, grid_indices: Sequence[Any]) -> None:
        """Waits until the buffer that is worked on is filled."""
        if not self.is_buffered:
            return
        buffer = self.current_wait_in_slot
        count = copies.count_of(self._window_at(buffer))
        copies.wait(self.sem_recvs.at[buffer], count)

    def copy_out(self, dst_ref: Any, grid_indices: Sequence[Any]) -> None:
        """Starts to store the buffer that was computed as the block of a step."""
        if not self.is_buffered:
            return
        buffer = self.current_copy_out_slot
        source = self._window_at(buffer)
        self.store(dst_ref, grid_indices, source)
        if self.buffer_count > 1:
            _signal(self.sem_sends.at[buffer], source)

    def wait_out(self, dst_ref: Any, grid_indices: Sequence[Any]) -> None:
        """Waits until the buffer that is stored first was; a single one is stored at once."""
        if not self.is_buffered or self.buffer_count == 1:
            return
        buffer = self.current_wait_out_slot
        count = copies.count_of(self._window_at(buffer))
        copies.wait(self.sem_sends.at[buffer], count)

    def _block_at(self, grid_indices):
        dims = tuple(map(block_dims.block_dim, self._spec.block_shape))
        return dims, blocking.starts(dims, self.compute_index(*grid_indices))

    def fetch(self, src_ref: Any, grid_indices: Sequence[Any], target: Any) -> None:
        """Copies the block of a step to a reference; beyond the end nothing is specified."""
        if self.is_trivial_windowing:
            copies.sync_copy(src_ref, target)
            return
        dims, starts = self._block_at(grid_indices)
        _report(src_ref, "read", dims, starts)
        checking.accessed(target, "write", lambda elements: elements)
        target.write(blocking.cut(blocking.padded(src_ref.read(), dims), dims, starts))

    def store(self, dst_ref: Any, grid_indices: Sequence[Any], source: Any) -> None:
        """Copies what is in a reference to the block of a step, as far as there is one."""
        if self.is_trivial_windowing:
            copies.sync_copy(source, dst_ref)
            return
        dims, starts = self._block_at(grid_indices)
        checking.accessed(source, "read", lambda elements: elements)
        _report(dst_ref, "write", dims, starts)
        array = blocking.padded(dst_ref.read(), dims)
        changed = blocking.put_back(array, dims, starts, source.read())
        dst_ref.write(blocking.unpadded(changed, dims, dst_ref.shape))


_SLOTS = ("copy_in_slot", "wait_in_slot", "copy_out_slot", "wait_out_slot")


def _checked_space(spec):
    """The memory space of buffers."""
    space = VMEM if spec.memory_space is None else spec.memory_space
    if space not in (SMEM, VMEM, HBM):
        raise errors.value_error(
            f"pltpu.BufferedRef: Unsupported buffer memory space: {space}",
            ways="Buffers are in pltpu.VMEM, pltpu.SMEM or pltpu.HBM.",
        )
    return space


def _check_buffers(count, use_lookahead, grid_rank):
    if count < 1:
        raise errors.value_error(
            "pltpu.BufferedRef: buffer_count must be at least 1.",
            [("buffer_count", str(count))],
            ways="Two buffers: one is worked on while the other is copied.",
        )
    if use_lookahead and grid_rank is None:
        raise errors.value_error(
            "pltpu.BufferedRef: grid_rank must be specified when use_lookahead is True.",
            ways="Give the number of axes of the grid.",
        )


def _kept_shape(spec):
    """The shape of a block as kernels see it."""
    dims = map(block_dims.block_dim, spec.block_shape)
    return tuple(block_dims.size_of(d) for d in dims if not block_dims.is_squeezed(d))


def _buffer_shape(spec, given, count, tiling, is_whole):
    """The shape and the dtype of all buffers of an operand together."""
    is_type = isinstance(given, avals.AbstractValue)
    dtype = given.dtype if is_type else dtypes.canonicalize_dtype(given)
    if is_whole:
        return given.shape, dtype
    if spec.block_shape is None:
        raise errors.value_error(
            "pltpu.BufferedRef: Block shape must be specified.",
            ways="pl.BlockSpec(block_shape, index_map).",
        )
    kept = _kept_shape(spec)
    if len(kept) == 1 and tiling is not Tiling.SPARSE_CORE:
        return (count * kept[0],), dtype  # One after the other.
    return (count, *kept), dtype


def _signal(semaphore, copied):
    checking.signalled(semaphore)
    semaphores.change(semaphore, copies.count_of(copied))


def _report(ref, kind, dims, starts):
    """Reports that a block is read or written, as far as it is inside."""

    def seen(elements):
        paddings = [(low, high, 0) for low, high in blocking.paddings(ref.shape, dims)]
        nothing = np.asarray(-1, elements.dtype)
        return blocking.cut(lax.pad(elements, nothing, paddings), dims, starts)

    checking.accessed(ref, kind, seen)


def type_of(ref: Any) -> avals.ShapedArray:
    """The type of the array that a reference or view is to."""
    return avals.ShapedArray(tuple(ref.shape), ref.dtype)


def space_of(ref: Any) -> Any:
    """The memory space of what a reference or view is to; None where none was named."""
    base = ref.ref if isinstance(ref, reference_views.TransformedRef) else ref
    found = getattr(base, "aval", None)
    return (
        found.memory_space if isinstance(found, reference_types.AbstractRef) else None
    )
