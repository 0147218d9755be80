"""Reordering: equations that free more than they take run as soon as they can."""

from collections.abc import Mapping

from jax._src.core import jaxpr as jaxpr_lib


def sooner(
    jaxpr: jaxpr_lib.Jaxpr, sizes: Mapping[jaxpr_lib.Var, int]
) -> jaxpr_lib.Jaxpr:
    """The program in which an equation that reads some values last, and whose results take no
    more memory than these, follows the equation that it waits for.

    So a step of an optimiser runs where its gradient is computed, and not at the end.

    Args:
        jaxpr: a program without calls.
        sizes: the bytes of its variables.
    """
    eqns = jaxpr.eqns
    unread = _count_reads(jaxpr)
    waits = [
        len({v for v in eqn.invars if isinstance(v, jaxpr_lib.Var)}) for eqn in eqns
    ]
    readers: dict[jaxpr_lib.Var, list[int]] = {}
    for number, eqn in enumerate(eqns):
        for var in {v for v in eqn.invars if isinstance(v, jaxpr_lib.Var)}:
            readers.setdefault(var, []).append(number)
    for var in (*jaxpr.invars, *jaxpr.constvars):
        for number in readers.get(var, ()):
            waits[number] -= 1
    done = [False] * len(eqns)
    order: list[int] = []
    # What values that are computed where they are read keep from ending.
    carried: dict[jaxpr_lib.Var, int] = {}

    def ended(eqn):
        operands = {v for v in eqn.invars if isinstance(v, jaxpr_lib.Var)}
        return sum(sizes.get(v, carried.get(v, 0)) for v in operands if unread[v] == 1)

    def frees(eqn):
        begun = sum(sizes.get(v, 0) for v in eqn.outvars)
        return not eqn.effects and 0 < ended(eqn) >= begun

    def run(number):
        done[number] = True
        order.append(number)
        eqn = eqns[number]
        count = ended(eqn)
        carried.update((v, count) for v in eqn.outvars if v not in sizes)
        for var in {v for v in eqn.invars if isinstance(v, jaxpr_lib.Var)}:
            unread[var] -= 1
        ready = []
        for var in eqn.outvars:
            for reader in readers.get(var, ()):
                waits[reader] -= 1
                if not waits[reader]:
                    ready.append(reader)
        return ready

    for number in range(len(eqns)):
        if done[number]:
            continue
        ready = run(number)
        while ready:
            one = ready.pop()
            if not done[one] and frees(eqns[one]):
                ready += run(one)
    if order == list(range(len(eqns))):
        return jaxpr
    return jaxpr.replace(eqns=[eqns[number] for number in order])


def _count_reads(jaxpr):
    """How many equations read each variable; of results one more."""
    found: dict[jaxpr_lib.Var, int] = {}
    for eqn in jaxpr.eqns:
        for var in {v for v in eqn.invars if isinstance(v, jaxpr_lib.Var)}:
            found[var] = found.get(var, 0) + 1
    for var in jaxpr.outvars:
        if isinstance(var, jaxpr_lib.Var):
            found[var] = found.get(var, 0) + 1
    return found
