"""The primitive `while`: a loop until a condition fails."""

import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from jax._src import tree as trees
from jax._src.base import traceback_filter
from jax._src.core import avals as avals_lib, evaluate, jaxpr, state, vma
from jax._src.core.avals import get_aval
from jax._src.core.primitive import BY_TYPES, declare
from jax._src.interpreters import ad, batching, hijax, mlir, partial_eval as pe
from jax._src.jit import primitive as jit_primitive
from jax._src.jit.primitive import jvp_jaxpr
from jax._src.lax.control_flow import programs, python_control_flow
from jax._src.lax.ops import emit
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_in_dim
from jax._src.lax.ops.messages import not_implemented, type_error, value_error
from jax._src.lax.ops.reductions import reduce_or
from jax._src.lax.ops.reference_programs import run_closed_by_reference
from jax._src.lax.ops.selection import select

T = TypeVar("T")


def _split(values, cond_nconsts, body_nconsts):
    """Splits operands into the constants of the condition, those of the body, and the carry."""
    values = list(values)
    stop = cond_nconsts + body_nconsts
    return values[:cond_nconsts], values[cond_nconsts:stop], values[stop:]


@declare("while", multiple_results=True)
class while_p:
    """Applies a program repeatedly while the condition, another program, gives true.

    The condition gives a scalar, or one truth value for each batch element: see `reduce_batched_predicate`.
    """

    manual = vma.AS_TYPES

    def types(*avals, body_jaxpr, **params):
        return body_jaxpr.out_avals

    sharding = BY_TYPES

    def effects(*avals, cond_jaxpr, body_jaxpr, **params):
        return programs.allowed_effects("while", cond_jaxpr, body_jaxpr)

    def lower(ctx, *operands, **params):
        # Where the condition is batched, the program of a step names the body's part itself.
        body_names = (
            "while/body" if params["cond_jaxpr"].out_avals[0].ndim == 0 else "while"
        )
        operands, params = reduce_batched_predicate(operands, params)
        cond_nconsts, body_nconsts = params["cond_nconsts"], params["body_nconsts"]
        cond_jaxpr, body_jaxpr = params["cond_jaxpr"], params["body_jaxpr"]

        def cond(values):
            cond_consts, _, carry = _split(values, cond_nconsts, body_nconsts)
            args = [*cond_consts, *carry]
            inside = ctx.inside("while/cond")
            return emit.program(inside, cond_jaxpr.jaxpr, cond_jaxpr.consts, *args)

        def body(values):
            cond_consts, body_consts, carry = _split(values, cond_nconsts, body_nconsts)
            args = [*body_consts, *carry]
            inside = ctx.inside(body_names)
            outs = emit.program(inside, body_jaxpr.jaxpr, body_jaxpr.consts, *args)
            return [*cond_consts, *body_consts, *outs]

        return emit.while_loop(operands, cond, body)[cond_nconsts + body_nconsts :]

    def low(avals, out_avals, *, cond_jaxpr, body_jaxpr, **params):
        numbers = hijax.counts(avals)
        n_cond, n_body = params["cond_nconsts"], params["body_nconsts"]
        return {
            "cond_jaxpr": hijax.lowered(cond_jaxpr),
            "body_jaxpr": hijax.lowered(body_jaxpr),
            "cond_nconsts": sum(numbers[:n_cond]),
            "body_nconsts": sum(numbers[n_cond : n_cond + n_body]),
        }

    def jvp_all(primals, tangents, **params):
        return _jvp(primals, tangents, **params)

    def partial_eval(trace, *args, **params):
        return _partial_eval(trace, args, params)

    def transpose(cts, *operands, **params):
        raise value_error(
            "Reverse-mode differentiation does not work for lax.while_loop or "
            "lax.fori_loop with dynamic start/stop values.",
            [("carried", ", ".join(a.str_short() for a in _avals(operands)))],
            "It would need the values of all steps, whose number is not known.",
            "With a known number of steps: lax.scan, or lax.fori_loop(0, n, …) with "
            "an integer n.",
            "Forward mode works: jax.jvp, jax.jacfwd.",
        )

    def batch(axis, args, dims, **params):
        return _batch(axis, args, dims, **params)

    def dce(used_outputs, eqn):
        return _dce(used_outputs, eqn)

    def order(eqn, token, out):
        return _ordered(eqn, token, out)

    def reference(*args, **params):
        args, params = reduce_batched_predicate(args, params)
        cond_nconsts, body_nconsts = params["cond_nconsts"], params["body_nconsts"]
        cond_jaxpr, body_jaxpr = params["cond_jaxpr"], params["body_jaxpr"]
        cond_consts, body_consts, carry = _split(args, cond_nconsts, body_nconsts)
        while bool(
            np.asarray(run_closed_by_reference(cond_jaxpr, *cond_consts, *carry)[0])
        ):
            outs = run_closed_by_reference(body_jaxpr, *body_consts, *carry)
            carry = [np.asarray(out) for out in outs]
        return carry


