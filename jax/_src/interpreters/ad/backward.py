"""Reverse mode: linearise, then run the linear program backwards."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors, source
from jax._src.core import (
    avals,
    equation_mesh,
    evaluate,
    jaxpr as jaxpr_lib,
    primitive as primitive_lib,
    slots,
    state,
    wide_values,
)
from jax._src.interpreters.ad import forward, zeros
from jax._src.interpreters.partial_eval import (
    dce,
    partial_trace,
    staging as staging_lib,
)

Zero = zeros.Zero

# What runs backwards says so among the scopes of its operations.
TRANSPOSE = state.Transform("transpose")


class Linearized:
    """A linear program: from tangents of the inputs to those of the results."""

    __slots__ = (
        "consts",
        "in_avals",
        "is_linear_input",
        "jaxpr",
        "out_avals",
        "out_is_zero",
    )

    def __init__(
        self, jaxpr, consts, in_avals, is_linear_input, out_avals, out_is_zero
    ):
        # Its inputs are the tangents that can be non-zero, its outputs likewise.
        self.jaxpr: jaxpr_lib.Jaxpr = jaxpr
        self.consts: list[Any] = consts
        self.in_avals: list[avals.AbstractValue] = in_avals
        self.is_linear_input: list[bool] = is_linear_input
        self.out_avals: list[avals.AbstractValue] = out_avals
        self.out_is_zero: list[bool] = out_is_zero

    def with_consts(self, consts: list[Any]) -> "Linearized":
        """The program with other residuals.

        Args:
            consts: a value for each constant variable.
        """
        return Linearized(
            self.jaxpr,
            consts,
            self.in_avals,
            self.is_linear_input,
            self.out_avals,
            self.out_is_zero,
        )

    def apply(self, tangents: Sequence[Any]) -> list[Any]:
        """The tangents of the results, some of which may be `Zero`."""
        live = [
            zeros.instantiate_zeros(t)
            for t, linear in zip(tangents, self.is_linear_input, strict=True)
            if linear
        ]
        outs = iter(evaluate.eval_jaxpr(self.jaxpr, self.consts, *live))
        typed = _typing(live)
        return [
            Zero(aval) if zero else typed(next(outs), aval)
            for aval, zero in zip(self.out_avals, self.out_is_zero, strict=True)
        ]

    def transpose(self, cotangents: Sequence[Any]) -> list[Any]:
        """The cotangents of the inputs, some of which may be `Zero`."""
        live = [
            ct
            for ct, zero in zip(cotangents, self.out_is_zero, strict=True)
            if not zero
        ]
        inputs = [zeros.UndefinedPrimal(v.aval) for v in self.jaxpr.invars]
        backward = state.within(TRANSPOSE, backward_pass)
        found = iter(backward(self.jaxpr, self.consts, inputs, live))
        typed = _typing(live)
        return [
            typed(next(found), aval) if linear else Zero(aval)
            for aval, linear in zip(self.in_avals, self.is_linear_input, strict=True)
        ]


def _typing(given: Sequence[Any]) -> Callable[[Any, Any], Any]:
    """How a linear function types its results, where it was given these.

    A strongly typed tangent or cotangent makes the results strong, as a product does.
    Where all are weak, so is what belongs to a weakly typed value, whatever the rules of
    derivatives multiplied by.
    """
    types: list[Any] = [avals.get_aval(x) for x in given if type(x) is not Zero]
    is_weak = all(aval.is_high or aval.weak_type for aval in types)
    return as_weak if is_weak else lambda found, aval: found


def as_weak(ct: Any, aval: Any) -> Any:
    """A tangent or cotangent that gives way to other dtypes, as its primal does."""
    if type(ct) is Zero or aval.is_high or not aval.weak_type:
        return ct
    given: Any = avals.get_aval(ct)
    if given.weak_type or given.dtype != aval.dtype:
        return ct
    return slots.convert(ct, aval.dtype, True)


def linearize(
    fun: Callable[..., Sequence[Any]],
    primals: Sequence[Any],
    debug: jaxpr_lib.DebugInfo = jaxpr_lib.no_debug_info,
    is_linear: Sequence[bool] | None = None,
) -> tuple[list[Any], Linearized]:
    """Evaluates a function of values and keeps its derivative as a linear program.

    Args:
        fun: from values to a sequence of values.
        primals: the point.
        debug: what is linearised.
        is_linear: the inputs to differentiate in; by default all that have tangents.

    Returns:
        The results, and the derivative at this point.
    """
    trace = partial_trace.PartialTrace(state.current(), debug)
    jvp_trace = forward.JVPTrace(trace, "differentiation")
    in_avals = [avals.get_aval(p).to_tangent_aval() for p in primals]
    if is_linear is None:
        is_linear = [_has_tangents(a) for a in in_avals]
    inputs = [
        jvp_trace.join(p, trace.new_unknown(a)) if linear else p
        for p, a, linear in zip(primals, in_avals, is_linear, strict=True)
    ]
    token = state.enter(jvp_trace)
    try:
        outs = fun(*inputs)
    finally:
        state.leave(token)
    pairs = [jvp_trace.split(out) for out in outs]
    for primal, _ in pairs:
        if trace.is_unknown(primal):
            raise _unknown_primal_error(trace.staging, primal)
    out_avals = [avals.get_aval(p).to_tangent_aval() for p, _ in pairs]
    out_is_zero = [type(t) is Zero for _, t in pairs]
    jaxpr, consts = trace.staging.to_jaxpr([t for _, t in pairs if type(t) is not Zero])
    jvp_trace.finish()
    trace.finish()
    jaxpr, _ = dce.dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars), instantiate=True)
    jaxpr, consts = partial_trace.keep_used_consts(jaxpr, consts)
    linear = Linearized(
        jaxpr, consts, in_avals, list(is_linear), out_avals, out_is_zero
    )
    return [p for p, _ in pairs], linear


def _has_tangents(aval):
    is_array = isinstance(aval, avals.ShapedArray)
    return aval.is_high or (is_array and not avals.is_float0(aval))


def _unknown_primal_error(staging, primal):
    eqn = _first_without_transpose(staging.eqns, [primal.atom]) or primal.eqn
    name, location = (eqn.primitive.name, eqn.location) if eqn else ("an operation", "")
    return NotImplementedError(
        f"Reverse-mode differentiation is not possible through {name!r}: its results "
        "cannot be computed apart from their derivative.\n"
        f"  location  {location}\n"
        "Use forward mode (jax.jvp, jax.jacfwd), or give the function its own rule with "
        "jax.custom_vjp."
    )


def _first_without_transpose(eqns, outs):
    """The first equation that values depend on which cannot be run backwards."""
    needed, first = {atom for atom in outs if isinstance(atom, jaxpr_lib.Var)}, None
    for eqn in reversed(eqns):
        if needed.isdisjoint(eqn.outvars):
            continue
        needed.update(atom for atom in eqn.invars if isinstance(atom, jaxpr_lib.Var))
        inside = [
            _first_without_transpose(program.eqns, program.outvars)
            for program in jaxpr_lib.jaxprs_in_params(eqn.params)
        ]
        found = next(filter(None, inside), None)
        if found is None and not callable(eqn.primitive.rules.get("transpose")):
            found = eqn
        first = found or first
    return first


def vjp(
    fun: Callable[..., Sequence[Any]],
    primals: Sequence[Any],
    debug: jaxpr_lib.DebugInfo = jaxpr_lib.no_debug_info,
) -> tuple[list[Any], Linearized]:
    """The results of a function and its derivative, to be transposed."""
    return linearize(fun, primals, debug)


def backward_pass(
    jaxpr: jaxpr_lib.Jaxpr,
    consts: Sequence[Any],
    inputs: Sequence[Any],
    cotangents: Sequence[Any],
) -> list[Any]:
    """Runs a program that is linear in some inputs backwards.

    Args:
        jaxpr: the program.
        consts: the values of its constants.
        inputs: values, or `UndefinedPrimal` for the linear inputs.
        cotangents: one for each output, some of which may be `Zero`.

    Returns:
        The cotangent of every input; `Zero` for those that are not linear.
    """
    if all(type(ct) is Zero for ct in cotangents):
        return [Zero(v.aval.to_cotangent_aval()) for v in jaxpr.invars]
    values, linear_eqns = _run_known(jaxpr, consts, inputs)
    cts: dict[jaxpr_lib.Var, Any] = {}

    def accumulate(var, ct):
        if ct is None:
            return
        old = cts.get(var)
        if type(ct) is Zero:
            if old is None:
                cts[var] = Zero(var.aval.to_cotangent_aval(), is_found=True)
            return
        if var.aval.is_placed:
            ct = slots.to_type(ct, var.aval.to_cotangent_aval())
        if old is not None and type(old) is not Zero:
            with equation_mesh.mesh_scope_of_type(var.aval):
                ct = zeros.add_tangents(old, ct)
        cts[var] = ct

    for atom, ct in zip(jaxpr.outvars, cotangents, strict=True):
        if (
            isinstance(atom, jaxpr_lib.Var)
            and atom not in values
            and type(ct) is not Zero
        ):
            accumulate(atom, ct)
    for eqn in reversed(linear_eqns):
        _transpose_equation(eqn, values, cts, accumulate)
    return [
        cts[v]
        if v in cts and zeros.is_undefined_primal(x)
        else Zero(v.aval.to_cotangent_aval())
        for v, x in zip(jaxpr.invars, inputs, strict=True)
    ]


def _run_known(jaxpr, consts, inputs):
    """Evaluates what depends on no linear input; returns the values and other equations."""
    values: dict[jaxpr_lib.Var, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
    for var, x in zip(jaxpr.invars, inputs, strict=True):
        if not zeros.is_undefined_primal(x):
            values[var] = x
    linear_eqns = []
    for eqn in jaxpr.eqns:
        if not all(isinstance(v, jaxpr_lib.Literal) or v in values for v in eqn.invars):
            linear_eqns.append(eqn)
            continue
        one = jaxpr_lib.Jaxpr(
            [],
            [v for v in dict.fromkeys(eqn.invars) if isinstance(v, jaxpr_lib.Var)],
            eqn.outvars,
            [eqn],
        )
        outs = evaluate.eval_jaxpr(one, [], *[values[v] for v in one.invars])
        values.update(zip(eqn.outvars, outs, strict=True))
    return values, linear_eqns


def _transpose_equation(eqn, values, cts, accumulate):
    found = [cts.pop(v, None) for v in eqn.outvars]
    if all(ct is None for ct in found):
        return
    if all(ct is None or type(ct) is Zero for ct in found):
        # Nothing comes of zeros, but a rule of the user's may say something else.
        if not eqn.primitive.traits & primitive_lib.Trait.TAKES_SYMBOLIC_ZEROS:
            for atom in eqn.invars:
                if isinstance(atom, jaxpr_lib.Var) and atom not in values:
                    accumulate(atom, Zero(atom.aval))
            return
    found = [
        Zero(v.aval.to_cotangent_aval()) if ct is None else ct
        for v, ct in zip(eqn.outvars, found, strict=True)
    ]
    operands = [
        v.val
        if isinstance(v, jaxpr_lib.Literal)
        else values[v]
        if v in values
        else zeros.UndefinedPrimal(v.aval)
        for v in eqn.invars
    ]
    rule = transpose_rule(eqn.primitive)
    token = state.enter_scopes(eqn.name_stack.stack)
    replay = source.Replay(eqn.location)
    try:
        ct = found if eqn.primitive.multiple_results else found[0]
        with replay, equation_mesh.mesh_scope(eqn), _block_of_dtypes(eqn):
            if wide_values.begun:
                types = [v.aval for v in eqn.invars]
                operands = wide_values.as_typed(operands, types)
            results = rule(ct, *operands, **eqn.params)
            if wide_values.begun:
                results = wide_values.kept(results)
    except TypeError as error:
        if "UndefinedPrimal" not in str(error):
            raise
        raise _not_linear_error(eqn) from None
    finally:
        state.leave_scopes(token)
    if len(results) != len(eqn.invars):
        raise TypeError(
            f"The transpose rule of {eqn.primitive.name!r} returned {len(results)} "
            f"cotangents for {len(eqn.invars)} operands."
        )
    token = state.enter_scopes(eqn.name_stack.stack)
    try:
        with replay:
            for atom, ct in zip(eqn.invars, results, strict=True):
                if isinstance(atom, jaxpr_lib.Var) and atom not in values:
                    accumulate(atom, ct)
    finally:
        state.leave_scopes(token)


def _block_of_dtypes(eqn):
    """A block in which the rule of an equation has the dtypes of its values."""
    if not wide_values.begun:
        return equation_mesh.NOTHING
    return wide_values.dtype_scope([v.aval for v in (*eqn.invars, *eqn.outvars)])


def _not_linear_error(eqn):
    return errors.type_error(
        f"Transposing: {eqn.primitive.name!r} takes two values that both depend on the "
        "linear arguments.",
        [("operands", ", ".join(v.aval.str_short() for v in eqn.invars))],
        "Only linear functions have a transpose.",
        "The derivative of a function at a point is linear: jax.vjp, or "
        "jax.linearize before jax.linear_transpose.",
    )


def transpose_rule(primitive: primitive_lib.Primitive) -> Callable[..., Sequence[Any]]:
    """The transpose rule of a primitive.

    Raises:
        NotImplementedError: it has none.
    """
    rule = primitive.rules.get("transpose")
    if callable(rule):
        return rule
    raise primitive_lib.missing_rule(
        primitive, "transpose", "Reverse-mode differentiation"
    )


def trace_linear(
    fun: Callable[..., Sequence[Any]],
    in_avals: Sequence[avals.AbstractValue],
    debug: jaxpr_lib.DebugInfo = jaxpr_lib.no_debug_info,
) -> jaxpr_lib.ClosedJaxpr:
    """The program of a linear function, without what its results do not need."""
    jaxpr, consts = staging_lib.trace_to_jaxpr(fun, in_avals, debug)
    jaxpr, _ = dce.dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars), instantiate=True)
    return jaxpr_lib.ClosedJaxpr(jaxpr, consts)
