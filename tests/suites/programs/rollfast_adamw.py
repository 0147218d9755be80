"""rollfast 0.2.1: an optimizer that is experimental."""

import numpy as np
import optax
import rollfast

import jax
import jax.numpy as jnp

opt = rollfast.adamw(0.1)
p = {"w": jnp.ones((3, 2))}
s = opt.init(p)
for _ in range(3):
    u, s = opt.update(jax.grad(lambda p: (p["w"] ** 2).sum())(p), s, p)
    p = optax.apply_updates(p, u)
print(np.round(p["w"], 4).tolist())

# Upstream prints:
#   [[0.7015999555587769, 0.7015999555587769], [0.7015999555587769, 0.7015999555587769], [0.7015999555587769, 0.7015999555587769]]
