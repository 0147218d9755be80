"""aqtp 0.9.0: a product with weights of 8 bits."""

import aqt.jax.v2.config as aqt_config

import jax
import jax.numpy as jnp

dg = aqt_config.config_v4(fwd_bits=8, dlhs_bits=None, drhs_bits=None)
x = jax.random.normal(jax.random.PRNGKey(0), (4, 6))
w = jax.random.normal(jax.random.PRNGKey(1), (6, 3))
out = dg(x, w, (((1,), (0,)), ((), ())))
print(out, jnp.abs(out - x @ w).max())

# Upstream prints:
#   [[-1.8742957  1.5192004  2.12011  ]
#    [ 1.9369538  1.7512499  5.5952086]
#    [ 4.382647   1.7932976 -0.9843893]
#    [-2.5921323 -4.67775   -1.5757014]] 0.037101746
