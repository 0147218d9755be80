"""Functions whose batch elements are computed one after the other under `vmap`."""

from collections.abc import Callable

from jax._src import tree as trees
from jax._src.base import traceback_filter
from jax._src.lax.control_flow.fori_loop_and_map import map as map_rows
from jax._src.transforms.custom_batching import custom_vmap


def sequential_vmap(f: Callable) -> custom_vmap:
    """A function that `jax.vmap` turns into a loop over the batch elements, not into wider operations.

    Args:
        f: the function of trees of arrays.

    Returns:
        A `custom_vmap` with the rule that calls `f` in `jax.lax.map`.
    """
    mapped = custom_vmap(f)

    @mapped.def_vmap_of_leaves
    def rule(batched, leaves, structure):
        rows = [x for x, b in zip(leaves, batched, strict=True) if b]

        def one(row):
            given = iter(row)
            parts = [
                next(given) if b else x for x, b in zip(leaves, batched, strict=True)
            ]
            return mapped(*trees.tree_unflatten(structure, parts))

        return map_rows(one, rows)

    return mapped


traceback_filter.hide_frames(globals())
