"""Slots that the residuals of all branches of a choice share.

One branch is taken at a time, so residuals of equal types share a slot; a branch fills
the slots that it does not use with zeros.
"""

import collections
from collections.abc import Sequence

from jax._src.base import traceback_filter
from jax._src.core import evaluate, jaxpr as jaxpr_lib, slots
from jax._src.interpreters import partial_eval as pe


def shared_slots(avals_per_branch: Sequence[Sequence]):
    """Slots for the residuals of all branches, of which one at a time is used.

    Returns:
        The types of the slots, and for each branch the indices of its residuals' slots.
    """
    slot_avals: list = []
    indices = []
    indices_of: dict = {}
    for avals in avals_per_branch:
        taken: dict = collections.Counter()
        mine = []
        for aval in avals:
            aval = aval.strip_weak_type()
            alike = indices_of.setdefault(aval, [])
            if taken[aval] == len(alike):
                alike.append(len(slot_avals))
                slot_avals.append(aval)
            mine.append(alike[taken[aval]])
            taken[aval] += 1
        indices.append(tuple(mine))
    return tuple(slot_avals), indices


def with_all_slots(known, n_residuals, indices, slot_avals):
    """The known program of a branch, with zeros in the slots that others use."""

    def make():
        n_early = len(known.jaxpr.outvars) - n_residuals

        def run(*args):
            outs = evaluate.eval_closed(known, *args)
            mine = dict(zip(indices, outs[n_early:], strict=True))
            slots_filled = [
                mine[i] if i in mine else slots.zeros(aval)
                for i, aval in enumerate(slot_avals)
            ]
            return [*outs[:n_early], *slots_filled]

        return pe.trace_to_closed(run, known.in_avals, known.debug_info)

    return known.derived(("slots", indices, slot_avals), make)


def reading_slots(late, indices, slot_avals):
    """The late program of a branch, taking the residuals of all."""

    def make():
        jaxpr = late.jaxpr
        n_mine = len(indices)
        by_index = dict(zip(indices, jaxpr.invars[:n_mine], strict=True))
        slot_vars = [
            by_index[i] if i in by_index else jaxpr_lib.Var(aval)
            for i, aval in enumerate(slot_avals)
        ]
        changed = jaxpr.replace(invars=[*slot_vars, *jaxpr.invars[n_mine:]])
        return jaxpr_lib.ClosedJaxpr(changed, late.consts)

    return late.derived(("reading", indices, slot_avals), make)


traceback_filter.hide_frames(globals())
