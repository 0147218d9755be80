"""The custom calls of native functions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jax._src.interpreters import mlir

ir = mlir.ir


def attribute(value: Any) -> Any:
    """A Python or NumPy value as an attribute of a call; a Python int has 64 bits.

    Raises:
        TypeError: values of its class cannot be attributes.
    """
    if isinstance(value, ir.Attribute):
        return value
    if isinstance(value, bool | np.bool_):
        return ir.BoolAttr.get(bool(value))
    if isinstance(value, str):
        return ir.StringAttr.get(value)
    if isinstance(value, Mapping):
        return ir.DictAttr.get({str(k): attribute(v) for k, v in value.items()})
    if isinstance(value, list | tuple):
        return ir.ArrayAttr.get([attribute(v) for v in value])
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{value!r} cannot be an attribute of a native call.")
    if array.ndim:
        return mlir.dense_attribute(array)
    kind = mlir.dtype_to_ir_type(array.dtype)
    if array.dtype.kind == "f":
        return ir.FloatAttr.get(kind, float(array))
    return ir.IntegerAttr.get(kind, int(array))


def _layout(order, rank):
    """The order of axes, from major to minor, in the compiler's opposite form."""
    order = range(rank) if order is None else getattr(order, "major_to_minor", order)
    minor_first = np.asarray(list(order)[::-1], np.int64)
    return ir.DenseIntElementsAttr.get(minor_first, type=ir.IndexType.get())


def _layouts(orders, avals):
    orders = [None] * len(avals) if orders is None else orders
    pairs = zip(orders, avals, strict=True)
    entries = [_layout(o, len(getattr(a, "shape", ()))) for o, a in pairs]
    return ir.ArrayAttr.get(entries)


def custom_call(
    ctx: mlir.RuleContext,
    name: str,
    operands: Sequence[Any],
    config: Mapping[str, Any],
    *,
    has_side_effect: bool = False,
    input_layouts: Sequence[Any] | None = None,
    output_layouts: Sequence[Any] | None = None,
    aliases: Mapping[int, int] | None = None,
) -> list[Any]:
    """A call of a handler of the typed FFI; returns the values of its results.

    Args:
        ctx: the context of the rule; it has the types.
        name: the name under which the handler is registered.
        operands: MLIR values.
        config: the attributes that the handler reads.
        has_side_effect: whether the call stays though its results be unused.
        input_layouts: for each operand the order of its axes, or None.
        output_layouts: the same for the results.
        aliases: from operands to the results that take their memory.
    """
    many = len(ctx.avals_out) != 1
    pairs = [
        ir.Attribute.parse(
            "#stablehlo.output_operand_alias<output_tuple_indices = "
            f"[{out if many else ''}], operand_index = {index}, "
            "operand_tuple_indices = []>"
        )
        for index, out in (aliases or {}).items()
    ]
    made = ir.Operation.create(
        "stablehlo.custom_call",
        results=[mlir.aval_to_ir_type(a) for a in ctx.avals_out],
        operands=list(operands),
        attributes={
            "call_target_name": ir.StringAttr.get(name),
            "api_version": mlir.i32_attr(4),
            "has_side_effect": ir.BoolAttr.get(has_side_effect),
            "backend_config": attribute(dict(config)),
            "operand_layouts": _layouts(input_layouts, ctx.avals_in),
            "result_layouts": _layouts(output_layouts, ctx.avals_out),
            "output_operand_aliases": ir.ArrayAttr.get(pairs),
        },
    )
    return list(made.results)


def ffi_lowering(
    call_target_name: str,
    *,
    operand_layouts: Sequence[Any] | None = None,
    result_layouts: Sequence[Any] | None = None,
    backend_config: Mapping[str, Any] | None = None,
    skip_ffi_layout_processing: bool = False,
    **lowering_args: Any,
) -> Callable[..., Any]:
    """A lowering rule that calls a native function.

    Args:
        call_target_name: the name under which the handler is registered.
        operand_layouts: for each operand the order of its axes, from major to minor.
        result_layouts: the same for the results.
        backend_config: attributes besides the keyword arguments of the rule.
        skip_ffi_layout_processing: accepted for compatibility.
        **lowering_args: `has_side_effect`, and `operand_output_aliases`, a mapping.

    Returns:
        ``rule(ctx, *operands, **attributes)``, for `mlir.register_lowering`.
    """
    aliases = lowering_args.pop("operand_output_aliases", None)
    effect = bool(lowering_args.pop("has_side_effect", False))
    if lowering_args:
        raise TypeError(f"ffi_lowering does not know {', '.join(lowering_args)}.")

    def rule(ctx: Any, *operands: Any, **attributes: Any) -> list[Any]:
        return custom_call(
            ctx,
            call_target_name,
            operands,
            {**(backend_config or {}), **attributes},
            has_side_effect=effect,
            input_layouts=operand_layouts,
            output_layouts=result_layouts,
            aliases=aliases,
        )

    return rule