def _avals(operands):
    return [x.aval if ad.is_undefined_primal(x) else get_aval(x) for x in operands]


def _jvp(primals, tangents, *, cond_nconsts, cond_jaxpr, body_nconsts, body_jaxpr):
    cond_consts, body_consts, carry = _split(primals, cond_nconsts, body_nconsts)
    _, t_consts, t_carry = _split(tangents, cond_nconsts, body_nconsts)
    consts_nz, carry_nz = (
        programs.nonzero_mask(t_consts),
        programs.nonzero_mask(t_carry),
    )
    while True:
        program, out_nz = jvp_jaxpr(body_jaxpr, (*consts_nz, *carry_nz), carry_nz)
        grown = programs.either(carry_nz, out_nz)
        if grown == carry_nz:
            break
        carry_nz = grown
    t_consts = programs.select_where(consts_nz, t_consts)
    t_carry = [
        ad.instantiate_zeros(t) for t in programs.select_where(carry_nz, t_carry)
    ]
    n_consts, n_carry, n_moved = len(body_consts), len(carry), len(t_consts)
    # The program has values first, then tangents; the loop wants all consts first.
    start = n_consts + n_carry
    order = [
        *range(n_consts),
        *range(start, start + n_moved),
        *range(n_consts, start),
        *range(start + n_moved, start + n_moved + len(t_carry)),
    ]
    outs_order = range(len(program.jaxpr.outvars))
    moved_avals = [get_aval(t) for t in t_carry]
    ends = [len(cond_jaxpr.jaxpr.invars) + i for i in range(len(t_carry))]
    outs = while_p.bind(
        *cond_consts,
        *body_consts,
        *t_consts,
        *carry,
        *t_carry,
        cond_nconsts=cond_nconsts,
        cond_jaxpr=programs.with_unused_inputs(cond_jaxpr, ends, moved_avals),
        body_nconsts=n_consts + n_moved,
        body_jaxpr=programs.reordered(program, order, outs_order),
    )
    live = iter(outs[n_carry:])
    return outs[:n_carry], [
        next(live) if nz else ad.Zero(get_aval(out).to_tangent_aval())
        for out, nz in zip(outs[:n_carry], carry_nz, strict=True)
    ]


def _partial_eval(trace, args, params):
    """Runs a loop of the known carries now; the whole loop is staged for the others."""
    cond_nconsts, body_nconsts = params["cond_nconsts"], params["body_nconsts"]
    cond_jaxpr, body_jaxpr = params["cond_jaxpr"], params["body_jaxpr"]
    unknown = [trace.is_unknown(a) for a in args]
    cond_uk, body_uk, carry_uk = map(tuple, _split(unknown, cond_nconsts, body_nconsts))
    while True:
        known, _, out_uk, residuals = pe.partial_eval_jaxpr(
            body_jaxpr, (*body_uk, *carry_uk), carry_uk
        )
        grown = programs.either(carry_uk, out_uk)
        if grown == carry_uk:
            break
        carry_uk = grown
    reads = _reads(cond_jaxpr)
    depends = any(
        used and uk for used, uk in zip(reads, (*cond_uk, *carry_uk), strict=True)
    )
    if depends or all(carry_uk):
        return trace.staging.process(while_p, args, params)
    cond_consts, body_consts, carry = _split(args, cond_nconsts, body_nconsts)
    kept = [not uk for uk in carry_uk]
    n_out = len(known.jaxpr.outvars) - len(residuals)
    known_body = programs.reordered(known, range(len(known.jaxpr.invars)), range(n_out))
    indices = [*[not uk for uk in cond_uk], *kept]
    known_cond = programs.reordered(
        cond_jaxpr, [i for i, keep in enumerate(indices) if keep], [0]
    )
    known_consts = programs.select_where([not uk for uk in cond_uk], cond_consts)
    known_body_consts = programs.select_where([not uk for uk in body_uk], body_consts)
    known_carry = programs.select_where(kept, carry)
    early = trace.known(
        lambda: while_p.bind(
            *known_consts,
            *known_body_consts,
            *known_carry,
            cond_nconsts=len(known_consts),
            cond_jaxpr=known_cond,
            body_nconsts=len(known_body_consts),
            body_jaxpr=known_body,
        )
    )
    late = trace.staging.process(while_p, args, params)
    return programs.merge_where(carry_uk, programs.select_where(carry_uk, late), early)


