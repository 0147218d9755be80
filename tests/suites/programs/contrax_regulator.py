"""contrax 0.1.0: a regulator of a double integrator."""

import contrax
import numpy as np

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


A = jnp.array([[0.0, 1.0], [0.0, 0.0]])
B = jnp.array([[0.0], [1.0]])
sol = contrax.care(A, B, jnp.eye(2), jnp.eye(1))
print([np.round(np.asarray(x), 3).tolist() for x in jax.tree.leaves(sol)][:2])
print(np.round(contrax.dlyap(0.5 * jnp.eye(2), jnp.eye(2)), 3).tolist())
print(
    np.round(
        jax.grad(
            lambda q: jax.tree.leaves(contrax.care(A, B, q * jnp.eye(2), jnp.eye(1)))[
                0
            ].sum()
        )(1.0),
        3,
    )
)

# Upstream prints:
#   [[[1.0, 1.732]], [[1.732, 1.0], [1.0, 1.732]]]
#   [[1.333, 0.0], [0.0, 1.333]]
#   1.077
