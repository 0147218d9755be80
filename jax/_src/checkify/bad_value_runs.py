"""What operations computed in every run of them: the form of a program that is tried first.

The program gets more results, the operands and results of some operations: loops stack
them, choices say whether they were made, each device returns its own. Nothing is checked
while it runs, so it is compiled in the time of the program itself; the host looks through
what it returns. A loop of unknown length keeps as many runs as an array has room for.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import records, scalars
from jax._src.checkify import bad_value_details as details_lib, bad_values
from jax._src.core import avals as avals_lib, jaxpr as jaxpr_lib, vma
from jax._src.core.symbols import expressions
from jax._src.jit import inlining, primitive as jit_primitive
from jax._src.lax.control_flow import scan_primitive, while_loops
from jax._src.lax.ops import (
    arithmetic,
    broadcast_and_reduce_sum,
    dynamic_slicing,
    joining_splitting,
)
from jax._src.shard_map import specs as specs_lib

# So many bytes are recorded, of so many values.
_MOST_BYTES = 32 << 20
_MOST_VALUES = 1024
# As many runs of the body of a `while` are recorded as give so many elements, within bounds.
# Where other loops are around it, arrays of more would be copied by each of their iterations.
_ELEMENTS, _ELEMENTS_INSIDE = 1 << 18, 1 << 12
_FEWEST_RUNS, _MOST_RUNS = 16, 1 << 14

_Path = tuple[tuple[int, int], ...]
# A result of the program: of the body at a path the value of a variable, or what says how often it ran.
_Key = tuple[_Path, Any]
_RAN = "ran"


@records.identity_record
class _Several:
    """The key of a result that is several of one type, along an axis counted from the last."""

    keys: tuple[Any, ...]
    axis: int


class _TooMuch(Exception):
    """The values take more memory than may be recorded, or cannot be."""


#
# The program
#


@records.identity_record
class _Part:
    """A body of the program: the values to record in it, and the bodies within."""

    # How often it runs where the equation that holds it does; of a `while`, at least.
    times: int
    values: dict[Any, None]
    # By the number of an equation, and that of its branch.
    inner: dict[int, "dict[int, _Part]"]


def _parts_of(sites):
    root = _Part(1, {}, {})
    for site in sites:
        part = root
        for (index, branch), eqn in zip(site.path[:-1], site.around, strict=True):
            branches = part.inner.setdefault(index, {})
            if branch not in branches:
                branches[branch] = _Part(_times_of(eqn), {}, {})
            part = branches[branch]
        part.values.update(dict.fromkeys(_recorded(site.eqn)))
    return root


def _recorded(eqn):
    """The variables whose values are recorded: what may be bad, and what is shown."""
    results = [eqn.outvars[i] for i in details_lib.inexact_results(eqn)]
    operands = [v for v in eqn.invars if bad_values.is_inexact(v.aval)]
    operands += [eqn.invars[i] for i in details_lib.shown_operands(eqn)]
    found = [v for v in (*results, *operands) if isinstance(v, jaxpr_lib.Var)]
    if any(expressions.is_dimension(n) for v in found for n in v.aval.shape):
        raise _TooMuch
    return found


def _times_of(eqn):
    if eqn.primitive.name == "scan":
        length = eqn.params["length"]
        if expressions.is_dimension(length):
            raise _TooMuch
        return length
    return _FEWEST_RUNS if eqn.primitive.name == "while" else 1


def _elements(part):
    """How many elements one run of a body records."""
    own = sum(v.aval.size for v in part.values)
    inner = (p for branches in part.inner.values() for p in branches.values())
    return own + sum(p.times * _elements(p) for p in inner)


class _Recording:
    """The bytes of what is recorded so far, and the number of values."""

    def __init__(self) -> None:
        self.bytes = 0
        self.values = 0

    def count(self, avals: Sequence[Any], times: int) -> None:
        """Counts values of these types, each recorded so many times."""
        self.values += len(avals)
        self.bytes += times * sum(a.size * a.dtype.itemsize for a in avals)
        if self.bytes > _MOST_BYTES or self.values > _MOST_VALUES:
            raise _TooMuch


def recording_program(
    closed: jaxpr_lib.ClosedJaxpr, sites: Sequence[bad_values.Site]
) -> tuple[jaxpr_lib.ClosedJaxpr, list[_Key | _Several]] | None:
    """The program that returns what operations computed, and which result is what.

    `apart` reads its results. None: that would be too much.
    """
    try:
        part = _parts_of(sites)
        jaxpr, keys = _recording(_Recording(), closed.jaxpr, part, (), 1)
    except _TooMuch:
        return None
    outs = jaxpr.outvars[len(closed.jaxpr.outvars) :]
    debug = jaxpr.debug_info.replace(result_paths=None)
    jaxpr = jaxpr.replace(outvars=outs, debug_info=debug)
    return jaxpr_lib.ClosedJaxpr(jaxpr, closed.consts), keys


def apart(
    keys: Sequence[_Key | _Several], arrays: Sequence[np.ndarray]
) -> dict[_Key, np.ndarray]:
    """The results of the program by what they are."""
    found: dict[_Key, np.ndarray] = {}
    for key, array in zip(keys, arrays, strict=True):
        if isinstance(key, _Several):
            found |= apart(key.keys, list(np.moveaxis(array, key.axis, 0)))
        else:
            found[key] = array
    return found


def _recording(to, jaxpr, part, path, times):
    """A program with what is recorded of it after its results, and what that is."""
    to.count([v.aval for v in part.values], times)
    extra, keys = [*part.values], [(path, v) for v in part.values]
    eqns: list[Any] = []
    for index, eqn in enumerate(jaxpr.eqns):
        branches = part.inner.get(index)
        if branches is None:
            eqns.append(eqn)
            continue
        rule = _RULES[eqn.primitive.name]
        made, values, found = rule(to, eqn, branches, (*path, (index, 0)), times)
        eqns += made
        extra += values
        keys += found
    outs = [*jaxpr.outvars, *extra]
    return jaxpr.replace(eqns=eqns, outvars=outs), keys


def _closed(to, closed, part, path, times):
    jaxpr, keys = _recording(to, closed.jaxpr, part, path, times)
    debug = jaxpr.debug_info.replace(result_paths=None)
    jaxpr = jaxpr.replace(debug_info=debug)
    return jaxpr_lib.ClosedJaxpr(jaxpr, closed.consts), keys


def _new(avals):
    return [jaxpr_lib.Var(aval) for aval in avals]


def _scalar(value):
    array = np.asarray(value)
    return jaxpr_lib.Literal(array[()], avals_lib.ShapedArray((), array.dtype))


def _equation(primitive, invars, aval, **params):
    return jaxpr_lib.JaxprEqn(invars, _new([aval]), primitive, params)


def _broadcast(atom, aval, dimensions=()):
    return _equation(
        broadcast_and_reduce_sum.broadcast_in_dim_p,
        [atom],
        aval,
        shape=aval.shape,
        broadcast_dimensions=tuple(dimensions),
        sharding=None,
    )


def _zeros(aval):
    """An equation that makes zeros of a type."""
    if any(aval.sharding.spec):
        raise _TooMuch  # They would have to be sharded as the type says.
    return _broadcast(_scalar(np.zeros((), aval.dtype)), aval)


def _row(var, aval):
    """An equation that makes an array of one row of a value."""
    return _broadcast(var, aval, range(1, len(aval.shape)))


def _joined(variables, keys):
    """Values of one type as one: equations, the results, and what they are.

    A loop that carries one array is compiled in half the time of one that carries five.
    """
    groups: dict[Any, list[int]] = {}
    for i, var in enumerate(variables):
        groups.setdefault(var.aval, []).append(i)
    eqns, outs, names = [], [], []
    for aval, members in groups.items():
        if len(members) == 1:
            outs.append(variables[members[0]])
            names.append(keys[members[0]])
            continue
        rows = [_row(variables[i], aval.with_axis(0, 1)) for i in members]
        whole = _equation(
            joining_splitting.concatenate_p,
            [row.outvars[0] for row in rows],
            aval.with_axis(0, len(members)),
            dimension=0,
        )
        eqns += [*rows, whole]
        outs += whole.outvars
        names.append(_Several(tuple(keys[i] for i in members), -aval.ndim - 1))
    return eqns, outs, names


def _of_call(name):
    def rule(to, eqn, branches, path, times):
        inner, keys = _closed(to, eqn.params[name], branches[0], path, times)
        values = _new(inner.out_avals[len(eqn.outvars) :])
        outs = [*eqn.outvars, *values]
        if eqn.primitive is jit_primitive.jit_p:
            open_ = (jit_primitive.UNSPECIFIED,) * len(values)
            shardings = (*eqn.params["out_shardings"], *open_)
            params = {**eqn.params, name: inner, "out_shardings": shardings}
            return [eqn.replace(params=params, outvars=outs)], values, keys
        if eqn.primitive.name == "remat2":
            params = {**eqn.params, name: inner}
            return [eqn.replace(params=params, outvars=outs)], values, keys
        called = jit_primitive.default_params(
            inner, eqn.params["name"], len(eqn.invars), len(outs)
        )
        called["inline"] = inlining.Inline.JAX_LATE
        made = eqn.replace(
            primitive=jit_primitive.jit_p,
            params=called,
            outvars=outs,
            effects=inner.effects,
        )
        return [made], values, keys

    return rule


def _of_cond(to, eqn, branches, path, times):
    """Each branch returns whether it ran and its own values, and zeros for the others'."""
    programs = eqn.params["branches"]
    count = len(eqn.outvars)
    made, keys, avals = {}, [], []
    slots: dict[int, int] = {}
    flag = avals_lib.ShapedArray((), np.dtype(np.bool_))
    for number, part in branches.items():
        inside = (*path[:-1], (path[-1][0], number))
        made[number], found = _closed(to, programs[number], part, inside, times)
        slots[number] = len(avals)
        avals += [flag, *made[number].out_avals[count:]]
        keys += [(inside, _RAN), *found]
    changed = []
    for number, program in enumerate(programs):
        own = made.get(number)
        jaxpr = (program if own is None else own).jaxpr
        own_outs = () if own is None else (_scalar(np.True_), *jaxpr.outvars[count:])
        start = slots.get(number, 0)
        eqns, outs = list(jaxpr.eqns), jaxpr.outvars[:count]
        for position, aval in enumerate(avals):
            if start <= position < start + len(own_outs):
                outs.append(own_outs[position - start])
                continue
            if aval is flag:
                outs.append(_scalar(np.False_))
                continue
            zeros = _zeros(aval)
            eqns.append(zeros)
            outs += zeros.outvars
        debug = jaxpr.debug_info.replace(result_paths=None)
        changed.append(
            jaxpr_lib.ClosedJaxpr(
                jaxpr.replace(eqns=eqns, outvars=outs, debug_info=debug),
                program.consts,
            )
        )
    values = _new(avals)
    params = {**eqn.params, "branches": tuple(changed)}
    return [eqn.replace(params=params, outvars=[*eqn.outvars, *values])], values, keys