def _reads(closed) -> list[bool]:
    """Returns which inputs a program uses."""
    return pe.dce_closed(closed, [True] * len(closed.jaxpr.outvars))[1]


def _batch(axis, args, dims, **params):
    cond_nconsts, body_nconsts = params["cond_nconsts"], params["body_nconsts"]
    cond_jaxpr, body_jaxpr = params["cond_jaxpr"], params["body_jaxpr"]
    cond_consts, body_consts, carry = _split(args, cond_nconsts, body_nconsts)
    cond_dims, body_dims, carry_dims = _split(dims, cond_nconsts, body_nconsts)
    carried = [d is not None for d in carry_dims]
    passed = _passed(body_jaxpr, body_nconsts)
    by_row = [b or not p for b, p in zip(carried, passed, strict=True)]
    has_rows = bool(cond_jaxpr.out_avals[0].shape)
    while True:
        inside = [0 if b else None for b in carried]
        cond, (pred_dim,) = batching.batch_jaxpr(
            cond_jaxpr, axis, [*cond_dims, *inside]
        )
        if has_rows or pred_dim is not None:
            # The axes of the predicate are the first axes of the carry.
            cond, (pred_dim,) = batching.batch_jaxpr(
                cond_jaxpr, axis, [*cond_dims, *inside], [0]
            )
            if carried != by_row:
                carried = by_row
                continue
        body, out_dims = batching.batch_jaxpr(
            body_jaxpr, axis, [*body_dims, *inside], inside
        )
        grown = [b or d is not None for b, d in zip(carried, out_dims, strict=True)]
        if grown == carried:
            break
        carried = grown
    carry = [
        batching.bdim_at_front(x, d, axis.size) if b else x
        for x, d, b in zip(carry, carry_dims, carried, strict=True)
    ]
    if pred_dim is not None and programs.has_checks(cond_jaxpr, body_jaxpr):
        return programs.batch_checks(while_p, axis, args, dims, params)
    if pred_dim is not None:
        effects = jaxpr.join_effects(cond_jaxpr.effects, body_jaxpr.effects)
        programs.refuse_effects("lax.while_loop", effects)
        programs.refuse_high("lax.while_loop by rows", map(get_aval, carry), carry_dims)
    outs = while_p.bind(
        *cond_consts,
        *body_consts,
        *carry,
        cond_nconsts=cond_nconsts,
        cond_jaxpr=cond,
        body_nconsts=body_nconsts,
        body_jaxpr=body,
    )
    return outs, [0 if b else None for b in carried]


def _passed(body, body_nconsts) -> list[bool]:
    """Returns which carries every step passes on unchanged."""
    before = body.jaxpr.invars[body_nconsts:]
    return [a is b for a, b in zip(before, body.jaxpr.outvars, strict=True)]


def reduce_batched_predicate(args: Sequence, params: dict) -> tuple[list, dict]:
    """Returns operands and parameters of a loop with a scalar predicate: true while it is for one batch element.

    The condition of a loop that `jax.vmap` made may give a truth value for each batch element. The
    loop goes on while one is true; steps do not change the batch elements whose own is false.
    """
    cond, body = params["cond_jaxpr"], params["body_jaxpr"]
    if not cond.out_avals[0].shape:
        return list(args), params
    n_cond, n_body = params["cond_nconsts"], params["body_nconsts"]
    cond_consts, body_consts, carry = _split(args, n_cond, n_body)
    # Many bodies may come with one condition, which outlives them.
    of_bodies = cond.derived("for all rows", weakref.WeakKeyDictionary)
    made = of_bodies.setdefault(body, {})
    if n_cond not in made:
        made[n_cond] = _for_all_rows(cond, body, n_cond, n_body)
    any_row, step = made[n_cond]
    return [*cond_consts, *cond_consts, *body_consts, *carry], {
        **params,
        "cond_jaxpr": any_row,
        "body_nconsts": n_cond + n_body,
        "body_jaxpr": step,
    }


