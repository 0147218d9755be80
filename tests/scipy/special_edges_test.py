"""Special functions and distributions at poles, infinities and large parameters."""

import fractions

import numpy as np
import pytest
import scipy.special
import scipy.stats

import jax
import jax.numpy as jnp
import jax.scipy.special as jsp
import jax.scipy.stats as jss
from jax._src.lax.ops import uniform_gamma

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_incomplete_gamma_functions_of_large_parameters_agree_with_scipy(name, wide):
    # SciPy's own expansion ends at 4.5 roots, beyond which it loses digits.
    a, k = np.meshgrid(10.0 ** np.arange(2, 16), np.linspace(-4, 4, 13))
    with jax.enable_x64(wide):
        dtype = np.float64 if wide else np.float32
        a, x = a.astype(dtype), (a + k * np.sqrt(a)).astype(dtype)
        found = getattr(jsp, name)(a, x)
    expected = getattr(scipy.special, name)(a.astype(float), x.astype(float))
    np.testing.assert_allclose(found, expected, rtol=1e-11 if wide else 1e-6)


def test_coefficients_of_the_uniform_expansion_follow_from_their_recurrence():
    # mu as a power series in eta, from eta (1 + mu) = mu dmu/deta (DLMF 8.12.11 to 8.12.14).
    alpha = [fractions.Fraction(0), fractions.Fraction(1)]
    for n in range(2, len(uniform_gamma._SERIES) + 1):
        crossed = sum(alpha[i] * (n + 1 - i) * alpha[n + 1 - i] for i in range(2, n))
        alpha.append((alpha[n - 1] - crossed) / (n + 1))
    exact = [(n + 1) * a for n, a in enumerate(alpha[1:])]
    exact[1] -= 1  # what belongs to the pole
    assert uniform_gamma._SERIES == [float(c) for c in exact]


def test_derivatives_of_large_parameters_are_those_of_a_normal_distribution():
    # With x = a + k sqrt(a) the slope in a is - phi(k) / sqrt(a) but for terms 1/a.
    a, k = np.meshgrid([1e8, 1e10, 1e12], np.linspace(-4, 4, 9))
    with jax.enable_x64(True):
        x = a + k * np.sqrt(a)
        slopes = jax.vmap(jax.grad(jsp.gammainc, (0, 1)))(a.ravel(), x.ravel())
    bell = scipy.stats.norm.pdf(k.ravel()) / np.sqrt(a.ravel())
    np.testing.assert_allclose(slopes[0], -bell, rtol=3e-3)
    np.testing.assert_allclose(slopes[1], bell, rtol=3e-3)


@pytest.mark.parametrize("a", [2.0, 100.0, 1e4, 1e6, 1e8])
@pytest.mark.parametrize("b", [0.5, 300.0, 1e5, 1e8])
def test_incomplete_beta_function_of_large_parameters_agrees_with_scipy(a, b):
    mean = a / (a + b)
    x = mean + np.sqrt(mean * (b / (a + b)) / (a + b + 1)) * np.linspace(-3, 3, 7)
    x = np.clip(x, mean / 50, 1 - 1e-13)
    with jax.enable_x64(True):
        found = jsp.betainc(a, b, x)
    np.testing.assert_allclose(found, scipy.special.betainc(a, b, x), rtol=3e-9)


def test_small_parameters_keep_the_digits_of_both_tails():
    with jax.enable_x64(True):
        upper = jsp.gammaincc(1e-20, np.array([1e-3, 0.5, 1.0, 3.0]))
        below = jsp.betainc(2.0, 1e-20, np.array([0.1, 0.9, 0.999]))
    expected = 1e-20 * scipy.special.exp1([1e-3, 0.5, 1.0, 3.0])
    np.testing.assert_allclose(upper, expected, rtol=1e-13)
    x = np.array([0.1, 0.9, 0.999])
    np.testing.assert_allclose(below, 1e-20 * (-np.log1p(-x) - x), rtol=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "beta"),
    [
        (-1, 1, -1),
        (-2, 1, -1 / 2),
        (-2, 2, 1 / 2),
        (-3, 2, 1 / 6),
        (-4, 4, 1 / 4),
        (-50, 3, -1 / 58800),
        (2, -3, 1 / 6),
        (-1.5, 1.5, 0),
        (-1, 2, NAN),
        (-1, -1, NAN),
        (-INF, 2, NAN),
        (0.0, 2, INF),
        (2, -0.0, -INF),
    ],
)
def test_beta_of_whole_negative_numbers(a, b, beta):
    np.testing.assert_allclose(jsp.beta(float(a), float(b)), beta, rtol=1e-5)
    if np.isfinite(a) and a != -1.5:
        logarithm = INF if not np.isfinite(beta) else np.log(abs(beta))
        found = jax.jit(jsp.betaln)(float(a), float(b))
        np.testing.assert_allclose(found, logarithm, rtol=1e-5)


