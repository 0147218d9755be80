"""Pytrees: nested containers of leaves. Other layers import from here."""

from jax._src.lib.pytree import (
    DictKey as DictKey,
    FlattenedIndexKey as FlattenedIndexKey,
    GetAttrKey as GetAttrKey,
    PyTreeDef as PyTreeDef,
    PyTreeRegistry as PyTreeRegistry,
    SequenceKey as SequenceKey,
)
from jax._src.tree.flat_tree import FlatTree as FlatTree
from jax._src.tree.operations import (
    all_leaves as all_leaves,
    flatten_one_level as flatten_one_level,
    flatten_one_level_with_keys as flatten_one_level_with_keys,
    tree_all as tree_all,
    tree_broadcast as tree_broadcast,
    tree_flatten as tree_flatten,
    tree_leaves as tree_leaves,
    tree_leaves_checked as tree_leaves_checked,
    tree_map as tree_map,
    tree_reduce as tree_reduce,
    tree_reduce_associative as tree_reduce_associative,
    tree_structure as tree_structure,
    tree_transpose as tree_transpose,
    tree_unflatten as tree_unflatten,
    treedef_children as treedef_children,
    treedef_is_leaf as treedef_is_leaf,
    treedef_is_strict_leaf as treedef_is_strict_leaf,
    treedef_tuple as treedef_tuple,
)
from jax._src.tree.partial import (
    Partial as Partial,
)
from jax._src.tree.paths import (
    generate_key_paths as generate_key_paths,
    keystr as keystr,
    tree_flatten_with_path as tree_flatten_with_path,
    tree_leaves_with_path as tree_leaves_with_path,
    tree_map_with_path as tree_map_with_path,
)
from jax._src.tree.prefixes import (
    broadcast_flattened_prefix_with_treedef as broadcast_flattened_prefix_with_treedef,
    broadcast_prefix as broadcast_prefix,
    equality_errors as equality_errors,
    equality_errors_pytreedef as equality_errors_pytreedef,
    flatten_up_to as flatten_up_to,
    prefix_errors as prefix_errors,
    spread_over as spread_over,
)
from jax._src.tree.registry import (
    KeyEntry as KeyEntry,
    KeyPath as KeyPath,
    RegistryEntry as RegistryEntry,
    default_registry as default_registry,
    is_tree_node as is_tree_node,
    none_leaf_registry as none_leaf_registry,
    register_dataclass as register_dataclass,
    register_pytree_node as register_pytree_node,
    register_pytree_node_class as register_pytree_node_class,
    register_pytree_with_keys as register_pytree_with_keys,
    register_pytree_with_keys_class as register_pytree_with_keys_class,
    register_static as register_static,
    registered_types as registered_types,
    static as static,
)
from jax._src.tree.structures import (
    remember_keys as remember_keys,
    treedef_paths as treedef_paths,
    with_leaves as with_leaves,
)
