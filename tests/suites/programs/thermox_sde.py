"""thermox 0.0.6: an Ornstein-Uhlenbeck process."""

import thermox

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
A = jnp.array([[3.0, 2.0], [2.0, 4.0]])
D = 2 * jnp.eye(2)
ts = jnp.linspace(0, 1, 5)
xs = thermox.sample(
    jax.random.PRNGKey(0), ts, jnp.zeros(2), A, jnp.array([1.0, 2.0]), D
)
print(xs, thermox.log_prob(ts, xs, A, jnp.array([1.0, 2.0]), D))

# Upstream prints:
#   [[0.         0.        ]
#    [0.80619361 1.05007578]
#    [0.29730251 2.37233663]
#    [0.41584491 2.21831391]
#    [0.169515   2.76566501]] -4.563097493526799
