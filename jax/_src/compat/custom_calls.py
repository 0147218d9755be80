"""Calls of functions with derivatives of their own, as traces of libraries see them.

Libraries know such a call as a wrapped function and its wrapped rules (`subfuns`): their
traces get them in `process_custom_jvp_call` and `process_custom_vjp_call`, and bind them
again. Here they are translated to and from the parameters of the primitives.
"""

from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import util
from jax._src.compat import linear_util
from jax._src.core import (
    avals as avals_lib,
    jaxpr,
    primitive as primitive_lib,
    trace as trace_lib,
)
from jax._src.interpreters import ad
from jax._src.transforms import custom_jvp, custom_rules, custom_vjp


def _wrap(fun, name):
    return linear_util.wrap_init(
        fun, debug_info=jaxpr.DebugInfo("custom_derivatives", name, None, None)
    )


def _name_of(fun):
    return util.function_name(getattr(fun, "f", fun))


def jvp_params(
    fun: linear_util.WrappedFun, jvp: linear_util.WrappedFun, symbolic_zeros: bool
) -> dict:
    """The parameters of ``custom_jvp_call`` for a wrapped function and rule."""

    def rule(primals, tangents):
        both = list(jvp.call_wrapped(*primals, *tangents))
        return both[: len(both) // 2], both[len(both) // 2 :]

    return {
        "call_jaxpr": lambda *args: list(fun.call_wrapped(*args)),
        "jvp": rule,
        "name": _name_of(fun),
        "num_consts": 0,
        "symbolic_zeros": symbolic_zeros,
    }


def _hand_jvp(trace, args, params):
    """Gives a library's trace such a call."""
    if type(trace).process_custom_jvp_call is trace_lib.Trace.process_custom_jvp_call:
        return trace.process_primitive(custom_jvp.custom_jvp_call_p, args, params)
    found = _jvp_bind_params(params)
    functions = found.pop("subfuns")
    return trace.process_custom_jvp_call(
        custom_jvp.custom_jvp_call_p, *functions, args, **found
    )


def _jvp_bind_params(params):
    """The wrapped function and rule of such a call, of all its operands."""
    consts, jvp, name = params["num_consts"], params["jvp"], params["name"]

    def rule(*both):
        half = len(both) // 2
        outs, tangents = jvp(both[consts:half], both[half + consts :])
        return [*outs, *tangents]

    function = _wrap(custom_rules.as_function(params["call_jaxpr"]), name)
    return {
        "subfuns": (function, _wrap(rule, name)),
        "symbolic_zeros": params["symbolic_zeros"],
    }


def vjp_params(
    fun: linear_util.WrappedFun,
    fwd: linear_util.WrappedFun,
    bwd: linear_util.WrappedFun,
    out_trees: Callable,
    symbolic_zeros: bool,
) -> dict:
    """The parameters of ``custom_vjp_call`` for a wrapped function and rules.

    ``fwd(x, varies, y, varies, …)`` returns the residuals, but for those that are inputs,
    and the results; ``out_trees()`` then is the structure of the results, that of the
    residuals, and for each of these which input it is, or None.
    """

    def forward(perturbed, primals):
        given = [x for pair in zip(primals, perturbed, strict=True) for x in pair]
        both = list(fwd.call_wrapped(*given))
        _, residual_tree, inputs = out_trees()
        count = residual_tree.num_leaves - sum(i is not None for i in inputs)
        fresh, outs = iter(both[:count]), both[count:]
        residuals = [next(fresh) if i is None else primals[i] for i in inputs]
        return outs, residuals, None

    def backward(_, residuals, cts):
        return list(bwd.call_wrapped(*residuals, *cts))

    return {
        "call_jaxpr": lambda *args: list(fun.call_wrapped(*args)),
        "fwd": forward,
        "bwd": backward,
        "name": _name_of(fun),
        "num_consts": 0,
        "symbolic_zeros": symbolic_zeros,
    }


def _hand_vjp(trace, args, params):
    """Gives a library's trace such a call."""
    if type(trace).process_custom_vjp_call is trace_lib.Trace.process_custom_vjp_call:
        return trace.process_primitive(custom_vjp.custom_vjp_call_p, args, params)
    found = _vjp_bind_params(params, [avals_lib.get_aval(x) for x in args])
    functions = found.pop("subfuns")
    return trace.process_custom_vjp_call(
        custom_vjp.custom_vjp_call_p, *functions, args, **found
    )


def _vjp_bind_params(params, in_avals=None):
    """The wrapped function and rules of such a call, of all its operands."""
    consts, name = params["num_consts"], params["name"]
    if in_avals is None:
        in_avals = params["call_jaxpr"].in_avals
    found: dict[str, Any] = {}

    def forward(*pairs):
        primals, perturbed = pairs[::2], tuple(pairs[1::2])
        outs, residuals, structure = params["fwd"](perturbed[consts:], primals[consts:])
        found.update(structure=structure, outs=len(outs), residuals=len(residuals))
        return [*residuals, *outs]

    def backward(*values):
        count = found["residuals"]
        cts = params["bwd"](found["structure"], values[:count], values[count:])
        # What the function closes over is not differentiated.
        zeros = [ad.Zero(aval.to_cotangent_aval()) for aval in in_avals[:consts]]
        return [*zeros, *cts]

    def out_trees():
        many = lambda n: tree.tree_structure([0] * n)  # noqa: E731
        return (
            many(found["outs"]),
            many(found["residuals"]),
            [None] * found["residuals"],
        )

    function = _wrap(custom_rules.as_function(params["call_jaxpr"]), name)
    return {
        "subfuns": (function, _wrap(forward, name), _wrap(backward, name)),
        "out_trees": out_trees,
        "symbolic_zeros": params["symbolic_zeros"],
    }


def _translated_jvp(params):
    fun, jvp = params["subfuns"]
    return jvp_params(fun, jvp, params.get("symbolic_zeros", False))


def _translated_vjp(params):
    zeros = params.get("symbolic_zeros", False)
    return vjp_params(*params["subfuns"], params["out_trees"], zeros)


def _take_subfuns(
    primitive: primitive_lib.Primitive, translated: Callable, bind_params: Callable
) -> None:
    """Lets a primitive be bound with wrapped functions too, as equations of it are repeated."""
    kind = type(primitive)

    def bind(*args, **params):
        params = translated(params) if "subfuns" in params else params
        return kind.bind(primitive, *args, **params)

    def bind_with_trace(trace, args, avals, params, /):
        params = translated(params) if "subfuns" in params else params
        return kind.bind_with_trace(primitive, trace, args, avals, params)

    vars(primitive).update(
        bind=bind, bind_with_trace=bind_with_trace, get_bind_params=bind_params
    )


# Primitive -> f(trace, operands, params): gives the trace of a library a call, where it defines one.
HANDED_AS_CALLS = {
    custom_jvp.custom_jvp_call_p: _hand_jvp,
    custom_vjp.custom_vjp_call_p: _hand_vjp,
}
_take_subfuns(custom_jvp.custom_jvp_call_p, _translated_jvp, _jvp_bind_params)
_take_subfuns(custom_vjp.custom_vjp_call_p, _translated_vjp, _vjp_bind_params)