def test_slope_of_betaln_where_two_poles_cancel():
    # beta(a, 1) is 1 / a, beta(a, 2) is 1 / (a (a + 1)).
    assert jax.grad(jsp.betaln)(-3.0, 1.0) == pytest.approx(1 / 3, rel=1e-5)
    expected = -(1 / -4 + 1 / -3)
    assert jax.grad(jsp.betaln)(-4.0, 2.0) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("z", [-4.0, -2.0, -1.0, 0.0, 1.0, 3.0])
@pytest.mark.parametrize("m", [0, 1, 2, 3, 5])
def test_rising_factorials_of_whole_numbers_are_products(z, m):
    expected = np.prod(z + np.arange(m))
    np.testing.assert_allclose(jsp.poch(z, float(m)), expected, rtol=1e-5, atol=1e-6)


def test_rising_factorials_of_large_numbers_keep_their_digits():
    z = np.array([1e6, 1e10, 1e20])
    with jax.enable_x64(True):
        np.testing.assert_allclose(jsp.poch(z, 1.0), z, rtol=1e-13)
        np.testing.assert_allclose(jsp.poch(z, 0.5), np.sqrt(z), rtol=1e-6)


def test_zeta_and_polygamma_at_infinity_and_far_below_zero():
    assert np.array_equal(jsp.zeta(np.array([2.0, 1.5, 30.0]), INF), np.zeros(3))
    assert np.array_equal(jsp.zeta(INF, np.array([0.5, 1.0, 2.0])), [INF, 1, 0])
    assert np.array_equal(jnp.abs(jsp.polygamma(np.arange(1, 5), INF)), np.zeros(4))
    assert np.all(np.isnan(jsp.zeta(np.array([2.0, NAN]), np.array([NAN, 2.0]))))
    # zeta(2, q) + zeta(2, 1 - q) is (pi / sin(pi q))**2.
    q = np.array([-0.3, -12.7, -1000.25])
    with jax.enable_x64(True):
        expected = (np.pi / np.sin(np.pi * q)) ** 2 - scipy.special.zeta(2, 1 - q)
        np.testing.assert_allclose(jsp.zeta(2.0, q), expected, rtol=1e-10)
        np.testing.assert_allclose(jsp.polygamma(1, q), expected, rtol=1e-10)


CONTINUOUS = {
    "beta": (2.0, 3.0),
    "cauchy": (),
    "chi2": (3.0,),
    "expon": (),
    "gamma": (2.5,),
    "gennorm": (1.5,),
    "gumbel_l": (),
    "gumbel_r": (),
    "laplace": (),
    "logistic": (),
    "norm": (),
    "pareto": (2.0,),
    "t": (4.0,),
    "truncnorm": (-1.0, 2.0),
    "uniform": (),
}
FUNCTIONS = "pdf logpdf cdf logcdf sf logsf".split()
AT = [-INF, -1e30, -30.0, -1.0, -0.5, 0.5, 1.5, 2.5, 30.0, 1e30, INF, NAN]


@pytest.mark.parametrize("family", CONTINUOUS)
def test_distributions_agree_with_scipy_outside_and_at_infinity(family):
    ours, theirs = getattr(jss, family), getattr(scipy.stats, family)
    with jax.enable_x64(True), np.errstate(all="ignore"):
        for name in FUNCTIONS:
            if not hasattr(ours, name):
                continue
            found = np.asarray(getattr(ours, name)(np.array(AT), *CONTINUOUS[family]))
            expected = getattr(theirs, name)(np.array(AT), *CONTINUOUS[family])
            if (family, name) == ("laplace", "logpdf"):  # SciPy's underflows.
                expected = -np.abs(AT) - np.log(2)
            if family.startswith("gumbel"):  # SciPy's have NaN for 0 at one infinity.
                side = AT.index(INF if family == "gumbel_l" else -INF)
                if "pdf" in name:
                    expected[side] = 0 if name == "pdf" else -INF
            np.testing.assert_allclose(
                found, expected, rtol=1e-9, atol=1e-300, err_msg=name
            )


@pytest.mark.parametrize(
    ("x", "a", "b", "expected"),
    [
        (-INF, -INF, 0.0, 0.0),
        (0.0, -INF, 0.0, 1.0),
        (INF, 0.0, INF, 1.0),
        (0.0, 0.0, INF, 0.0),
        (-INF, -INF, INF, 0.0),
        (INF, -INF, INF, 1.0),
        (0.0, -INF, INF, 0.5),
        (10.0, 10.0, 11.0, 0.0),
        (NAN, -INF, 0.0, NAN),
    ],
)
def test_truncated_normal_distribution_function_at_its_ends(x, a, b, expected):
    np.testing.assert_allclose(jss.truncnorm.cdf(x, a, b), expected, atol=1e-7)
    np.testing.assert_allclose(jss.truncnorm.sf(x, a, b), 1 - expected, atol=1e-7)
    with np.errstate(divide="ignore"):
        logarithm = np.log(expected)
    np.testing.assert_allclose(jss.truncnorm.logcdf(x, a, b), logarithm, rtol=1e-6)