def _for_all_rows(cond, body, cond_nconsts, body_nconsts):
    passed = _passed(body, body_nconsts)

    def any_row(*args):
        (pred,) = evaluate.eval_closed(cond, *args)
        return [reduce_or(pred, tuple(range(np.ndim(pred))))]

    def step(*args):
        cond_consts, body_consts, carry = _split(args, cond_nconsts, body_nconsts)
        with state.scope("body_pred"):
            (pred,) = evaluate.eval_closed(cond, *cond_consts, *carry)
        with state.scope("body"):
            outs = evaluate.eval_closed(body, *body_consts, *carry)
            return [
                old if is_passed else _keep(pred, new, old)
                for new, old, is_passed in zip(outs, carry, passed, strict=True)
            ]

    carry_avals = body.in_avals[body_nconsts:]
    cond_avals = cond.in_avals[:cond_nconsts]
    body_avals = body.in_avals[:body_nconsts]
    return (
        pe.trace_to_closed(any_row, [*cond_avals, *carry_avals]),
        pe.trace_to_closed(step, [*cond_avals, *body_avals, *carry_avals]),
    )


def _keep(pred, new, old):
    shape = np.shape(new)
    if np.ndim(pred) < len(shape):
        pred = broadcast_in_dim(pred, shape, range(np.ndim(pred)))
    return select(pred, new, old)


def _dce(used_outputs, eqn):
    params = eqn.params
    cond, body = params["cond_jaxpr"], params["body_jaxpr"]
    cond_nconsts, body_nconsts = params["cond_nconsts"], params["body_nconsts"]
    if cond.effects or body.effects:
        return [True] * len(eqn.invars), eqn
    if not any(used_outputs):
        return [False] * len(eqn.invars), None
    needed = programs.either(used_outputs, _reads(cond)[cond_nconsts:])
    needed = pe.used_with_carries(body, needed, body_nconsts, len(used_outputs))
    keep = [*[False] * body_nconsts, *needed]
    smaller, used_inputs = pe.dce_closed(body, needed, keep)
    if smaller is body and all(needed):
        return [True] * len(eqn.invars), eqn
    cond_inputs = [*[True] * cond_nconsts, *needed]
    kept = [i for i, used in enumerate(cond_inputs) if used]
    new = eqn.replace(
        invars=programs.select_where(
            [*[True] * cond_nconsts, *used_inputs[:body_nconsts], *needed], eqn.invars
        ),
        outvars=programs.select_where(needed, eqn.outvars),
        params={
            "cond_nconsts": cond_nconsts,
            "cond_jaxpr": programs.reordered(cond, kept, [0]),
            "body_nconsts": sum(used_inputs[:body_nconsts]),
            "body_jaxpr": smaller,
        },
    )
    return [*[True] * cond_nconsts, *used_inputs[:body_nconsts], *needed], new


def _ordered(eqn, token, out):
    """Returns the equations of a loop that also carries a token."""
    params = eqn.params
    cond_nconsts, body_nconsts = params["cond_nconsts"], params["body_nconsts"]
    cond, body = params["cond_jaxpr"], params["body_jaxpr"]
    if mlir.is_ordered(cond.effects):
        return _ordered_condition(eqn, token, out)
    n_body = len(body.jaxpr.invars)
    order = [*range(1, body_nconsts + 1), 0, *range(body_nconsts + 1, n_body + 1)]
    threaded = mlir.with_token(body)
    start = cond_nconsts + body_nconsts
    return [
        eqn.replace(
            invars=[*eqn.invars[:start], token, *eqn.invars[start:]],
            outvars=[out, *eqn.outvars],
            params={
                **params,
                "cond_jaxpr": programs.with_unused_inputs(
                    cond, [cond_nconsts], [avals_lib.abstract_token]
                ),
                "body_jaxpr": programs.reordered(
                    threaded, order, range(len(threaded.jaxpr.outvars))
                ),
            },
        )
    ]


