"""lovely-jax 0.1.4: summaries of arrays."""

import lovely_jax as lj

import jax
import jax.numpy as jnp

lj.monkey_patch()
x = jax.random.normal(jax.random.PRNGKey(0), (4, 5))
print(x)
print(
    x.deeper,
    jnp.array([1, 2, 3]),
    jnp.array([True]),
    jnp.zeros((0, 2)),
    jnp.array([jnp.nan, 1.0]),
)

# Upstream prints:
#   Array[4, 5] n=20 x∈[-1.955, 2.180] μ=0.263 σ=1.140 cpu:0
#   Array[4, 5] n=20 x∈[-1.955, 2.180] μ=0.263 σ=1.140 cpu:0
#     Array[5] x∈[-0.434, 2.025] μ=0.662 σ=0.976 cpu:0 [1.623, 2.025, -0.434, -0.079, 0.176]
#     Array[5] x∈[-0.972, 0.664] μ=-0.252 σ=0.702 cpu:0 [-0.972, -0.495, 0.494, 0.664, -0.950]
#     Array[5] x∈[-1.955, 2.180] μ=0.404 σ=1.382 cpu:0 [2.180, -1.955, 0.359, 0.158, 1.277]
#     Array[5] x∈[-1.916, 1.510] μ=0.238 σ=1.181 cpu:0 [1.510, 0.971, 0.600, 0.025, -1.916] Array[3] i32 x∈[1, 3] μ=2.000 σ=0.816 cpu:0 [1, 2, 3] Array[1] bool cpu:0 [True] Array[0, 2] n=0 [38;2;127;127;127mempty[0m cpu:0 Array[2] [31mNaN![0m cpu:0 [nan, 1.000]
