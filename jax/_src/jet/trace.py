"""The trace of `jet`: every value carries the terms of its series.

A term is the coefficient of a power of the time. A primitive has a rule in `jet_rules`, or
one that follows from its traits; for all others the derivatives of that one primitive are
taken one after another, at a cost that doubles with each order.
"""

import functools
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import Any

from jax._src.base import traceback_filter
from jax._src.core import avals, primitive as primitive_lib, state, trace as trace_lib
from jax._src.interpreters import ad
from jax._src.interpreters.ad import forward
from jax._src.jet import series as series_lib
from jax._src.jet.series import ZeroSeries, zero_series, zero_term

Rule = Callable[..., tuple[Any, Any]]


class JetTracer(trace_lib.Tracer):
    """A value and the terms of its series: those of the orders 1, 2, …"""

    __slots__ = ("primal", "terms")

    def __init__(self, trace: "JetTrace", primal: Any, terms: Any):
        super().__init__(trace, avals.get_aval(primal))
        self.primal = primal
        self.terms = terms

    def known_value(self) -> Any:
        primal = self.primal
        return primal.known_value() if isinstance(primal, trace_lib.Tracer) else primal

    def full_lower(self) -> Any:
        """The value alone where it does not move."""
        if isinstance(self.terms, ZeroSeries) or all(
            t is zero_term for t in self.terms
        ):
            return self.primal
        return self


class JetTrace(trace_lib.Trace):
    """Applies each primitive to values and, by its rule, to their series.

    Args:
        tag: by which the trace knows its values.
        parent_trace: the trace that computes the terms.
        order: how many terms a series has.
    """

    __slots__ = ("order", "tag")

    parent: trace_lib.Trace

    def __init__(self, tag: Any, parent_trace: trace_lib.Trace, order: int):
        super().__init__(parent_trace, "jet")
        self.tag = tag
        self.order = order

    @property
    def parent_trace(self) -> trace_lib.Trace:
        """The trace that computes the terms."""
        return self.parent

    def to_primal_terms_pair(self, val: Any) -> tuple[Any, Any]:
        """A value and its series; `zero_series` for a value of another trace."""
        if isinstance(val, JetTracer) and val._trace.tag is self.tag:
            return val.primal, val.terms
        return val, zero_series

    def join(self, primal: Any, terms: Any) -> Any:
        """The value with that series; the value alone where it does not move."""
        if terms is zero_series or not series_lib.can_move(primal):
            return primal
        return JetTracer(self, primal, list(terms))

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        pairs = [self.to_primal_terms_pair(arg) for arg in args]
        primals = [p for p, _ in pairs]
        run = _RUN_INSIDE.get(primitive.name)
        if run is not None:
            with state.tracing(self):
                return run(*args, **params)
        with state.tracing(self.parent):
            if all(terms is zero_series for _, terms in pairs):
                return self.parent.process(primitive, tuple(primals), params)
            rule = jet_rules.seeing_zeros(primitive)
            if rule is None:
                rule = rule_of(primitive)
                series = [series_lib.filled(p, terms, self.order) for p, terms in pairs]
            else:
                series = [terms for _, terms in pairs]
            out, terms = rule(primals, series, **params)
        if not primitive.multiple_results:
            return self.join(out, terms)
        if terms is zero_series:
            return list(out)
        return [self.join(o, t) for o, t in zip(out, terms, strict=True)]


# Primitives that call a function of the user's, whose backward rule says nothing here: the
# function itself is followed. By name; filled where the primitives are known.
_RUN_INSIDE: dict[str, Callable] = {}


def run_inside(primitive: primitive_lib.Primitive, run: Callable) -> None:
    """Says that the trace goes into a call: ``run(*args, **params)`` makes it."""
    _RUN_INSIDE[primitive.name] = run


class Rules(MutableMapping):
    """By primitive: ``rule(primals, series, **params)``, which returns a value and its terms.

    Lookup finds the rules that were set, and those that follow from the traits of a primitive.
    A series is the list of the terms of one operand. Rules return the results in the same form:
    for multiple results a list of values and a list of series.
    """

    def __init__(self) -> None:
        self._set: dict[primitive_lib.Primitive, Rule] = {}
        # Rules that take `zero_series` for operands that are constant, and save work.
        self._seeing: dict[primitive_lib.Primitive, Rule] = {}

    def set_seeing_zeros(self, primitive: primitive_lib.Primitive, rule: Rule) -> None:
        """Sets a rule that gets `zero_series` for operands that are constant."""
        self._set[primitive] = self._seeing[primitive] = rule

    def seeing_zeros(self, primitive: primitive_lib.Primitive) -> Rule | None:
        """The rule of a primitive if it is such a one."""
        if primitive in self._set:
            return self._seeing.get(primitive)
        if _traits_of(primitive) & primitive_lib.Trait.MULTILINEAR:
            return functools.partial(bilinear_prop, primitive)
        return None

    def __getitem__(self, primitive: primitive_lib.Primitive) -> Rule:
        found = self._set.get(primitive) or _by_traits(primitive)
        if found is None:
            raise KeyError(primitive)
        return found

    def __setitem__(self, primitive: primitive_lib.Primitive, rule: Rule) -> None:
        self._set[primitive] = rule
        self._seeing.pop(primitive, None)

    def __delitem__(self, primitive: primitive_lib.Primitive) -> None:
        del self._set[primitive]
        self._seeing.pop(primitive, None)

    def __contains__(self, primitive: object) -> bool:
        if not isinstance(primitive, primitive_lib.Primitive):
            return False
        return primitive in self._set or _by_traits(primitive) is not None

    def __iter__(self) -> Iterator[primitive_lib.Primitive]:
        declared = primitive_lib.declared_primitives().values()
        yield from dict.fromkeys((*self._set, *(p for p in declared if p in self)))

    def __len__(self) -> int:
        return sum(1 for _ in self)


