"""Tracing wrapped functions to programs."""

import functools as ft
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.compat import linear_util, registration
from jax._src.core import avals, jaxpr as jaxpr_lib, state
from jax._src.interpreters import partial_eval as pe
from jax._src.interpreters.partial_eval.unknown_tracers import PartialVal

Val = Any
# primitive -> f(trace, *tracers, **params): for primitives that hold programs.
custom_partial_eval_rules = registration.RuleView("partial_eval")
# primitive -> f(used_outputs, eqn) -> (used_inputs, eqn or None)
dce_rules = registration.RuleView("dce")


def trace_to_jaxpr_nounits(
    fun: linear_util.WrappedFun,
    pvals: Sequence[PartialVal],
    instantiate: bool | Sequence[bool] = False,
) -> tuple[jaxpr_lib.Jaxpr, list[PartialVal], list[Any]]:
    """Runs what depends on known values only, and records what else results and effects need.

    Args:
        fun: from values to a sequence of values.
        pvals: its arguments, known or not.
        instantiate: results to make unknown even if they are known; all or some.

    Returns:
        The program from unknown arguments to unknown results, whose constants are
        the known values that it needs; the results; the values of the constants.
    """
    trace = pe.PartialTrace(state.current(), fun.debug_info)
    inputs = [p.get_known() if p.is_known() else trace.new_unknown(p[0]) for p in pvals]
    with state.tracing(trace):
        outs = list(fun.call_wrapped(*inputs))
    forced = [instantiate] * len(outs) if isinstance(instantiate, bool) else instantiate
    unknown = [
        force or trace.is_unknown(out) for out, force in zip(outs, forced, strict=True)
    ]
    jaxpr, consts = trace.staging.to_jaxpr(
        [out for out, is_unknown in zip(outs, unknown, strict=True) if is_unknown]
    )
    jaxpr, consts = _without_unused(jaxpr, consts)
    trace.finish()
    found = [
        PartialVal.unknown(avals.get_aval(out)) if is_unknown else PartialVal.known(out)
        for out, is_unknown in zip(outs, unknown, strict=True)
    ]
    return jaxpr, found, consts


def trace_to_jaxpr_dynamic(
    fun: linear_util.WrappedFun,
    in_avals: Sequence[avals.AbstractValue],
    *,
    keep_inputs: Sequence[bool] | None = None,
    lower: bool = False,
    auto_dce: bool = False,
) -> tuple[jaxpr_lib.Jaxpr, list[avals.AbstractValue], list[Any]]:
    """Records a function.

    Args:
        fun: from values to a sequence of values.
        in_avals: the types of its arguments.
        keep_inputs: which arguments become inputs; all by default.
        lower: accepted for compatibility; programs have one level.
        auto_dce: leave out what no result needs.

    Returns:
        The program, the types of its results, and the values of its constants.
    """
    jaxpr, consts = pe.trace_to_jaxpr(fun.call_wrapped, in_avals, fun.debug_info)
    if keep_inputs is not None:
        kept = [v for v, keep in zip(jaxpr.invars, keep_inputs, strict=True) if keep]
        jaxpr = jaxpr.replace(invars=kept)
    if auto_dce:
        jaxpr, consts = _without_unused(jaxpr, consts)
    return jaxpr, [v.aval for v in jaxpr.outvars], consts


def _without_unused(jaxpr, consts):
    used = [True] * len(jaxpr.outvars)
    jaxpr, used_consts, _ = dce_jaxpr_consts(jaxpr, used, instantiate=True)
    return jaxpr, [c for c, is_used in zip(consts, used_consts, strict=True) if is_used]


def dce_jaxpr_closed_call_rule(
    used_outputs: Sequence[bool], eqn: Any
) -> tuple[list[bool], Any]:
    """The rule ``dce`` of a primitive whose parameter `call_jaxpr` is a closed program.

    Args:
        used_outputs: for each output of the equation, whether it stays.
        eqn: the equation.

    Returns:
        For each input whether it is still needed, and the equation, or None.
    """
    smaller, used = pe.dce_closed(eqn.params["call_jaxpr"], used_outputs)
    return _with_program(eqn, smaller, used, used_outputs)


def dce_jaxpr_call_rule(
    used_outputs: Sequence[bool], eqn: Any
) -> tuple[list[bool], Any]:
    """Removes unused results of an equation whose parameter is a jaxpr without constants."""
    smaller, used = pe.dce_jaxpr(eqn.params["call_jaxpr"], used_outputs)
    return _with_program(eqn, smaller, used, used_outputs)


