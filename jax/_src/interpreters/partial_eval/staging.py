"""Tracing a Python function to a program."""

import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, options, source
from jax._src.core import (
    avals as avals_lib,
    concrete,
    conversions,
    effects as effects_lib,
    evaluate,
    jaxpr as jaxpr_lib,
    mesh_usage,
    mutable_types,
    primitive as primitive_lib,
    reference_links,
    references,
    sharding_rules,
    slots,
    state,
    trace as trace_lib,
    vma,
)
from jax._src.core.symbols import expressions

_capture = source.capture
_scopes = state.scopes
_no_names = jaxpr_lib.no_names


class DynamicJaxprTracer(trace_lib.Tracer):
    """The value of a variable of the program being built."""

    __slots__ = ("atom", "eqn")

    _trace: "StagingTrace"
    # Any: a variable, except for scalar constants.
    atom: Any
    # The equation that made it.
    eqn: jaxpr_lib.JaxprEqn | None

    def __init__(
        self,
        trace: "StagingTrace",
        aval: avals_lib.AbstractValue,
        val: jaxpr_lib.Atom,
        line_info: Any = None,
        parent: jaxpr_lib.JaxprEqn | None = None,
    ):
        self._trace = trace
        self.aval = aval
        self.atom = val
        # It knows its line.
        self.eqn = parent

    @property
    def val(self) -> jaxpr_lib.Atom:
        """The variable, or the literal, that stands for the value in the program."""
        return self.atom

    @property
    def parent(self) -> jaxpr_lib.JaxprEqn | None:
        """The equation that made the value; None for an input or a constant."""
        return self.eqn

    def origin(self) -> concrete.Origin:
        return self._trace.origin_of(self)

    def __repr__(self) -> str:
        return f"JitTracer({self.aval})"


class HeldObject(DynamicJaxprTracer):
    """Stands for a value that changes among the operands of an operation on it."""

    __slots__ = ("value",)

    def __init__(self, trace: Any, aval: Any, value: Any):
        no_variable: Any = None
        super().__init__(trace, aval, no_variable)
        self.value = value

    @property
    def atom(self) -> Any:
        raise errors.type_error(
            "A value that changes was returned, or given to an operation that does not "
            "know it.",
            [("value", self.aval.str_short())],
            "Programs hold the arrays of its state, and not the value itself.",
            "Return what it holds, or use it as an argument or from outside.",
        )

    @atom.setter
    def atom(self, _: Any) -> None:
        pass


class _OuterReference:
    """A reference of an outer trace: its value as an input here, and its value by now."""

    __slots__ = ("current", "first", "ref")

    def __init__(
        self,
        ref: references.Ref,
        first: DynamicJaxprTracer,
        current: DynamicJaxprTracer,
    ):
        self.ref = ref
        self.first = first
        self.current = current


