"""What is known of the operation that made a NaN or an infinity: the third form of a program.

Only what holds that operation is rewritten: the loops, choices and calls on the way to it
carry a record, which the operation fills once, when its result is first bad and its
operands are not. Operations of one body share a record, of its first such iteration.
"""

import functools
import operator
from collections.abc import Callable, Sequence
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
from jax._src.lax.collectives import reductions as collectives
from jax._src.lax.control_flow import conditionals, while_loops
from jax._src.lax.ops import selection
from jax._src.numpy import creation, reshaping
from jax._src.shard_map import specs as specs_lib, tracing

# Of so many operands ranges are recorded.
MOST_OPERANDS = 4
_LOOPS = ("scan", "while")
# At most so many operations share a record.
_AGAIN = 15


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
    # Whether the operation made something bad once, and this is that run.
    is_only: bool


class _Context:
    """Operations of one body that are watched, and the manual axes where equations are read."""

    def __init__(
        self, kinds: bad_values.Kinds, sites: Sequence[bad_values.Site], run: int = 0
    ):
        self.kinds = kinds
        self.sites = {site.path[-1][0]: site for site in sites}
        # The run to record; 0: the first that makes something bad of what is good.
        self.run = run
        # The values that are recorded, each once.
        atoms = [v for site in sites for v in _recorded(site.eqn)]
        self.slots = {v: i for i, v in enumerate(dict.fromkeys(atoms))}
        around = sites[0].around
        self.loops = sum(e.primitive.name in _LOOPS for e in around)
        self.axes: frozenset = frozenset()
        # Whether they run once, and whenever the program does.
        kinds_around = {e.primitive.name for e in around}
        self.runs_once = not kinds_around & {*_LOOPS, "cond", "shard_map"} and all(
            len(site.eqn.invars) <= MOST_OPERANDS for site in sites
        )
        # The records of how many devices are carried, for each `shard_map` further inside.
        self.leading = bad_values.devices_around(sites[0])

    def empty(self):
        """The record before anything was found.

        A bit for each operation that was to be recorded, and one for each that was so again,
        or where one run is recorded the number of runs; counters of the loops by now, and
        when the record was filled; a bit for each operation that was to be recorded then;
        and the values at that time.
        """
        counters = np.full((self.loops + 1,), -1, np.int32)
        arrays = [
            np.broadcast_to(np.zeros((), v.aval.dtype), v.aval.shape)
            for v in self.slots
        ]
        none = np.zeros((), np.int32)
        return [none, counters, counters, none, *arrays]

    def types(self, ahead=()):
        manual = vma.ManualAxisType(varying=self.axes)
        avals = [
            avals_lib.ShapedArray((*ahead, *self.leading, *x.shape), x.dtype)
            for x in self.empty()
        ]
        return [aval.update(manual_axis_type=manual) for aval in avals]

    def settled(self, record):
        pairs = zip(record, self.empty(), strict=True)
        return [self._settled(x, e.dtype) for x, e in pairs]

    def _settled(self, x, dtype):
        if isinstance(x, np.ndarray) and x.dtype == dtype and not self.axes:
            return x
        return vma.vary_along(creation.asarray(x, dtype), self.axes)


def _recorded(eqn):
    """The variables of an equation that are recorded: results that may be bad, and operands."""
    operands = [eqn.invars[i] for i in shown_operands(eqn)]
    results = [eqn.outvars[i] for i in inexact_results(eqn)]
    return results + [v for v in operands if isinstance(v, jaxpr_lib.Var)]


def _groups(sites):
    """Operations by the body that they are in."""
    found: dict[Any, list[bad_values.Site]] = {}
    for site in sites:
        found.setdefault(site.path[:-1], []).append(site)
    return list(found.values())


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


@records.record
class _Watched:
    """Operations on the way to them: the steps that are left, and how many loops are around."""

    context: _Context
    path: tuple[tuple[int, int], ...]
    depth: int = 0

    def inside(self, loops: int = 0) -> "_Watched":
        """The operations within the equation that the path names first."""
        return _Watched(self.context, self.path[1:], self.depth + loops)


