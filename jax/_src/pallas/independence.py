"""Which steps of a grid are independent of each other, so that they may be taken together."""

from collections.abc import Iterator, Sequence
from typing import Any

from jax._src.base import records
from jax._src.core import jaxpr as jaxpr_lib
from jax._src.pallas import block_dims, dependences, grid_mapping


@records.record
class Operand:
    """How the blocks of an operand move with the axes of a grid.

    Args:
        dims: for each dimension of the array the axis of the grid that is its block index;
            None where the index is something else.
        index_depends: for each dimension the axes of the grid on which its index depends.
        tiled: the axes along which blocks are next to each other: the program id is the
            index along one dimension, and nothing else depends on it.
    """

    dims: tuple[int | None, ...]
    index_depends: tuple[frozenset[int], ...]
    tiled: frozenset[int]

    @property
    def depends(self) -> frozenset[int]:
        """The axes of the grid on which the block depends."""
        return frozenset().union(*self.index_depends)


def operands_of(mapping: grid_mapping.GridMapping) -> list[Operand]:
    """How the blocks of each input and result move."""
    return [_operand(m, mapping.grid) for m in mapping.block_mappings]


def _operand(m, grid):
    inner = m.index_map_jaxpr.jaxpr
    n = len(grid)
    facts = [dependences.on({axis}) for axis in range(n)]
    facts += [dependences.NOTHING] * (len(inner.invars) - n)
    found = dependences.Walk().outputs(inner, facts)
    axes = {var: axis for axis, var in enumerate(inner.invars[:n])}
    dims = tuple(
        None if isinstance(atom, jaxpr_lib.Literal) else axes.get(atom)
        for atom in inner.outvars
    )
    depends = tuple(fact.depends for fact in found)
    tiled = {axis for axis in range(n) if _is_tiled(axis, grid[axis], m, dims, depends)}
    return Operand(dims, depends, frozenset(tiled))


def _is_tiled(axis, size, m, dims, depends):
    where = [d for d, found in enumerate(depends) if axis in found]
    if len(where) != 1 or dims[where[0]] != axis or not isinstance(size, int):
        return False
    dim = m.block_shape[where[0]]
    if not isinstance(dim, block_dims.Blocked | block_dims.Squeezed):
        return False
    block = block_dims.size_of(dim)
    length = m.array_aval.shape[where[0]]
    if not isinstance(length, int):
        return False  # A symbolic size.
    # Blocks beyond the end are moved inside.
    return block > 0 and size * block <= length + -length % block


def independent_axes(
    mapping: grid_mapping.GridMapping,
    operands: Sequence[Operand],
    program: jaxpr_lib.ClosedJaxpr,
    written: Sequence[int],
    compiler_params: Any,
) -> tuple[int, ...]:
    """The axes of a grid along which steps may be taken together.

    Steps that differ in such an axis write different blocks, use nothing that the other
    writes, and run the same operations at the same indices of their blocks.

    Args:
        mapping: the grid, and which blocks each step gets.
        operands: how these move.
        program: the kernel, as `interpret.run` takes it.
        written: the references that it writes.
        compiler_params: what the user says of the kernel.
    """
    first_result = mapping.num_index_operands + mapping.num_inputs
    if mapping.num_dynamic_grid_bounds or any(i < first_result for i in written):
        return ()
    results = [
        operands[i - mapping.num_index_operands]
        for i in written
        if i < mapping.slice_scratch_ops.start
    ]
    axes = {
        axis
        for axis, size in enumerate(mapping.grid)
        if isinstance(size, int)
        and size > 1
        and all(axis in result.tiled for result in results)
    }
    if not axes:
        return ()
    walk = dependences.Walk()
    walk.outputs(program, list(_facts(mapping, operands, frozenset(axes), {})))
    if walk.is_opaque:
        return ()
    axes = {axis for axis in axes if axis not in walk.choices}
    first = mapping.slice_scratch_ops.start
    if any(i >= first for i in written):
        declared = _declared(mapping, compiler_params)
        if not axes <= declared:
            axes = _with_own_memory(mapping, program, operands, axes)
    return tuple(sorted(axes))


def _facts(mapping, operands, axes, known) -> Iterator[dependences.Fact]:
    """What is known of the kernel's inputs, before they were looked at.

    Labels are the axes in question; ("memory", i) stands for what scratch memory i holds.
    """
    for axis in mapping.kernel_axes:
        yield dependences.Fact(frozenset({axis}) & axes, known.get(axis))
    yield from [dependences.NOTHING] * mapping.num_index_operands
    for number, operand in enumerate(operands):
        is_result = number >= mapping.num_inputs
        yield dependences.on(axes if is_result else operand.depends & axes)
    for number in range(mapping.num_scratch_operands):
        yield dependences.on(axes | {("memory", number)})


def _declared(mapping, compiler_params):
    """The axes of which the user says that steps along them may be in any order.

    `vmap` adds axes in front; they are not the user's.
    """
    kernel_axes = mapping.kernel_axes
    declared = grid_mapping.axes_declared_parallel(compiler_params)
    return {kernel_axes[number] for number in declared if number < len(kernel_axes)}


def _with_own_memory(mapping, program, operands, axes):
    """Returns the axes along which no step needs what another one left in memory.

    Where the axes are in front of all others, the first steps along the others have to
    overwrite the memory; else each step has to.
    """
    single = [
        a for a, size in enumerate(mapping.grid) if isinstance(size, int) and size == 1
    ]
    others = [a for a in range(len(mapping.grid)) if a not in axes and a not in single]
    known = dict.fromkeys([*others, *single], 0)
    if others and max(axes, default=-1) > min(others):
        in_front = {axis for axis in axes if axis < min(others)}
        if in_front:
            return _with_own_memory(mapping, program, operands, in_front)
        known = {}
    found = dependences.Walk().outputs(
        program, list(_facts(mapping, operands, frozenset(axes), known))
    )
    labels = frozenset().union(*(fact.depends for fact in found))
    return set() if any(isinstance(label, tuple) for label in labels) else axes
