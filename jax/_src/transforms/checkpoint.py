"""`checkpoint`: recompute in the backward pass instead of keeping."""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from jax._src import tree
from jax._src.base import errors, options, releases, util
from jax._src.base.traceback_filter import api_boundary, hides_frames
from jax._src.core import (
    avals as avals_lib,
    effects as effects_lib,
    evaluate,
    jaxpr as jaxpr_lib,
    primitive,
    reference_links,
    sharding_rules,
)
from jax._src.interpreters import ad, batching, hijax, mlir, partial_eval as pe
from jax._src.jit import primitive as jit_primitive
from jax._src.transforms import (
    calls,
    policies,
    remat_in_control_flow,
)

Fun = TypeVar("Fun", bound=Callable)


def _flags_of(flags, chosen):
    """What `prevent_cse` says of some of the operands."""
    if isinstance(flags, bool):
        return flags
    return tuple(f for f, is_chosen in zip(flags, chosen, strict=True) if is_chosen)


def _flags_around(flags, *, before=0, after=0):
    """`prevent_cse` with further operands, which are guarded."""
    if isinstance(flags, bool):
        return flags
    return (*[True] * before, *flags, *[True] * after)


@primitive.declare("remat2", multiple_results=True, runs="jaxpr")
class remat_p:
    """Runs the program `jaxpr`; what its derivative needs is computed again.

    `prevent_cse` is a truth value, or a tuple with one for each operand.
    """

    def impl(*args, jaxpr, **params):
        return evaluate.eval_closed(jaxpr, *args)

    def low(avals, out_avals, *, jaxpr, prevent_cse, **params):
        if not isinstance(prevent_cse, bool):
            counts = zip(prevent_cse, hijax.counts(avals), strict=True)
            prevent_cse = tuple(flag for flag, n in counts for _ in range(n))
        return {**params, "jaxpr": hijax.lowered(jaxpr), "prevent_cse": prevent_cse}

    def jvp_all(primals, tangents, *, jaxpr, prevent_cse, **params):
        def bind(program, *args):
            flags = _flags_around(prevent_cse, after=len(args) - len(primals))
            return remat_p.bind(*args, jaxpr=program, prevent_cse=flags, **params)

        return jit_primitive.jvp_call(bind, jaxpr, primals, tangents)

    def partial_eval(trace, *args, jaxpr, policy, prevent_cse, **params):
        unknown = tuple(trace.is_unknown(a) for a in args)
        rule = policies.nothing_saveable if policy is None else policy
        _refuse_effects(jaxpr.effects)
        known, late, unknown_out, used = _split(jaxpr, unknown, rule)
        known_args = [a for a, u in zip(args, unknown, strict=True) if not u]
        if options.log_checkpoint_residuals.value:
            _log_what_is_kept(known, unknown_out, unknown, used)
        # No checkpoint of its own: whoever differentiates the derivative keeps these values.
        early = trace.known(lambda: evaluate.eval_closed(known, *known_args))
        n_early = len(unknown_out) - sum(unknown_out)
        operands = [*early[n_early:], *args]
        flags = _flags_around(prevent_cse, before=len(early) - n_early)
        late_params = {
            **params,
            "jaxpr": late,
            "policy": policy,
            "prevent_cse": _flags_of(flags, used),
            "differentiated": True,
        }
        operands = [a for a, u in zip(operands, used, strict=True) if u]
        late_outs = iter(
            trace.staging.process(remat_p, tuple(operands), late_params)
            if any(unknown_out)
            else ()
        )
        first = iter(early[:n_early])
        return [next(late_outs) if u else next(first) for u in unknown_out]

    def transpose(cts, *operands, jaxpr, prevent_cse, **params):
        linear = tuple(ad.is_undefined_primal(x) for x in operands)
        known = _flags_of(prevent_cse, [not x for x in linear])

        def bind(program, *args):
            flags = _flags_around(known, after=len(args) - linear.count(False))
            return remat_p.bind(*args, jaxpr=program, prevent_cse=flags, **params)

        program = _named_again(pe.split_linear(jaxpr, linear), linear)
        return jit_primitive.transpose_call(bind, program, cts, operands)

    def batch(axis, args, dims, *, jaxpr, **params):
        program, out_dims = batching.batch_jaxpr(jaxpr, axis, dims)
        return remat_p.bind(*args, jaxpr=program, **params), out_dims

    def expose(eqn, find):
        found = remat_in_control_flow.expose_call(eqn, find)
        if found is None:
            return None
        exposed, extra, reuse = found

        def reuse_guarded(mask, atoms):
            late = reuse(mask, atoms)
            flags = _flags_around(eqn.params["prevent_cse"], before=len(atoms))
            return late.replace(params={**late.params, "prevent_cse": flags})

        return exposed, extra, reuse_guarded

    def dce(used_outputs, eqn):
        smaller, used_inputs = pe.dce_closed(eqn.params["jaxpr"], used_outputs)
        flags = _flags_of(eqn.params["prevent_cse"], used_inputs)
        params = {**eqn.params, "jaxpr": smaller, "prevent_cse": flags}
        return pe.dce_call(eqn, params, smaller.effects, used_inputs, used_outputs)

    def lower(ctx, *operands, jaxpr, prevent_cse, differentiated, **params):
        operands = list(operands)
        if isinstance(prevent_cse, bool):
            prevent_cse = [prevent_cse] * len(operands)
        guarded = [v for v, flag in zip(operands, prevent_cse, strict=True) if flag]
        if differentiated and guarded:
            # Without a barrier the compiler would merge the second computation with
            # the first, and keep its results after all.
            barrier = mlir.ir.Operation.create(
                "stablehlo.optimization_barrier",
                results=[v.type for v in guarded],
                operands=guarded,
            )
            results = iter(barrier.results)
            pairs = zip(operands, prevent_cse, strict=True)
            operands = [next(results) if flag else v for v, flag in pairs]
        return mlir.call_closed(ctx.inside("checkpoint"), "checkpoint", jaxpr, operands)


