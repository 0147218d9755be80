"""Linear functions with their own transposes, two passes, and what is kept between them."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import ad_checkpoint, custom_derivatives as cd


def divided(c, x):
    return cd.linear_call(lambda c, x: x / c, lambda c, ct: 10 * ct / c, c, x)


def test_the_given_transpose_is_used():
    assert divided(4.0, 3.0) == 0.75
    assert jax.grad(divided, 1)(4.0, 3.0) == 2.5
    (found,) = jax.linear_transpose(lambda x: divided(4.0, x), 1.0)(1.0)
    assert found == 2.5
    twice = jax.linear_transpose(lambda ct: jax.grad(divided, 1)(4.0, 1.0) * ct, 1.0)
    assert twice(1.0)[0] == 2.5


def test_forward_mode_uses_the_function():
    _, tangent = jax.jvp(lambda x: divided(4.0, x), (3.0,), (1.0,))
    assert tangent == 0.25


@pytest.mark.parametrize("in_axes", [(0, 0), (None, 0), (0, None)])
def test_rows_have_the_same_transpose(in_axes):
    c, x = jnp.array([1.0, 2.0, 4.0]), jnp.array([3.0, 5.0, 7.0])
    args = [v if a == 0 else v[1] for v, a in zip((c, x), in_axes, strict=True)]
    out, back = jax.vjp(lambda x: jax.vmap(divided, in_axes)(args[0], x), args[1])
    np.testing.assert_allclose(out, args[1] / args[0] * np.ones(3))
    (found,) = back(jnp.ones(3))
    wanted = 10 / args[0] * np.ones(3)
    np.testing.assert_allclose(found, wanted if in_axes[1] == 0 else wanted.sum())


def test_residual_arguments_have_no_derivative():
    with pytest.raises(NotImplementedError, match="residual"):
        jax.grad(divided, 0)(4.0, 3.0)


def test_a_transpose_of_another_shape_is_refused():
    with pytest.raises(TypeError, match="fun_transpose"):
        cd.linear_call(lambda c, x: x, lambda c, ct: jnp.ones(3), 1.0, 2.0)


def test_forward_and_backward_are_two_functions():
    f = lambda x, y: jnp.sin(x) * y  # noqa: E731
    forward, backward = jax.fwd_and_bwd(f, argnums=(0, 1))
    for x in (1.0, 2.0):
        out, residuals = forward(x, 3.0)
        np.testing.assert_allclose(out, np.sin(x) * 3, rtol=1e-6)
        found = backward(residuals, 1.0)
        np.testing.assert_allclose(found, [3 * np.cos(x), np.sin(x)], rtol=1e-6)
    assert backward._cache_size() == 1


def test_forward_and_backward_of_one_argument_with_auxiliary_value():
    forward, backward = jax.fwd_and_bwd(
        lambda x: (x**2, {"a": x}), argnums=0, has_aux=True, jitted=False
    )
    out, residuals, aux = forward(3.0)
    assert (out, aux["a"], backward(residuals, 1.0)) == (9.0, 3.0, 6.0)


def lines_of(capsys, f, *args):
    ad_checkpoint.print_saved_residuals(f, *args)
    return capsys.readouterr().out.splitlines()


def test_saved_residuals_are_named_by_where_they_come_from(capsys):
    found = lines_of(
        capsys, lambda x, w: jnp.sin(w @ x).sum(), np.ones(3), np.ones((2, 3))
    )
    assert found[:2] == ["f32[3] from the argument x", "f32[2,3] from the argument w"]
    assert found[2].startswith("f32[2] output of cos from ")


def test_saved_residuals_follow_the_policy(capsys):
    def f(x):
        return ad_checkpoint.checkpoint_name(jnp.sin(x), "kept") ** 2

    policy = jax.checkpoint_policies.save_only_these_names("kept")
    found = lines_of(capsys, jax.checkpoint(f, policy=policy), np.ones(3))
    assert found[0] == "f32[3] from the argument x"
    assert found[1].startswith("f32[3] named 'kept' from ")
    nothing = lines_of(capsys, jax.checkpoint(f), np.ones(3))
    assert nothing == ["f32[3] from the argument x"]


def test_policies_may_answer_saveable_or_recompute(capsys):
    def policy(prim, *_, **__):
        wanted = prim.name == "sin"
        return ad_checkpoint.Saveable if wanted else ad_checkpoint.Recompute

    f = jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)), policy=policy)
    found = lines_of(capsys, f, np.ones(3))
    assert len(found) == 2 and "output of sin" in found[1]


def test_zeros_of_primal_values():
    assert cd.zero_from_primal(1.0) == 0.0
    assert cd.zero_from_primal(1).dtype == jax.dtypes.float0
    assert isinstance(cd.zero_from_primal(1.0, symbolic_zeros=True), cd.SymbolicZero)
    of_tree = cd.zero_from_primal({"weights": jnp.ones(2), "count": 3})
    assert of_tree["weights"].tolist() == [0.0, 0.0]
    assert of_tree["count"].dtype == jax.dtypes.float0
    primal = cd.CustomVJPPrimal(2.0, True)
    assert cd.custom_vjp_primal_tree_values({"a": primal}) == {"a": 2.0}
