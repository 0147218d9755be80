"""Kernels over batch elements of operands: one more axis of the grid."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import records
from jax._src.core import avals, evaluate
from jax._src.interpreters import batching, partial_eval as pe
from jax._src.numpy import lax_api as lax
from jax._src.pallas import block_dims, cost, grid_mapping


def rule(
    bind: Callable[..., list],
    axis: batching.Axis,
    args: Sequence[Any],
    dims: Sequence[int | None],
    params: dict[str, Any],
) -> tuple[list[Any], list[int]]:
    """The results of a kernel for each batch element, and their batch dimensions."""
    mapping: grid_mapping.GridMapping = params["grid_mapping"]
    given_dims = dims
    n_whole = mapping.num_dynamic_grid_bounds + mapping.num_index_operands
    if axis.size == 1:
        outs = bind(*map(_only_row, args, dims), **params)
        return [lax.expand_dims(x, [0]) for x in outs], [0] * len(outs)
    own = _of_each_row(mapping, params)
    if getattr(params["interpret"], "is_checked", False):
        return _row_by_row(bind, args, dims, params)  # A run is of one element.
    if any(dim is not None for dim in dims[:n_whole]) or any(i < n_whole for i in own):
        return _row_by_row(bind, args, dims, params)
    dims = [0 if i in own and dim is None else dim for i, dim in enumerate(dims)]
    rows = [
        x if dim is None else batching.move_to(x, given, 0, axis.size)
        for x, given, dim in zip(args, given_dims, dims, strict=True)
    ]
    is_mapped = [dim is not None for dim in dims[n_whole:]]
    is_mapped += [True] * mapping.num_outputs
    changed = _over_rows(mapping, is_mapped, axis.size)
    outs = bind(
        *rows,
        **{
            **params,
            "grid_mapping": changed,
            "out_avals": tuple(changed.out_shapes),
            "cost_estimate": cost.scaled(params["cost_estimate"], axis.size),
        },
    )
    return outs, [0] * len(outs)


def _of_each_row(mapping, params):
    """The operands of which each batch element needs its own: what the kernel writes is there."""
    first = mapping.num_dynamic_grid_bounds
    n_operands = mapping.num_index_operands + mapping.num_inputs
    aliased = {operand for operand, _ in params["input_output_aliases"]}
    written = {operand for operand in params["written"] if operand < n_operands}
    return {first + operand for operand in aliased | written}


def _only_row(x, dim):
    return x if dim is None else lax.squeeze(x, [dim])


def _row_by_row(bind, args, dims, params):
    """One call after the other: the batch elements differ in their grids or index maps."""
    mapped = [i for i, dim in enumerate(dims) if dim is not None]
    rows = [batching.move_to(args[i], dims[i], 0, None) for i in mapped]

    def call(_, row):
        whole = list(args)
        for i, x in zip(mapped, row, strict=True):
            whole[i] = x
        return None, bind(*whole, **params)

    outs = lax.scan(call, None, rows)[1]
    return outs, [0] * len(outs)


def _over_rows(mapping, is_mapped, size):
    """The mapping with an axis in front, along which batch elements are taken."""
    return mapping.replace(
        grid=(size, *mapping.grid),
        grid_names=None,
        block_mappings=tuple(
            _row_of(m, mapped, size)
            for m, mapped in zip(mapping.block_mappings, is_mapped, strict=True)
        ),
        index_map_avals=(grid_mapping.INDEX, *mapping.index_map_avals),
        vmapped_dims=(0, *(axis + 1 for axis in mapping.vmapped_dims)),
    )


def _row_of(m, is_mapped, size):
    def indices(row, *rest):
        found = evaluate.eval_closed(m.index_map_jaxpr, *rest)
        return [row, *found] if is_mapped else found

    program = pe.trace_to_closed(
        indices, [grid_mapping.INDEX, *m.index_map_jaxpr.in_avals]
    )
    if not is_mapped:
        return records.replace(m, index_map_jaxpr=program)
    return records.replace(
        m,
        block_shape=(block_dims.squeezed, *m.block_shape),
        index_map_jaxpr=program,
        array_aval=avals.ShapedArray((size, *m.array_aval.shape), m.array_aval.dtype),
    )
