"""Registering node types: what is accepted, and what is explained."""

import collections
import dataclasses

import pytest

from jax import tree, tree_util
from jax._src import tree_util as internal
from tests.tree.nodes import Layer, Pair


def make(name, *fields):
    return dataclasses.make_dataclass(name, fields)


def test_a_type_is_registered_once():
    with pytest.raises(ValueError, match="Duplicate custom PyTreeDef type"):
        tree_util.register_pytree_node(Pair, lambda p: ((), None), lambda d, c: None)
    with pytest.raises(ValueError, match="Duplicate custom PyTreeDef type"):
        tree_util.register_pytree_node(list, lambda p: ((), None), lambda d, c: None)
    with pytest.raises(ValueError, match="Duplicate custom dataclass"):
        tree_util.register_dataclass(Layer)


def test_only_classes_and_functions_are_accepted():
    with pytest.raises(TypeError, match="a class is registered, got 3"):
        tree_util.register_pytree_node(3, print, print)
    with pytest.raises(TypeError, match="to_iterable must be callable"):
        tree_util.register_pytree_node(type("New", (), {}), 1, print)


def register(flatten):
    cls = type("Broken", (), {})
    tree_util.register_pytree_node(cls, flatten, lambda data, children: children)
    return cls()


@pytest.mark.parametrize("result", [5, (1, 2, 3), (5, None)])
def test_a_flatten_function_must_return_children_and_data(result):
    with pytest.raises(ValueError, match="children"):
        tree.leaves(register(lambda _: result))


def test_children_may_be_any_iterable_and_come_back_as_a_tuple():
    node = register(lambda _: ((i for i in range(3)), "data"))
    leaves, treedef = tree.flatten(node)
    assert leaves == [0, 1, 2]
    assert treedef.unflatten(leaves) == (0, 1, 2)


def test_an_error_in_a_flatten_function_is_passed_on():
    with pytest.raises(ZeroDivisionError):
        tree.leaves(register(lambda _: 1 / 0))


def test_children_with_keys_must_be_pairs():
    cls = type("BadKeys", (), {})
    flatten = lambda _: ([1, 2], None)
    tree_util.register_pytree_with_keys(cls, flatten, lambda d, c: c, flatten)
    assert tree.leaves(cls()) == [1, 2]
    with pytest.raises(ValueError, match="pair"):
        tree.leaves_with_path(cls())


def test_static_fields_are_structure():
    assert tree.leaves(Layer(1, 2, "a")) == [1, 2]
    assert tree.structure(Layer(1, 2, "a")) != tree.structure(Layer(1, 2, "b"))
    assert tree.map(lambda x: x + 1, Layer(1, 2, "a")) == Layer(2, 3, "a")


def test_dropped_fields_get_their_default_back():
    cls = dataclasses.make_dataclass("Cached", ["x", ("cache", int, 0)])
    tree_util.register_dataclass(cls, ["x"], [], drop_fields=["cache"])
    assert tree.map(lambda x: x + 1, cls(1, cache=5)) == cls(2, cache=0)


def test_post_init_runs_when_a_dataclass_is_rebuilt():
    seen = []

    @tree_util.register_dataclass
    @dataclasses.dataclass
    class Watched:
        x: int

        def __post_init__(self):
            seen.append(self.x)

    tree.map(lambda x: x + 1, Watched(1))
    assert seen == [1, 2]


@pytest.mark.parametrize(
    "data, meta, error, message",
    [
        (["x"], ["x", "y"], ValueError, "must not overlap"),
        (["x"], [], ValueError, "Missing fields: {'y'}"),
        (["x", "y", "z"], [], ValueError, "Unexpected fields: {'z'}"),
        (["x"], None, TypeError, "must both be specified"),
    ],
)
def test_the_fields_of_a_dataclass_must_be_covered(data, meta, error, message):
    with pytest.raises(error, match=message):
        tree_util.register_dataclass(make("Two", "x", "y"), data, meta)


def test_a_class_that_is_no_dataclass_needs_its_fields_named():
    with pytest.raises(TypeError, match="not a dataclass"):
        tree_util.register_dataclass(type("Plain", (), {}))


def test_private_registries_have_their_own_nodes():
    registry = type(tree_util.default_registry)(enable_none=False, enable_list=False)
    leaves, treedef = registry.flatten((None, [1], (2,)))
    assert leaves == [None, [1], 2]
    assert treedef == tree.structure((0, 0, (0,)))
    registry.register_node(float, lambda x: ((1, 2), x), lambda x, _: x)
    assert registry.flatten(0.5)[0] == [1, 2]
    assert tree.leaves(0.5) == [0.5]


@pytest.mark.parametrize(
    "value",
    [
        (1, 2),
        [1, 2],
        {"b": 1, "a": 2},
        collections.OrderedDict(b=1, a=2),
        collections.defaultdict(list, b=1, a=2),
        None,
    ],
    ids=lambda value: type(value).__name__,
)
def test_libraries_find_nodes_of_python_beside_those_of_programs(value):
    entry = internal._registry[type(value)]
    children, data = entry.to_iter(value)
    assert list(children) == tree_util.tree_leaves(value)
    rebuilt = entry.from_iter(data, children)
    assert rebuilt == value and type(rebuilt) is type(value)
