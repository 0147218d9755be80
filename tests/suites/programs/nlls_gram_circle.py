"""nlls-gram 2.10.0: a circle that is fitted."""

import nlls_gram
import numpy as np

import jax
import jax.numpy as jnp

t = jnp.linspace(0, 6, 12)
pts = jnp.stack([1 + 2 * jnp.cos(t), -1 + 2 * jnp.sin(t)], 1)
lm = nlls_gram.LevenbergMarquardt(
    lambda p, *a: jnp.linalg.norm(pts - p[:2], axis=1) - p[2]
)
out = lm.solve(jnp.array([0.0, 0.0, 1.0]))
best = [x for x in jax.tree.leaves(out) if np.shape(x) == (3,)][0]
print(np.round(best, 2).tolist())

# Upstream prints:
#   [1.0, -1.0, 2.0]
