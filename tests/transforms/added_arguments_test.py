"""Arguments and members of derivatives that came with 0.12: in_nzs, saveable_args, residuals, decorators."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import export


def product(x, y):
    return jnp.sin(x) * y


def tree_product(pair, y):
    return jnp.sin(pair["a"]) * pair["b"] * y


@pytest.mark.parametrize("saveable", [True, False, (True, False)])
def test_saveable_args_changes_no_value(saveable):
    out, back = jax.vjp(product, 2.0, 3.0, saveable_args=saveable)
    wanted, plain = jax.vjp(product, 2.0, 3.0)
    assert out == wanted
    assert back(1.0) == plain(1.0)


def test_prefixes_must_fit_the_arguments():
    with pytest.raises(ValueError, match="saveable_args"):
        jax.vjp(product, 2.0, 3.0, saveable_args=(True,))
    with pytest.raises(ValueError, match="in_nzs"):
        jax.vjp(product, 2.0, 3.0, in_nzs=(True, False, True))
    with pytest.raises(ValueError, match="in_nzs"):
        jax.linearize(product, 2.0, 3.0, in_nzs=(True,))


def test_in_nzs_of_vjp_gives_zero_cotangents():
    args = ({"a": 2.0, "b": 3.0}, 4.0)
    _, plain = jax.vjp(tree_product, *args)
    _, back = jax.vjp(tree_product, *args, in_nzs=({"a": True, "b": False}, False))
    (pair, y), (wanted, _) = back(1.0), plain(1.0)
    assert pair["a"] == wanted["a"]
    assert (pair["b"], y) == (0.0, 0.0)


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit, jax.checkpoint])
def test_in_nzs_of_linearize_takes_no_effect_of_tangents(transform):
    out, push = jax.linearize(transform(product), 2.0, 3.0, in_nzs=(True, False))
    assert out == product(2.0, 3.0)
    np.testing.assert_allclose(push(1.0, 100.0), jnp.cos(2.0) * 3.0, rtol=1e-6)


def test_a_vjp_function_has_its_residuals_and_replaces_them():
    x, ct = jnp.array([1.0, 2.0]), jnp.ones(2)
    _, back = jax.vjp(lambda x: jnp.sin(x), x)
    assert back.structured_residuals == []
    assert back.out_nzs == [True]
    assert back.want_logs is False
    others = [jnp.zeros_like(x) for x in back.opaque_residuals]
    assert others
    np.testing.assert_array_equal(back.replace()(ct)[0], back(ct)[0])
    np.testing.assert_array_equal(back.replace(opaque_residuals=others)(ct)[0], [0, 0])
    assert back.with_logs.want_logs is True
    assert back.with_logs.replace().want_logs is True
    cts, logs = back.with_logs(ct)
    np.testing.assert_array_equal(cts[0], back(ct)[0])
    assert logs == {}


def test_custom_gradient_is_a_decorator_with_options_too():
    @jax.custom_gradient()
    def square(x):
        return x**2, lambda ct: ct * 100 * x

    assert (square(3.0), jax.grad(square)(3.0)) == (9.0, 300.0)
    with pytest.raises(NotImplementedError, match="not supported"):
        jax.custom_gradient(with_accums=True)


def test_defvjp_takes_generic_batching():
    f = jax.custom_vjp(lambda x: x**2)
    f.defvjp(lambda x: (x**2, x), lambda x, ct: (ct * 10 * x,), generic_batching=True)
    assert f.generic_batching
    np.testing.assert_array_equal(jax.vmap(jax.grad(f))(jnp.arange(3.0)), [0, 10, 20])


def test_references_are_not_pinned():
    with pytest.raises(NotImplementedError, match="pin=True"):
        jax.new_ref(1.0, pin=True)
    with pytest.raises(NotImplementedError, match="pin=True"):
        jax.empty_ref(jax.ShapeDtypeStruct((2,), jnp.float32), pin=True)
    assert jax.new_ref(1.0, pin=False)[...] == 1.0


def test_types_have_one_layout():
    aval = jax.typeof(jnp.ones(3))
    assert str(aval.layout) == "AutoLayout"
    same = jax.core.ShapedArray((3,), jnp.float32, layout=aval.layout)
    assert same == jax.core.ShapedArray((3,), jnp.float32)
    with pytest.raises(NotImplementedError, match="no layout of their own"):
        jax.core.ShapedArray((3,), jnp.float32, layout="rows")


def test_bounds_of_symbolic_dimensions_are_what_can_be_proved():
    a, b = export.symbolic_shape("a, b", constraints=["a>=4", "a<=10", "b<=a"])
    found = [export.symbolic_dim_bounds(d) for d in (a, b, 2 * a - 1, a + b, 5, a % 3)]
    assert found == [(4, 10), (1, 10), (7, 19), (5, 20), (5, 5), (0, 2)]
    (n,) = export.symbolic_shape("n")
    assert export.symbolic_dim_bounds(n) == (1, float("inf"))
    with pytest.raises(TypeError, match="no size"):
        export.symbolic_dim_bounds(1.5)


def test_constants_of_a_traced_program_become_an_argument():
    const = jnp.arange(3.0)
    consts, traced = (
        jax.jit(lambda x: x + const).trace(jnp.ones(3)).with_consts_as_arg()
    )
    np.testing.assert_array_equal(consts[0], const)
    assert not traced.jaxpr.consts
    compiled = traced.lower().compile()
    np.testing.assert_array_equal(compiled([const * 2], jnp.ones(3)), [1, 3, 5])


def test_constants_of_a_traced_program_are_given_to_a_function():
    const, pair = jnp.arange(3.0), jnp.ones(2)

    def f(x, y):
        return {"a": x["k"] + const * y, "b": [pair]}

    traced = jax.jit(f).trace({"k": jnp.ones(3)}, 2.0)
    consts, converted = traced.closure_convert()
    assert [one.shape for one in consts] == [(3,), (2,)]
    for way in (converted, jax.jit(converted)):
        out = way(consts, {"k": jnp.ones(3)}, 2.0)
        assert out["a"].tolist() == [1.0, 3.0, 5.0]
        assert out["b"][0].tolist() == [1.0, 1.0]
        other = way([-const, pair], {"k": jnp.ones(3)}, 2.0)
        assert other["a"].tolist() == [1.0, -1.0, -3.0]
    slope = jax.grad(lambda cs: converted(cs, {"k": jnp.ones(3)}, 2.0)["a"].sum())
    assert slope(consts)[0].tolist() == [2.0, 2.0, 2.0]
    for wrong in ([], consts[:1], [const, const]):
        with pytest.raises(TypeError, match="constants given are not of the types"):
            converted(wrong, {"k": jnp.ones(3)}, 2.0)
    with pytest.raises(TypeError, match="input pytree"):
        converted(consts, 2.0)


def test_a_traced_program_has_its_effects():
    plain = jax.jit(jnp.sin).trace(1.0)
    loud = jax.jit(lambda x: jax.debug.print("{}", x)).trace(1.0)
    assert (len(plain.effects), len(loud.effects)) == (0, 1)


def test_a_program_counts_its_constants():
    const = jnp.arange(3.0)
    program = jax.make_jaxpr(lambda x: x + const)(jnp.ones(3))
    assert (program.num_consts, len(program.all_invars)) == (1, 2)
    assert program.all_invars == [*program.jaxpr.constvars, *program.jaxpr.invars]
