"""The primitive `jit`: a call of a program, kept as one equation."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors
from jax._src.core import (
    evaluate,
    jaxpr as jaxpr_lib,
    primitive,
    reference_links,
)
from jax._src.interpreters import ad, batching, hijax, mlir, partial_eval as pe
from jax._src.interpreters.ad import backward_logs
from jax._src.jit import inlining


class Unspecified:
    """Stands for a sharding that the user left open; there is one, `UNSPECIFIED`."""

    def __repr__(self) -> str:
        return "UnspecifiedValue"

    def __reduce__(self) -> str:
        return "UNSPECIFIED"


UNSPECIFIED = Unspecified()


def _with_jaxpr(params, jaxpr, n_in, n_out, donated=None):
    """Returns the parameters for another program, without shardings of its inputs and results."""
    return {
        **params,
        "jaxpr": jaxpr,
        "in_shardings": (UNSPECIFIED,) * n_in,
        "out_shardings": (UNSPECIFIED,) * n_out,
        "donated_invars": (False,) * n_in if donated is None else tuple(donated),
    }


def bind(jaxpr: jaxpr_lib.ClosedJaxpr, args: Any, params: dict) -> list[Any]:
    """Calls a program made from that of an equation with parameters `params`."""
    n_in, n_out = len(jaxpr.jaxpr.invars), len(jaxpr.jaxpr.outvars)
    return jit_p.bind(*args, **_with_jaxpr(params, jaxpr, n_in, n_out))


def call(jaxpr: jaxpr_lib.ClosedJaxpr, args: Any, name: str) -> list[Any]:
    """Calls a program in the current trace, as `jit` without options would."""
    n_in, n_out = len(jaxpr.jaxpr.invars), len(jaxpr.jaxpr.outvars)
    return jit_p.bind(*args, **default_params(jaxpr, name, n_in, n_out))


def default_params(
    jaxpr: jaxpr_lib.ClosedJaxpr, name: str, n_in: int, n_out: int
) -> dict:
    """The parameters of a call without options."""
    return {
        "jaxpr": jaxpr,
        "in_shardings": (UNSPECIFIED,) * n_in,
        "out_shardings": (UNSPECIFIED,) * n_out,
        "donated_invars": (False,) * n_in,
        "name": name,
        "keep_unused": False,
        "inline": inlining.DEFAULT,
        "compiler_options_kvs": (),
    }


@primitive.declare("jit", multiple_results=True, runs="jaxpr")
class jit_p:
    """Calls the program `jaxpr`."""

    def stage(trace, tracers, params):
        if inlining.is_early(params["inline"]):
            return evaluate.eval_closed(params["jaxpr"], *tracers)
        return trace.add_equation(jit_p, tracers, params)

    def low(avals, out_avals, *, jaxpr, **params):
        numbers = hijax.counts(avals)
        n_in, n_out = sum(numbers), sum(hijax.counts(out_avals))
        donated = hijax.repeated(params["donated_invars"], numbers)
        return _with_jaxpr(params, hijax.lowered(jaxpr), n_in, n_out, donated)

    def jvp_all(primals, tangents, *, jaxpr, **params):
        return jvp_call(
            lambda program, *args: bind(program, args, params), jaxpr, primals, tangents
        )

    def partial_eval(trace, *args, jaxpr, **params):
        unknown = [trace.is_unknown(a) for a in args]
        known, late, unknown_out, residuals = pe.partial_eval_jaxpr(jaxpr, unknown)
        known_args = [a for a, u in zip(args, unknown, strict=True) if not u]
        outs = trace.known(_run, known, known_args, params)
        n_early = len(outs) - len(residuals)
        late_args = (*outs[n_early:], *[a for a in args if trace.is_unknown(a)])
        n_in, n_out = len(late.jaxpr.invars), len(late.jaxpr.outvars)
        late_params = _with_jaxpr(params, late, n_in, n_out)
        late_outs = iter(
            trace.staging.process(jit_p, late_args, late_params) if n_out else ()
        )
        early = iter(outs[:n_early])
        return [next(late_outs) if u else next(early) for u in unknown_out]

    def transpose(cts, *operands, jaxpr, **params):
        return transpose_call(
            lambda program, *args: bind(program, args, params), jaxpr, cts, operands
        )

    def batch(axis, args, dims, *, jaxpr, **params):
        program, out_dims = batching.batch_jaxpr(jaxpr, axis, dims)
        return bind(program, args, params), out_dims

    def dce(used_outputs, eqn):
        smaller, used_inputs = pe.dce_closed(eqn.params["jaxpr"], used_outputs)
        params = _with_jaxpr(eqn.params, smaller, sum(used_inputs), sum(used_outputs))
        return pe.dce_call(eqn, params, smaller.effects, used_inputs, used_outputs)

    def order(eqn, token, out):
        program = mlir.with_token(eqn.params["jaxpr"])
        n_in, n_out = len(eqn.invars) + 1, len(eqn.outvars) + 1
        return [
            eqn.replace(
                invars=[token, *eqn.invars],
                outvars=[out, *eqn.outvars],
                params=_with_jaxpr(eqn.params, program, n_in, n_out),
            )
        ]

    def lower(ctx, *operands, jaxpr, name, compiler_options_kvs, inline, **params):
        if compiler_options_kvs:
            raise errors.value_error(
                "jit: compiler_options on a function that another program calls.",
                [("function", name)]
                + [(option, repr(value)) for option, value in compiler_options_kvs],
                "A program is compiled as a whole, with one set of options.",
                "Give them to the outermost jit.",
            )
        stack = ctx.name_stack.extend(f"jit({name})")
        # The call is named after the function, as the scope of its operations is.
        location = ctx.module_context.locations.of(ctx.traceback, str(stack))
        with location:
            if inline is inlining.Inline.JAX_LATE:
                return mlir.inline_closed(ctx.module_context, jaxpr, operands, stack)
            by_compiler = inline in (
                inlining.Inline.XLA_EARLY,
                inlining.Inline.XLA_LATE,
            )
            return mlir.call_closed(
                ctx.replace(name_stack=stack),
                name,
                jaxpr,
                operands,
                inline.value if by_compiler else None,
            )

    def show(*, jaxpr, name, inline, keep_unused, donated_invars, **params):
        shown = {"name": name, "jaxpr": jaxpr}
        if any(donated_invars):
            shown["donated_invars"] = donated_invars
        if inline is not inlining.DEFAULT:
            shown["inline"] = inline
        if keep_unused:
            shown["keep_unused"] = True
        return shown


def _run(program, args, params):
    """Calls a program without the outputs that are inputs of it, and puts these among its results."""
    if not program.jaxpr.eqns:
        return evaluate.eval_closed(program, *args)
    smaller, where = pe.forwarded_outputs(program)
    outs = bind(smaller, args, params)
    return [args[i] if is_input else outs[i] for is_input, i in where]


def jvp_jaxpr(
    closed: jaxpr_lib.ClosedJaxpr,
    nonzero: Sequence[bool],
    instantiate: Sequence[bool] | bool = False,
) -> tuple[jaxpr_lib.ClosedJaxpr, list[bool]]:
    """The program that computes another one's results and their tangents.

    Args:
        closed: the program.
        nonzero: which inputs have tangents; these follow the inputs.
        instantiate: which results have tangents even if these are zero.

    Returns:
        The program, whose tangents follow the results; and which results have one.
    """
    nonzero = tuple(nonzero)
    n_out = len(closed.jaxpr.outvars)
    wanted = (
        (instantiate,) * n_out if isinstance(instantiate, bool) else tuple(instantiate)
    )

    def make():
        run, avals, found = jvp_function(closed, nonzero, wanted)
        return pe.trace_to_closed(run, avals, closed.debug_info), found

    return closed.derived(("jvp", nonzero, wanted), make)


def jvp_function(
    closed: jaxpr_lib.ClosedJaxpr, nonzero: Sequence[bool], wanted: Sequence[bool]
) -> tuple[Callable, list[Any], list[bool]]:
    """What `jvp_jaxpr` traces.

    Returns:
        A function of the inputs and their tangents, for the results and theirs; the
        types of what it takes; and a list that says, once it was called, which results
        have tangents.
    """
    found: list[bool] = []

    def run(*args):
        primals, live = args[: len(nonzero)], iter(args[len(nonzero) :])
        tangents = [
            next(live) if n else ad.Zero(aval.to_tangent_aval())
            for n, aval in zip(nonzero, closed.in_avals, strict=True)
        ]
        outs, out_tangents = ad.jvp(
            lambda *xs: evaluate.eval_closed(closed, *xs), primals, tangents
        )
        for tangent, forced in zip(out_tangents, wanted, strict=True):
            found.append(forced or type(tangent) is not ad.Zero)
        kept = [
            ad.instantiate_zeros(t)
            for t, n in zip(out_tangents, found, strict=True)
            if n
        ]
        return [*outs, *kept]

    tangent_avals = [
        a.to_tangent_aval() for a, n in zip(closed.in_avals, nonzero, strict=True) if n
    ]
    return run, closed.in_avals + tangent_avals, found


def jvp_call(
    bind: Callable[..., Sequence[Any]],
    closed: jaxpr_lib.ClosedJaxpr,
    primals: Sequence[Any],
    tangents: Sequence[Any],
) -> tuple[Sequence[Any], list[Any]]:
    """The rule of a primitive that calls a program: ``bind(program, *args)`` calls one."""
    nonzero = tuple(type(t) is not ad.Zero for t in tangents)
    program, out_nonzero = jvp_jaxpr(closed, nonzero)
    live = [t for t, n in zip(tangents, nonzero, strict=True) if n]
    outs = bind(program, *primals, *live)
    n_out = len(closed.jaxpr.outvars)
    rest = iter(outs[n_out:])
    return outs[:n_out], [
        next(rest) if n else ad.Zero(aval.to_tangent_aval())
        for aval, n in zip(closed.out_avals, out_nonzero, strict=True)
    ]


def transpose_call(
    bind: Callable[..., Sequence[Any]],
    closed: jaxpr_lib.ClosedJaxpr,
    cts: Sequence[Any],
    operands: Sequence[Any],
) -> list[Any]:
    """The rule of a primitive that calls a program: ``bind(program, *args)`` calls one."""
    linear = tuple(ad.is_undefined_primal(x) for x in operands)
    ct_zero = tuple(type(ct) is ad.Zero for ct in cts)
    program, zeros, links, logs = transpose_jaxpr(closed, linear, ct_zero)
    known = [x for x, is_linear in zip(operands, linear, strict=True) if not is_linear]
    live = [ct for ct, zero in zip(cts, ct_zero, strict=True) if not zero]
    # Backward rules of users may keep cotangents in references.
    outs = iter(links.take(bind(program, *known, *live, *links.operands())))
    found = iter(zeros)
    cts_in = [_of_input(next(found), outs) if x else None for x in linear]
    logs.keep(list(outs))
    return cts_in


def _of_input(zero, outs):
    if zero is None:
        return next(outs)
    return zero if zero.is_found else None


def transpose_jaxpr(
    closed: jaxpr_lib.ClosedJaxpr, linear: tuple[bool, ...], ct_zero: tuple[bool, ...]
) -> tuple[
    jaxpr_lib.ClosedJaxpr,
    list[ad.Zero | None],
    reference_links.Links,
    backward_logs.Reported,
]:
    """The program that runs a linear one backwards.

    Args:
        closed: the program.
        linear: the inputs in which it is linear.
        ct_zero: the outputs whose cotangents are zero.

    Returns:
        A program from the other inputs and the non-zero cotangents to the non-zero
        cotangents of the linear inputs; the others of these, None in place of those;
        how references take part that backward rules use; and what these rules report,
        if it is wanted, which are further outputs.
    """

    def make():
        found: list[ad.Zero | None] = []
        reported: list[backward_logs.Reported] = []

        def run(*args):
            n_known = len(linear) - sum(linear)
            known, live = iter(args[:n_known]), iter(args[n_known:])
            operands = [
                ad.UndefinedPrimal(aval) if is_linear else next(known)
                for aval, is_linear in zip(closed.in_avals, linear, strict=True)
            ]
            cts = [
                ad.Zero(aval.to_cotangent_aval()) if zero else next(live)
                for aval, zero in zip(closed.out_avals, ct_zero, strict=True)
            ]
            with backward_logs.collect() as logs:
                outs = ad.backward_pass(closed.jaxpr, closed.consts, operands, cts)
            reported[:] = [backward_logs.Reported(logs, closed.debug_info.func_name)]
            outs = [o for o, is_linear in zip(outs, linear, strict=True) if is_linear]
            found.extend(o if type(o) is ad.Zero else None for o in outs)
            logged = backward_logs.Reported.outputs(logs)
            return [*(o for o in outs if type(o) is not ad.Zero), *logged]

        avals = [
            a for a, is_lin in zip(closed.in_avals, linear, strict=True) if not is_lin
        ]
        avals += [
            a.to_cotangent_aval()
            for a, zero in zip(closed.out_avals, ct_zero, strict=True)
            if not zero
        ]
        jaxpr, consts, links = pe.trace_with_references(run, avals, closed.debug_info)
        return jaxpr_lib.ClosedJaxpr(jaxpr, consts), found, links, reported[0]

    key = ("transpose", linear, ct_zero, backward_logs.are_wanted())
    return closed.derived(key, make)
