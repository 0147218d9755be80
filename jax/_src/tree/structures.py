"""Structures looked at alone: without objects of the classes in them.

A class may check in its constructor what it is given, so no object of it is made to
find out what its keys are.
"""

import collections
from collections.abc import Iterator
from typing import Any

from jax._src.base import caches
from jax._src.lib import pytree
from jax._src.tree.registry import (
    KeyPath,
    default_registry,
    registered_types,
    registry_facts,
)

# The keys of nodes of classes whose own functions give them: (class, data, count) -> keys.
_seen_keys: collections.OrderedDict[Any, tuple[Any, ...]] = collections.OrderedDict()
_SEEN_LIMIT = 4096
caches.register("tree.keys", _seen_keys.clear)


def is_leaf(treedef: pytree.PyTreeDef) -> bool:
    """Whether a structure is that of a leaf."""
    return treedef.num_nodes == 1 and treedef.num_leaves == 1


def keys_of(treedef: pytree.PyTreeDef, count: int) -> list[Any]:
    """The key of each child of the topmost node of a structure.

    Those of a class with a key function of its own are known once `remember_keys` has
    seen such a node; before, its children are counted.
    """
    kind, data = treedef.node_data()
    fields = registry_facts.data_fields.get(kind)
    # A named tuple that was registered has children of its own choice.
    if fields is None and issubclass(kind, tuple) and kind not in registered_types:
        fields = getattr(kind, "_fields", None)
    if fields is not None:
        return [pytree.GetAttrKey(field) for field in fields]
    if kind in (tuple, list):
        return [pytree.SequenceKey(i) for i in range(count)]
    if kind in (dict, collections.OrderedDict):
        return [pytree.DictKey(key) for key in data]
    if kind is collections.defaultdict:
        return [pytree.DictKey(key) for key in data[1]]
    found = _seen_keys.get(_key(kind, data, count))
    if found is None:
        return [pytree.FlattenedIndexKey(i) for i in range(count)]
    return list(found)


def _key(kind, data, count):
    key = kind, data, count
    try:
        hash(key)
    except TypeError:
        return None
    return key


def treedef_paths(treedef: pytree.PyTreeDef) -> list[KeyPath]:
    """The key path of each leaf of a structure."""
    if is_leaf(treedef):
        return [()]
    children = treedef.children()
    return [
        (key, *path)
        for key, child in zip(keys_of(treedef, len(children)), children, strict=True)
        for path in treedef_paths(child)
    ]


def with_leaves(
    treedef: pytree.PyTreeDef, leaves: Iterator[pytree.PyTreeDef]
) -> pytree.PyTreeDef:
    """A structure with another structure in place of each leaf, from left to right."""
    if is_leaf(treedef):
        return next(leaves)
    children = [with_leaves(child, leaves) for child in treedef.children()]
    return pytree.PyTreeDef.from_node_data_and_children(
        default_registry, treedef.node_data(), children
    )


def remember_keys(tree: Any, treedef: pytree.PyTreeDef) -> None:
    """Remembers the keys in a tree, for messages about its structure.

    Args:
        tree: the tree.
        treedef: its structure.
    """
    if registry_facts.classes_with_keys and not _is_known(treedef):
        _remember(tree, treedef)


@caches.memoize(1024)
def _nodes_with_keys(treedef):
    """The nodes of a structure whose keys only an object gives."""
    found = []
    waiting = [treedef]
    while waiting:
        node = waiting.pop()
        data = node.node_data()
        children = node.children()
        if data is not None and data[0] in registry_facts.classes_with_keys:
            found.append(_key(*data, len(children)))
        waiting += children
    return [key for key in found if key is not None]


def _is_known(treedef):
    try:
        return all(key in _seen_keys for key in _nodes_with_keys(treedef))
    except TypeError:
        return True


def _remember(tree, treedef):
    if is_leaf(treedef):
        return
    pairs, _ = default_registry.flatten_one_level_with_keys(tree)
    pairs = list(pairs)
    kind, data = treedef.node_data()
    if kind in registry_facts.classes_with_keys:
        key = _key(kind, data, len(pairs))
        if key is not None:
            _seen_keys[key] = tuple(name for name, _ in pairs)
            while len(_seen_keys) > _SEEN_LIMIT:
                _seen_keys.popitem(last=False)
    for (_, child), structure in zip(pairs, treedef.children(), strict=True):
        _remember(child, structure)
