"""Calls of handlers of the typed FFI."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jax._src.interpreters.mlir import sizes, types
from jax._src.lib.mlir import ir


def custom_call(
    target: str,
    operands: Sequence[Any],
    result_types: Sequence[Any],
    config: Mapping[str, Any],
    *,
    has_side_effect: bool = False,
    operand_layouts: Sequence[Sequence[int]] | None = None,
    result_layouts: Sequence[Sequence[int]] | None = None,
    aliases: Mapping[int, int] | None = None,
    sharding: Any = None,
    batch_dims: int = 0,
) -> list[Any]:
    """Calls a handler by name; returns the values of its results.

    Args:
        target: the name under which the handler is registered.
        operands: MLIR values.
        result_types: MLIR types.
        config: the attributes that the handler reads.
        has_side_effect: whether the call stays though its results be unused.
        operand_layouts: for each operand its axes, from the fastest to the slowest.
        result_layouts: the same for the results.
        aliases: from operands to the results that take their memory.
        sharding: the sharding of the results, as an attribute.
        batch_dims: along how many leading axes the call may be divided among devices.
    """
    operands, shapes = (
        list(operands),
        [sizes.shape_of(t) for t in result_types],
    )
    shape_operands = []
    if any(map(sizes.has_symbols, shapes)):
        vectors = [sizes.vector(shape) for shape in shapes]
        shape_operands = list(range(len(operands), len(operands) + len(vectors)))
        operands += vectors
        if operand_layouts is not None:
            operand_layouts = [*operand_layouts, *[[0]] * len(vectors)]
    attributes = {
        "call_target_name": ir.StringAttr.get(target),
        "api_version": types.i32_attr(4),
        "has_side_effect": ir.BoolAttr.get(has_side_effect),
        "backend_config": ir.DictAttr.get(dict(config)),
    }
    for side, layouts in (("operand", operand_layouts), ("result", result_layouts)):
        if layouts is not None:
            entries = [_layout(axes) for axes in layouts]
            attributes[f"{side}_layouts"] = ir.ArrayAttr.get(entries)
    if aliases:
        index = "{}" if len(result_types) > 1 else ""
        attributes["output_operand_aliases"] = ir.ArrayAttr.get(
            [
                ir.Attribute.parse(
                    "#stablehlo.output_operand_alias<output_tuple_indices = "
                    f"[{index.format(out)}], operand_index = {operand}, "
                    "operand_tuple_indices = []>"
                )
                for operand, out in aliases.items()
            ]
        )
    if shape_operands:
        attributes["indices_of_shape_operands"] = ir.DenseIntElementsAttr.get(
            np.asarray(shape_operands, np.int64)
        )
    if sharding is not None:
        attributes["sdy.sharding"] = sharding
    if batch_dims and not shape_operands:
        given, made_of = (
            [list(ir.RankedTensorType(t).shape) for t in side]
            for side in ([x.type for x in operands], result_types)
        )
        attributes["sdy.sharding_rule"] = batch_rule(given, made_of, batch_dims)
    made = ir.Operation.create(
        "stablehlo.custom_call",
        results=list(result_types),
        operands=operands,
        attributes=attributes,
    )
    return list(made.results)


def _layout(axes):
    return ir.DenseIntElementsAttr.get(
        np.asarray(axes, np.int64), type=ir.IndexType.get()
    )


def batch_rule(
    operands: Sequence[Sequence[int]], results: Sequence[Sequence[int]], batch_dims: int
) -> Any:
    """For partitioners: the first axes of all arrays are divided alike, others are whole.

    Args:
        operands: the shapes of the operands; batch axes may have size 1 there.
        results: the shapes of the results.
        batch_dims: how many axes are of batches.
    """
    sizes: list[int] = [
        max(shape[axis] for shape in (*operands, *results))
        for axis in range(batch_dims)
    ]
    numbers = itertools.count(batch_dims)

    def mapping(shape):
        factors = []
        for axis, size in enumerate(shape):
            if axis < batch_dims and size == sizes[axis]:
                factors.append(axis)
            else:
                factors.append(next(numbers))
                sizes.append(size)
        return "[" + ", ".join(map(_name, factors)) + "]"

    sides = [", ".join(map(mapping, shapes)) for shapes in (operands, results)]
    listed = ", ".join(f"{_name(i)}={size}" for i, size in enumerate(sizes))
    whole = ", ".join(map(_name, range(batch_dims, len(sizes))))
    kept = f" need_replication={{{whole}}}" if whole else ""
    return ir.Attribute.parse(
        f"#sdy.op_sharding_rule<({sides[0]})->({sides[1]}) {{{listed}}}{kept}, custom>"
    )


def _name(factor):
    """The letters from i to z, then z_1, z_2, …."""
    letters = "ijklmnopqrstuvwxyz"
    return letters[factor] if factor < 18 else f"z_{factor - 17}"
