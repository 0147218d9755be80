"""geojax 0.1.1: steps on a sphere."""

import geojax
import numpy as np

import jax.numpy as jnp

M = geojax.Sphere(3)
x = jnp.array([1.0, 0.0, 0.0])
v = M.proj(x, jnp.array([0.3, 0.4, 0.0]))
y = M.exp(x, v)
print(
    np.round(v, 4).tolist(),
    np.round(y, 4).tolist(),
    np.round(M.dist(x, y), 4),
    np.round(M.log(x, y), 4).tolist(),
)

# Upstream prints:
#   [0.0, 0.3999999761581421, 0.0] [0.9210999608039856, 0.3893999755382538, 0.0] 0.39999998 [0.0, 0.3999999761581421, 0.0]
