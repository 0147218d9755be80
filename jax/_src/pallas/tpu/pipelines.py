"""Pipelines in kernels: a grid over references to arrays in another memory.

While a step works on its blocks, those of the next steps are fetched, and those of the last one
stored. Interpreted, a copy is done where it starts: what is left of the pipeline is in which
step that is, and in which buffer a block is.
"""

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core import reference_views, references, state
from jax._src.lax.collectives import axis_index
from jax._src.lax.control_flow.while_loops import while_loop
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas import (
    block_dims,
    checking,
    grid_mapping,
    helpers,
    memory,
    program_ids,
    scoped,
    specs,
)
from jax._src.pallas.tpu import buffers
from jax._src.pallas.tpu.buffers import BufferedRef
from jax._src.pallas.tpu.memory import VMEM
from jax._src.pallas.tpu.params import PARALLEL
from jax._src.transforms.named_scope import named_scope


def emit_pipeline(
    body: Callable[..., None],
    *,
    grid: tuple[Any, ...],
    in_specs: Any = (),
    out_specs: Any = (),
    tiling: Any = None,
    core_axis: Any = None,
    core_axis_name: Any = None,
    dimension_semantics: Sequence[Any] | None = None,
    trace_scopes: bool = True,
    no_pipelining: bool = False,
    _explicit_indices: bool = False,
) -> Callable[..., None]:
    """Makes a function of references that runs a kernel for each step of an inner grid.

    An operand has two buffers, or as many as ``pl.BlockSpec(pipeline_mode=pl.Buffered(n))``
    says; results have one or two. A block of a result is stored once steps come to another
    one, and is not fetched again.

    Args:
        body: takes references to blocks of the inputs, then of the outputs, then `scratches`.
        grid: the number of steps along each axis.
        in_specs: a sequence of `pl.BlockSpec`, one for each input.
        out_specs: the same for outputs, or one.
        tiling: how buffers are laid out on a TPU: for sparse cores with a dimension for each.
        core_axis: the axis of the outer grid whose programs share the steps along a parallel
            axis.
        core_axis_name: the axis of a mesh of cores that do.
        dimension_semantics: for each axis of the grid whether it is parallel.
        trace_scopes: whether parts of the pipeline are named scopes.
        no_pipelining: whether each block is fetched and stored in its own step.

    Returns:
        A function of references to whole arrays, inputs first. ``scratches=()`` is passed to
        the body; ``allocations=None`` are the buffers, where they are made outside of it;
        ``body_prologue=None`` is called before the body in each step.

    Raises:
        ValueError: there are not as many references as specifications, the grid has no
            steps, or both kinds of axes of cores are given.
        NotImplementedError: cores would have to share steps of which none are parallel.
    """
    _check_grid(grid)
    if core_axis is not None and core_axis_name is not None:
        raise errors.value_error(
            "pltpu.emit_pipeline: core_axis and core_axis_name cannot both be provided.",
            [("core_axis", repr(core_axis)), ("core_axis_name", repr(core_axis_name))],
        )
    axis = core_axis_name if core_axis is None else core_axis
    steps = _Steps(*_share(grid, axis, dimension_semantics))
    ins, outs = _listed(in_specs), _listed(out_specs)
    settings = _Settings(body, trace_scopes, _explicit_indices)

    def pipeline(
        *refs: Any,
        scratches: Sequence[Any] | None = None,
        allocations: Any = None,
        body_prologue: Callable[[], None] | None = None,
    ) -> None:
        _check_count(refs, [*ins, *outs])
        run = _run_each if no_pipelining else _run_ahead

        def with_buffers(made):
            run(settings, steps, refs, list(made), scratches or (), body_prologue)

        if allocations is not None:
            with_buffers(allocations)
            return
        made = _buffers(refs, ins, outs, steps.grid, tiling)
        scoped.run_scoped(with_buffers, made)

    return pipeline


