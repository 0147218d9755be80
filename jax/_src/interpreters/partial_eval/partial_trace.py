"""Computing now what is known, and recording the rest.

`PartialTrace` sends a primitive to its parent when all operands are known, and to a
program under construction when one is not. Linearisation is forward differentiation
on top of it, with unknown tangents.
"""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.core import (
    avals,
    evaluate,
    jaxpr as jaxpr_lib,
    primitive as primitive_lib,
    references,
    state,
    trace as trace_lib,
)
from jax._src.interpreters.partial_eval import staging as staging_lib, unknown_tracers


class PartialTrace(trace_lib.Trace):
    """A parent for what is known, and a program for what is not."""

    __slots__ = ("staging",)

    parent: trace_lib.Trace
    staging: staging_lib.StagingTrace

    def __init__(
        self,
        parent: trace_lib.Trace,
        debug: jaxpr_lib.DebugInfo = jaxpr_lib.no_debug_info,
    ):
        super().__init__(parent)
        self.staging = staging_lib.StagingTrace(parent, debug, callers=2)
        self.staging.scopes_outside = len(state.scopes())
        self.staging.tracer = unknown_tracers.unknown

    def is_unknown(self, x: Any) -> bool:
        """Whether a value depends on the program's inputs."""
        return (
            isinstance(x, staging_lib.DynamicJaxprTracer) and x._trace is self.staging
        )

    def new_unknown(self, aval: avals.AbstractValue) -> staging_lib.DynamicJaxprTracer:
        """Adds an unknown input."""
        return self.staging.new_input(aval)

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        staging = self.staging
        for arg in args:
            if (
                isinstance(arg, staging_lib.DynamicJaxprTracer)
                and arg._trace is staging
            ):
                break
        else:
            token = state.enter(self.parent)
            try:
                return self.parent.process(primitive, args, params)
            finally:
                state.leave(token)
        rule = primitive.rules.get("partial_eval")
        if rule is not None:
            return rule(self, *args, **params)
        return staging.process(primitive, args, params)

    def known(self, fun: Callable[..., Any], *args: Any) -> Any:
        """Calls `fun` with the trace of what is known as the current one."""
        token = state.enter(self.parent)
        try:
            return fun(*args)
        finally:
            state.leave(token)

    def refuse_to_store(self, ref: references.Ref, value: Any) -> None:
        if self.is_unknown(value):
            references.refuse_value(ref, "differentiated")

    def finish(self) -> None:
        super().finish()
        self.staging.finish()


def partial_eval_jaxpr(
    closed: jaxpr_lib.ClosedJaxpr,
    unknown: Sequence[bool],
    instantiate: bool | Sequence[bool] = False,
) -> tuple[
    jaxpr_lib.ClosedJaxpr, jaxpr_lib.ClosedJaxpr, list[bool], list[avals.AbstractValue]
]:
    """Splits a program by which of its inputs are unknown.

    Args:
        closed: the program.
        unknown: for each input, whether it is unknown.
        instantiate: outputs that shall count as unknown in any case.

    Returns:
        The known program: from known inputs to known outputs and residuals; the
        unknown program: from residuals and unknown inputs to unknown outputs; for each
        output whether it is unknown; and the types of the residuals.
    """
    wanted = (
        tuple([instantiate] * len(closed.jaxpr.outvars))
        if isinstance(instantiate, bool)
        else tuple(instantiate)
    )
    key = ("partial_eval", tuple(unknown), wanted)
    return closed.derived(key, lambda: _split(closed, unknown, wanted))


def _split(closed, unknown, instantiate):
    found: dict[str, Any] = {}
    in_avals = closed.in_avals
    known_avals = [a for a, u in zip(in_avals, unknown, strict=True) if not u]

    def known_part(*known_args):
        trace = PartialTrace(state.current(), closed.debug_info)
        rest = iter(known_args)
        args = [
            trace.new_unknown(aval) if u else next(rest)
            for aval, u in zip(in_avals, unknown, strict=True)
        ]
        token = state.enter(trace)
        try:
            outs = evaluate.eval_closed(closed, *args)
        finally:
            state.leave(token)
        is_unknown = [
            trace.is_unknown(o) or forced
            for o, forced in zip(outs, instantiate, strict=True)
        ]
        late = [o for o, u in zip(outs, is_unknown, strict=True) if u]
        jaxpr, residuals = trace.staging.to_jaxpr(late)
        trace.finish()
        jaxpr, residuals = keep_used_consts(jaxpr, residuals)
        found.update(jaxpr=jaxpr, unknown=is_unknown)
        # Constants of the whole program need no detour through the known part.
        travel = [isinstance(r, trace_lib.Tracer) for r in residuals]
        stay = [r for r, t in zip(residuals, travel, strict=True) if not t]
        found.update(travel=travel, stay=stay)
        early = [o for o, u in zip(outs, is_unknown, strict=True) if not u]
        return early + [r for r, t in zip(residuals, travel, strict=True) if t]

    known = staging_lib.trace_to_closed(known_part, known_avals, closed.debug_info)
    jaxpr, travel = found["jaxpr"], found["travel"]
    moved = [v for v, t in zip(jaxpr.constvars, travel, strict=True) if t]
    kept = [v for v, t in zip(jaxpr.constvars, travel, strict=True) if not t]
    late = jaxpr_lib.ClosedJaxpr(
        jaxpr.replace(constvars=kept, invars=moved + jaxpr.invars), found["stay"]
    )
    return known, late, found["unknown"], [v.aval for v in moved]


def split_linear(
    closed: jaxpr_lib.ClosedJaxpr, linear: Sequence[bool]
) -> jaxpr_lib.ClosedJaxpr:
    """Splits every call in a jaxpr into a linear call and a nonlinear one.

    Args:
        closed: a program, linear in some inputs.
        linear: for each input, whether it is one of them.
    """
    if not any("partial_eval" in eqn.primitive.rules for eqn in closed.jaxpr.eqns):
        return closed

    def make():
        known, late, _, _ = partial_eval_jaxpr(closed, linear, instantiate=True)

        def run(*args: Any) -> list[Any]:
            pairs = list(zip(args, linear, strict=True))
            first = evaluate.eval_closed(known, *[a for a, lin in pairs if not lin])
            return evaluate.eval_closed(late, *first, *[a for a, lin in pairs if lin])

        return staging_lib.trace_to_closed(run, closed.in_avals, closed.debug_info)

    return closed.derived(("split_linear", tuple(linear)), make)


def keep_used_consts(
    jaxpr: jaxpr_lib.Jaxpr, consts: list[Any]
) -> tuple[jaxpr_lib.Jaxpr, list[Any]]:
    """Drops constants that no equation and no output uses."""
    used = {v for eqn in jaxpr.eqns for v in eqn.invars if isinstance(v, jaxpr_lib.Var)}
    used |= {v for v in jaxpr.outvars if isinstance(v, jaxpr_lib.Var)}
    pairs = [(v, c) for v, c in zip(jaxpr.constvars, consts, strict=True) if v in used]
    return jaxpr.replace(constvars=[v for v, _ in pairs]), [c for _, c in pairs]
