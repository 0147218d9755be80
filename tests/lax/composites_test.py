"""Named operations, tokens, sinks and lifted values in programs."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax


def scaled(x, *, k):
    return x * k, {"same": x}


def test_a_composite_computes_its_decomposition():
    x = np.arange(4, dtype="f4")
    run = lambda x: lax.composite(scaled, "test.scaled")(x, k=2.0)  # noqa: E731
    for f in (run, jax.jit(run)):
        out, rest = f(x)
        np.testing.assert_array_equal(out, 2 * x)
        np.testing.assert_array_equal(rest["same"], x)


def test_a_composite_names_operation_attributes_and_version():
    call = lax.composite(scaled, "test.scaled", version=3)
    text = jax.jit(lambda x: call(x, k=2.0)).lower(1.0).as_text()
    assert '"test.scaled"' in text
    assert "composite_attributes = {k = 2.000000e+00 : f64}" in text
    assert "version = 3" in text


def test_a_composite_is_not_differentiated():
    call = lax.composite(lambda x: x * 2, "test.double")
    with pytest.raises(NotImplementedError, match="composite"):
        jax.grad(call)(1.0)


def test_what_cannot_be_an_attribute_is_refused():
    with pytest.raises(TypeError, match="cannot be an attribute"):
        lax.composite(lambda x, k: x, "test.same")(1.0, k=object())


def test_a_decomposition_may_not_close_over_traced_values():
    with pytest.raises(jax.errors.UnexpectedTracerError, match="closes over"):
        jax.jit(lambda x: lax.composite(lambda y: x * y, "test.times")(x))(1.0)


def test_tokens_are_joined_by_after_all():
    program = jax.make_jaxpr(lambda: lax.after_all(lax.create_token()))()
    assert [e.primitive.name for e in program.eqns] == ["create_token", "after_all"]
    text = jax.jit(lambda: lax.after_all(lax.create_token())).lower().as_text()
    assert "stablehlo.after_all" in text
    lax.after_all(lax.create_token(), lax.create_token()).block_until_ready()


def test_only_tokens_are_joined():
    with pytest.raises(TypeError, match="is not a token"):
        lax.after_all(jnp.ones(2))


def test_a_token_does_not_leave_a_compiled_function():
    with pytest.raises(NotImplementedError, match="token"):
        jax.jit(lax.create_token)()


def test_a_sink_keeps_equations_that_nothing_uses():
    def f(x):
        lax.dce_sink(jnp.sin(x))
        return x

    names = [e.primitive.name for e in jax.make_jaxpr(f)(1.0).eqns]
    assert names == ["sin", "dce_sink"]
    assert jax.jit(f)(2.0) == 2.0


def test_stage_makes_a_value_of_the_current_trace():
    assert isinstance(lax.stage(3.0), jax.Array)
    key = jax.random.key(1)
    assert lax.stage(key) == key
    seen = []
    jax.make_jaxpr(lambda: seen.append(lax.stage(3.0)))()
    assert isinstance(seen[0], jax.core.Tracer)
    assert jax.grad(lambda x: lax.stage(x) * 2)(3.0) == 2.0


def test_rows_of_a_sequential_function_are_computed_in_a_loop():
    f = jax.custom_batching.sequential_vmap(lambda x, y: jnp.sin(x) + y)
    x = jnp.arange(3.0)
    program = jax.make_jaxpr(jax.vmap(f, in_axes=(0, None)))(x, 1.0)
    assert [e.primitive.name for e in program.eqns] == ["scan"]
    found = jax.vmap(f, in_axes=(0, None))(x, 1.0)
    np.testing.assert_allclose(found, np.sin(x) + 1, rtol=1e-6)


def test_approximate_extremes_are_one_equation():
    x = jnp.array([[3.0, 1.0, 2.0]])
    values, indices = lax.approx_min_k(x, 2)
    np.testing.assert_array_equal(values, [[1.0, 2.0]])
    np.testing.assert_array_equal(indices, [[1, 2]])
    program = jax.make_jaxpr(lambda x: lax.approx_max_k(x, 1))(x)
    assert program.eqns[0].primitive is lax.approx_top_k_p
    grad = jax.grad(lambda x: lax.approx_max_k(x, 2)[0].sum())(x)
    np.testing.assert_array_equal(grad, [[1.0, 0.0, 1.0]])
