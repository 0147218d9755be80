"""parajax 0.3.5: a function over several devices."""

import numpy as np
import parajax

import jax.numpy as jnp

f = parajax.parallelize(lambda x: jnp.sin(x) ** 2)
print(np.round(f(jnp.arange(4.0)), 4).tolist())

# Upstream prints:
#   [0.0, 0.7080999612808228, 0.8267999887466431, 0.019899999722838402]
