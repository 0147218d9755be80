"""Constants that are computed while tracing."""

import numpy as np
import pytest

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


LINES = {
    "a reversed matrix": (
        lambda x: x[None, ::-1],
        "{ lambda ; a:f32[4]. let\n    b:f32[4] = rev[dimensions=(0,)] a\n"
        "    c:f32[1,4] = reshape[dimensions=None new_sizes=(1, 4) sharding=None] b\n"
        "  in (c,) }",
    ),
    "a reversed axis is not cut first": (
        lambda x: x[::-1],
        "{ lambda ; a:f32[4]. let b:f32[4] = rev[dimensions=(0,)] a in (b,) }",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_programs_have_no_operation_that_does_nothing(name):
    fun, text = LINES[name]
    program = jax.make_jaxpr(fun)(jnp.arange(4.0))
    assert str(program) == text
    np.testing.assert_array_equal(
        jax.jit(fun)(jnp.arange(4.0)), fun(np.arange(4.0, dtype=np.float32))
    )


def test_the_slope_of_a_square_is_one_product():
    text = str(jax.make_jaxpr(jax.grad(lambda x: x**2))(2.0))
    assert "mul 2.0:f32[] a" in text and "y=1" not in text


def test_implementations_of_keys_are_shown_as_in_their_dtypes():
    words = jax.ShapeDtypeStruct((2,), np.uint32)
    text = str(jax.make_jaxpr(jax.random.wrap_key_data)(words))
    assert "b:key<fry>[] = random_wrap[impl=fry] a" in text
