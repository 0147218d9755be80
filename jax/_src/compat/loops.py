"""Parts of loops that libraries take apart."""

from typing import Any

from jax._src import tree


def batch_and_remainder(x: Any, batch_size: int) -> tuple[Any, Any]:
    """Splits the leading axis of a tree of arrays into batches, and what is left.

    Returns:
        A tree with two axes in place of the leading one, and a tree of the entries that
        fill no batch, or None where there are none.
    """
    leaves, structure = tree.tree_flatten(x)
    count, rest = divmod(leaves[0].shape[0], batch_size)
    whole = count * batch_size
    batches = [
        leaf[:whole].reshape(count, batch_size, *leaf.shape[1:]) for leaf in leaves
    ]
    left = tree.tree_unflatten(structure, [leaf[whole:] for leaf in leaves])
    return tree.tree_unflatten(structure, batches), left if rest else None
