"""qpax 0.1.4: a quadratic program and its derivative."""

import numpy as np
import qpax

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


Q, q = 2 * jnp.eye(2), jnp.array([-2.0, -5.0])
A, b = jnp.array([[1.0, 1.0]]), jnp.array([1.0])
G, h = -jnp.eye(2), jnp.zeros(2)
x = qpax.solve_qp(Q, q, A, b, G, h)[0]
print(np.round(x, 4).tolist())
g = jax.grad(lambda q: qpax.solve_qp_primal(Q, q, A, b, G, h).sum())(q)
print(g.shape, bool(jnp.isfinite(g).all()))

# Upstream prints:
#   [0.0, 1.0]
#   (2,) True
