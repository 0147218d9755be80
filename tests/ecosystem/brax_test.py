"""Brax on our package: bodies move as upstream moves them, and motion has derivatives."""

import warnings

import numpy as np
import pytest

import jax
import jax.numpy as jnp

with warnings.catch_warnings():
    # Of Jaxopt, which it uses: that it is no longer maintained.
    warnings.simplefilter("ignore", DeprecationWarning)
    from brax import envs

# It warns of its own age, and of that of MuJoCo's interface.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Brax System"),
    pytest.mark.filterwarnings("ignore:Accessing:DeprecationWarning"),
]

# Observations after five equal pushes, of JAX 0.10.2.
AFTER = {
    "generalized": [0.15526795, -0.39026058, 1.4823980, -3.4875813],
    "positional": [0.02498434, -0.04469332, 0.6564104, -0.6848570],
}


@pytest.mark.parametrize("backend", AFTER)
def test_a_pendulum_moves_as_upstreams_does(backend):
    world = envs.get_environment("inverted_pendulum", backend=backend)
    state, step = jax.jit(world.reset)(jax.random.PRNGKey(0)), jax.jit(world.step)
    for _ in range(5):
        state = step(state, 0.3 * jnp.ones(world.action_size))
    np.testing.assert_allclose(state.obs, AFTER[backend], rtol=1e-4, atol=1e-5)
    assert state.reward == 1


def test_a_policy_learns_through_the_simulator():
    world = envs.get_environment("inverted_pendulum", backend="spring")
    start = jax.jit(world.reset)(jax.random.PRNGKey(1))

    def loss(gain):
        def move(state, _):
            state = world.step(state, jnp.tanh(state.obs @ gain)[None])
            return state, jnp.sum(state.obs**2)

        return jax.lax.scan(move, start, None, length=4)[1].sum()

    step = jax.jit(jax.value_and_grad(loss))
    gain, losses = jnp.zeros(4), []
    for _ in range(3):
        value, slope = step(gain)
        losses.append(float(value))
        gain -= 0.1 * slope / jnp.linalg.norm(slope)
    assert np.all(np.diff(losses) < 0)
    side = jnp.array([0.3, -0.2, 0.1, 0.2])
    _, along = step(side)
    wide = [
        loss(side + 1e-2 * sign * along / jnp.linalg.norm(along)) for sign in (1, -1)
    ]
    np.testing.assert_allclose(
        (wide[0] - wide[1]) / 2e-2, jnp.linalg.norm(along), rtol=0.05
    )
