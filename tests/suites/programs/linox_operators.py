"""linox 0.0.3: operators that are combined without being formed."""

import linox

import jax.numpy as jnp

A = linox.Matrix(jnp.array([[2.0, 1.0], [1.0, 3.0]]))
B = linox.Kronecker(A, linox.Identity(2))
print((A @ jnp.ones(2)).tolist(), B.shape, (B @ jnp.ones(4)).tolist())
print(linox.BlockDiagonal(A, A).todense().tolist())
print((A + linox.Diagonal(jnp.array([1.0, 2.0]))).todense().tolist())

# Upstream prints:
#   [3.0, 4.0] (4, 4) [3.0, 3.0, 4.0, 4.0]
#   [[2.0, 1.0, 0.0, 0.0], [1.0, 3.0, 0.0, 0.0], [0.0, 0.0, 2.0, 1.0], [0.0, 0.0, 1.0, 3.0]]
#   [[3.0, 1.0], [1.0, 5.0]]
