"""The primitive `cond`: a choice between programs."""

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from jax._src import dtypes, tree as trees
from jax._src.base import traceback_filter
from jax._src.core import (
    avals as avals_lib,
    evaluate,
    jaxpr as jaxpr_lib,
    reference_links,
    slots,
    trace as trace_lib,
    vma,
)
from jax._src.core.avals import get_aval
from jax._src.core.primitive import BY_TYPES, declare
from jax._src.core.symbols import expressions
from jax._src.interpreters import ad, batching, hijax, mlir, partial_eval as pe
from jax._src.interpreters.ad import backward_logs
from jax._src.jit.primitive import jvp_jaxpr
from jax._src.lax.control_flow import branch_residuals, programs, python_control_flow
from jax._src.lax.ops import emit
from jax._src.lax.ops.barriers import stop_gradient_p
from jax._src.lax.ops.broadcast_and_reduce_sum import batch_in_front, broadcast_in_dim
from jax._src.lax.ops.checks import BOOL, COMPLEX, INTEGER, is_inexact, kind_of
from jax._src.lax.ops.comparison import eq, ne
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import scalar_like
from jax._src.lax.ops.messages import type_error
from jax._src.lax.ops.reference_programs import run_closed_by_reference
from jax._src.lax.ops.selection import clamp, select, select_n
from jax._src.transforms import calls

T = TypeVar("T")


def group_of(platform: str, groups) -> int | None:
    """Returns the number of the first group that holds a platform; None holds all."""
    for number, group in enumerate(groups):
        if group is None or platform in group:
            return number
    return None


@declare("cond", multiple_results=True)
class cond_p:
    """Runs one of several programs, by number."""

    manual = vma.AS_TYPES

    def types(index, *avals, branches, **params):
        return branches[0].out_avals

    sharding = BY_TYPES

    def effects(index, *avals, branches, **params):
        return programs.allowed_effects("cond", *branches)

    def lower(ctx, index, *operands, branches, branches_platforms=None):
        bodies = [
            lambda branch=branch, i=i: emit.program(
                ctx.inside(f"cond/branch_{i}_fun"),
                branch.jaxpr,
                branch.consts,
                *operands,
            )
            for i, branch in enumerate(branches)
        ]
        if branches_platforms is not None:
            # The other branches may call what this platform does not have.
            return bodies[group_of(ctx.platforms[0], branches_platforms)]()
        return emit.case(index, bodies, ctx.avals_out)

    def low(avals, out_avals, *, branches, **params):
        return {**params, "branches": tuple(map(hijax.lowered, branches))}

    def jvp_all(primals, tangents, *, branches, **params):
        index, *operands = primals
        nonzero = programs.nonzero_mask(tangents[1:])
        masks = [jvp_jaxpr(branch, nonzero)[1] for branch in branches]
        out_nz = masks[0]
        for mask in masks[1:]:
            out_nz = programs.either(out_nz, mask)
        bodies = tuple(
            jvp_jaxpr(branch, nonzero, tuple(out_nz))[0] for branch in branches
        )
        live = programs.select_where(nonzero, tangents[1:])
        outs = cond_p.bind(index, *operands, *live, branches=bodies, **params)
        n_out = len(out_nz)
        moved = iter(outs[n_out:])
        return outs[:n_out], [
            next(moved) if nz else ad.Zero(get_aval(out).to_tangent_aval())
            for out, nz in zip(outs[:n_out], out_nz, strict=True)
        ]

    def partial_eval(trace, index, *operands, branches, **params):
        if trace.is_unknown(index):
            args = (index, *operands)
            return trace.staging.process(cond_p, args, {"branches": branches, **params})
        return _partial_eval(trace, index, operands, branches, params)

    def transpose(cts, index, *operands, branches, **params):
        return _transpose(cts, index, operands, branches, params)

    def batch(axis, args, dims, *, branches, **params):
        if dims[0] is not None:
            return _batch_chosen(axis, args, dims, {**params, "branches": branches})
        index, *operands = args
        out_dims = [False] * len(branches[0].jaxpr.outvars)
        for branch in branches:
            _, found = batching.batch_jaxpr(branch, axis, dims[1:])
            out_dims = [
                b or d is not None for b, d in zip(out_dims, found, strict=True)
            ]
        wanted = [0 if b else None for b in out_dims]
        bodies = tuple(
            batching.batch_jaxpr(branch, axis, dims[1:], wanted)[0]
            for branch in branches
        )
        outs = cond_p.bind(index, *operands, branches=bodies, **params)
        return outs, wanted

    def dce(used_outputs, eqn):
        return _dce(used_outputs, eqn)

    def expose(eqn, find):
        return _expose(eqn, find)

    def order(eqn, token, out):
        branches = tuple(mlir.with_token(b) for b in eqn.params["branches"])
        return [
            eqn.replace(
                invars=[eqn.invars[0], token, *eqn.invars[1:]],
                outvars=[out, *eqn.outvars],
                params={**eqn.params, "branches": branches},
            )
        ]

    def reference(index, *operands, branches, **params):
        number = min(max(int(index), 0), len(branches) - 1)
        outs = run_closed_by_reference(branches[number], *operands)
        return [np.asarray(out) for out in outs]


