"""The order of effects made explicit: a token goes from one to the next.

Programs that are traced say only that an equation has an ordered effect. Before they
are compiled, each such equation gets a token as first operand and another one as first
result, so that the order is one of data, through loops, choices and calls.
"""

from jax._src.base import errors
from jax._src.core import avals, effects as effects_lib, jaxpr as jaxpr_lib


def is_ordered(effects: effects_lib.Effects) -> bool:
    """Whether some of the effects must keep their order."""
    return bool(effects_lib.ordered_effects.filter_in(effects))


def with_token(closed: jaxpr_lib.ClosedJaxpr) -> jaxpr_lib.ClosedJaxpr:
    """The program with a token as first input and first output.

    Raises:
        NotImplementedError: an equation with an ordered effect cannot take one.
    """

    def make():
        jaxpr = closed.jaxpr
        first = token = jaxpr_lib.Var(avals.abstract_token)
        eqns: list[jaxpr_lib.JaxprEqn] = []
        for eqn in jaxpr.eqns:
            if not is_ordered(eqn.effects):
                eqns.append(eqn)
                continue
            out = jaxpr_lib.Var(avals.abstract_token)
            rule = eqn.primitive.rules.get("order") or _through_its_program
            eqns += rule(eqn, token, out)
            token = out
        changed = jaxpr.replace(
            invars=[first, *jaxpr.invars],
            outvars=[token, *jaxpr.outvars],
            eqns=eqns,
            debug_info=jaxpr.debug_info.replace(arg_names=None, result_paths=None),
        )
        return jaxpr_lib.ClosedJaxpr(changed, closed.consts)

    return closed.derived("with_token", make)


def _through_its_program(eqn, token, out):
    """The equation of a call, whose program takes the same operands."""
    programs = [
        (name, value)
        for name, value in eqn.params.items()
        if isinstance(value, jaxpr_lib.ClosedJaxpr)
        and len(value.jaxpr.invars) == len(eqn.invars)
        and len(value.jaxpr.outvars) == len(eqn.outvars)
    ]
    if len(programs) != 1:
        raise errors.not_implemented(
            f"Ordered effects inside of {eqn.primitive.name!r} are not implemented.",
            [("operation", eqn.primitive.name), ("at", str(eqn.location))],
            ways="Use effects without an order: ordered=False.",
        )
    ((name, closed),) = programs
    params = {**eqn.params, name: with_token(closed)}
    return [
        eqn.replace(
            invars=[token, *eqn.invars], outvars=[out, *eqn.outvars], params=params
        )
    ]
