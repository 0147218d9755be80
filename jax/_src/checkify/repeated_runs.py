"""Programs that run once more, on the same arguments, to be looked into."""

from typing import Any

from jax._src.core import avals as avals_lib, effects as effects_lib, jaxpr as jaxpr_lib


def without_prints(closed: jaxpr_lib.ClosedJaxpr) -> jaxpr_lib.ClosedJaxpr:
    """The program without what prints or calls the host and returns nothing.

    The first run has done that. What updates references stays.
    """
    if not closed.effects:
        return closed
    return closed.derived("without prints", lambda: _without_prints(closed))


def _without_prints(closed):
    before = closed.jaxpr.eqns
    eqns = [_with_quiet_programs(eqn) for eqn in before if not _only_prints(eqn)]
    had = effects_lib.no_effects.union(*(eqn.effects for eqn in before))
    has = effects_lib.no_effects.union(*(eqn.effects for eqn in eqns))
    effects = closed.effects - (had - has)
    jaxpr = closed.jaxpr.replace(eqns=eqns, effects=effects)
    return jaxpr_lib.ClosedJaxpr(jaxpr, closed.consts)


def _only_prints(eqn):
    types = (v.aval for v in eqn.invars)
    is_plain = all(isinstance(aval, avals_lib.ShapedArray) for aval in types)
    return bool(eqn.effects) and not eqn.outvars and is_plain


def _with_quiet_programs(eqn):
    """An equation whose programs print nothing, with the effects that are left."""
    if not eqn.effects:
        return eqn
    lost = effects_lib.no_effects

    def quiet(value: Any) -> Any:
        nonlocal lost
        if type(value) is tuple:
            return tuple(map(quiet, value))
        if not isinstance(value, jaxpr_lib.ClosedJaxpr):
            return value
        made = without_prints(value)
        lost |= value.effects - made.effects
        return made

    params = {name: quiet(value) for name, value in eqn.params.items()}
    return eqn.replace(params=params, effects=eqn.effects - lost)