def _partial_eval(trace, index, operands, branches, params):
    unknown = [trace.is_unknown(x) for x in operands]
    out_uk = [False] * len(branches[0].jaxpr.outvars)
    for branch in branches:
        _, _, found, _ = pe.partial_eval_jaxpr(branch, unknown)
        out_uk = list(programs.either(out_uk, found))
    parts = [pe.partial_eval_jaxpr(branch, unknown, out_uk) for branch in branches]
    slot_avals, indices = branch_residuals.shared_slots([part[3] for part in parts])
    known = tuple(
        branch_residuals.with_all_slots(part[0], len(part[3]), own_slots, slot_avals)
        for part, own_slots in zip(parts, indices, strict=True)
    )
    late = tuple(
        branch_residuals.reading_slots(part[1], own_slots, slot_avals)
        for part, own_slots in zip(parts, indices, strict=True)
    )
    known_operands = programs.select_where([not uk for uk in unknown], operands)
    outs = trace.known(
        lambda: cond_p.bind(index, *known_operands, branches=known, **params)
    )
    n_early = len(outs) - len(slot_avals)
    if not any(out_uk):
        return outs[:n_early]
    late_args = (index, *outs[n_early:], *programs.select_where(unknown, operands))
    late_outs = trace.staging.process(cond_p, late_args, {"branches": late, **params})
    return programs.merge_where(out_uk, late_outs, outs[:n_early])


def _expose(eqn, find):
    """The choice that also returns what is kept, and the one that takes it."""
    branches = eqn.params["branches"]
    found = [find(branch) for branch in branches]
    if all(one.is_plain for one in found):
        return None
    slot_avals, indices = branch_residuals.shared_slots([one.avals for one in found])
    extra = [jaxpr_lib.Var(aval) for aval in slot_avals]
    bodies = tuple(
        branch_residuals.with_all_slots(
            one.program, len(one.avals), own_slots, slot_avals
        )
        for one, own_slots in zip(found, indices, strict=True)
    )

    def reuse(mask, atoms):
        kept = [i for i, m in enumerate(mask) if m]
        kept_avals = tuple(slot_avals[i] for i in kept)
        numbers = {i: number for number, i in enumerate(kept)}
        late = []
        for one, own_slots in zip(found, indices, strict=True):
            program = one.reuse([mask[i] for i in own_slots])
            mine = tuple(numbers[i] for i in own_slots if mask[i])
            late.append(branch_residuals.reading_slots(program, mine, kept_avals))
        index, *operands = eqn.invars
        params = {**eqn.params, "branches": tuple(late)}
        return eqn.replace(invars=[index, *atoms, *operands], params=params)

    params = {**eqn.params, "branches": bodies}
    return eqn.replace(outvars=[*eqn.outvars, *extra], params=params), extra, reuse


