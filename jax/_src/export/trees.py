"""Structures of trees in exported programs, and classes of nodes that users add."""

import collections
import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from jax._src import tree
from jax._src.base import errors, records, traceback_filter
from jax._src.export import flat_tables as ft

T = TypeVar("T")

# Trees of programs are shallow; Python's own stack ends at about a thousand calls.
_DEPTH = 200

_KIND, _CHILDREN, _NAMES, _CUSTOM_NAME, _CUSTOM_DATA = range(5)
_LEAF, _NONE, _TUPLE, _LIST, _DICT, _CUSTOM = range(6)
_KIND_OF: dict[Any, int] = {type(None): _NONE, tuple: _TUPLE, list: _LIST}
_TYPE_OF: dict[int, type] = {kind: cls for cls, kind in _KIND_OF.items()}


@records.record
class _Custom:
    """How the nodes of a class are written."""

    nodetype: type
    name: str
    write_data: Callable[[Any], bytes]
    read_data: Callable[[bytes], Any]
    build: Callable[[Any, Iterable[Any]], Any] | None


_by_type: dict[type, _Custom] = {}
_by_name: dict[str, _Custom] = {}


def _register(custom: _Custom) -> None:
    for key, known, what in (
        (custom.nodetype, _by_type, "class"),
        (custom.name, _by_name, "name"),
    ):
        found = known.get(key)  # type: ignore[attr-defined]
        if found is not None:
            raise errors.value_error(
                f"Duplicate serialization registration: the {what} is taken.",
                [
                    ("class", f"{found.nodetype}"),
                    ("serialized_name", repr(found.name)),
                ],
                "A class has one name in exported programs, a name one class.",
            )
    _by_type[custom.nodetype] = _by_name[custom.name] = custom


def register_pytree_node_serialization(
    nodetype: type[T],
    *,
    serialized_name: str,
    serialize_auxdata: Callable[[Any], bytes],
    deserialize_auxdata: Callable[[bytes], Any],
    from_children: Callable[[Any, Iterable[Any]], Any] | None = None,
) -> type[T]:
    """Allows nodes of a class in the arguments and results of exported programs.

    Args:
        nodetype: the class.
        serialized_name: what exported programs call it; it must not change.
        serialize_auxdata: from the data of a node, as the class's ``flatten`` returns it,
            to bytes.
        deserialize_auxdata: from these bytes to the data.
        from_children: from the data and the children to a node; by default as the class
            was registered with `jax.tree_util.register_pytree_node`.

    Returns:
        `nodetype`.

    Raises:
        ValueError: the class is no node of pytrees, or the class or the name is
            registered already.
    """
    if from_children is None and nodetype not in tree.registered_types:
        raise errors.value_error(
            "Only nodes of pytrees can stand in exported programs.",
            [("class", f"{nodetype}")],
            ways="Call jax.tree_util.register_pytree_node first, or pass "
            "from_children.",
        )
    _register(
        _Custom(
            nodetype,
            serialized_name,
            serialize_auxdata,
            deserialize_auxdata,
            from_children,
        )
    )
    return nodetype


def register_namedtuple_serialization(
    nodetype: type[T], *, serialized_name: str
) -> type[T]:
    """Allows tuples of a class made by `collections.namedtuple` in exported programs.

    Args:
        nodetype: the class.
        serialized_name: what exported programs call it; it must not change.

    Returns:
        `nodetype`.

    Raises:
        ValueError: the class is no namedtuple, or the class or the name is registered
            already.
    """
    if not _is_namedtuple(nodetype):
        raise errors.value_error(
            "This is no class of named tuples.",
            [("class", f"{nodetype}")],
            ways="Use jax.export.register_pytree_node_serialization for others.",
        )
    fields = list(nodetype._fields)  # type: ignore[attr-defined]

    def read_data(data):
        try:
            written = json.loads(data)
        except ValueError:
            written = data
        if written != fields:
            raise errors.value_error(
                f"The named tuple {serialized_name!r} has other fields now.",
                [("written", repr(written)), ("known", repr(fields))],
                "Arguments and results are told apart by these names.",
            )
        return nodetype

    _register(
        _Custom(
            nodetype,
            serialized_name,
            lambda data: json.dumps(fields).encode(),
            read_data,
            lambda data, children: nodetype(*children),
        )
    )
    return nodetype


def _write_keys(keys):
    if not all(isinstance(key, str) for key in keys):
        raise errors.type_error(
            "An OrderedDict in an exported program has a key that is no string.",
            [("keys", repr(tuple(keys)))],
            ways="Use strings as keys.",
        )
    return json.dumps(list(keys)).encode()


