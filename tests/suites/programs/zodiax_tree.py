"""zodiax 0.5.0: leaves of a module by their paths."""

import zodiax as zdx

import jax
import jax.numpy as jnp


class M(zdx.Base):
    a: jax.Array
    b: jax.Array


m = M(jnp.ones(2), jnp.zeros(3))
print(m.set("a", jnp.arange(2.0)).a.tolist(), m.add("b", 1.0).get("b").tolist())

# Upstream prints:
#   [0.0, 1.0] [1.0, 1.0, 1.0]
