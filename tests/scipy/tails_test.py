"""Distributions far out, near an end of their support, and between equal probabilities."""

import numpy as np
import pytest
import scipy.stats

import jax
import jax.numpy as jnp
import jax.scipy.special as jsp
import jax.scipy.stats as jss

INF = np.inf


def agree(name, function, x, *shapes, rtol=1e-12):
    with jax.enable_x64(True):
        found = getattr(getattr(jss, name), function)(np.array(x), *shapes)
    expected = getattr(getattr(scipy.stats, name), function)(np.array(x), *shapes)
    np.testing.assert_allclose(found, expected, rtol=rtol)


@pytest.mark.parametrize("function", ["ppf", "isf"])
def test_quantiles_of_cauchy_near_both_ends(function):
    q = [0.0, 1e-300, 1e-10, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0]
    agree("cauchy", function, q)
    slope = jax.vmap(jax.grad(getattr(jss.cauchy, function)))
    found = slope(np.float32([1e-3, 0.25, 0.5, 0.9]))
    expected = np.pi / np.sin(np.pi * np.array([1e-3, 0.25, 0.5, 0.9])) ** 2
    sign = 1 if function == "ppf" else -1
    np.testing.assert_allclose(found, sign * expected, rtol=1e-5)


def test_density_of_cauchy_does_not_overflow_in_its_square():
    agree("cauchy", "logpdf", [-INF, -1e300, -1e20, 1e9, 1e12, 1e300, INF])
    found = jss.cauchy.logpdf(np.float32([1e25, -1e30]))
    expected = -np.log(np.pi) - 2 * np.log([1e25, 1e30])
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("function", ["cdf", "logcdf", "sf", "logsf"])
def test_truncated_normal_by_the_smaller_part(function):
    x = [-1e300, -9.0, -1.0, 0.3, 2.5, 8.0, 15.0, 1e300]
    agree("truncnorm", function, x, -INF, INF, rtol=1e-11)
    agree("truncnorm", function, x, 2.0, INF, rtol=1e-11)
    agree("truncnorm", function, x, -3.0, 9.0, rtol=1e-11)


def test_shares_of_a_truncated_normal_add_up_in_the_far_tail():
    x = np.array([30.001, 30.01, 30.1, 30.5])
    with jax.enable_x64(True):
        lower, upper = (f(x, 30.0, 31.0) for f in (jss.truncnorm.cdf, jss.truncnorm.sf))
    np.testing.assert_allclose(lower + upper, 1, rtol=1e-14)
    np.testing.assert_allclose(
        lower, -np.expm1(-30 * (x - 30) - (x - 30) ** 2 / 2), 0.05
    )


def test_upper_tail_of_beta_next_to_zero():
    a = b = 1e-5
    x = np.array([1e-300, 1e-100, 1e-20, 1e-5])
    with jax.enable_x64(True):
        lower, upper = jss.beta.cdf(x, a, b), jss.beta.sf(x, a, b)
    np.testing.assert_allclose(lower, x**a / 2, rtol=1e-5)
    np.testing.assert_allclose(lower + upper, 1, rtol=1e-14)
    agree("beta", "sf", [1e-6, 1e-4, 0.01, 0.3, 0.9], 2.0, 300.0, rtol=1e-10)


def test_wrapped_cauchy_with_nearly_all_weight_at_zero():
    c = np.float32(0.999)
    found = jss.wrapcauchy.pdf(np.float32([0, 1e-3, 1, 3]), c)
    y, c = np.array([0, np.float32(1e-3), 1, 3], float), float(c)
    spread = (1 - c) ** 2 + 4 * c * np.sin(y / 2) ** 2
    np.testing.assert_allclose(found, (1 - c * c) / spread / (2 * np.pi), rtol=1e-6)


def test_logarithm_of_gamma_keeps_its_digits_beside_its_zeros():
    step = np.array([1e-15, -1e-12, 1e-8, -1e-5, 1e-3, -1e-4])
    one, two = 1 + step, 2 + step
    with jax.enable_x64(True):
        first, second = jsp.gammaln(one), jsp.gammaln(two)
        ends = jsp.gammaln(np.array([1.0, 2.0]))
        slope = jax.grad(jax.grad(jsp.gammaln))(1.5)
    np.testing.assert_array_equal(ends, [0, 0])
    one, two = one - 1, two - 2
    zeta = [np.pi**2 / 6, 1.2020569031595942, np.pi**4 / 90, 1.03692775514337]
    series = -np.euler_gamma * one
    for k, z in enumerate(zeta, 2):
        series = series + (-one) ** k * z / k
    np.testing.assert_allclose(first, series, rtol=1e-12)
    np.testing.assert_allclose(second[:3], (1 - np.euler_gamma) * two[:3], rtol=1e-7)
    np.testing.assert_allclose(slope, 0.9348022005446793, rtol=1e-13)


