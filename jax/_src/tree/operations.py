"""What one does with trees: flatten, rebuild, map, reduce, transpose."""

import functools as ft
from collections.abc import Callable, Iterable
from typing import Any

from jax._src.base import traceback_filter
from jax._src.lib import pytree
from jax._src.tree import prefixes
from jax._src.tree.registry import default_registry

Leaf = Any
PyTree = Any
IsLeaf = Callable[[Any], bool]


class Unspecified:
    """The default of an argument for which None is a value."""

    def __repr__(self) -> str:
        return "<Unspecified>"


UNSPECIFIED = Unspecified()


def tree_flatten(
    tree: PyTree, is_leaf: IsLeaf | None = None
) -> tuple[list[Leaf], pytree.PyTreeDef]:
    """Splits a tree into its leaves and its structure.

    Args:
        tree: a nest of containers: lists, tuples, named tuples, dicts, ``None``, and
            registered classes. All else is a leaf: arrays of any shape and dtype, and
            other objects.
        is_leaf: called with each part of the tree from the root down; where it returns
            true, the part is a leaf whatever its type.

    Returns:
        The list of leaves, dicts in the order of their sorted keys, and the
        ``PyTreeDef``, from which ``jax.tree.unflatten`` rebuilds the tree.

    Raises:
        ValueError: the keys of a dict cannot be sorted.

    Examples:
        >>> jax.tree.flatten([1, {"b": 2, "a": (3, None)}])
        ([1, 3, 2], PyTreeDef([*, {'a': (*, None), 'b': *}]))
    """
    return default_registry.flatten(tree, is_leaf)


@traceback_filter.hides_frames
def tree_unflatten(treedef: pytree.PyTreeDef, leaves: Iterable[Leaf]) -> PyTree:
    """Rebuilds a tree from its structure and leaves.

    Args:
        treedef: a structure from ``jax.tree.flatten`` or ``jax.tree.structure``.
        leaves: as many leaves as the structure has, in its order: arrays of any dtype,
            or other objects.

    Raises:
        ValueError: there are too few or too many leaves.

    Examples:
        >>> jax.tree.unflatten(jax.tree.structure((0, [0])), [1, 2])
        (1, [2])
    """
    return treedef.unflatten(leaves)


def tree_leaves(tree: PyTree, is_leaf: IsLeaf | None = None) -> list[Leaf]:
    """The leaves of a tree, in the order of ``jax.tree.flatten``.

    Args:
        tree: the tree, of arrays of any shape and dtype, or of other objects.
        is_leaf: as in ``jax.tree.flatten``.

    Raises:
        ValueError: the keys of a dict cannot be sorted.

    Examples:
        >>> jax.tree.leaves({"b": 2, "a": (1, None)})
        [1, 2]
    """
    return default_registry.flatten(tree, is_leaf)[0]


def tree_structure(tree: PyTree, is_leaf: IsLeaf | None = None) -> pytree.PyTreeDef:
    """The structure of a tree.

    Args:
        tree: the tree, of arrays of any shape and dtype, or of other objects.
        is_leaf: as in ``jax.tree.flatten``.

    Raises:
        ValueError: the keys of a dict cannot be sorted.

    Examples:
        >>> jax.tree.structure({"b": 2, "a": (1, None)})
        PyTreeDef({'a': (*, None), 'b': *})
    """
    return default_registry.flatten(tree, is_leaf)[1]


@traceback_filter.hides_frames
def tree_map(
    f: Callable[..., Any], tree: PyTree, *rest: PyTree, is_leaf: IsLeaf | None = None
) -> PyTree:
    """Applies a function to each leaf of a tree, or of several trees side by side.

    Args:
        f: takes one leaf of `tree` and the parts of `rest` at the same path.
        tree: gives the structure of the result; leaves are arrays of any dtype, or
            other objects.
        *rest: trees of which `tree` is a prefix: where `tree` has a leaf, they may have
            a subtree.
        is_leaf: as in ``jax.tree.flatten``, for `tree`.

    Returns:
        A tree with the structure of `tree` and the results of `f` as leaves.

    Raises:
        ValueError: a tree in `rest` does not have the structure of `tree`.

    Examples:
        >>> jax.tree.map(lambda x, y: x + y, {"a": 1, "b": (2,)}, {"a": 3, "b": (4,)})
        {'a': 4, 'b': (6,)}
    """
    leaves, treedef = default_registry.flatten(tree, is_leaf)
    if not rest:
        return treedef.unflatten(map(f, leaves))
    columns = [leaves]
    for other in rest:
        columns.append(
            prefixes.flatten_up_to(treedef, tree, other, "jax.tree.map: tree", is_leaf)
        )
    return treedef.unflatten(f(*row) for row in zip(*columns, strict=True))