def emit_pipeline_with_allocations(
    body: Callable[..., None], *, grid: Any, in_specs: Any = (), out_specs: Any = ()
) -> tuple[Callable[..., None], Callable[..., tuple]]:
    """`emit_pipeline`, and a function that makes the buffers which it takes.

    Args:
        body: as in `emit_pipeline`.
        grid: the same.
        in_specs: the same.
        out_specs: the same.

    Returns:
        The pipeline, and a function from the references to types of buffers: what
        `pl.run_scoped` makes of them may be passed to several runs as ``allocations=``.

    Raises:
        As `emit_pipeline`.
    """
    pipeline = emit_pipeline(body, grid=grid, in_specs=in_specs, out_specs=out_specs)
    ins, outs = _listed(in_specs), _listed(out_specs)

    def make(*refs: Any) -> tuple[BufferedRef, ...]:
        _check_count(refs, [*ins, *outs])
        return _buffers(refs, ins, outs, grid, None)

    return pipeline, make


class _Settings:
    """What is run in each step, and how."""

    def __init__(self, body: Any, has_scopes: bool, takes_ids: bool):
        self.body = body
        self.has_scopes = has_scopes
        self.takes_ids = takes_ids

    def scope(self, name: str) -> Any:
        """A named scope for a part of the pipeline."""
        return named_scope(name) if self.has_scopes else contextlib.nullcontext()

    def run(self, steps, number, made, scratches, prologue) -> None:
        """Runs the body for a step, on the blocks in buffers."""
        if prologue is not None:
            prologue()
        first = (tuple(steps.ids(number)),) if self.takes_ids else ()
        seen = [b.current_ref for b in made]
        blocks = [_reference(ref) for ref in seen]
        with self.scope("ep_run_kernel"):
            self.body(*first, *blocks, *scratches)
        for b, ref, block in zip(made, seen, blocks, strict=True):
            if block is not ref and (b.is_output or not b.is_buffered):
                checking.accessed(ref, "write", lambda elements: elements)
                ref.write(block.read())


def _reference(ref):
    """A reference to what a view shows: bodies pass references to loops and branches."""
    if not isinstance(ref, reference_views.TransformedRef):
        return ref
    aval = memory.kernel_ref(buffers.type_of(ref), VMEM)
    return references.Ref(aval, ref.read())


class _Steps:
    """The steps of a pipeline: those of the core that runs."""

    def __init__(self, grid: Sequence[Any], offsets: Sequence[Any]):
        self.grid = tuple(grid)
        self.offsets = offsets
        self.count = grid_mapping.steps_of(grid)

    def local_ids(self, number: Any) -> list[Any]:
        """The program ids of a step, of the core's own grid."""
        return grid_mapping.program_ids_of(jnp.asarray(number, np.int32), self.grid)

    def ids(self, number: Any) -> list[Any]:
        """The program ids of a step."""
        local = self.local_ids(number)
        return [i + offset for i, offset in zip(local, self.offsets, strict=True)]

    def at(self, number: Any) -> Any:
        """For a block, kernels are at a step."""
        return program_ids.at(program_ids.GridPoint(self.ids(number), self.grid))

    def differ(self, made: BufferedRef, one: Any, other: Any) -> Any:
        """Whether two steps have different blocks of an operand."""
        pairs = zip(
            made.compute_index(*self.ids(one)),
            made.compute_index(*self.ids(other)),
            strict=True,
        )
        return functools.reduce(jnp.logical_or, [a != b for a, b in pairs], False)


def _run_each(settings, steps, refs, made, scratches, prologue):
    """Fetches and stores the blocks of each step in it."""
    made = [b.initialize_slots() for b in made]

    def step(number, carry):
        ids = steps.ids(number)
        with steps.at(number):
            now = [b.bind_existing_ref(r, ids) for b, r in zip(made, refs, strict=True)]
            for b, ref in zip(now, refs, strict=True):
                if b.is_input and b.is_buffered:
                    b.fetch(ref, ids, b.current_ref)
            settings.run(steps, number, now, scratches, prologue)
            for b, ref in zip(now, refs, strict=True):
                if b.is_output and b.is_buffered:
                    b.store(ref, ids, b.current_ref)
        return carry

    lax.fori_loop(0, steps.count, step, np.int32(0))


