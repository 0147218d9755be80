"""Removing equations whose results nobody needs."""

import heapq
import operator
from collections.abc import Sequence
from typing import Any

from jax._src.core import jaxpr as jaxpr_lib


def dce_jaxpr(
    jaxpr: jaxpr_lib.Jaxpr,
    used_outputs: Sequence[bool],
    instantiate: bool | Sequence[bool] = False,
) -> tuple[jaxpr_lib.Jaxpr, list[bool]]:
    """Keeps the equations that the used outputs need, or that have effects.

    Args:
        jaxpr: the program.
        used_outputs: for each output, whether it stays.
        instantiate: inputs that stay although nothing uses them.

    Returns:
        The smaller program, and for each input whether it is still there. Constant
        variables all stay.
    """
    live: set[jaxpr_lib.Var] = {
        v
        for v, used in zip(jaxpr.outvars, used_outputs, strict=True)
        if used and isinstance(v, jaxpr_lib.Var)
    }
    kept: list[jaxpr_lib.JaxprEqn] = []
    for eqn in reversed(jaxpr.eqns):
        used = [v in live for v in eqn.outvars]
        if not any(used) and not eqn.effects:
            continue
        new_eqn: jaxpr_lib.JaxprEqn | None = eqn
        rule = eqn.primitive.rules.get("dce")
        if rule is not None and not all(used):
            _, new_eqn = rule(used, eqn)
            if new_eqn is None:
                continue
        if new_eqn is not None:
            kept.append(new_eqn)
            live.update(v for v in new_eqn.invars if isinstance(v, jaxpr_lib.Var))
    wanted = (
        [instantiate] * len(jaxpr.invars)
        if isinstance(instantiate, bool)
        else list(instantiate)
    )
    used_inputs = [v in live or w for v, w in zip(jaxpr.invars, wanted, strict=True)]
    eqns = kept[::-1]
    smaller = jaxpr.replace(
        invars=[v for v, u in zip(jaxpr.invars, used_inputs, strict=True) if u],
        outvars=[v for v, u in zip(jaxpr.outvars, used_outputs, strict=True) if u],
        eqns=eqns,
        effects=jaxpr_lib.join_effects(*[e.effects for e in eqns]),
        debug_info=_fewer_names(jaxpr.debug_info, used_inputs, used_outputs),
    )
    return smaller, used_inputs


def _fewer_names(debug, used_inputs, used_outputs):
    names, paths = debug.arg_names, debug.result_paths
    if names is not None and len(names) == len(used_inputs):
        names = tuple(n for n, u in zip(names, used_inputs, strict=True) if u)
    if paths is not None and len(paths) == len(used_outputs):
        paths = tuple(p for p, u in zip(paths, used_outputs, strict=True) if u)
    return debug.replace(arg_names=names, result_paths=paths)


def dce_closed(
    closed: jaxpr_lib.ClosedJaxpr,
    used_outputs: Sequence[bool],
    instantiate: Sequence[bool] | None = None,
) -> tuple[jaxpr_lib.ClosedJaxpr, list[bool]]:
    """`dce_jaxpr` for a closed program, whose unused constants go too.

    The result is kept with the program, so that a rule which needs several rounds visits
    the programs inside of it once for each set of used outputs, and not once per round at
    each level of nesting. A program that nothing can be taken from is returned itself, so
    that what is known of it is not found out anew.
    """
    used = tuple(used_outputs)
    smaller, used_inputs, is_whole = _smaller(closed, used)
    if instantiate is None:
        return (closed if is_whole and all(used_inputs) else smaller), used_inputs
    wanted = [u or w for u, w in zip(used_inputs, instantiate, strict=True)]
    if is_whole and all(wanted):
        return closed, wanted
    return _with_inputs(closed, smaller, used, used_inputs, wanted)


def _smaller(closed, used):
    """The smaller program, the inputs it needs, and whether it has all equations and constants."""

    def make():
        jaxpr, used_inputs = dce_jaxpr(closed.jaxpr, used)
        needed = {
            v for e in jaxpr.eqns for v in e.invars if isinstance(v, jaxpr_lib.Var)
        }
        needed |= {v for v in jaxpr.outvars if isinstance(v, jaxpr_lib.Var)}
        pairs = [
            (v, c)
            for v, c in zip(jaxpr.constvars, closed.consts, strict=True)
            if v in needed
        ]
        smaller = jaxpr.replace(constvars=[v for v, _ in pairs])
        old = closed.jaxpr
        is_whole = (
            all(used)
            and len(pairs) == len(old.constvars)
            and len(jaxpr.eqns) == len(old.eqns)
            and all(map(operator.is_, jaxpr.eqns, old.eqns))
        )
        return (
            jaxpr_lib.ClosedJaxpr(smaller, [c for _, c in pairs]),
            used_inputs,
            is_whole,
        )

    return closed.derived(("dce", used), make)


