"""Prefixes of trees, and how to say where two trees differ."""

import functools as ft
import importlib
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from jax._src.lib import pytree
from jax._src.tree import structures
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


class _OfTree:
    """A tree seen one level at a time."""

    __slots__ = ("_is_leaf", "value")

    def __init__(self, value: Any, is_leaf: IsLeaf | None):
        self.value = value
        self._is_leaf = is_leaf

    @property
    def is_leaf(self) -> bool:
        return structures.is_leaf(self._level())

    def _level(self):
        """The structure of the topmost node alone."""
        value, is_leaf = self.value, self._is_leaf
        return default_registry.flatten(
            value,
            lambda part: part is not value or (is_leaf is not None and is_leaf(part)),
        )[1]

    @property
    def kind(self) -> Any:
        return type(self.value)

    def open(self) -> tuple[list[Any], list["_OfTree"], Any]:
        """The keys, the children and the data of the topmost node."""
        pairs, _ = default_registry.flatten_one_level_with_keys(self.value)
        pairs = list(pairs)
        children = [_OfTree(child, self._is_leaf) for _, child in pairs]
        return [key for key, _ in pairs], children, _data(self._level())


class _OfStructure:
    """A structure seen one level at a time."""

    __slots__ = ("treedef",)

    def __init__(self, treedef: pytree.PyTreeDef):
        self.treedef = treedef

    @property
    def is_leaf(self) -> bool:
        return structures.is_leaf(self.treedef)

    @property
    def kind(self) -> Any:
        return _Leaf if self.is_leaf else self.treedef.node_data()[0]

    def open(self) -> tuple[list[Any], list["_OfStructure"], Any]:
        """The keys, the children and the data of the topmost node."""
        children = self.treedef.children()
        keys = structures.keys_of(self.treedef, len(children))
        return keys, [_OfStructure(child) for child in children], _data(self.treedef)


def _data(treedef):
    if structures.is_leaf(treedef):
        return None
    kind, data = treedef.node_data()
    return tuple(data) if kind is dict else data


def _count(number: int) -> str:
    return f"{number} child" if number == 1 else f"{number} children"


def _diff(first: str, second: str) -> str:
    return "\n".join(
        importlib.import_module("difflib").ndiff(
            first.splitlines(), second.splitlines()
        )
    )


def _differences(
    first: Any, second: Any, is_prefix: bool, path: KeyPath = ()
) -> Iterator[_Difference]:
    """Returns the highest paths at which two trees differ, from left to right."""
    if first.is_leaf:
        if is_prefix or second.is_leaf:
            return
    if first.kind is not second.kind or second.is_leaf:
        yield _Difference(
            path,
            "different types",
            f"{first.kind}",
            f"{second.kind}",
            "their Python types differ",
            "",
        )
        return
    first_keys, first_children, first_data = first.open()
    second_keys, second_children, second_data = second.open()
    kind = first.kind
    if len(first_children) != len(second_children):
        yield _different_sizes(path, kind, first_keys, second_keys)
        return
    if first_data != second_data:
        yield _Difference(
            path,
            "different pytree metadata",
            f"{kind} with pytree metadata {_short(first_data)}",
            f"{kind} with pytree metadata {_short(second_data)}",
            "the pytree node metadata does not match",
            _diff(*_where_they_differ(first_data, second_data)),
        )
        return
    for key, a, b in zip(first_keys, first_children, second_children, strict=True):
        yield from _differences(a, b, is_prefix, (*path, key))


def _where_they_differ(first, second):
    """The texts of two metadata; of long tuples only what the other has not."""
    if isinstance(first, tuple) and isinstance(second, tuple) and len(first) > 8:
        try:
            known, wanted = set(first), set(second)
        except TypeError:
            known = wanted = set()
        if known != wanted:
            first = tuple(x for x in first if x not in wanted)
            second = tuple(x for x in second if x not in known)
    return _short(first), _short(second)


def _short(data):
    """The text of metadata, long ones without their end."""
    text = str(data)
    return text if len(text) <= 200 else f"{text[:199]}…"


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
    symmetric = _short(plain(first_keys) ^ plain(second_keys))
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
        A function for each path where they differ, from the name of `prefix_tree` to
        an exception; an empty list for a prefix.
    """
    return [
        ft.partial(_prefix_error, difference)
        for difference in _differences(
            _OfTree(prefix_tree, is_leaf), _OfTree(full_tree, is_leaf), is_prefix=True
        )
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
    yield from _told(_OfTree(tree1, is_leaf), _OfTree(tree2, is_leaf))


def _told(first, second):
    for difference in _differences(first, second, is_prefix=False):
        yield (
            difference.path,
            difference.first,
            difference.second,
            difference.explanation,
        )


class _LeafKind(type):
    """The class of leaves, as messages name it."""

    def __repr__(cls) -> str:
        return "a leaf"


class _Leaf(metaclass=_LeafKind):
    """What a leaf is where only the structure is known."""


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
    yield from _told(_OfStructure(tree1), _OfStructure(tree2))


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
    """Broadcasts a prefix, where both trees are given by leaves and structure.

    Args:
        prefix_leaves: the leaves of the prefix.
        prefix_treedef: its structure.
        full_treedef: the structure of the full tree.

    Raises:
        ValueError: the one structure is no prefix of the other.
    """
    name = "broadcast_prefix prefix_tree"
    counts = _leaf_counts(prefix_treedef, full_treedef)
    if counts is None:
        found = _differences(
            _OfStructure(prefix_treedef), _OfStructure(full_treedef), is_prefix=True
        )
        raise _prefix_error(next(iter(found)), name)
    return _repeated(prefix_leaves, counts)


def spread_over(
    name: str,
    prefix_tree: Any,
    treedef: pytree.PyTreeDef,
    is_leaf: IsLeaf | None = None,
) -> list[Any]:
    """Broadcasts a prefix, where only the structure of the full tree is known.

    Args:
        name: what the prefix is called in messages.
        prefix_tree: the prefix.
        treedef: the structure.
        is_leaf: as in ``jax.tree.flatten``, for `prefix_tree`.

    Returns:
        One entry for each leaf of the structure.

    Raises:
        ValueError: `prefix_tree` is no prefix of the structure; it says at which key path.
    """
    leaves, prefix = default_registry.flatten(prefix_tree, is_leaf)
    counts = _leaf_counts(prefix, treedef)
    if counts is not None:
        return _repeated(leaves, counts)
    found = _differences(
        _OfTree(prefix_tree, is_leaf), _OfStructure(treedef), is_prefix=True
    )
    raise _prefix_error(next(iter(found)), name)


def _repeated(leaves, counts):
    pairs = zip(leaves, counts, strict=True)
    return [leaf for leaf, count in pairs for _ in range(count)]


def _leaf_counts(prefix, full) -> list[int] | None:
    """How many leaves of a structure each leaf of a prefix stands for; None: it is none."""
    if structures.is_leaf(prefix):
        return [full.num_leaves]
    if prefix == full:
        return [1] * full.num_leaves
    if structures.is_leaf(full):
        return None
    if prefix.node_data() != full.node_data():
        return None
    parts, wholes = prefix.children(), full.children()
    if len(parts) != len(wholes):
        return None
    counts: list[int] = []
    for part, whole in zip(parts, wholes, strict=True):
        found = _leaf_counts(part, whole)
        if found is None:
            return None
        counts += found
    return counts
