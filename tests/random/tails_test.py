"""No sampler has an outlier or an infinity where its uniform number is 0."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

# name: (parameters, bounds that a hundred thousand samples keep)
BOUNDS = {
    "exponential": ((), 0, 20),
    "gumbel": ((), -3.5, 20),
    "laplace": ((), -20, 20),
    "logistic": ((), -20, 20),
    "maxwell": ((), 0, 7),
    "normal": ((), -7, 7),
    "rayleigh": ((1.0,), 0, 6),
}


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16, jnp.float32])
@pytest.mark.parametrize("name", BOUNDS)
def test_samples_are_finite_and_without_outliers(name, dtype):
    parameters, low, high = BOUNDS[name]
    sample = getattr(jax.random, name)
    x = sample(jax.random.key(5), *parameters, shape=(100_000,), dtype=dtype)
    x = np.asarray(x, np.float64)
    assert np.all(np.isfinite(x))
    assert low <= x.min() and x.max() <= high
