"""Structures of trees as JSON, which are written beside the arrays of a checkpoint."""

import base64
from typing import Any

from jax._src import tree
from jax._src.base import errors
from jax._src.export import flat_tables, trees

# The names in files that exist; others read them too.
STRUCTURE, LEAVES = "__jax_pytreedef_repr", "__jax_leaf_ids"


def serialize_pytreedef(node: Any) -> dict[str, Any]:
    """A structure as values that JSON can hold.

    Args:
        node: the structure, of dictionaries with strings as keys, lists, tuples, None,
            and classes that `register_pytree_node_serialization` knows.

    Returns:
        A dictionary: the structure's bytes as text, and a number for each leaf.

    Raises:
        ValueError: a class is not registered.
        TypeError: a key is no string, or `node` is no structure.
    """
    if not isinstance(node, tree.PyTreeDef):
        raise errors.type_error(
            "serialize_pytreedef: this is no structure of a tree.",
            [("node", f"{node!r:.80} of type {type(node).__name__}")],
            ways="Pass jax.tree.structure(node).",
        )
    data = flat_tables.write(trees.write(node))
    text = base64.b64encode(data).decode("ascii")
    return {STRUCTURE: text, LEAVES: list(range(node.num_leaves))}


def deserialize_pytreedef(pytreedef_repr: dict[str, Any]) -> Any:
    """The structure that `serialize_pytreedef` wrote.

    Raises:
        ValueError: it is damaged, or has a class that is not registered here.
    """
    if not isinstance(pytreedef_repr, dict) or STRUCTURE not in pytreedef_repr:
        raise errors.value_error(
            "deserialize_pytreedef: this is no structure that was written.",
            [("value", f"{pytreedef_repr!r:.80}"), ("wanted key", STRUCTURE)],
        )
    try:
        data = base64.b64decode(pytreedef_repr[STRUCTURE], validate=True)
    except (ValueError, TypeError) as error:
        raise flat_tables.damaged(f"a structure is not base64: {error}") from None
    return trees.read(flat_tables.Reader(data).root())