@traceback_filter.hides_frames
def tree_all(tree: PyTree, *, is_leaf: IsLeaf | None = None) -> bool:
    """Whether all leaves are true.

    Args:
        tree: the tree, of booleans, numbers or other objects with a truth value.
        is_leaf: as in ``jax.tree.flatten``.

    Returns:
        A Python boolean; true for a tree without leaves.

    Raises:
        ValueError: a leaf is an array with several elements.
    """
    return all(tree_leaves(tree, is_leaf))


@traceback_filter.hides_frames
def all_leaves(iterable: Iterable[Any], is_leaf: IsLeaf | None = None) -> bool:
    """Whether no element of an iterable is a container.

    Args:
        iterable: the elements: arrays of any dtype, or other objects.
        is_leaf: as in ``jax.tree.flatten``, for each element.

    Raises:
        TypeError: `iterable` is none.
    """
    if is_leaf is None:
        return pytree.all_leaves(default_registry, iterable)
    return all(treedef_is_strict_leaf(tree_structure(x, is_leaf)) for x in iterable)


def tree_reduce(
    function: Callable[[Any, Leaf], Any],
    tree: PyTree,
    initializer: Any = UNSPECIFIED,
    is_leaf: IsLeaf | None = None,
) -> Any:
    """Folds the leaves of a tree from the left.

    Args:
        function: takes what has been accumulated and a leaf.
        tree: the tree, of arrays of any dtype, or of other objects.
        initializer: where to start; without it, at the first leaf.
        is_leaf: as in ``jax.tree.flatten``.

    Raises:
        TypeError: the tree has no leaves and there is no `initializer`.

    Examples:
        >>> jax.tree.reduce(lambda total, leaf: total + leaf, {"a": 1, "b": (2, 3)})
        6
    """
    leaves = tree_leaves(tree, is_leaf)
    if isinstance(initializer, Unspecified):
        return ft.reduce(function, leaves)
    return ft.reduce(function, leaves, initializer)


def _reduce_halves(operation: Callable[[Any, Any], Any], leaves: list[Leaf]) -> Any:
    if len(leaves) == 1:
        return leaves[0]
    middle = len(leaves) // 2
    return operation(
        _reduce_halves(operation, leaves[:middle]),
        _reduce_halves(operation, leaves[middle:]),
    )


def tree_reduce_associative(
    operation: Callable[[Any, Any], Any],
    tree: PyTree,
    *,
    identity: Any = UNSPECIFIED,
    is_leaf: IsLeaf | None = None,
) -> Any:
    """Combines the leaves of a tree in a balanced order, of logarithmic depth.

    Args:
        operation: takes two values; the result is that of ``jax.tree.reduce`` if it is
            associative.
        tree: the tree, of arrays of any dtype, or of other objects.
        identity: the result for a tree without leaves.
        is_leaf: as in ``jax.tree.flatten``.

    Raises:
        TypeError: the tree has no leaves and there is no `identity`.
    """
    leaves = tree_leaves(tree, is_leaf)
    if leaves:
        return _reduce_halves(operation, leaves)
    if isinstance(identity, Unspecified):
        raise TypeError(
            "jax.tree.reduce_associative: a tree without leaves has no result unless "
            "identity is given."
        )
    return identity


@traceback_filter.hides_frames
def tree_transpose(
    outer_treedef: pytree.PyTreeDef,
    inner_treedef: pytree.PyTreeDef | None,
    pytree_to_transpose: PyTree,
) -> PyTree:
    """Turns a tree of trees inside out.

    Args:
        outer_treedef: the structure of the outer tree.
        inner_treedef: the structure that stands at each leaf of the outer one; None to
            take that of the first.
        pytree_to_transpose: the tree, of arrays of any dtype, or of other objects.

    Returns:
        A tree of structure `inner_treedef` whose leaves are trees of structure
        `outer_treedef`.

    Raises:
        TypeError: the tree has another structure.
        ValueError: `inner_treedef` is None and the outer tree has no leaves.

    Examples:
        >>> jax.tree.transpose(jax.tree.structure([0, 0]), None, [(1, 2), (3, 4)])
        ([1, 3], [2, 4])
    """
    leaves, treedef = tree_flatten(pytree_to_transpose)
    if inner_treedef is None:
        parts = outer_treedef.flatten_up_to(pytree_to_transpose)
        if not parts:
            raise ValueError(
                "jax.tree.transpose: the outer tree has no leaves, so the inner "
                "structure cannot be taken from one. Give inner_treedef."
            )
        inner_treedef = tree_structure(parts[0])
    inner_size = inner_treedef.num_leaves
    if treedef.num_leaves != inner_size * outer_treedef.num_leaves:
        expected = outer_treedef.compose(inner_treedef)
        raise TypeError(
            "jax.tree.transpose: Mismatch between the tree and the two structures.\n"
            f"  tree      {treedef}\n  expected  {expected}"
        )
    return inner_treedef.unflatten(
        outer_treedef.unflatten(leaves[i::inner_size]) for i in range(inner_size)
    )


