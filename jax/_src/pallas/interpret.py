"""Running kernels as ordinary programs: a loop over the grid.

The slow, obvious meaning of `pallas_call`. Each step cuts the blocks out of the arrays,
runs the kernel on them, and puts back what it wrote.
"""

from collections.abc import Sequence
from typing import Any

from jax._src.core import evaluate, jaxpr as jx
from jax._src.numpy import lax_api as lax
from jax._src.pallas import grid_mapping as gm, uninitialized


def run(
    operands: Sequence[Any],
    program: jx.ClosedJaxpr,
    written: Sequence[int],
    mapping: gm.GridMapping,
    aliases: Sequence[tuple[int, int]],
) -> list[Any]:
    """The results of a kernel.

    Args:
        operands: numbers of steps, prefetched scalars, inputs.
        program: the kernel: from its place on the grid, numbers of steps that are operands,
            and the contents of its references to the new contents of those it writes.
        written: which references these are.
        mapping: the grid, and which blocks each step gets.
        aliases: pairs of an input and the result that starts as it, counted as the operands
            of the kernel and the results.

    Returns:
        The arrays.
    """
    n_bounds = mapping.num_dynamic_grid_bounds
    bounds, rest = list(operands[:n_bounds]), list(operands[n_bounds:])
    starts = _starting_outputs(rest, aliases, mapping)
    scalars = rest[mapping.slice_index_ops]
    blocked = [*rest[mapping.num_index_operands :], *starts]
    memory = [
        *scalars,
        *(_padded(x, m) for x, m in zip(blocked, mapping.block_mappings, strict=True)),
        *(uninitialized.array(ref.inner_aval) for ref in mapping.scratch_avals),
    ]
    grid = mapping.with_sizes(bounds)

    def step(number, carried):
        now = _with(memory, written, carried)
        ids = gm.place_of(number, grid)
        starts = [m.starts(ids, scalars) for m in mapping.block_mappings]
        seen = _blocks(now, starts, mapping)
        known = [ids[axis] for axis in mapping.kernel_axes]
        new = evaluate.eval_closed(program, *known, *bounds, *seen)
        return [
            _put_back(now[i], value, i, starts, mapping)
            for i, value in zip(written, new, strict=True)
        ]

    first = [memory[i] for i in written]
    steps = gm.steps_of(grid)
    if isinstance(steps, int) and steps == 1:
        last = step(0, first)
    else:
        last = lax.fori_loop(0, steps, step, first)
    outputs = _with(memory, written, last)[mapping.slice_block_ops]
    pairs = zip(outputs, mapping.block_mappings, strict=True)
    return [_cut(x, m) for x, m in pairs][mapping.num_inputs :]


def _starting_outputs(operands, aliases, mapping):
    """What results hold before the first step."""
    source = {result: operand for operand, result in aliases}
    return [
        operands[source[i]] if i in source else uninitialized.array(aval)
        for i, aval in enumerate(mapping.out_shapes)
    ]


def _with(values, places, new):
    changed = dict(zip(places, new, strict=True))
    return [changed.get(i, value) for i, value in enumerate(values)]


def _padded(array, mapping):
    """The array, reaching as far as its blocks do."""
    paddings = []
    for size, block, (low, high) in zip(
        array.shape, mapping.sizes, mapping.paddings, strict=True
    ):
        beyond = -(size + low + high) % block if block else 0
        paddings.append((low, high + beyond))
    return uninitialized.padded(array, paddings)


def _cut(array, mapping):
    """The array without what it was padded with."""
    lows = [low for low, _ in mapping.paddings]
    shape = mapping.array_aval.shape
    if array.shape == shape:
        return array
    ends = [low + size for low, size in zip(lows, shape, strict=True)]
    return lax.slice(array, lows, ends)


def _blocks(memory, starts, mapping):
    """What the references of the kernel hold at a step."""
    seen = list(memory)
    n = mapping.num_index_operands
    for i, (m, start) in enumerate(zip(mapping.block_mappings, starts, strict=True)):
        if m.sizes != memory[n + i].shape:
            seen[n + i] = lax.dynamic_slice(memory[n + i], start, m.sizes)
        seen[n + i] = lax.squeeze(seen[n + i], m.squeezed_axes)
    return seen


def _put_back(array, value, place, starts, mapping):
    """An array of the memory after a step that changed what the kernel sees of it."""
    number = place - mapping.num_index_operands
    if not 0 <= number < len(mapping.block_mappings):
        return value
    m = mapping.block_mappings[number]
    block = lax.expand_dims(value, m.squeezed_axes)
    if m.sizes == array.shape:
        return block
    return lax.dynamic_update_slice(array, block, starts[number])
