"""Shapes whose sizes are traced, and complex fits: what `unravel_index` and `polyfit` take."""

import warnings

import numpy as np
import pytest

import jax
import jax.numpy as jnp


@pytest.mark.parametrize("indices", [5, [0, 5, -1], [[1, 2], [3, 100]]])
@pytest.mark.parametrize("shape", [(2, 3), (6,), (1, 2, 3)])
def test_sizes_of_a_shape_may_be_traced(indices, shape):
    known = jnp.unravel_index(jnp.array(indices), shape)
    traced = jax.jit(jnp.unravel_index)(jnp.array(indices), shape)
    vector = jax.jit(jnp.unravel_index)(jnp.array(indices), jnp.array(shape))
    for a, b, c in zip(known, traced, vector, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)


def test_some_sizes_may_be_traced():
    found = jax.jit(lambda i, n: jnp.unravel_index(i, (n, 3)))(5, 2)
    assert [int(i) for i in found] == [1, 2]


@pytest.mark.parametrize("is_complex", [(True, True), (True, False), (False, True)])
def test_a_complex_fit_does_not_warn(is_complex):
    x, y = (
        np.arange(5.0) * (1 + 1j if one else 1) + i for i, one in enumerate(is_complex)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = jnp.polyfit(jnp.array(x), jnp.array(y), 1)
        rcond = jnp.polyfit(jnp.array(x), jnp.array(y), 1, full=True)[-1]
    np.testing.assert_allclose(found, np.polyfit(x, y, 1), atol=1e-5)
    assert rcond.dtype == jnp.float32
