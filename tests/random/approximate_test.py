"""The approximate methods of gamma, loggamma, chisquare, beta and poisson: distribution, edges, refusals."""

import numpy as np
import pytest
from scipy import stats

import jax
import jax.numpy as jnp
from jax import random

KEY = random.key(7)
COUNT = 4000


@pytest.mark.parametrize("a", [0.05, 0.5, 1.0, 2.5, 10.0, 1e3])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_gamma_has_the_distribution(a, dtype):
    drawn = random.gamma(KEY, a, (COUNT,), dtype, method="approximate")
    assert drawn.dtype == dtype
    if dtype == "float32":
        assert stats.kstest(np.float64(drawn), stats.gamma(a).cdf).pvalue > 1e-3
    else:
        wide = random.gamma(KEY, a, (COUNT,), method="approximate")
        np.testing.assert_allclose(np.float32(drawn), wide.astype(dtype), rtol=1e-2)


@pytest.mark.parametrize("a", [0.01, 0.5, 3.0])
def test_loggamma_is_the_logarithm_of_gamma_and_finite_for_small_parameters(a):
    logs = random.loggamma(KEY, a, (COUNT,), method="approximate")
    assert np.isfinite(logs).all()
    plain = random.gamma(KEY, a, (COUNT,), method="approximate")
    np.testing.assert_allclose(jnp.exp(logs), plain, rtol=2e-4)


def test_beta_and_chisquare_have_their_distributions():
    shares = random.beta(KEY, 2.0, 0.5, (COUNT,), method="approximate")
    assert stats.kstest(np.float64(shares), stats.beta(2.0, 0.5).cdf).pvalue > 1e-3
    squares = random.chisquare(KEY, 3.0, (COUNT,), method="approximate")
    assert stats.kstest(np.float64(squares), stats.chi2(3.0).cdf).pvalue > 1e-3


@pytest.mark.parametrize("mean", [0.05, 1.0, 9.5, 10.5, 1e3, 1e6])
def test_poisson_has_mean_and_variance(mean):
    drawn = np.asarray(random.poisson(KEY, mean, (COUNT,), method="approximate"))
    error = np.sqrt(mean / COUNT)
    assert abs(drawn.mean() - mean) < 5 * error
    assert abs(drawn.var() / mean - 1) < 0.15 + 5 / np.sqrt(COUNT * mean)


def test_edges():
    edges = jnp.array([0.0, jnp.inf, jnp.nan, -1.0])
    found = random.gamma(KEY, edges, method="approximate")
    np.testing.assert_array_equal(found, [0.0, np.inf, np.nan, 0.0])
    counts = random.poisson(
        KEY, jnp.array([0.0, jnp.inf, jnp.nan]), method="approximate"
    )
    np.testing.assert_array_equal(counts, [0, 0, 0])


def test_gamma_is_differentiable_and_batches():
    def draw(a):
        return random.gamma(KEY, a, method="approximate")

    assert np.isfinite(jax.grad(draw)(3.0))
    shapes = jnp.array([0.5, 3.0])
    np.testing.assert_allclose(
        jax.vmap(draw)(shapes), [draw(shapes[0]), draw(shapes[1])], rtol=1e-6
    )


@pytest.mark.parametrize(
    "draw",
    [
        lambda method: random.gamma(KEY, 2.0, method=method),
        lambda method: random.loggamma(KEY, 2.0, method=method),
        lambda method: random.chisquare(KEY, 2.0, method=method),
        lambda method: random.beta(KEY, 2.0, 3.0, method=method),
        lambda method: random.poisson(KEY, 2.0, method=method),
    ],
)
def test_methods_are_two_and_the_exact_one_is_the_default(draw):
    with pytest.raises(ValueError, match="must be one of {'exact', 'approximate'}"):
        draw("fast")
    assert draw("exact") != draw("approximate")
