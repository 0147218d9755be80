"""maskx 0.1.2: masks of leaves of a tree."""

import maskx

import jax.numpy as jnp

t = {"a": {"w": jnp.ones(2), "b": jnp.zeros(1)}, "c": jnp.ones(3)}
print([k for k, _ in maskx.leaf_paths(t)])
m = maskx.select(t, "a")
print(type(m).__name__)

# Upstream prints:
#   ['a/b', 'a/w', 'c']
#   Mask