_register(
    _Custom(
        collections.OrderedDict,
        "collections.OrderedDict",
        _write_keys,
        lambda data: tuple(json.loads(data)),
        None,
    )
)


def _is_namedtuple(cls):
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def write(treedef: Any, depth: int = _DEPTH) -> dict[int, Any]:
    """The table of a structure.

    Raises:
        ValueError: it has nodes of a class that is not registered, or is too deep.
        TypeError: a dictionary has keys that are no strings.
    """
    if not depth:
        raise ValueError(f"Trees deeper than {_DEPTH} cannot be exported.")
    node = treedef.node_data()
    children = [write(child, depth - 1) for child in treedef.children()]
    if node is None:
        return {_KIND: ft.Number("b", _LEAF)}
    cls, data = node
    fields: dict[int, Any] = {_CHILDREN: children}
    if cls in _KIND_OF:
        return fields | {_KIND: ft.Number("b", _KIND_OF[cls])}
    if cls is dict:
        for key in data:
            if not isinstance(key, str):
                raise errors.type_error(
                    "A dictionary in an exported program has a key that is no string.",
                    [("key", repr(key)), ("type", type(key).__name__)],
                    ways="Use strings as keys.",
                )
        return fields | {_KIND: ft.Number("b", _DICT), _NAMES: list(data)}
    custom = _by_type.get(cls)
    if custom is None:
        raise errors.value_error(
            "Cannot serialize a tree with nodes of an unregistered class.",
            [("class", f"{cls}")],
            ways="Use jax.export.register_pytree_node_serialization or\n"
            "jax.export.register_namedtuple_serialization.",
        )
    written = custom.write_data(data)
    if not isinstance(written, bytes | bytearray):
        raise errors.type_error(
            "serialize_auxdata must return bytes.",
            [("class", f"{cls}"), ("returned", type(written).__name__)],
        )
    return fields | {
        _KIND: ft.Number("b", _CUSTOM),
        _CUSTOM_NAME: custom.name,
        _CUSTOM_DATA: bytes(written),
    }


def read(table: ft.Table | None, depth: int = _DEPTH) -> Any:
    """The structure that a table holds.

    Raises:
        ValueError: the table is damaged, or has a class that is not registered here.
    """
    if table is None:
        raise ft.damaged("a tree is missing")
    if not depth:
        raise ft.damaged(f"a tree is deeper than {_DEPTH}")
    kind = table.number(_KIND, "b")
    children = [read(child, depth - 1) for child in table.tables(_CHILDREN)]
    if (kind in (_LEAF, _NONE)) and children:
        raise ft.damaged("a leaf of a tree has children")
    if kind == _LEAF:
        return tree.tree_structure(0)
    if kind in _TYPE_OF:
        return _node((_TYPE_OF[kind], None), children)
    if kind == _DICT:
        names = table.texts(_NAMES)
        if len(set(names)) != len(children) or len(names) != len(children):
            raise ft.damaged("the keys of a dictionary do not fit its values")
        if names != sorted(names):
            raise ft.damaged("the keys of a dictionary are not sorted")
        return _node((dict, names), children)
    if kind != _CUSTOM:
        raise ft.damaged(f"a tree has a node of kind {kind}")
    return _read_custom(table, children)


def _read_custom(table, children):
    name = table.text(_CUSTOM_NAME)
    custom = _by_name.get(name)
    if custom is None:
        raise errors.value_error(
            f"Cannot deserialize a tree with nodes {name!r}: the name is not "
            "registered.",
            [("known", ", ".join(map(repr, _by_name)) or "none")],
            ways="Register the class as where the program was exported, with\n"
            "jax.export.register_pytree_node_serialization or\n"
            "jax.export.register_namedtuple_serialization.",
        )
    try:
        data = custom.read_data(table.data(_CUSTOM_DATA))
        if custom.build is None:
            return _node((custom.nodetype, data), children)
        # The class builds the node; its structure is that of the result.
        parts = [child.unflatten(list(range(child.num_leaves))) for child in children]
        return tree.tree_structure(custom.build(data, parts))
    except ValueError:
        raise
    except Exception as error:
        raise ft.damaged(f"a node {name!r} cannot be built: {error}") from error


def _node(data, children):
    return tree.PyTreeDef.from_node_data_and_children(
        tree.default_registry, data, children
    )


traceback_filter.hide_frames(globals())
