"""The native pytrees."""

from jaxlib._native.pytree import (
    DictKey as DictKey,
    FlattenedIndexKey as FlattenedIndexKey,
    GetAttrKey as GetAttrKey,
    PyTreeDef as PyTreeDef,
    PyTreeRegistry as PyTreeRegistry,
    SequenceKey as SequenceKey,
    all_leaves as all_leaves,
    default_registry as default_registry,
    treedef_tuple as treedef_tuple,
)