NAMES = "dawsn digamma erfcx exp1 expi factorial gamma gammaln logit ndtri sici".split()


@pytest.mark.parametrize("setting", ["jax_debug_nans", "jax_debug_infs"])
@pytest.mark.parametrize("name", NAMES)
def test_checks_see_no_branch_that_a_selection_left_out(name, setting):
    def total(x):
        found = getattr(jsp, name)(x)
        return sum(found) if isinstance(found, tuple) else found

    x = jnp.float32(0.3)
    expected = jax.grad(total)(x), jax.grad(jax.grad(total))(x)
    jax.config.update(setting, True)
    try:
        found = jax.grad(total)(x), jax.grad(jax.grad(total))(x)
        bad = jnp.float32(np.nan if setting == "jax_debug_nans" else np.inf)
        with pytest.raises(FloatingPointError, match="invalid value"):
            jax.grad(lambda y: jnp.sin(y * bad))(x)
    finally:
        jax.config.update(setting, False)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def keys(z):
    """The parts, with the signs of zeros and all NaNs alike."""
    parts = np.stack([np.real(z), np.imag(z)]).astype(np.float64)
    return np.where(np.isnan(parts), 7e77, parts), np.signbit(parts) & ~np.isnan(parts)


COMPLEX = {
    "rsqrt": jax.lax.rsqrt,
    "square": jax.lax.square,
    "cube": lambda z: jax.lax.integer_pow(z, 3),
    "inverse square": lambda z: jax.lax.integer_pow(z, -2),
    "power of 0": lambda z: z ** jnp.zeros_like(z),
    "power of 1/2": lambda z: z**0.5,
    "power of 2": lambda z: 2**z,
}
PARTS = [0.0, -0.0, 1.0, -1.5, INF, -INF, np.nan]


@pytest.mark.parametrize("name", [*COMPLEX, "logistic"])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_special_values_are_the_same_eagerly_and_compiled(name, dtype):
    fun = COMPLEX.get(name, jax.lax.logistic)
    z = np.array([complex(a, b) for a in PARTS for b in PARTS]).astype(dtype)
    with jax.enable_x64(True):
        found = np.asarray(jax.jit(fun)(z))
        eager = np.array([np.asarray(fun(jnp.asarray(v))) for v in z])
        mirrored = np.asarray(jax.jit(fun)(z.conj()))
        slopes = np.asarray(jax.vmap(jax.grad(fun, holomorphic=True))(z))
    assert found.dtype == dtype == slopes.dtype
    for one, other in zip(keys(found), keys(eager), strict=True):
        np.testing.assert_array_equal(one, other)
    # f(conj z) = conj f(z) but for the sign of a zero.
    np.testing.assert_array_equal(keys(found.conj())[0], keys(mirrored)[0])
    finite = np.isfinite(z) & (z != 0)
    assert np.isfinite(found[finite]).all() and np.isfinite(slopes[finite]).all()


def test_logistic_function_of_complex_infinities():
    z = np.array([complex(-INF, 1), complex(INF, 1), complex(INF, 0), complex(-200, 3)])
    for dtype in (np.complex64, np.complex128):
        with jax.enable_x64(True):
            found = np.asarray(jax.lax.logistic(z.astype(dtype)))
        np.testing.assert_array_equal(found[:3], [0, 1, 1])
        assert abs(found[3]) < 1e-38


def test_distributions_of_vectors_keep_their_digits_at_large_parameters():
    # Terms of millions add up to a few: in float32, digits before the point would be lost.
    random = np.random.default_rng(0)
    for size in (1e2, 1e4, 1e6):
        alpha = np.float32(size * random.uniform(0.5, 1, 3))
        x = np.float32(alpha / alpha.sum())
        x[2] = 1 - x[:2].sum()
        exact = x.astype(float) / x.astype(float).sum()
        expected = scipy.stats.dirichlet.logpdf(exact, alpha.astype(float))
        found = jss.dirichlet.logpdf(x, alpha)
        np.testing.assert_allclose(found, expected, rtol=2e-6 + 1e-8 * size)
        counts = np.round(alpha)
        p = x.astype(float) / x.astype(float).sum()
        expected = scipy.stats.multinomial.logpmf(counts, counts.sum(), p)
        found = jss.multinomial.logpmf(counts, np.float32(counts.sum()), x)
        np.testing.assert_allclose(found, expected, rtol=2e-6 + 1e-8 * size)


def test_density_of_vonmises_near_its_middle():
    y = np.float32([1e-4, 1e-2, 0.1, 1, 3])
    for kappa in np.float32([0.1, 10, 1e3, 1e6]):
        expected = scipy.stats.vonmises.logpdf(y.astype(float), float(kappa))
        found = jss.vonmises.logpdf(y, kappa)
        np.testing.assert_allclose(found, expected, rtol=3e-6)
