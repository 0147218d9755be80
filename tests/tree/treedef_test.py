"""Structures: equality, composition, prefixes, walks, serialization."""

import copy
import gc
import pickle
import weakref

import pytest

from jax import tree, tree_util
from tests.tree.nodes import Keyed, Layer, Pair, Point, Setting, SubPoint

S = tree.structure
VALUE = {"a": 1, "b": Point(2, [3]), "c": Pair(4, None), "d": Layer(5, (6,))}


def test_equality_looks_at_types_keys_and_data_but_not_at_leaves():
    assert S([1, {"a": 2}]) == S([3, {"a": 4}])
    assert S([1]) != S((1,))
    assert S({"a": 1}) != S({"b": 1})
    assert S(Point(1, 2)) != S(SubPoint(1, 2))
    assert S(Setting(1)) != S(Setting(2))
    assert S([1]) != 5


def test_equal_structures_have_equal_hashes_even_with_unhashable_data():
    cls = type("Listed", (), {})
    tree_util.register_pytree_node(cls, lambda _: ((1,), [1]), lambda d, c: None)
    assert S(cls()) == S(cls())
    assert hash(S(cls())) == hash(S(cls()))
    assert hash(S(VALUE)) == hash(S(VALUE))


def test_an_error_while_comparing_data_is_passed_on():
    class Angry:
        def __eq__(self, other):
            raise RuntimeError("no comparing")

        __hash__ = None

    cls = type("Sore", (), {})
    tree_util.register_pytree_node(cls, lambda _: ((), Angry()), lambda d, c: None)
    with pytest.raises(RuntimeError, match="no comparing"):
        S(cls()) == S(cls())  # noqa: B015


def test_compose_puts_a_structure_at_each_leaf():
    assert S([1, 2]).compose(S((1, 2))) == S([(1, 2), (3, 4)])
    assert S([1, 2]).compose(S(None)) == S([None, None])


def test_children_and_node_data_rebuild_a_structure():
    for value in [VALUE, [1, (2,)], Point(1, 2), None, 1, Setting(2), Keyed(1, 2)]:
        treedef = S(value)
        rebuilt = tree_util.PyTreeDef.from_node_data_and_children(
            tree_util.default_registry, treedef.node_data(), treedef.children()
        )
        assert rebuilt == treedef
    assert S(VALUE).node_data() == (dict, ["a", "b", "c", "d"])
    assert S(1).node_data() is None
    assert tree_util.treedef_children(S([1, (2,)])) == [S(1), S((2,))]
    assert tree_util.treedef_tuple([S(1), S([1])]) == S((1, [1]))


@pytest.mark.parametrize(
    "data, count", [((dict, ["a", "b"]), 1), ((type(None), None), 1), ((int, None), 0)]
)
def test_node_data_that_does_not_fit_is_refused(data, count):
    with pytest.raises(ValueError):
        tree_util.PyTreeDef.from_node_data_and_children(
            tree_util.default_registry, data, [S(1)] * count
        )


def test_walk_folds_from_the_bottom_up():
    found = S([1, (2, None)]).walk(lambda n, d: (n, d), lambda x: -x, [1, 2])
    assert found == ((-1, ((-2, ((), None)), None)), None)
    found = S({"a": 0, "b": Layer(0, 0)}).walk(lambda n, d: (n, d), None, [1, 2, 3])
    assert found == ((1, ((2, 3), ("layer",))), ["a", "b"])
    with pytest.raises(ValueError, match="Too few"):
        S([1, 2]).walk(lambda n, d: n, None, [1])


def test_from_iterable_tree_takes_any_nest_of_the_same_shape():
    treedef = S({"a": 1, "b": (1, 2)})
    assert treedef.from_iterable_tree([1, [2, 3]]) == {"a": 1, "b": (2, 3)}
    with pytest.raises(ValueError, match="Arity mismatch"):
        treedef.from_iterable_tree([1])


def test_flatten_up_to_returns_subtrees():
    assert S({"a": 1, "b": [2]}).flatten_up_to({"a": (1, 2), "b": [None]}) == [
        (1, 2),
        None,
    ]
    assert S(VALUE).flatten_up_to(VALUE) == tree.leaves(VALUE)


@pytest.mark.parametrize(
    "prefix, full, message",
    [
        ([1, 2], (1, 2), r"Expected list, got \(1, 2\)"),
        ([1, 2], [1], "Arity mismatch"),
        (None, 1, "Expected None, got 1"),
        ({"a": 1}, {"b": 1}, r"expected keys: \['a'\]; present keys: \['b'\]"),
        (Point(1, 2), (1, 2), "named tuple"),
        (Point(1, 2), SubPoint(1, 2), "SubPoint"),
        (Pair(1, 2), Keyed(1, 2), "Pair"),
        (Layer(1, 2), Layer(1, 2, "z"), "Mismatch.*'layer'.*'z'"),
        (Setting(1), Setting(2), "Mismatch"),
        (1.0, None, None),
    ],
)
def test_flatten_up_to_says_what_does_not_fit(prefix, full, message):
    if message is None:
        assert S(prefix).flatten_up_to(full) == [full]
        return
    with pytest.raises(ValueError, match=message):
        S(prefix).flatten_up_to(full)


def test_the_protocol_buffer_form_is_stable():
    treedef = S({"b": 1, "a": (2, None)})
    data = treedef.serialize_using_proto()
    assert data == (
        b"\n\x02\x10\x01\n\x02\x10\x03\n\x04\x08\x02\x10\x04\n\x02\x10\x01"
        b"\n\n\x08\x02\x10\x05\x1a\x04\n\x02\x00\x01\x12\x01a\x12\x01b"
    )
    read = tree_util.PyTreeDef.deserialize_using_proto
    assert read(tree_util.default_registry, data) == treedef
    for broken in (b"", data[:3], data[:-1], data[:8], data + b"\x00", b"\n\x7f"):
        with pytest.raises(ValueError, match="do not describe"):
            read(tree_util.default_registry, broken)
    with pytest.raises(ValueError, match="User-defined"):
        S(Pair(1, 2)).serialize_using_proto()
    with pytest.raises(ValueError, match="string keys"):
        S({1: 2}).serialize_using_proto()


def test_structures_can_be_copied_and_pickled():
    treedef = S(VALUE)
    assert pickle.loads(pickle.dumps(treedef)) == treedef
    assert copy.deepcopy(treedef) == treedef
    registry = tree_util.default_registry
    assert pickle.loads(pickle.dumps(registry)) is registry
    with pytest.raises(TypeError, match="by name"):
        pickle.dumps(type(registry)())


def test_structures_cannot_be_made_from_nothing():
    with pytest.raises(TypeError):
        tree_util.PyTreeDef()


def test_a_cycle_through_a_structure_is_collected():
    class Holder:
        __hash__ = object.__hash__

    cls = type("Cyclic", (), {})
    holder = Holder()
    tree_util.register_pytree_node(cls, lambda x: ((), x.holder), lambda d, c: None)
    node = cls()
    node.holder = holder
    holder.treedef = S(node)
    gone = weakref.ref(holder)
    del node, holder
    gc.collect()
    assert gone() is None
