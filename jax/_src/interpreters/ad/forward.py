"""Forward-mode differentiation: every value carries its tangent."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.core import (
    avals,
    concrete,
    primitive as primitive_lib,
    state,
    trace as trace_lib,
    wide_values,
)
from jax._src.interpreters.ad import zeros
from jax._src.interpreters.partial_eval import unknown_tracers

Zero = zeros.Zero


class JVPTracer(trace_lib.Tracer):
    """A value and its tangent, which is never a symbolic zero."""

    __slots__ = ("primal", "tangent")
    carries_tangent = True

    _trace: "JVPTrace"

    def __init__(self, trace: "JVPTrace", primal: Any, tangent: Any):
        self._trace = trace
        self.aval = avals.get_aval(primal)
        self.primal = primal
        self.tangent = tangent

    def known_value(self) -> Any:
        primal = self.primal
        return primal.known_value() if isinstance(primal, trace_lib.Tracer) else primal

    def origin(self) -> concrete.Origin:
        if isinstance(self.primal, trace_lib.Tracer):
            return self.primal.origin()
        return concrete.Origin(trace=self._trace.description)

    def __repr__(self) -> str:
        if isinstance(self.tangent, unknown_tracers.JaxprTracer):
            tangent = avals.get_aval(self.tangent).str_short(short_dtypes=True)
            return f"GradTracer(primal={self.primal}, typeof(tangent)={tangent})"
        return f"JVPTracer(primal={self.primal}, tangent={self.tangent})"


def with_primal(x: Any, change: Callable[[Any], Any]) -> Any:
    """Replaces the innermost primal of a value by `change` of it, which keeps its type."""
    if not isinstance(x, JVPTracer) or not x._trace.is_alive:
        return change(x)
    primal = with_primal(x.primal, change)
    return x if primal is x.primal else JVPTracer(x._trace, primal, x.tangent)


class JVPTrace(trace_lib.Trace):
    """Applies each primitive to values and, by its rule, to their tangents."""

    __slots__ = ()

    def __init__(self, parent_trace: trace_lib.Trace | None, tag: str):
        super().__init__(parent_trace, tag)

    def split(self, x: Any) -> tuple[Any, Any]:
        """A value as primal and tangent."""
        if isinstance(x, JVPTracer) and x._trace is self:
            return x.primal, x.tangent
        return x, Zero(avals.get_aval(x).to_tangent_aval())

    def _type_of(self, x: Any) -> Any:
        """The type of a value of this trace, which a number had when it began."""
        return x.aval if isinstance(x, JVPTracer) and x._trace is self else None

    def join(self, primal: Any, tangent: Any) -> Any:
        """The value with that tangent; the primal itself where it is zero."""
        return primal if type(tangent) is Zero else JVPTracer(self, primal, tangent)

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        pairs = [self.split(arg) for arg in args]
        primals = tuple([p for p, _ in pairs])
        if wide_values.begun:
            primals = wide_values.as_typed(primals, [self._type_of(x) for x in args])
        token = state.enter(self.parent)
        try:
            for _, tangent in pairs:
                if type(tangent) is not Zero:
                    break
            else:
                return self.parent.process(primitive, primals, params)  # type: ignore[union-attr]
            rule = primitive.resolved.get("jvp") or resolve_jvp(primitive)
            tangents = tuple([t for _, t in pairs])
            if wide_values.begun and wide_values.are_among(primals):
                rule = _with_64_bits(primitive, rule)
            out, tangent = rule(primals, tangents, **params)
        finally:
            state.leave(token)
        if primitive.multiple_results:
            return [self.join(p, t) for p, t in zip(out, tangent, strict=True)]
        return self.join(out, tangent)


JvpFunction = Callable[..., tuple[Any, Any]]


def _with_64_bits(primitive, rule):
    """A rule for operands of 64 bits where the setting does not allow them."""

    def jvp(primals, tangents, **params):
        with wide_values.allowed():
            settled = tuple(wide_values.settled(primals))
            out, tangent = rule(settled, tangents, **params)
            if primitive.multiple_results:
                return wide_values.kept(out), wide_values.kept(tangent)
            return wide_values.kept([out])[0], wide_values.kept([tangent])[0]

    return jvp


def resolve_jvp(primitive: primitive_lib.Primitive) -> JvpFunction:
    """The function ``(primals, tangents, **params) -> (out, tangent)`` of a primitive.

    Raises:
        NotImplementedError: it has no derivative, or its rule is missing.
    """
    made = _make_jvp(primitive)
    primitive.resolved["jvp"] = made
    return made


def _make_jvp(primitive):
    whole = primitive.rules.get("jvp_all")
    if callable(whole):
        return whole
    per_operand = primitive.rules.get("jvp")
    if isinstance(per_operand, tuple | list):
        return _jvp_by_operand(primitive, tuple(per_operand))
    if callable(per_operand):
        return _jvp_by_operand(primitive, (per_operand,))
    if per_operand is None and whole is None:
        if primitive.traits & primitive_lib.Trait.NOT_DIFFERENTIABLE:
            return _jvp_zero(primitive)
        if primitive.traits & primitive_lib.Trait.LINEAR:
            return _jvp_linear(primitive)
        if primitive.traits & primitive_lib.Trait.MULTILINEAR:
            return _jvp_multilinear(primitive)
    kind = (
        "jvp" if per_operand is not None else "jvp_all" if whole is not None else "jvp"
    )
    raise primitive_lib.missing_rule(primitive, kind, "Differentiation")


def zero_tangent(out: Any) -> Zero:
    """The symbolic zero tangent of a value."""
    return Zero(avals.get_aval(out).to_tangent_aval())


def _zero_tangents(primitive, out):
    if primitive.multiple_results:
        return [zero_tangent(o) for o in out]
    return zero_tangent(out)


def _add(primitive, x, y):
    if y is None:
        return x
    if primitive.multiple_results:
        return [zeros.add_tangents(a, b) for a, b in zip(x, y, strict=True)]
    return zeros.add_tangents(x, y)


def _jvp_by_operand(primitive, rules):
    wants_out = tuple(
        callable(rule) and primitive_lib.wants_out(rule) for rule in rules
    )

    def jvp(primals, tangents, **params):
        out = primitive.bind(*primals, **params)
        total = None
        for index, tangent in enumerate(tangents):
            if type(tangent) is Zero:
                continue
            rule = rules[index] if index < len(rules) else None
            if rule is None:
                continue
            if isinstance(rule, primitive_lib.Unsupported):
                raise rule.kind(
                    f"{primitive.name!r} is not differentiable in operand {index}: "
                    f"{rule.reason}."
                )
            more = {"out": out} if wants_out[index] else {}
            term = rule(tangent, *primals, **more, **params)
            total = term if total is None else _add(primitive, total, term)
        return out, _zero_tangents(primitive, out) if total is None else total

    return jvp


def _jvp_zero(primitive):
    def jvp(primals, tangents, **params):
        out = primitive.bind(*primals, **params)
        return out, _zero_tangents(primitive, out)

    return jvp


def _jvp_linear(primitive):
    def jvp(primals, tangents, **params):
        out = primitive.bind(*primals, **params)
        filled = [zeros.instantiate_zeros(t) for t in tangents]
        return out, primitive.bind(*filled, **params)

    return jvp


def _jvp_multilinear(primitive):
    def jvp(primals, tangents, **params):
        out = primitive.bind(*primals, **params)
        total = None
        for index, tangent in enumerate(tangents):
            if type(tangent) is not Zero:
                args = (*primals[:index], tangent, *primals[index + 1 :])
                term = primitive.bind(*args, **params)
                total = term if total is None else _add(primitive, total, term)
        return out, total

    return jvp


def jvp(
    fun: Callable[..., Sequence[Any]], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """Values and tangents of a function from values to a sequence of values.

    Args:
        fun: the function.
        primals: its arguments.
        tangents: their tangents, some of which may be `Zero`.

    Returns:
        The results, and their tangents, some of which may be `Zero`.
    """
    trace = JVPTrace(state.current(), "jvp")
    inputs = [trace.join(p, t) for p, t in zip(primals, tangents, strict=True)]
    token = state.enter(trace)
    try:
        outs = fun(*inputs)
    finally:
        state.leave(token)
    pairs = [trace.split(out) for out in outs]
    trace.finish()
    return [p for p, _ in pairs], [t for _, t in pairs]