class StagingTrace(trace_lib.Trace):
    """Records every primitive as an equation.

    Values of other traces and arrays become constants, scalars become literals.
    """

    __slots__ = (
        "base",
        "below",
        "const_tracers",
        "constvars",
        "debug",
        "effects",
        "eqns",
        "invars",
        "objects",
        "outer_references",
        "scopes_outside",
        "started",
        "tracer",
    )

    def __init__(
        self,
        parent: trace_lib.Trace | None,
        debug: jaxpr_lib.DebugInfo,
        callers: int = 1,
    ):
        super().__init__(parent)
        self.debug = debug
        # What makes its values.
        self.tracer: Callable[..., DynamicJaxprTracer] = DynamicJaxprTracer
        self.started = _capture(1 + callers)
        # The function that traces: it stays on the stack as long as the trace runs.
        # Frames from there on are those of `started`, not walked for each equation.
        self.base: Any = sys._getframe(callers)
        self.below = self.started.codes
        self.eqns: list[jaxpr_lib.JaxprEqn] = []
        self.invars: list[jaxpr_lib.Var] = []
        # Constants by identity: id -> (value, tracer). The value is kept alive by it.
        self.const_tracers: dict[int, tuple[Any, DynamicJaxprTracer]] = {}
        self.constvars: list[jaxpr_lib.Var] = []
        self.effects: set[effects_lib.Effect] = set()
        # References of outer traces by identity: id -> what is known of them here.
        self.outer_references: dict[int, _OuterReference] = {}
        # Values of libraries that change, which it uses.
        self.objects: mutable_types.Uses | None = None
        # Of the scopes of an equation, how many belong to whoever runs the program.
        self.scopes_outside = 0

    def new_input(self, aval: avals_lib.AbstractValue) -> DynamicJaxprTracer:
        """Adds an input of the program."""
        var = jaxpr_lib.Var(aval)
        self.invars.append(var)
        return self.tracer(self, aval, var)

    def lift(self, value: Any) -> Any:
        """Any value as a value of this trace.

        Raises:
            TypeError: it is not a value.
            UnexpectedTracerError: it belongs to a trace that has ended.
        """
        if isinstance(value, trace_lib.Tracer):
            if value._trace is self:
                return value
            if not value._trace.is_alive:
                raise concrete.escaped_error(value, "an operation")
            aval = value.aval
        else:
            references.refuse_operand(value)
            if expressions.is_dimension(value):
                return slots.stage_dimension(self, value)
            aval = avals_lib.get_aval(value)
            if (
                type(aval) is avals_lib.ShapedArray
                and aval.shape == ()
                and isinstance(aval.dtype, np.dtype)
            ):
                if not isinstance(value, np.ndarray | np.generic) or (
                    value.dtype == aval.dtype
                ):
                    plain = conversions.plain(value)
                    return self.tracer(self, aval, jaxpr_lib.Literal(plain, aval))
                value = np.asarray(value).astype(aval.dtype)[()]
                return self.tracer(self, aval, jaxpr_lib.Literal(value, aval))
        return self._constant(value, aval)

    def _constant(self, value, aval):
        known = self.const_tracers.get(id(value))
        if known is not None:
            return known[1]
        if aval.is_placed:
            aval = sharding_rules.seen_inside(aval)
        elif aval.has_qdd:
            return HeldObject(self, aval, value)
        var = jaxpr_lib.Var(aval)
        tracer = self.tracer(self, aval, var)
        self.constvars.append(var)
        self.const_tracers[id(value)] = (value, tracer)
        return tracer

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        lift = self.lift
        tracers = [
            a if isinstance(a, DynamicJaxprTracer) and a._trace is self else lift(a)
            for a in args
        ]
        stage = primitive.rules.get("stage")
        if stage is not None:
            return stage(self, tracers, params)
        fold = primitive.rules.get("fold")
        if fold is not None:
            folded = self._fold(primitive, fold, tracers, params)
            if folded is not None:
                return folded
        return self.add_equation(primitive, tracers, params)

    def _fold(self, primitive, fold, tracers, params):
        """The literal result of an operation on literals, or None."""
        for tracer in tracers:
            if type(tracer.atom) is not jaxpr_lib.Literal:
                return None
        value = fold(*[t.atom.val for t in tracers], **params)
        if value is None:
            return None
        aval, _ = primitive.infer([t.aval for t in tracers], params)
        # Literals vary along no mesh axis, and so does what is made of them.
        return self.tracer(self, aval, jaxpr_lib.Literal(value, aval))

    def add_equation(
        self,
        primitive: primitive_lib.Primitive,
        tracers: Sequence[DynamicJaxprTracer],
        params: dict,
    ) -> Any:
        """Records one equation; returns its value, or its list of values."""
        avals = [t.aval for t in tracers]
        rules = primitive.rules
        types = rules.get("types")
        if mesh_usage.is_used:
            out_avals, effects = sharding_rules.infer(primitive, avals, params)
            if effects:
                effects = frozenset(effects)
                self.effects |= effects
        elif types is not None and "effects" not in rules:
            out_avals = types(*avals, **params)
            effects = effects_lib.no_effects
        else:
            out_avals, effects = primitive.infer(avals, params)
            if effects:
                effects = frozenset(effects)
                self.effects |= effects
        if self.tracks:
            out_avals = vma.typed(primitive, avals, params, out_avals)
        names = _scopes()[self.scopes_outside :]
        many = primitive.multiple_results
        if isinstance(out_avals, (list, tuple)) is not bool(many):
            raise ValueError(
                f"{primitive.name}.abstract_eval() method should return a tuple or a list "
                f"iff {primitive.name}.multiple_results."
            )
        outvars = [jaxpr_lib.Var(a) for a in (out_avals if many else (out_avals,))]
        eqn = jaxpr_lib.JaxprEqn(
            [t.atom for t in tracers],
            outvars,
            primitive,
            params,
            effects,
            _capture(3, self.base, self.below),
            jaxpr_lib.NameStack(names) if names else _no_names,
        )
        self.eqns.append(eqn)
        if not many:
            return self.tracer(self, out_avals, outvars[0], None, eqn)
        return [self.tracer(self, v.aval, v, None, eqn) for v in outvars]

    def read_reference(self, ref: references.Ref) -> Any:
        return ref.held if ref.home is self else self._outer(ref).current

    def write_reference(self, ref: references.Ref, value: Any) -> None:
        if ref.home is self:
            ref.held = value
        else:
            self._outer(ref).current = self.lift(value)

    def _outer(self, ref):
        known = self.outer_references.get(id(ref))
        if known is None:
            trace = self.parent
            while trace is not ref.home:
                if trace is None:
                    raise references.unreachable(ref)
                trace = trace.parent
            self.first_of(ref)
            known = self.outer_references[id(ref)]
        return known

    def first_of(self, ref: references.Ref) -> DynamicJaxprTracer:
        """Makes an input of a reference of an outer trace."""
        aval = ref.aval.inner_aval
        first = self.tracer(self, aval, jaxpr_lib.Var(aval))
        self.outer_references[id(ref)] = _OuterReference(ref, first, first)
        return first

    def uses_of_objects(self) -> mutable_types.Uses:
        if self.objects is None:
            self.objects = mutable_types.Uses()
        return self.objects

    def end_references(self) -> tuple[list[references.Ref], list[bool], list[Any]]:
        """Makes inputs of the references of outer traces that were used.

        Returns:
            The references, which of them were written, and the last values of these.
        """
        if self.objects is not None:
            for ref, value in self.objects.leave():
                if id(ref) not in self.outer_references:
                    self.first_of(ref)
                self.outer_references[id(ref)].current = self.lift(value)
        found = self.outer_references.values()
        self.invars += [known.first.atom for known in found]
        is_written = [known.current is not known.first for known in found]
        last = [known.current for known in found if known.current is not known.first]
        return [known.ref for known in found], is_written, last

    def finish(self) -> None:
        super().finish()
        self.base = None
        # They know the trace, and would keep it and the constants until garbage is collected.
        self.const_tracers = {}
        self.outer_references = {}
        if self.objects is not None:
            self.objects.restore()

    def consts(self) -> list[Any]:
        """The values of the constant variables."""
        return [value for value, _ in self.const_tracers.values()]

    def to_jaxpr(self, outs: Sequence[Any]) -> tuple[jaxpr_lib.Jaxpr, list[Any]]:
        """Ends the program with these results; returns it and its constants."""
        outvars = [self.lift(out).atom for out in outs]
        eqns = self.eqns
        jaxpr = jaxpr_lib.Jaxpr(
            self.constvars,
            self.invars,
            outvars,
            eqns,
            frozenset(self.effects),
            self.debug,
        )
        used = drop_unused_names(jaxpr)
        consts = self.consts()
        # A program that was inlined may ignore an argument that is a constant here.
        if not used.issuperset(self.constvars):
            pairs = [
                p for p in zip(self.constvars, consts, strict=True) if p[0] in used
            ]
            jaxpr = jaxpr.replace(constvars=[v for v, _ in pairs])
            consts = [c for _, c in pairs]
        self.finish()
        return jaxpr, consts

    def origin_of(self, tracer: DynamicJaxprTracer) -> concrete.Origin:
        """Where a value of this trace comes from, for messages."""
        made_by: dict[jaxpr_lib.Atom, jaxpr_lib.JaxprEqn] = {
            var: eqn for eqn in self.eqns for var in eqn.outvars
        }
        numbers = {var: i for i, var in enumerate(self.invars)}
        inputs: set[int] = set()
        stack, seen = [tracer.atom], set()
        eqn = tracer.eqn
        if eqn is not None:
            stack.extend(eqn.invars)
        while stack:
            atom = stack.pop()
            if isinstance(atom, jaxpr_lib.Literal) or atom in seen:
                continue
            seen.add(atom)
            if atom in numbers:
                inputs.add(numbers[atom])
            elif atom in made_by:
                stack.extend(made_by[atom].invars)
        debug = self.debug
        started = f", started at {self.started}" if self.started.codes else ""
        return concrete.Origin(
            trace=f"{debug.traced_for} of `{debug.func_name}`{started}",
            made_by=eqn.primitive.name if eqn is not None else "",
            location=eqn.location if eqn is not None else source.UNKNOWN,
            depends_on=[input_name(debug, i) for i in sorted(inputs)],
            function=debug.func_name,
            defined=debug.func_src_info,
        )


