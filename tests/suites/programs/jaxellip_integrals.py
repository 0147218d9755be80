"""jaxellip 0.0.1: complete elliptic integrals."""

import jaxellip as e
import numpy as np

import jax
import jax.numpy as jnp

m = jnp.array([0.1, 0.5, 0.9])
print(np.round(e.ellipk(m), 4).tolist(), np.round(e.ellipe(m), 4).tolist())
print(np.round(jax.grad(e.ellipk)(0.3), 3))

# Upstream prints:
#   [1.612399935722351, 1.854099988937378, 2.5780999660491943] [1.5307999849319458, 1.350600004196167, 1.1047999858856201]
#   0.58500004
