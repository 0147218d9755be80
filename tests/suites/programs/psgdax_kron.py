"""psgdax 0.1.1: an optimizer with Kronecker factors."""

import optax
import psgdax

import jax
import jax.numpy as jnp

opt = psgdax.kron(0.1)
p = {"w": jnp.ones((3, 2))}
s = opt.init(p)
for _ in range(3):
    g = jax.grad(lambda p: (p["w"] ** 2).sum())(p)
    u, s = opt.update(g, s, p)
    p = optax.apply_updates(p, u)
print(bool(jnp.all(jnp.abs(p["w"]) < 1)), p["w"].dtype)

# Upstream prints:
#   PSGD Preconditioners (Q0.5EQ1.5 mode, init_scale=on-the-fly): 7 elements, 0.00 MB
#   PSGD Momentum size: 6 elements, 0.00 MB
#   True float32