def _transpose(cts, index, operands, branches, params):
    linear = tuple(ad.is_undefined_primal(x) for x in operands)
    ct_nz = programs.nonzero_mask(cts)
    made = [_transposed_branch(b, linear, ct_nz) for b in branches]
    closed, links, logs = zip(*made, strict=True)
    bodies, refs, written = programs.with_all_references(closed, links)
    known = [x for x in operands if not ad.is_undefined_primal(x)]
    outs = cond_p.bind(
        index,
        *known,
        *programs.select_where(ct_nz, cts),
        *(ref.read() for ref in refs),
        branches=bodies,
        **params,
    )
    outs = iter(reference_links.stored(written, outs))
    # Which branch reports is not known here.
    for reported in logs:
        reported.keep(())
    return [None, *(next(outs) if is_linear else None for is_linear in linear)]


def _transposed_branch(branch, linear, ct_nz):
    """A branch backwards; it returns a cotangent for every linear operand."""

    def make():
        def run(*args):
            args = iter(args)
            operands = [
                ad.UndefinedPrimal(aval) if is_linear else next(args)
                for aval, is_linear in zip(branch.in_avals, linear, strict=True)
            ]
            cts = [
                next(args) if nz else ad.Zero(aval.to_cotangent_aval())
                for aval, nz in zip(branch.out_avals, ct_nz, strict=True)
            ]
            with backward_logs.collect(wanted=False) as logs:
                outs = ad.backward_pass(branch.jaxpr, branch.consts, operands, cts)
            reported[:] = [backward_logs.Reported(logs, branch.debug_info.func_name)]
            return [
                ad.instantiate_zeros(o) for o in programs.select_where(linear, outs)
            ]

        reported: list[backward_logs.Reported] = []
        negated = [not is_linear for is_linear in linear]
        avals = programs.select_where(negated, branch.in_avals)
        cts = programs.select_where(ct_nz, branch.out_avals)
        avals += [aval.to_cotangent_aval() for aval in cts]
        jaxpr, consts, links = pe.trace_with_references(run, avals, branch.debug_info)
        return jaxpr_lib.ClosedJaxpr(jaxpr, consts), links, reported[0]

    return branch.derived(("cond_transpose", linear, ct_nz), make)


def _batch_chosen(axis, args, dims, params):
    """Each row chooses for itself: all branches run, and the results are selected."""
    branches = params["branches"]
    if programs.has_checks(*branches):
        return programs.batch_checks(cond_p, axis, args, dims, params)
    index = batch_in_front(args[0], dims[0], axis.size)
    operands, operand_dims = list(args[1:]), list(dims[1:])
    programs.refuse_effects(
        "lax.cond", jaxpr_lib.join_effects(*[branch.effects for branch in branches])
    )
    results = []
    for i, branch in enumerate(branches):
        chosen = eq(index, scalar_like(index, i))
        # Rows that are not taken must not spoil the derivative with their NaNs.
        guarded = [
            _guard(chosen, x, d, axis.size)
            for x, d in zip(operands, operand_dims, strict=True)
        ]
        found_dims = [
            _batch_dim_of(x, d) for x, d in zip(operands, operand_dims, strict=True)
        ]
        # Directly, and not by a program of its own: each level of nesting would trace
        # again all that is inside of it.
        outs, out_dims = batching.batch(
            lambda *xs, branch=branch: evaluate.eval_closed(branch, *xs),
            axis,
            guarded,
            found_dims,
        )
        found = batching.all_at_front(outs, out_dims, axis.size)
        programs.refuse_high("lax.cond by rows", map(get_aval, found), [0] * len(found))
        results.append(found)
    outs = [_choose(index, cases) for cases in zip(*results, strict=True)]
    return outs, [0] * len(outs)


def _batch_dim_of(x, dim):
    if get_aval(x).is_high:
        return dim
    return 0 if dim is not None or _is_differentiable(x) else None


def _is_differentiable(x):
    aval = get_aval(x)
    return isinstance(aval, avals_lib.ShapedArray) and is_inexact(aval.dtype)


def _guard(chosen, x, dim, size):
    if get_aval(x).is_high:
        return x
    if not _is_differentiable(x):
        return x if dim is None else batch_in_front(x, dim, size)
    x = batch_in_front(x, dim, size)
    mask = broadcast_in_dim(chosen, np.shape(x), (0,)) if np.ndim(x) > 1 else chosen
    return select(mask, x, stop_gradient_p.bind(x))


