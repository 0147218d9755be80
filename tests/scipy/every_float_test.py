"""Functions of one argument at every 4096th float, and where their methods change.

`tests.scipy.every_float` tries every float; docs/accuracy.md has what it found.
"""

import numpy as np
import pytest
import scipy.special

import jax
import jax.numpy as jnp
import jax.scipy.special as jsp
from jax import lax
from tests.scipy.every_float import measured
from tests.scipy.every_float_rows import ROWS

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_errors_of_float32_are_within_their_bounds(row):
    with jax.enable_x64(True):
        error, at, _ = measured(row, 4096)
    assert error <= row.bound, at


@pytest.mark.parametrize("name", ["eager", "jit", "slope"])
def test_logistic_function_is_not_zero_before_its_exponential(name):
    x = np.float32([-103, -100, -95, -89, -88.5, -60, -1, -0.0, 1, 60, 103])
    expected = np.exp(x[:6].astype(float))
    fun = {
        "eager": lax.logistic,
        "jit": jax.jit(jax.nn.sigmoid),
        "slope": jax.vmap(jax.grad(lax.logistic)),
    }[name]
    found = np.asarray(fun(x))
    np.testing.assert_allclose(found[:6], expected, rtol=1e-6, atol=1e-45)
    if name != "slope":
        wide = scipy.special.expit(x.astype(float))
        np.testing.assert_allclose(found, wide, rtol=3e-7, atol=1e-45)
    ends = np.float32([-INF, INF, NAN])
    np.testing.assert_array_equal(lax.logistic(ends), np.float32([0, 1, NAN]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_powers_of_two_are_exact(dtype):
    info = np.finfo(dtype)
    n = np.arange(info.minexp - info.nmant - 3, info.maxexp + 3).astype(dtype)
    with jax.enable_x64(dtype == np.float64), np.errstate(over="ignore"):
        np.testing.assert_array_equal(jnp.exp2(n), np.ldexp(dtype(1), n.astype(int)))
        ends = np.array([-INF, INF, NAN, 1e30, -1e30], dtype)
        np.testing.assert_array_equal(jnp.exp2(ends), np.exp2(ends))


@pytest.mark.parametrize("dtype", [jnp.bfloat16, np.float16])
def test_powers_of_two_of_halves_are_rounded_once(dtype):
    x = np.arange(-2000, 2000).astype(np.float32) / 128
    x = x.astype(dtype)
    expected = np.exp2(x.astype(float)).astype(dtype)
    np.testing.assert_array_equal(np.asarray(jnp.exp2(x)), expected)


def test_sinc_far_from_zero_reduces_its_argument_exactly():
    x = np.float32([1, -1, 2, 7, 1e5, 2**23 + 1, 2**24 + 2, 1e30])
    np.testing.assert_array_equal(jnp.sinc(x), np.zeros(8, np.float32))
    x = np.float32([0.5, 1.5, -2.5, 100000.5, 123456.25, -4194304.5])
    expected = np.sin(np.pi * np.mod(x.astype(float), 2)) / (np.pi * x.astype(float))
    np.testing.assert_allclose(jnp.sinc(x), expected, rtol=5e-7)
    slopes = jax.vmap(jax.grad(jnp.sinc))(np.float32([1, 2, -3, 1000, 1e6]))
    np.testing.assert_allclose(slopes, [-1, 1 / 2, 1 / 3, 1e-3, 1e-6], rtol=1e-6)
    z = np.complex64([2.5 - 0.3j, 100.25 + 0.1j])
    np.testing.assert_allclose(jnp.sinc(z), np.sinc(z.astype(complex)), rtol=3e-6)


@pytest.mark.parametrize("name", ["erf", "erfc", "erfinv", "ndtr", "ndtri"])
def test_slopes_with_the_exponential_of_a_square_at_the_ends(name):
    fun = getattr(jsp, name)
    slope = jax.vmap(jax.grad(fun))
    if name.endswith("i") or name.endswith("inv"):
        ends = np.float32([0, 1]) if name == "ndtri" else np.float32([-1, 1])
        np.testing.assert_array_equal(slope(ends), [INF, INF])
        outside = np.float32([-2, 2, NAN])
        assert np.isnan(slope(outside)).all()
        return
    far = np.float32([-INF, INF, 1e20, -1e20, 70])
    np.testing.assert_array_equal(slope(far), np.zeros(5))
    assert np.isnan(jax.grad(fun)(np.float32(NAN)))


@pytest.mark.parametrize("name", ["erf", "erfc", "erfinv"])
@pytest.mark.parametrize("x", [-0.7, 0.0, 0.3, 0.9])
def test_second_derivatives_of_error_functions(name, x):
    with jax.enable_x64(True):
        slope = jax.grad(getattr(jsp, name))
        step = 1e-6
        expected = (slope(x + step) - slope(x - step)) / (2 * step)
        found = jax.grad(slope)(x)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("dtype", [jnp.bfloat16, np.float16])
@pytest.mark.parametrize("name", ["erf", "erfc", "erfinv"])
def test_slopes_of_error_functions_of_halves_are_rounded_once(name, dtype):
    x = np.linspace(-0.95, 0.95, 39) * (1 if name == "erfinv" else 4)
    x = x.astype(dtype)
    found = np.asarray(jax.vmap(jax.grad(getattr(jsp, name)))(x)).astype(np.float32)
    wide = np.asarray(jax.vmap(jax.grad(getattr(jsp, name)))(x.astype(np.float32)))
    np.testing.assert_array_equal(found, wide.astype(dtype).astype(np.float32))


def test_normal_distribution_keeps_its_digits_in_the_far_tail():
    # Mills' ratio as a continued fraction: no square, and no quotient by a root.
    x = np.array([5.0, 9.3, 14.7, 21.1, 30.3, 37.1])
    ratio = np.zeros_like(x)
    for k in range(200, 0, -1):
        ratio = k / (x + ratio)
    high = x.astype(np.float32).astype(float)
    bell = np.exp(-high * high / 2) * np.exp(-(x - high) * (x + high) / 2)
    with jax.enable_x64(True):
        found = jsp.ndtr(-x)
    np.testing.assert_allclose(
        found, bell / np.sqrt(2 * np.pi) / (x + ratio), rtol=3e-15
    )


def test_bessel_functions_of_tiny_arguments():
    x = np.array([0.0, 1e-300, -1e-150, 1e-30, 1e-9, -1e-4])
    with jax.enable_x64(True):
        found = jsp.bessel_jn(x, v=2)
        slope = jax.vmap(jax.grad(lambda x: jsp.bessel_jn(x, v=1)[1]))(x)
    for order in range(3):
        expected = scipy.special.jv(order, x)
        np.testing.assert_allclose(found[order], expected, rtol=1e-12)
    np.testing.assert_allclose(slope, [0.5] * 6, rtol=1e-8)


@pytest.mark.parametrize("name", ["dawsn", "i1", "i1e", "erf", "erfinv"])
def test_odd_functions_keep_the_sign_of_zero(name):
    found = np.asarray(getattr(jsp, name)(np.float32([-0.0, 0.0])))
    np.testing.assert_array_equal(np.signbit(found), [True, False])
