"""The custom calls of native functions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jax._src.base import errors, traceback_filter
from jax._src.interpreters import mlir

ir = mlir.ir


def _layouts(orders, avals):
    """Axes from the fastest to the slowest; the orders go the other way."""
    ranks = [len(getattr(aval, "shape", ())) for aval in avals]
    orders = [None] * len(ranks) if orders is None else orders
    return [
        list(range(rank) if order is None else getattr(order, "major_to_minor", order))[
            ::-1
        ]
        for order, rank in zip(orders, ranks, strict=True)
    ]


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
    batch_dims: int = 0,
) -> list[Any]:
    """A call whose types `ctx` has; `config` and layouts are as users write them."""
    is_divided = ctx.module_context.partition_count > 1 and not has_side_effect
    return mlir.custom_call(
        name,
        operands,
        [mlir.aval_to_ir_type(a) for a in ctx.avals_out],
        {key: mlir.ir_attribute(value) for key, value in config.items()},
        has_side_effect=has_side_effect,
        operand_layouts=_layouts(input_layouts, ctx.avals_in),
        result_layouts=_layouts(output_layouts, ctx.avals_out),
        aliases=aliases,
        batch_dims=batch_dims if is_divided else 0,
    )


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
        operand_layouts: for each operand the order of its axes: a `Layout`, or the axes
            from minor to major, as custom calls have them; None is row-major.
        result_layouts: the same for the results.
        backend_config: attributes besides the keyword arguments of the rule.
        skip_ffi_layout_processing: whether the layouts are left out, so that the compiler
            chooses row-major ones.
        **lowering_args: `has_side_effect`, and `operand_output_aliases`, a mapping.

    Returns:
        ``rule(ctx, *operands, **attributes)``, for `mlir.register_lowering`.
    """
    aliases = lowering_args.pop("operand_output_aliases", None)
    effect = bool(lowering_args.pop("has_side_effect", False))
    operands_in, results_in = map(_from_minor, (operand_layouts, result_layouts))
    if lowering_args:
        raise TypeError(f"ffi_lowering does not know {', '.join(lowering_args)}.")

    def rule(ctx: Any, *operands: Any, **attributes: Any) -> list[Any]:
        return custom_call(
            ctx,
            call_target_name,
            operands,
            {**(backend_config or {}), **attributes},
            has_side_effect=effect,
            input_layouts=None if skip_ffi_layout_processing else operands_in,
            output_layouts=None if skip_ffi_layout_processing else results_in,
            aliases=aliases,
        )

    return rule


def _from_minor(layouts):
    """Layouts of a custom call as those of users, from major to minor."""
    if layouts is None:
        return None
    return [
        order if order is None or hasattr(order, "major_to_minor") else order[::-1]
        for order in layouts
    ]


_targets: set[str] = set()


@traceback_filter.hides_frames
def register_ffi_target_as_batch_partitionable(name: str) -> None:
    """Lets a batch of calls of a native function be divided among devices.

    Where `vmap` with ``vmap_method="broadcast_all"`` or ``"expand_dims"`` made the batch,
    each device then calls the function for its rows; else the arrays are gathered.

    Args:
        name: the name of the target, registered before or after.

    Raises:
        TypeError: it is no string.
    """
    if not isinstance(name, str):
        raise errors.type_error(
            "register_ffi_target_as_batch_partitionable: this is no name.",
            [("name", repr(name))],
            ways="Pass the name that register_ffi_target was given.",
        )
    _targets.add(name)


def is_partitionable(name: str) -> bool:
    """Whether batches of calls of a target may be divided."""
    return name in _targets
