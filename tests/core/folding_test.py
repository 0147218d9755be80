"""Constants that are computed while tracing."""

import numpy as np

import jax
import jax.numpy as jnp


def test_scalar_constants_are_converted_while_tracing():
    jaxpr = jax.make_jaxpr(lambda x: x * 2 + 1)(
        jax.ShapeDtypeStruct((3,), jnp.bfloat16)
    )
    assert [e.primitive.name for e in jaxpr.eqns] == ["mul", "add"]
    assert "2.0:bf16[]" in str(jaxpr)


def test_a_folded_constant_keeps_its_weak_type():
    out = jax.eval_shape(
        lambda x: x + jnp.asarray(1.0), jax.ShapeDtypeStruct((), np.int32)
    )
    assert out.dtype == np.float32
    weak = jax.eval_shape(lambda: jax.lax.full_like(2, 1.5, float))
    assert weak.dtype == np.float32


def test_a_constant_that_does_not_fit_is_left_to_the_program():
    jaxpr = jax.make_jaxpr(
        lambda: jax.lax.convert_element_type(np.int32(300), np.int8)
    )()
    assert len(jaxpr.eqns) == 1
