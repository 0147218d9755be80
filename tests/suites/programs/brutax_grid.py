"""brutax 0.1.0: searches a grid."""

import brutax

import jax
import jax.numpy as jnp

grid = (jnp.arange(-5.0, 5.0, 1), jnp.arange(-5.0, 5.0, 0.5))
fn = lambda point, a: (point[0] - 1.0) ** 2 + (point[1] - a) ** 2
search = jax.jit(
    lambda a: (
        brutax.run_grid_search(
            fn, method=brutax.MinimumSearchMethod(), tree_grid=grid, args=a
        ).value
    )
)
print(search(2.0), search(-1.4))

# Upstream prints:
#   (Array(1., dtype=float32), Array(2., dtype=float32)) (Array(1., dtype=float32), Array(-1.5, dtype=float32))
