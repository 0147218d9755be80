"""Collectives in two halves: one that starts them, and one that waits for their results."""

from collections.abc import Hashable, Sequence
from typing import Any

from jax._src import tree as trees
from jax._src.base import traceback_filter
from jax._src.lax.collectives import gather_scatter


@trees.register_pytree_node_class
class Started:
    """The result of a collective that was started: `done` returns it.

    It is a tree, so it passes through `jax.jit`, `jax.shard_map` and loops. When the
    collective runs is the choice of the compiler, which sees what is between both halves.
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any):
        self._value = value

    def done(self) -> Any:
        """Returns the result of the collective."""
        return self._value

    def tree_flatten(self) -> tuple[tuple[Any], None]:
        """Returns the result as the only child."""
        return (self._value,), None

    @classmethod
    def tree_unflatten(cls, _: None, children: tuple[Any]) -> "Started":
        """Returns what was started with another result."""
        return cls(*children)


def psum_scatter_start(
    x: Any,
    axis_name: Hashable | Sequence[Hashable],
    *,
    scatter_dimension: int = 0,
    axis_index_groups: Sequence[Sequence[int]] | None = None,
    tiled: bool = False,
) -> Any:
    """Starts what `psum_scatter` computes; arguments and errors are its own.

    Args:
        x: a tree of arrays.
        axis_name: the name of an axis, or a sequence of names.
        scatter_dimension: the axis of the arrays that is cut into parts.
        axis_index_groups: lists of positions along the axes, of one length.
        tiled: whether parts keep that axis; else its size is the number of parts.

    Returns:
        The tree with objects for leaves whose method `done` returns this device's part of
        the sum.

    Examples:
        >>> later = jax.lax.psum_scatter_start(gradient, "x", tiled=True)
        >>> other = f(x)
        >>> part = later.done()
    """
    parts = gather_scatter.psum_scatter(
        x,
        axis_name,
        scatter_dimension=scatter_dimension,
        axis_index_groups=axis_index_groups,
        tiled=tiled,
    )
    return trees.tree_map(Started, parts)


traceback_filter.hide_frames(globals())
