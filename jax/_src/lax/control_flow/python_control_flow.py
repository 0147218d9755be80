"""Control flow as Python runs it, step by step: what `jax.disable_jit` asks for."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src import dtypes, tree as trees
from jax._src.base import errors, options, traceback_filter
from jax._src.core import references, slots
from jax._src.lax.ops.joining_splitting import stack
from jax._src.lax.ops.slicing_padding import index_in_dim
from jax._src.runtime.transfers import device_put_get

# Stands for no answer: the condition is traced, so the choice is staged after all.
TRACED = object()


def is_requested() -> bool:
    """Whether loops and branches run in Python."""
    return options.disable_jit.value


def scan(f: Callable, init: Any, xs: Any, length: int, reverse: bool) -> Any:
    """`lax.scan` of at least one step."""
    carry, found = init, []
    for step in range(length - 1, -1, -1) if reverse else range(length):
        row = trees.tree_map(lambda x, i=step: _row(x, i), xs)
        carry, y = f(carry, row)
        found.append(y)
    if reverse:
        found.reverse()
    return carry, trees.tree_map(lambda *rows: _stacked(rows), *found)


def _stacked(rows):
    """The results of all steps; numbers of Python among them as their company."""
    if not any(isinstance(x, int | float | complex) for x in rows):
        return stack(rows)
    dtype, weak = dtypes.result_type(*rows, return_weak_type_flag=True)
    return stack([slots.convert(x, dtype, weak) for x in rows])


def _row(x, index):
    """Returns the element of an array at an index of its first axis; of a reference, a view of it."""
    is_reference = type(x) is references.Ref
    return x.at[index] if is_reference else index_in_dim(x, index, keepdims=False)


def fori_loop(lower: int, upper: int, body_fun: Callable, value: Any) -> Any:
    """`lax.fori_loop` between known bounds; every index is an integer of Python."""
    for index in range(lower, upper):
        value = body_fun(index, value)
    return value


def while_loop(cond_fun: Callable, body_fun: Callable, value: Any) -> Any:
    """`lax.while_loop`; `TRACED` where the first condition is."""
    leaves, structure = trees.tree_flatten(value)
    value = trees.tree_unflatten(structure, device_put_get.owned_numbers(leaves))
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
        number = int(index)
    except errors.ConcretizationTypeError:
        return TRACED
    return branches[min(max(number, 0), len(branches) - 1)](*operands)


traceback_filter.hide_frames(globals())
