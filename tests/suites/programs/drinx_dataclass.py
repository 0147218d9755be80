"""drinx 1.2.0: a dataclass that is a tree, under jit and grad."""

import drinx

import jax
import jax.numpy as jnp


@drinx.dataclass
class P(drinx.DataClass):
    w: jax.Array
    n: int = drinx.static_field()


p = P(w=jnp.arange(3.0), n=2)
print(jax.jit(lambda q: q.w.sum() * q.n)(p))
print(jax.grad(lambda q: (q.w**q.n).sum())(p).w.tolist())

# Upstream prints:
#   6.0
#   [0.0, 2.0, 4.0]
