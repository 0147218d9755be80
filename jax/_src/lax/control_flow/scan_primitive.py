"""The primitive `scan`: a loop of known length that carries values along."""

from collections.abc import Sequence

import numpy as np

from jax._src.base import scalars
from jax._src.core import equation_mesh, evaluate, jaxpr as jaxpr_lib, slots, vma
from jax._src.core.avals import get_aval
from jax._src.core.primitive import BY_TYPES, declare
from jax._src.core.symbols import expressions
from jax._src.interpreters import ad, batching, hijax, mlir, partial_eval as pe
from jax._src.interpreters.ad import backward_logs
from jax._src.jit.primitive import jvp_jaxpr
from jax._src.lax.control_flow import programs
from jax._src.lax.control_flow.while_loops import while_flat
from jax._src.lax.ops.arithmetic import add, mul, sub
from jax._src.lax.ops.broadcast_and_reduce_sum import expand_dims
from jax._src.lax.ops.comparison import lt
from jax._src.lax.ops.conversion import convert_element_type
from jax._src.lax.ops.creation import full
from jax._src.lax.ops.dynamic_slicing import dynamic_slice_p, dynamic_update_slice_p
from jax._src.lax.ops.joining_splitting import stack
from jax._src.lax.ops.reference_programs import run_closed_by_reference
from jax._src.lax.ops.reshaping import squeeze
from jax._src.lax.ops.slicing_padding import index_in_dim


def _split(values, num_consts, num_carry):
    """Consts, carry, and what is scanned over."""
    values = list(values)
    stop = num_consts + num_carry
    return values[:num_consts], values[num_consts:stop], values[stop:]


@declare("scan", multiple_results=True)
class scan_p:
    """Applies a program again and again, to a carry and to slices of arrays."""

    manual = vma.AS_TYPES

    def types(*avals, jaxpr, length, num_carry, **params):
        outs = jaxpr.out_avals
        return outs[:num_carry] + [stacked_aval(a, length) for a in outs[num_carry:]]

    sharding = BY_TYPES

    def effects(*avals, jaxpr, **params):
        return programs.allowed_effects("scan", jaxpr)

    def decompose(*args, **params):
        return run_scan(*args, **params)

    def low(avals, out_avals, *, jaxpr, num_consts, num_carry, **params):
        return {
            **params,
            "jaxpr": hijax.lowered(jaxpr),
            "num_consts": sum(hijax.counts(avals[:num_consts])),
            "num_carry": sum(hijax.counts(out_avals[:num_carry])),
        }

    def jvp_all(primals, tangents, **params):
        return _jvp(primals, tangents, **params)

    def partial_eval(trace, *args, **params):
        return _partial_eval(trace, args, params)

    def transpose(cts, *operands, **params):
        return _transpose(cts, operands, params)

    def batch(axis, args, dims, **params):
        return _batch(axis, args, dims, **params)

    def dce(used_outputs, eqn):
        return _dce(used_outputs, eqn)

    def expose(eqn, find):
        return _expose(eqn, find)

    def order(eqn, token, out):
        return [_ordered(eqn, token, out)]

    def reference(*args, jaxpr, length, reverse, num_consts, num_carry, unroll):
        consts, carry, xs = _split(args, num_consts, num_carry)
        rows = []
        for i in reversed(range(length)) if reverse else range(length):
            outs = run_closed_by_reference(jaxpr, *consts, *carry, *(x[i] for x in xs))
            carry = [np.asarray(out) for out in outs[:num_carry]]
            rows.append(outs[num_carry:])
        rows = rows[::-1] if reverse else rows
        stacked = []
        for i, aval in enumerate(jaxpr.out_avals[num_carry:]):
            found = [np.asarray(row[i]) for row in rows]
            empty = np.zeros((0, *aval.shape), aval.dtype)
            stacked.append(np.stack(found) if found else empty)
        return [*carry, *stacked]


def stacked_aval(aval, length: int):
    """The type of `length` values along a new first axis."""
    if aval.is_high:
        return aval.inc_rank(length, aval.leading_axis_spec())
    return aval.with_axis(0, length)


def bind_scan(args, jaxpr, params, **changes) -> list:
    """Applies the primitive with some parameters changed."""
    return scan_p.bind(*args, **{**params, "jaxpr": jaxpr, **changes})


