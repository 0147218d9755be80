"""asdex 0.5.1: sparse Jacobians and Hessians."""

import asdex

import jax
import jax.numpy as jnp

f = lambda x: (x[1:] - x[:-1]) ** 2
x = jnp.arange(6.0) ** 1.5
jac = jax.jit(asdex.jacobian(f, jnp.zeros(6)))(x)
print(jac.todense())
print(jnp.abs(jac.todense() - jax.jacobian(f)(x)).max())
hess = asdex.hessian(lambda x: jnp.sum(f(x)), jnp.zeros(6))(x)
print(hess.todense()[2])

# Upstream prints:
#   [[-2.         2.         0.         0.         0.         0.       ]
#    [ 0.        -3.6568542  3.6568542  0.         0.         0.       ]
#    [ 0.         0.        -4.7354503  4.7354503  0.         0.       ]
#    [ 0.         0.         0.        -5.6076956  5.6076956  0.       ]
#    [ 0.         0.         0.         0.        -6.3606796  6.3606796]]
#   0.0
#   [ 0. -2.  4. -2.  0.  0.]
