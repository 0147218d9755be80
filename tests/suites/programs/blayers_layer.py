"""blayers 0.3.0: a layer with priors under NumPyro."""

import numpy as np
import numpyro
from blayers import layers

import jax.numpy as jnp

with numpyro.handlers.seed(rng_seed=0):
    out = layers.AdaptiveLayer()("w", jnp.ones((4, 2)))
print(out.shape, np.round(np.asarray(out)[0], 3).tolist())

# Upstream prints:
#   (4, 1) [-4.052000045776367]
