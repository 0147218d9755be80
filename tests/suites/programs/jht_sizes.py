"""jaxht 0.4.0: sizes of coefficients on the sphere."""

import jht
import numpy as np

import jax.numpy as jnp

print(jht.alm_size(8))
m = jht.adjoint_synthesis(jnp.ones((12 * 4**2,)), 4, 4)
print(m.shape, m.dtype, np.round(np.asarray(m).ravel()[:2], 3).tolist())

# Upstream prints:
#   45
#   (15,) complex64 [(54.1619987487793+0j), 0j]