def run_scan(*args, jaxpr, length, reverse, num_consts, num_carry, unroll) -> list:
    """Evaluates a scan as a loop with a counter: this is what is compiled."""
    consts, carry, xs = _split(args, num_consts, num_carry)
    steps = 1 if expressions.is_dimension(length) else max(1, min(unroll, length))
    blocks, rest = divmod(length, steps)

    def step(carry, rows):
        outs = evaluate.eval_closed(jaxpr, *consts, *carry, *rows)
        return outs[:num_carry], outs[num_carry:]

    def index_of(index):
        return sub(_int32(length - 1), index) if reverse else index

    def block(index, carry, ys, count):
        for j in range(count):
            at = index_of(add(index, np.int32(j)) if j else index)
            carry, rows = step(carry, [_row(x, at) for x in xs])
            ys = [_set_row(y, row, at) for y, row in zip(ys, rows, strict=True)]
        return carry, ys

    if type(blocks) is int and blocks <= 1:
        return _unrolled(step, carry, xs, length, reverse, jaxpr.out_avals[num_carry:])
    ys = [_no_rows(aval, length) for aval in jaxpr.out_avals[num_carry:]]

    def body(index, *values):
        carry, ys = values[:num_carry], values[num_carry:]
        start = mul(index, np.int32(steps)) if steps > 1 else index
        carry, ys = block(start, carry, ys, steps)
        return [add(index, np.int32(1)), *carry, *ys]

    _, *values = while_flat(
        lambda index, *_: lt(index, _int32(blocks)),
        body,
        [np.int32(0), *carry, *ys],
    )
    carry, ys = values[:num_carry], values[num_carry:]
    if rest:
        carry, ys = block(_int32(blocks * steps), carry, ys, rest)
    return [*carry, *ys]


def _int32(size):
    """A size as a scalar of 32 bits."""
    if expressions.is_dimension(size):
        return convert_element_type(size, np.int32)
    return np.int32(size)


def _is_extended(aval):
    return not isinstance(aval.dtype, np.dtype) or aval.dtype == scalars.float0


def _unrolled(step, carry, xs, length, reverse, avals):
    """A loop of few steps, without a loop."""
    found = [None] * length
    for i in reversed(range(length)) if reverse else range(length):
        rows = [_row_at(x, i) for x in xs]
        carry, found[i] = step(carry, rows)
    if not length:
        return [*carry, *(slots.zeros(stacked_aval(aval, 0)) for aval in avals)]
    columns = zip(*found, strict=True) if avals else []
    return [*carry, *(_stack(list(column)) for column in columns)]


def _row_at(x, position):
    with equation_mesh.mesh_scope_of_type(get_aval(x)):
        return squeeze(index_in_dim(x, position, 0), (0,))


def _no_rows(aval, length):
    if not (_is_extended(aval) or aval.is_placed):
        return full((length, *aval.shape), 0, aval.dtype)
    with equation_mesh.mesh_scope_of_type(aval):
        return slots.zeros(stacked_aval(aval, length))


def _row(x, index):
    zero = np.int32(0)
    sizes = (1, *np.shape(x)[1:])
    starts = [index, *[zero] * (len(sizes) - 1)]
    with equation_mesh.mesh_scope_of_type(get_aval(x)):
        return squeeze(dynamic_slice_p.bind(x, *starts, slice_sizes=sizes), (0,))


def _set_row(y, row, index):
    starts = [index, *[np.int32(0)] * np.ndim(row)]
    with equation_mesh.mesh_scope_of_type(get_aval(y)):
        return dynamic_update_slice_p.bind(y, expand_dims(row, (0,)), *starts)


def _stack(rows):
    with equation_mesh.mesh_scope_of_type(get_aval(rows[0])):
        return stack(rows)


