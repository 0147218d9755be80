"""Functions with rules of their own under `vmap`: named axes, and which results differ."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

ROWS = np.arange(4.0, dtype=np.float32)


@jax.custom_jvp
def summed(x):
    return lax.psum(x, "i")


@summed.defjvp
def _summed_jvp(primals, tangents):
    return summed(primals[0]), 2 * lax.psum(tangents[0], "i")


@jax.custom_vjp
def gathered(x):
    return lax.psum(x, "i")


gathered.defvjp(lambda x: (gathered(x), None), lambda _, ct: (3 * ct,))


def repeated(f):
    return lambda x: lax.scan(lambda c, _: (c, f(x)), 0, None, length=2)[1][1]


@pytest.mark.parametrize("f", [summed, gathered])
@pytest.mark.parametrize("around", [lambda f: f, jax.jit, jax.checkpoint, repeated])
def test_results_reduced_along_a_named_axis_are_the_same_for_all(f, around):
    mapped = jax.vmap(around(f), axis_name="i", out_axes=None)
    assert mapped(ROWS) == 6
    assert jax.jit(mapped)(ROWS) == 6
    assert jax.vmap(around(f), axis_name="i")(ROWS).tolist() == [6] * 4


@pytest.mark.parametrize("f", [summed, gathered])
def test_unbatched_operands_are_summed_over_the_axis(f):
    mapped = jax.vmap(
        lambda _, x: f(x), in_axes=(0, None), out_axes=None, axis_name="i"
    )
    assert mapped(ROWS, 2.0) == 8


@pytest.mark.parametrize("around", [lambda f: f, jax.jit])
def test_derivatives_of_reduced_results_use_the_rule(around):
    one = around(jax.vmap(summed, axis_name="i", out_axes=None))
    assert jax.grad(one)(ROWS).tolist() == [2] * 4
    value, tangent = jax.jvp(one, (ROWS,), (np.ones_like(ROWS),))
    assert (value, tangent) == (6, 8)
    one = around(jax.vmap(gathered, axis_name="i", out_axes=None))
    assert jax.grad(one)(ROWS).tolist() == [3] * 4
    each = around(jax.vmap(gathered, axis_name="i"))
    # The one result is repeated for each row: its cotangent is the sum of theirs.
    assert jax.grad(lambda x: each(x).sum())(ROWS).tolist() == [12] * 4


def test_constant_results_have_the_derivatives_of_their_rules():
    @jax.custom_jvp
    def zero(x):
        return jnp.float32(0)

    zero.defjvp(lambda primals, tangents: (zero(*primals), 5 * tangents[0]))
    mapped = jax.jit(jax.vmap(zero))
    assert jax.grad(lambda x: mapped(x).sum())(ROWS).tolist() == [5] * 4


def sine_whose_rows_are_cosines():
    calls = []

    @jax.custom_batching.custom_vmap
    def f(x):
        return jnp.sin(x)

    @f.def_vmap
    def rule(axis_size, in_batched, x):
        calls.append((axis_size, in_batched))
        return jnp.cos(x), in_batched[0]

    return f, calls


def test_a_vmap_rule_differentiated_for_each_tangent_gets_unbatched_operands():
    f, calls = sine_whose_rows_are_cosines()
    assert np.allclose(jax.jacfwd(f)(1.0), -np.sin(1.0))
    assert calls == [(1, [False])]
    value, tangents = jax.vmap(lambda t: jax.jvp(f, (1.0,), (t,)))(ROWS)
    assert np.allclose(value, np.cos(1.0))
    assert np.allclose(tangents, -np.sin(1.0) * ROWS)
    assert calls[1:] == [(4, [False])]


def test_a_vmap_rule_of_batched_operands_and_tangents_is_called_once():
    f, calls = sine_whose_rows_are_cosines()
    both = jax.vmap(lambda x, t: jax.jvp(f, (x,), (t,)))(ROWS, ROWS)
    assert np.allclose(both, [np.cos(ROWS), -np.sin(ROWS) * ROWS], atol=1e-6)
    assert calls == [(4, [True])]


@pytest.mark.parametrize("around", [lambda f: f, jax.jit, jax.checkpoint])
def test_functions_with_vmap_rules_have_reverse_derivatives(around):
    f, _ = sine_whose_rows_are_cosines()
    assert np.allclose(jax.grad(around(f))(1.0), np.cos(1.0))
    rows = jax.vmap(jax.grad(around(f)))(ROWS)
    assert np.allclose(rows, -np.sin(ROWS), atol=1e-6)
    total = jax.grad(lambda x: jax.vmap(around(f))(x).sum())(ROWS)
    assert np.allclose(total, -np.sin(ROWS), atol=1e-6)
    assert np.allclose(jax.hessian(around(f))(1.0), -np.cos(1.0), atol=1e-6)


def test_programs_name_the_users_rule():
    assert "jvp=_summed_jvp" in str(
        jax.make_jaxpr(summed, axis_env=[("i", 4)])(np.float32(1))
    )