def _evaluate(closed, args, watched, found):
    """Applies a program to values.

    Args:
        closed: the program.
        args: its inputs.
        watched: the operations in it that are watched.
        found: the record of each of them.

    Returns:
        the results, and the records.
    """
    jaxpr, found = closed.jaxpr, list(found)
    values: dict[Any, Any] = dict(zip(jaxpr.constvars, closed.consts, strict=True))
    values.update(zip(jaxpr.invars, args, strict=True))

    def read(atom):
        return atom.val if isinstance(atom, jaxpr_lib.Literal) else values[atom]

    with source.Replay() as replay:
        for index, eqn in enumerate(jaxpr.eqns):
            replay.location = eqn.location
            operands = [read(v) for v in eqn.invars]
            here = [
                i for i, w in enumerate(watched) if w.path and w.path[0][0] == index
            ]
            types = [v.aval for v in eqn.invars]
            with wide_values.replayed(operands, types) as operands:
                if here:
                    rule = _RULES[eqn.primitive.name]
                    outs, inner = rule(
                        eqn,
                        operands,
                        [watched[i] for i in here],
                        [found[i] for i in here],
                    )
                    for i, record in zip(here, inner, strict=True):
                        found[i] = record
                else:
                    outs = transform.apply_equation(eqn, operands)
            values.update(zip(eqn.outvars, outs, strict=True))
        for i, one in enumerate(watched):
            if not one.path:
                found[i] = _filled(one.context, values, found[i])
    return transform.results(jaxpr, values), found


def _settled(watched, found):
    """All records as one list of arrays."""
    pairs = zip(watched, found, strict=True)
    return [x for w, record in pairs for x in w.context.settled(record)]


def _types(watched, ahead=()):
    return [aval for w in watched for aval in w.context.types(ahead)]


def _apart(watched, flat):
    """The records out of one list of arrays."""
    rest = iter(flat)
    return [[next(rest) for _ in w.context.empty()] for w in watched]


def inexact_results(eqn: Any) -> list[int]:
    """The numbers of the results that may be bad."""
    results = enumerate(eqn.outvars)
    return [i for i, v in results if bad_values.is_inexact(v.aval) and v.aval.size]


def _filled(context, values, record):
    """The record after the operations have run once more."""
    times, counters, *kept = record
    now = [creation.asarray(values[v]) for v in context.slots]
    if context.runs_once:
        every = np.asarray((1 << len(context.sites)) - 1, np.int32)
        return [every, counters, counters, every, *now]
    times = creation.asarray(times)
    if context.run:
        times = times + np.int32(1)
        is_first = times == np.int32(context.run)
        which: Any = np.asarray(1, np.int32)
    else:
        which = _which_make_bad(context, values)
        is_first = (times == 0) & (which != 0)
        times = times | which | ((times & which) << np.int32(_AGAIN))
    # Copies in a branch are compiled in less time than a choice for each element.
    head, *now = context.settled([times, counters, counters, which, *now])
    kept = context.settled([times, counters, *kept])[1:]
    kept = conditionals.cond(
        is_first, lambda now, _: now, lambda _, kept: kept, now[1:], kept[1:]
    )
    return [head, counters, *kept]


def _which_make_bad(context, values):
    """A bit for each operation of which a result is bad, and no operand."""
    bad: dict[Any, Any] = {}
    eqns = [site.eqn for site in context.sites.values()]
    for eqn in eqns:
        operands = [v for v in eqn.invars if isinstance(v, jaxpr_lib.Var)]
        results = [eqn.outvars[i] for i in inexact_results(eqn)]
        for var in (*operands, *results):
            if var not in bad and bad_values.is_inexact(var.aval):
                is_bad = bad_values.is_bad(values[var], context.kinds)
                bad[var] = creation.asarray(is_bad)
    found: Any = None
    for number, eqn in enumerate(eqns):
        results = [bad[eqn.outvars[i]] for i in inexact_results(eqn)]
        operands = [bad[v] for v in dict.fromkeys(eqn.invars) if v in bad]
        is_made = functools.reduce(operator.or_, results)
        if operands:
            has_bad = functools.reduce(operator.or_, operands)
            axes = bad_values.exchanged_along(eqn, context.axes)
            if axes:  # what another device gave is bad
                flag = vma.vary_along(creation.asarray(has_bad, np.int32), context.axes)
                has_bad = collectives.pmax(flag, axes) != 0
            is_made = is_made & ~has_bad
        bit = selection.where(is_made, np.int32(1 << number), np.int32(0))
        found = bit if found is None else found | bit
    return found


def _inline(name):
    def run(eqn, operands, watched, found):
        inside = [w.inside() for w in watched]
        return _evaluate(eqn.params[name], operands, inside, found)

    return run


def _of_cond(eqn, operands, watched, found):
    index, *args = operands
    count = len(args)
    flat = _settled(watched, found)

    def make(number, branch):
        here = [i for i, w in enumerate(watched) if w.path[0][1] == number]

        def run(*values):
            given, state = values[:count], _apart(watched, values[count:])
            inside = [watched[i].inside() for i in here]
            outs, inner = _evaluate(branch, given, inside, [state[i] for i in here])
            for i, record in zip(here, inner, strict=True):
                state[i] = record
            return [*outs, *_settled(watched, state)]

        avals = [*branch.in_avals, *_types(watched)]
        return pe.trace_to_closed(run, avals, branch.jaxpr.debug_info)

    branches = tuple(make(i, b) for i, b in enumerate(eqn.params["branches"]))
    outs = eqn.primitive.bind(
        index, *args, *flat, **{**eqn.params, "branches": branches}
    )
    return outs[: -len(flat)], _apart(watched, outs[-len(flat) :])


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


