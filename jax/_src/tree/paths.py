"""Key paths: where in a tree a leaf stands."""

from collections.abc import Callable
from typing import Any

from jax._src.base import traceback_filter
from jax._src.lib import pytree
from jax._src.tree import prefixes, structures
from jax._src.tree.registry import KeyPath, default_registry


def _with_path(
    is_leaf: Callable[..., bool] | None, is_leaf_takes_path: bool
) -> Callable[[KeyPath, Any], bool] | None:
    if is_leaf is None or is_leaf_takes_path:
        return is_leaf
    return lambda _, tree: is_leaf(tree)


def tree_flatten_with_path(
    tree: Any,
    is_leaf: Callable[..., bool] | None = None,
    is_leaf_takes_path: bool = False,
) -> tuple[list[tuple[KeyPath, Any]], pytree.PyTreeDef]:
    """Splits a tree into pairs (key path, leaf) and its structure.

    Args:
        tree: the tree, of arrays of any dtype, or of other objects.
        is_leaf: as in ``jax.tree.flatten``.
        is_leaf_takes_path: whether `is_leaf` takes (key path, part of the tree).

    Returns:
        The list of pairs, and the ``PyTreeDef``. A key path is a tuple of
        ``SequenceKey``, ``DictKey``, ``GetAttrKey`` and ``FlattenedIndexKey``, and
        of what custom nodes use as keys.

    Raises:
        ValueError: the keys of a dict cannot be sorted.

    Examples:
        >>> jax.tree.flatten_with_path({"a": [1]})[0]
        [((DictKey(key='a'), SequenceKey(idx=0)), 1)]
    """
    predicate = _with_path(is_leaf, is_leaf_takes_path)
    found = default_registry.flatten_with_path(tree, predicate)
    if is_leaf is None:
        structures.remember_keys(tree, found[1])
    return found


def tree_leaves_with_path(
    tree: Any,
    is_leaf: Callable[..., bool] | None = None,
    is_leaf_takes_path: bool = False,
) -> list[tuple[KeyPath, Any]]:
    """The pairs (key path, leaf) of a tree.

    Args:
        tree: the tree, of arrays of any dtype, or of other objects.
        is_leaf: as in ``jax.tree.flatten``.
        is_leaf_takes_path: whether `is_leaf` takes (key path, part of the tree).

    Raises:
        ValueError: the keys of a dict cannot be sorted.
    """
    return tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


generate_key_paths = tree_leaves_with_path


@traceback_filter.hides_frames
def tree_map_with_path(
    f: Callable[..., Any],
    tree: Any,
    *rest: Any,
    is_leaf: Callable[..., bool] | None = None,
    is_leaf_takes_path: bool = False,
) -> Any:
    """Applies a function to the key path and the value of each leaf.

    Args:
        f: takes a key path, a leaf of `tree`, and the parts of `rest` at that path.
        tree: gives the structure of the result; leaves are arrays of any dtype, or
            other objects.
        *rest: trees of which `tree` is a prefix.
        is_leaf: as in ``jax.tree.flatten``, for `tree`.
        is_leaf_takes_path: whether `is_leaf` takes (key path, part of the tree).

    Raises:
        ValueError: a tree in `rest` does not have the structure of `tree`.

    Examples:
        >>> jax.tree.map_with_path(lambda path, x: jax.tree_util.keystr(path), [0, (1,)])
        ['[0]', ('[1][0]',)]
    """
    pairs, treedef = tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    # The error message walks the trees without paths: a predicate that needs one
    # would not work there.
    plain_is_leaf = None if is_leaf_takes_path else is_leaf
    columns = [[path for path, _ in pairs], [leaf for _, leaf in pairs]]
    for other in rest:
        columns.append(
            prefixes.flatten_up_to(
                treedef, tree, other, "jax.tree.map_with_path: tree", plain_is_leaf
            )
        )
    return treedef.unflatten(f(*row) for row in zip(*columns, strict=True))


def _simple(key: Any) -> str:
    match key:
        case pytree.SequenceKey(idx=value):
            return str(value)
        case pytree.DictKey(key=value) | pytree.FlattenedIndexKey(key=value):
            return str(value)
        case pytree.GetAttrKey(name=value):
            return value
    return str(key)


@traceback_filter.hides_frames
def keystr(keys: KeyPath, *, simple: bool = False, separator: str = "") -> str:
    """A key path as text.

    Args:
        keys: the key path.
        simple: write a key without what Python puts around it: ``a`` and not
            ``['a']``.
        separator: what to write between two keys.

    Raises:
        TypeError: `keys` is no sequence. Entries of any class can be written.

    Examples:
        >>> path = jax.tree.leaves_with_path({"a": [7]})[0][0]
        >>> jax.tree_util.keystr(path)
        "['a'][0]"
        >>> jax.tree_util.keystr(path, simple=True, separator="/")
        'a/0'
    """
    return separator.join(map(_simple if simple else str, keys))