def used_with_carries(
    closed: jaxpr_lib.ClosedJaxpr, used_outputs: Sequence[bool], first: int, count: int
) -> list[bool]:
    """The outputs of a step that a loop needs, for some of them to be used.

    Args:
        closed: the step; its first `count` outputs are what it carries.
        used_outputs: those that are used in any case.
        first: which input is the first of what it carries.
        count: how many values it carries.

    Returns:
        For each output whether it is used, or carried to a step that needs it.
    """
    key = ("carries", tuple(used_outputs), first, count)
    return list(
        closed.derived(key, lambda: _with_carries(closed, used_outputs, first, count))
    )


def _with_carries(closed, used_outputs, first, count):
    jaxpr, used = closed.jaxpr, list(used_outputs)
    carries = {v: i for i, v in enumerate(jaxpr.invars[first : first + count])}
    makers = {v: i for i, eqn in enumerate(jaxpr.eqns) for v in eqn.outvars}
    live: set[jaxpr_lib.Var] = set()
    # Last equations first, so that each is visited once for all that is used of it; again
    # only where a carry leads back to it.
    waiting: list[int] = []

    def need(atoms):
        fresh = [v for v in atoms if isinstance(v, jaxpr_lib.Var) and v not in live]
        while fresh:
            var = fresh.pop()
            live.add(var)
            if var in makers:
                heapq.heappush(waiting, -makers[var])
            number = carries.get(var)
            if number is not None and not used[number]:
                used[number] = True
                out = jaxpr.outvars[number]
                if isinstance(out, jaxpr_lib.Var) and out not in live:
                    fresh.append(out)

    for number, eqn in enumerate(jaxpr.eqns):
        if eqn.effects:
            heapq.heappush(waiting, -number)
    need([v for v, u in zip(jaxpr.outvars, used, strict=True) if u])
    done: dict[int, list[bool]] = {}
    while waiting:
        number = -heapq.heappop(waiting)
        eqn = jaxpr.eqns[number]
        wanted = [v in live for v in eqn.outvars]
        if done.get(number) == wanted:
            continue
        done[number] = wanted
        rule = eqn.primitive.rules.get("dce")
        smaller = eqn if rule is None or all(wanted) else rule(wanted, eqn)[1]
        if smaller is not None:
            need(smaller.invars)
    return used


def _with_inputs(closed, smaller, used, used_inputs, wanted):
    """The smaller program of `dce_closed` with further inputs, which it does not use."""
    if wanted == used_inputs:
        return smaller, used_inputs

    def make():
        jaxpr = closed.jaxpr
        changed = smaller.jaxpr.replace(
            invars=[v for v, w in zip(jaxpr.invars, wanted, strict=True) if w],
            debug_info=_fewer_names(jaxpr.debug_info, wanted, used),
        )
        return jaxpr_lib.ClosedJaxpr(changed, smaller.consts), wanted

    return closed.derived(("dce", used, tuple(wanted)), make)


def dce_call(
    eqn: jaxpr_lib.JaxprEqn,
    params: dict,
    effects: Any,
    used_inputs: Sequence[bool],
    used_outputs: Sequence[bool],
) -> tuple[list[bool], jaxpr_lib.JaxprEqn | None]:
    """What the rule `dce` of a primitive that calls a program returns.

    Args:
        eqn: the call.
        params: its parameters, with the smaller program.
        effects: those of the smaller program.
        used_inputs: for each input, whether that program needs it.
        used_outputs: for each output, whether it stays.

    Returns:
        For each input whether it is still needed; and the call, or None if it can go.
    """
    if not any(used_outputs) and not effects:
        return [False] * len(eqn.invars), None
    is_same = all(params.get(name) is value for name, value in eqn.params.items())
    if is_same and all(used_inputs) and all(used_outputs):
        return list(used_inputs), eqn
    smaller = eqn.replace(
        invars=[v for v, u in zip(eqn.invars, used_inputs, strict=True) if u],
        outvars=[v for v, u in zip(eqn.outvars, used_outputs, strict=True) if u],
        params=params,
        effects=effects,
    )
    return list(used_inputs), smaller


def forwarded_outputs(
    closed: jaxpr_lib.ClosedJaxpr,
) -> tuple[jaxpr_lib.ClosedJaxpr, list[tuple[bool, int]]]:
    """A program without the outputs that are its inputs, or that occur twice.

    Returns:
        The program, and for each original output where to find it: the number of an
        input (true), or of an output of the new program (false).
    """

    def make():
        inputs = {v: i for i, v in enumerate(closed.jaxpr.invars)}
        positions: dict[jaxpr_lib.Var, int] = {}
        kept: list[jaxpr_lib.Atom] = []
        where = []
        for atom in closed.jaxpr.outvars:
            if isinstance(atom, jaxpr_lib.Var) and atom in inputs:
                where.append((True, inputs[atom]))
                continue
            if isinstance(atom, jaxpr_lib.Var) and atom in positions:
                where.append((False, positions[atom]))
                continue
            if isinstance(atom, jaxpr_lib.Var):
                positions[atom] = len(kept)
            where.append((False, len(kept)))
            kept.append(atom)
        debug = closed.debug_info.replace(result_paths=None)
        smaller = closed.jaxpr.replace(outvars=kept, debug_info=debug)
        return jaxpr_lib.ClosedJaxpr(smaller, closed.consts), where

    return closed.derived("forwarded", make)