_AGAIN = jaxpr_lib.NameStack(("rematted_computation",))


def _named_again(closed, linear):
    """The program of a derivative, in which what is computed again has a scope that says so."""

    def make():
        jaxpr = closed.jaxpr
        found = {
            v for v, is_linear in zip(jaxpr.invars, linear, strict=True) if is_linear
        }
        eqns = []
        for eqn in jaxpr.eqns:
            if any(isinstance(v, jaxpr_lib.Var) and v in found for v in eqn.invars):
                found.update(eqn.outvars)
                eqns.append(eqn)
            else:
                eqns.append(eqn.replace(name_stack=_AGAIN + eqn.name_stack))
        return jaxpr_lib.ClosedJaxpr(jaxpr.replace(eqns=eqns), closed.consts)

    return closed.derived(("named again", linear), make)


def _refuse_effects(effects):
    """Refuses effects that may not happen once more when values are recomputed."""
    wrong = effects_lib.remat_allowed_effects.filter_not_in(effects)
    if wrong:
        raise errors.not_implemented(
            "Effects not supported in partial-eval of `checkpoint`/`remat`: "
            f"{list(wrong)}",
            [],
            "They would happen again when values are recomputed.",
            "Move the effect out of jax.checkpoint.",
        )


def _split(
    closed: jaxpr_lib.ClosedJaxpr, unknown: tuple[bool, ...], policy: Callable
) -> tuple[jaxpr_lib.ClosedJaxpr, jaxpr_lib.ClosedJaxpr, list[bool], list[bool]]:
    """Splits a program, keeping of the known intermediates only what the policy saves.

    Returns:
        The known program: from the known inputs to the known outputs and what is saved;
        the late one: from what is saved and all inputs, less those it does not use, to
        the unknown outputs; for each output whether it is unknown; and for each of the
        late program's possible inputs whether it is used.
    """

    def make():
        # Of the program that also returns what the policy wants, the known part is the
        # known program; what else its unknown part would need is computed again.
        found = remat_in_control_flow.exposed(closed, policy)
        whole = found.program
        known, _, out_unknown, _ = pe.partial_eval_jaxpr(whole, unknown)
        n_out = len(closed.jaxpr.outvars)
        wanted_unknown, out_unknown = out_unknown[n_out:], out_unknown[:n_out]
        is_saved = [not u for u in wanted_unknown]
        n_known = n_out - sum(out_unknown) + sum(is_saved)
        early, _ = pe.dce_jaxpr(
            known.jaxpr,
            [i < n_known for i in range(len(known.jaxpr.outvars))],
            instantiate=True,
        )
        again = found.reuse(is_saved)
        late, used = pe.dce_jaxpr(again.jaxpr, out_unknown)
        return (
            jaxpr_lib.ClosedJaxpr(early, known.consts),
            jaxpr_lib.ClosedJaxpr(late, again.consts),
            out_unknown,
            used,
        )

    return closed.derived(("checkpoint", unknown, util.IdentityKey(policy)), make)


