"""What is a node, in which order leaves come, and how trees are rebuilt."""

import collections
import functools
import pickle

import pytest

from jax import tree, tree_util
from tests.tree.nodes import Keyed, Layer, Pair, Point, Setting, SubPoint

OD = collections.OrderedDict
DD = collections.defaultdict


class DictSubclass(dict):
    pass


class ListSubclass(list):
    pass


# tree, its leaves, its structure as text, (number of leaves, number of nodes)
CASES = [
    (None, [], "None", (0, 1)),
    (1, [1], "*", (1, 1)),
    ((), [], "()", (0, 1)),
    ((1,), [1], "(*,)", (1, 2)),
    ((1, 2), [1, 2], "(*, *)", (2, 3)),
    ([], [], "[]", (0, 1)),
    ([1, None], [1], "[*, None]", (1, 3)),
    ({}, [], "{}", (0, 1)),
    ({"b": 1, "a": (2, 3)}, [2, 3, 1], "{'a': (*, *), 'b': *}", (3, 5)),
    ({2.5: 1, 1: 2}, [2, 1], "{1: *, 2.5: *}", (2, 3)),
    ({True: 1, 0: 2}, [2, 1], "{0: *, True: *}", (2, 3)),
    (Point(1, [2]), [1, 2], "CustomNode(namedtuple[Point], [*, [*]])", (2, 4)),
    (SubPoint(1, 2), [1, 2], "CustomNode(namedtuple[SubPoint], [*, *])", (2, 3)),
    (
        OD([("b", 1), ("a", 2)]),
        [1, 2],
        "CustomNode(OrderedDict[('b', 'a')], [*, *])",
        (2, 3),
    ),
    (
        DD(list, {"b": 1, "a": 2}),
        [2, 1],
        "CustomNode(defaultdict[(<class 'list'>, ('a', 'b'))], [*, *])",
        (2, 3),
    ),
    (Pair(None, {}), [], "CustomNode(Pair[aux], [None, {}])", (0, 3)),
    (Keyed(1, (2,)), [1, 2], "CustomNode(Keyed[None], [*, (*,)])", (2, 4)),
    (Layer(1, 2), [1, 2], "CustomNode(Layer[('layer',)], [*, *])", (2, 3)),
    (Setting(3), [], "CustomNode(Setting[Setting(value=3)], [])", (0, 1)),
    (DictSubclass(a=1), [{"a": 1}], "*", (1, 1)),
    (ListSubclass([1]), [[1]], "*", (1, 1)),
    (
        tree_util.Partial(print, 1, k=2),
        [1, 2],
        "CustomNode(Partial[<built-in function print>], [(*,), {'k': *}])",
        (2, 5),
    ),
]


@pytest.mark.parametrize("value, leaves, text, counts", CASES)
def test_a_tree_has_these_leaves_and_this_structure(value, leaves, text, counts):
    found, treedef = tree.flatten(value)
    assert found == leaves
    assert repr(treedef) == f"PyTreeDef({text})"
    assert (treedef.num_leaves, treedef.num_nodes) == counts


@pytest.mark.parametrize("value", [case[0] for case in CASES])
def test_unflatten_undoes_flatten(value):
    leaves, treedef = tree.flatten(value)
    rebuilt = tree.unflatten(treedef, iter(leaves))
    assert type(rebuilt) is type(value)
    if not isinstance(value, tree_util.Partial):  # compares by identity
        assert rebuilt == value
    assert tree.structure(rebuilt) == treedef
    assert hash(tree.structure(rebuilt)) == hash(treedef)


@pytest.mark.parametrize("value", [case[0] for case in CASES])
def test_a_structure_survives_pickling(value):
    treedef = tree.structure(value)
    assert pickle.loads(pickle.dumps(treedef)) == treedef


def test_a_dict_with_unsortable_keys_is_refused_with_a_way_out():
    with pytest.raises(ValueError, match="OrderedDict") as caught:
        tree.leaves({1: 2, "a": 3})
    assert "'<' not supported" in str(caught.value)
    assert isinstance(caught.value.__cause__, TypeError)


