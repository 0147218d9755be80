"""The rules of primitives that hold programs: calls, loops, branches."""

import functools
from collections.abc import Sequence
from typing import Any

from jax._src.core import avals as avals_lib, evaluate, jaxpr as jaxpr_lib
from jax._src.interpreters import partial_eval as pe
from jax._src.jet import api, series as series_lib, trace
from jax._src.jet.series import zero_series
from jax._src.jet.trace import jet_rules
from jax._src.jit import primitive as jit_primitive
from jax._src.lax.control_flow import (
    conditionals,
    programs as programs_lib,
    scan_primitive,
    while_loops,
)
from jax._src.transforms import (
    checkpoint,
    custom_rules,
    custom_vjp,
)


def _moving(primals, series):
    """Which operands move: not those whose series is zero, nor whole numbers."""
    return tuple(
        terms is not zero_series and series_lib.can_move(p)
        for p, terms in zip(primals, series, strict=True)
    )


def _live(series, moving):
    """The terms of the operands that move, one after another."""
    return [
        t for terms, moves in zip(series, moving, strict=True) if moves for t in terms
    ]


def _order(series):
    return next(len(terms) for terms in series if terms is not zero_series)


def _jet_of_program(
    closed: jaxpr_lib.ClosedJaxpr,
    order: int,
    moving: tuple[bool, ...],
    instantiate: bool = False,
) -> tuple[jaxpr_lib.ClosedJaxpr, list[bool]]:
    """The program from values and terms to values and terms, and which results have terms.

    Args:
        closed: the program.
        order: how many terms a series has.
        moving: which inputs have terms; these follow the inputs, series by series.
        instantiate: whether all results that can move shall have terms.
    """

    def make():
        found: list[bool] = []

        def run(*args):
            primals, live = args[: len(moving)], iter(args[len(moving) :])
            series = [
                [next(live) for _ in range(order)] if moves else zero_series
                for moves in moving
            ]
            outs, terms = api.follow(
                functools.partial(evaluate.eval_closed, closed), order, primals, series
            )
            found.extend(
                ts is not zero_series or (instantiate and series_lib.can_move(out))
                for out, ts in zip(outs, terms, strict=True)
            )
            kept = [
                series_lib.filled(out, ts, order) if has else zero_series
                for out, ts, has in zip(outs, terms, found, strict=True)
            ]
            return [*outs, *_live(kept, found)]

        avals = list(closed.in_avals)
        avals += _live([[aval] * order for aval in closed.in_avals], moving)
        return pe.trace_to_closed(run, avals, closed.debug_info), found

    return closed.derived(("jet", order, moving, instantiate), make)


def _apart(outs: Sequence[Any], has_terms: Sequence[bool], order: int) -> Any:
    """Values and series out of the results of such a program."""
    values, rest = outs[: len(has_terms)], iter(outs[len(has_terms) :])
    series = [
        [next(rest) for _ in range(order)] if has else zero_series for has in has_terms
    ]
    return list(values), series


def _jit(primals, series, *, jaxpr, **params):
    moving, order = _moving(primals, series), _order(series)
    program, has_terms = _jet_of_program(jaxpr, order, moving)
    outs = jit_primitive.bind(program, (*primals, *_live(series, moving)), params)
    return _apart(outs, has_terms, order)


def _moving_carry(primals, series, carried):
    """Returns which carried values have series, given that a loop carries a series for each where it can."""
    moving = _moving(primals, series)
    return tuple(
        series_lib.can_move(p) if i in carried else moves
        for i, (p, moves) in enumerate(zip(primals, moving, strict=True))
    )


def _grouped(sizes, moving, order):
    """Where a loop's operands are among values and terms: its groups, each with its terms.

    The program has all values first; a loop wants the constants with their terms before
    what it carries with its terms, and so on.
    """
    moving_indices, start, terms = [], 0, len(moving)
    for size in sizes:
        group = range(start, start + size)
        count = order * sum(moving[i] for i in group)
        moving_indices += [*group, *range(terms, terms + count)]
        start, terms = start + size, terms + count
    return moving_indices


