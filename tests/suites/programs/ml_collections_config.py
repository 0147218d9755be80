"""ml-collections 1.1.0: a configuration."""

import ml_collections

import jax.numpy as jnp

c = ml_collections.ConfigDict({"lr": 0.1, "dtype": jnp.bfloat16, "net": {"width": 3}})
c.net.width = 4
print(c, ml_collections.FrozenConfigDict(c).net.width)

# Upstream prints:
#   dtype: !!python/name:jax.numpy.bfloat16 ''
#   lr: 0.1
#   net:
#     width: 4
#    4
