"""Minima of smooth functions, beside SciPy's from the same starts."""

import numpy as np
import pytest
import scipy.optimize

import jax
import jax.numpy as jnp
from jax.scipy.optimize import minimize

LIMITED = "l-bfgs-experimental-do-not-rely-on-this"


def rosenbrock(x):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def himmelblau(x):
    return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2


def matyas(x):
    return 0.26 * (x[0] ** 2 + x[1] ** 2) - 0.48 * x[0] * x[1]


def eggholder(p):
    x, y = p
    first = -(y + 47) * jnp.sin(jnp.sqrt(abs(x / 2 + y + 47)))
    return first - x * jnp.sin(jnp.sqrt(abs(x - (y + 47))))


FAR = [(92, 0.001), (100, 100), (-100, 50), (0.001, 1000), (512, 404.2), (3, -60)]
NEAR = [(0, 0), (-2, 7), (10, -10), (1, 1.5)]
CASES = [
    *[(himmelblau, start) for start in FAR + NEAR],
    *[(eggholder, start) for start in FAR + NEAR],
    *[(matyas, start) for start in FAR + NEAR],
    *[(rosenbrock, start) for start in NEAR],
]


@pytest.mark.parametrize(("fun", "start"), CASES)
def test_bfgs_visits_the_points_of_scipy_from_good_and_bad_starts(fun, start):
    with jax.enable_x64(True):
        start = np.array(start, np.float64)
        slope = jax.jit(jax.grad(fun))
        wanted = scipy.optimize.minimize(
            lambda x: float(fun(x)), start, jac=lambda x: np.asarray(slope(x))
        )
        found = jax.jit(lambda x: minimize(fun, x, method="BFGS"))(start)
    assert found.success == wanted.success
    np.testing.assert_allclose(found.x, wanted.x, atol=1e-4)
    # The matrices differ in roundings, which long runs make visible.
    assert abs(found.nit - wanted.nit) <= wanted.nit / 40
    assert abs(found.nfev - wanted.nfev) <= wanted.nfev / 20


# From values of 1e12 float32 has no digits for the differences that a search sees.
@pytest.mark.parametrize("start", [s for s in FAR + NEAR if s != (0.001, 1000)])
def test_float32_reaches_the_minimum_that_float64_reaches(start):
    with jax.enable_x64(True):
        exact = minimize(himmelblau, jnp.array(start, jnp.float64), method="BFGS")
    found = minimize(himmelblau, jnp.array(start, jnp.float32), method="BFGS")
    assert found.success
    assert himmelblau(found.x) < 1e-5
    np.testing.assert_allclose(found.x, exact.x, atol=1e-3)


@pytest.mark.parametrize("start", FAR + NEAR)
def test_the_method_of_limited_memory_reaches_a_minimum(start):
    found = minimize(himmelblau, jnp.array(start, jnp.float32), method=LIMITED)
    assert himmelblau(found.x) < 1e-4


def test_a_step_beyond_the_domain_is_halved():
    fun = lambda x: x[0] - jnp.log(x[0]) + (x[1] - 1) ** 2
    found = minimize(fun, jnp.array([1e-3, 40.0]), method="BFGS")
    assert found.success
    np.testing.assert_allclose(found.x, [1, 1], atol=1e-4)


@pytest.mark.parametrize("start", [(np.nan, 1.0), (1e10, 1e10)])
def test_starts_without_a_value_end_without_success(start):
    found = minimize(himmelblau, jnp.array(start, jnp.float32), method="BFGS")
    assert not found.success