def _choose(index, cases):
    shape = np.shape(cases[0])
    if len(shape) > 1:
        index = broadcast_in_dim(index, shape, (0,))
    if len(cases) == 2:
        return select_n(ne(index, scalar_like(index, 0)), *cases)
    return select_n(index, *cases)


def _dce(used_outputs, eqn):
    branches = eqn.params["branches"]
    if any(branch.effects for branch in branches):
        return [True] * len(eqn.invars), eqn
    if not any(used_outputs):
        return [False] * len(eqn.invars), None
    used_inputs = [False] * (len(eqn.invars) - 1)
    for branch in branches:
        _, used = pe.dce_closed(branch, used_outputs)
        used_inputs = list(programs.either(used_inputs, used))
    smaller = tuple(
        pe.dce_closed(branch, used_outputs, used_inputs)[0] for branch in branches
    )
    if all(map(operator.is_, smaller, branches)):
        return [True] * len(eqn.invars), eqn
    new = eqn.replace(
        invars=[eqn.invars[0], *programs.select_where(used_inputs, eqn.invars[1:])],
        outvars=programs.select_where(used_outputs, eqn.outvars),
        params={**eqn.params, "branches": smaller},
    )
    return [True, *used_inputs], new


def _trace_branches(what, funs, names, operands):
    """The programs of branches, with one list of captured values, and the result tree.

    Returns:
        The programs, their operands, the structure of the results, and the references
        that are written: their new arrays are the last results.
    """
    leaves, structure = trees.tree_flatten(tuple(operands))
    leaves, held = reference_links.hold(leaves, what)
    avals = [get_aval(x) for x in leaves]
    traced = [
        programs.trace_linked(
            what,
            fun,
            structure,
            avals,
            programs.debug_info(what, fun, tuple(operands)),
            held,
        )
        for fun in funs
    ]
    linked, refs, written = programs.with_all_references(
        [t[0] for t in traced], [t[3] for t in traced]
    )
    traced = [(p, *t[1:]) for p, t in zip(linked, traced, strict=True)]
    _check_results(what, funs, names, [t[:3] for t in traced])
    consts: list = []
    seen: dict[int, int] = {}
    for _, captured, _, _ in traced:
        for const in captured:
            if id(const) not in seen:
                seen[id(const)] = len(consts)
                consts.append(const)
    const_avals = [get_aval(const) for const in consts]
    bodies = [
        _with_all_consts(closed, [seen[id(c)] for c in captured], const_avals)
        for closed, captured, _, _ in traced
    ]
    args = [*consts, *leaves, *(ref.read() for ref in refs)]
    return bodies, args, traced[0][2], written


def _run_branches(index, bodies, args, structure, written, **params):
    """The result of the chosen branch, after the references got their new arrays."""
    bodies = _with_joined_types(bodies)
    passed = _passed(index, bodies, args)
    if any(same is not None for same in passed):
        chosen = tuple(same is None for same in passed)
        bodies = [_with_outputs(program, chosen) for program in bodies]
    rest = iter(cond_p.bind(index, *args, branches=tuple(bodies), **params))
    outs = [next(rest) if same is None else same for same in passed]
    return trees.tree_unflatten(structure, reference_links.stored(written, outs))


def _passed(index, bodies, args) -> list:
    """What each result is whichever branch runs, or None.

    An operand that all branches return is no matter of choice: rows that choose for
    themselves share it. Outside of transformations, results are arrays of their own.
    """
    columns = list(zip(*[p.jaxpr.outvars for p in bodies], strict=True))
    if not any(isinstance(x, trace_lib.Tracer) for x in (index, *args)):
        return [None] * len(columns)
    known = [dict(zip(p.jaxpr.invars, args, strict=True)) for p in bodies]
    found = []
    for column in columns:
        values = [
            atom.val if isinstance(atom, jaxpr_lib.Literal) else operands.get(atom)
            for operands, atom in zip(known, column, strict=True)
        ]
        is_same = all(x is values[0] for x in values)
        found.append(_as_result(values[0], column[0].aval) if is_same else None)
    return found


