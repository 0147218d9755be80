"""Running kernels as ordinary programs: a loop over the grid.

`run` is the slow, obvious meaning of `pallas_call`. Each step cuts the blocks out of the
arrays, runs the kernel on them, and puts back what it wrote. `run_in_groups` takes steps
together that are independent of each other.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.core import evaluate, jaxpr
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas import (
    blocking,
    bounds,
    grid_mapping,
    step_groups,
    uninitialized,
)


def run(
    operands: Sequence[Any],
    program: jaxpr.ClosedJaxpr,
    written: Sequence[int],
    mapping: grid_mapping.GridMapping,
    aliases: Sequence[tuple[int, int]],
    blocks_may_return: bool = False,
) -> list[Any]:
    """The results of a kernel.

    Args:
        operands: numbers of steps, prefetched scalars, inputs.
        program: the kernel: from the program ids, numbers of steps that are operands,
            and the contents of its references to the new contents of those it writes.
        written: which references these are.
        mapping: the grid, and which blocks each step gets.
        aliases: pairs of an input and the result that starts as it, counted as the operands
            of the kernel and the results.
        blocks_may_return: whether a block of a result may be left and visited again where
            accesses are checked.

    Returns:
        The arrays.
    """
    n_bounds = mapping.num_dynamic_grid_bounds
    bounds = list(operands[:n_bounds])
    memory = _memory(operands[n_bounds:], aliases, mapping, uninitialized.scratch)
    scalars = memory[mapping.slice_index_ops]
    grid = mapping.with_sizes(bounds)

    checker = _checker_of(mapping)
    order = _order_of_steps(grid, checker)
    checked = _checked_begin(grid, memory, scalars, mapping, blocks_may_return)
    if checker is not None:
        memory[-1] = checker.begin(checked)

    def step(number, carried):
        now = _with(memory, written, carried)
        ids = order(grid_mapping.program_ids_of(number, grid))
        starts = [m.starts(ids, scalars) for m in mapping.block_mappings]
        if checker is not None:
            known = [[]] * mapping.num_index_operands
            now[-1] = checker.begin_step(now[-1], number, ids, [*known, *starts])
        seen = _blocks(now, starts, mapping)
        known = [ids[axis] for axis in mapping.kernel_axes]
        new = evaluate.eval_closed(program, *known, *bounds, *seen)
        return [
            _put_back(now[i], value, i, starts, mapping)
            for i, value in zip(written, new, strict=True)
        ]

    first = [memory[i] for i in written]
    steps = grid_mapping.steps_of(grid)
    begin = 0 if checker else checked
    if isinstance(steps, int) and steps <= 0:
        last = first  # There may be no block to cut out.
    elif isinstance(steps, int) and steps == 1:
        last = step(begin, first)
    else:
        last = lax.fori_loop(begin, steps, step, first)
    memory = _with(memory, written, last)
    results = _results(memory, mapping)
    return results if checker is None else _once_checked(results, memory, mapping)


def _checker_of(mapping):
    """The checker of a kernel that is checked."""
    refs = mapping.scratch_avals
    return getattr(refs[-1].access, "checker", None) if refs else None


def _order_of_steps(grid, checker):
    """From the program ids in the order of the grid to those of the step that is taken."""
    params = uninitialized.params_now()
    if checker is None or params is None or params.random_seed is None:
        return lambda ids: ids
    tables = {
        axis: np.random.default_rng((params.random_seed, axis)).permutation(grid[axis])
        for axis in checker.parallel
        if isinstance(grid[axis], int)
    }
    return lambda ids: [
        jnp.asarray(tables[axis], np.int32)[i] if axis in tables else i
        for axis, i in enumerate(ids)
    ]


def _once_checked(results, memory, mapping):
    """The results, which are known once the checker has seen the end of the run."""
    first = mapping.slice_scratch_ops.start
    numbers = [
        first + number
        for number, ref in enumerate(mapping.scratch_avals)
        if ref.kind is not None
    ]
    counts = [memory[number] for number in numbers]
    zero = _checker_of(mapping).finish(memory[-1], numbers, counts)
    return [jnp.where(zero == 0, x, jnp.zeros_like(x)) for x in results]


def run_in_groups(
    operands: Sequence[Any],
    program: jaxpr.ClosedJaxpr,
    written: Sequence[int],
    mapping: grid_mapping.GridMapping,
    aliases: Sequence[tuple[int, int]],
    grouping: step_groups.Grouping,
) -> list[Any]:
    """The results of a kernel whose steps are taken in groups; see `run`."""
    scalars = operands[mapping.slice_index_ops]
    groups = step_groups.Groups(mapping, grouping, scalars)
    memory = _memory(operands, aliases, mapping, groups.own_memory)
    scratch = mapping.slice_scratch_ops
    depends = groups.depends()
    one = lambda *values: evaluate.eval_closed(program, *values)  # noqa: E731
    if grouping.sums is not None:
        one = grouping.sums.kernel(depends)
    kernel = step_groups.over_steps(one, depends, groups.apart)
    first_block = mapping.num_index_operands

    def step(number, carried):
        now = _with(memory, written, carried)
        ids = groups.first_ids(number)
        seen = list(now)
        for i in range(len(mapping.block_mappings)):
            seen[first_block + i] = groups.cut(now[first_block + i], i, ids)
        new = kernel(*groups.ids(ids), *seen)
        return [
            value
            if i >= scratch.start
            else groups.put_back(now[i], i - first_block, ids, value)
            for i, value in zip(written, new, strict=True)
        ]

    first = [memory[i] for i in written]
    steps = grid_mapping.steps_of(groups.grid)
    last = step(0, first) if steps == 1 else lax.fori_loop(0, steps, step, first)
    return _results(_with(memory, written, last), mapping)


def _memory(operands, aliases, mapping, scratch):
    """What the references of a kernel hold before the first step: whole arrays."""
    starts = _starting_outputs(operands, aliases, mapping)
    scalars = operands[mapping.slice_index_ops]
    blocked = [*operands[mapping.num_index_operands :], *starts]
    return [
        *scalars,
        *(
            blocking.padded(x, m.block_shape)
            for x, m in zip(blocked, mapping.block_mappings, strict=True)
        ),
        *map(scratch, mapping.scratch_avals),
    ]


def _results(memory, mapping):
    outputs = memory[mapping.slice_block_ops]
    pairs = zip(outputs, mapping.block_mappings, strict=True)
    return [blocking.unpadded(x, m.block_shape, m.array_aval.shape) for x, m in pairs][
        mapping.num_inputs :
    ]


def _checked_begin(grid, memory, scalars, mapping, blocks_may_return):
    """The number of the first step, known once all blocks are checked."""
    params = uninitialized.params_now()
    steps = grid_mapping.steps_of(grid)
    if params is None or not isinstance(steps, int) or steps <= 0:
        return 0
    shapes = [x.shape for x in memory[mapping.slice_block_ops]]
    starts = bounds.block_starts(mapping, grid, steps, scalars)
    return bounds.check_blocks(
        mapping,
        grid,
        shapes,
        starts,
        reads_beyond=params.out_of_bounds_reads == "uninitialized",
        may_return=blocks_may_return,
    )


def _starting_outputs(operands, aliases, mapping):
    """What results hold before the first step."""
    source = {result: operand for operand, result in aliases}
    return [
        operands[source[i]] if i in source else uninitialized.array(aval)
        for i, aval in enumerate(mapping.out_shapes)
    ]


def _with(values, indices, new):
    changed = dict(zip(indices, new, strict=True))
    return [changed.get(i, value) for i, value in enumerate(values)]


def _blocks(memory, starts, mapping):
    """What the references of the kernel hold at a step."""
    seen = list(memory)
    first = mapping.num_index_operands
    for i, (m, start) in enumerate(zip(mapping.block_mappings, starts, strict=True)):
        seen[first + i] = blocking.cut(memory[first + i], m.block_shape, start)
        if uninitialized.params_now() is not None:
            seen[first + i] = bounds.or_unwritten(
                seen[first + i], memory[first + i].shape, m.block_shape, start
            )
    return seen


def _put_back(array, value, operand, starts, mapping):
    """An array of the memory after a step that changed what the kernel sees of it."""
    number = operand - mapping.num_index_operands
    if not 0 <= number < len(mapping.block_mappings):
        return value
    dims = mapping.block_mappings[number].block_shape
    return blocking.put_back(array, dims, starts[number], value)
