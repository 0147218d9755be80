"""Deep, wide and hostile trees; threads."""

import threading
import time

import hypothesis
import pytest
from hypothesis import strategies as st

from jax import tree, tree_util
from tests.testing import patience
from tests.tree.nodes import Keyed, Layer, Pair, Point

DEPTH = 100_000


def deep_list(depth):
    value = 7
    for _ in range(depth):
        value = [value]
    return value


def test_depth_is_bounded_by_memory_alone():
    value = deep_list(DEPTH)
    leaves, treedef = tree.flatten(value)
    assert leaves == [7] and treedef.num_nodes == DEPTH + 1
    assert tree.flatten(treedef.unflatten([8]))[0] == [8]
    assert treedef == tree.structure(value)
    assert hash(treedef) == hash(tree.structure(value))
    assert repr(treedef) == "PyTreeDef(" + "[" * DEPTH + "*" + "]" * DEPTH + ")"
    assert treedef.flatten_up_to(value) == [7]
    assert treedef.walk(lambda children, _: children[0], None, [5]) == 5
    ((path, leaf),) = tree.leaves_with_path(value)
    assert len(path) == DEPTH and leaf == 7


def test_the_cost_of_many_leaves_is_linear():
    value = {str(i): [i, (i,)] for i in range(50_000)}

    def mapped():
        found = tree.map(lambda x: x, value)
        assert len(tree.leaves_with_path(found)) == 100_000

    seconds = patience.least_seconds(mapped, time.thread_time, repeats=1)
    # It takes 0.1 s. At quadratic cost, 10^10 steps would take far longer than this.
    assert seconds < 4 * patience.slowness()


def test_a_list_that_shrinks_under_the_predicate_is_an_error():
    value = [1, 2, 3]

    def shrink(part):
        if part == 1:
            value.clear()
        return False

    with pytest.raises(RuntimeError, match="shorter"):
        tree.leaves(value, is_leaf=shrink)


def test_a_flatten_function_may_change_its_surroundings():
    cls = type("Meddler", (), {})
    value = {"a": cls(), "b": [1]}

    def flatten(_):
        value.clear()
        return ((1,), None)

    tree_util.register_pytree_node(cls, flatten, lambda d, c: cls())
    assert tree.leaves(value) == [1, 1]


def test_threads_may_share_structures():
    value = {"a": [1, Pair(2, 3)], "b": Layer(4, Point(5, 6))}
    treedef = tree.structure(value)
    wrong = []

    def work():
        for _ in range(300):
            leaves, other = tree.flatten(value)
            if leaves != [1, 2, 3, 4, 5, 6] or other != treedef:
                wrong.append(leaves)
            treedef.unflatten(leaves)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def nests(children):
    return st.one_of(
        st.lists(children, max_size=4),
        st.lists(children, max_size=4).map(tuple),
        st.dictionaries(st.text(max_size=3), children, max_size=4),
        st.builds(Point, children, children),
        st.builds(Pair, children, children),
        st.builds(Keyed, children, children),
        st.builds(Layer, children, children, st.text(max_size=2)),
    )


TREES = st.recursive(st.none() | st.integers() | st.text(max_size=3), nests)


@hypothesis.settings(max_examples=200, deadline=None, derandomize=True, database=None)
@hypothesis.given(TREES)
def test_any_tree_survives_a_round_trip(value):
    leaves, treedef = tree.flatten(value)
    assert treedef.unflatten(leaves) == value
    assert treedef.flatten_up_to(value) == leaves
    assert [leaf for _, leaf in tree.leaves_with_path(value)] == leaves
    assert len({path for path, _ in tree.leaves_with_path(value)}) == len(leaves)
    rebuilt = tree_util.PyTreeDef.from_node_data_and_children(
        tree_util.default_registry, treedef.node_data(), treedef.children()
    )
    assert rebuilt == treedef and hash(rebuilt) == hash(treedef)
    assert treedef.num_leaves == len(leaves)
