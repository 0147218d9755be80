"""Analytic distributions at complex numbers, weak types, and how those that are not analytic refuse them."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
import jax.scipy.stats as jst

Z = np.complex64(0.5 + 1j)


def test_the_normal_density_is_continued():
    found = jst.norm.pdf(Z, 0.25, 2.0)
    y = (Z - 0.25) / 2
    np.testing.assert_allclose(found, np.exp(-y * y / 2) / np.sqrt(8 * np.pi), 1e-6)
    np.testing.assert_allclose(jst.norm.logpdf(Z, 0.25, 2.0), np.log(found), 1e-6)
    assert found.dtype == np.complex64


def test_an_imaginary_step_gives_the_slope_of_the_density():
    step = 1e-8
    slope = jst.norm.pdf(0.7 + step * 1j).imag / step
    np.testing.assert_allclose(slope, jax.grad(jst.norm.pdf)(0.7), rtol=1e-5)


def test_the_logistic_probability_is_continued():
    expected = 1 / (1 + np.exp(-(Z - 1) / 2))
    np.testing.assert_allclose(jst.logistic.cdf(Z, 1.0, 2.0), expected, 1e-6)
    np.testing.assert_allclose(jst.logistic.sf(Z, 1.0, 2.0), 1 - expected, 1e-6)


def test_the_cauchy_distribution_is_continued():
    y = (Z - 1) / 2
    density = 1 / (2 * np.pi * (1 + y * y))
    np.testing.assert_allclose(jst.cauchy.pdf(Z, 1.0, 2.0), density, 1e-6)
    np.testing.assert_allclose(jst.cauchy.logpdf(Z, 1.0, 2.0), np.log(density), 1e-6)
    below = 0.5 + np.arctan(y) / np.pi
    np.testing.assert_allclose(jst.cauchy.cdf(Z, 1.0, 2.0), below, 1e-6)
    np.testing.assert_allclose(jst.cauchy.sf(Z, 1.0, 2.0), 1 - below, 1e-6)
    np.testing.assert_allclose(jst.cauchy.logcdf(Z, 1.0, 2.0), np.log(below), 1e-6)
    np.testing.assert_allclose(jst.cauchy.logsf(Z, 1.0, 2.0), np.log(1 - below), 1e-6)


def test_the_logistic_density_is_continued():
    y = (Z - 1) / 2
    density = np.exp(-y) / (2 * (1 + np.exp(-y)) ** 2)
    np.testing.assert_allclose(jst.logistic.pdf(Z, 1.0, 2.0), density, 1e-6)
    np.testing.assert_allclose(jst.logistic.logpdf(Z, 1.0, 2.0), np.log(density), 1e-6)


@pytest.mark.parametrize(
    ("distribution", "shapes"),
    [(jst.cauchy, ()), (jst.logistic, ()), (jst.expon, ()), (jst.pareto, (1.5,))],
)
def test_a_quantile_is_continued_as_the_inverse_of_the_probability(
    distribution, shapes
):
    """By central differences along both axes, it is analytic, and real on the real line."""
    q, step = np.complex64(0.4 + 0.3j), 0.01
    found = [
        distribution.ppf(q + d, *shapes) for d in (step, -step, step * 1j, -step * 1j)
    ]
    along, upwards = (found[0] - found[1]) / step, (found[2] - found[3]) / (step * 1j)
    np.testing.assert_allclose(along, upwards, rtol=2e-3)
    on_the_line = distribution.ppf(np.complex64(0.4), *shapes)
    np.testing.assert_allclose(on_the_line, distribution.ppf(0.4, *shapes), 1e-5)


@pytest.mark.parametrize("distribution", [jst.cauchy, jst.logistic])
def test_the_upper_quantile_is_the_lower_one_of_the_complement(distribution):
    q = np.complex64(0.4 + 0.3j)
    np.testing.assert_allclose(distribution.isf(q), distribution.ppf(1 - q), 1e-5)


@pytest.mark.parametrize(
    "function",
    [jst.norm.cdf, jst.norm.ppf, jst.laplace.pdf, jst.expon.pdf, jst.laplace.cdf],
)
def test_others_refuse_them(function):
    with pytest.raises(TypeError, match="does not support complex-valued inputs"):
        function(Z)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (jst.norm.pdf, (True,)),
        (jst.expon.cdf, (True,)),
        (jst.bernoulli.pmf, (True, 0.4)),
        (jst.gamma.pdf, (1, 1.5)),
        (jst.t.pdf, (True, 1.5)),
    ],
)
def test_results_of_python_numbers_are_weak(function, args):
    assert function(*args).weak_type
    assert not function(jnp.float32(1), *args[1:]).weak_type


INTEGERS = jnp.arange(1, 3)


@pytest.mark.parametrize(
    ("function", "args", "is_weak"),
    [
        (jst.norm.pdf, (INTEGERS, 1.0), False),
        (jst.beta.cdf, (INTEGERS, 2.0, 3.0), False),
        (jst.beta.cdf, (0.5, INTEGERS, 3.0), True),
        (jst.beta.cdf, (INTEGERS, 2, 3), False),
        (jst.gamma.pdf, (0.5, INTEGERS), True),
        (jst.gamma.sf, (INTEGERS, 2.5), True),
        (jst.gamma.cdf, (INTEGERS, 2.5), False),
        (jst.expon.pdf, (INTEGERS, 1.0), True),
        (jst.expon.pdf, (INTEGERS,), False),
        (jst.binom.pmf, (INTEGERS, 4, 0.5), True),
        (jst.poisson.pmf, (INTEGERS, 2.5), True),
        (jst.poisson.cdf, (INTEGERS, 2.5), False),
        (jst.truncnorm.pdf, (0.5, -INTEGERS, 2.0), False),
    ],
)
def test_weak_types_beside_integers_of_an_array(function, args, is_weak):
    assert function(*args).weak_type == is_weak


def test_the_parameters_of_the_beta_distribution_have_no_derivative():
    with pytest.raises(ValueError, match="gradient with respect to a and b"):
        jax.grad(jst.beta.cdf, argnums=1)(0.4, 1.5, 2.5)
