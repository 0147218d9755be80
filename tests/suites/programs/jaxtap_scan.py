"""jax-tap 0.3.1: the primitives of a function."""

import jaxtap

import jax
import jax.numpy as jnp

print(jaxtap.primitives(lambda x: jnp.sin(x) * jax.lax.exp(x), 1.0))
print(jaxtap.original_scan(lambda c, a: (c + a, c), 0.0, jnp.arange(3.0))[1].tolist())

# Upstream prints:
#   {'sin': 1, 'exp': 1, 'mul': 1}
#   [0.0, 0.0, 1.0]
