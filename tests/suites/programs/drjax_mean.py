"""drjax 0.2.1: maps and means over clients."""

import drjax

import jax
import jax.numpy as jnp


@drjax.program(placements={"clients": 3})
def mean_loss(w, data):
    ws = drjax.broadcast(w)
    return drjax.reduce_mean(
        drjax.map_fn(lambda a, b: jnp.sum((a - b) ** 2), (ws, data))
    )


data = jnp.arange(6.0).reshape(3, 2)
print(mean_loss(jnp.ones(2), data), jax.grad(mean_loss)(jnp.ones(2), data))
print(jax.jit(mean_loss)(jnp.zeros(2), data))

# Upstream prints:
#   10.333334 [-2. -4.]
#   18.333334
