"""Which axis of a result holds the batch elements of each `vmap`.

Traces note it with each equation while results are searched for NaNs or infinities, so
that messages name the batch element.
"""

from collections.abc import Sequence
from typing import Any

from jax._src.base import options
from jax._src.core import jaxpr as jaxpr_lib, state

# True from the first search on, and for good.
begun = False


def _begin_if(is_on: bool) -> None:
    global begun
    begun = begun or bool(is_on)


for _option in (options.debug_nans, options.debug_infs):
    _option.on_update.append(_begin_if)
    _option.on_block.append(_begin_if)


class _Note(state.Annotation):
    """A scope that is not written: the batch axes of the result, of the outermost first.

    Each is counted in the array without the axes before it.
    """

    __slots__ = ("axes",)

    axes: tuple[int, ...]


def _note(axes):
    note = _Note(f"batch axes {axes}")
    note.attributes, note.axes = (), axes
    return note


def note(eqn: jaxpr_lib.JaxprEqn, outer: int, dim: int) -> None:
    """Notes the batch axis of the results of an equation, within those of `outer` others."""
    names = eqn.name_stack.stack
    axes: tuple[int, ...] = ()
    for name in names:
        if type(name) is _Note:
            axes = name.axes
    rest = tuple(name for name in names if type(name) is not _Note)
    found = _note((*axes[:outer], dim, *axes[outer:]))
    eqn.name_stack = jaxpr_lib.NameStack((*rest, found))


def sizes_of(equations: Sequence[jaxpr_lib.JaxprEqn]) -> list[int]:
    """The sizes of the batches of each `vmap` around an equation, the last of these."""
    names = (name for eqn in equations for name in eqn.name_stack.stack)
    return [name.size for name in names if type(name) is state.Mapped]


def axes_of(eqn: Any, shape: Sequence[int], sizes: Sequence[int]) -> list[int] | None:
    """The axes of a result that hold batch elements, of the outermost `vmap` first.

    Args:
        eqn: the equation.
        shape: that of its result.
        sizes: those of the batches.

    Returns:
        the axes: as noted, or the first ones of these sizes; None: there are none.
    """
    noted = [name.axes for name in eqn.name_stack.stack if type(name) is _Note]
    if noted and len(noted[0]) == len(sizes):
        axes = _counted_in_whole(noted[0])
        if all(a < len(shape) for a in axes) and [shape[a] for a in axes] == list(
            sizes
        ):
            return axes
    found: list[int] = []
    for size in sizes:
        free = (a for a, n in enumerate(shape) if n == size and a not in found)
        axis = next(free, None)
        if axis is None:
            return None
        found.append(axis)
    return found


def _counted_in_whole(axes):
    whole = []
    for number, axis in enumerate(axes):
        for outer in reversed(axes[:number]):
            axis += axis >= outer
        whole.append(axis)
    return whole
