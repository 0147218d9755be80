"""Where a NaN or an infinity in the results of a program was made.

The program runs a second time, compiled, on the arguments that gave it. In this form each
floating-point value has an origin: 0 while it is good, else the number of the equation
that made what is bad in it. An operation whose result is bad takes the origin of a bad
operand, or else is one itself; so an origin of a result is that of the very value which
arrived there, and not of one that a choice has dropped. A third form of the program
records, at that equation alone, the iteration, the device and the operands.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import records, scalars, source
from jax._src.checkify import transform
from jax._src.core import (
    avals as avals_lib,
    jaxpr as jaxpr_lib,
    primitive as primitive_lib,
    vma,
    wide_values,
)
from jax._src.core.evaluate import eval_closed
from jax._src.interpreters import batching, partial_eval as pe
from jax._src.lax.collectives import axis_index, reductions as collectives
from jax._src.lax.control_flow import while_loops
from jax._src.lax.ops import bitwise, comparison, reductions, rounding, selection
from jax._src.numpy import creation, reshaping
from jax._src.shard_map import specs as specs_lib, tracing

# Whether NaNs and infinities are looked for.
Kinds = tuple[bool, bool]

# These only move or convert elements, or change their sign: what is bad stays so.
_MOVES = frozenset(
    """
    abs broadcast_in_dim conj convert_element_type copy copy_p expand_dims imag
    mesh_cast name neg optimization_barrier pvary real reduce_precision reshape reshard
    rev sharding_constraint squeeze stop_gradient transpose
    """.split()
)

# Of good operands these make good results: they choose elements, or are bounded.
_KEEP = _MOVES | frozenset(
    """
    clamp concatenate cummax cummin dynamic_slice dynamic_update_slice erf erfc floor ceil
    logistic max min pad reduce_max reduce_min round select_n sign slice sort tanh
    """.split()
)
# These make no NaN of numbers and infinities.
_MAKE_NO_NAN = frozenset("exp exp2 expm1".split())
# These make no infinity of numbers.
_MAKE_NO_INFINITY = frozenset("cos sin sqrt cbrt".split())


@records.identity_record
class Site:
    """An equation: the steps to it, from the outermost program, and what it is."""

    # At each level the number of an equation, and for a choice that of the branch.
    path: tuple[tuple[int, int], ...]
    eqn: Any
    # The equations of the loops, choices and calls around it, the outermost first.
    around: tuple[Any, ...]


class _Context:
    """The sites found so far, and the mesh axes that are manual where equations are read.

    Where `timed` is a site, it is the only one, and an origin is the number of its run.
    """

    def __init__(self, kinds: Kinds, timed: Site | None = None):
        self.kinds = kinds
        self.sites: list[Site] = []
        self.axes: frozenset = frozenset()
        self.of_constants: tuple[int, ...] = ()
        self.timed = timed
        # How often the site ran, on each device of the `shard_map` further inside.
        self.leading = () if timed is None else devices_around(timed)
        self.devices = int(np.prod(self.leading, dtype=int))
        self.clock: Any = np.zeros(self.leading, np.int32)

    def new_origin(self, eqn, path, around):
        """What stands for a bad value that an equation makes."""
        if self.timed is None:
            self.sites.append(Site(path, eqn, around))
            return len(self.sites)
        if path != self.timed.path:
            return 0
        self.clock = creation.asarray(self.clock, np.int32) + np.int32(1)
        axes = [
            a
            for e in around
            if e.primitive.name == "shard_map"
            for a in specs_lib.in_mesh_order(
                e.params["mesh"], e.params["newly_manual_axes"]
            )
        ]
        device = axis_index.axis_index(axes)
        return self.clock * np.int32(self.devices) + device

    def clock_around(self, path):
        """The clock, as a list, where the program of an equation holds the site."""
        if self.timed is None:
            return []
        *before, (index, _) = path
        of_site = self.timed.path[: len(path)]
        if len(self.timed.path) <= len(path) or of_site[:-1] != tuple(before):
            return []
        return [self.settled(self.clock)] if of_site[-1][0] == index else []

    def clock_if(self, is_carried):
        return [self.settled(self.clock)] if is_carried else []

    def clock_aval(self, *ahead):
        return self.origin_aval().update(shape=(*ahead, *self.leading))

    def set_clock(self, values):
        for value in values:
            self.clock = value

    @contextlib.contextmanager
    def within(self, axes, has_site):
        """The program of one device of a `shard_map` along these axes."""
        before = self.axes, self.leading
        self.axes |= frozenset(axes)
        if has_site:
            self.leading = self.leading[1:]
        try:
            yield
        finally:
            self.axes, self.leading = before

    def origin_aval(self):
        manual = vma.ManualAxisType(varying=self.axes)
        aval = avals_lib.ShapedArray((), np.dtype(np.int32))
        return aval.update(manual_axis_type=manual)

    def settled(self, origin):
        """An origin as an array of the type that programs in loops exchange."""
        return vma.vary_along(creation.asarray(origin, np.int32), self.axes)


def devices_around(site: Site) -> tuple[int, ...]:
    """The number of devices of each `shard_map` around an equation, the outermost first."""
    maps = [e for e in site.around if e.primitive.name == "shard_map"]
    return tuple(
        int(
            np.prod(
                [e.params["mesh"].shape[a] for a in e.params["newly_manual_axes"]],
                dtype=int,
            )
        )
        for e in maps
    )


def is_inexact(aval: Any) -> bool:
    """Whether arrays of a type may hold NaNs."""
    return isinstance(aval, avals_lib.ShapedArray) and scalars.is_inexact(aval.dtype)


def bad_elements(x: Any, kinds: Kinds) -> Any:
    """A mask of the elements that are NaNs or infinities, as requested."""
    nans, infs = kinds
    if nans and infs:
        if not np.issubdtype(avals_lib.get_aval(x).dtype, np.complexfloating):
            return bitwise.bitwise_not(rounding.is_finite(x))
        return bitwise.bitwise_not(rounding.is_finite(rounding.abs(x)))
    if nans:
        return comparison.ne(x, x)
    size = rounding.abs(x)
    return comparison.eq(size, np.asarray(np.inf, avals_lib.get_aval(size).dtype))


def host_finder(kinds: Kinds) -> Callable[[np.ndarray], bool]:
    """Whether an array on the host has a NaN or an infinity, as requested."""
    nans, infs = kinds

    def find(x):
        if not scalars.is_inexact(x.dtype):
            return False
        return bool((nans and np.isnan(x).any()) or (infs and np.isinf(x).any()))

    return find


def is_bad(x: Any, kinds: Kinds) -> Any:
    """Whether an array has such an element."""
    mask = bad_elements(x, kinds)
    rank = len(avals_lib.get_aval(x).shape)
    return reductions.reduce_or(mask, tuple(range(rank))) if rank else mask


def _is_clean(origin):
    return type(origin) is int and origin == 0


def _first(origins):
    """The first origin that is not 0."""
    found: Any = 0
    for origin in reversed([o for o in origins if not _is_clean(o)]):
        if _is_clean(found):
            found = origin
        else:
            origin = creation.asarray(origin, np.int32)
            is_set = comparison.ne(origin, np.int32(0))
            found = selection.where(is_set, origin, creation.asarray(found, np.int32))
    return found


def _first_along(origins):
    """The first origin in an array of them that is not 0."""
    if avals_lib.get_aval(origins).shape[0] == 0:
        return 0
    is_set = comparison.ne(origins, np.int32(0))
    index = reductions.argmax(is_set, 0, np.int32)
    return origins[index]


#
# Origins
#


def _with_origins(context, closed, args, origins, path, around):
    """Applies a program to values with origins; returns results and their origins."""
    jaxpr = closed.jaxpr
    values: dict[Any, Any] = dict(zip(jaxpr.constvars, closed.consts, strict=True))
    values.update(zip(jaxpr.invars, args, strict=True))
    known: dict[Any, Any] = dict(zip(jaxpr.invars, origins, strict=True))
    known.update(zip(jaxpr.constvars, context.of_constants, strict=False))
    context.of_constants = ()  # Those of inner programs are good.

    def read(atom):
        return atom.val if isinstance(atom, jaxpr_lib.Literal) else values[atom]

    def origin_of(atom):
        return 0 if isinstance(atom, jaxpr_lib.Literal) else known.get(atom, 0)

    with source.Replay() as replay:
        for index, eqn in enumerate(jaxpr.eqns):
            replay.location = eqn.location
            operands = [read(v) for v in eqn.invars]
            given = [origin_of(v) for v in eqn.invars]
            step = (*path, (index, 0))
            rule = rule_of(eqn, _ORIGIN_RULES)
            types = [v.aval for v in eqn.invars]
            with wide_values.replayed(operands, types) as operands:
                outs, found = (rule or _origins_of_equation)(
                    context, eqn, operands, given, step, around
                )
            values.update(zip(eqn.outvars, outs, strict=True))
            known.update(zip(eqn.outvars, found, strict=True))
    outs = transform.results(jaxpr, values)
    return outs, [origin_of(v) for v in jaxpr.outvars]


def rule_of(eqn: Any, rules: dict[str, Callable]) -> Callable | None:
    """How a construct is read; None: it is an operation, or works on references."""
    rule = rules.get(eqn.primitive.name)
    if rule is None:
        return None
    atoms = (*eqn.invars, *eqn.outvars)
    is_plain = all(isinstance(v.aval, avals_lib.ShapedArray) for v in atoms)
    return rule if is_plain else None


def is_construct(eqn: Any) -> bool:
    """Whether an equation is a loop, a choice or a call whose program is looked into."""
    return rule_of(eqn, _ORIGIN_RULES) is not None


def _origins_of_equation(context, eqn, operands, given, path, around):
    outs = transform.apply_equation(eqn, operands)
    if not outs:
        return outs, []
    if eqn.primitive.name == "select_n":
        given = _of_chosen(context, operands, given)
    inherited = _shared(context, eqn, _first(given))
    brings = any(_is_bad_literal(v, context.kinds) for v in eqn.invars)
    if _is_clean(inherited) and not brings and _keeps(eqn, context.kinds):
        return outs, [0] * len(outs)
    if eqn.primitive.name in _MOVES and not brings and not _narrows(eqn, context.kinds):
        return outs, [inherited if is_inexact(v.aval) else 0 for v in eqn.outvars]
    if not any(is_inexact(v.aval) for v in eqn.outvars):
        return outs, [0] * len(outs)
    origin = inherited
    if brings or not _keeps(eqn, context.kinds):
        origin = _first([inherited, context.new_origin(eqn, path, around)])
    found = []
    for var, out in zip(eqn.outvars, outs, strict=True):
        if not is_inexact(var.aval):
            found.append(0)
            continue
        has_bad = is_bad(out, context.kinds)
        origin_array = creation.asarray(origin, np.int32)
        found.append(selection.where(has_bad, origin_array, np.int32(0)))
    return outs, found


def _of_chosen(context, operands, given):
    """The origins of the cases of a choice, as far as elements with them are chosen."""
    if sum(not _is_clean(o) for o in given[1:]) < 2:
        return given
    which, *cases = operands
    shape = avals_lib.get_aval(cases[0]).shape
    which = creation.asarray(which)
    found: list[Any] = [0]
    for number, (case, origin) in enumerate(zip(cases, given[1:], strict=True)):
        if not _is_clean(origin):
            index = np.asarray(number, avals_lib.get_aval(which).dtype)
            is_chosen = reshaping.broadcast_to(comparison.eq(which, index), shape)
            bad = is_chosen & bad_elements(case, context.kinds)
            has_bad = reductions.reduce_or(bad, tuple(range(len(shape))))
            origin = selection.where(has_bad, origin, np.int32(0))
        found.append(origin)
    return found


def _is_bad_literal(atom, kinds):
    """Whether an operand is a constant of the program with a bad value."""
    if not isinstance(atom, jaxpr_lib.Literal) or not is_inexact(atom.aval):
        return False
    nans, infs = kinds
    value = np.asarray(atom.val)
    return bool((nans and np.isnan(value).any()) or (infs and np.isinf(value).any()))


def _keeps(eqn, kinds):
    """Whether an operation makes nothing bad of what is good."""
    nans, infs = kinds
    name = eqn.primitive.name
    if any(getattr(v.aval, "size", 1) == 0 for v in eqn.invars):
        return False  # the extremes of nothing are infinite
    if _narrows(eqn, kinds):
        return False
    if any(_is_complex(v.aval) for v in eqn.invars):
        return name in _MOVES
    if name in _KEEP:
        return True
    return (nans and not infs and name in _MAKE_NO_NAN) or (
        infs and not nans and name in _MAKE_NO_INFINITY
    )


def _narrows(eqn, kinds):
    """Whether numbers may become infinite, or NaNs where the result has no infinity."""
    name, result = eqn.primitive.name, eqn.outvars[0].aval
    if name not in ("convert_element_type", "reduce_precision") or not is_inexact(
        result
    ):
        return False
    if not kinds[1] and np.isinf(np.asarray(np.inf, result.dtype)):
        return False
    if name == "reduce_precision":
        return eqn.params["exponent_bits"] < dtypes.finfo(result.dtype).nexp
    source_type = eqn.invars[0].aval.dtype
    if source_type == np.bool_:
        return False
    most = dtypes.finfo if scalars.is_inexact(source_type) else dtypes.iinfo
    return float(most(source_type).max) > float(dtypes.finfo(result.dtype).max)


def _is_complex(aval):
    return is_inexact(aval) and np.issubdtype(aval.dtype, np.complexfloating)


def _shared(context, eqn, origin):
    """The origin of what devices exchange is that of the device that made it."""
    axes = () if type(origin) is int else exchanged_along(eqn, context.axes)
    return collectives.pmax(context.settled(origin), axes) if axes else origin


def exchanged_along(eqn: Any, manual: frozenset) -> tuple[Any, ...]:
    """The manual axes along which an equation exchanges values of devices."""
    if not eqn.primitive.traits & primitive_lib.Trait.COLLECTIVE:
        return ()
    return tuple(a for a in batching.named_axes_of(eqn.params) if a in manual)


def _split_dynamic(origins):
    """The origins that are not known to be 0, and what puts them back among the others."""
    dynamic = [o for o in origins if not _is_clean(o)]
    is_dynamic = [not _is_clean(o) for o in origins]

    def join(values):
        rest = iter(values)
        return [next(rest) if d else 0 for d in is_dynamic]

    return dynamic, join


def _origins_inline(name):
    def run(context, eqn, operands, given, path, around):
        closed = eqn.params[name]
        inside = (*around, eqn)
        return _with_origins(context, closed, operands, given, path, inside)

    return run


def _origins_of_cond(context, eqn, operands, given, path, around):
    index, *args = operands
    dynamic, join = _split_dynamic(given[1:])
    dynamic = [context.settled(o) for o in dynamic]
    clock = context.clock_around(path)
    inexact = [is_inexact(v.aval) for v in eqn.outvars]
    branches = []
    for number, branch in enumerate(eqn.params["branches"]):
        step = (*path[:-1], (path[-1][0], number))
        inside = (*around, eqn)
        branches.append(
            _trace_with_origins(
                context, branch, len(dynamic), len(clock), join, step, inside, inexact
            )
        )
    params = {**eqn.params, "branches": tuple(branches)}
    outs = eqn.primitive.bind(index, *args, *dynamic, *clock, **params)
    context.set_clock(outs[len(outs) - len(clock) :])
    return _with_zeros(outs[: len(outs) - len(clock)], inexact)


def _trace_with_origins(context, closed, count, ticks, join, path, around, inexact):
    """The program of values, then origins, then the clock; it returns them in this order."""

    def run(*args):
        args, clock = args[: len(args) - ticks], args[len(args) - ticks :]
        values, origins = args[: len(args) - count], args[len(args) - count :]
        context.set_clock(clock)
        outs, found = _with_origins(
            context, closed, values, join(origins), path, around
        )
        clock = context.clock_if(ticks)
        return [*outs, *_settled_of(context, found, inexact), *clock]

    extra = [*[context.origin_aval()] * count, *[context.clock_aval()] * ticks]
    return pe.trace_to_closed(run, [*closed.in_avals, *extra], closed.jaxpr.debug_info)


def _settled_of(context, origins, chosen):
    return [context.settled(o) for o, c in zip(origins, chosen, strict=True) if c]


def _with_zeros(outs, inexact):
    """Splits results from the origins of those that are inexact."""
    rest = iter(outs[len(inexact) :])
    return list(outs[: len(inexact)]), [next(rest) if i else 0 for i in inexact]


def _origins_of_scan(context, eqn, operands, given, path, around):
    params = eqn.params
    closed, n_consts, n_carry = (
        params["jaxpr"],
        params["num_consts"],
        params["num_carry"],
    )
    n_first = n_consts + n_carry
    carry_vars, y_vars = eqn.outvars[:n_carry], eqn.outvars[n_carry:]
    is_carried = [is_inexact(v.aval) for v in carry_vars]
    is_stacked = [is_inexact(v.aval) for v in y_vars]
    fixed, join = _split_dynamic([*given[:n_consts], *given[n_first:]])
    fixed = [context.settled(o) for o in fixed]
    carried = _settled_of(context, given[n_consts:n_first], is_carried)
    clock = context.clock_around(path)
    inside = (*around, eqn)

    def run(*args):
        args = list(args)
        consts, args = args[:n_consts], args[n_consts:]
        fixed_in, args = args[: len(fixed)], args[len(fixed) :]
        carry, args = args[:n_carry], args[n_carry:]
        carried_in, args = args[: len(carried)], args[len(carried) :]
        clock_in, xs = args[: len(clock)], args[len(clock) :]
        context.set_clock(clock_in)
        rest, moving = join(fixed_in), iter(carried_in)
        origins = [
            *rest[:n_consts],
            *[next(moving) if c else 0 for c in is_carried],
            *rest[n_consts:],
        ]
        outs, found = _with_origins(
            context, closed, [*consts, *carry, *xs], origins, path, inside
        )
        return [
            *outs[:n_carry],
            *_settled_of(context, found[:n_carry], is_carried),
            *context.clock_if(clock),
            *outs[n_carry:],
            *_settled_of(context, found[n_carry:], is_stacked),
        ]

    aval, avals = context.origin_aval(), closed.in_avals
    body = pe.trace_to_closed(
        run,
        [
            *avals[:n_consts],
            *[aval] * len(fixed),
            *avals[n_consts:n_first],
            *[aval] * len(carried),
            *[context.clock_aval()] * len(clock),
            *avals[n_first:],
        ],
        closed.jaxpr.debug_info,
    )
    n_carried = n_carry + len(carried)
    outs = eqn.primitive.bind(
        *operands[:n_consts],
        *fixed,
        *operands[n_consts:n_first],
        *carried,
        *clock,
        *operands[n_first:],
        **{
            **params,
            "jaxpr": body,
            "num_consts": n_consts + len(fixed),
            "num_carry": n_carried + len(clock),
        },
    )
    carry, found = _with_zeros(outs[:n_carried], is_carried)
    context.set_clock(outs[n_carried : n_carried + len(clock)])
    ys, stacked = _with_zeros(outs[n_carried + len(clock) :], is_stacked)
    found += [0 if _is_clean(o) else _first_along(o) for o in stacked]
    return [*carry, *ys], found


def _origins_of_while(context, eqn, operands, given, path, around):
    operands, params = while_loops.reduce_batched_predicate(operands, eqn.params)
    n_cond, n_body = params["cond_nconsts"], params["body_nconsts"]
    cond, body = params["cond_jaxpr"], params["body_jaxpr"]
    n_first = n_cond + n_body
    given = [*given[: len(eqn.invars)], *[0] * (len(operands) - len(given))]
    carry = operands[n_first:]
    is_carried = [is_inexact(avals_lib.get_aval(x)) for x in carry]
    fixed, join = _split_dynamic(given[n_cond:n_first])
    fixed = [context.settled(o) for o in fixed]
    carried = _settled_of(context, given[n_first:], is_carried)
    clock = context.clock_around(path)
    inside = (*around, eqn)
    n_carry = len(carry)

    def run(*args):
        consts, args = args[:n_body], args[n_body:]
        fixed_in, args = args[: len(fixed)], args[len(fixed) :]
        args, clock_in = args[: len(args) - len(clock)], args[len(args) - len(clock) :]
        context.set_clock(clock_in)
        values, carried_in = args[:n_carry], iter(args[n_carry:])
        origins = [*join(fixed_in), *[next(carried_in) if c else 0 for c in is_carried]]
        outs, found = _with_origins(
            context, body, [*consts, *values], origins, path, inside
        )
        ticks = context.clock_if(clock)
        return [*outs, *_settled_of(context, found, is_carried), *ticks]

    def run_cond(*args):
        return eval_closed(cond, *args[: n_cond + n_carry])

    aval = context.origin_aval()
    extra = [*[aval] * len(carried), *[context.clock_aval()] * len(clock)]
    outs = eqn.primitive.bind(
        *operands[:n_first],
        *fixed,
        *carry,
        *carried,
        *clock,
        cond_nconsts=n_cond,
        cond_jaxpr=pe.trace_to_closed(
            run_cond, [*cond.in_avals, *extra], cond.jaxpr.debug_info
        ),
        body_nconsts=n_body + len(fixed),
        body_jaxpr=pe.trace_to_closed(
            run,
            [
                *body.in_avals[:n_body],
                *[aval] * len(fixed),
                *body.in_avals[n_body:],
                *extra,
            ],
            body.jaxpr.debug_info,
        ),
    )
    context.set_clock(outs[len(outs) - len(clock) :])
    return _with_zeros(outs[: len(outs) - len(clock)], is_carried)


def _origins_of_shard_map(context, eqn, operands, given, path, around):
    params, body = eqn.params, eqn.params["jaxpr"]
    axes = specs_lib.in_mesh_order(params["mesh"], params["newly_manual_axes"])
    dynamic, join = _split_dynamic(given)
    dynamic = [creation.asarray(o, np.int32) for o in dynamic]
    inexact = [is_inexact(v.aval) for v in eqn.outvars]
    count = len(dynamic)
    aval = context.origin_aval()
    clock = context.clock_around(path)
    inside = (*around, eqn)
    shared = specs_lib.P(axes)
    out_specs = (*params["out_specs"], *[shared] * (sum(inexact) + len(clock)))

    def run(*args):
        args, clock_in = args[: len(args) - len(clock)], args[len(args) - len(clock) :]
        with context.within(axes, bool(clock)):
            context.set_clock(reshaping.squeeze(x, 0) for x in clock_in)
            outs, found = _with_origins(
                context, body, args[: len(args) - count],
                join(args[len(args) - count :]), path, inside,
            )  # fmt: skip
            kept = _settled_of(context, found, inexact)
            kept += context.clock_if(clock)
        return [*outs, *(reshaping.expand_dims(o, 0) for o in kept)]

    with context.within(axes, bool(clock)):
        extra = [*[aval] * count, *[context.clock_aval(1)] * len(clock)]
    program = tracing.setting_of(params).trace(
        run,
        [*body.in_avals, *extra],
        body.jaxpr.debug_info,
        out_specs=lambda: out_specs,
    )
    params = {
        **params,
        "jaxpr": program,
        "in_specs": (
            *params["in_specs"],
            *[specs_lib.P()] * count,
            *[shared] * len(clock),
        ),
        "out_specs": out_specs,
    }
    outs = eqn.primitive.bind(*operands, *dynamic, *clock, **params)
    context.set_clock(transform.gathered(x) for x in outs[len(outs) - len(clock) :])
    values, found = _with_zeros(outs[: len(outs) - len(clock)], inexact)
    found = [0 if _is_clean(o) else _first_along(transform.gathered(o)) for o in found]
    return values, found


_ORIGIN_RULES: dict[str, Callable] = {
    "jit": _origins_inline("jaxpr"),
    "custom_jvp_call": _origins_inline("call_jaxpr"),
    "custom_vjp_call": _origins_inline("call_jaxpr"),
    "remat2": _origins_inline("jaxpr"),
    "cond": _origins_of_cond,
    "scan": _origins_of_scan,
    "while": _origins_of_while,
    "shard_map": _origins_of_shard_map,
}


# The program within an equation, by the name of its parameter.
PROGRAMS = {
    "jit": "jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "remat2": "jaxpr",
    "scan": "jaxpr",
    "while": "body_jaxpr",
    "shard_map": "jaxpr",
}


def sites_of(
    closed: jaxpr_lib.ClosedJaxpr,
    kinds: Kinds,
    path: tuple[tuple[int, int], ...] = (),
    around: tuple[Any, ...] = (),
) -> Iterator[Site]:
    """The operations of a program that may make something bad of what is good."""
    for index, eqn in enumerate(closed.jaxpr.eqns):
        step, inside = (*path, (index, 0)), (*around, eqn)
        name = eqn.primitive.name
        if not is_construct(eqn):
            if _may_make(eqn, kinds):
                yield Site(step, eqn, around)
        elif name == "cond":
            for number, branch in enumerate(eqn.params["branches"]):
                yield from sites_of(branch, kinds, (*path, (index, number)), inside)
        else:
            params = eqn.params
            if name == "while":
                params = while_loops.reduce_batched_predicate(eqn.invars, params)[1]
            yield from sites_of(params[PROGRAMS[name]], kinds, step, inside)


def _may_make(eqn, kinds):
    if not any(is_inexact(v.aval) and v.aval.size for v in eqn.outvars):
        return False
    return not _keeps(eqn, kinds) or any(_is_bad_literal(v, kinds) for v in eqn.invars)


def origins_program(
    closed: jaxpr_lib.ClosedJaxpr, kinds: Kinds, given: tuple[int, ...]
) -> tuple[jaxpr_lib.ClosedJaxpr, list[Site]]:
    """The program that returns an origin for each result; and the sites that they number.

    Args:
        closed: the program.
        kinds: whether NaNs and infinities are looked for.
        given: the origins of its inputs and then of its constants: negative for bad ones.
    """

    def make():
        context = _Context(kinds)

        def run(*args):
            context.of_constants = given[len(args) :]
            _, found = _with_origins(context, closed, args, given[: len(args)], (), ())
            return [context.settled(o) for o in found]

        program = pe.trace_to_closed(run, closed.in_avals, closed.jaxpr.debug_info)
        return program, context.sites

    return closed.derived(("origins of bad values", kinds, given), make)


def times_program(
    closed: jaxpr_lib.ClosedJaxpr, kinds: Kinds, site: Site
) -> jaxpr_lib.ClosedJaxpr:
    """The program that returns, for each result, in which run of an operation its bad value was made.

    It is 0 where that operation made none of it; else `run_of_origin` takes it apart.
    """

    def make():
        context = _Context(kinds, site)

        def run(*args):
            _, found = _with_origins(context, closed, args, [0] * len(args), (), ())
            return [context.settled(o) for o in found]

        return pe.trace_to_closed(run, closed.in_avals, closed.jaxpr.debug_info)

    return closed.derived(("run of a bad value", kinds, site.path), make)


def run_of_origin(origin: int, site: Site) -> tuple[int, tuple[int, ...]]:
    """The number of the run, from 1, and the device by its index in each `shard_map`."""
    shape = devices_around(site)
    run, device = divmod(origin, int(np.prod(shape, dtype=int)))
    return run, tuple(int(i) for i in np.unravel_index(device, shape)) if shape else ()