def _run_ahead(settings, steps, refs, made, scratches, prologue):
    """Fetches the blocks of steps before they come."""

    @helpers.when(steps.count > 0)
    def _():
        _pipelined(settings, steps, refs, made, scratches, prologue)


def _pipelined(settings, steps, refs, made, scratches, prologue):
    operands = [_Operand(b, r, settings) for b, r in zip(made, refs, strict=True)]
    with steps.at(0):
        for operand in operands:
            operand.begin(steps)
        ahead = max(b.buffer_count if b.is_buffered else 1 for b in made)
        for number in range(ahead - 1):
            for operand in operands:
                operand.fetch_first(steps, number)

    def step(number, slots):
        with steps.at(number):
            for operand, held in zip(operands, slots, strict=True):
                operand.enter(steps, number, held)
            for operand in operands:
                operand.fetch_ahead(steps, number)
            for operand in operands:
                operand.wait_in(steps, number)
            now = [operand.made for operand in operands]
            settings.run(steps, number, now, scratches, prologue)
            for operand in operands:
                operand.store(steps, number)
            for operand in operands:
                operand.wait_out(steps, number)
        return [operand.leave(steps, number) for operand in operands]

    slots = [operand.slots() for operand in operands]
    slots = lax.fori_loop(0, steps.count, step, slots)
    last = steps.count - 1
    with steps.at(last):
        for operand, held in zip(operands, slots, strict=True):
            operand.end(steps, last, held)


