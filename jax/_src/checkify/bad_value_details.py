"""What is known of the operation that made a NaN or an infinity: the third form of a program.

Only what holds that operation is rewritten: the loops, choices and calls on the way to it
carry a record, which the operation fills once, when its result is first bad and its
operands are not.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src.base import records, source
from jax._src.checkify import bad_values, transform
from jax._src.core import (
    avals as avals_lib,
    jaxpr as jaxpr_lib,
    vma,
    wide_values,
)
from jax._src.core.evaluate import eval_closed
from jax._src.interpreters import partial_eval as pe
from jax._src.lax.control_flow import while_loops
from jax._src.numpy import creation, reshaping, selection
from jax._src.shard_map import specs as specs_lib, tracing

# Of so many operands ranges are recorded.
MOST_OPERANDS = 4
_LOOPS = ("scan", "while")


@records.record
class Record:
    """What the operation wrote down."""

    # The device, by its coordinates along the manual axes of each `shard_map`.
    device: tuple[int, ...]
    # The number of the iteration of each loop around it, the outermost first.
    iterations: tuple[int, ...]
    # Which result is bad, and the first bad element in it.
    result: int
    element: int
    # Of the first operands: the least, the greatest, and the element at the same index.
    ranges: tuple[tuple[float, float, float], ...]


class _Context:
    """The operation that is watched, and the manual axes where equations are read."""

    def __init__(self, kinds: bad_values.Kinds, site: bad_values.Site):
        self.kinds = kinds
        self.operands = shown_operands(site.eqn)
        self.results = inexact_results(site.eqn)
        self.avals = [site.eqn.outvars[i].aval for i in self.results]
        self.avals += [site.eqn.invars[i].aval for i in self.operands]
        self.loops = sum(e.primitive.name in _LOOPS for e in site.around)
        self.axes: frozenset = frozenset()
        # Whether it runs once, and whenever the program does.
        kinds_around = {e.primitive.name for e in site.around}
        self.runs_once = not kinds_around & {*_LOOPS, "cond", "shard_map"}
        # The records of how many devices are carried, for each `shard_map` further inside.
        maps = [e for e in site.around if e.primitive.name == "shard_map"]
        self.leading = tuple(map(_devices_of, maps))

    def empty(self):
        """The record before anything was found.

        Whether it is filled; counters of the loops by now, and when it was filled; results
        and operands of the operation at that time.
        """
        counters = np.full((self.loops + 1,), -1, np.int32)
        arrays = [np.broadcast_to(np.zeros((), a.dtype), a.shape) for a in self.avals]
        return [np.zeros((), np.bool_), counters, counters, *arrays]

    def types(self, ahead=()):
        manual = vma.ManualAxisType(varying=self.axes)
        avals = [
            avals_lib.ShapedArray((*ahead, *self.leading, *x.shape), x.dtype)
            for x in self.empty()
        ]
        return [aval.update(manual_axis_type=manual) for aval in avals]

    def settled(self, record):
        pairs = zip(record, self.empty(), strict=True)
        return [
            vma.vary_along(creation.asarray(x, e.dtype), self.axes) for x, e in pairs
        ]


def shown_operands(eqn: Any) -> list[int]:
    """The numbers of the operands of which ranges are recorded."""
    numbers = [
        i
        for i, v in enumerate(eqn.invars)
        if isinstance(v.aval, avals_lib.ShapedArray)
        and isinstance(v.aval.dtype, np.dtype)
        and v.aval.size
    ]
    return numbers[:MOST_OPERANDS]


def _evaluate(context, closed, args, path, depth, record):
    """Applies a program to values; returns its results and the record."""
    jaxpr, (target, part) = closed.jaxpr, path[0]
    values: dict[Any, Any] = dict(zip(jaxpr.constvars, closed.consts, strict=True))
    values.update(zip(jaxpr.invars, args, strict=True))

    def read(atom):
        return atom.val if isinstance(atom, jaxpr_lib.Literal) else values[atom]

    with source.Replay() as replay:
        for index, eqn in enumerate(jaxpr.eqns):
            replay.location = eqn.location
            if not eqn.outvars:
                continue
            operands = [read(v) for v in eqn.invars]
            types = [v.aval for v in eqn.invars]
            with wide_values.replayed(operands, types) as operands:
                if index == target and len(path) > 1:
                    rule = _RULES[eqn.primitive.name]
                    outs, record = rule(
                        context, eqn, operands, part, path[1:], depth, record
                    )
                else:
                    outs = transform.apply_equation(eqn, operands)
                    if index == target:
                        record = _filled(context, eqn, operands, outs, record)
            values.update(zip(eqn.outvars, outs, strict=True))
    return transform.results(jaxpr, values), record


def inexact_results(eqn: Any) -> list[int]:
    """The numbers of the results that may be bad."""
    results = enumerate(eqn.outvars)
    return [i for i, v in results if bad_values.is_inexact(v.aval) and v.aval.size]


def _filled(context, eqn, operands, outs, record):
    """The record after the operation has run once more."""
    kinds = context.kinds
    was_filled, counters, *kept = record
    now = [
        counters,
        *[outs[i] for i in context.results],
        *[creation.asarray(operands[i]) for i in context.operands],
    ]
    if context.runs_once:
        return [np.bool_(True), counters, *now]
    found: Any = np.bool_(False)
    for i in context.results:
        found = creation.asarray(bad_values.is_bad(outs[i], kinds)) | found
    for var, operand in zip(eqn.invars, operands, strict=True):
        if isinstance(var, jaxpr_lib.Var) and bad_values.is_inexact(var.aval):
            found = found & ~creation.asarray(bad_values.is_bad(operand, kinds))
    was_filled = creation.asarray(was_filled)
    is_first = ~was_filled & found
    pairs = zip(now, kept, strict=True)
    return [
        was_filled | found,
        counters,
        *[selection.where(is_first, a, b) for a, b in pairs],
    ]


def _inline(name):
    def run(context, eqn, operands, part, path, depth, record):
        return _evaluate(context, eqn.params[name], operands, path, depth, record)

    return run


def _of_cond(context, eqn, operands, part, path, depth, record):
    index, *args = operands
    count = len(args)
    record = context.settled(record)

    def make(number, branch):
        def run(*values):
            given, state = values[:count], values[count:]
            if number == part:
                outs, state = _evaluate(context, branch, given, path, depth, state)
            else:
                outs = eval_closed(branch, *given)
            return [*outs, *context.settled(state)]

        avals = [*branch.in_avals, *context.types()]
        return pe.trace_to_closed(run, avals, branch.jaxpr.debug_info)

    branches = tuple(make(i, b) for i, b in enumerate(eqn.params["branches"]))
    outs = eqn.primitive.bind(
        index, *args, *record, **{**eqn.params, "branches": branches}
    )
    return outs[: -len(record)], outs[-len(record) :]


def _counted(record, depth):
    """The record with one more iteration of the loop at a depth."""
    filled, counters, *rest = record
    step = np.zeros(counters.shape[-1:], np.int32)
    step[depth] = 1
    return [filled, counters + step, *rest]


def _entered(record, depth):
    """The record before the first iteration of the loop at a depth."""
    filled, counters, *rest = record
    keep = np.ones(counters.shape[-1:], np.int32)
    keep[depth] = 0
    return [filled, counters * keep + (keep - 1), *rest]


def _of_scan(context, eqn, operands, part, path, depth, record):
    params = eqn.params
    closed, n_consts = params["jaxpr"], params["num_consts"]
    record = context.settled(_entered(record, depth))
    size = len(record)

    def run(*args):
        consts, state = args[:n_consts], args[n_consts : n_consts + size]
        values = [*consts, *args[n_consts + size :]]
        state = _counted(state, depth)
        outs, state = _evaluate(context, closed, values, path, depth + 1, state)
        return [*context.settled(state), *outs]

    avals = closed.in_avals
    body = pe.trace_to_closed(
        run,
        [*avals[:n_consts], *context.types(), *avals[n_consts:]],
        closed.jaxpr.debug_info,
    )
    outs = eqn.primitive.bind(
        *operands[:n_consts],
        *record,
        *operands[n_consts:],
        **{**params, "jaxpr": body, "num_carry": params["num_carry"] + size},
    )
    return outs[size:], outs[:size]


def _of_while(context, eqn, operands, part, path, depth, record):
    operands, params = while_loops.reduce_batched_predicate(operands, eqn.params)
    n_cond, n_body = params["cond_nconsts"], params["body_nconsts"]
    cond, body = params["cond_jaxpr"], params["body_jaxpr"]
    record = context.settled(_entered(record, depth))
    size, n_first = len(record), n_cond + n_body

    def run(*args):
        state = _counted(args[n_body : n_body + size], depth)
        values = [*args[:n_body], *args[n_body + size :]]
        outs, state = _evaluate(context, body, values, path, depth + 1, state)
        return [*context.settled(state), *outs]

    def run_cond(*args):
        return eval_closed(cond, *args[:n_cond], *args[n_cond + size :])

    extra = context.types()
    of_cond, of_body = cond.in_avals, body.in_avals
    outs = eqn.primitive.bind(
        *operands[:n_first],
        *record,
        *operands[n_first:],
        cond_nconsts=n_cond,
        cond_jaxpr=pe.trace_to_closed(
            run_cond,
            [*of_cond[:n_cond], *extra, *of_cond[n_cond:]],
            cond.jaxpr.debug_info,
        ),
        body_nconsts=n_body,
        body_jaxpr=pe.trace_to_closed(
            run,
            [*of_body[:n_body], *extra, *of_body[n_body:]],
            body.jaxpr.debug_info,
        ),
    )
    return outs[size:], outs[:size]


def _of_shard_map(context, eqn, operands, part, path, depth, record):
    params, body = eqn.params, eqn.params["jaxpr"]
    axes = specs_lib.in_mesh_order(params["mesh"], params["newly_manual_axes"])
    count, size = len(operands), len(record)
    spec = specs_lib.P(axes)
    out_specs = (*params["out_specs"], *[spec] * size)
    outer = context.axes, context.leading
    context.axes, context.leading = outer[0] | frozenset(axes), outer[1][1:]
    try:
        avals = context.types((1,))

        def run(*args):
            state = [reshaping.squeeze(x, 0) for x in args[count:]]
            outs, state = _evaluate(context, body, args[:count], path, depth, state)
            state = context.settled(state)
            return [*outs, *(reshaping.expand_dims(x, 0) for x in state)]

        program = tracing.setting_of(params).trace(
            run,
            [*body.in_avals, *avals],
            body.jaxpr.debug_info,
            out_specs=lambda: out_specs,
        )
    finally:
        context.axes, context.leading = outer
    params = {
        **params,
        "jaxpr": program,
        "in_specs": (*params["in_specs"], *[spec] * size),
        "out_specs": out_specs,
    }
    outs = eqn.primitive.bind(*operands, *record, **params)
    number = len(eqn.outvars)
    return outs[:number], [transform.gathered(x) for x in outs[number:]]


def _devices_of(eqn):
    mesh, axes = eqn.params["mesh"], eqn.params["newly_manual_axes"]
    return int(np.prod([mesh.shape[a] for a in axes], dtype=int))


_RULES: dict[str, Callable] = {
    "jit": _inline("jaxpr"),
    "custom_jvp_call": _inline("call_jaxpr"),
    "custom_vjp_call": _inline("call_jaxpr"),
    "remat2": _inline("jaxpr"),
    "cond": _of_cond,
    "scan": _of_scan,
    "while": _of_while,
    "shard_map": _of_shard_map,
}


def details_program(
    closed: jaxpr_lib.ClosedJaxpr,
    kinds: bad_values.Kinds,
    site: bad_values.Site,
) -> jaxpr_lib.ClosedJaxpr:
    """The program that returns the record of one operation.

    Args:
        closed: the program.
        kinds: whether NaNs and infinities are looked for.
        site: the operation.
    """
    context = _Context(kinds, site)
    leading = context.leading

    def run(*args):
        record = [
            creation.asarray(np.broadcast_to(x, (*leading, *x.shape)))
            for x in context.empty()
        ]
        return _evaluate(context, closed, args, site.path, 0, record)[1]

    return pe.trace_to_closed(run, closed.in_avals, closed.jaxpr.debug_info)


def read(
    site: bad_values.Site,
    values: list[np.ndarray],
    kinds: bad_values.Kinds,
    rows: np.ndarray | None,
) -> Record | None:
    """The record that the program returned; None: the operation filled none.

    Where several devices did, that of the first.

    Args:
        site: the operation.
        values: the results of the program.
        kinds: whether NaNs and infinities are looked for.
        rows: the elements along the first axis of the result among which bad ones are
            looked for; None: all.
    """
    filled, _, *kept = values
    found = np.argwhere(filled)
    if not len(found):
        return None
    device = tuple(map(int, found[0]))
    counters, *arrays = [x[device] for x in kept]
    loops = [e for e in site.around if e.primitive.name in _LOOPS]
    # A loop that runs backwards is counted as the arrays that it reads are.
    iterations = [
        eqn.params["length"] - 1 - n if eqn.params.get("reverse") else n
        for eqn, n in zip(loops, counters.tolist(), strict=False)
    ]
    numbers = inexact_results(site.eqn)
    number, element = _first_bad(numbers, arrays, kinds, rows)
    operands = arrays[len(numbers) :]
    shape = site.eqn.outvars[number].aval.shape
    ranges = tuple(_range_of(x, element, shape) for x in operands)
    return Record(device, tuple(iterations), number, element, ranges)


def _first_bad(numbers, arrays, kinds, rows):
    """The number of the first bad result, and that of its first bad element."""
    for number, array in zip(numbers, arrays, strict=False):
        mask = np.isnan(array) if kinds[0] else np.isinf(array)
        if rows is not None and array.shape[:1] == rows.shape:
            chosen = mask & rows.reshape(-1, *[1] * (array.ndim - 1))
            mask = chosen if chosen.any() else mask
        if mask.any():
            return number, int(np.argmax(mask.ravel()))
    return numbers[0], 0


def _range_of(x, element, shape):
    """The least and the greatest element, and the one at an index of the result."""
    there = np.nan
    if np.iscomplexobj(x):
        x = np.abs(x)
    if x.shape == shape:
        there = x.ravel()[element]
    elif x.shape == ():
        there = x
    values = x.astype(np.float64).ravel()
    values = values[~np.isnan(values)]
    if not len(values):
        return np.inf, -np.inf, float(there)
    return float(values.min()), float(values.max()), float(there)
