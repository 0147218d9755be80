"""tqdx 0.1.5: loops with a bar."""

import tqdx

import jax.numpy as jnp

print(float(tqdx.fori_loop(0, 4, lambda i, c: c + i, 0.0)))
print(tqdx.scan(lambda c, x: (c + x, c), 0.0, jnp.arange(3.0))[1].tolist())

# Upstream prints:
#   6.0
#   [0.0, 0.0, 1.0]
