"""smcjax 1.1.0: effective sizes and scores of particles."""

import numpy as np
import smcjax

import jax.numpy as jnp

w = jnp.log(jnp.array([0.1, 0.2, 0.7]))
print(np.round(smcjax.ess(w), 4), np.round(smcjax.log_ess(w), 4))
print(np.round(smcjax.crps(jnp.array([0.1, 0.4, 0.9]), 0.5), 4))

# Upstream prints:
#   1.8519 0.6162
#   0.1222
