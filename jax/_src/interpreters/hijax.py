"""Programs over types above arrays, said in terms of arrays.

Such types and the primitives on them are of libraries (`jax.experimental.hijax`). A value
is evaluated and traced as it is; what is compiled takes the arrays of which it is made.
"""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import util
from jax._src.core import (
    avals as avals_lib,
    evaluate,
    jaxpr,
    primitive as primitive_lib,
    state,
    trace,
)
from jax._src.interpreters import partial_eval as pe

# Whether a type above arrays, or a primitive on them, was ever made.
seen = util.Seen()


def has_high(values: Sequence[Any]) -> bool:
    """Whether one of these values is above arrays."""
    return any(avals_lib.get_aval(x).is_high for x in values)


def is_high_program(closed: jaxpr.ClosedJaxpr) -> bool:
    """Whether values above arrays occur in a program, or in one that it calls."""
    return seen.yes and closed.derived(("is high",), lambda: closed.is_high)


def is_high(
    primitive: primitive_lib.Primitive, args: Sequence[Any], params: dict
) -> bool:
    """Whether an operation has values above arrays as operands or results, or inside."""
    if not seen.yes:
        return False
    if has_high(args) or any(j.is_high for j in jaxpr.jaxprs_in_params(params)):
        return True
    return primitive.is_high(*[avals_lib.get_aval(x) for x in args], **params)


def lo_avals(avals: Sequence[Any]) -> list[Any]:
    """The types of the arrays of which values of these types are made."""
    return [low for a in avals for low in (a.lo_ty() if a.is_high else (a,))]


def counts(avals: Sequence[Any]) -> list[int]:
    """Returns the number of arrays that a value of each type is made of."""
    return [len(a.lo_ty()) if a.is_high else 1 for a in avals]


def lower_values(avals: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """The arrays of which the values are made."""
    lows: list[Any] = []
    for aval, value in zip(avals, values, strict=True):
        lows += aval.lower_val(value) if aval.is_high else [value]
    return lows


def raise_values(avals: Sequence[Any], lows: Sequence[Any]) -> list[Any]:
    """The values that are made of these arrays."""
    rest = iter(lows)
    return [
        aval.raise_val(*(next(rest) for _ in aval.lo_ty()))
        if aval.is_high
        else next(rest)
        for aval in avals
    ]


def repeated(entries: Sequence[Any], numbers: Sequence[int]) -> tuple[Any, ...]:
    """Each entry as often as a number says."""
    return tuple(
        entry
        for entry, number in zip(entries, numbers, strict=True)
        for _ in range(number)
    )


class LoweringTrace(trace.Trace):
    """Evaluates operations on hi-type values in terms of their arrays; its parent does the rest."""

    __slots__ = ()

    parent: trace.Trace

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        if is_high(primitive, args, params):
            return evaluate_high(primitive, args, params)
        token = state.enter(self.parent)
        try:
            return self.parent.process(primitive, args, params)
        finally:
            state.leave(token)


def evaluate_high(
    primitive: primitive_lib.Primitive, args: Sequence[Any], params: dict
) -> Any:
    """Applies an operation on values above arrays by operations on arrays."""
    low = primitive.rules.get("low")
    if low is None:
        run = primitive.rules.get("impl") or primitive.require(
            "decompose", "Evaluation of values above arrays"
        )
        return run(*args, **params)
    avals = [avals_lib.get_aval(x) for x in args]
    out_avals, _ = primitive.infer(avals, params)
    lows = lower_values(avals, args)
    outs = primitive.bind(*lows, **low(avals, out_avals, **params))
    return raise_values(out_avals, outs)


def lowered(closed: jaxpr.ClosedJaxpr) -> jaxpr.ClosedJaxpr:
    """The program of the arrays of which the inputs and results of another one are made."""
    if not is_high_program(closed):
        return closed

    def make():
        types = lo_avals(closed.in_avals)
        return pe.trace_to_closed(lowered_function(closed), types, closed.debug_info)

    return closed.derived(("low",), make)


def lowered_function(closed: jaxpr.ClosedJaxpr) -> Callable[..., list[Any]]:
    """A program as a function of the arrays of which its inputs are made."""

    def of_arrays(*lows):
        with state.tracing(LoweringTrace(state.current(), "lowering")):
            outs = evaluate.eval_closed(closed, *raise_values(closed.in_avals, lows))
            return lower_values(closed.out_avals, outs)

    return of_arrays