def tree_broadcast(
    prefix_tree: PyTree, full_tree: PyTree, is_leaf: IsLeaf | None = None
) -> PyTree:
    """Repeats the leaves of a prefix over the tree that it is a prefix of.

    Args:
        prefix_tree: a tree with leaves where `full_tree` may have subtrees; arrays of
            any dtype stay as they are: nothing is broadcast but the structure.
        full_tree: gives the structure of the result.
        is_leaf: as in ``jax.tree.flatten``, for `prefix_tree`.

    Raises:
        ValueError: `prefix_tree` is no prefix of `full_tree`.

    Examples:
        >>> jax.tree.broadcast([1, 2], [(0, 0), {"a": 0}])
        [(1, 1), {'a': 2}]
    """
    leaves = prefixes.broadcast_prefix(prefix_tree, full_tree, is_leaf)
    return tree_structure(full_tree).unflatten(leaves)


@traceback_filter.hides_frames
def treedef_tuple(treedefs: Iterable[pytree.PyTreeDef]) -> pytree.PyTreeDef:
    """The structure of a tuple with these structures as its parts.

    Args:
        treedefs: the parts; shapes and dtypes of arrays are no part of a structure.

    Raises:
        TypeError: a part is no ``PyTreeDef``.
    """
    return pytree.treedef_tuple(default_registry, treedefs)


@traceback_filter.hides_frames
def treedef_children(treedef: pytree.PyTreeDef) -> list[pytree.PyTreeDef]:
    """The structures of the root's children.

    Args:
        treedef: the structure; a leaf has no children.

    Raises:
        AttributeError: `treedef` is no ``PyTreeDef``, such as a tree of arrays (of any
            dtype).
    """
    return treedef.children()


@traceback_filter.hides_frames
def treedef_is_leaf(treedef: pytree.PyTreeDef) -> bool:
    """Whether a structure is one node: a leaf or an empty container.

    Args:
        treedef: the structure.

    Raises:
        AttributeError: `treedef` is no ``PyTreeDef``, such as a tree of arrays (of any
            dtype).
    """
    return treedef.num_nodes == 1


def treedef_is_strict_leaf(treedef: pytree.PyTreeDef) -> bool:
    """Whether a structure is a leaf, and no empty container.

    Args:
        treedef: the structure.
    """
    return treedef.num_nodes == 1 and treedef.num_leaves == 1


def tree_leaves_checked(treedef_expected: pytree.PyTreeDef, tree: PyTree) -> list[Leaf]:
    """The leaves of a tree that must have a given structure.

    Args:
        treedef_expected: the structure.
        tree: the tree.

    Raises:
        AssertionError: the tree has another structure.
    """
    leaves, treedef = tree_flatten(tree)
    if treedef != treedef_expected:
        raise AssertionError(
            f"the structure is {treedef} where {treedef_expected} is expected"
        )
    return leaves


@traceback_filter.hides_frames
def flatten_one_level(tree: PyTree) -> tuple[Iterable[Any], Any]:
    """The children and the data of the outermost container.

    Args:
        tree: a container of arrays of any dtype, containers or other objects.

    Raises:
        ValueError: `tree` is a leaf.

    Examples:
        >>> jax.tree_util.flatten_one_level({"b": (1, 2), "a": 3})
        ((3, (1, 2)), ('a', 'b'))
    """
    return _require_node(default_registry.flatten_one_level(tree), tree)


@traceback_filter.hides_frames
def flatten_one_level_with_keys(tree: PyTree) -> tuple[Iterable[Any], Any]:
    """The pairs (key, child) and the data of the outermost container.

    Args:
        tree: a container of arrays of any dtype, containers or other objects.

    Raises:
        ValueError: `tree` is a leaf.
    """
    return _require_node(default_registry.flatten_one_level_with_keys(tree), tree)


def _require_node(level: tuple[Iterable[Any], Any] | None, tree: PyTree):
    if level is None:
        raise ValueError(
            f"can't tree-flatten type: {type(tree)}. It is a leaf; register the class "
            "to make it a container (jax.tree_util.register_pytree_node)."
        )
    return level
