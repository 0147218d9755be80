"""Key paths."""

import pickle
from typing import NamedTuple

import numpy as np
import pytest

from jax import tree, tree_util
from jax._src import tree as trees
from jax.tree_util import DictKey, FlattenedIndexKey, GetAttrKey, SequenceKey, keystr
from tests.tree.nodes import Keyed, Layer, Pair, Point

VALUE = {
    "a": [1, (2,)],
    "b": Point(3, {4: 5}),
    "c": Pair(6, 7),
    "d": Keyed(8, None),
    "e": Layer(9, [10]),
}
PATHS = [
    "['a'][0]",
    "['a'][1][0]",
    "['b'].x",
    "['b'].y[4]",
    "['c'][<flat index 0>]",
    "['c'][<flat index 1>]",
    "['d'].a",
    "['e'].weight",
    "['e'].bias[0]",
]


def test_each_leaf_has_its_path():
    pairs, treedef = tree.flatten_with_path(VALUE)
    assert [keystr(path) for path, _ in pairs] == PATHS
    assert [leaf for _, leaf in pairs] == tree.leaves(VALUE)
    assert treedef == tree.structure(VALUE)
    assert tree.leaves_with_path(7) == [((), 7)]


def test_keys_print_compare_hash_pickle_and_match():
    keys = [SequenceKey(1), DictKey("a"), GetAttrKey("b"), FlattenedIndexKey(3)]
    assert list(map(str, keys)) == ["[1]", "['a']", ".b", "[<flat index 3>]"]
    assert repr(keys) == (
        "[SequenceKey(idx=1), DictKey(key='a'), GetAttrKey(name='b'), "
        "FlattenedIndexKey(key=3)]"
    )
    assert pickle.loads(pickle.dumps(keys)) == keys
    assert len({*keys, *keys}) == 4
    assert SequenceKey(1) != FlattenedIndexKey(1)
    match keys[1]:
        case DictKey(key):
            assert key == "a"


def test_keys_check_their_types():
    with pytest.raises(TypeError, match="idx must be an int"):
        SequenceKey("a")
    with pytest.raises(TypeError, match="name must be a str"):
        GetAttrKey(1)


def test_keystr_can_be_simple_and_separated():
    path = (SequenceKey(1), DictKey("a"), GetAttrKey("b"), FlattenedIndexKey(3), "own")
    assert keystr(path, simple=True, separator="/") == "1/a/b/3/own"
    assert keystr(path, separator="/") == "[1]/['a']/.b/[<flat index 3>]/own"
    assert keystr(()) == ""


def test_map_with_path_passes_the_path_first():
    found = tree.map_with_path(
        lambda p, x, y: (keystr(p), x, y), {"a": [1]}, {"a": [2]}
    )
    assert found == {"a": [("['a'][0]", 1, 2)]}


def test_is_leaf_may_take_the_path():
    stop = lambda path, _: keystr(path) == "['a']"
    found = tree.leaves_with_path(VALUE, is_leaf=stop, is_leaf_takes_path=True)
    assert found[0] == ((DictKey("a"),), VALUE["a"])
    found = tree.leaves_with_path(VALUE, is_leaf=lambda x: isinstance(x, list))
    assert [keystr(path) for path, _ in found][0] == "['a']"


def test_one_level_with_keys_names_the_fields_of_a_named_tuple():
    pairs, data = tree_util.flatten_one_level_with_keys(Point(1, 2))
    assert pairs == [(GetAttrKey("x"), 1), (GetAttrKey("y"), 2)]
    assert data is Point


class Matrix:
    """A node that holds a matrix, and refuses anything else."""

    def __init__(self, values):
        if np.shape(values) != (2, 2):
            raise ValueError("no matrix")
        self.values = values


tree_util.register_pytree_node(
    Matrix, lambda m: ((m.values,), None), lambda _, children: Matrix(*children)
)


def test_paths_of_a_structure_are_those_of_a_tree_seen_before():
    tree.leaves_with_path(VALUE)
    paths = trees.treedef_paths(tree.structure(VALUE))
    assert [keystr(path) for path in paths] == PATHS


class Seen:
    """A node that writes down what it is made of."""

    made = []  # noqa: RUF012

    def __init__(self, value):
        self.made.append(value)
        self.value = value


tree_util.register_pytree_with_keys(
    Seen,
    lambda x: (((GetAttrKey("value"), x.value),), None),
    lambda _, children: Seen(*children),
)


def test_no_object_is_made_to_learn_the_paths_of_a_structure():
    structure = tree.structure([Seen(1.0)])
    Seen.made.clear()
    (path,) = trees.treedef_paths(structure)
    assert keystr(path) in ("[0][<flat index 0>]", "[0].value")
    tree.leaves_with_path([Seen(2.0)])
    assert [keystr(p) for p in trees.treedef_paths(structure)] == ["[0].value"]
    assert Seen.made == [2.0]


def test_parts_of_a_node_that_refuses_numbers_are_counted():
    matrix = Matrix(np.eye(2))
    structure = tree.structure({"a": Point(matrix, 1), "b": [matrix]})
    named = [keystr(path) for path in trees.treedef_paths(structure)]
    assert named == [
        "['a'].x[<flat index 0>]",
        "['a'].y",
        "['b'][0][<flat index 0>]",
    ]


class Folded(NamedTuple):
    """A named tuple that is registered with other children than its fields."""

    first: object
    second: object
    third: object


tree_util.register_pytree_node(
    Folded,
    lambda x: ((x.first,), (x.second, x.third)),
    lambda data, children: Folded(children[0], *data),
)


def test_a_registered_named_tuple_has_keys_for_its_children_alone():
    structure = tree_util.tree_structure(Folded([1, 2], "a", "b"))
    paths = [keystr(path) for path in trees.treedef_paths(structure)]
    found = tree_util.tree_flatten_with_path(Folded([1, 2], "a", "b"))[0]
    assert paths == [keystr(path) for path, _ in found]
