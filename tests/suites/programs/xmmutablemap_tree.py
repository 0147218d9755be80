"""xmmutablemap 0.3.1: a mapping that is a tree."""

from xmmutablemap import ImmutableMap

import jax
import jax.numpy as jnp

m = ImmutableMap(a=jnp.ones(2), b=2.0)
print(jax.tree.map(lambda x: x + 1, m)["b"], sorted(m))
print(jax.jit(lambda m: m["a"].sum() * m["b"])(m))

# Upstream prints:
#   3.0 ['a', 'b']
#   4.0