def _of_scan(to, eqn, branches, path, times):
    length = eqn.params["length"]
    inner, keys = _closed(to, eqn.params["jaxpr"], branches[0], path, times * length)
    jaxpr, count = inner.jaxpr, len(eqn.outvars)
    joins, joined, keys = _joined(jaxpr.outvars[count:], keys)
    outs = [*jaxpr.outvars[:count], *joined]
    body = jaxpr.replace(eqns=[*jaxpr.eqns, *joins], outvars=outs)
    values = _new(scan_primitive.stacked_aval(v.aval, length) for v in joined)
    params = {**eqn.params, "jaxpr": jaxpr_lib.ClosedJaxpr(body, inner.consts)}
    return [eqn.replace(params=params, outvars=[*eqn.outvars, *values])], values, keys


def _of_while(to, eqn, branches, path, times):
    """The loop carries how often it ran, and an array of each value's first rows."""
    operands, params = while_loops.reduce_batched_predicate(eqn.invars, eqn.params)
    most = _ELEMENTS if times == 1 else _ELEMENTS_INSIDE
    room = most // (times * max(1, _elements(branches[0])))
    room = min(max(room, _FEWEST_RUNS), _MOST_RUNS)
    inner, keys = _closed(to, params["body_jaxpr"], branches[0], path, times * room)
    jaxpr, carried = inner.jaxpr, len(eqn.outvars)
    joins, joined, keys = _joined(jaxpr.outvars[carried:], keys)
    counter = avals_lib.ShapedArray((), np.dtype(np.int32))
    arrays = [v.aval.with_axis(0, room) for v in joined]
    number, *given = _new([counter, *arrays])
    eqns, outs = [*jaxpr.eqns, *joins], jaxpr.outvars[:carried]
    more = _equation(arithmetic.add_p, [number, _scalar(np.int32(1))], counter)
    eqns.append(more)
    outs += more.outvars
    for var, array in zip(joined, given, strict=True):
        row = _row(var, var.aval.with_axis(0, 1))
        starts = [number, *[_scalar(np.int32(0))] * var.aval.ndim]
        written = _equation(
            dynamic_slicing.dynamic_update_slice_p,
            [array, *row.outvars, *starts],
            array.aval,
        )
        eqns += [row, written]
        outs += written.outvars
    extra = [number, *given]
    body = jaxpr.replace(invars=[*jaxpr.invars, *extra], outvars=outs, eqns=eqns)
    cond = params["cond_jaxpr"].jaxpr
    unread = _new([counter, *arrays])
    first = [_zeros(aval) for aval in arrays]
    values = _new([counter, *arrays])
    changed = {
        **params,
        "body_jaxpr": jaxpr_lib.ClosedJaxpr(_unnamed(body), inner.consts),
        "cond_jaxpr": jaxpr_lib.ClosedJaxpr(
            _unnamed(cond.replace(invars=[*cond.invars, *unread])),
            params["cond_jaxpr"].consts,
        ),
    }
    zeros = [out for one in first for out in one.outvars]
    loop = eqn.replace(
        params=changed,
        invars=[*operands, _scalar(np.int32(0)), *zeros],
        outvars=[*eqn.outvars, *values],
    )
    return [*first, loop], values, [(path, _RAN), *keys]