def _before_loop(watched, found):
    pairs = zip(watched, found, strict=True)
    return _settled(watched, [_entered(record, w.depth) for w, record in pairs])


def _iterate(body, values, watched, flat):
    """One more iteration: its results, and the records."""
    state = [
        _counted(record, w.depth)
        for w, record in zip(watched, _apart(watched, flat), strict=True)
    ]
    outs, state = _evaluate(body, values, [w.inside(1) for w in watched], state)
    return outs, _settled(watched, state)


def _of_scan(eqn, operands, watched, found):
    params = eqn.params
    closed, n_consts = params["jaxpr"], params["num_consts"]
    flat = _before_loop(watched, found)
    size = len(flat)

    def run(*args):
        consts, state = args[:n_consts], args[n_consts : n_consts + size]
        values = [*consts, *args[n_consts + size :]]
        outs, state = _iterate(closed, values, watched, state)
        return [*state, *outs]

    avals = closed.in_avals
    body = pe.trace_to_closed(
        run,
        [*avals[:n_consts], *_types(watched), *avals[n_consts:]],
        closed.jaxpr.debug_info,
    )
    outs = eqn.primitive.bind(
        *operands[:n_consts],
        *flat,
        *operands[n_consts:],
        **{**params, "jaxpr": body, "num_carry": params["num_carry"] + size},
    )
    return outs[size:], _apart(watched, outs[:size])


def _of_while(eqn, operands, watched, found):
    operands, params = while_loops.reduce_batched_predicate(operands, eqn.params)
    n_cond, n_body = params["cond_nconsts"], params["body_nconsts"]
    cond, body = params["cond_jaxpr"], params["body_jaxpr"]
    flat = _before_loop(watched, found)
    size, n_first = len(flat), n_cond + n_body

    def run(*args):
        state = args[n_body : n_body + size]
        values = [*args[:n_body], *args[n_body + size :]]
        outs, state = _iterate(body, values, watched, state)
        return [*state, *outs]

    def run_cond(*args):
        return eval_closed(cond, *args[:n_cond], *args[n_cond + size :])

    extra = _types(watched)
    of_cond, of_body = cond.in_avals, body.in_avals
    outs = eqn.primitive.bind(
        *operands[:n_first],
        *flat,
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
    return outs[size:], _apart(watched, outs[:size])


def _of_shard_map(eqn, operands, watched, found):
    params, body = eqn.params, eqn.params["jaxpr"]
    axes = specs_lib.in_mesh_order(params["mesh"], params["newly_manual_axes"])
    flat = [x for record in found for x in record]
    count, size = len(operands), len(flat)
    spec = specs_lib.P(axes)
    out_specs = (*params["out_specs"], *[spec] * size)
    contexts = [w.context for w in watched]
    outer = [(c.axes, c.leading) for c in contexts]
    for context in contexts:
        context.axes |= frozenset(axes)
        context.leading = context.leading[1:]
    try:
        avals = _types(watched, (1,))

        def run(*args):
            state = [reshaping.squeeze(x, 0) for x in args[count:]]
            inside = [w.inside() for w in watched]
            state = _apart(watched, state)
            outs, state = _evaluate(body, args[:count], inside, state)
            state = _settled(watched, state)
            return [*outs, *(reshaping.expand_dims(x, 0) for x in state)]

        program = tracing.setting_of(params).trace(
            run,
            [*body.in_avals, *avals],
            body.jaxpr.debug_info,
            out_specs=lambda: out_specs,
        )
    finally:
        for context, before in zip(contexts, outer, strict=True):
            context.axes, context.leading = before
    params = {
        **params,
        "jaxpr": program,
        "in_specs": (*params["in_specs"], *[spec] * size),
        "out_specs": out_specs,
    }
    outs = eqn.primitive.bind(*operands, *flat, **params)
    number = len(eqn.outvars)
    gathered = [transform.gathered(x) for x in outs[number:]]
    return outs[:number], _apart(watched, gathered)


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
    sites: Sequence[bad_values.Site],
    run_number: int = 0,
) -> jaxpr_lib.ClosedJaxpr:
    """The program that returns the records of operations, one after the other.

    Args:
        closed: the program.
        kinds: whether NaNs and infinities are looked for.
        sites: the operations.
        run_number: the run of them that is recorded, from 1; 0: the first one that makes
            something bad of what is good.
    """
    watched = [
        _Watched(_Context(kinds, group, run_number), group[0].path[:-1])
        for group in _groups(sites)
    ]

    def run(*args):
        found = []
        for w in watched:
            leading = w.context.leading
            found.append(
                [np.broadcast_to(x, (*leading, *x.shape)) for x in w.context.empty()]
            )
        found = _evaluate(closed, args, watched, found)[1]
        return [x for record in found for x in record]

    return pe.trace_to_closed(run, closed.in_avals, closed.jaxpr.debug_info)