# By this name programs ask for it.
_log = logging.getLogger("jax._src.ad_checkpoint")


def _log_what_is_kept(known, unknown_out, unknown, used):
    """Prints which inputs and which intermediate results stay for the backward pass."""
    n_early = len(unknown_out) - sum(unknown_out)
    saved = known.jaxpr.outvars[n_early:]
    of_inputs = [
        u for u, late in zip(used[len(saved) :], unknown, strict=True) if not late
    ]
    inputs = [a for a, u in zip(known.in_avals, of_inputs, strict=True) if u]
    origins = remat_in_control_flow.origins_of(
        known.jaxpr, ["from an argument"] * len(known.in_avals)
    )
    for what, lines in (
        ("these inputs", [aval.str_short() for aval in inputs]),
        (
            "these intermediate results",
            [
                f"{v.aval.str_short()} {origins.get(v, 'from a constant')}"
                for v, u in zip(saved, used, strict=False)
                if u
            ],
        ),
    ):
        if lines:
            text = "".join(f"\n  {line}" for line in lines)
            _log.warning("A function under jax.checkpoint keeps %s:%s", what, text)


@primitive.declare("name")
class name_p:
    """The value itself, under a name that policies know."""

    def types(x, *, name):
        return x

    def sharding(x, *, name):
        return sharding_rules.entries(x)

    def sums(x, *, name):
        return x.sums

    def impl(x, *, name):
        return x

    def jvp_all(primals, tangents, *, name):
        (x,), (t,) = primals, tangents
        return name_p.bind(x, name=name), t

    def batch(axis, args, dims, *, name):
        return name_p.bind(*args, name=name), dims[0]

    def lower(ctx, x, *, name):
        return x


def checkpoint_name(x: Any, name: str) -> Any:
    """Names the arrays of a tree, for policies such as `save_only_these_names`.

    Args:
        x: a tree of arrays.
        name: the name.
    """
    return tree.tree_map(lambda leaf: name_p.bind(leaf, name=name), x)


def checkpoint_name_fwd(x: Any, name: str) -> Any:
    """The other name of `checkpoint_name`, for rules of derivatives.

    Args:
        x: a tree of arrays.
        name: the name.
    """
    return checkpoint_name(x, name)


def _check_static(fun, static, count):
    for number in static:
        if not -count <= number < count:
            raise errors.value_error(
                f"checkpoint: static_argnums has {number}, but {count} positional "
                "arguments were given.",
                [("function", calls.describe(fun))],
                "Static arguments are passed by position.",
            )


def _flags_of_leaves(fun, flags, positional, named, held):
    """What `prevent_cse`, a tree prefix of all arguments by position, says of leaves."""
    signature = calls.signature_of(fun)
    order = [] if signature is None else list(signature.parameters)
    by_position = sorted(named, key=lambda n: order.index(n) if n in order else 0)
    whole = (*positional, *[named[name] for name in by_position])
    spread = iter(tree.broadcast_prefix(flags, whole))
    of_argument = [[next(spread) for _ in tree.tree_leaves(x)] for x in whole]
    of_named = dict(zip(by_position, of_argument[len(positional) :], strict=True))
    # Trees of keyword arguments are sorted by name.
    found = [
        *of_argument[: len(positional)],
        *[of_named[name] for name in sorted(named)],
    ]
    references = {index for index, _ in held}
    leaves = [flag for part in found for flag in part]
    return [flag for i, flag in enumerate(leaves) if i not in references]