def _with_program(eqn, program, used, used_outputs):
    params = {**eqn.params, "call_jaxpr": program}
    return pe.dce_call(eqn, params, program.effects, used, used_outputs)


def dce_jaxpr_consts(
    jaxpr: jaxpr_lib.Jaxpr, used_outputs: Sequence[bool], instantiate: bool = False
) -> tuple[jaxpr_lib.Jaxpr, list[bool], list[bool]]:
    """A program without what the used results do not need, constants included.

    Args:
        jaxpr: the program.
        used_outputs: for each output, whether it stays.
        instantiate: keep all inputs.

    Returns:
        The program, and for each constant and each input whether it is still there.
    """
    smaller, used_inputs = pe.dce_jaxpr(jaxpr, used_outputs, instantiate)
    numbers = list(range(len(jaxpr.constvars)))
    smaller, kept = pe.keep_used_consts(smaller, numbers)
    return smaller, [n in kept for n in numbers], used_inputs


def close_jaxpr(jaxpr: jaxpr_lib.Jaxpr) -> jaxpr_lib.ClosedJaxpr:
    """Returns a jaxpr without constants as a closed one."""
    return jaxpr_lib.ClosedJaxpr(jaxpr, ())


def convert_constvars_jaxpr(jaxpr: jaxpr_lib.Jaxpr) -> jaxpr_lib.Jaxpr:
    """Returns the jaxpr whose first inputs are the constant variables of `jaxpr`."""
    if isinstance(jaxpr, jaxpr_lib.ClosedJaxpr):
        jaxpr = jaxpr.jaxpr
    return pe.consts_to_inputs(jaxpr)


def move_binders_to_back(
    closed_jaxpr: jaxpr_lib.ClosedJaxpr, to_move: Sequence[bool]
) -> jaxpr_lib.ClosedJaxpr:
    """Returns a program with some of its inputs behind the others.

    Args:
        closed_jaxpr: the program.
        to_move: for each input, whether it moves.
    """
    pairs = list(zip(closed_jaxpr.jaxpr.invars, to_move, strict=True))
    invars = [v for v, moves in pairs if not moves] + [v for v, moves in pairs if moves]
    changed = closed_jaxpr.jaxpr.replace(invars=invars)
    return jaxpr_lib.ClosedJaxpr(changed, closed_jaxpr.consts)


def prune_closed_jaxpr_outputs(
    jaxpr: jaxpr_lib.ClosedJaxpr, used_outputs: Sequence[bool]
) -> jaxpr_lib.ClosedJaxpr:
    """Returns a program with some of its outputs; equations and inputs stay.

    Args:
        jaxpr: the program.
        used_outputs: for each output, whether it stays.
    """
    outvars = [v for v, u in zip(jaxpr.jaxpr.outvars, used_outputs, strict=True) if u]
    debug = jaxpr.jaxpr.debug_info
    if debug.result_paths is not None:
        debug = debug.replace(result_paths=debug.filter_result_paths(used_outputs))
    changed = jaxpr.jaxpr.replace(outvars=outvars, debug_info=debug)
    return jaxpr_lib.ClosedJaxpr(changed, jaxpr.consts)


def partial_eval_jaxpr_nounits(
    jaxpr: jaxpr_lib.ClosedJaxpr,
    unknowns: Sequence[bool],
    instantiate: bool | Sequence[bool],
) -> tuple[
    jaxpr_lib.ClosedJaxpr, jaxpr_lib.ClosedJaxpr, list[bool], list[avals.AbstractValue]
]:
    """Splits a program by which of its inputs are unknown.

    Args:
        jaxpr: the program.
        unknowns: for each input, whether it is unknown.
        instantiate: outputs that count as unknown in any case; all or some.

    Returns:
        The known program, whose last results are the residuals; the unknown one, whose first
        inputs they are; for each output whether it is unknown; the types of the residuals.
    """
    return pe.partial_eval_jaxpr(jaxpr, unknowns, instantiate)


def abstract_eval_fun(
    fun: Callable,
    *in_avals: avals.AbstractValue,
    debug_info: jaxpr_lib.DebugInfo = jaxpr_lib.no_debug_info,
    **params: Any,
) -> list[avals.AbstractValue]:
    """Returns the types of the results of a function of values to a sequence of values.

    Args:
        fun: the function.
        *in_avals: the types of its arguments.
        debug_info: what it is traced for.
        **params: keyword arguments of the function.
    """
    jaxpr, _ = pe.trace_to_jaxpr(ft.partial(fun, **params), in_avals, debug_info)
    return jaxpr.out_avals
