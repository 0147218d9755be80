"""sepes 0.12.1: classes that are trees, leaf by leaf."""

import sepes as sp

import jax
import jax.numpy as jnp


@sp.leafwise
@sp.autoinit
class Point(sp.TreeClass):
    x: float = 1.0
    y: jax.Array = jnp.array([2.0, 3.0])


p = Point()
print(p, p + 1, jax.grad(lambda q: (q.x * q.y).sum())(p))
print(p.at[...].apply(lambda v: v * 2), p.at["x"].set(3.0).x)
print(sp.tree_repr(p), sp.tree_diagram(p))

# Upstream prints:
#   Point(x=1.0, y=[2. 3.]) Point(x=2.0, y=[3. 4.]) Point(x=5.0, y=[1. 1.])
#   Point(x=2.0, y=[4. 6.]) 3.0
#   Point(x=1.0, y=f32[2](μ=2.50, σ=0.50, ∈[2.00,3.00])) Point
#   ├── .x=1.0
#   └── .y=f32[2](μ=2.50, σ=0.50, ∈[2.00,3.00])
