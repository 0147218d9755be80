"""Scans by an associative function, beside a loop over the elements."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax


def _running(join, x, axis):
    """Running results along an axis, one element after the other."""
    parts = [np.take(x, [i], axis) for i in range(x.shape[axis])]
    for i in range(1, len(parts)):
        parts[i] = join(parts[i - 1], parts[i])
    return np.concatenate(parts, axis) if parts else x


SHAPES = [(0,), (1,), (2,), (3,), (6,), (33,), (3, 0, 2), (2, 5, 1)]
TYPES = [np.int8, np.float32, np.complex64, np.bool_]


def _agrees(x, axis, reverse):
    joins = (np.logical_or, jnp.logical_or) if x.dtype == bool else (np.add, jnp.add)
    scan = jax.jit(lambda x: lax.associative_scan(joins[1], x, reverse, axis))
    expected = _running(joins[0], np.flip(x, axis) if reverse else x, axis)
    expected = np.flip(expected, axis) if reverse else expected
    found = scan(x)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_results_are_those_of_a_loop_along_every_axis(shape):
    x = np.random.default_rng(0).integers(-9, 9, shape).astype(np.int32)
    for axis in range(len(shape)):
        _agrees(x, axis, reverse=False)
        _agrees(x, axis - len(shape), reverse=True)


@pytest.mark.parametrize("dtype", TYPES)
def test_results_have_the_type_of_the_elements(dtype):
    x = np.random.default_rng(0).integers(-9, 9, (2, 9)).astype(dtype)
    _agrees(x, 1, reverse=False)


@pytest.mark.parametrize("size", [1, 2, 5, 6, 33])
def test_functions_that_do_not_commute_join_in_order(size):
    def join(a, b):
        return a[0] * b[0] % 101, (a[1] * b[0] + b[1]) % 101

    rng = np.random.default_rng(1)
    x, y = rng.integers(1, 50, (2, size))
    found = lax.associative_scan(join, (jnp.asarray(x), jnp.asarray(y)))
    state, expected = (1, 0), []
    for a, b in zip(x, y, strict=True):
        state = (state[0] * a % 101, (state[1] * a + b) % 101)
        expected.append(state)
    np.testing.assert_array_equal(np.stack(found, 1), expected)


def test_signs_of_zeros_are_kept():
    x = np.float32([-0.0, -0.0, -0.0, -0.0, -0.0])
    found = lax.associative_scan(jnp.add, x)
    np.testing.assert_array_equal(np.signbit(found), np.ones(5, bool))


@pytest.mark.parametrize("size", [2, 3, 10, 17])
def test_gradients_are_those_of_a_cumulative_product(size):
    x = np.linspace(0.5, 1.5, size).astype(np.float32)
    weights = np.arange(1.0, size + 1, dtype=np.float32)
    found = jax.grad(lambda x: weights @ lax.associative_scan(jnp.multiply, x))(x)
    expected = jax.grad(lambda x: weights @ jnp.cumprod(x))(x)
    np.testing.assert_allclose(found, expected, rtol=2e-5)


def test_elements_are_not_chosen_by_the_remainder_of_their_index():
    text = str(jax.make_jaxpr(lambda x: lax.associative_scan(jnp.add, x))(jnp.ones(9)))
    assert "concatenate" in text
    assert "pad[" not in text