def _ordered_condition(eqn, token, out):
    """Returns the equations of a loop whose condition has effects; the predicate is a carry."""
    params = eqn.params
    cond_nconsts, body_nconsts = params["cond_nconsts"], params["body_nconsts"]
    cond, body = params["cond_jaxpr"], params["body_jaxpr"]
    ask, step = mlir.with_token(cond), mlir.with_token(body)
    n_consts = cond_nconsts + body_nconsts

    def ask_and_step(*args):
        cond_consts, body_consts, (_, token, *carry) = _split(
            args, cond_nconsts, body_nconsts
        )
        token, *carry = evaluate.eval_closed(step, token, *body_consts, *carry)
        token, pred = evaluate.eval_closed(ask, token, *cond_consts, *carry)
        return [pred, token, *carry]

    pred_aval = cond.out_avals[0]
    state_avals = [pred_aval, avals_lib.abstract_token, *body.in_avals[body_nconsts:]]
    const_avals = [v.aval for v in eqn.invars[:n_consts]]
    again = pe.trace_to_closed(ask_and_step, [*const_avals, *state_avals])
    goes_on = pe.trace_to_closed(lambda pred, *rest: [pred], state_avals)
    consts, carry = eqn.invars[:n_consts], eqn.invars[n_consts:]
    pred, out_token = jaxpr.Var(pred_aval), jaxpr.Var(avals_lib.abstract_token)
    first = jaxpr.JaxprEqn(
        [token, *consts[:cond_nconsts], *carry],
        [out_token, pred],
        jit_primitive.jit_p,
        jit_primitive.default_params(
            ask, "cond", len(ask.jaxpr.invars), len(ask.jaxpr.outvars)
        ),
        ask.effects,
        eqn.location,
        eqn.name_stack,
    )
    loop = eqn.replace(
        invars=[*consts, pred, out_token, *carry],
        outvars=[jaxpr.DropVar(pred_aval), out, *eqn.outvars],
        params={
            "cond_nconsts": 0,
            "cond_jaxpr": goes_on,
            "body_nconsts": n_consts,
            "body_jaxpr": again,
        },
    )
    return [first, loop]


def while_flat(cond: Callable, body: Callable, init: Sequence) -> list:
    """Binds a loop over a list of values; for rules of primitives."""
    avals = [get_aval(x) for x in init]
    cond_jaxpr, cond_consts = pe.trace_to_jaxpr(lambda *xs: [cond(*xs)], avals)
    body_jaxpr, body_consts = pe.trace_to_jaxpr(lambda *xs: body(*xs), avals)
    return while_p.bind(
        *cond_consts,
        *body_consts,
        *init,
        cond_nconsts=len(cond_consts),
        cond_jaxpr=jaxpr.ClosedJaxpr(pe.consts_to_inputs(cond_jaxpr), []),
        body_nconsts=len(body_consts),
        body_jaxpr=jaxpr.ClosedJaxpr(pe.consts_to_inputs(body_jaxpr), []),
    )


def while_loop(
    cond_fun: Callable[[T], Any], body_fun: Callable[[T], T], init_val: T
) -> T:
    """Applies `body_fun` again and again while `cond_fun` holds.

    As Python: ``while cond_fun(val): val = body_fun(val)``, with the loop inside of the
    compiled program. Reverse-mode derivatives do not exist; forward-mode ones do.

    Args:
        cond_fun: from the value to a boolean scalar.
        body_fun: from the value to the next one, of the same structure and types.
        init_val: a tree of arrays.

    Returns:
        The last value.

    Raises:
        TypeError: a function returns something of another type.

    Examples:
        >>> jax.lax.while_loop(lambda x: x < 100, lambda x: 2 * x, 3)
        Array(192, dtype=int32, weak_type=True)
    """
    for fun, name in ((cond_fun, "cond_fun"), (body_fun, "body_fun")):
        programs.require_callable(
            "lax.while_loop", name, fun, "It takes the loop's value."
        )
    if python_control_flow.is_requested():
        last = python_control_flow.while_loop(cond_fun, body_fun, init_val)
        if last is not python_control_flow.TRACED:
            return last
    leaves, structure = trees.tree_flatten(init_val)
    debug = programs.debug_info("while_loop body", body_fun, (init_val,))
    tree_in = trees.treedef_tuple([structure])
    while True:
        avals = [get_aval(x) for x in leaves]
        body, body_consts, tree_out, body_links = programs.trace_linked(
            "lax.while_loop", body_fun, tree_in, avals, debug
        )
        if tree_out != structure:
            break
        leaves, changed = programs.promote_weak(leaves, body.out_avals[: len(leaves)])
        if not changed:
            break
    names = programs.leaf_names(body_fun, (init_val,))
    programs.check_carry(
        "lax.while_loop",
        body_fun,
        names,
        structure,
        avals,
        tree_out,
        body.out_avals[: tree_out.num_leaves],
    )
    cond, cond_consts, cond_tree, cond_links = programs.trace_linked(
        "lax.while_loop", cond_fun, tree_in, avals, debug
    )
    _check_condition(cond_fun, cond, cond_tree, cond_links)
    if body_links or cond_links:
        outs = _while_with_references(
            cond, cond_consts, cond_links, body, body_consts, body_links, leaves
        )
        return trees.tree_unflatten(structure, outs)
    outs = while_p.bind(
        *cond_consts,
        *body_consts,
        *leaves,
        cond_nconsts=len(cond_consts),
        cond_jaxpr=cond,
        body_nconsts=len(body_consts),
        body_jaxpr=body,
    )
    # A carry that no step changes ends with its initial value.
    passed = _passed(body, len(body_consts))
    outs = [
        start if same else end
        for start, end, same in zip(leaves, outs, passed, strict=True)
    ]
    return trees.tree_unflatten(structure, outs)