def _jvp(primals, tangents, *, jaxpr, num_consts, num_carry, **params):
    consts_nz, carry_nz, xs_nz = map(
        tuple, _split(programs.nonzero_mask(tangents), num_consts, num_carry)
    )
    n_ys = len(jaxpr.jaxpr.outvars) - num_carry
    while True:
        program, out_nz = jvp_jaxpr(
            jaxpr, (*consts_nz, *carry_nz, *xs_nz), (*carry_nz, *[False] * n_ys)
        )
        grown = programs.either(carry_nz, out_nz[:num_carry])
        if grown == carry_nz:
            break
        carry_nz = grown
    ys_nz = out_nz[num_carry:]
    consts, carry, xs = _split(primals, num_consts, num_carry)
    t_consts, t_carry, t_xs = _split(tangents, num_consts, num_carry)
    t_consts = programs.select_where(consts_nz, t_consts)
    t_carry = [
        ad.instantiate_zeros(t) for t in programs.select_where(carry_nz, t_carry)
    ]
    t_xs = programs.select_where(xs_nz, t_xs)
    groups = [consts, t_consts, carry, t_carry, xs, t_xs]
    # The program has all primals first; the loop wants consts, carry, xs.
    order = _interleaved([len(g) for g in groups[::2]], [len(g) for g in groups[1::2]])
    n_t_carry, n_t_ys = sum(carry_nz), sum(ys_nz)
    out_order = _interleaved([num_carry, n_ys], [n_t_carry, n_t_ys])
    outs = bind_scan(
        [value for group in groups for value in group],
        programs.reordered(program, order, out_order),
        params,
        num_consts=len(consts) + len(t_consts),
        num_carry=num_carry + n_t_carry,
    )
    n_all = num_carry + n_t_carry
    carry_out, moved = outs[:num_carry], outs[num_carry:n_all]
    ys, moved_ys = outs[n_all : n_all + n_ys], outs[n_all + n_ys :]
    live = iter([*moved, *moved_ys])
    found = [*carry_out, *ys]
    return found, [
        next(live) if nz else ad.Zero(get_aval(out).to_tangent_aval())
        for out, nz in zip(found, (*carry_nz, *ys_nz), strict=True)
    ]


def _interleaved(sizes: Sequence[int], more: Sequence[int]) -> list[int]:
    """The order that puts each group next to the group that belongs to it.

    The groups of `sizes` come first, all in a row, and then those of `more`.
    """
    order, start, other = [], 0, sum(sizes)
    for size, extra in zip(sizes, more, strict=True):
        order += [*range(start, start + size), *range(other, other + extra)]
        start, other = start + size, other + extra
    return order


def _ordered(eqn, token, out):
    """The loop that carries a token, too."""
    params = eqn.params
    n_consts = params["num_consts"]
    program = mlir.with_token(params["jaxpr"])
    order = [*range(1, n_consts + 1), 0, *range(n_consts + 1, len(eqn.invars) + 1)]
    return eqn.replace(
        invars=[*eqn.invars[:n_consts], token, *eqn.invars[n_consts:]],
        outvars=[out, *eqn.outvars],
        params={
            **params,
            "jaxpr": programs.reordered(
                program, order, range(len(program.jaxpr.outvars))
            ),
            "num_carry": params["num_carry"] + 1,
        },
    )


def _split_program(jaxpr, unknown, num_consts, num_carry):
    """Splits the program of a step so that what is carried stays known or unknown.

    Returns:
        The known and the late program, which outputs are unknown, and which of the
        values carried are.
    """
    consts_uk, carry_uk, xs_uk = map(tuple, _split(unknown, num_consts, num_carry))
    n_ys = len(jaxpr.jaxpr.outvars) - num_carry
    while True:
        known, late, out_uk, residuals = pe.partial_eval_jaxpr(
            jaxpr, (*consts_uk, *carry_uk, *xs_uk), (*carry_uk, *[False] * n_ys)
        )
        grown = programs.either(carry_uk, out_uk[:num_carry])
        if grown == carry_uk:
            return known, late, out_uk, len(residuals), (consts_uk, carry_uk, xs_uk)
        carry_uk = grown


