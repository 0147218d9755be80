"""A program for which a call holds no more memory than `jax.memory_budget` says."""

from collections.abc import Iterator

from jax._src.base import errors
from jax._src.interpreters import hijax
from jax._src.jit import lower
from jax._src.memory_budget import (
    flat,
    planning,
    recompute,
    refusals,
    reorder,
    residuals,
    rows,
)
from jax._src.runtime.compilation import compile

# The most layouts that recomputation asks the compiler for.
_ATTEMPTS = 12
# How many times as many equations a program may get, and the least part of an excess that
# is removed at once.
_GROWTH, _LEAST_PART = 3, 0.2


def fit(lowered: lower.Lowered, budget: int) -> lower.Lowered:
    """A lowered call with the same results that holds at most `budget` bytes on each device.

    Args:
        lowered: the call as it was lowered.
        budget: the bytes of arguments, results and temporaries together.

    Raises:
        JaxRuntimeError: none was found; the message says what is largest.
    """
    assignment = lowered.assignment
    if not compile.plans_memory(assignment.devices, assignment.is_abstract):
        return lowered
    first = planning.plan_as_lowered(lowered)
    if first.peak <= budget:
        return lowered
    least = first.peak
    if first.floor <= budget and not hijax.is_high_program(first.closed):
        for found in _attempts(lowered, budget):
            least = min(least, found.peak)
            if found.peak <= budget:
                # As it is, without the marks by which values are found.
                found = planning.plan(lowered, found.closed)
                if found.peak <= budget:
                    return found.lowered
    raise errors.JaxRuntimeError(refusals.explain(first, least, budget))


def _attempts(lowered, budget) -> Iterator[planning.Planned]:
    """Layouts of programs with the same results, each perhaps small enough."""
    closed = flat.flatten(lowered.resolved.closed)
    marked = planning.plan(lowered, closed, is_marked=True)
    if lowered.assignment.is_single:
        for program in rows.in_pieces(closed, marked, budget):
            yield planning.plan(lowered, program)
    yield from _recomputing(lowered, marked, budget)


def _recomputing(lowered, marked, budget):
    """Layouts of programs that compute some values twice, and have others wait less."""

    def plan(path, jaxpr):
        program = planning.replaced(marked.closed, path, jaxpr)
        return planning.plan(lowered, program, is_marked=True)

    part, most_equations = 1.0, {}
    for _ in range(_ATTEMPTS):
        path = planning.fullest(marked)
        jaxpr, sizes = planning.at(marked.closed, path), planning.sizes_of(marked, path)
        if path not in most_equations:  # The first time there.
            most_equations[path] = _GROWTH * len(jaxpr.eqns)
            is_better = False
            for change in (residuals.computed_again, reorder.sooner):
                found = change(jaxpr, sizes)
                if found is jaxpr:
                    continue
                changed = plan(path, found)
                yield changed
                if changed.peak < marked.peak:
                    marked, is_better = changed, True
                    break
            if is_better:
                continue
        # The model lacks alignment, scratch memory and what programs inside need.
        modelled = recompute.most_held(jaxpr, sizes)
        limit = modelled - int((marked.peak - budget) * part)
        found = recompute.shrink(jaxpr, sizes, limit, most_equations[path])
        if found is jaxpr:
            return
        changed = plan(path, found)
        yield changed
        if changed.peak < marked.peak:
            marked = changed
        elif part > _LEAST_PART:
            part /= 2  # Smaller steps see sooner what the compiler makes of them.
        else:
            return
