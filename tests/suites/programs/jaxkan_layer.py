"""jaxkan 0.3.7: a layer of splines."""

from flax import nnx
from jaxkan.models.KAN import KAN

import jax
import jax.numpy as jnp

m = KAN([2, 3, 1], "spline", {"k": 3, "G": 3}, 42)
print(m(jnp.ones((4, 2))).shape)

print(len(jax.tree.leaves(nnx.state(m))) > 0)

# Upstream prints:
#   (4, 1)
#   True
