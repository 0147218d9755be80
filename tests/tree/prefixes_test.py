"""Prefixes, and how a structure that does not fit is explained."""

import pytest

from jax import tree
from jax._src import tree_util
from tests.tree.nodes import Keyed, Layer, Pair, Setting

S = tree.structure


def test_broadcast_repeats_the_leaves_of_the_prefix():
    assert tree_util.broadcast_prefix([1, 2], [(1, 2), {"a": 3}]) == [1, 1, 2]
    assert tree.broadcast([1, 2], [(1, 2), {"a": 3}]) == [(1, 1), {"a": 2}]
    assert tree.broadcast(1, [(1, 2)]) == [(1, 1)]
    assert tree.broadcast([1, None], [(1, 2), None]) == [(1, 1), None]
    is_none = lambda x: x is None
    assert tree.broadcast([None, 1], [(1, 2), 3], is_leaf=is_none) == [(None, None), 1]
    assert tree_util.broadcast_flattened_prefix_with_treedef(
        [1, 2], S([0, 0]), S([(1, 2), {"a": 3}])
    ) == [1, 1, 2]


# prefix, full tree, the path, the kind of error
ERRORS = [
    ([1, 2], [1], "", "different lengths of list"),
    ([1, 2], (1, 2), "", "different types"),
    ({"a": 1}, {"b": 1}, "", "different pytree metadata"),
    ({"a": 1}, {"a": 1, "b": 2}, "", "different numbers of pytree children"),
    ({"a": [1, 2], "c": 3}, {"a": [1], "c": (1, 2)}, "['a']", "different lengths"),
    (Pair(1, [2]), Pair(1, (2,)), "[<flat index 1>]", "different types"),
    (Keyed(1, [2]), Keyed(1, (2,)), ".b", "different types"),
    (None, 1, "", "different types"),
    (Layer(1, 2), Layer(1, 2, "z"), "", "different pytree metadata"),
    (Setting(1), Setting(2), "", "different pytree metadata"),
    ([1, [2, [3]]], [1, [2, (3,)]], "[1][1]", "different types"),
]


@pytest.mark.parametrize("prefix, full, path, headline", ERRORS)
def test_a_tree_that_is_no_prefix_is_explained(prefix, full, path, headline):
    (error,) = tree_util.prefix_errors(prefix, full)
    message = str(error("in_axes"))
    assert message.startswith(f"pytree structure error: {headline}")
    assert f"at key path\n    in_axes{path}\n" in message
    with pytest.raises(ValueError, match=f"pytree structure error: {headline}"):
        tree.map(lambda x, y: x, prefix, full)


def test_a_prefix_has_no_errors():
    assert tree_util.prefix_errors([1, None], [(1, 2), None]) == []


def test_differences_in_structure_are_listed():
    (found,) = tree_util.equality_errors([1, (2,)], [1, [2]])
    path, first, second, explanation = found
    assert path == (tree_util.SequenceKey(1),)
    assert (first, second) == ("<class 'tuple'>", "<class 'list'>")
    assert explanation == "their Python types differ"
    assert list(tree_util.equality_errors([1], [2])) == []
    assert [e[0] for e in tree_util.equality_errors([(1,)], [1])] == [
        path[:0] + (tree_util.SequenceKey(0),)
    ]
    (found,) = tree_util.equality_errors_pytreedef(S([1]), S((1,)))
    assert found[1:3] == ("<class 'list'>", "<class 'tuple'>")


def test_leaves_checked_insists_on_the_structure():
    assert tree_util.tree_leaves_checked(S([1]), [2]) == [2]
    with pytest.raises(AssertionError):
        tree_util.tree_leaves_checked(S([1]), [2, 3])