def _run_known(run, args, masks, known, n_residuals, params):
    """Runs the known part of a loop.

    Returns:
        Its results, and for the late part the residuals that are the same in each step
        and those that are stacked, each with its index among the residuals.
    """
    consts_uk, carry_uk, xs_uk = masks
    not_ = lambda mask: [not m for m in mask]  # noqa: E731
    consts, carry, xs = _split(args, len(consts_uk), len(carry_uk))
    consts = programs.select_where(not_(consts_uk), consts)
    carry = programs.select_where(not_(carry_uk), carry)
    xs = programs.select_where(not_(xs_uk), xs)
    invars = known.jaxpr.invars
    n_out = len(known.jaxpr.outvars) - n_residuals
    indices = {var: i for i, var in enumerate(invars)}
    same, rows, kept = [], [], []
    for i, atom in enumerate(known.jaxpr.outvars[n_out:]):
        at = indices.get(atom) if isinstance(atom, jaxpr_lib.Var) else None
        if at is not None and at < len(consts):
            same.append((i, consts[at]))
        elif at is not None and at >= len(consts) + len(carry):
            rows.append((i, xs[at - len(consts) - len(carry)]))
        else:
            kept.append(i)
    outputs = [*range(n_out), *(n_out + i for i in kept)]
    smaller = programs.reordered(known, range(len(invars)), outputs)
    counts = {"num_consts": len(consts), "num_carry": len(carry)}
    outs = []
    if outputs or smaller.effects:
        outs = run(lambda: bind_scan([*consts, *carry, *xs], smaller, params, **counts))
    rows += list(zip(kept, outs[n_out:], strict=True))
    return outs[:n_out], same, sorted(rows, key=lambda pair: pair[0])


def _late_loop(args, masks, late, n_residuals, same, rows, params):
    """The operands and the program of the late part of a loop."""
    consts_uk, carry_uk, xs_uk = masks
    consts, carry, xs = _split(args, len(consts_uk), len(carry_uk))
    consts = programs.select_where(consts_uk, consts)
    carry = programs.select_where(carry_uk, carry)
    xs = programs.select_where(xs_uk, xs)
    first = n_residuals
    order = [i for i, _ in same] + list(range(first, first + len(consts)))
    first += len(consts)
    order += range(first, first + len(carry))
    first += len(carry)
    order += [i for i, _ in rows] + list(range(first, first + len(xs)))
    operands = [
        *(value for _, value in same),
        *consts,
        *carry,
        *(value for _, value in rows),
        *xs,
    ]
    program = programs.reordered(late, order, range(len(late.jaxpr.outvars)))
    changes = {
        "jaxpr": program,
        "num_consts": len(same) + len(consts),
        "num_carry": len(carry),
    }
    return operands, {**params, **changes}


def _partial_eval(trace, args, params):
    unknown = [trace.is_unknown(a) for a in args]
    jaxpr = params["jaxpr"]
    num_consts, num_carry = params["num_consts"], params["num_carry"]
    known, late, out_uk, n_residuals, masks = _split_program(
        jaxpr, unknown, num_consts, num_carry
    )
    early, same, rows = _run_known(trace.known, args, masks, known, n_residuals, params)
    operands, late_params = _late_loop(
        args, masks, late, n_residuals, same, rows, params
    )
    late_outs = (
        trace.staging.process(scan_p, tuple(operands), late_params)
        if any(out_uk)
        else []
    )
    return programs.merge_where(out_uk, late_outs, early)


def _transpose(cts, operands, params):
    num_consts, num_carry = params["num_consts"], params["num_carry"]
    linear = [ad.is_undefined_primal(x) for x in operands]
    _, carry_linear, _ = _split(linear, num_consts, num_carry)
    if all(carry_linear):
        return _transpose_linear(cts, operands, params)
    known, late, out_uk, n_residuals, masks = _split_program(
        params["jaxpr"], linear, num_consts, num_carry
    )
    grown = [m for mask in masks for m in mask]
    # What is carried may start as a known zero and become linear on the way.
    started = [
        ad.UndefinedPrimal(get_aval(x)) if g and not ad.is_undefined_primal(x) else x
        for x, g in zip(operands, grown, strict=True)
    ]
    if all(masks[1]):
        found = _transpose_linear(cts, started, params)
        return [
            ct if ad.is_undefined_primal(x) else None
            for ct, x in zip(found, operands, strict=True)
        ]
    # The rest of what is carried is known: run that part now, and the other backwards.
    _, same, rows = _run_known(
        lambda run: run(), operands, masks, known, n_residuals, params
    )
    late_operands, late_params = _late_loop(
        started, masks, late, n_residuals, same, rows, params
    )
    late_cts = programs.select_where(out_uk, cts)
    found = _transpose_linear(late_cts, late_operands, late_params)
    n_same, n_rows = len(same), len(rows)
    n_consts = late_params["num_consts"]
    n_carry = late_params["num_carry"]
    live = iter(
        [
            *found[n_same:n_consts],
            *found[n_consts : n_consts + n_carry],
            *found[n_consts + n_carry + n_rows :],
        ]
    )
    result = []
    for x, g in zip(operands, grown, strict=True):
        ct = next(live) if g else None
        result.append(ct if ad.is_undefined_primal(x) else None)
    return result


