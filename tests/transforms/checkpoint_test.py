"""`checkpoint`: the same values, fewer of them kept."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.ad_checkpoint import Recompute, checkpoint_name


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
    "either": jax.checkpoint_policies.save_from_both_policies(
        lambda *_, **__: Recompute,
        jax.checkpoint_policies.save_only_these_names("middle"),
    ),
    "offloaded": jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[],
        names_which_can_be_offloaded=["middle"],
        offload_src="device",
        offload_dst="pinned_host",
    ),
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


def test_either_of_two_policies_keeps():
    assert residual_count(jax.checkpoint(chain, policy=POLICIES["either"])) == 2
    assert residual_count(jax.checkpoint(chain, policy=POLICIES["offloaded"])) == 2


def test_policies_see_into_compiled_functions():
    policy = POLICIES["names"]
    assert residual_count(jax.checkpoint(jax.jit(chain), policy=policy)) == 2


def test_a_policy_may_only_name_memories_that_are_there():
    policy = jax.checkpoint_policies.offload_dot_with_no_batch_dims("device", "attic")
    with pytest.raises(ValueError, match=r"to +'attic'"):
        jax.grad(jax.checkpoint(lambda x: jnp.dot(x, x), policy=policy))(jnp.ones(2))


def test_loops_and_choices_inside_have_gradients():
    def fun(x):
        x, _ = jax.lax.scan(lambda c, n: (jnp.sin(c) * n, c), x, jnp.arange(1.0, 4.0))
        return jax.lax.cond(x > 0, jnp.sin, jnp.cos, jax.jit(jnp.tanh)(x))

    want = jax.grad(fun)(0.7)
    assert jax.grad(jax.checkpoint(fun))(0.7) == pytest.approx(want, rel=1e-5)
    nested = jax.checkpoint(jax.checkpoint(fun), policy=POLICIES["everything"])
    assert jax.jit(jax.grad(nested))(0.7) == pytest.approx(want, rel=1e-5)


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