def input_name(debug: jaxpr_lib.DebugInfo, index: int) -> str:
    """The name of an input of a traced function."""
    names = debug.arg_names
    name = names[index] if names is not None and index < len(names) else None
    return name or f"argument {index}"


def drop_unused_names(jaxpr: jaxpr_lib.Jaxpr) -> set[jaxpr_lib.Var]:
    """Makes results that are never used `DropVar`s; for a program just built.

    Returns:
        The variables that are used.
    """
    used = {v for v in jaxpr.outvars if isinstance(v, jaxpr_lib.Var)}
    for eqn in jaxpr.eqns:
        for atom in eqn.invars:
            if isinstance(atom, jaxpr_lib.Var):
                used.add(atom)
    for eqn in jaxpr.eqns:
        for index, var in enumerate(eqn.outvars):
            if var not in used:
                eqn.outvars[index] = jaxpr_lib.DropVar(var.aval)
    return used


def trace_to_jaxpr(
    fun: Callable[..., Sequence[Any]],
    in_avals: Sequence[avals_lib.AbstractValue],
    debug: jaxpr_lib.DebugInfo = jaxpr_lib.no_debug_info,
) -> tuple[jaxpr_lib.Jaxpr, list[Any]]:
    """Traces a function of values that returns a sequence of values.

    Returns:
        The program, and the values of its constant variables, which may be values of
        the trace that was current.

    Raises:
        NotImplementedError: the function uses references from outside.
    """
    jaxpr, consts, links = trace_with_references(fun, in_avals, debug)
    if links:
        reference_links.refuse_links(links, debug.traced_for or "an operation")
    return jaxpr, consts