def test_an_ordered_dict_may_have_unsortable_keys():
    assert tree.leaves(OD([(1, 2), ("a", 3)])) == [2, 3]


def test_is_leaf_stops_the_descent():
    value = [1, None, (2,)]
    assert tree.leaves(value, is_leaf=lambda x: x is None) == [1, None, 2]
    assert tree.leaves(value, is_leaf=lambda x: type(x) is tuple) == [1, (2,)]
    assert tree.leaves(value, is_leaf=lambda x: None) == [1, 2]


def test_is_leaf_must_answer_with_a_boolean():
    with pytest.raises(ValueError, match="non-boolean value 5"):
        tree.leaves([1], is_leaf=lambda x: 5)
    with pytest.raises(ZeroDivisionError):
        tree.leaves([1], is_leaf=lambda x: 1 / 0)
    with pytest.raises(TypeError, match="callable"):
        tree.leaves([1], is_leaf=5)


def test_a_wrong_number_of_leaves_is_refused():
    treedef = tree.structure((1, 2))
    with pytest.raises(ValueError, match="Too few leaves.*expected 2, got 1"):
        treedef.unflatten([1])
    with pytest.raises(ValueError, match="Too many leaves.*expected 2, got 3"):
        treedef.unflatten([1, 2, 3])


def test_flatten_one_level_opens_only_the_outermost_container():
    one = tree_util.flatten_one_level
    assert one({"b": (1, 2), "a": 3}) == ((3, (1, 2)), ("a", "b"))
    assert one([1, [2]]) == ([1, [2]], None)
    assert one(Point(1, 2)) == ([1, 2], Point)
    assert one(None) == ((), None)
    with pytest.raises(ValueError, match="can't tree-flatten type: <class 'int'>"):
        one(1)


def test_map_reduce_all_and_transpose_agree_with_their_definitions():
    value = [1, (2, None), {"a": 3}]
    assert tree.map(lambda x: -x, value) == [-1, (-2, None), {"a": -3}]
    assert tree.map(lambda x, y: (x, y), [1, 2], [(3,), None]) == [(1, (3,)), (2, None)]
    assert tree.reduce(lambda a, b: a + b, value) == 6
    assert tree.reduce(lambda a, b: a + b, [], 5) == 5
    with pytest.raises(TypeError):
        tree.reduce(lambda a, b: a + b, [])
    assert tree.all([]) and tree.all((1, None)) and not tree.all([1, 0])
    outer = tree.structure([0, 0])
    rows = [(1, 2, 3), (4, 5, 6)]
    assert tree.transpose(outer, None, rows) == ([1, 4], [2, 5], [3, 6])
    with pytest.raises(TypeError, match="Mismatch"):
        tree.transpose(outer, tree.structure((0, 0)), rows)


def test_reduce_associative_splits_in_halves():
    join = lambda a, b: f"({a}{b})"
    reduce = functools.partial(tree.reduce_associative, join)
    assert reduce(list("abcdefg")) == "((a(bc))((de)(fg)))"
    assert reduce([], identity="e") == "e"
    with pytest.raises(TypeError, match="identity"):
        reduce([])


def test_all_leaves_and_is_tree_node_ask_for_containers():
    assert tree_util.all_leaves([1, 2])
    assert not tree_util.all_leaves([1, (2,)])
    assert not tree_util.all_leaves([None])
    assert tree_util.is_tree_node(Point) and tree_util.is_tree_node(type(None))
    assert not tree_util.is_tree_node(int) and not tree_util.is_tree_node(ListSubclass)


def test_partial_keeps_a_nested_partial_whole():
    nested = tree_util.Partial(functools.partial(max, 1), 2)
    assert tree.leaves(nested) == [2]
    assert nested(3) == 3
    assert pickle.loads(pickle.dumps(tree_util.Partial(max, 2)))(1) == 2
