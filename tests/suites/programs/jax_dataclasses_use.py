"""jax-dataclasses 1.6.3: data classes that are trees."""

import jax_dataclasses as jdc

import jax
import jax.numpy as jnp


@jdc.pytree_dataclass
class Model:
    w: jax.Array
    name: jdc.Static[str] = "m"


m = Model(jnp.arange(3.0))
print(
    jax.tree.leaves(m), jdc.replace(m, w=m.w + 1), jax.grad(lambda m: (m.w**2).sum())(m)
)
with jdc.copy_and_mutate(m) as n:
    n.w = jnp.ones(3)
print(n)


@jdc.jit
def f(x, n: jdc.Static[int]):
    return x * n


print(f(jnp.ones(2), 3))

# Upstream prints:
#   [Array([0., 1., 2.], dtype=float32)] Model(w=Array([1., 2., 3.], dtype=float32), name='m') Model(w=Array([0., 2., 4.], dtype=float32), name='m')
#   Model(w=Array([1., 1., 1.], dtype=float32), name='m')
#   [3. 3.]
