"""jraphx 0.1.0: a convolution over a graph."""

import numpy as np
from flax import nnx
from jraphx.nn.conv import GCNConv

import jax.numpy as jnp

c = GCNConv(2, 3, rngs=nnx.Rngs(0))
out = c(jnp.ones((3, 2)), jnp.array([[0, 1], [1, 2]]))
print(out.shape, np.round(out.sum(), 3))

# Upstream prints:
#   (3, 3) -5.0810003