def _as_result(x, aval):
    """What goes in and comes out unchanged, as a result: numbers become arrays."""
    if (
        x is None
        or isinstance(x, trace_lib.Tracer)
        or not isinstance(aval, avals_lib.ShapedArray)
    ):
        return x
    return convert(x, aval.dtype, aval.weak_type)


def _with_outputs(program, chosen):
    def make():
        kept = programs.select_where(chosen, program.jaxpr.outvars)
        debug = program.jaxpr.debug_info.replace(result_paths=None)
        smaller = program.jaxpr.replace(outvars=kept, debug_info=debug)
        return jaxpr_lib.ClosedJaxpr(smaller, program.consts)

    return program.derived(("with outputs", chosen), make)


def _with_all_consts(closed, indices, const_avals):
    """The program, taking the captured values of all branches first."""
    if list(indices) == list(range(len(const_avals))):
        return closed

    def make():
        jaxpr = closed.jaxpr
        by_index = dict(zip(indices, jaxpr.invars, strict=False))
        variables = [
            by_index[i] if i in by_index else jaxpr_lib.Var(aval)
            for i, aval in enumerate(const_avals)
        ]
        debug = jaxpr.debug_info.replace(arg_names=None)
        changed = jaxpr.replace(
            invars=[*variables, *jaxpr.invars[len(indices) :]], debug_info=debug
        )
        return jaxpr_lib.ClosedJaxpr(changed, closed.consts)

    return closed.derived(("consts", tuple(indices), tuple(const_avals)), make)


def _joined(avals):
    """The common type of results: the first's, but weak ones give way to other dtypes.

    A result on no mesh has the sharding of one that is on a mesh.
    """
    first = programs.on_mesh(avals[0], avals[1:])
    if not isinstance(first, avals_lib.ShapedArray) or not first.weak_type:
        return first
    strong = next((a for a in avals if a.dtype != first.dtype), first)
    return programs.on_mesh(strong, avals)


def _with_joined_types(bodies):
    columns = list(zip(*[p.out_avals for p in bodies], strict=True))
    joined = [_joined(column) for column in columns]
    return [
        program
        if all(a == b for a, b in zip(program.out_avals, joined, strict=True))
        else _converting(program, tuple(joined))
        for program in bodies
    ]


def _converting(program, out_avals):
    def run(*args):
        outs = evaluate.eval_closed(program, *args)
        return [
            x
            if get_aval(x) == a
            else slots.to_type(convert(x, a.dtype, a.weak_type), a)
            for x, a in zip(outs, out_avals, strict=True)
        ]

    return program.derived(
        ("converting", out_avals),
        lambda: pe.trace_to_closed(run, program.in_avals, program.debug_info),
    )


def _check_results(what, funs, names, traced) -> None:
    first, _, first_tree = traced[0]
    for fun, name, (program, _, structure) in zip(
        funs[1:], names[1:], traced[1:], strict=True
    ):
        facts = [(names[0], calls.describe(funs[0])), (name, calls.describe(fun))]
        if structure != first_tree:
            facts += [
                (f"{names[0]} returns", first_tree),
                (f"{name} returns", structure),
            ]
            raise type_error(
                f"{what}: {what.removeprefix('lax.')} branch outputs must have the same pytree "
                "structure, but they differ:",
                facts,
                "Whichever runs, the result has one structure.",
                "Return the same tree of arrays from every branch.",
            )
        misfits = [
            (
                path,
                f"The output of {names[0]} has type {a.str_short()} but the corresponding "
                f"output of {name} has type {b.str_short()}, so the "
                f"{programs.differing(a, b)} do not match.",
            )
            for path, a, b in zip(
                calls.result_paths(structure),
                first.out_avals,
                program.out_avals,
                strict=False,  # Behind the results are the arrays of references.
            )
            if not _fit(a, b)
        ]
        if misfits:
            raise type_error(
                f"{what}: {what.removeprefix('lax.')} branches must have equal output types but "
                "they differ.",
                [*facts, *misfits],
                "Whichever runs, the result has one shape and dtype.",
                "To keep a dtype: x.astype(dtype) in one of them.",
            )
        pairs = zip(
            calls.result_paths(structure),
            first.out_avals,
            program.out_avals,
            strict=False,
        )
        _check_manual_axes(what, pairs, facts)


