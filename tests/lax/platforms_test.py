"""`lax.platform_dependent` chooses what belongs to the platform."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax


def choose(x):
    return lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos)


@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_the_function_of_the_platform_runs(outer):
    assert outer(choose)(0.3) == pytest.approx(np.sin(0.3))
    assert outer(jax.grad(choose))(0.3) == pytest.approx(np.cos(0.3))
    rows = outer(jax.vmap(choose))(jnp.array([0.1, 0.2]))
    np.testing.assert_allclose(rows, np.sin([0.1, 0.2]), rtol=1e-6)


def test_the_default_runs_where_nothing_else_does():
    run = jax.jit(lambda x: lax.platform_dependent(x, tpu=jnp.sin, default=jnp.cos))
    assert run(0.3) == pytest.approx(np.cos(0.3))


def test_a_platform_without_a_function_is_refused():
    with pytest.raises(NotImplementedError, match="nothing to run on cpu"):
        jax.jit(lambda x: lax.platform_dependent(x, tpu=jnp.sin, cuda=jnp.cos))(1.0)
