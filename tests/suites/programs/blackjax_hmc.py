"""blackjax 1.7.1: samples a normal model with HMC."""

import blackjax

import jax
import jax.numpy as jnp
import jax.scipy.stats as stats

jax.config.update("jax_enable_x64", True)
observed = jax.random.normal(jax.random.key(0), (100,)) * 2.0 + 1.0


def logdensity(x):
    return jnp.sum(stats.norm.logpdf(observed, x["loc"], jnp.exp(x["log_scale"])))


kernel = blackjax.hmc(
    logdensity,
    step_size=1e-2,
    inverse_mass_matrix=jnp.ones(2),
    num_integration_steps=20,
)
state = kernel.init({"loc": 0.0, "log_scale": 0.0})


@jax.jit
def one_step(state, key):
    state, info = kernel.step(key, state)
    return state, (state.position, info.acceptance_rate)


final, (positions, rates) = jax.lax.scan(
    one_step, state, jax.random.split(jax.random.key(1), 50)
)
print(final.position)
print(positions["loc"][:4], rates[:4])

# Upstream prints:
#   {'loc': Array(1.06943053, dtype=float64, weak_type=True), 'log_scale': Array(0.76813584, dtype=float64, weak_type=True)}
#   [0.98096359 0.57172091 0.55455851 0.52474973] [1. 1. 1. 1.]
