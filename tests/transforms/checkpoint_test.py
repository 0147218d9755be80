"""`checkpoint`: the same values, fewer of them kept."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.ad_checkpoint import checkpoint_name


def chain(x):
    return jnp.sin(checkpoint_name(jnp.sin(jnp.sin(x)), "middle"))


def slope(x):
    a, b = np.sin(x), np.sin(np.sin(x))
    return np.cos(b) * np.cos(a) * np.cos(x)


POLICIES = {
    "nothing": None,
    "everything": jax.checkpoint_policies.everything_saveable,
    "names": jax.checkpoint_policies.save_only_these_names("middle"),
    "dots": jax.checkpoint_policies.dots_saveable,
}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_gradients_do_not_change(policy, outer):
    fun = outer(jax.checkpoint(chain, policy=policy))
    assert jax.grad(fun)(0.7) == pytest.approx(slope(0.7), rel=1e-5)
    second = jax.grad(jax.grad(fun))(0.7)
    assert second == pytest.approx(jax.grad(jax.grad(chain))(0.7), rel=1e-4)


def residual_count(fun):
    _, back = jax.vjp(fun, jnp.full(3, 0.7))
    return len(jax.tree.leaves(back))


def test_only_the_argument_is_kept():
    assert residual_count(jax.checkpoint(chain)) == 1
    assert residual_count(chain) == 3


def test_a_policy_keeps_named_values():
    policy = jax.checkpoint_policies.save_only_these_names("middle")
    assert residual_count(jax.checkpoint(chain, policy=policy)) == 2


def test_checkpointed_functions_vectorise():
    x = jnp.arange(4) / 4.0
    out = jax.vmap(jax.grad(jax.checkpoint(chain)))(x)
    np.testing.assert_allclose(out, slope(np.asarray(x)), rtol=1e-5)


def test_static_arguments_are_python_values():
    fun = jax.checkpoint(lambda x, n: x**n, static_argnums=1)
    assert jax.grad(fun)(2.0, 3) == pytest.approx(12.0)


def test_the_second_computation_stands_behind_a_barrier():
    text = jax.jit(jax.grad(jax.checkpoint(chain))).lower(1.0).as_text()
    assert "optimization_barrier" in text