def _results_grouped(n_first, has_terms, order):
    """Groups the results: those carried with their series first, then the others."""
    return _grouped((n_first, len(has_terms) - n_first), has_terms, order)


def _ungrouped(outs, moving_indices):
    """Results in the order of the program again."""
    found = [None] * len(moving_indices)
    for index, out in zip(moving_indices, outs, strict=True):
        found[index] = out
    return found


def _scan(primals, series, *, jaxpr, num_consts, num_carry, **params):
    order = _order(series)
    carried = range(num_consts, num_consts + num_carry)
    moving = _moving_carry(primals, series, carried)
    program, has_terms = _jet_of_program(jaxpr, order, moving, instantiate=True)
    sizes = (num_consts, num_carry, len(primals) - num_consts - num_carry)
    inputs = _grouped(sizes, moving, order)
    results = _results_grouped(num_carry, has_terms, order)
    filled = [
        series_lib.filled(p, t, order) for p, t in zip(primals, series, strict=True)
    ]
    args = [*primals, *_live(filled, moving)]
    outs = scan_primitive.scan_p.bind(
        *[args[i] for i in inputs],
        jaxpr=programs_lib.reordered(program, inputs, results),
        num_consts=num_consts + order * sum(moving[:num_consts]),
        num_carry=num_carry + order * sum(has_terms[:num_carry]),
        **params,
    )
    return _apart(_ungrouped(outs, results), has_terms, order)


def _while(primals, series, *, cond_nconsts, cond_jaxpr, body_nconsts, body_jaxpr):
    order = _order(series)
    cond_consts, operands = primals[:cond_nconsts], primals[cond_nconsts:]
    series = series[cond_nconsts:]
    carried = range(body_nconsts, len(operands))
    moving = _moving_carry(operands, series, carried)
    program, has_terms = _jet_of_program(body_jaxpr, order, moving, instantiate=True)
    inputs = _grouped((body_nconsts, len(carried)), moving, order)
    filled = [
        series_lib.filled(p, t, order) for p, t in zip(operands, series, strict=True)
    ]
    args = [*operands, *_live(filled, moving)]
    terms = _live(filled[body_nconsts:], moving[body_nconsts:])
    ends = [len(cond_jaxpr.jaxpr.invars) + i for i in range(len(terms))]
    outs = while_loops.while_p.bind(
        *cond_consts,
        *[args[i] for i in inputs],
        cond_nconsts=cond_nconsts,
        cond_jaxpr=programs_lib.with_unused_inputs(
            cond_jaxpr, ends, [avals_lib.get_aval(t) for t in terms]
        ),
        body_nconsts=body_nconsts + order * sum(moving[:body_nconsts]),
        body_jaxpr=programs_lib.reordered(
            program, inputs, range(len(program.jaxpr.outvars))
        ),
    )
    return _apart(outs, has_terms, order)


def _cond(primals, series, *, branches, **params):
    index, *operands = primals
    order, series = _order(series), series[1:]
    moving = _moving(operands, series)
    programs = [_jet_of_program(b, order, moving, instantiate=True) for b in branches]
    outs = conditionals.cond_p.bind(
        index,
        *operands,
        *_live(series, moving),
        branches=tuple(program for program, _ in programs),
        **params,
    )
    return _apart(outs, programs[0][1], order)


def _run_program(*args, jaxpr, **_):
    return evaluate.eval_closed(jaxpr, *args)


def _run_function(*args, call_jaxpr, **_):
    return custom_rules.as_function(call_jaxpr)(*args)


jet_rules.set_seeing_zeros(jit_primitive.jit_p, _jit)
jet_rules.set_seeing_zeros(scan_primitive.scan_p, _scan)
jet_rules.set_seeing_zeros(while_loops.while_p, _while)
jet_rules.set_seeing_zeros(conditionals.cond_p, _cond)
trace.run_inside(checkpoint.remat_p, _run_program)
trace.run_inside(custom_vjp.custom_vjp_call_p, _run_function)
