"""tree-math 0.2.1: arithmetic of trees."""

import tree_math as tm
import tree_math.numpy as tnp

import jax
import jax.numpy as jnp

v = tm.Vector({"x": 1.0, "y": jnp.arange(2.0)})
print(v + 1, v @ v, v.sum(), tnp.where(v > 0.5, v, 0), -v / 2)


@tm.wrap
def cg_step(v):
    return v * 2 + tnp.ones_like(v)


print(
    cg_step({"a": jnp.ones(2)}),
    jax.jit(lambda v: v**2)(v).tree,
    jax.grad(lambda v: v @ v)(v),
)

# Upstream prints:
#   tree_math.Vector({'x': 2.0, 'y': Array([1., 2.], dtype=float32)}) 2.0 2.0 tree_math.Vector({'x': Array(1., dtype=float32, weak_type=True), 'y': Array([0., 1.], dtype=float32)}) tree_math.Vector({'x': -0.5, 'y': Array([-0. , -0.5], dtype=float32)})
#   {'a': Array([3., 3.], dtype=float32)} {'x': Array(1., dtype=float32, weak_type=True), 'y': Array([0., 1.], dtype=float32)} tree_math.Vector({'x': Array(2., dtype=float32, weak_type=True), 'y': Array([0., 2.], dtype=float32)})