def _unnamed(jaxpr):
    return jaxpr.replace(debug_info=jaxpr.debug_info.with_unknown_names())


def _of_shard_map(to, eqn, branches, path, times):
    params = eqn.params
    mesh, manual = params["mesh"], params["newly_manual_axes"]
    axes = specs_lib.in_mesh_order(mesh, manual)
    spec, count = specs_lib.P(axes), len(eqn.outvars)
    devices = int(np.prod([mesh.shape[a] for a in axes], dtype=int))
    inner, keys = _closed(to, params["jaxpr"], branches[0], path, times * devices)
    jaxpr = inner.jaxpr
    rows = [_row(v, v.aval.with_axis(0, 1)) for v in jaxpr.outvars[count:]]
    outs = [*jaxpr.outvars[:count], *[v for row in rows for v in row.outvars]]
    program = jaxpr.replace(eqns=[*jaxpr.eqns, *rows], outvars=outs)
    values = _new(
        specs_lib.global_aval(row.outvars[0].aval, spec, mesh, manual, frozenset())
        for row in rows
    )
    changed = {
        **params,
        "jaxpr": jaxpr_lib.ClosedJaxpr(program, inner.consts),
        "out_specs": (*params["out_specs"], *[spec] * len(rows)),
    }
    return [eqn.replace(params=changed, outvars=[*eqn.outvars, *values])], values, keys