jet_rules = Rules()
# primitive -> f(params, number of operands) -> params, for calls of libraries.
call_param_updaters: dict[primitive_lib.Primitive, Callable] = {}


def rule_of(primitive: primitive_lib.Primitive) -> Rule:
    """The rule of a primitive; where it has none, its derivatives one after another."""
    try:
        return jet_rules[primitive]
    except KeyError:
        return functools.partial(derivatives_prop, primitive)


def _traits_of(primitive: primitive_lib.Primitive) -> primitive_lib.Trait:
    # A derivative of its own says more than a trait.
    own = "jvp_all" in primitive.rules or "jvp" in primitive.rules
    return primitive_lib.Trait.NONE if own else primitive.traits


def _by_traits(primitive: primitive_lib.Primitive) -> Rule | None:
    traits = _traits_of(primitive)
    if traits & primitive_lib.Trait.NOT_DIFFERENTIABLE:
        return functools.partial(zero_prop, primitive)
    if traits & primitive_lib.Trait.LINEAR:
        return functools.partial(linear_prop, primitive)
    if traits & primitive_lib.Trait.MULTILINEAR:
        return functools.partial(bilinear_prop, primitive)
    return None


def zero_prop(
    prim: primitive_lib.Primitive,
    primals_in: Sequence[Any],
    series_in: Any,
    **params: Any,
) -> tuple[Any, Any]:
    """The rule of a primitive whose results do not move."""
    return prim.bind(*primals_in, **params), zero_series


def linear_prop(
    prim: primitive_lib.Primitive,
    primals_in: Sequence[Any],
    series_in: Any,
    **params: Any,
) -> tuple[Any, Any]:
    """The rule of a primitive that is linear in all operands together."""
    out = prim.bind(*primals_in, **params)
    terms = [prim.bind(*given, **params) for given in zip(*series_in, strict=True)]
    return out, series_lib.by_result(prim, terms)


def bilinear_prop(
    prim: primitive_lib.Primitive,
    primals_in: Sequence[Any],
    series_in: Any,
    **params: Any,
) -> tuple[Any, Any]:
    """The rule of a primitive that is linear in each of two operands."""
    order = next(len(t) for t in series_in if t is not zero_series)
    if len(primals_in) != 2 or prim.multiple_results:
        filled = [
            series_lib.filled(p, t, order)
            for p, t in zip(primals_in, series_in, strict=True)
        ]
        return derivatives_prop(prim, primals_in, filled, **params)
    apply = functools.partial(prim.bind, **params)
    (left, right), (lefts, rights) = primals_in, series_in
    if rights is zero_series:
        return apply(left, right), [apply(term, right) for term in lefts]
    if lefts is zero_series:
        return apply(left, right), [apply(left, term) for term in rights]
    u, w = [left, *lefts], [right, *rights]
    first, *rest = [series_lib.convolved(u, w, k, apply) for k in range(order + 1)]
    return first, rest


def pointwise_prop(
    prim: primitive_lib.Primitive,
    primals_in: Sequence[Any],
    series_in: Any,
    **params: Any,
) -> tuple[Any, Any]:
    """The rule of a primitive that is linear near each point, in what can move.

    Such are a maximum, a choice, and what takes elements by indices that are constant.
    """
    moving = series_lib.moving(primals_in)

    def tangents_of(terms):
        given = [
            t if is_moving else ad.zero_tangent(p)
            for p, t, is_moving in zip(primals_in, terms, moving, strict=True)
        ]
        rule = prim.resolved.get("jvp") or forward.resolve_jvp(prim)
        return rule(tuple(primals_in), tuple(given), **params)

    out, found = None, []
    for terms in zip(*series_in, strict=True):
        out, tangents = tangents_of(terms)
        many = tangents if prim.multiple_results else [tangents]
        many = [ad.instantiate_zeros(t) for t in many]
        found.append(many if prim.multiple_results else many[0])
    return out, series_lib.by_result(prim, found)


def derivatives_prop(
    prim: primitive_lib.Primitive,
    primals_in: Sequence[Any],
    series_in: Any,
    **params: Any,
) -> tuple[Any, Any]:
    """The rule of any primitive that can be differentiated, from its derivatives alone."""
    moving = series_lib.moving(primals_in)

    def along(time):
        moved = [
            series_lib.at_time(p, terms, time) if is_moving else p
            for p, terms, is_moving in zip(primals_in, series_in, moving, strict=True)
        ]
        out = prim.bind(*moved, **params)
        return list(out) if prim.multiple_results else [out]

    found = series_lib.derivatives(along, len(series_in[0]))
    values, *slopes = found
    series = [
        [series_lib.scaled_down(d[i], k) for k, d in enumerate(slopes, 1)]
        if series_lib.can_move(value)
        else zero_series
        for i, value in enumerate(values)
    ]
    if prim.multiple_results:
        return values, series
    return values[0], series[0]


def defzero(prim: primitive_lib.Primitive) -> None:
    """Says that the results of a primitive do not move, whatever its operands do."""
    jet_rules[prim] = functools.partial(zero_prop, prim)


def deflinear(prim: primitive_lib.Primitive) -> None:
    """Says that a primitive is linear in all operands together."""
    jet_rules[prim] = functools.partial(linear_prop, prim)


def defpointwise(prim: primitive_lib.Primitive) -> None:
    """Says that a primitive is linear near each point."""
    jet_rules[prim] = functools.partial(pointwise_prop, prim)


traceback_filter.hide_frames(globals())
