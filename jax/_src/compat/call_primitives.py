"""Primitives that run the program in their parameter `call_jaxpr`, as libraries make them."""

from collections.abc import Callable
from typing import Any

from jax._src.core import evaluate, primitive as primitive_lib, vma
from jax._src.interpreters import ad, batching, mlir, partial_eval as pe
from jax._src.jit import primitive as jit_primitive


def create_call_primitive(
    name: str, inline_jax_late: bool = True
) -> primitive_lib.Primitive:
    """A primitive with all rules, whose ``bind(*args, call_jaxpr=)`` runs a closed program.

    Args:
        name: the primitive's.
        inline_jax_late: whether lowering puts the operations in place of the call; if not,
            the call is one of a function, named by the parameter `name`.
    """
    made = primitive_lib.Primitive(name, multiple_results=True)
    register_call_primitive_rules(made, inline_jax_late=inline_jax_late)
    return made


def register_call_primitive_rules(
    prim: primitive_lib.Primitive,
    name: str | None = None,
    transpose_rule: Callable | None = None,
    inline_jax_late: bool = True,
) -> None:
    """Gives a primitive the rules of one that runs the program `call_jaxpr`.

    Args:
        prim: the primitive; its results are a list from then on.
        name: of the function that programs call where the parameter `name` says none.
        transpose_rule: ``f(cotangents, *operands, call_jaxpr=, **params)``; None: that of
            `eval_jaxpr_transpose`.
        inline_jax_late: whether lowering puts the operations in place of the call.
    """
    prim.multiple_results = True
    function_name = name or prim.name

    def bind(program, args, params):
        return prim.bind(*args, call_jaxpr=program, **params)

    def impl(*args, call_jaxpr, **params):
        return evaluate.eval_closed(call_jaxpr, *args)

    def jvp_all(primals, tangents, *, call_jaxpr, **params):
        return jit_primitive.jvp_call(
            lambda program, *args: bind(program, args, params),
            call_jaxpr,
            primals,
            tangents,
        )

    def partial_eval(trace, *args, call_jaxpr, **params):
        unknown = [trace.is_unknown(a) for a in args]
        known, late, unknown_out, residuals = pe.partial_eval_jaxpr(call_jaxpr, unknown)
        known_args = [a for a, u in zip(args, unknown, strict=True) if not u]
        outs = trace.known(bind, known, known_args, params)
        count = len(outs) - len(residuals)
        late_args = (*outs[count:], *[a for a in args if trace.is_unknown(a)])
        late_params = {**params, "call_jaxpr": late}
        late_outs = iter(
            trace.staging.process(prim, late_args, late_params)
            if late.jaxpr.outvars
            else ()
        )
        early = iter(outs[:count])
        return [next(late_outs) if u else next(early) for u in unknown_out]

    def transpose(cts, *operands, **params):
        if transpose_rule is not None:
            return transpose_rule(cts, *operands, **params)
        return eval_jaxpr_transpose(prim, cts, *operands, **params)

    def batch(axis, args, dims, *, call_jaxpr, **params):
        program, out_dims = batching.batch_jaxpr(call_jaxpr, axis, dims)
        return bind(program, args, params), out_dims

    def dce(used_outputs, eqn):
        smaller, used_inputs = pe.dce_closed(eqn.params["call_jaxpr"], used_outputs)
        params = {**eqn.params, "call_jaxpr": smaller}
        return pe.dce_call(eqn, params, smaller.effects, used_inputs, used_outputs)

    def lower(ctx, *operands, call_jaxpr, name=None, **params):
        return mlir.call_closed(ctx, name or function_name, call_jaxpr, operands)

    rules: dict[str, Any] = {
        "types": lambda *avals, call_jaxpr, **params: call_jaxpr.out_avals,
        "effects": lambda *avals, call_jaxpr, **params: call_jaxpr.effects,
        "manual": vma.AS_TYPES,
        "sharding": primitive_lib.BY_TYPES,
        "impl": impl,
        "jvp_all": jvp_all,
        "partial_eval": partial_eval,
        "transpose": transpose,
        "batch": batch,
        "dce": dce,
        **({"decompose": impl} if inline_jax_late else {"lower": lower}),
    }
    for kind, rule in rules.items():
        prim.set_rule(kind, rule)


def eval_jaxpr_transpose(
    prim: primitive_lib.Primitive,
    ct: Any,
    *args: Any,
    call_jaxpr: Any,
    **params: Any,
) -> list[Any]:
    """The transpose of such a primitive: its program, run backwards by another call.

    Args:
        prim: the primitive.
        ct: the cotangents of the results, or symbolic zeros.
        *args: the operands; an undefined primal for each that is linear.
        call_jaxpr: the program.
        **params: the other parameters.

    Returns:
        A cotangent for each operand; None for those that are not linear.
    """
    linear = [ad.is_undefined_primal(x) for x in args]
    return jit_primitive.transpose_call(
        lambda program, *values: prim.bind(*values, call_jaxpr=program, **params),
        pe.split_linear(call_jaxpr, linear),
        ct,
        args,
    )