def apart(
    kinds: bad_values.Kinds, sites: Sequence[bad_values.Site], values: Sequence[Any]
) -> list[list[np.ndarray]]:
    """What the program returned for each operation.

    How often it was to be recorded, at most 2, whether it was when that was done, the
    counters of the loops then, its results and its operands that are variables.
    """
    rest, found = iter(values), {}
    for group in _groups(sites):
        context = _Context(kinds, group)
        times, _, counters, which, *arrays = (
            np.asarray(next(rest)) for _ in context.empty()
        )
        for i, site in enumerate(group):
            mine = [arrays[context.slots[v]] for v in _recorded(site.eqn)]
            is_there = which >> i & 1
            often = np.maximum((times >> i & 1) + (times >> _AGAIN + i & 1), is_there)
            found[site.path] = [often, is_there, counters, *mine]
    return [found[site.path] for site in sites]


def read(
    site: bad_values.Site,
    values: list[np.ndarray],
    kinds: bad_values.Kinds,
    rows: tuple[int, np.ndarray] | None,
    device: tuple[int, ...] | None = None,
) -> Record | None:
    """The record that the program returned; None: the operation filled none.

    Where several devices did, that of the first.

    Args:
        site: the operation.
        values: the results of the program.
        kinds: whether NaNs and infinities are looked for.
        rows: an axis of the result, and the elements along it among which bad ones are
            looked for; None: all.
        device: the device whose record is read; None: the first that has one.
    """
    often, which, *kept = values
    context = _Context(kinds, [site])
    if context.runs_once and not _is_made_here(kinds, site, kept[1:]):
        return None
    filled = np.argwhere(often)
    if not len(filled):
        return None
    if device is None:
        known = np.argwhere(which)
        if not len(known):
            return Record((), (), inexact_results(site.eqn)[0], 0, (), False)
        device = tuple(map(int, known[0]))
    counters, *arrays = [x[device] for x in kept]
    loops = [e for e in site.around if e.primitive.name in _LOOPS]
    # A loop that runs backwards is counted as the arrays that it reads are.
    iterations = [
        eqn.params["length"] - 1 - n if eqn.params.get("reverse") else n
        for eqn, n in zip(loops, counters.tolist(), strict=False)
    ]
    numbers = inexact_results(site.eqn)
    number, element = first_bad(numbers, arrays, kinds, rows)
    shape = site.eqn.outvars[number].aval.shape
    ranges = tuple(range_of(x, element, shape) for x in _operands(site, arrays))
    is_only = int(often.sum()) == 1 and int(which.sum()) == 1
    return Record(device, tuple(iterations), number, element, ranges, is_only)


def _operands(site, arrays):
    """The operands that are shown, of what was recorded; constants are what they are."""
    rest = iter(arrays[len(inexact_results(site.eqn)) :])
    atoms = [site.eqn.invars[i] for i in shown_operands(site.eqn)]
    return [
        next(rest) if isinstance(v, jaxpr_lib.Var) else np.asarray(v.val) for v in atoms
    ]


def _is_made_here(kinds, site, arrays):
    """Whether results are bad and no operand is; of an operation that runs once."""
    find = bad_values.host_finder(kinds)
    count = len(inexact_results(site.eqn))
    return any(map(find, arrays[:count])) and not any(map(find, arrays[count:]))


def first_bad(
    numbers: Sequence[int],
    arrays: Sequence[np.ndarray],
    kinds: bad_values.Kinds,
    rows: tuple[int, np.ndarray] | None,
) -> tuple[int, int]:
    """The number of the first bad result, and that of its first bad element."""
    for number, array in zip(numbers, arrays, strict=False):
        mask = np.isnan(array) if kinds[0] else np.isinf(array)
        axis, chosen = (0, np.zeros(0, np.bool_)) if rows is None else rows
        if array.shape[axis : axis + 1] == chosen.shape:
            chosen = mask & chosen.reshape(-1, *[1] * (array.ndim - 1 - axis))
            mask = chosen if chosen.any() else mask
        if mask.any():
            return number, int(np.argmax(mask.ravel()))
    return numbers[0], 0


def range_of(
    x: np.ndarray, element: int, shape: tuple[int, ...]
) -> tuple[float, float, float]:
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
