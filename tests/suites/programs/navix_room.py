"""navix 0.7.4: a room that is reset and stepped."""

import navix
import numpy as np

import jax

env = navix.make("Navix-Empty-5x5-v0")
ts = env.reset(jax.random.PRNGKey(0))
ts = env.step(ts, 2)
print(float(ts.reward), int(ts.t), np.asarray(ts.observation).shape)

# Upstream prints:
#   0.0 1 (5, 5, 3)
