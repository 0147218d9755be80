"""Constants, broadcasts and choices that lowering rules of libraries emit."""

from typing import Any

import numpy as np

from jax._src.core import avals
from jax._src.interpreters import mlir
from jax._src.lib.mlir import stablehlo as hlo


def broadcasting_select_hlo(
    ctx: Any, which: Any, which_aval: Any, x: Any, x_aval: Any, y: Any, y_aval: Any
) -> Any:
    """In a lowering rule: `x` where `which` is true, else `y`, over their common shape.

    Args:
        ctx: the context of the rule.
        which: the IR value of truth values.
        which_aval: the type of `which`.
        x: the IR value of one choice.
        x_aval: the type of `x`.
        y: the IR value of the other choice.
        y_aval: the type of `y`.
    """
    shape = np.broadcast_shapes(which_aval.shape, x_aval.shape, y_aval.shape)
    spread = [
        broadcast_in_dim(
            ctx,
            value,
            avals.ShapedArray(shape, aval.dtype),
            broadcast_dimensions=range(len(shape) - len(aval.shape), len(shape)),
        )
        for value, aval in ((which, which_aval), (x, x_aval), (y, y_aval))
    ]
    return hlo.select(*spread)


def nan_like_hlo(ctx: Any, aval: Any) -> Any:
    """In a lowering rule: NaN of a type, in both parts of complex numbers."""
    nan = complex("nan+nanj") if aval.dtype.kind == "c" else float("nan")
    return full_like_aval(ctx, nan, aval)


def full_like_aval(ctx: Any, value: Any, aval: Any) -> Any:
    """In a lowering rule: a constant of a type, all of whose elements are `value`."""
    scalar = mlir.ir_constant(np.asarray(value, aval.dtype))
    return broadcast_in_dim(ctx, scalar, aval, broadcast_dimensions=())


def broadcast_in_dim(
    ctx: Any, op: Any, aval_out: Any, *, broadcast_dimensions: Any
) -> Any:
    """In a lowering rule: a value broadcast to the type `aval_out`.

    Args:
        ctx: the context of the rule.
        op: the IR value.
        aval_out: the type of the result.
        broadcast_dimensions: for each axis of `op`, that of the result.
    """
    kind = mlir.aval_to_ir_type(aval_out)
    if op.type == kind:
        return op
    dimensions = mlir.dense_int_array(tuple(broadcast_dimensions))
    return hlo.broadcast_in_dim(kind, op, dimensions)


def compare_hlo(
    x: Any, y: Any, direction: str, comparison_type: str | None = None
) -> Any:
    """In a lowering rule: compares two values element by element.

    Args:
        x: an IR value.
        y: an IR value of the same type.
        direction: ``"EQ"``, ``"NE"``, ``"LT"``, ``"LE"``, ``"GT"`` or ``"GE"``.
        comparison_type: ``"FLOAT"``, ``"TOTALORDER"``, ``"SIGNED"`` or ``"UNSIGNED"``;
            None: what the element type implies.
    """
    kind = None
    if comparison_type is not None:
        kind = hlo.ComparisonTypeAttr.get(comparison_type)
    return hlo.compare(
        x, y, hlo.ComparisonDirectionAttr.get(direction), compare_type=kind
    )