@hides_frames
def checkpoint(
    fun: Fun,
    *,
    prevent_cse: bool | tuple[Any, ...] = True,
    policy: Callable[..., Any] | None = None,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Iterable[str] = (),
    concrete: bool = False,
) -> Fun:
    """Makes the backward pass compute what it needs of `fun` again.

    This trades time for memory: of the values inside `fun`, only those that `policy`
    allows are kept between the passes.

    Args:
        fun: the function of trees of arrays.
        prevent_cse: whether to keep the compiler from undoing this. May be false under
            `scan`, where it cannot. A tuple says so for each positional argument, or for
            parts of it: a tree prefix of the arguments.
        policy: says what is kept, see `jax.checkpoint_policies`; None: nothing.
        static_argnums: positions of arguments that are Python values, not traced.
        static_argnames: the same by name, for keyword arguments.
        concrete: must be false.

    Returns:
        A function with the arguments and results of `fun`.

    Raises:
        ValueError: `static_argnums` has more than there are arguments, or `prevent_cse`
            is no prefix of the arguments. TypeError: `prevent_cse` is neither a truth
            value nor a tuple. NotImplementedError: `concrete` is true; TypeError from 0.12 on.

    Examples:
        >>> jax.grad(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))))(0.0)
        Array(1., dtype=float32, weak_type=True)
    """
    calls.check_callable(fun, "checkpoint")
    if not isinstance(prevent_cse, bool | tuple | list):
        raise TypeError(
            "prevent_cse must be a bool or tuple of bools, got "
            f"type(prevent_cse)={type(prevent_cse)}"
        )
    if concrete:
        raise releases.rule("checkpoint_of_concrete_values")(
            "checkpoint(concrete=True) is no longer offered; use static_argnums."
        )
    static = calls.argnums_tuple(static_argnums, "static_argnums")
    names = (
        (static_argnames,)
        if isinstance(static_argnames, str)
        else tuple(static_argnames)
    )

    @util.wraps(fun)
    @api_boundary
    def checkpointed(*args, **kwargs):
        _check_static(fun, static, len(args))
        numbers = {n % len(args) for n in static}
        fixed = {k: v for k, v in kwargs.items() if k in names}
        traced = {k: v for k, v in kwargs.items() if k not in names}

        def dynamic(*xs, **kw):
            rest = iter(xs)
            full = [a if i in numbers else next(rest) for i, a in enumerate(args)]
            return fun(*full, **kw, **fixed)

        positional = tuple(a for i, a in enumerate(args) if i not in numbers)
        leaves, in_tree = tree.tree_flatten((positional, traced))
        calls.check_values(leaves, "checkpoint")
        leaves, held = reference_links.hold(calls.narrowed(leaves), "checkpoint")
        flat = calls.FlatFunction(dynamic, in_tree, "checkpoint", held)
        debug = calls.debug_info("checkpoint", fun, positional, traced)
        avals = [avals_lib.get_aval(x) for x in leaves]
        jaxpr, consts, links = pe.trace_with_references(flat, avals, debug)
        closed, consts = pe.split_traced_consts(jaxpr_lib.ClosedJaxpr(jaxpr, consts))
        flags = prevent_cse
        if not isinstance(flags, bool):
            flags = _flags_of_leaves(fun, tuple(flags), positional, traced, held)
            flags = (*[False] * len(consts), *flags)
            flags = _flags_around(flags, after=len(closed.in_avals) - len(flags))
        outs = remat_p.bind(
            *consts,
            *leaves,
            *links.operands(),
            jaxpr=closed,
            prevent_cse=flags,
            differentiated=False,
            policy=policy,
        )
        return tree.tree_unflatten(flat.out_tree, links.take(outs))

    return checkpointed
