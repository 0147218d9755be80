"""`odeint`: solutions known in closed form, and their derivatives."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental.ode import odeint

TIMES = jnp.array([0.0, 0.4, 1.0, 2.5])
# Thousands of roundings of float32.
CLOSE = {"rtol": 2e-5, "atol": 2e-6}


def test_decay():
    found = odeint(lambda y, t: -y, 1.0, TIMES)
    np.testing.assert_allclose(found, np.exp(-TIMES), **CLOSE)


def test_a_tree_that_turns():
    def turn(y, t):
        return {"a": y["b"], "b": -y["a"]}

    found = odeint(turn, {"a": jnp.ones(2), "b": jnp.zeros(2)}, TIMES)
    assert found["a"].shape == (4, 2)
    np.testing.assert_allclose(found["a"][:, 0], np.cos(TIMES), **CLOSE)


def test_time_enters():
    found = odeint(lambda y, t, a: a * t, 0.0, TIMES, 3.0)
    np.testing.assert_allclose(found, 1.5 * TIMES**2, **CLOSE)


def test_times_that_descend():
    times = jnp.array([1.0, 0.5, 0.0])

    def states(times, a):
        return odeint(lambda y, t, a: -a * y * jnp.cos(t), 1.5, times, a)

    def exact(times, a):
        return 1.5 * jnp.exp(-a * (jnp.sin(times) - jnp.sin(times[0])))

    np.testing.assert_allclose(states(times, 2.0), exact(times, 2.0), **CLOSE)
    for found, wanted in zip(
        jax.jacrev(states, (0, 1))(times, 2.0),
        jax.jacrev(exact, (0, 1))(times, 2.0),
        strict=True,
    ):
        np.testing.assert_allclose(found, wanted, **CLOSE)
    turned = odeint(lambda y, t: 1j * y, 1.0 + 0j, times)
    np.testing.assert_allclose(turned, np.exp(1j * (np.asarray(times) - 1)), **CLOSE)


def test_times_in_no_order_give_nan():
    found = odeint(lambda y, t: -y, 1.0, jnp.array([0.0, 1.0, 0.5]))
    assert np.isnan(found).all()


def test_derivatives_in_everything():
    # y(t) = y0 exp(-a (sin t - sin t0))
    def last(y0, times, a):
        return odeint(lambda y, t, a: -a * y * jnp.cos(t), y0, times, a)[-1]

    times = jnp.array([0.1, 0.5, 1.0])
    y0_ct, t_ct, a_ct = jax.grad(last, (0, 1, 2))(1.5, times, 2.0)
    rise = np.sin(1.0) - np.sin(0.1)
    value = np.exp(-2.0 * rise)
    np.testing.assert_allclose(y0_ct, value, **CLOSE)
    np.testing.assert_allclose(a_ct, -1.5 * value * rise, **CLOSE)
    ends = [3.0 * value * np.cos(0.1), 0.0, -3.0 * value * np.cos(1.0)]
    np.testing.assert_allclose(t_ct, ends, **CLOSE)


def test_what_is_closed_over_has_a_derivative():
    def total(c):
        return odeint(lambda y, t: -c * y, jnp.ones(3), TIMES)[-1].sum()

    assert jax.grad(total)(2.0) == pytest.approx(-7.5 * np.exp(-5.0), rel=1e-4)


def test_batches():
    found = jax.vmap(lambda y, a: odeint(lambda y, t: a * y, y, TIMES)[-1])(
        jnp.array([1.0, 2.0]), jnp.array([-1.0, -0.5])
    )
    np.testing.assert_allclose(found, [np.exp(-2.5), 2 * np.exp(-1.25)], **CLOSE)


def test_a_limit_of_steps_stops():
    found = odeint(lambda y, t: -y, 1.0, TIMES, mxstep=1, hmax=0.01)
    assert abs(found[-1] - np.exp(-2.5)) > 0.1


def test_mistakes_are_explained():
    with pytest.raises(TypeError, match="array of floats"):
        odeint(lambda y, t: y, 1.0, jnp.arange(3))
    with pytest.raises(ValueError, match="tree like y"):
        odeint(lambda y, t: (y, y), 1.0, TIMES)
    with pytest.raises(ValueError, match="tree like y"):
        odeint(lambda y, t: y.sum(), jnp.ones(2), TIMES)
    with pytest.raises(TypeError, match="must be arrays or scalars"):
        odeint(lambda y, t, a: y, 1.0, TIMES, "a")
