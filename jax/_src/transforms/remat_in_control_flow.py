"""Which intermediate values a policy of `checkpoint` keeps, inside of loops and branches too.

A value inside of a loop is kept as one more result of the loop, stacked; when the loop
runs again, it is one more array to scan over, and what made it is not needed any more.
The rule `expose` of primitives that hold programs says so of their equations.
"""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import records, util
from jax._src.core import (
    effects as effects_lib,
    evaluate,
    jaxpr as jaxpr_lib,
    primitive as primitive_lib,
    state,
    trace,
)
from jax._src.interpreters import partial_eval as pe
from jax._src.jit import primitive as jit_primitive
from jax._src.transforms import policies


@records.record
class Exposed:
    """A program that also returns the values that a policy keeps."""

    program: jaxpr_lib.ClosedJaxpr
    # The types of these values: its last outputs.
    avals: Sequence[Any]
    # ``reuse(mask)`` is the program that takes those of the values for which the mask is
    # true as first inputs, instead of computing them, and returns the first outputs.
    reuse: Callable[[Sequence[bool]], jaxpr_lib.ClosedJaxpr]
    # Whether something in it must not happen once more.
    happens_once: bool

    @property
    def is_plain(self) -> bool:
        """Whether computing it again changes nothing in it."""
        return not self.avals and not self.happens_once


# What the rule `expose` answers: an equation with more outputs, these, and a function
# ``reuse(mask, atoms)``: the first equation, taking what was kept from atoms.
ExposedEquation = tuple[
    jaxpr_lib.JaxprEqn, list[jaxpr_lib.Var], Callable[..., jaxpr_lib.JaxprEqn]
]


def exposed(closed: jaxpr_lib.ClosedJaxpr, policy: Callable) -> Exposed:
    """The program that also returns what a policy keeps, calls of `jit` opened."""
    key = ("exposed", util.IdentityKey(policy))
    return closed.derived(key, lambda: _expose(_opened(closed, policy), policy))


def _happen_once(effects):
    """Whether some effects, which `checkpoint` allows, must not happen once more."""
    others = effects_lib.repeatable_effects.filter_not_in(effects)
    return any(not isinstance(e, effects_lib.NamedAxisEffect) for e in others)


def _expose(closed, policy):
    jaxpr = closed.jaxpr
    eqns, wanted, reuses = [], [], []
    for eqn in jaxpr.eqns:
        avals = [v.aval for v in eqn.invars]
        once = _happen_once(eqn.effects)
        results = [v for v in eqn.outvars if not isinstance(v, jaxpr_lib.DropVar)]
        is_kept = policies.is_saveable(policy(eqn.primitive, *avals, **eqn.params))
        if is_kept:
            wanted += results
        rule = eqn.primitive.rules.get("expose")
        found = None
        if rule is not None and (once or policy is not policies.nothing_saveable):
            found = rule(eqn, lambda program: exposed(program, policy))
        if found is None:
            if once and not is_kept:
                wanted += results
            eqns.append(eqn)
            reuses.append(None)
            continue
        new_eqn, extra, reuse = found
        eqns.append(new_eqn)
        reuses.append((range(len(wanted), len(wanted) + len(extra)), reuse))
        wanted += extra
    whole = jaxpr.replace(
        outvars=[*jaxpr.outvars, *wanted], eqns=eqns, debug_info=jaxpr_lib.no_debug_info
    )

    def reuse_kept(mask):
        fresh = {
            v: jaxpr_lib.Var(v.aval)
            for v, kept in zip(wanted, mask, strict=True)
            if kept
        }
        late = [
            _late(eqn, reuse, wanted, fresh)
            for eqn, reuse in zip(jaxpr.eqns, reuses, strict=True)
        ]
        changed = jaxpr.replace(
            invars=[*fresh.values(), *jaxpr.invars],
            outvars=[
                fresh.get(v, v) if isinstance(v, jaxpr_lib.Var) else v
                for v in jaxpr.outvars
            ],
            eqns=late,
            debug_info=jaxpr_lib.no_debug_info,
        )
        # The equations that computed the residuals are not needed any more.
        smaller, _ = pe.dce_jaxpr(changed, [True] * len(changed.outvars), True)
        return jaxpr_lib.ClosedJaxpr(smaller, closed.consts)

    program = jaxpr_lib.ClosedJaxpr(whole, closed.consts)
    once = _happen_once(jaxpr.effects)
    return Exposed(program, [v.aval for v in wanted], reuse_kept, once)