class _Operand:
    """An operand while a pipeline runs: its buffers as they are now.

    Args:
        made: the buffers.
        ref: the reference to the whole array.
        settings: what is run.
    """

    def __init__(self, made: BufferedRef, ref: Any, settings: _Settings):
        self.made = made.initialize_slots()
        self.ref = ref
        self.settings = settings
        # What is copied once, or is where it is used, needs no care from step to step.
        self.is_copied = made.is_buffered and not made.is_trivial_windowing
        self.is_whole = made.is_buffered and made.is_trivial_windowing

    def slots(self) -> tuple[Any, ...]:
        """What changes from step to step."""
        made = self.made
        counts = (made.copy_in_slot, made.wait_in_slot)
        return (*counts, made.copy_out_slot, made.wait_out_slot, made.next_fetch)

    def _hold(self, slots):
        into, waited, out, stored, fetch = slots
        self.made = self.made.with_slot_index(into, out, waited, stored)
        self.made = self.made.with_next_fetch(fetch)

    def begin(self, steps: _Steps) -> None:
        """Copies what is copied once."""
        if self.is_whole and self.made.is_input:
            self.made.fetch(self.ref, steps.ids(0), self.made.window_ref)

    def end(self, steps: _Steps, last: Any, slots: Any) -> None:
        """Waits for what is still being stored."""
        self._hold(slots)
        if self.is_whole and self.made.is_output:
            self.made.store(self.ref, steps.ids(last), self.made.window_ref)
        if self.is_copied and self.made.is_output:
            self.made.wait_out(self.ref, steps.ids(last))

    def fetch_first(self, steps: _Steps, number: int) -> None:
        """Fetches the block of one of the first steps, while there are free buffers."""
        made = self.made
        if not (self.is_copied and made.is_input) or number + 1 >= made.buffer_count:
            return
        if number and made.use_lookahead:
            self._fetch_next(steps)
            return
        is_other = number == 0 or steps.differ(made, number, number - 1)
        self._fetch(steps, number, is_other & (number < steps.count))

    def _fetch(self, steps, number, is_due):
        made = self.made

        @helpers.when(is_due)
        def _():
            with self.settings.scope("ep_copy_in"):
                made.copy_in(self.ref, steps.ids(number))

        self.made = made.advance_copy_in_slot(is_due)

    def _fetch_next(self, steps):
        """Fetches blocks of the next steps that need others, while there are free buffers."""
        made = self.made
        number = jnp.asarray(0, np.int32)
        for i, size in zip(made.next_fetch, steps.grid, strict=True):
            number = number * size + i

        def is_room(carry):
            number, count = carry
            is_free = count - made.wait_in_slot < made.buffer_count
            return is_free & (number + 1 < steps.count)

        def look(carry):
            number, count = carry
            is_due = steps.differ(made, number + 1, number)
            now = made.with_slot_index(copy_in_slot=count)

            @helpers.when(is_due)
            def _():
                now.copy_in(self.ref, steps.ids(number + 1))

            return number + 1, now.advance_copy_in_slot(is_due).copy_in_slot

        number, count = while_loop(is_room, look, (number, made.copy_in_slot))
        fetched = tuple(jnp.asarray(i, np.int32) for i in steps.local_ids(number))
        self.made = made.with_slot_index(copy_in_slot=count).with_next_fetch(fetched)

    def enter(self, steps: _Steps, number: Any, slots: Any) -> None:
        """Begins a step."""
        self._hold(slots)
        self.made = self.made.bind_existing_ref(self.ref, steps.ids(number))

    def fetch_ahead(self, steps: _Steps, number: Any) -> None:
        """Fetches a block for a later step, or for this one where there is one buffer."""
        made = self.made
        if not (self.is_copied and made.is_input):
            return
        if made.use_lookahead:
            self._fetch_next(steps)
            return
        ahead = number + made.buffer_count - 1
        is_due = (ahead < steps.count) & steps.differ(made, ahead, ahead - 1)
        if made.buffer_count == 1:
            is_due = is_due | (number == 0)
        self._fetch(steps, ahead, is_due)

    def _is_first(self, steps, number):
        """Whether a step is the first with its block."""
        return (number == 0) | steps.differ(self.made, number, number - 1)

    def _is_last(self, steps, number):
        """Whether a step is the last with its block."""
        is_end = number == steps.count - 1
        return is_end | steps.differ(self.made, number, number + 1)

    def wait_in(self, steps: _Steps, number: Any) -> None:
        """Waits for the block of a step."""
        if not (self.is_copied and self.made.is_input):
            return

        @helpers.when(self._is_first(steps, number))
        def _():
            with self.settings.scope("ep_wait_in"):
                self.made.wait_in(self.ref, steps.ids(number))

    def store(self, steps: _Steps, number: Any) -> None:
        """Stores a block that no later step works on."""
        made = self.made
        if not (self.is_copied and made.is_output):
            return
        is_done = self._is_last(steps, number)

        @helpers.when(is_done)
        def _():
            with self.settings.scope("ep_copy_out"):
                made.copy_out(self.ref, steps.ids(number))

        self.made = made.advance_copy_out_slot(is_done)

    def wait_out(self, steps: _Steps, number: Any) -> None:
        """Waits until the block before that of a step is stored."""
        made = self.made
        if not (self.is_copied and made.is_output):
            return
        is_due = (number > 0) & steps.differ(made, number, number - 1)

        @helpers.when(is_due)
        def _():
            with self.settings.scope("ep_wait_out"):
                made.wait_out(self.ref, steps.ids(number - 1))

        self.made = made.advance_wait_out_slot(is_due)

    def leave(self, steps: _Steps, number: Any) -> tuple[Any, ...]:
        """Ends a step; returns what the next one needs."""
        if self.is_copied and self.made.is_input:
            self.made = self.made.advance_wait_in_slot(self._is_last(steps, number))
        self.made = self.made.unbind_refs()
        return self.slots()


def _listed(given):
    return list(given) if isinstance(given, list | tuple) else [given]


def _check_grid(grid):
    for size in grid:
        if isinstance(size, int) and size <= 0:
            raise errors.value_error(
                "pltpu.emit_pipeline: All elements in the grid must be strictly positive.",
                [("grid", str(grid))],
            )
        if not isinstance(size, int) and getattr(size, "dtype", None) is None:
            raise errors.value_error(
                "pltpu.emit_pipeline: Grid must consist of Python integers and JAX Arrays.",
                [("grid", str(grid))],
            )


