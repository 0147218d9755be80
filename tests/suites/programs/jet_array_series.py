"""jet-array 0.1.0a2: a Taylor series of a function."""

import numpy as np
from jet_array import jet

import jax
import jax.numpy as jnp

f = lambda x: jnp.sin(x) * jnp.exp(x)
out = jet(f, (jnp.float32(0.5),), (jnp.array([1.0, 0.0, 0.0]),))
print(np.round(np.concatenate([np.ravel(x) for x in jax.tree.leaves(out)]), 4).tolist())

# Upstream prints:
#   [0.7904000282287598, 2.237299919128418, 1.4469000101089478, 0.21879999339580536]
