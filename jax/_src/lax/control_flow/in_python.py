"""Control flow as Python runs it, step by step: what `jax.disable_jit` asks for."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree as trees
from jax._src.base import errors, options, traceback_filter
from jax._src.core import references
from jax._src.lax.ops.joining import index_in_dim, stack
from jax._src.runtime import placement

# Stands for no answer: the condition is traced, so the choice is staged after all.
TRACED = object()


def is_asked() -> bool:
    """Whether loops and branches run in Python."""
    return options.disable_jit.value


def scan(f: Callable, init: Any, xs: Any, length: int, reverse: bool) -> Any:
    """`lax.scan` of at least one step."""
    carry, found = init, []
    for place in range(length - 1, -1, -1) if reverse else range(length):
        row = trees.tree_map(lambda x, i=place: _row(x, i), xs)
        carry, y = f(carry, row)
        found.append(y)
    if reverse:
        found.reverse()
    return carry, trees.tree_map(lambda *rows: stack(rows), *found)


def _row(x, place):
    """A row of an array; of a reference, a view of it."""
    is_reference = type(x) is references.Ref
    return x.at[place] if is_reference else index_in_dim(x, place, keepdims=False)


def while_loop(cond_fun: Callable, body_fun: Callable, value: Any) -> Any:
    """`lax.while_loop`; `TRACED` where the first condition is."""
    leaves, structure = trees.tree_flatten(value)
    value = trees.tree_unflatten(structure, placement.owned_numbers(leaves))
    go_on = cond_fun(value)
    try:
        go_on = bool(go_on)
    except errors.ConcretizationTypeError:
        return TRACED
    while go_on:
        value = body_fun(value)
        go_on = bool(cond_fun(value))
    return value


def switch(index: Any, branches: Sequence[Callable], operands: Sequence[Any]) -> Any:
    """`lax.switch`, and `lax.cond` with the function for false first; or `TRACED`."""
    try:
        place = int(index)
    except errors.ConcretizationTypeError:
        return TRACED
    return branches[min(max(place, 0), len(branches) - 1)](*operands)


traceback_filter.hide_frames(globals())