def _check_manual_axes(what, results, facts):
    for path, a, b in results:
        if vma.of_type(a) is vma.of_type(b):
            continue
        axes = vma.of_type(a).varying ^ vma.of_type(b).varying
        listed = tuple(sorted(axes, key=str))
        raise type_error(
            f"{what}: the manual axis types of the branches do not match.",
            [
                *facts,
                (path, f"{a.str_short()} from one, {b.str_short()} from another"),
            ],
            "Whichever runs, the result varies along the same mesh axes.",
            f'Wrap the one that varies less: jax.lax.pcast(x, {listed}, to="varying").',
        )


def _fit(a, b):
    if programs.same_shape_and_dtype(a, b):
        return True
    if not isinstance(a, avals_lib.ShapedArray) or not isinstance(
        b, avals_lib.ShapedArray
    ):
        return False
    if not programs.same_shape_and_dtype(a, b.update(dtype=a.dtype)):
        return False
    return a.weak_type != b.weak_type and _gives_way(a, b)


def _gives_way(a, b):
    weak, strong = (a, b) if a.weak_type else (b, a)
    kinds = [np.dtype(x.dtype).kind for x in (weak, strong)]
    return dtypes.result_type(strong.dtype, weak.dtype) == strong.dtype and kinds != [
        "f",
        "i",
    ]


_not_given = object()


_BRANCH_RULE = (
    "Branches are functions of the operands.",
    "For values that are there anyway: jnp.where(pred, x, y).",
)


def _named_branches(branches) -> tuple[tuple, tuple]:
    """The branches of a switch, which are all functions, and what messages call them."""
    wrong = [("branches", repr(branches))]
    if isinstance(branches, Iterable):
        branches = tuple(branches)
        names = tuple(f"branch {i}" for i in range(len(branches)))
        named = zip(names, branches, strict=True)
        wrong = [(name, repr(fun)) for name, fun in named if not callable(fun)]
    if wrong:
        raise type_error(
            "lax.switch: the branches argument should be a sequence of callables.",
            wrong,
            *_BRANCH_RULE,
        )
    return branches, names


def _is_scalar_value(x):
    return avals_lib.is_value(x) and np.shape(x) == ()


def _described(x):
    """A value that is no scalar, for messages: arrays by their shape alone."""
    if avals_lib.is_value(x):
        return f"{type(x).__name__} of shape {np.shape(x)}"
    return f"{str(x)[:60]} of type {type(x)}"


def _pred_type(given):
    return f"lax.cond: Pred type must be either boolean or number, got {given}."


def cond(
    pred: Any,
    true_fun: Callable[..., T],
    false_fun: Callable[..., T],
    *operands: Any,
    operand: Any = _not_given,
) -> T:
    """Applies one of two functions, and runs only that one.

    Args:
        pred: boolean scalar; a number counts as true if it is not zero.
        true_fun: the function for true.
        false_fun: the function for false; its results have the same structure and types.
        operands: arguments of both: trees of arrays.
        operand: one argument, by name.

    Returns:
        What the function returns.

    Raises:
        TypeError: the functions return different types, or `pred` is not a scalar.

    Under `jax.vmap` over `pred` both functions run, and results are selected.

    Examples:
        >>> jax.lax.cond(True, lambda x: x + 1, lambda x: -x, 3)
        Array(4, dtype=int32, weak_type=True)
    """
    if operand is not _not_given:
        if operands:
            raise TypeError("lax.cond: operands are given by position or by name.")
        operands = (operand,)
    # The form of before: the operands stand before their functions.
    if len(operands) == 2 and callable(false_fun) and callable(operands[1]):
        if not callable(true_fun):
            x_true, f_true, (x_false, f_false) = true_fun, false_fun, operands
            return cond(
                pred, lambda a, b: f_true(a), lambda a, b: f_false(b), x_true, x_false
            )
    funs, names = (true_fun, false_fun), ("true_fun", "false_fun")
    for fun, name in zip(funs, names, strict=True):
        programs.require_callable("lax.cond", name, fun, *_BRANCH_RULE)
    if pred is None:
        raise TypeError(
            "lax.cond: cond predicate is None: one truth value chooses the function."
        )
    if callable(pred) and not avals_lib.is_value(pred):
        raise TypeError(_pred_type(pred))
    if not _is_scalar_value(pred):
        raise type_error(
            f"lax.cond: Pred must be a scalar, got {_described(pred)}.",
            [],
            "One truth value chooses the function.",
            "For a choice per element: jnp.where, or jax.vmap over cond.",
        )
    kind = kind_of(get_aval(pred).dtype)
    if kind is COMPLEX:
        raise type_error(
            _pred_type(get_aval(pred).dtype.name),
            [],
            "A truth value chooses the function, or a number that is zero or not.",
            "To compare with zero: pred != 0.",
        )
    if kind is not BOOL:
        pred = ne(pred, scalar_like(pred, 0))
    if python_control_flow.is_requested():
        found = python_control_flow.switch(pred, (false_fun, true_fun), operands)
        if found is not python_control_flow.TRACED:
            return found
    index = convert(pred, np.dtype(np.int32))
    bodies, *rest = _trace_branches("lax.cond", (true_fun, false_fun), names, operands)
    return _run_branches(index, (bodies[1], bodies[0]), *rest)


