"""blackjax 1.7.1: tunes NUTS by window adaptation."""

import blackjax

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def logdensity(x):
    return -0.5 * jnp.sum((x - jnp.array([1.0, -2.0])) ** 2 / jnp.array([1.0, 4.0]))


warmup = blackjax.window_adaptation(blackjax.nuts, logdensity)
(state, parameters), info = warmup.run(jax.random.key(0), jnp.zeros(2), num_steps=60)
print(parameters["step_size"], parameters["inverse_mass_matrix"])
kernel = blackjax.nuts(logdensity, **parameters).step
state, info = jax.jit(kernel)(jax.random.key(1), state)
print(state.position, info.num_integration_steps, info.is_divergent)
print(
    blackjax.diagnostics.effective_sample_size(
        jax.random.normal(jax.random.key(3), (2, 100, 1))
    )
)

# Upstream prints:
#   0.6853628336722646 [1.28284124 1.95055329]
#   [ 1.39941634 -1.78603013] 3 False
#   167.36823986535558
