"""`jax.checkpoint(prevent_cse=...)` for parts of the arguments."""

import re

import numpy as np
import pytest

import jax
import jax.numpy as jnp

ONES = np.ones((3, 3), np.float32)
PAIR = {"a": ONES, "b": ONES}


def loss(pair, w):
    return jnp.sin(jnp.tanh(pair["a"] @ w) @ pair["b"]).sum()


@pytest.mark.parametrize(
    ("prevent_cse", "guarded"),
    [
        (True, {"arg0", "arg1", "arg2"}),
        (False, set()),
        ((True, False), {"arg0", "arg1"}),
        ((False, True), {"arg2"}),
        (({"a": True, "b": False}, False), {"arg0"}),
        ([True, False], {"arg0", "arg1"}),
    ],
)
def test_the_barrier_holds_the_arguments_that_are_named(prevent_cse, guarded):
    slope = jax.grad(jax.checkpoint(loss, prevent_cse=prevent_cse), argnums=(0, 1))
    text = jax.jit(slope).lower(PAIR, ONES).as_text()
    barriers = re.findall(r"optimization_barrier (.*?) :", text)
    assert set(re.findall(r"arg\d", " ".join(barriers))) == guarded
    plain = jax.grad(loss, argnums=(0, 1))(PAIR, ONES)
    close = lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)
    jax.tree.map(close, jax.jit(slope)(PAIR, ONES), plain)


@pytest.mark.parametrize("around", [jax.vmap, jax.grad, jax.checkpoint])
def test_flags_follow_the_operands_through_transformations(around):
    f = jax.checkpoint(lambda x, y: jnp.sin(jnp.sin(x) * y), prevent_cse=(True, False))
    x = jnp.ones(3) if around is jax.vmap else 1.0
    y = jnp.ones(3) if around is jax.vmap else 2.0
    slope = around(jax.grad(f))(x, y)
    np.testing.assert_allclose(
        slope, around(jax.grad(lambda x, y: jnp.sin(jnp.sin(x) * y)))(x, y), rtol=1e-5
    )


def test_what_is_no_prefix_is_refused():
    with pytest.raises(TypeError, match="prevent_cse must be a bool or tuple of bools"):
        jax.checkpoint(loss, prevent_cse=None)
    with pytest.raises(ValueError, match="different lengths"):
        jax.checkpoint(loss, prevent_cse=(True,))(PAIR, ONES)
