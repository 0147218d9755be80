"""Derivatives where the rule's formula is 0/0 or 0 times infinity, and mathematics knows."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import special

INF = np.inf
ZERO_POWERS = {
    "**": lambda x: x**0.0,
    "negative zero": lambda x: x**-0.0,
    "whole": lambda x: x**0,
    "power": lambda x: jnp.power(x, 0.0),
    "float_power": lambda x: jnp.float_power(x, 0),
    "array": lambda x: x ** jnp.zeros(()),
    "array of integers": lambda x: x ** jnp.zeros((), int),
    "numpy": lambda x: x ** np.float32(0),
    "many exponents": lambda x: (x ** jnp.zeros(3)).sum(),
    "many bases": lambda x: ((x * jnp.ones(3)) ** 0.0).sum(),
    "lax.pow": lambda x: lax.pow(x, 0.0),
    "lax.pow of an integer": lambda x: lax.pow(x, jnp.int32(0)),
    "lax.integer_pow": lambda x: lax.integer_pow(x, 0),
}
TRANSFORMS = {
    "grad": jax.grad,
    "jit": lambda f: jax.jit(jax.grad(f)),
    "jvp": lambda f: lambda x: jax.jvp(f, (x,), (jnp.ones_like(x),))[1],
    "linearize": lambda f: lambda x: jax.linearize(f, x)[1](jnp.ones_like(x)),
    "second": lambda f: jax.grad(jax.grad(f)),
    "hessian": jax.hessian,
    "vmap": lambda f: lambda x: jax.vmap(jax.grad(f))(x[None])[0],
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", ZERO_POWERS)
def test_powers_of_zero_are_constant_in_the_base(name, transform):
    slope = TRANSFORMS[transform](ZERO_POWERS[name])
    for x in (0.0, -0.0, 1e-40, 1e-30, -2.0, 3.0, INF, np.nan):
        assert slope(jnp.float32(x)) == 0, x


@pytest.mark.parametrize("x", [0.0, 2.0, -3.0])
def test_higher_derivatives_of_powers(x):
    grad = jax.grad
    assert grad(grad(lambda x: x**1.0))(x) == 0
    assert grad(grad(lambda x: x**2.0))(x) == 2
    assert grad(grad(grad(lambda x: x**2.0)))(x) == 0
    exponents = jnp.array([0.0, 1.0, 2.0])
    assert grad(lambda x: (x**exponents).sum())(x) == 1 + 2 * x


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_mixed_derivatives_of_powers(order):
    mixed = jax.grad(jax.grad(lambda x, y: x**y, order[0]), order[1])
    np.testing.assert_allclose(mixed(3.0, 0.0), 1 / 3, rtol=1e-6)
    np.testing.assert_allclose(mixed(3.0, 2.0), 3 + 6 * np.log(3), rtol=1e-6)


def test_powers_of_complex_numbers_and_of_narrow_floats():
    assert jax.grad(lambda z: z**0.0, holomorphic=True)(0j) == 0
    assert jax.grad(lambda z: jnp.power(z, 0j), holomorphic=True)(0j) == 0
    for dtype in (jnp.bfloat16, jnp.float16):
        x = jnp.zeros((), dtype)
        assert jax.grad(lambda x: x ** jnp.zeros_like(x))(x) == 0


def test_powers_of_the_base_zero_are_constant_in_the_exponent():
    assert jax.grad(lambda y: 0.0**y)(2.0) == 0
    assert jax.grad(lambda y: jnp.power(0.0, y))(2.0) == 0


SLOPES = {
    "xlogy": (lambda y: special.xlogy(0.0, y), 0.0, 0.0),
    "xlog1py": (lambda y: special.xlog1py(0.0, y), -1.0, 0.0),
    "sinc": (jnp.sinc, 0.0, 0.0),
    "logaddexp": (lambda x: jnp.logaddexp(x, -INF), 1.0, 1.0),
    "logaddexp of minus infinity": (lambda x: jnp.logaddexp(x, 1.0), -INF, 0.0),
    "maximum": (lambda x: jnp.maximum(x, 0.0), 0.0, 0.5),
    "hypot": (lambda x: jnp.hypot(x, 4e-38), 3e-38, 0.6),
    "hypot at infinity": (lambda x: jnp.hypot(x, 1.0), INF, 1.0),
    "hypot of two infinities": (lambda x: jnp.hypot(x, x), INF, 2**0.5),
    "hypot beside infinity": (lambda x: jnp.hypot(x, INF), 1.0, 0.0),
    "arctan2 of small": (lambda y: jnp.arctan2(y, 1e-30), 1e-30, 5e29),
    "arctan2 of large": (lambda y: jnp.arctan2(y, 1e30), 1e30, 5e-31),
    "arctan2 at infinity": (lambda x: jnp.arctan2(INF, x), 1.0, 0.0),
    "arctan2 beside infinity": (lambda y: jnp.arctan2(y, INF), 1.0, 0.0),
    "tanh": (jnp.tanh, INF, 0.0),
    "softplus": (jax.nn.softplus, INF, 1.0),
}


@pytest.mark.parametrize("name", SLOPES)
def test_slopes_are_those_of_mathematics(name):
    function, x, wanted = SLOPES[name]
    for slope in (jax.grad(function), jax.jit(jax.grad(function))):
        np.testing.assert_allclose(slope(x), wanted, rtol=1e-6)


def test_products_with_zeros_have_the_slopes_of_the_others():
    x = jnp.array([0.0, 2.0, 3.0])
    np.testing.assert_array_equal(jax.grad(jnp.prod)(x), [6, 0, 0])
    last = lambda x: jnp.cumprod(x)[-1]
    np.testing.assert_array_equal(jax.grad(last)(x), [6, 0, 0])
    np.testing.assert_array_equal(jax.grad(jnp.prod)(x.at[1].set(0)), [0, 0, 0])


def test_the_slopes_of_an_angle_and_their_slopes():
    angle = lambda p: jnp.arctan2(p[0], p[1])
    point = jnp.array([1.0, 2.0])
    np.testing.assert_allclose(jax.grad(angle)(point), [0.4, -0.2], rtol=1e-6)
    wanted = [[-0.16, -0.12], [-0.12, 0.16]]
    np.testing.assert_allclose(jax.hessian(angle)(point), wanted, rtol=1e-5)
    many = lambda y: jnp.arctan2(y, jnp.ones(3)).sum()
    np.testing.assert_allclose(jax.grad(many)(2.0), 0.6, rtol=1e-6)
