"""Which results of weakly typed arguments are weak, as in JAX 0.10.2."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

FLOATS, MATRIX, INTS = jnp.full(3, 0.5), jnp.full((3, 3), 0.5), jnp.full(3, 2)
COMPLEX, SCALAR = jnp.full(3, 1j), jnp.asarray(0.5)
INNER, IMAGE = (((0,), (0,)), ((), ())), jnp.full((1, 1, 3), 0.5)

STRONG = [
    lambda: jnp.logical_and(FLOATS, FLOATS),
    lambda: jnp.logical_or(FLOATS, 2),
    lambda: jnp.logical_xor(INTS, COMPLEX),
    lambda: jnp.logical_not(INTS),
    lambda: jnp.iscomplex(COMPLEX),
    lambda: jnp.isreal(FLOATS),
    lambda: jnp.degrees(FLOATS),
    lambda: jnp.radians(INTS),
    lambda: jnp.sinc(FLOATS),
    lambda: jnp.cross(FLOATS, FLOATS),
    lambda: jnp.full_like(FLOATS, FLOATS),
    lambda: jnp.sort_complex(FLOATS),
    lambda: jnp.vander(FLOATS),
    lambda: jnp.diag(MATRIX),
    lambda: jnp.diagonal(MATRIX),
    lambda: jnp.angle(SCALAR),
    lambda: jnp.angle(FLOATS, deg=True),
    lambda: jnp.angle(INTS),
    lambda: jnp.polydiv(FLOATS, FLOATS)[0],
    lambda: jnp.logaddexp(FLOATS, COMPLEX),
    lambda: jax.nn.squareplus(True),
    lambda: SCALAR.astype(bool),
    lambda: jnp.extract(FLOATS > 0, FLOATS, size=2),
    lambda: jnp.compress(FLOATS > 0, FLOATS, size=2),
    lambda: jnp.choose(np.array([0]), [FLOATS, FLOATS]),
    lambda: jnp.pad(FLOATS, 1, constant_values=jnp.float32(1)),
    lambda: jnp.insert(FLOATS, 1, jnp.float32(1)),
    lambda: jnp.einsum("i,i", FLOATS, jnp.ones(3)),
    lambda: jnp.einsum("i,i", FLOATS, FLOATS, preferred_element_type="float32"),
    lambda: jnp.matmul(FLOATS, FLOATS, preferred_element_type="float32"),
    lambda: jnp.matmul(FLOATS, jnp.ones(3)),
    lambda: jnp.tensordot(jnp.ones(3), FLOATS, 1),
    lambda: jnp.convolve(FLOATS, jnp.ones(3)),
    lambda: lax.dot_general(
        FLOATS, jnp.ones(3), INNER, preferred_element_type="float32"
    ),
    lambda: lax.dynamic_update_slice(FLOATS, FLOATS, (0,)),
    lambda: lax.reduce(FLOATS, jnp.float32(0), lax.add, (0,)),
    lambda: lax.reduce(FLOATS, jnp.float32(5), lax.add, (0,)),
    lambda: lax.top_k(jnp.ones(3), 2)[1],
    lambda: jnp.intersect1d(np.ones(1, bool), np.ones(1, bool)),
]
WEAK = [
    lambda: jnp.round(FLOATS, 1),
    lambda: jnp.round(0.26, 1),
    lambda: jnp.around(2 + 1j, -1),
    lambda: jnp.round(SCALAR, 100),
    lambda: round(jnp.asarray(0.26), 1),
    lambda: jnp.degrees(SCALAR),
    lambda: jnp.sinc(SCALAR),
    lambda: jnp.sort(FLOATS),
    lambda: jnp.pad(FLOATS, 1),
    lambda: jnp.insert(FLOATS, 1, 2.0),
    lambda: jnp.place(FLOATS, FLOATS > 0, jnp.ones(1), inplace=False),
    lambda: jnp.einsum("i,i", FLOATS, FLOATS),
    lambda: jnp.einsum("ij,jk->ik", MATRIX, MATRIX),
    lambda: jnp.matmul(FLOATS, INTS),
    lambda: jnp.convolve(FLOATS, FLOATS),
    lambda: jnp.convolve(INTS, INTS),
    lambda: jnp.correlate(FLOATS, INTS, preferred_element_type="float32"),
    lambda: lax.dot_general(FLOATS, FLOATS, INNER, preferred_element_type="float32"),
    lambda: lax.conv(IMAGE, IMAGE, (1,), "SAME", preferred_element_type="float32"),
    lambda: lax.reduce(FLOATS, 0.0, lax.add, (0,)),
    lambda: lax.top_k(FLOATS, 2)[1],
    lambda: lax.approx_max_k(FLOATS, 2)[1],
    lambda: jnp.sort(INTS, descending=True),
    lambda: jnp.diag(FLOATS),
    lambda: jnp.angle(FLOATS),
    lambda: jnp.angle(1j, deg=True),
    lambda: jnp.polyadd(FLOATS, FLOATS),
    lambda: jnp.polysub(INTS, INTS),
    lambda: jnp.polydiv(FLOATS, FLOATS)[1],
    lambda: jnp.setdiff1d(INTS, jnp.full(1, 7)),
    lambda: jnp.heaviside(0.5, FLOATS),
    lambda: jax.nn.squareplus(2.0),
    lambda: jax.nn.mish(True),
    lambda: jax.lax.linalg.qdwh(jnp.eye(3))[2],
]


@pytest.mark.parametrize("call", STRONG)
def test_arrays_give_strong_results(call):
    assert not call().weak_type


@pytest.mark.parametrize("call", WEAK)
def test_results_stay_weak(call):
    assert call().weak_type


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (lambda: jax.nn.squareplus(True), "float32"),
        (lambda: jnp.angle(np.ones(2, np.int8)), "float64"),
        (lambda: jnp.angle(True), "float64"),
        (lambda: jnp.intersect1d(np.ones(1, bool), np.ones(1, bool)), "bool"),
    ],
)
def test_dtypes_with_wide_numbers(call, wanted):
    with jax.enable_x64(True):
        assert call().dtype == wanted


def test_sets_compare_before_they_convert():
    found = jnp.setdiff1d(jnp.array([0.5]), jnp.array([0.5 + 1j]))
    np.testing.assert_array_equal(found, np.float32([0.5]))


def test_complex_numbers_are_true_unless_zero():
    found = jnp.asarray(np.array([1j, 0]), dtype=bool)
    np.testing.assert_array_equal(found, [True, False])


@pytest.mark.parametrize(
    "call",
    [
        lambda: jnp.interp(COMPLEX, FLOATS, FLOATS),
        lambda: jnp.interp(FLOATS, COMPLEX, FLOATS),
        lambda: jnp.unwrap(COMPLEX),
    ],
)
def test_complex_numbers_have_no_order(call):
    with pytest.raises(ValueError, match="no order"):
        call()


ONE = jnp.asarray(1)  # weak
POWERS = [
    (lambda: jnp.power(3, jnp.array(True)), False),
    (lambda: jnp.power(ONE, jnp.array(True)), False),
    (lambda: ONE ** jnp.array(True), False),
    (lambda: jax.jit(jnp.power)(3, 2), False),
    (lambda: jax.jit(jnp.power)(ONE, ONE), False),
    (lambda: jax.jit(lambda x: 2**x)(ONE), False),
    (lambda: jnp.power(3, True), True),
    (lambda: jnp.power(3, 2), True),
    (lambda: jnp.power(ONE, ONE), True),
    (lambda: jax.jit(lambda x: x**2)(ONE), True),
    (lambda: jnp.power(2.5, jnp.array(True)), True),
    (lambda: jax.jit(jnp.power)(2.5, 2), True),
]


@pytest.mark.parametrize(("call", "is_weak"), POWERS)
def test_integers_to_integers_that_are_not_known_are_strong(call, is_weak):
    assert call().weak_type == is_weak


PRODUCTS = {
    "matmul": jnp.matmul,
    "dot": jnp.dot,
    "vdot": jnp.vdot,
    "inner": jnp.inner,
    "vecdot": jnp.vecdot,
    "tensordot": lambda a, b: jnp.tensordot(a, b, 1),
    "einsum": lambda a, b: jnp.einsum("i,i->", a, b),
    "three": lambda a, b: jnp.einsum("i,i,i->", a, b, b),
    "outer": lambda a, b: jnp.einsum("i,j->ij", a, b),
}


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("product", PRODUCTS.values(), ids=PRODUCTS)
def test_products_take_weak_and_strong_operands_of_one_dtype_as_they_are(
    product, dtype
):
    strong, weak = jnp.ones(3, dtype), jnp.full(3, jnp.asarray(1, dtype).item())
    assert (strong.dtype, strong.weak_type, weak.weak_type) == (weak.dtype, False, True)
    for operands in ((strong, weak), (weak, strong)):
        made = jax.make_jaxpr(product)(*operands)
        assert "convert_element_type" not in str(made)
        assert not made.out_avals[0].weak_type
    assert jax.make_jaxpr(product)(weak, weak).out_avals[0].weak_type


@pytest.mark.parametrize(("name", "product"), PRODUCTS.items(), ids=PRODUCTS)
def test_the_gradient_in_a_number_beside_a_strong_factor_is_strong(name, product):
    def f(x):
        return product(jnp.arange(3.0), jnp.full(3, x)).sum()

    found = jax.grad(f)(1.0)
    slope = {"three": 6.0, "outer": 9.0}.get(name, 3.0)
    assert (float(found), found.dtype, found.weak_type) == (slope, np.float32, False)
