"""`grad`, `vjp`, `jvp`, `linearize`, `vmap` on trees, over toy primitives."""

import numpy as np
import pytest

from jax._src.transforms import (
    differentiate,
    inspect_programs,
    linear_transpose,
    shape_dtype_struct,
    vectorize,
)
from tests.interpreters import toy
from tests.interpreters.toy import mul, sin


@pytest.fixture(autouse=True)
def filled_slots():
    with toy.FilledSlots():
        yield


def product(params, y):
    return mul(mul(params["a"], params["b"][0]), y)


PARAMS = {"a": 2.0, "b": (3.0, 5.0)}


def test_a_gradient_has_the_tree_of_its_argument():
    assert differentiate.grad(product)(PARAMS, 7.0) == {"a": 21.0, "b": (14.0, 0.0)}


def test_gradients_in_several_arguments_come_as_a_tuple():
    by_params, by_y = differentiate.grad(product, argnums=(0, 1))(PARAMS, 7.0)
    assert by_params["a"] == 21.0 and by_y == 6.0
    assert differentiate.grad(product, argnums=-1)(PARAMS, 7.0) == 6.0


def test_value_and_grad_gives_both_and_the_auxiliary():
    def fun(x):
        return mul(x, x), {"seen": sin(x)}

    (value, aux), slope = differentiate.value_and_grad(fun, has_aux=True)(3.0)
    assert (value, slope) == (9.0, 6.0)
    assert aux["seen"] == pytest.approx(np.sin(3.0))


def test_vjp_maps_cotangents_back():
    out, back = differentiate.vjp(lambda x, y: {"p": mul(x, y)}, 2.0, 3.0)
    assert out == {"p": 6.0}
    assert back({"p": 10.0}) == (30.0, 20.0)


def test_vjp_refuses_a_cotangent_of_another_type():
    _, back = differentiate.vjp(sin, 1.0)
    with pytest.raises(ValueError, match=r"got float32\[2\], but expected float32\[\]"):
        back(np.ones(2, np.float32))
    with pytest.raises(ValueError, match="unexpected tree structure"):
        back([1.0])


def test_jvp_and_linearize_agree():
    fun = lambda x: mul(sin(x), x)
    _, tangent = differentiate.jvp(fun, (0.5,), (2.0,))
    _, linear = differentiate.linearize(fun, 0.5)
    assert linear(2.0) == pytest.approx(tangent, rel=1e-6)


def test_the_transpose_of_a_linear_function():
    transposed = linear_transpose.linear_transpose(lambda x: mul(x, 3.0), 1.0)
    assert transposed(2.0) == (6.0,)


def test_gradients_of_integers_are_refused_unless_allowed():
    with pytest.raises(TypeError, match="real- or complex-valued inputs.*int32"):
        differentiate.grad(sin)(1)


def test_gradients_need_one_number():
    with pytest.raises(TypeError, match="scalar-output functions"):
        differentiate.grad(sin)(np.ones(3, np.float32))


def test_an_argument_that_is_not_there_is_refused():
    with pytest.raises(TypeError, match="at least 3 positional arguments.*only 1"):
        differentiate.grad(sin, argnums=2)(1.0)


def test_vmap_maps_trees_along_chosen_axes():
    x = np.arange(6.0).reshape(2, 3)
    out = vectorize.vmap(
        lambda d, y: mul(d["x"], y), in_axes=({"x": 1}, None), out_axes=1
    )({"x": x}, np.array([1.0, 10.0]))
    np.testing.assert_allclose(out, x * [[1.0], [10.0]])


def test_vmap_repeats_results_that_do_not_depend():
    out = vectorize.vmap(lambda x: 2.0)(np.zeros(3))
    np.testing.assert_allclose(out, [2.0, 2.0, 2.0])


def test_vmap_refuses_axes_of_different_sizes():
    with pytest.raises(ValueError, match="inconsistent sizes.*\n.*had size 3.*\n.*4"):
        vectorize.vmap(mul)(np.ones(3), np.ones(4))


def test_vmap_refuses_an_axis_out_of_range():
    with pytest.raises(ValueError, match="rank should be at least 1, but is only 0"):
        vectorize.vmap(sin)(1.0)


def test_make_jaxpr_shows_the_program_of_a_gradient():
    text = str(
        inspect_programs.make_jaxpr(differentiate.grad(lambda x: mul(sin(x), x)))(1.0)
    )
    assert "cos" in text and text.startswith("{ lambda ; a:f32[]. let")


def test_make_jaxpr_leaves_static_arguments_alone():
    def power(x, n):
        for _ in range(n):
            x = mul(x, x)
        return x

    assert len(inspect_programs.make_jaxpr(power, static_argnums=1)(2.0, 3).eqns) == 3


def test_eval_shape_computes_nothing():
    out = inspect_programs.eval_shape(
        lambda x: (sin(x), x),
        shape_dtype_struct.ShapeDtypeStruct((2, 3), np.dtype("float16")),
    )
    assert out[0] == shape_dtype_struct.ShapeDtypeStruct((2, 3), np.float16)


def test_a_function_that_returns_a_string_is_refused():
    with pytest.raises(TypeError, match="not a valid JAX type"):
        inspect_programs.make_jaxpr(lambda x: "a")(1.0)


def test_arguments_in_messages_have_their_names():
    def choose(first, second):
        return first if second else first

    with pytest.raises(TypeError, match="(?s)function choose .*of the argument second"):
        inspect_programs.make_jaxpr(choose)(1.0, True)
