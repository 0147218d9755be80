"""eigh 0.4.1: a derivative at equal eigenvalues."""

import numpy as np
from eigh import eigh

import jax
import jax.numpy as jnp

A = jnp.diag(jnp.array([1.0, 1.0, 2.0]))
w, v = eigh(A)
print(np.round(w, 4).tolist())
print(np.round(jax.grad(lambda a: eigh(a)[0].sum())(A), 4).tolist())

# Upstream prints:
#   [1.0, 1.0, 2.0]
#   [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
