"""Prefixes of trees, and how to say where two trees differ."""

import difflib
import functools as ft
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from jax._src.lib import pytree
from jax._src.tree.registry import KeyPath, default_registry

IsLeaf = Callable[[Any], bool]


class _Difference(NamedTuple):
    """Where and how two trees differ; `first` and `second` describe the two parts."""

    path: KeyPath
    headline: str
    first: str
    second: str
    explanation: str
    detail: str


def _is_leaf(tree: Any, is_leaf: IsLeaf | None) -> bool:
    treedef = default_registry.flatten(
        tree, lambda part: part is not tree or (is_leaf is not None and is_leaf(part))
    )[1]
    return treedef.num_nodes == 1 and treedef.num_leaves == 1


def _open(tree: Any) -> tuple[list[Any], list[Any], Any]:
    pairs, data = default_registry.flatten_one_level_with_keys(tree)
    return [key for key, _ in pairs], [child for _, child in pairs], data


def _count(number: int) -> str:
    return f"{number} child" if number == 1 else f"{number} children"


def _diff(first: str, second: str) -> str:
    return "\n".join(difflib.ndiff(first.splitlines(), second.splitlines()))


def _differences(
    first: Any, second: Any, is_leaf: IsLeaf | None, is_prefix: bool, path: KeyPath = ()
) -> Iterator[_Difference]:
    """The highest places at which two trees differ, from left to right."""
    if _is_leaf(first, is_leaf):
        if is_prefix or _is_leaf(second, is_leaf):
            return
    if type(first) is not type(second) or _is_leaf(second, is_leaf):
        yield _Difference(
            path,
            "different types",
            f"{type(first)}",
            f"{type(second)}",
            "their Python types differ",
            "",
        )
        return
    first_keys, first_children, first_data = _open(first)
    second_keys, second_children, second_data = _open(second)
    kind = type(first)
    if len(first_children) != len(second_children):
        yield _different_sizes(path, kind, first_keys, second_keys)
        return
    if first_data != second_data:
        yield _Difference(
            path,
            "different pytree metadata",
            f"{kind} with pytree metadata {first_data}",
            f"{kind} with pytree metadata {second_data}",
            "the pytree node metadata does not match",
            _diff(str(first_data), str(second_data)),
        )
        return
    for key, a, b in zip(first_keys, first_children, second_children, strict=True):
        yield from _differences(a, b, is_leaf, is_prefix, (*path, key))


def _different_sizes(path, kind, first_keys, second_keys) -> _Difference:
    if kind in (list, tuple):
        name = kind.__name__
        return _Difference(
            path,
            f"different lengths of {name}",
            f"{name} of length {len(first_keys)}",
            f"{name} of length {len(second_keys)}",
            "the lengths do not match",
            "",
        )
    plain = lambda keys: {getattr(key, "key", key) for key in keys}
    symmetric = plain(first_keys) ^ plain(second_keys)
    return _Difference(
        path,
        "different numbers of pytree children",
        f"{kind} with {_count(len(first_keys))}",
        f"{kind} with {_count(len(second_keys))}",
        "the numbers of children do not match, with the symmetric difference of key "
        f"sets: {symmetric}",
        "",
    )


def _prefix_error(difference: _Difference, name: str) -> ValueError:
    where = name + "".join(map(str, difference.path))
    message = (
        f"pytree structure error: {difference.headline} at key path\n"
        f"    {where}\n"
        f"  the prefix     {difference.first}\n"
        f"  the full tree  {difference.second}\n"
        f"A prefix has the structure of the full tree, down to its own leaves; here "
        f"{difference.explanation}."
    )
    if difference.detail:
        message += "\n" + textwrap.indent(difference.detail, "    ")
    return ValueError(message)


def prefix_errors(
    prefix_tree: Any, full_tree: Any, is_leaf: IsLeaf | None = None
) -> list[Callable[[str], ValueError]]:
    """Why a tree is no prefix of another.

    Args:
        prefix_tree: the tree that should be a prefix.
        full_tree: the tree it should be a prefix of.
        is_leaf: as in ``jax.tree.flatten``, for `prefix_tree`.

    Returns:
        A function for each place where they differ, from the name of `prefix_tree` to
        an exception; an empty list for a prefix.
    """
    return [
        ft.partial(_prefix_error, difference)
        for difference in _differences(prefix_tree, full_tree, is_leaf, is_prefix=True)
    ]