def _while_with_references(
    cond, cond_consts, cond_links, body, body_consts, body_links, leaves
):
    """The results of a loop whose functions use references."""
    carried, n_carry, n_cond = body_links.written, len(leaves), len(cond_consts)
    shared = {id(ref) for ref in carried}
    # Of the references that the condition reads, those that the body writes are carried.
    still = [ref for ref in cond_links.captured if id(ref) not in shared]
    goes_on = _condition_with_references(
        cond, n_cond, n_carry, cond_links.captured, still, carried
    )
    body = programs.carrying(body, len(body_consts), n_carry, body_links)
    body_consts = [*body_consts, *(ref.read() for ref in body_links.read_only)]
    outs = while_p.bind(
        *cond_consts,
        *(ref.read() for ref in still),
        *body_consts,
        *leaves,
        *(ref.read() for ref in carried),
        cond_nconsts=n_cond + len(still),
        cond_jaxpr=goes_on,
        body_nconsts=len(body_consts),
        body_jaxpr=body,
    )
    return body_links.take(outs)


def _condition_with_references(cond, n_cond, n_carry, captured, still, carried):
    """Returns the condition with inputs for references in the order of the loop's operands."""
    indices = {id(ref): i for i, ref in enumerate(captured)}
    constant = tuple(indices[id(ref)] for ref in still)
    # The type alone of references that the condition does not read.
    changing = tuple(indices.get(id(ref), ref.aval.inner_aval) for ref in carried)

    def make():
        invars, start = cond.jaxpr.invars, n_cond + n_carry
        own = invars[start:]
        changed = cond.jaxpr.replace(
            invars=[
                *invars[:n_cond],
                *(own[i] for i in constant),
                *invars[n_cond:start],
                *(own[i] if isinstance(i, int) else jaxpr.Var(i) for i in changing),
            ],
            debug_info=jaxpr.no_debug_info,
        )
        return jaxpr.ClosedJaxpr(changed, cond.consts)

    return cond.derived(("references", constant, changing), make)


def _check_condition(fun, program, structure, links) -> None:
    if links.written:
        raise not_implemented(
            "lax.while_loop: the condition writes to a reference from outside.",
            [
                ("cond_fun", programs.calls.describe(fun)),
                ("reference", repr(links.written[0].aval)),
            ],
            "The condition only decides.",
            "Write in the body.",
        )
    avals = program.out_avals
    is_scalar = len(avals) == 1 and structure == trees.tree_structure(0)
    if not is_scalar or (avals[0].shape, avals[0].dtype) != ((), np.bool_):
        got = f"output type(s) {avals}"
        if structure != trees.tree_structure(0):
            got = f"pytree {structure}"
        raise type_error(
            f"lax.while_loop: cond_fun must return a boolean scalar, but got {got}.",
            [("cond_fun", programs.calls.describe(fun))],
            "Whether to go on is one truth value.",
            "For several: jnp.any(...) or jnp.all(...). For a number: x != 0.",
        )


traceback_filter.hide_frames(globals())
