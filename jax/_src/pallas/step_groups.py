"""Groups of independent steps that run together: one program over the blocks of all of them.

What a compiler sees is an ordinary program of whole arrays, which it fuses and spreads over
threads. A group is as large as what its steps compute fits into a cache.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import records
from jax._src.core import jaxpr as jaxpr_lib
from jax._src.numpy import lax_api as lax
from jax._src.pallas import (
    block_dims,
    block_runs,
    blocking,
    grid_mapping,
    independence,
    summed_steps,
    uninitialized,
)
from jax._src.transforms import vectorize

# What the steps of a group may compute, in bytes, and as a multiple of the size of the
# operands and results: a program that is written without blocks needs as much.
_LARGEST = 32 << 20
_TIMES = 16


@records.record
class Grouping:
    """How steps are taken in groups.

    Args:
        sizes: for each axis along which steps are grouped how many of them, ascending by axis.
        operands: how the blocks of each input and result move.
        sums: what the steps along the other axes add up, where they are taken as sums.
    """

    sizes: tuple[tuple[int, int], ...]
    operands: tuple[independence.Operand, ...]
    sums: summed_steps.Sums | None = None


def grouping_of(
    mapping: grid_mapping.GridMapping,
    program: jaxpr_lib.ClosedJaxpr,
    written: Sequence[int],
    compiler_params: Any,
) -> Grouping | None:
    """How the steps of a kernel are grouped; None where each is taken alone."""
    operands = tuple(independence.operands_of(mapping))
    axes = independence.independent_axes(
        mapping, operands, program, written, compiler_params
    )
    arrays = sum(_bytes_of(m.array_aval) for m in mapping.block_mappings)
    room = max(_LARGEST, _TIMES * arrays)
    sizes = _sizes(mapping, operands, program, axes, room) if axes else {}
    sums = summed_steps.sums_of(mapping, operands, program, written, axes)
    if sums is not None and _bytes_of_terms(sums) * math.prod(sizes.values()) > room:
        sums = None
    if not sizes and sums is None:
        return None
    return Grouping(tuple(sorted(sizes.items())), operands, sums)


def _sizes(mapping, operands, program, axes, room):
    """How many steps along each independent axis a group has."""
    blocks = sum(
        _bytes_of(m.transformed_block_aval)
        for m, operand in zip(mapping.block_mappings, operands, strict=True)
        if operand.depends.intersection(axes)
    )
    room //= max(blocks + _computed_bytes(program.jaxpr), 1)
    sizes = {}
    for axis in reversed(axes):  # Blocks next to each other in memory first.
        size = _largest_divisor(mapping.grid[axis], room)
        if size > 1:
            sizes[axis] = size
        room //= size
    return sizes


def _bytes_of_terms(sums):
    """How much memory the terms of sums take, of all steps at once."""
    each = sum(
        _computed_bytes(term.program.jaxpr)
        for total in sums.totals
        for term in total.terms
    )
    return each * math.prod(sums.sizes)


def _largest_divisor(size, most):
    return max(d for d in range(1, min(size, max(most, 1)) + 1) if size % d == 0)


def _computed_bytes(jaxpr):
    """How much memory the values of a program take, all at once."""
    total = 0
    for eqn in jaxpr.eqns:
        inner = [_computed_bytes(p) for p in jaxpr_lib.jaxprs_in_params(eqn.params)]
        total += max(inner, default=0)
        total += sum(_bytes_of(var.aval) for var in eqn.outvars)
    return total


def _bytes_of(aval):
    """The size of an array; dimensions of symbolic sizes count as one."""
    shape = getattr(aval, "shape", ())
    size = math.prod(n for n in shape if isinstance(n, int))
    return size * getattr(getattr(aval, "dtype", None), "itemsize", 4)


class Groups:
    """The groups of steps of a grid.

    Args:
        mapping: the grid, and which blocks each step gets.
        grouping: how steps are grouped.
        scalars: what index maps may read.
    """

    def __init__(
        self,
        mapping: grid_mapping.GridMapping,
        grouping: Grouping,
        scalars: Sequence[Any],
    ):
        self.mapping = mapping
        self.scalars = scalars
        self.operands = grouping.operands
        # The axes along which each step of a group has memory of its own.
        self.apart = [axis for axis, _ in grouping.sizes]
        self.sizes = dict(grouping.sizes)
        if grouping.sums is not None:
            pairs = zip(grouping.sums.axes, grouping.sums.sizes, strict=True)
            self.sizes = dict(sorted([*grouping.sizes, *pairs]))
        rest = [a for a in range(len(mapping.grid)) if a not in self.sizes]
        # Memory of the kernel's own passes from step to step along the other axes: they
        # are inside.
        self.order = [*self.sizes, *rest]
        self.grid = [
            mapping.grid[axis] // self.sizes.get(axis, 1) for axis in self.order
        ]

    def first_ids(self, number: Any) -> list[Any]:
        """The program ids of the first step of a group, by axis of the grid."""
        found = grid_mapping.program_ids_of(number, self.grid)
        by_axis = dict(zip(self.order, found, strict=True))
        return [
            by_axis[axis] * np.int32(self.sizes.get(axis, 1))
            for axis in range(len(self.mapping.grid))
        ]

    def ids(self, first: Sequence[Any]) -> list[Any]:
        """The program ids that the kernel knows of; along grouped axes those of all steps."""
        return [
            self._along(axis, first) if axis in self.sizes else first[axis]
            for axis in self.mapping.kernel_axes
        ]

    def depends(self) -> list[list[int]]:
        """For each input of the kernel's program, the grouped axes that are in front of it."""
        mapping = self.mapping
        ids = [[a] if a in self.sizes else [] for a in mapping.kernel_axes]
        scalars: list[list[int]] = [[]] * mapping.num_index_operands
        blocks = [[a for a in self.sizes if a in o.depends] for o in self.operands]
        return [
            *ids,
            *scalars,
            *blocks,
            *[self.apart] * len(mapping.scratch_avals),
        ]

    def own_memory(self, ref: Any) -> Any:
        """Memory of the kernel's own, for each step of a group, before it is written."""
        return uninitialized.scratch(ref, tuple(self.sizes[a] for a in self.apart))

    def cut(self, array: Any, number: int, first: Sequence[Any]) -> Any:
        """The blocks of an operand for a group, grouped axes in front.

        Args:
            array: the operand, as far as its blocks reach.
            number: which of the operands in blocks it is.
            first: the program ids of the first step.
        """
        dims, operand = self._block(number)
        m = self.mapping.block_mappings[number]
        grouped = self._grouped(operand)
        if not operand.tiled.issuperset(grouped):
            found = self._stacked(array, number, first)
            return self._gathered(array, m, grouped, first) if found is None else found
        whole = self._sizes(dims, operand)
        if whole != array.shape:
            array = lax.dynamic_slice(array, m.starts(first, self.scalars), whole)
        shape, order = self._apart(dims, operand)
        array = lax.transpose(array.reshape(shape), order)
        return lax.squeeze(array, self._squeezed(dims, grouped))

    def _stacked(self, array, number, first):
        """Blocks at equal distances; None where they are not."""
        dims, operand = self._block(number)
        m, grouped = self.mapping.block_mappings[number], self._grouped(operand)
        axis_of, known = {}, {}
        for d, depends in enumerate(operand.index_depends):
            if not depends.intersection(grouped):
                continue
            (axis, *others), length = depends, array.shape[d]
            is_whole = self.sizes.get(axis) == self.mapping.grid[axis]
            if others or not is_whole or not isinstance(length, int):
                return None
            starts = block_runs.known_starts(m, d, axis, self.sizes[axis])
            if starts is None or axis in axis_of.values():
                return None
            axis_of[d], block = axis, block_dims.size_of(dims[d])
            known[d] = block_runs.inside(starts, length, block)
        sizes = blocking.sizes(dims)
        shape = [n if d in known else sizes[d] for d, n in enumerate(array.shape)]
        if shape != list(array.shape):
            starts = [
                np.int32(0) if d in known else start
                for d, start in enumerate(m.starts(first, self.scalars))
            ]
            array = lax.dynamic_slice(array, starts, shape)
        for d in reversed(known):
            array = block_runs.stacked(array, d, known[d], sizes[d])
            if array is None:
                return None
        return self._in_front(array, dims, axis_of, grouped)

    def _in_front(self, array, dims, axis_of, grouped):
        """Blocks, with the dimensions of grouped axes in front of all others."""
        at, rest = {}, []
        for d in range(len(dims)):
            if d in axis_of:
                at[axis_of[d]] = len(at) + len(rest)
            rest.append(len(at) + len(rest))
        array = lax.transpose(array, [*(at[axis] for axis in grouped), *rest])
        return lax.squeeze(array, self._squeezed(dims, grouped))

    def _gathered(self, array, m, grouped, first):
        """Blocks that are anywhere in an array."""

        def block(*ids):
            here = list(first)
            for axis, i in zip(grouped, ids, strict=True):
                here[axis] = i
            return blocking.cut(array, m.block_shape, m.starts(here, self.scalars))

        for number in reversed(range(len(grouped))):
            in_axes = [None] * len(grouped)
            in_axes[number] = 0
            block = vectorize.vmap(block, in_axes=tuple(in_axes))
        return block(*(self._along(axis, first) for axis in grouped))

    def _along(self, axis, first):
        """The program ids of the steps of a group along a grouped axis."""
        return first[axis] + lax.iota(np.int32, self.sizes[axis])

    @staticmethod
    def _squeezed(dims, grouped):
        """The dimensions that blocks lack, behind the grouped axes."""
        found = [d for d, dim in enumerate(dims) if block_dims.is_squeezed(dim)]
        return [len(grouped) + d for d in found]

    def put_back(
        self, array: Any, number: int, first: Sequence[Any], blocks: Any
    ) -> Any:
        """The array with other blocks of a result for a group; see `cut`."""
        dims, operand = self._block(number)
        _, order = self._apart(dims, operand)
        blocks = lax.expand_dims(blocks, self._squeezed(dims, self._grouped(operand)))
        whole = self._sizes(dims, operand)
        blocks = lax.transpose(blocks, np.argsort(order)).reshape(whole)
        if whole == array.shape:
            return blocks
        starts = self.mapping.block_mappings[number].starts(first, self.scalars)
        return lax.dynamic_update_slice(array, blocks, starts)

    def _block(self, number):
        return self.mapping.block_mappings[number].block_shape, self.operands[number]

    def _grouped(self, operand):
        """The grouped axes on which an operand's blocks depend, ascending."""
        return [a for a in self.sizes if a in operand.depends]

    def _count(self, axis):
        return self.sizes.get(axis, 1)

    def _sizes(self, dims, operand):
        """How many elements along each dimension the blocks of a group have together."""
        pairs = zip(blocking.sizes(dims), operand.dims, strict=True)
        return tuple(size * self._count(axis) for size, axis in pairs)

    def _apart(self, dims, operand):
        """The shape with dimensions for the grouped axes, and the order that brings those to
        the front."""
        shape: list[int] = []
        at = {}
        rest = []
        for size, axis in zip(blocking.sizes(dims), operand.dims, strict=True):
            if axis in self.sizes:
                at[axis] = len(shape)
                shape.append(self.sizes[axis])
            rest.append(len(shape))
            shape.append(size)
        return shape, [*(at[axis] for axis in self._grouped(operand)), *rest]


def over_steps(
    program: Callable[..., list[Any]],
    depends: Sequence[Sequence[int]],
    axes: Sequence[int],
) -> Callable[..., list[Any]]:
    """A kernel's program over the steps of a group.

    Args:
        program: takes what the program of a kernel takes.
        depends: for each of its arguments, the axes in front of it, ascending.
        axes: those over which it is mapped, ascending; results have them all in front.
    """
    for axis in reversed(axes):
        # Axes before it are those of maps around this one, or stay.
        in_axes = tuple(
            sum(a < axis for a in of if a not in axes) if axis in of else None
            for of in depends
        )
        program = vectorize.vmap(program, in_axes=in_axes)
    return program
