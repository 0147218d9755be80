"""BlackJAX on our package: samplers find a posterior that is known exactly."""

import blackjax
import numpy as np
import pytest

import jax
import jax.numpy as jnp
from tests.ecosystem import data

START = jnp.zeros(3)


def test_a_trajectory_is_upstreams():
    sampler = blackjax.hmc(
        data.log_density_of,
        step_size=0.05,
        inverse_mass_matrix=jnp.ones(3),
        num_integration_steps=10,
    )
    state, step = sampler.init(START), jax.jit(sampler.step)
    for seed in range(3):
        state, info = step(jax.random.key(seed), state)
        assert info.is_accepted
    # Of JAX 0.10.2.
    np.testing.assert_allclose(
        state.position, [1.6242218, -0.0447663, 0.7527326], atol=2e-5
    )


def test_nuts_adapts_itself_and_samples():
    warm = blackjax.window_adaptation(blackjax.nuts, data.log_density_of)
    (state, found), _ = warm.run(jax.random.key(1), START, num_steps=300)
    nuts = blackjax.nuts(data.log_density_of, **found)

    @jax.jit
    def sample(state, keys):
        def one(state, key):
            state, info = nuts.step(key, state)
            return state, (state.position, info.num_integration_steps)

        return jax.lax.scan(one, state, keys)[1]

    positions, steps = sample(state, jax.random.split(jax.random.key(2), 800))
    data.check_posterior(positions)
    assert 1 < steps.mean() < 16


@pytest.mark.parametrize(
    "sampler",
    [
        blackjax.mala(data.log_density_of, 1.5e-3),
        blackjax.additive_step_random_walk(
            data.log_density_of, blackjax.mcmc.random_walk.normal(0.05 * jnp.ones(3))
        ),
        blackjax.hmc(data.log_density_of, 0.05, jnp.ones(3), 8),
    ],
    ids=["mala", "random walk", "hmc"],
)
def test_chains_run_side_by_side(sampler):
    mean, _ = data.posterior()
    start = jnp.asarray(mean, jnp.float32)

    @jax.jit
    @jax.vmap
    def chain(key):
        def one(state, key):
            state, _ = sampler.step(key, state)
            return state, state.position

        keys = jax.random.split(key, 1500)
        return jax.lax.scan(one, sampler.init(start), keys)[1][500:]

    positions = chain(jax.random.split(jax.random.key(3), 8))
    assert positions.shape == (8, 1000, 3)
    data.check_posterior(positions.reshape(-1, 3))