def trace_with_references(
    fun: Callable[..., Sequence[Any]],
    in_avals: Sequence[avals_lib.AbstractValue],
    debug: jaxpr_lib.DebugInfo = jaxpr_lib.no_debug_info,
) -> tuple[jaxpr_lib.Jaxpr, list[Any], reference_links.Links]:
    """Like `trace_to_jaxpr`, of a function that may use references from outside.

    Where a type is `AbstractRef`, the function gets a reference, and the program has an
    array as input. See `Links` for its further inputs and outputs.
    """
    if options.no_tracing.value:
        raise errors.runtime_error(
            "A function was traced while jax_no_tracing is on.",
            [("function", debug.func_src_info)],
        )
    trace = StagingTrace(state.current(), debug)
    token = state.enter(trace)
    # Names are those inside the program: who calls it adds its own.
    scopes = state.replace_scopes(state.annotations_of(state.scopes()))
    try:
        if references.AbstractRef in map(type, in_avals):
            inputs = [
                trace.new_input(aval) for aval in references.array_avals(in_avals)
            ]
            outs, links = _call_with_references(fun, trace, inputs, in_avals)
        else:
            inputs = [trace.new_input(aval) for aval in in_avals]
            outs, links = _call(fun, trace, inputs)
        jaxpr, consts = trace.to_jaxpr(outs)
    finally:
        state.leave_scopes(scopes)
        state.leave(token)
        trace.finish()
    if options.check_tracer_leaks.value:
        watched = weakref.ref(trace)
        del trace, inputs, outs
        trace_lib.check_leaks(watched, f"{debug.traced_for} of `{debug.func_name}`")
    if options.enable_checks.value:
        evaluate.check_new_jaxpr(jaxpr)
    return jaxpr, consts, links


