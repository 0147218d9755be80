"""Chex on our package: assertions on shapes, types and traces; dataclasses; variants."""

import chex
import numpy as np
import pytest

import jax
import jax.numpy as jnp


def test_assertions_about_arrays():
    x = jnp.ones((2, 3))
    chex.assert_shape(x, (2, None))
    chex.assert_rank([x, x[0]], [2, 1])
    chex.assert_type(x, jnp.float32)
    chex.assert_equal_shape([x, x + 1])
    chex.assert_tree_all_finite({"a": x})
    chex.assert_trees_all_close({"a": x}, {"a": x + 1e-9})
    for wrong in (
        lambda: chex.assert_shape(x, (3, 2)),
        lambda: chex.assert_type(x, jnp.int32),
        lambda: chex.assert_tree_all_finite(x / 0),
    ):
        with pytest.raises(AssertionError):
            wrong()


def test_traces_are_counted():
    @jax.jit
    @chex.assert_max_traces(n=1)
    def f(x):
        return x + 1

    f(jnp.ones(2))
    f(jnp.ones(2))
    with pytest.raises(AssertionError, match="traced > 1"):
        f(jnp.ones(3))


def test_a_dataclass_is_a_tree():
    @chex.dataclass(frozen=True)
    class State:
        params: chex.Array
        step: int

    state = State(params=jnp.ones(3), step=1)
    moved = jax.jit(lambda s: s.replace(params=s.params * 2))(state)
    np.testing.assert_array_equal(moved.params, 2.0)
    grads = jax.grad(lambda s: (s.params**2).sum(), allow_int=True)(state)
    np.testing.assert_array_equal(grads.params, 2.0)


def test_assertions_on_values_inside_of_jit():
    @chex.chexify
    @jax.jit
    def log(x):
        chex.assert_tree_all_finite(x)
        return jnp.log(x)

    log(jnp.ones(2))
    log.wait_checks()
    with pytest.raises(AssertionError):
        log(jnp.array([jnp.inf, 1.0]))
        log.wait_checks()


class VariantsTest(chex.TestCase):
    @chex.variants(
        with_jit=True, without_jit=True, with_device=True, without_device=True
    )
    def test_all_ways_to_call(self):
        @self.variant
        def f(x, y):
            return x * y

        self.assertEqual(f(2.0, 3.0), 6.0)


def test_fake_jit_runs_python():
    seen = []

    def f(x):
        seen.append(float(x))
        return x

    with chex.fake_jit():
        jax.jit(f)(1.5)
    assert seen == [1.5]
