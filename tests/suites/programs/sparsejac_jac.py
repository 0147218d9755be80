"""sparsejac 0.2.0: sparse Jacobians."""

import sparsejac

import jax
import jax.numpy as jnp
from jax.experimental import sparse

f = lambda x: x[1:] ** 2 - x[:-1]
x = jnp.arange(5.0)
pattern = sparse.BCOO.fromdense(jnp.eye(4, 5) + jnp.eye(4, 5, 1))
print(sparsejac.jacrev(f, pattern)(x).todense())
print(sparsejac.jacfwd(f, pattern)(x).todense() - jax.jacobian(f)(x))

# Upstream prints:
#   [[-1.  2.  0.  0.  0.]
#    [ 0. -1.  4.  0.  0.]
#    [ 0.  0. -1.  6.  0.]
#    [ 0.  0.  0. -1.  8.]]
#   [[0. 0. 0. 0. 0.]
#    [0. 0. 0. 0. 0.]
#    [0. 0. 0. 0. 0.]
#    [0. 0. 0. 0. 0.]]
