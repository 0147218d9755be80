"""matfree 0.6.3: tridiagonalises without a matrix."""

from matfree import decomp

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
A = jax.random.normal(jax.random.PRNGKey(1), (8, 8))
spd = A @ A.T + 8 * jnp.eye(8)
print(sorted(n for n in dir(decomp) if n.startswith("tridiag")))
out = decomp.tridiag_sym(4)(lambda x: spd @ x, jnp.ones(8))
print(jax.tree.map(lambda x: jnp.abs(x).sum(), jax.tree.leaves(out)))

# Upstream prints:
#   ['tridiag_sym']
#   [Array(9.25219472, dtype=float64), Array(135.06396165, dtype=float64), Array(9.53987913, dtype=float64), Array(0.35355339, dtype=float64)]
