"""What lowering rules of libraries call, with the parameters that they know."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core import jaxpr as jaxpr_lib
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir

Value = ir.Value


def aval_to_ir_type(ctx: Any, aval: Any) -> Any:
    """The MLIR type of values of type `aval`; the module `ctx` is not used."""
    return mlir.aval_to_ir_type(aval)


def aval_to_ir_types(ctx: Any, aval: Any) -> tuple[Any, ...]:
    """Returns the MLIR types of values of an abstract value: a tuple of one."""
    return mlir.aval_to_ir_types(aval)


def ir_constants(
    val: Any, *, const_lowering: Any = None, aval: Any = None
) -> tuple[Any, ...]:
    """A constant as a tuple of one."""
    return (mlir.ir_constant(val, const_lowering=const_lowering, aval=aval),)


def flatten_ir_values(xs: Any) -> list[Any]:
    """The values in nested tuples and lists, in order; anything else is one of them."""
    if not isinstance(xs, (tuple, list)):
        return [xs]
    return [value for x in xs for value in flatten_ir_values(x)]


def flatten_ir_types(xs: Any) -> list[Any]:
    """The types in nested tuples and lists, in order; anything else is one of them."""
    if not isinstance(xs, (tuple, list)):
        return [xs]
    return [kind for x in xs for kind in flatten_ir_types(x)]


def unflatten_ir_values_like_types(xs: Any, ys: Sequence[Any]) -> list[Any]:
    """Values grouped as types are: one value, or a tuple of values, for each entry."""
    values, wanted = list(xs), len(flatten_ir_types(list(ys)))
    if len(values) < wanted:
        raise errors.value_error(
            "unflatten_ir_values_like_types: there are fewer values than types.",
            [("values", str(len(values))), ("types", str(wanted))],
            "Each type takes one value.",
            "Pass a value for each type.",
        )
    rest = iter(values)
    return [
        tuple(next(rest) for _ in flatten_ir_types(y))
        if isinstance(y, (tuple, list))
        else next(rest)
        for y in ys
    ]


def shape_tensor(ctx: Any, sizes: Sequence[Any]) -> Any:
    """Sizes as a constant of 32-bit integers with one axis."""
    return mlir.ir_constant(np.asarray([int(s) for s in sizes], np.int32))


def token_type() -> Any:
    """The type of values that order effects."""
    return ir.Type.parse("!stablehlo.token")


def jaxpr_subcomp(
    ctx: Any,
    jaxpr: jaxpr_lib.Jaxpr,
    name_stack: jaxpr_lib.NameStack,
    tokens: Any,
    consts_for_constvars: Sequence[Any],
    *args: Any,
    dim_var_values: Sequence[Any],
    const_lowering: Any,
    outer_traceback: Any,
) -> tuple[list[Any], Any]:
    """Builds the operations of a program at the insertion point.

    Args:
        ctx: the module's context.
        jaxpr: the program.
        name_stack: the scopes around it.
        tokens: passed through: the program may have no ordered effects.
        consts_for_constvars: MLIR values of the constants.
        *args: MLIR values of the inputs.
        dim_var_values: accepted for compatibility; sizes are numbers.
        const_lowering: accepted for compatibility.
        outer_traceback: accepted for compatibility.

    Returns:
        The MLIR values of the outputs, and the tokens.
    """
    values = dict(zip(jaxpr.constvars, consts_for_constvars, strict=True))
    values.update(zip(jaxpr.invars, args, strict=True))
    return mlir.lower_equations(ctx, jaxpr, values, name_stack), tokens


def call_lowering(
    fn_name: str,
    call_jaxpr: jaxpr_lib.ClosedJaxpr,
    backend: Any,
    ctx: mlir.ModuleContext,
    in_avals: Sequence[Any],
    out_avals: Sequence[Any],
    tokens_in: Any,
    *args: Any,
    dim_var_values: Sequence[Any],
    const_lowering: Any,
    arg_names: Any = None,
    result_names: Any = None,
    attributes: dict[str, Any] | None = None,
) -> tuple[list[Any], Any]:
    """Calls a program at the insertion point, as a private function of the module.

    Args:
        fn_name: the name of the function; changed if the module has another of that name.
        call_jaxpr: the program.
        backend: accepted for compatibility.
        ctx: the module's context.
        in_avals: the types of the inputs, which are the program's.
        out_avals: the types of the outputs, which are the program's.
        tokens_in: passed through: the program may have no ordered effects.
        *args: MLIR values of the inputs.
        dim_var_values: accepted for compatibility.
        const_lowering: accepted for compatibility: constants stand in the function.
        arg_names: accepted for compatibility.
        result_names: accepted for compatibility.
        attributes: must be left out.

    Returns:
        The MLIR values of the outputs, and the tokens.
    """
    if attributes:
        raise errors.not_implemented(
            "call_lowering: an option is not supported.",
            [("attributes", ", ".join(attributes))],
            "Several calls share the function of a program.",
            "Leave the option out.",
        )
    values = flatten_ir_values(args)
    outs = mlir.call_in_module(ctx, jaxpr_lib.no_names, fn_name, call_jaxpr, values)
    return outs, tokens_in


def core_call_lowering(
    ctx: Any, *args: Any, name: str, backend: Any = None, call_jaxpr: Any
) -> list[Any]:
    """The lowering rule of primitives that call a program: a private function."""
    closed = call_jaxpr
    if not isinstance(call_jaxpr, jaxpr_lib.ClosedJaxpr):
        closed = jaxpr_lib.ClosedJaxpr(call_jaxpr, ())
    return mlir.call_closed(ctx, name, closed, args)