_RULES: dict[str, Any] = {
    "jit": _of_call("jaxpr"),
    "custom_jvp_call": _of_call("call_jaxpr"),
    "custom_vjp_call": _of_call("call_jaxpr"),
    "remat2": _of_call("jaxpr"),
    "cond": _of_cond,
    "scan": _of_scan,
    "while": _of_while,
    "shard_map": _of_shard_map,
}


#
# What it returned
#


class Runs:
    """What an operation computed in each run: on each device, in each iteration of loops.

    Arrays have an axis for each `shard_map` around the operation, then one for each loop, in
    the order in which these run.
    """

    def __init__(
        self,
        site: bad_values.Site,
        kinds: bad_values.Kinds,
        values: dict[_Key, np.ndarray],
    ):
        self.site, self.kinds = site, kinds
        body, eqn = site.path[:-1], site.eqn
        self._loops = [e for e in site.around if e.primitive.name in ("scan", "while")]
        self._maps = [e for e in site.around if e.primitive.name == "shard_map"]
        self.rank = len(self._loops) + len(self._maps)
        results = [eqn.outvars[i] for i in details_lib.inexact_results(eqn)]
        operands = [v for v in eqn.invars if bad_values.is_inexact(v.aval)]
        read = lambda v: (  # noqa: E731
            self._in_order(values[body, v])
            if isinstance(v, jaxpr_lib.Var)
            else np.asarray(v.val)
        )
        self.results = [read(v) for v in results]
        self.shown = [read(eqn.invars[i]) for i in details_lib.shown_operands(eqn)]
        shape = values[body, results[0]].shape[: self.rank]
        # Whether runs beyond those that were recorded may have been.
        self.is_whole = True
        ran = np.ones(shape, np.bool_)
        for i, around in enumerate(site.around):
            told = values.get((site.path[: i + 1], _RAN))
            if told is None:
                continue
            if around.primitive.name == "while":
                room = shape[told.ndim]
                self.is_whole &= bool((told <= room).all())
                # The last row is of the last run, whichever that was.
                rows = np.where(told > room, room - 1, told)
                told = np.arange(room) < rows[..., None]
            ran &= told.reshape((*told.shape, *[1] * (self.rank - told.ndim)))
        self.ran = self._in_order(ran)
        self._operands = [
            (v, read(v)) for v in operands if isinstance(v, jaxpr_lib.Var)
        ]
        bad_operands = [self._is_bad(x) for _, x in self._operands]
        has_bad = np.zeros_like(self.ran)
        if bad_operands:
            has_bad = self._of_devices(self.ran & np.any(bad_operands, 0))
        self.has_bad_result = np.any([self._is_bad(x) for x in self.results], 0)
        # The runs that made something bad of what was good.
        self.made = self.ran & self.has_bad_result & ~has_bad & self._of_one_copy()

    def _in_order(self, array):
        """An array with axes of devices first, and loops in the order in which they run."""
        names = [e.primitive.name for e in self.site.around]
        axes = [n for n in names if n in ("scan", "while", "shard_map")]
        devices = [i for i, n in enumerate(axes) if n == "shard_map"]
        loops = [i for i, n in enumerate(axes) if n != "shard_map"]
        rest = range(self.rank, array.ndim)
        array = array.transpose((*devices, *loops, *rest))
        for i, eqn in enumerate(self._loops, len(devices)):
            if eqn.params.get("reverse"):
                array = np.flip(array, i)
        return array

    def _is_bad(self, array):
        """For each run, whether an array has something bad."""
        if not scalars.is_inexact(array.dtype):
            return np.zeros(array.shape[: self.rank], np.bool_)
        nans, infs = self.kinds
        mask = np.zeros(array.shape, np.bool_)
        if nans:
            mask |= np.isnan(array)
        if infs:
            mask |= np.isinf(array)
        return mask.any(axis=tuple(range(self.rank, array.ndim)))

    def _of_one_copy(self):
        """The devices that compute for themselves, and of those that compute the same the first."""
        results = [
            self.site.eqn.outvars[i] for i in details_lib.inexact_results(self.site.eqn)
        ]
        varying = frozenset().union(*(vma.of_type(v.aval).varying for v in results))
        mask = np.ones(self.ran.shape, np.bool_)
        for i, eqn in enumerate(self._maps):
            params = eqn.params
            axes = specs_lib.in_mesh_order(params["mesh"], params["newly_manual_axes"])
            if not params["check_vma"]:
                continue
            sizes = [params["mesh"].shape[a] for a in axes]
            index = [np.s_[:] if a in varying else np.s_[:1] for a in axes]
            chosen = np.zeros(sizes, np.bool_)
            chosen[tuple(index)] = True
            shape = [1] * self.rank
            shape[i] = chosen.size
            mask &= chosen.reshape(shape)
        return mask

    def _of_devices(self, mask):
        """For each run, whether any device that exchanges values in it has a bad one."""
        for i, eqn in enumerate(self._maps):
            mesh = eqn.params["mesh"]
            axes = specs_lib.in_mesh_order(mesh, eqn.params["newly_manual_axes"])
            shared = bad_values.exchanged_along(self.site.eqn, frozenset(axes))
            if not shared:
                continue
            sizes = [mesh.shape[a] for a in axes]
            whole = mask.reshape(*mask.shape[:i], *sizes, *mask.shape[i + 1 :])
            along = tuple(i + axes.index(a) for a in shared)
            any_ = np.broadcast_to(whole.any(axis=along, keepdims=True), whole.shape)
            mask = any_.reshape(mask.shape)
        return mask

    def bad_variables(self) -> dict[Any, bool]:
        """For each variable that was recorded, whether it was bad in any run."""
        eqn = self.site.eqn
        results = [eqn.outvars[i] for i in details_lib.inexact_results(eqn)]
        pairs = [*zip(results, self.results, strict=True), *self._operands]
        return {v: bool(self._is_bad(x).any()) for v, x in pairs}

    def first(
        self, rows: tuple[int, np.ndarray] | None = None
    ) -> details_lib.Record | None:
        """The record of the first run that made something bad; None: none did."""
        found = np.argwhere(self.made)
        if not len(found):
            return None
        return self._record(tuple(map(int, found[0])), rows, len(found) == 1)

    def numbered(
        self,
        number: int,
        device: tuple[int, ...],
        rows: tuple[int, np.ndarray] | None = None,
    ) -> details_lib.Record | None:
        """The record of one run, by its number from 1, on a device; None: it was not recorded."""
        ran = np.argwhere(self.ran[device])
        if number > len(ran):
            return None
        return self._record((*device, *map(int, ran[number - 1])), rows, True)

    def _record(self, run, rows, is_only):
        site = self.site
        device, loops = run[: len(self._maps)], run[len(self._maps) :]
        # A loop that runs backwards is counted as the arrays that it reads are.
        iterations = [
            eqn.params["length"] - 1 - n if eqn.params.get("reverse") else n
            for eqn, n in zip(self._loops, loops, strict=True)
        ]
        numbers = details_lib.inexact_results(site.eqn)
        results = [x[run] for x in self.results]
        number, element = details_lib.first_bad(numbers, results, self.kinds, rows)
        shape = site.eqn.outvars[number].aval.shape
        operands = [site.eqn.invars[i] for i in details_lib.shown_operands(site.eqn)]
        shown = [
            x[run] if isinstance(v, jaxpr_lib.Var) else x
            for v, x in zip(operands, self.shown, strict=True)
        ]
        ranges = tuple(details_lib.range_of(x, element, shape) for x in shown)
        return details_lib.Record(
            device, tuple(iterations), number, element, ranges, is_only
        )
