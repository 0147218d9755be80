"""dynamaxsys 0.0.9: steps of a unicycle."""

import dynamaxsys
import numpy as np

import jax.numpy as jnp

u = dynamaxsys.DoubleIntegrator2D()
x = jnp.array([0.0, 0.0, 1.0, 0.5])
print(np.round(u(x, jnp.array([0.1, -0.2]), 0.0), 4).tolist())

# Upstream prints:
#   [1.0, 0.5, 0.09999999403953552, -0.19999998807907104]