def _transpose_linear(cts, operands, params):
    """Runs a loop that is linear in all that it carries backwards."""
    jaxpr = params["jaxpr"]
    num_consts, num_carry = params["num_consts"], params["num_carry"]
    linear = tuple(ad.is_undefined_primal(x) for x in operands)
    consts, carry, xs = _split(operands, num_consts, num_carry)
    ct_carry = [ad.instantiate_zeros(ct) for ct in cts[:num_carry]]
    ct_ys = cts[num_carry:]
    ys_nz = programs.nonzero_mask(ct_ys)
    program, links, logs = transposed_step(jaxpr, linear, ys_nz, num_consts, num_carry)
    is_linear = ad.is_undefined_primal
    sums = [slots.zeros(x.aval.to_cotangent_aval()) for x in consts if is_linear(x)]
    known_consts = [x for x in consts if not is_linear(x)]
    known_xs = [x for x in xs if not is_linear(x)]
    outs = programs.run_carrying(
        lambda *args, **counts: bind_scan(
            args, counts.pop("jaxpr"), params, reverse=not params["reverse"], **counts
        ),
        program,
        known_consts,
        [*ct_carry, *sums],
        [*programs.select_where(ys_nz, ct_ys), *known_xs],
        links,
    )
    outs = links.take(outs)
    found_carry, rest = outs[:num_carry], outs[num_carry:]
    n_found = len(sums) + sum(map(is_linear, xs))
    found_consts, found_xs = iter(rest[: len(sums)]), iter(rest[len(sums) : n_found])
    logs.keep(rest[n_found:])
    return [
        *(next(found_consts) if is_linear(x) else None for x in consts),
        *found_carry,
        *(next(found_xs) if is_linear(x) else None for x in xs),
    ]


def transposed_step(jaxpr, linear, ys_nz, num_consts: int, num_carry: int):
    """The program of one step backwards.

    From known consts, cotangents of the carry, sums for the linear consts, cotangents of
    the results and known slices; to cotangents of the carry, the sums, and cotangents
    of the linear slices; behind them what backward rules report, if it is wanted. And
    how references take part that backward rules use, and what they report.
    """
    lin_consts, _, lin_xs = _split(linear, num_consts, num_carry)

    def make():
        avals = jaxpr.in_avals
        consts, carry, xs = _split(avals, num_consts, num_carry)
        ys = jaxpr.out_avals[num_carry:]

        def step(*args):
            args = iter(args)
            operands = [
                ad.UndefinedPrimal(a) if lin else next(args)
                for a, lin in zip(consts, lin_consts, strict=True)
            ]
            ct_carry = [next(args) for _ in carry]
            sums = [next(args) for lin in lin_consts if lin]
            ct_ys = [
                next(args) if nz else ad.Zero(a.to_cotangent_aval())
                for a, nz in zip(ys, ys_nz, strict=True)
            ]
            operands += [ad.UndefinedPrimal(a) for a in carry]
            operands += [
                ad.UndefinedPrimal(a) if lin else next(args)
                for a, lin in zip(xs, lin_xs, strict=True)
            ]
            with backward_logs.collect() as logs:
                found = ad.backward_pass(
                    jaxpr.jaxpr, jaxpr.consts, operands, [*ct_carry, *ct_ys]
                )
            reported[:] = [backward_logs.Reported(logs, jaxpr.debug_info.func_name)]
            f_consts, f_carry, f_xs = _split(found, num_consts, num_carry)
            added = [
                ad.add_tangents(total, ct)
                for total, ct in zip(
                    sums, programs.select_where(lin_consts, f_consts), strict=True
                )
            ]
            outs = [*f_carry, *added, *programs.select_where(lin_xs, f_xs)]
            outs = [ad.instantiate_zeros(out) for out in outs]
            return [*outs, *backward_logs.Reported.outputs(logs)]

        reported: list[backward_logs.Reported] = []
        negated = [not lin for lin in lin_consts]
        in_avals = programs.select_where(negated, consts)
        in_avals += [a.to_cotangent_aval() for a in carry]
        in_avals += [
            a.to_cotangent_aval() for a in programs.select_where(lin_consts, consts)
        ]
        in_avals += [a.to_cotangent_aval() for a in programs.select_where(ys_nz, ys)]
        in_avals += programs.select_where([not lin for lin in lin_xs], xs)
        step_jaxpr, consts, links = pe.trace_with_references(
            step, in_avals, jaxpr.debug_info
        )
        return jaxpr_lib.ClosedJaxpr(step_jaxpr, consts), links, reported[0]

    wanted = backward_logs.are_wanted()
    key = ("scan_transpose", linear, ys_nz, num_consts, num_carry, wanted)
    return jaxpr.derived(key, make)


