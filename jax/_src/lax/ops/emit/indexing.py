"""Gathers and scatters."""

import numpy as np

from jax._src.core.symbols.expressions import max_dim
from jax._src.interpreters import mlir
from jax._src.interpreters.mlir import sizes
from jax._src.lax.ops.emit.elementwise import clamp, compare, operation, select
from jax._src.lax.ops.emit.folding import reduce_with
from jax._src.lax.ops.emit.values import (
    attribute,
    bool_attribute,
    broadcast_in_dim,
    constant,
    fill_region,
    full,
    hlo,
    int_array,
    program,
    scalar_type,
)


def _fields(fields: dict, index_vector_dim: int) -> str:
    text = [
        f"{name} = [{', '.join(map(str, axes))}]"
        for name, axes in fields.items()
        if axes
    ]
    return ", ".join([*text, f"index_vector_dim = {index_vector_dim}"])


def gather(
    ctx,
    operand,
    indices,
    *,
    dimension_numbers,
    slice_sizes,
    unique_indices,
    indices_are_sorted,
    is_filled,
    fill_value,
):
    """Takes slices; those outside are moved inside, or filled in."""
    operand_aval, indices_aval = ctx.avals_in
    out = ctx.avals_out[0]
    fields = {
        "offset_dims": dimension_numbers.offset_dims,
        "collapsed_slice_dims": dimension_numbers.collapsed_slice_dims,
        "operand_batching_dims": dimension_numbers.operand_batching_dims,
        "start_indices_batching_dims": dimension_numbers.start_indices_batching_dims,
        "start_index_map": dimension_numbers.start_index_map,
    }
    text = _fields(fields, indices_aval.ndim - 1)
    attributes = {
        "dimension_numbers": attribute(f"#stablehlo.gather<{text}>"),
        "indices_are_sorted": bool_attribute(indices_are_sorted),
    }
    kind, name, operands = mlir.aval_to_ir_type(out), "gather", [operand, indices]
    if sizes.has_symbols(slice_sizes):
        name, operands = "dynamic_gather", [*operands, sizes.vector(slice_sizes)]
    else:
        attributes["slice_sizes"] = int_array(slice_sizes)
    result = hlo(name, [kind], operands, attributes).result
    if not is_filled:
        return result
    # Of an axis without elements, whose slices have none, no index is inside.
    highest = [
        operand_aval.shape[axis] - max_dim(slice_sizes[axis], 1)
        for axis in dimension_numbers.start_index_map
    ]
    inside = _indices_inside(indices, indices_aval, highest)
    offset = dimension_numbers.offset_dims
    axes = [axis for axis in range(out.ndim) if axis not in offset]
    mask = broadcast_in_dim(inside, out.shape, axes)
    return select(mask, result, full(fill_value, out))


def _bounds(values, aval):
    """Bounds of indices as a constant, at most what their dtype can hold."""
    if sizes.has_symbols(values):
        vector = sizes.vector(values)
        element = mlir.dtype_to_ir_type(aval.dtype)
        kind = mlir.ir.RankedTensorType.get([len(values)], element)
        vector = hlo("convert", [kind], [vector]).result
        return broadcast_in_dim(vector, aval.shape, (aval.ndim - 1,))
    largest = int(np.iinfo(aval.dtype).max)
    bounds = np.array([min(value, largest) for value in values], aval.dtype)
    return broadcast_in_dim(constant(bounds, aval.dtype), aval.shape, (aval.ndim - 1,))


def _indices_inside(indices, aval, highest):
    """Whether each index vector is between 0 and `highest`."""
    low = compare(indices, full(0, aval), "GE")
    high = compare(indices, _bounds(highest, aval), "LE")
    both = operation("and")(low, high)
    return reduce_with("and", both, True, [aval.ndim - 1], np.bool_)


def scatter(
    ctx,
    operand,
    indices,
    updates,
    window_sizes,
    update_jaxpr,
    update_consts,
    *,
    is_clipped,
    dimension_numbers,
    indices_are_sorted,
    unique_indices,
):
    """Changes slices; those outside are moved inside, or left out."""
    operand_aval, indices_aval, _ = ctx.avals_in
    if is_clipped:
        highest = [
            operand_aval.shape[axis] - window_sizes[axis]
            for axis in dimension_numbers.scatter_dims_to_operand_dims
        ]
        low, high = full(0, indices_aval), _bounds(highest, indices_aval)
        indices = clamp(low, indices, high)
    fields = {
        "update_window_dims": dimension_numbers.update_window_dims,
        "inserted_window_dims": dimension_numbers.inserted_window_dims,
        "input_batching_dims": dimension_numbers.operand_batching_dims,
        "scatter_indices_batching_dims": (
            dimension_numbers.scatter_indices_batching_dims
        ),
        "scatter_dims_to_operand_dims": dimension_numbers.scatter_dims_to_operand_dims,
    }
    text = _fields(fields, indices_aval.ndim - 1)
    op = hlo(
        "scatter",
        [operand.type],
        [operand, indices, updates],
        {
            "scatter_dimension_numbers": attribute(f"#stablehlo.scatter<{text}>"),
            "indices_are_sorted": bool_attribute(indices_are_sorted),
            "unique_indices": bool_attribute(unique_indices),
        },
        regions=1,
    )

    def body(old, new):
        if update_jaxpr is None:
            return [new]
        return program(ctx, update_jaxpr, update_consts, old, new)

    scalar = scalar_type(operand)
    fill_region(op.regions[0], [scalar, scalar], body)
    return op.result
