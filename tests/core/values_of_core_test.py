"""Objects of the core as Python values: true, copied, pickled, equal."""

import copy
import gc
import pickle

import pytest

import jax
from jax import lax

POLICIES = [
    (
        lambda p: p.save_only_these_names("a", "b"),
        lambda p: p.save_only_these_names("a"),
    ),
    (
        lambda p: p.save_any_names_but_these("a"),
        lambda p: p.save_anything_except_these_names("a"),
    ),
    (
        lambda p: p.save_from_both_policies(p.dots_saveable, p.everything_saveable),
        lambda p: p.save_from_both_policies(p.dots_saveable, p.nothing_saveable),
    ),
    (
        lambda p: p.offload_dot_with_no_batch_dims("device", "pinned_host"),
        lambda p: p.offload_dot_with_no_batch_dims("pinned_host", "device"),
    ),
]


@pytest.mark.parametrize("value", [1.0, jax.numpy.ones((0, 3)), jax.random.key(0)])
def test_a_type_is_true_whatever_its_shape(value):
    assert bool(jax.typeof(value)) is True


@pytest.mark.parametrize(("make", "make_other"), POLICIES)
def test_policies_are_equal_by_what_they_say(make, make_other):
    policy = make(jax.checkpoint_policies)
    assert policy == make(jax.checkpoint_policies)
    assert hash(policy) == hash(make(jax.checkpoint_policies))
    assert policy != make_other(jax.checkpoint_policies)
    assert pickle.loads(pickle.dumps(policy)) == policy


def test_a_dimension_is_copied_as_itself_and_pickled_with_its_scope():
    a, b = jax.export.symbolic_shape("a, 2*b + 1", constraints=["a >= 3", "b <= 8"])
    assert copy.copy(b) is b and copy.deepcopy([b])[0] is b
    c, d = pickle.loads(pickle.dumps((a, b)))
    assert (str(c), str(d)) == ("a", "2*b + 1")
    assert c.scope is d.scope
    assert c >= 3 and d <= 17
    struct = copy.deepcopy(jax.ShapeDtypeStruct((a, 2), "float32"))
    assert struct.shape == (a, 2)


def test_a_copy_of_the_options_is_the_options():
    assert copy.copy(jax.config) is jax.config


def test_texts_of_generators_are_their_names():
    assert str(lax.RandomAlgorithm.RNG_PHILOX) == "RNG_PHILOX"


def test_a_function_that_shows_programs_is_named_so():
    shown = jax.make_jaxpr(jax.numpy.sin)
    assert shown.__name__ == shown.__qualname__ == "make_jaxpr(sin)"


def test_texts_of_programs_leave_the_collector_as_it_was():
    program = jax.make_jaxpr(jax.numpy.sin)(1.0)
    compiled = jax.jit(jax.numpy.sin).lower(1.0).compile()
    for wanted in (True, False):
        (gc.enable if wanted else gc.disable)()
        try:
            assert "sin" in str(program) and compiled.as_text()
            assert gc.isenabled() == wanted
        finally:
            gc.enable()