def _late(eqn, reuse, wanted, fresh):
    """An equation that uses what was kept, of its operands and of what is inside of it."""
    if reuse is not None:
        indices, make = reuse
        mask = [wanted[i] in fresh for i in indices]
        if any(mask) or _happen_once(eqn.effects):
            eqn = make(mask, [fresh[wanted[i]] for i in indices if wanted[i] in fresh])
    # The residual, not its formula.
    invars = [
        fresh.get(v, v) if isinstance(v, jaxpr_lib.Var) else v for v in eqn.invars
    ]
    effects = frozenset(effects_lib.repeatable_effects.filter_in(eqn.effects))
    return eqn.replace(invars=invars, effects=effects)


def expose_call(
    eqn: jaxpr_lib.JaxprEqn, find: Callable[[jaxpr_lib.ClosedJaxpr], Exposed]
) -> ExposedEquation | None:
    """The rule `expose` of a primitive that calls the program `jaxpr`."""
    found = find(eqn.params["jaxpr"])
    if found.is_plain:
        return None
    extra = [jaxpr_lib.Var(aval) for aval in found.avals]

    def reuse(mask, atoms):
        params = {**eqn.params, "jaxpr": found.reuse(mask)}
        return eqn.replace(invars=[*atoms, *eqn.invars], params=params)

    params = {**eqn.params, "jaxpr": found.program}
    return eqn.replace(outvars=[*eqn.outvars, *extra], params=params), extra, reuse


class _OpeningTrace(trace.Trace):
    """Runs what compiled functions contain, instead of calling them."""

    __slots__ = ()

    parent: trace.Trace

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        if primitive is jit_primitive.jit_p:
            return evaluate.eval_closed(params["jaxpr"], *args)
        token = state.enter(self.parent)
        try:
            return self.parent.process(primitive, args, params)
        finally:
            state.leave(token)


def _opened(closed, policy):
    """The program without calls of compiled functions, so that the policy sees inside."""
    calls = [e for e in closed.jaxpr.eqns if e.primitive is jit_primitive.jit_p]
    if policy is policies.nothing_saveable:
        calls = [call for call in calls if _happen_once(call.effects)]
    if not calls:
        return closed

    def run(*args):
        token = state.enter(_OpeningTrace(state.current()))
        try:
            return evaluate.eval_closed(closed, *args)
        finally:
            state.leave(token)

    return pe.trace_to_closed(run, closed.in_avals, closed.debug_info)


def origins_of(jaxpr: jaxpr_lib.Jaxpr, arguments: Sequence[Any]) -> dict[Any, Any]:
    """Where each variable of a program comes from, in words."""
    found = dict(zip(jaxpr.invars, arguments, strict=True))
    known = lambda atom: found.get(atom) if isinstance(atom, jaxpr_lib.Var) else None  # noqa: E731
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == "remat2":
            inner = eqn.params["jaxpr"].jaxpr
            inside = origins_of(
                inner, [known(x) or "from a constant" for x in eqn.invars]
            )
            for outer, atom in zip(eqn.outvars, inner.outvars, strict=True):
                is_made = isinstance(atom, jaxpr_lib.Var)
                found[outer] = (
                    inside.get(atom, "from a constant") if is_made else "from a literal"
                )
            continue
        for var in eqn.outvars:
            found[var] = _made_by(eqn)
        if eqn.primitive.name == "name" and isinstance(eqn.invars[0], jaxpr_lib.Var):
            # The value itself and the value under its name are one array.
            found[eqn.invars[0]] = _made_by(eqn)
    return found


def _made_by(eqn):
    at = (
        f"from {_source_text(eqn)}"
        if eqn.location.codes
        else "from an unknown location"
    )
    if eqn.primitive.name == "name":
        return f"named {eqn.params['name']!r} {at}"
    if eqn.primitive.name == "jit":
        return f"output of jitted function {eqn.params.get('name')!r} {at}"
    return f"output of {eqn.primitive.name} {at}"


def _source_text(eqn):
    frame = eqn.location.frame
    return f"{frame.file_name}:{frame.line}:{frame.column} ({frame.function})"
