"""Samples of truncated normal distributions have the right tails, wherever the bounds are."""

import numpy as np
import pytest
import scipy.special
import scipy.stats

import jax
import jax.numpy as jnp

INF = np.inf
COUNT = 20_000


def probabilities(x, a, b):
    """The distribution function at the samples, from the nearer tail."""
    if b <= 0:
        return 1 - probabilities(-x, -b, -a)
    low, high, at = (scipy.special.log_ndtr(-v) for v in (a, b, np.asarray(x, float)))
    return np.expm1(at - low) / np.expm1(high - low)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (-2, 2),
        (-INF, INF),
        (-10, 10),
        (4, INF),
        (8, INF),
        (30, INF),
        (-INF, -4),
        (-INF, -12),
        (-INF, 0),
        (0.1, INF),
        (-1, 6),
        (5, 5.5),
        (8, 8.01),
        (-30.5, -30),
        (1e-3, 2e-3),
        (-INF, 3),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_samples_have_the_distribution_up_to_its_tails(a, b, dtype):
    with jax.enable_x64(dtype == np.float64):
        x = jax.random.truncated_normal(jax.random.key(7), a, b, (COUNT,), dtype)
    x = np.asarray(x)
    assert x.dtype == dtype
    assert a < x.min() and x.max() < b
    p = probabilities(x, a, b)
    assert scipy.stats.kstest(p, "uniform").pvalue > 1e-3
    # Neither end is empty, and none is farther out than so many samples reach.
    assert 0.02 / COUNT < p.min() < 20 / COUNT
    assert 0.02 / COUNT < 1 - p.max() < 20 / COUNT


def test_one_program_serves_bounds_of_every_kind():
    lower = jnp.array([-INF, 4.0, -2.0, 9.0, -INF])
    upper = jnp.array([-5.0, INF, 2.0, 9.5, INF])
    sample = jax.jit(jax.vmap(jax.random.truncated_normal, (0, 0, 0)))
    x = sample(jax.random.split(jax.random.key(0), 5), lower, upper)
    assert np.all(np.isfinite(x)) and np.all((x > lower) & (x < upper))
    assert np.all(np.abs(x) < 10)


@pytest.mark.parametrize("bounds", [(4.0, INF), (-INF, -6.0), (5.0, 7.0)])
def test_derivatives_in_the_bounds_are_limits_of_differences(bounds):
    def mean(bounds):
        with jax.enable_x64(True):
            key = jax.random.key(3)
            return jax.random.truncated_normal(key, *bounds, (50,), np.float64).mean()

    with jax.enable_x64(True):
        for at, bound in enumerate(bounds):
            if np.isinf(bound):
                continue
            ends = [list(bounds), list(bounds)]
            ends[0][at] += 1e-6
            ends[1][at] -= 1e-6
            expected = (mean(ends[0]) - mean(ends[1])) / 2e-6
            found = jax.grad(mean)(tuple(map(float, bounds)))[at]
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16])
def test_narrow_samples_of_a_tail_are_finite(dtype):
    x = jax.random.truncated_normal(jax.random.key(1), 4.0, INF, (COUNT,), dtype)
    assert x.dtype == dtype and 4 <= float(x.min()) and float(x.max()) < 9
