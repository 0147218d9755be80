"""Which blocks of its operands each step of a kernel gets: grids and index maps, traced."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import records
from jax._src.core import avals, evaluate, jaxpr
from jax._src.core.reference_types import AbstractRef
from jax._src.numpy import numpy_api as jnp
from jax._src.pallas import block_dims, blocking


class _DynamicSize:
    """Stands for a number of steps that is an operand of the call."""

    def __repr__(self) -> str:
        return "DynamicGridDim"


dynamic_grid_dim = _DynamicSize()

INDEX = avals.ShapedArray((), np.dtype(np.int32))

_PARALLEL = frozenset({"parallel", "core_parallel", "subcore_parallel"})


@records.record
class BlockMapping:
    """Which block of an operand or result each step gets.

    Args:
        block_shape: the kind and size of each dimension of blocks.
        transformed_block_aval: the type of the reference to a block.
        index_map_jaxpr: from the program ids, and the prefetched scalars, to the
            index of the block along each dimension.
        array_aval: the type of the whole array.
        origin: what the user calls it, such as ``args[0]``.
        pipeline_mode: how blocks are buffered; a hint.
    """

    block_shape: tuple[block_dims.BlockDim, ...]
    transformed_block_aval: AbstractRef
    index_map_jaxpr: jaxpr.ClosedJaxpr
    array_aval: Any
    origin: str
    pipeline_mode: Any = None

    def __repr__(self) -> str:
        return f"BlockMapping(block_shape={self.block_shape})"

    def starts(self, ids: Sequence[Any], scalars: Sequence[Any]) -> list[Any]:
        """The start of the block in the padded array, given the program ids."""
        indices = evaluate.eval_closed(self.index_map_jaxpr, *ids, *scalars)
        return blocking.starts(self.block_shape, indices)


@records.record
class GridMapping:
    """The grid of a kernel, and which blocks of its operands each step gets.

    Args:
        grid: the number of steps along each axis; `dynamic_grid_dim` where it is an operand.
        grid_names: names of the axes, or None.
        block_mappings: of inputs, then of results.
        index_map_tree: the tree of the arguments of index maps.
        index_map_avals: the types of their leaves.
        vmapped_dims: the axes that `vmap` added, of which kernels do not know.
        scratch_avals: the types of the references to memory of the kernel's own.
        num_index_operands: how many operands are prefetched scalars.
        num_inputs: how many are inputs in blocks.
        num_outputs: the number of results.
        get_grid_indices: accepted for compatibility.
        local_grid_env: the same.
        debug: whether `repr` prints everything.
    """

    grid: tuple[Any, ...]
    grid_names: tuple[Any, ...] | None
    block_mappings: tuple[BlockMapping, ...]
    index_map_tree: Any
    index_map_avals: tuple[Any, ...]
    vmapped_dims: tuple[int, ...]
    scratch_avals: tuple[AbstractRef, ...]
    num_index_operands: int
    num_inputs: int
    num_outputs: int
    get_grid_indices: Any = None
    local_grid_env: Any = None
    debug: bool = False

    def __repr__(self) -> str:
        return f"GridMapping(grid={self.grid}, block_mappings={self.block_mappings})"

    def replace(self, **changes: Any) -> "GridMapping":
        """Returns a copy with some fields changed."""
        return records.replace(self, **changes)

    @property
    def num_dynamic_grid_bounds(self) -> int:
        """How many numbers of steps are operands."""
        return sum(size is dynamic_grid_dim for size in self.grid)

    @property
    def num_scratch_operands(self) -> int:
        """The number of references to memory of the kernel's own."""
        return len(self.scratch_avals)

    @property
    def static_grid(self) -> tuple[int, ...]:
        """The grid, where all of it is known.

        Raises:
            ValueError: some of it is not.
        """
        if self.num_dynamic_grid_bounds:
            raise ValueError(
                f"The grid {self.grid} is known only when the kernel runs."
            )
        return self.grid

    @property
    def slice_index_ops(self) -> slice:
        """The prefetched scalars among the operands of the kernel."""
        return slice(0, self.num_index_operands)

    @property
    def slice_block_ops(self) -> slice:
        """The blocks among the operands of the kernel."""
        start = self.num_index_operands
        return slice(start, start + len(self.block_mappings))

    @property
    def slice_scratch_ops(self) -> slice:
        """Memory of its own among the operands of the kernel."""
        start = self.num_index_operands + len(self.block_mappings)
        return slice(start, start + len(self.scratch_avals))

    @property
    def in_shapes(self) -> list[Any]:
        """The types of the inputs in blocks."""
        return [m.array_aval for m in self.block_mappings[: self.num_inputs]]

    @property
    def out_shapes(self) -> list[Any]:
        """The types of the results."""
        return [m.array_aval for m in self.block_mappings_output]

    @property
    def block_mappings_output(self) -> tuple[BlockMapping, ...]:
        """The block mappings of results."""
        return self.block_mappings[self.num_inputs :]

    @property
    def kernel_axes(self) -> tuple[int, ...]:
        """The axes of the grid of which the kernel knows."""
        return tuple(i for i in range(len(self.grid)) if i not in self.vmapped_dims)

    def with_sizes(self, bounds: Sequence[Any]) -> tuple[Any, ...]:
        """The grid with the call's operands for its dynamic sizes."""
        given = iter(bounds)
        return tuple(next(given) if s is dynamic_grid_dim else s for s in self.grid)


def axes_declared_parallel(compiler_params: Any) -> list[int]:
    """The axes of the user's grid along which steps may be in any order, as the user says."""
    given = getattr(compiler_params, "dimension_semantics", None) or ()
    return [
        axis
        for axis, kind in enumerate(given)
        if getattr(kind, "value", kind) in _PARALLEL
    ]


def steps_of(grid: Sequence[Any]) -> Any:
    """The number of steps of a grid whose sizes are known, or arrays."""
    return math.prod(grid, start=1)


def program_ids_of(step: Any, grid: Sequence[Any]) -> list[Any]:
    """Returns the program ids of a step, int32; steps run along the last axis first."""
    if isinstance(step, int):
        return [np.int32(index) for index in np.unravel_index(step, grid)]
    ids: list[Any] = []
    rest = jnp.asarray(step, np.int32)
    for size in reversed(grid):
        ids.append(rest % size)
        rest = rest // size
    return ids[::-1]
