"""folx 0.2.30: the forward Laplacian."""

import folx

import jax
import jax.numpy as jnp

w = jax.random.normal(jax.random.PRNGKey(0), (3, 4))
f = lambda x: jnp.tanh(x @ w).sum() + jnp.prod(x)
x = jnp.array([0.1, -0.3, 0.5])
out = folx.forward_laplacian(f)(x)
print(out.x, out.jacobian.dense_array, out.laplacian)
print(jnp.trace(jax.hessian(f)(x)))
print(jax.jit(folx.ForwardLaplacianOperator(0)(f))(x))

# Upstream prints:
#   0.43887118 [ 3.0576332  -0.76013696 -0.42459294] -2.7626805
#   -2.7626805
#   (Array(-2.7626805, dtype=float32), Array([ 3.0576332 , -0.76013696, -0.42459294], dtype=float32))
