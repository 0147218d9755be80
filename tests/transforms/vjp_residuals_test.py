"""Residuals of `vjp` functions that are arguments can be read, taken out and put back."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

X = jnp.arange(6.0).reshape(2, 3)
W = jnp.arange(6.0).reshape(3, 2) + 1


def product():
    return jax.vjp(lambda x, w: x @ w, X, W)


def test_residuals_that_are_arguments_are_these_arrays():
    _, back = product()
    assert back.args_res[0] is X
    assert back.args_res[1] is W
    assert back.opaque_residuals == []
    assert len(back.jaxpr.constvars) == 2
    assert jax.tree.structure(back.in_tree.unflatten([0, 0])) == back.in_tree


@pytest.mark.parametrize(
    "fun, args, needed",
    [
        (lambda x: x * 2, (X,), [False]),
        (jnp.sin, (X,), [False]),
        (lambda x, w: x * 2 + w.T, (X, W), [False, False]),
        (lambda x, y: x * y, (X, X + 1), [True, True]),
        (lambda x, y: x * y, (X, X), [False, False]),
        (jax.checkpoint(lambda x, w: jnp.sin(x @ w)), (X, W), [True, True]),
    ],
)
def test_what_a_derivative_does_not_read_is_not_kept(fun, args, needed):
    _, back = jax.vjp(fun, *args)
    shown = [repr(x) != "NotNeeded()" for x in back.args_res]
    assert shown == needed


def test_trees_of_arguments_have_their_residuals_by_leaf():
    _, back = jax.vjp(lambda d, w: d["a"] @ w * jnp.sin(d["b"]), {"a": X, "b": 1.0}, W)
    assert back.args_res[0]["a"] is X
    assert repr(back.args_res[0]["b"]) == "NotNeeded()"
    assert len(back.opaque_residuals) >= 1


@pytest.mark.parametrize("jitted", [False, True])
def test_residuals_are_taken_out_and_put_back(jitted):
    def run(x, w, other):
        out, back = jax.vjp(lambda x, w: x @ w, x, w)
        expected = back(out)
        back.args_res[1] = None
        back.args_res[1] = other
        return expected, back(out)

    (dx, dw), (dx2, dw2) = (jax.jit(run) if jitted else run)(X, W, 3 * W)
    np.testing.assert_allclose(dx2, 3 * dx)
    np.testing.assert_allclose(dw2, dw)


def test_a_call_without_its_residuals_says_which_is_missing():
    out, back = product()
    back.args_res[1] = None
    assert len(jax.tree.leaves(back)) == 1
    with pytest.raises(ValueError, match=r"args_res\[1\] was taken out"):
        back(out)
    back.args_res = [X, W]
    np.testing.assert_allclose(back(out)[0], out @ W.T)
    back.args_res[0] = jnp.ones((4, 5))
    with pytest.raises(TypeError, match=r"args_res\[0\] is not the argument's type"):
        back(out)


def test_residuals_that_are_not_needed_may_be_anything():
    out, back = jax.vjp(lambda x, w: x * 2, X, W)
    back.args_res[0] = None
    back.args_res[1] = "text"
    np.testing.assert_allclose(back(out)[0], 2 * out)


def test_functions_with_replaced_residuals_are_trees_of_arrays():
    out, back = product()
    back.args_res[0] = 2 * X
    doubled = jax.tree.map(lambda x: 2 * x, back)
    for call in (lambda back, ct: back(ct), jax.jit(lambda back, ct: back(ct))):
        dx, dw = call(doubled, out)
        np.testing.assert_allclose(dx, out @ (2 * W).T)
        np.testing.assert_allclose(dw, (4 * X).T @ out)


def test_traced_calls_have_a_program_of_arrays():
    traced = jax.jit(lambda x: jnp.sin(x)).trace(X)
    assert str(traced.lojax.jaxpr) == str(traced.jaxpr)
    assert traced.lojax.out_tree == traced.out_tree
    assert traced.lojax.fun_name == "<lambda>"
