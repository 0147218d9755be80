"""tinydiffeq 2.6.1: integrals and solvers of ordinary equations."""

import numpy as np
import tinydiffeq as t

import jax.numpy as jnp

ts = jnp.linspace(0, 1, 5)
print(np.round(t.cumulative_trapezoid(lambda s: s**2, ts), 4).tolist())
print(t.Tsit5.__name__, t.Rodas5P.__name__)

# Upstream prints:
#   [[0.0, 0.007799999788403511, 0.04690000042319298, 0.14839999377727509, 0.34380000829696655], [0.0, 0.0625, 0.25, 0.5625, 1.0]]
#   Tsit5 Rodas5P
