"""Single steps of the solver of differential equations, held against SciPy's tables."""

import numpy as np
import pytest
from scipy.integrate._ivp.rk import RK45

import jax
import jax.numpy as jnp
from jax.experimental import ode
from jax.extend import linear_util
from jax.flatten_util import ravel_pytree


def slope(y, t):
    return -y * t + jnp.sin(y)


Y0 = jnp.array([1.0, 2.0, -0.5])
T0, DT = jnp.float32(0.3), jnp.float32(0.1)


def step_of_scipy():
    """End, estimate of the error, and slopes, in double precision."""
    y, t, h = np.asarray(Y0, np.float64), 0.3, 0.1
    f = lambda y, t: -y * t + np.sin(y)  # noqa: E731
    slopes = [f(y, t)]
    for node, weights in zip(RK45.C[1:], RK45.A[1:], strict=True):
        at = y + h * np.dot(weights[: len(slopes)], slopes)
        slopes.append(f(at, t + node * h))
    end = y + h * np.dot(RK45.B, slopes)
    slopes.append(f(end, t + h))
    return end, h * np.dot(RK45.E, slopes), np.array(slopes)


def test_a_step_is_that_of_scipy():
    end, error, slopes = step_of_scipy()
    found = ode.runge_kutta_step(slope, Y0, slope(Y0, T0), T0, DT)
    np.testing.assert_allclose(found[0], end, rtol=1e-6)
    np.testing.assert_allclose(found[1], slopes[-1], rtol=2e-6)
    np.testing.assert_allclose(found[3], slopes, rtol=3e-6)
    with jax.enable_x64(True):
        y0 = jnp.asarray(np.asarray(Y0, np.float64))
        found = ode.runge_kutta_step(slope, y0, slope(y0, 0.3), 0.3, 0.1)
        # The sign of the error is upstream's.
        np.testing.assert_allclose(np.abs(found[2]), np.abs(error), rtol=1e-4)


def test_between_the_ends_the_polynomial_is_that_of_scipy():
    end, _, slopes = step_of_scipy()
    found = ode.interp_fit_dopri(
        Y0, jnp.asarray(end, jnp.float32), jnp.asarray(slopes), DT
    )
    assert found.shape == (5, 3)
    for part in (0.0, 0.2, 0.5, 1.0):
        powers = part ** np.arange(1, 5)
        wanted = np.asarray(Y0) + 0.1 * slopes.T @ (RK45.P @ powers)
        np.testing.assert_allclose(np.polyval(found, part), wanted, rtol=1e-6)


def test_a_polynomial_has_the_values_and_slopes():
    found = np.array(ode.fit_4th_order_polynomial(1.0, 2.0, 1.3, 0.5, 0.6, 0.1))
    for part, value in ((0, 1.0), (1, 2.0), (0.5, 1.3)):
        assert np.polyval(found, part) == pytest.approx(value, abs=1e-5)
    for part, value in ((0, 0.05), (1, 0.06)):
        assert np.polyval(np.polyder(found), part) == pytest.approx(value, abs=1e-5)


def test_the_lengths_of_steps_are_those_of_upstream():
    first = ode.initial_step_size
    # Upstream 0.10.2 returns these.
    assert first(slope, 0.3, Y0, 4, 1e-6, 1e-6, slope(Y0, 0.3)) == pytest.approx(
        0.025704633
    )
    assert first(lambda y, t: y * 0, 0.3, Y0, 4, 1e-6, 1e-6, Y0 * 0) == pytest.approx(
        1e-6
    )
    one = Y0 * 0 + 1
    assert first(lambda y, t: one, 0.3, Y0 * 0, 4, 1e-3, 1e-6, one) == pytest.approx(
        1e-4
    )
    for ratio, wanted in (
        (0.0, 1.0),
        (0.5, 0.10338285),
        (0.99, 0.1),
        (1.0, 0.09),
        (2.0, 0.07834955),
        (1e9, 0.02),
    ):
        assert ode.optimal_step_size(DT, jnp.float32(ratio)) == pytest.approx(wanted)


def test_errors_are_weighed():
    error = jnp.array([3e-6, 4e-6])
    found = ode.mean_error_ratio(
        error, 1e-6, 1e-6, jnp.array([-1.0, 0]), jnp.array([0.5, 1.0])
    )
    assert found == pytest.approx(np.sqrt((1.5**2 + 2**2) / 2))
    assert ode.abs2(3 + 4j) == 25
    np.testing.assert_array_equal(ode.abs2(jnp.array([1, -2])), [1, 4])
    assert ode.abs2(jnp.array([1 + 1j])).dtype == jnp.float32


def test_trees_become_vectors():
    vector, unravel = ravel_pytree({"a": 1.0, "b": 2.0})
    f = lambda y, s: {"a": y["a"] * s, "b": y["b"]}  # noqa: E731
    debug = jax.api_util.debug_info("ode", f, (0, 0), {})
    found = ode.ravel_first_arg(f, unravel, debug)
    np.testing.assert_array_equal(found(vector, 3.0), [3, 2])
    wrapped = linear_util.wrap_init(f, debug_info=debug)
    found = ode.ravel_first_arg_(wrapped, unravel).call_wrapped
    np.testing.assert_array_equal(found(vector, 2.0), [2, 2])
