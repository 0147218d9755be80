"""Functions whose rows are computed one after the other under `vmap`."""

from collections.abc import Callable

from jax._src import tree as trees
from jax._src.base import traceback_filter
from jax._src.lax.control_flow.loops import map as map_rows
from jax._src.transforms.custom_batching import custom_vmap


def sequential_vmap(f: Callable) -> custom_vmap:
    """A function that `jax.vmap` turns into a loop over the rows, not into wider operations.

    Args:
        f: the function of trees of arrays.

    Returns:
        A `custom_vmap` with the rule that calls `f` in `jax.lax.map`.
    """
    mapped = custom_vmap(f)

    @mapped.def_vmap
    def rule(axis_size, in_batched, *args):
        leaves, structure = trees.tree_flatten(args)
        batched = trees.tree_leaves(in_batched)
        rows = [x for x, b in zip(leaves, batched, strict=True) if b]

        def one(row):
            given = iter(row)
            parts = [
                next(given) if b else x for x, b in zip(leaves, batched, strict=True)
            ]
            return mapped(*trees.tree_unflatten(structure, parts))

        out = map_rows(one, rows)
        return out, trees.tree_map(lambda _: True, out)

    return mapped


traceback_filter.hide_frames(globals())