def _check_count(refs, given):
    if len(refs) != len(given):
        raise errors.value_error(
            "pltpu.emit_pipeline: there is not a reference for each specification.",
            [("references", str(len(refs))), ("specifications", str(len(given)))],
        )


def _buffers(refs, ins, outs, grid, tiling):
    """The types of the buffers of all operands."""
    found = []
    for number, (spec, ref) in enumerate(zip([*ins, *outs], refs, strict=True)):
        is_input = number < len(ins)
        make = BufferedRef.input if is_input else BufferedRef.output
        mode = spec.pipeline_mode
        is_whole = _is_whole(spec, ref.shape)
        count = 1 if is_whole else 2
        options = {}
        if mode is not None:
            count = mode.buffer_count
            if is_input:
                options = {"grid_rank": len(grid), "use_lookahead": mode.use_lookahead}
            elif mode.use_lookahead:
                raise errors.value_error(
                    "pltpu.emit_pipeline: Output buffering does not support lookahead.",
                    [("pipeline_mode", repr(mode))],
                    "Blocks of results are stored in the order in which they are computed.",
                )
        found.append(
            make(
                _with_map(spec),
                buffers.type_of(ref),
                count,
                source_memory_space=buffers.space_of(ref),
                tiling=tiling,
                is_trivial_windowing=is_whole,
                **options,
            )
        )
    return tuple(found)


def _is_whole(spec, shape):
    """Whether the block is the array: there is one."""
    if spec.block_shape is None:
        return True
    dims = [block_dims.block_dim(given) for given in spec.block_shape]
    return all(
        isinstance(dim, block_dims.Blocked) and dim.block_size == size
        for dim, size in zip(dims, shape, strict=True)
    )


def _with_map(spec: specs.BlockSpec) -> specs.BlockSpec:
    """The specification with an index map: of the first block where there was none."""
    if spec.index_map is not None:
        return spec
    rank = len(spec.block_shape or ())
    return spec.replace(index_map=lambda *_: (0,) * rank)


def _share(grid, axis, semantics):
    """The grid of the core that runs, and what is added to its program ids."""
    offsets: list[Any] = [0] * len(grid)
    if axis is None:
        return grid, offsets
    if isinstance(axis, int):
        cores, core = program_ids.num_programs(axis), program_ids.program_id(axis)
    else:
        cores, core = state.axis_size(axis), axis_index.axis_index(axis)
    if not isinstance(cores, int):
        raise errors.not_implemented(
            "pltpu.emit_pipeline: how many cores share the steps is known only at run time.",
            [("axis", repr(axis))],
        )
    if cores == 1:
        return grid, offsets
    kinds = list(semantics or ())
    if kinds and len(kinds) != len(grid):
        raise errors.value_error(
            "pltpu.emit_pipeline: dimension_semantics must be the same length as grid.",
            [("grid", str(grid)), ("dimension_semantics", str(semantics))],
        )
    shared = _shared_axis(grid, cores, kinds)
    each, over = grid[shared] // cores, grid[shared] % cores
    sizes = list(grid)
    if isinstance(over, int) and over == 0:
        sizes[shared], offsets[shared] = each, core * each
    else:  # The first cores have a step more.
        sizes[shared] = jnp.where(core < over, each + 1, each)
        offsets[shared] = core * each + jnp.minimum(core, over)
    return tuple(sizes), offsets


def _shared_axis(grid, cores, kinds):
    """The parallel axis whose steps cores share."""
    parallel = [a for a, k in enumerate(kinds) if k in (PARALLEL, PARALLEL.value)]
    known = [a for a in parallel if isinstance(grid[a], int)]
    if not parallel or (not known and len(parallel) > 1):
        raise errors.not_implemented(
            "pltpu.emit_pipeline: cores would share steps that have an order.",
            [("grid", str(grid)), ("cores", str(cores))],
            "They share the steps along one axis that is parallel.",
            "Say which axis is: dimension_semantics.",
        )
    whole = [a for a in known if grid[a] % cores == 0]
    if whole:
        return whole[0]
    if not known:
        return parallel[0]
    return max(known, key=lambda a: grid[a])