def _call_with_references(fun, trace, inputs, in_avals):
    """Calls a function; its results, those for references, and how these take part."""
    arguments = reference_links.Arguments(inputs, in_avals)
    outs = fun(*arguments.among(inputs))
    indices, changed = arguments.finish()
    captured, is_written, last = trace.end_references()
    links = reference_links.Links(
        arguments.indices, indices, tuple(captured), tuple(is_written)
    )
    return [*outs, *changed, *last], links


def _call(fun, trace, inputs):
    """Calls a function of arrays with tracers for `inputs` while `trace` is current."""
    outs = fun(*inputs)
    if not trace.outer_references and trace.objects is None:
        return outs, _NO_LINKS
    captured, is_written, last = trace.end_references()
    links = reference_links.Links(
        captured=tuple(captured), is_written=tuple(is_written)
    )
    return [*outs, *last], links


_NO_LINKS = reference_links.Links()


def trace_to_closed(
    fun: Callable[..., Sequence[Any]],
    in_avals: Sequence[avals_lib.AbstractValue],
    debug: jaxpr_lib.DebugInfo = jaxpr_lib.no_debug_info,
) -> jaxpr_lib.ClosedJaxpr:
    """Like `trace_to_jaxpr`, as one closed program."""
    jaxpr, consts = trace_to_jaxpr(fun, in_avals, debug)
    return jaxpr_lib.ClosedJaxpr(jaxpr, consts)


def consts_to_inputs(jaxpr: jaxpr_lib.Jaxpr) -> jaxpr_lib.Jaxpr:
    """Turns the constant variables of a jaxpr into its first inputs."""
    if not jaxpr.constvars:
        return jaxpr
    return jaxpr.replace(constvars=[], invars=jaxpr.constvars + jaxpr.invars)


def split_traced_consts(
    closed: jaxpr_lib.ClosedJaxpr,
) -> tuple[jaxpr_lib.ClosedJaxpr, list[Any]]:
    """Moves constants that are traced values to the front of the inputs; returns them."""
    traced = [isinstance(c, trace_lib.Tracer) for c in closed.consts]
    if not any(traced):
        return closed, []
    jaxpr = closed.jaxpr
    pairs = list(zip(traced, jaxpr.constvars, closed.consts, strict=True))
    moved = [(v, c) for t, v, c in pairs if t]
    kept = [(v, c) for t, v, c in pairs if not t]
    changed = jaxpr.replace(
        constvars=[v for v, _ in kept], invars=[v for v, _ in moved] + jaxpr.invars
    )
    return jaxpr_lib.ClosedJaxpr(changed, [c for _, c in kept]), [c for _, c in moved]