def switch(
    index: Any,
    branches: Sequence[Callable[..., T]],
    *operands: Any,
    operand: Any = _not_given,
) -> T:
    """Applies the function at `index` of a sequence, and runs only that one.

    Args:
        index: integer scalar; moved to the nearest function where it is out of bounds.
        branches: functions whose results have the same structure and types.
        operands: arguments of all: trees of arrays.
        operand: one argument, by name.

    Returns:
        What the function returns.

    Raises:
        TypeError: the functions return different types, or `index` is no integer
            scalar. ValueError: there are no functions.

    Examples:
        >>> jax.lax.switch(1, [lambda x: x, lambda x: 10 * x], 3)
        Array(30, dtype=int32, weak_type=True)
    """
    if operand is not _not_given:
        if operands:
            raise TypeError("lax.switch: operands are given by position or by name.")
        operands = (operand,)
    branches, names = _named_branches(branches)
    if not branches:
        raise ValueError(
            "lax.switch: Empty branch sequence; no function is there to choose."
        )
    if expressions.is_dimension(index):
        index = index.__jax_array__()
    if not avals_lib.is_value(index):
        raise TypeError(
            f"lax.switch: Index type must be an integer, got {str(index)[:60]}."
        )
    if not _is_scalar_value(index):
        raise TypeError(
            f"lax.switch: Branch index must be scalar, got {_described(index)}.\n"
            "One integer chooses the function. To choose per row: jax.vmap over switch."
        )
    if isinstance(index, int) and not isinstance(index, bool):
        index = min(max(index, 0), len(branches) - 1)
    aval = get_aval(index)
    if not kind_of(aval.dtype) & INTEGER:
        raise TypeError(
            f"lax.switch: Index type must be an integer, got {aval.str_short()} as {aval.dtype.name}.\n"
            "To round down: jnp.floor(x).astype(int)."
        )
    if len(branches) == 1:
        return branches[0](*operands)
    if python_control_flow.is_requested():
        found = python_control_flow.switch(index, branches, operands)
        if found is not python_control_flow.TRACED:
            return found
    index = convert(index, np.dtype(np.int32))
    index = clamp(np.int32(0), index, np.int32(len(branches) - 1))
    traced = _trace_branches("lax.switch", branches, names, operands)
    return _run_branches(index, *traced)


def switch_by_platform(index, groups, branches, operands):
    """`switch` over functions of groups of platforms, of which only the chosen one is lowered."""
    branches, names = _named_branches(branches)
    if len(branches) == 1:
        return branches[0](*operands)
    if python_control_flow.is_requested():
        found = python_control_flow.switch(index, branches, operands)
        if found is not python_control_flow.TRACED:
            return found
    traced = _trace_branches("lax.platform_dependent", branches, names, operands)
    return _run_branches(index, *traced, branches_platforms=tuple(groups))


traceback_filter.hide_frames(globals())