def _expose(eqn, find):
    """The loop that also stacks what is kept, and the one that scans over it."""
    params = eqn.params
    found = find(params["jaxpr"])
    if found.is_plain:
        return None
    extra = [
        jaxpr_lib.Var(stacked_aval(aval, params["length"])) for aval in found.avals
    ]

    def reuse(mask, atoms):
        program = found.reuse(mask)
        n_in, n_kept = len(program.jaxpr.invars), len(atoms)
        order = [*range(n_kept, n_in), *range(n_kept)]
        program = programs.reordered(program, order, range(len(program.jaxpr.outvars)))
        changed = {**params, "jaxpr": program}
        return eqn.replace(invars=[*eqn.invars, *atoms], params=changed)

    changed = {**params, "jaxpr": found.program}
    return eqn.replace(outvars=[*eqn.outvars, *extra], params=changed), extra, reuse


def _batch(axis, args, dims, *, jaxpr, num_consts, num_carry, **params):
    consts, carry, xs = _split(args, num_consts, num_carry)
    const_dims, carry_dims, xs_dims = _split(dims, num_consts, num_carry)
    programs.refuse_high("lax.scan over slices", map(get_aval, xs), xs_dims)
    # Slices are taken along axis 0, so the rows go behind it.
    xs = [
        x if d is None else slots.move_axis(x, d, 1)
        for x, d in zip(xs, xs_dims, strict=True)
    ]
    row_dims = [None if d is None else 0 for d in xs_dims]
    carried = [d is not None for d in carry_dims]
    n_ys = len(jaxpr.jaxpr.outvars) - num_carry
    while True:
        in_dims = [*const_dims, *(0 if b else None for b in carried), *row_dims]
        wanted = [0 if b else None for b in carried] + [None] * n_ys
        program, out_dims = batching.batch_jaxpr(jaxpr, axis, in_dims, wanted)
        grown = [
            b or d is not None
            for b, d in zip(carried, out_dims[:num_carry], strict=True)
        ]
        if grown == carried:
            break
        carried = grown
    rows = program.out_avals[num_carry:], out_dims[num_carry:]
    programs.refuse_high("lax.scan that stacks results", *rows)
    carry = [
        batching.bdim_at_front(x, d, axis.size) if b else x
        for x, d, b in zip(carry, carry_dims, carried, strict=True)
    ]
    outs = bind_scan(
        [*consts, *carry, *xs],
        program,
        params,
        num_consts=num_consts,
        num_carry=num_carry,
    )
    ys_dims = [None if d is None else d + 1 for d in out_dims[num_carry:]]
    return outs, [*(0 if b else None for b in carried), *ys_dims]


def _dce(used_outputs, eqn):
    params = eqn.params
    jaxpr, num_consts, num_carry = (
        params["jaxpr"],
        params["num_consts"],
        params["num_carry"],
    )
    if not any(used_outputs) and not jaxpr.effects:
        return [False] * len(eqn.invars), None
    used = pe.used_with_carries(jaxpr, used_outputs, num_consts, num_carry)
    used_carry = used[:num_carry]
    keep = [False] * len(jaxpr.jaxpr.invars)
    keep[num_consts : num_consts + num_carry] = used_carry
    smaller, used_inputs = pe.dce_closed(jaxpr, used, keep)
    if smaller is jaxpr:
        return used_inputs, eqn
    new_params = {
        **params,
        "jaxpr": smaller,
        "num_consts": sum(used_inputs[:num_consts]),
        "num_carry": sum(used_carry),
    }
    new = eqn.replace(
        invars=programs.select_where(used_inputs, eqn.invars),
        outvars=programs.select_where(used, eqn.outvars),
        params=new_params,
        effects=smaller.effects,
    )
    return used_inputs, new