def equality_errors(
    tree1: Any, tree2: Any, is_leaf: IsLeaf | None = None
) -> Iterable[tuple[KeyPath, str, str, str]]:
    """Where the structures of two trees differ.

    Args:
        tree1: a tree.
        tree2: a tree.
        is_leaf: as in ``jax.tree.flatten``, for both.

    Yields:
        Tuples (key path, what the first has, what the second has, explanation).
    """
    for difference in _differences(tree1, tree2, is_leaf, is_prefix=False):
        yield (
            difference.path,
            difference.first,
            difference.second,
            difference.explanation,
        )


class _LeafKind(type):
    """The class of stand-ins, as messages name it."""

    def __repr__(cls) -> str:
        return "a leaf"


class _LeafStandIn(metaclass=_LeafKind):
    """Stands for a leaf where only the structure is known."""


def equality_errors_pytreedef(
    tree1: pytree.PyTreeDef, tree2: pytree.PyTreeDef
) -> Iterable[tuple[KeyPath, str, str, str]]:
    """Where two structures differ.

    Args:
        tree1: a structure.
        tree2: a structure.

    Yields:
        Tuples as from `equality_errors`.
    """
    leaf = _LeafStandIn()
    yield from equality_errors(
        tree1.unflatten([leaf] * tree1.num_leaves),
        tree2.unflatten([leaf] * tree2.num_leaves),
    )


def flatten_up_to(
    treedef: pytree.PyTreeDef,
    tree: Any,
    other: Any,
    name: str,
    is_leaf: IsLeaf | None = None,
) -> list[Any]:
    """The parts of a tree at the leaves of another, with a good error message.

    Args:
        treedef: the structure of `tree`.
        tree: the tree that gives the structure.
        other: the tree to take apart.
        name: what `tree` is called in messages.
        is_leaf: with which `treedef` was made.

    Raises:
        ValueError: `tree` is no prefix of `other`.
    """
    try:
        return treedef.flatten_up_to(other)
    except ValueError as error:
        explain = next(iter(prefix_errors(tree, other, is_leaf)), None)
        if explain is None:
            raise
        raise explain(name) from error


def broadcast_prefix(
    prefix_tree: Any, full_tree: Any, is_leaf: IsLeaf | None = None
) -> list[Any]:
    """The leaves of a prefix, each repeated for the leaves of the full tree below it.

    Args:
        prefix_tree: the prefix.
        full_tree: the full tree.
        is_leaf: as in ``jax.tree.flatten``, for `prefix_tree`.

    Returns:
        One entry for each leaf of `full_tree`.

    Raises:
        ValueError: `prefix_tree` is no prefix of `full_tree`.
    """
    leaves, treedef = default_registry.flatten(prefix_tree, is_leaf)
    name = "broadcast_prefix prefix_tree"
    parts = flatten_up_to(treedef, prefix_tree, full_tree, name, is_leaf)
    return [
        leaf
        for leaf, part in zip(leaves, parts, strict=True)
        for _ in range(default_registry.flatten(part)[1].num_leaves)
    ]


def broadcast_flattened_prefix_with_treedef(
    prefix_leaves: list[Any],
    prefix_treedef: pytree.PyTreeDef,
    full_treedef: pytree.PyTreeDef,
) -> list[Any]:
    """As `broadcast_prefix`, where trees are given by leaves and structure.

    Args:
        prefix_leaves: the leaves of the prefix.
        prefix_treedef: its structure.
        full_treedef: the structure of the full tree.

    Raises:
        ValueError: the one structure is no prefix of the other.
    """
    full_tree = full_treedef.unflatten(range(full_treedef.num_leaves))
    prefix_tree = prefix_treedef.unflatten(prefix_leaves)
    name = "broadcast_prefix prefix_tree"
    parts = flatten_up_to(prefix_treedef, prefix_tree, full_tree, name)
    return [
        leaf
        for leaf, part in zip(prefix_leaves, parts, strict=True)
        for _ in default_registry.flatten(part)[0]
    ]
