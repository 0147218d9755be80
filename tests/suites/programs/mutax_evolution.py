"""mutax 0.5.5: differential evolution of a bowl."""

import mutax
import numpy as np

import jax
import jax.numpy as jnp

r = mutax.differential_evolution(
    lambda x: jnp.sum((x - 0.5) ** 2),
    bounds=((-1.0, 1.0), (-1.0, 1.0)),
    key=jax.random.key(0),
)
print(np.round(np.asarray(r.x), 2).tolist(), float(r.fun) < 1e-3)

# Upstream prints:
#   [0.5, 0.5] True
