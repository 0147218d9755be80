"""Which types are pytree nodes, and how a program adds its own."""

import collections
import dataclasses
import operator
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from jax._src.base import traceback_filter
from jax._src.lib import pytree

Typ = TypeVar("Typ", bound=type)
KeyEntry = TypeVar("KeyEntry", bound=Hashable)
KeyPath = tuple[KeyEntry, ...]
KeyChildPairs = Iterable[tuple[Any, Any]]

default_registry = pytree.default_registry

# Here None is a leaf, and all else is as in the default registry.
none_leaf_registry = pytree.PyTreeRegistry(enable_none=False)
none_leaf_registry.__module__ = __name__
none_leaf_registry.__name__ = "none_leaf_registry"

_REGISTRIES = (default_registry, none_leaf_registry)


class RegistryEntry(NamedTuple):
    """How one type is taken apart and rebuilt."""

    to_iter: Callable[[Any], tuple[Iterable[Any], Any]]
    from_iter: Callable[[Any, Iterable[Any]], Any]


@dataclasses.dataclass
class RegistryFacts:
    """What messages about structures need to know of the registered classes."""

    # Dataclasses: the names of the fields that are children.
    data_fields: dict[type, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    # Classes with a function of their own for keys.
    classes_with_keys: set[type] = dataclasses.field(default_factory=set)


registry_facts = RegistryFacts()

# The types that are nodes, for those who want to look: Python's own, and what programs registered.
registered_types: dict[type, RegistryEntry] = {
    tuple: RegistryEntry(lambda x: (x, None), lambda _, children: tuple(children)),
    list: RegistryEntry(lambda x: (x, None), lambda _, children: list(children)),
    dict: RegistryEntry(
        lambda x: (tuple(x[key] for key in sorted(x)), tuple(sorted(x))),
        lambda keys, children: dict(zip(keys, children, strict=True)),
    ),
    collections.OrderedDict: RegistryEntry(
        lambda x: (tuple(x.values()), tuple(x)),
        lambda keys, children: collections.OrderedDict(
            zip(keys, children, strict=True)
        ),
    ),
    collections.defaultdict: RegistryEntry(
        lambda x: (
            tuple(x[key] for key in sorted(x)),
            (x.default_factory, tuple(sorted(x))),
        ),
        lambda data, children: collections.defaultdict(
            data[0], zip(data[1], children, strict=True)
        ),
    ),
    type(None): RegistryEntry(lambda x: ((), None), lambda _, children: None),
}


def _require_type(function: str, nodetype: Any) -> None:
    if not isinstance(nodetype, type):
        raise TypeError(
            f"jax.tree_util.{function}: a class is registered, got {nodetype!r} "
            f"of type {type(nodetype).__name__}."
        )


@traceback_filter.hides_frames
def register_pytree_node(
    nodetype: type,
    flatten_func: Callable[[Any], tuple[Iterable[Any], Any]],
    unflatten_func: Callable[[Any, Any], Any],
    flatten_with_keys_func: Callable[[Any], tuple[KeyChildPairs, Any]] | None = None,
) -> None:
    """Makes objects of a class nodes of pytrees.

    Args:
        nodetype: the class. Its subclasses are not registered with it.
        flatten_func: from an object to a pair: its children (trees, such as arrays of
            any shape and dtype), and hashable data that compares with ``==`` and
            becomes part of the tree's structure.
        unflatten_func: from that data and the children (a tuple) to an object. It must
            accept any children, such as ``None`` or ``object()``.
        flatten_with_keys_func: like `flatten_func`, with a pair (key, child) for each
            child; the keys appear in key paths.

    Raises:
        TypeError: `nodetype` is no class, or a function is not callable.
        ValueError: the class is registered already.

    Examples:
        >>> class Pair:
        ...     def __init__(self, a, b):
        ...         self.a, self.b = a, b
        >>> jax.tree_util.register_pytree_node(
        ...     Pair, lambda p: ((p.a, p.b), None), lambda _, ab: Pair(*ab))
        >>> jax.tree.leaves(Pair(1, Pair(2, 3)))
        [1, 2, 3]
    """
    _require_type("register_pytree_node", nodetype)
    for registry in _REGISTRIES:
        registry.register_node(
            nodetype, flatten_func, unflatten_func, flatten_with_keys_func
        )
    registered_types[nodetype] = RegistryEntry(flatten_func, unflatten_func)
    if flatten_with_keys_func is not None:
        registry_facts.classes_with_keys.add(nodetype)


@traceback_filter.hides_frames
def register_pytree_node_class(cls: Typ) -> Typ:
    """Registers a class by its own methods; a decorator.

    Args:
        cls: a class with a method ``tree_flatten(self)`` that returns a pair
            (children, data), and a class method ``tree_unflatten(cls, data,
            children)``.

    Returns:
        `cls`.

    Raises:
        ValueError: the class is registered already.
    """
    register_pytree_node(cls, operator.methodcaller("tree_flatten"), cls.tree_unflatten)
    return cls


@traceback_filter.hides_frames
def register_pytree_with_keys(
    nodetype: type,
    flatten_with_keys: Callable[[Any], tuple[KeyChildPairs, Any]],
    unflatten_func: Callable[[Any, Any], Any],
    flatten_func: Callable[[Any], tuple[Iterable[Any], Any]] | None = None,
) -> None:
    """Makes objects of a class nodes of pytrees, with a key for each child.

    Args:
        nodetype: the class.
        flatten_with_keys: from an object to a pair: pairs (key, child) with children
            such as arrays of any shape and dtype, and data that becomes part of the
            tree's structure. ``SequenceKey``, ``DictKey`` and ``GetAttrKey`` print
            well; any hashable object can be a key.
        unflatten_func: from that data and the children to an object.
        flatten_func: a faster way to (children, data) where keys are not wanted.

    Raises:
        TypeError: `nodetype` is no class, or a function is not callable.
        ValueError: the class is registered already.
    """

    def without_keys(tree):
        pairs, data = flatten_with_keys(tree)
        return [child for _, child in pairs], data

    register_pytree_node(
        nodetype, flatten_func or without_keys, unflatten_func, flatten_with_keys
    )


@traceback_filter.hides_frames
def register_pytree_with_keys_class(cls: Typ) -> Typ:
    """Registers a class by its own methods, with keys; a decorator.

    Args:
        cls: a class with a method ``tree_flatten_with_keys(self)``, a class method
            ``tree_unflatten(cls, data, children)``, and perhaps ``tree_flatten``.

    Returns:
        `cls`.

    Raises:
        ValueError: the class is registered already.
    """
    has_flatten = getattr(cls, "tree_flatten", None) is not None
    register_pytree_with_keys(
        cls,
        operator.methodcaller("tree_flatten_with_keys"),
        cls.tree_unflatten,
        operator.methodcaller("tree_flatten") if has_flatten else None,
    )
    return cls


@traceback_filter.hides_frames
def register_static(cls: Typ) -> Typ:
    """Makes objects of a class nodes without children; a decorator.

    Such an object is part of the tree's structure: ``jit`` compiles anew for each
    value, so the class needs ``__eq__`` and ``__hash__`` that go by value.

    Args:
        cls: the class; its objects hold no arrays, of whatever dtype: they have no
            hash.

    Returns:
        `cls`.

    Raises:
        ValueError: the class is registered already.
    """
    register_pytree_with_keys(cls, lambda tree: ([], tree), lambda tree, children: tree)
    return cls


def static(**kwargs: Any) -> Any:
    """A dataclass field that is part of the tree's structure, not a child.

    Args:
        **kwargs: what ``dataclasses.field`` takes.

    Returns:
        A field whose metadata says ``{"static": True}``, as `register_dataclass`
        reads it; what `metadata` says of ``"static"`` stays.

    Raises:
        TypeError: ``dataclasses.field`` has no such argument. ValueError: two of them
            exclude each other.
    """
    metadata = {"static": True, **(kwargs.pop("metadata", None) or {})}
    return dataclasses.field(metadata=metadata, **kwargs)


def _split_fields(nodetype: type) -> tuple[list[str], list[str]]:
    """The names of the data fields and of the static fields, from annotations."""
    if not dataclasses.is_dataclass(nodetype):
        raise TypeError(
            "register_dataclass: data_fields and meta_fields are required when "
            f"nodetype is not a dataclass. Got nodetype={nodetype}."
        )
    fields = [field for field in dataclasses.fields(nodetype) if field.init]
    is_static = lambda field: bool(field.metadata.get("static", False))
    return (
        [field.name for field in fields if not is_static(field)],
        [field.name for field in fields if is_static(field)],
    )


def _check_fields(
    nodetype: type, data: Sequence[str], meta: Sequence[str], drop: Sequence[str]
) -> None:
    overlap = set(data) & set(meta)
    if overlap:
        raise ValueError(
            "register_dataclass: data_fields and meta_fields must not overlap. "
            f"Overlapping fields of {nodetype.__name__}: {overlap}."
        )
    if not dataclasses.is_dataclass(nodetype):
        return
    expected = {field.name for field in dataclasses.fields(nodetype) if field.init}
    given = {*data, *meta}
    missing = expected - given - set(drop)
    unexpected = given - expected
    if missing or unexpected:
        raise ValueError(
            "register_dataclass: data_fields and meta_fields must include all "
            "dataclass fields with ``init=True`` and only them.\n"
            + (f"  Missing fields: {missing}.\n" if missing else "")
            + (f"  Unexpected fields: {unexpected}.\n" if unexpected else "")
            + f"  class {nodetype.__name__}\n"
            "A field that is neither data nor metadata belongs into drop_fields."
        )


@traceback_filter.hides_frames
def register_dataclass(
    nodetype: Typ,
    data_fields: Sequence[str] | None = None,
    meta_fields: Sequence[str] | None = None,
    drop_fields: Sequence[str] = (),
) -> Typ:
    """Makes objects of a dataclass nodes of pytrees; a decorator.

    Args:
        nodetype: a dataclass, or a class whose constructor takes the fields by
            keyword and which has an attribute for each.
        data_fields: the names of the fields that are children.
        meta_fields: the names of the fields that are part of the structure; their
            values are hashable. Without `data_fields` and `meta_fields`, the fields
            made by ``jax.tree.static`` (or with ``metadata=dict(static=True)``) are
            metadata, the others data.
        drop_fields: fields that are neither, and get their default when the object
            is rebuilt.

    Returns:
        `nodetype`.

    Raises:
        TypeError: `nodetype` is no class, or only one of the lists is given.
        ValueError: the lists do not cover the fields, or the class is registered.

    Examples:
        >>> @jax.tree_util.register_dataclass
        ... @dataclasses.dataclass
        ... class Layer:
        ...     weight: Any
        ...     name: str = jax.tree.static(default="layer")
        >>> jax.tree.leaves(Layer(1.0))
        [1.0]
    """
    _require_type("register_dataclass", nodetype)
    if (data_fields is None) != (meta_fields is None):
        raise TypeError(
            "register_dataclass: data_fields and meta_fields must both be specified "
            f"when either is specified. Got data_fields={data_fields} "
            f"meta_fields={meta_fields}."
        )
    if data_fields is None or meta_fields is None:
        data_fields, meta_fields = _split_fields(nodetype)
        data_fields = [name for name in data_fields if name not in drop_fields]
        meta_fields = [name for name in meta_fields if name not in drop_fields]
    data, meta = tuple(data_fields), tuple(meta_fields)
    _check_fields(nodetype, data, meta, drop_fields)

    def flatten(tree):
        children = tuple(getattr(tree, name) for name in data)
        return children, tuple(getattr(tree, name) for name in meta)

    def unflatten(metadata, children):
        fields = zip((*meta, *data), (*metadata, *children), strict=True)
        return nodetype(**dict(fields))

    for registry in _REGISTRIES:
        registry.register_dataclass_node(nodetype, data, meta)
    registered_types[nodetype] = RegistryEntry(flatten, unflatten)
    registry_facts.data_fields[nodetype] = data
    return nodetype


def is_tree_node(typ: type) -> bool:
    """Whether objects of a class are containers rather than leaves.

    Args:
        typ: the class, such as ``list`` or ``float``.

    Returns:
        A Python boolean; false for arrays, which are leaves.

    Raises:
        Nothing: what is no class is no container.
    """
    return default_registry.is_node(typ)


def _flatten_mapping(mapping):
    keys = tuple(mapping)
    return [(pytree.DictKey(key), mapping[key]) for key in keys], keys


def _flatten_defaultdict(mapping):
    keys = tuple(sorted(mapping))
    pairs = [(pytree.DictKey(key), mapping[key]) for key in keys]
    return pairs, (mapping.default_factory, keys)


register_pytree_with_keys(
    collections.OrderedDict,
    _flatten_mapping,
    lambda keys, children: collections.OrderedDict(zip(keys, children, strict=True)),
)
register_pytree_with_keys(
    collections.defaultdict,
    _flatten_defaultdict,
    lambda data, children: collections.defaultdict(
        data[0], zip(data[1], children, strict=True)
    ),
)
# Their keys are in their data.
registry_facts.classes_with_keys.clear()
