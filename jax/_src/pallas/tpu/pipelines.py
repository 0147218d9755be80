"""Pipelines in kernels: a grid over references to arrays in another memory."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core import avals, references, state
from jax._src.lax.collectives import axis_index
from jax._src.numpy import lax_api as lax
from jax._src.pallas import (
    block_dims,
    blocking,
    grid_mapping,
    helpers,
    memory,
    program_ids,
    specs,
)
from jax._src.pallas.tpu.memory import VMEM
from jax._src.pallas.tpu.params import PARALLEL


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

    Interpreted, blocks are copied when their step comes; nothing overlaps.

    Args:
        body: takes references to blocks of the inputs, then of the outputs, then `scratches`.
        grid: the number of steps along each axis.
        in_specs: a sequence of `pl.BlockSpec`, one for each input.
        out_specs: the same for outputs, or one.
        tiling: accepted.
        core_axis: accepted; the older name of the next one does not divide steps here.
        core_axis_name: the axis of cores that share the steps along a parallel axis.
        dimension_semantics: for each axis of the grid whether it is parallel.
        trace_scopes: accepted.
        no_pipelining: accepted.

    Returns:
        A function of references to whole arrays, inputs first, with ``scratches=()``.

    Raises:
        ValueError: there are not as many references as specifications, or cores would have
            to share steps of which none are parallel.
    """
    given = [*_listed(in_specs), *_listed(out_specs)]
    n_inputs = len(_listed(in_specs))
    share = _Share(grid, core_axis_name, dimension_semantics)

    def pipeline(*refs: Any, scratches: Sequence[Any] = (), **options: Any) -> None:
        if len(refs) != len(given):
            raise errors.value_error(
                "pltpu.emit_pipeline: there is not a reference for each specification.",
                [
                    ("references", str(len(refs))),
                    ("specifications", str(len(given))),
                ],
            )
        windows = [_Window(s, ref, grid) for s, ref in zip(given, refs, strict=True)]

        def step(number, carry):
            ids = grid_mapping.program_ids_of(number, grid)

            @helpers.when(share.is_mine(ids))
            def _():
                _run_step(ids, windows)

            return carry

        def _run_step(ids, windows):
            starts = [window.starts(ids) for window in windows]
            blocks = [w.block(start) for w, start in zip(windows, starts, strict=True)]
            first = (tuple(ids),) if _explicit_indices else ()
            with program_ids.at(program_ids.GridPoint(ids, grid)):
                body(*first, *blocks, *scratches)
            for window, start, block in list(zip(windows, starts, blocks, strict=True))[
                n_inputs:
            ]:
                window.store(start, block)

        lax.fori_loop(0, grid_mapping.steps_of(grid), step, np.int32(0))

    return pipeline


def emit_pipeline_with_allocations(
    body: Callable[..., None], *, grid: Any, in_specs: Any = (), out_specs: Any = ()
) -> tuple[Callable[..., None], Callable[..., tuple]]:
    """`emit_pipeline`, and a function that makes the memory which it needs: here, none.

    Raises:
        As `emit_pipeline`.
    """
    pipeline = emit_pipeline(body, grid=grid, in_specs=in_specs, out_specs=out_specs)
    return pipeline, lambda *refs, **options: ()


def _listed(given):
    return list(given) if isinstance(given, list | tuple) else [given]


class _Share:
    """Which steps the core that runs takes."""

    def __init__(self, grid: Any, axis_name: Any, semantics: Any):
        self.grid = grid
        self.axis_name = axis_name
        self.parallel = [
            axis
            for axis, kind in enumerate(semantics or ())
            if kind in (PARALLEL, PARALLEL.value)
        ]

    def is_mine(self, ids: Sequence[Any]) -> Any:
        """Whether it takes the step with these program ids."""
        if self.axis_name is None:
            return True
        cores = state.axis_size(self.axis_name)
        if cores == 1:
            return True
        if not self.parallel:
            raise errors.value_error(
                "pltpu.emit_pipeline: cores would share steps that have an order.",
                [("grid", str(self.grid)), ("cores", str(cores))],
                ways="Say which axis is parallel: dimension_semantics.",
            )
        axis = self.parallel[0]
        each = helpers.cdiv(self.grid[axis], cores)
        return ids[axis] // each == axis_index.axis_index(self.axis_name)


class _Window:
    """Blocks of what a reference refers to."""

    def __init__(self, spec: specs.BlockSpec, ref: Any, grid: Sequence[Any]):
        shape = ref.shape if spec.block_shape is None else spec.block_shape
        self.ref = ref
        self.index_map = spec.index_map or (lambda *_: (0,) * len(shape))
        self.dims = tuple(map(block_dims.block_dim, shape))
        kept = tuple(
            block_dims.size_of(d) for d in self.dims if not block_dims.is_squeezed(d)
        )
        self.aval = memory.kernel_ref(avals.ShapedArray(kept, ref.dtype), VMEM)

    def starts(self, ids: Sequence[Any]) -> list[Any]:
        """The index of the block of a step."""
        return blocking.starts(self.dims, self.index_map(*ids))

    def block(self, starts: Sequence[Any]) -> references.Ref:
        """A reference to a copy of the block."""
        array = blocking.padded(self.ref.read(), self.dims)
        return references.Ref(self.aval, blocking.cut(array, self.dims, starts))

    def store(self, starts: Sequence[Any], block: references.Ref) -> None:
        """Puts the block back."""
        array = blocking.padded(self.ref.read(), self.dims)
        changed = blocking.put_back(array, self.dims, starts, block.read())
        self.ref.write(blocking.unpadded(changed, self.dims, self.ref.shape))
