"""equimo 1.1.0: an attention layer."""

from equimo.layers.attention import Attention

import jax
import jax.numpy as jnp

a = Attention(dim=8, num_heads=2, key=jax.random.PRNGKey(0))
print(a(jnp.ones((4, 8)), key=jax.random.PRNGKey(1), inference=True)[0])

# Upstream prints:
#   [-0.22046311  0.36113903 -0.12804842  0.13257276  0.31088078 -0.16860533
#     0.54525155 -0.0757384 ]
