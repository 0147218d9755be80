"""jmp 0.0.4: casts by a policy and scales losses."""

import jmp

import jax.numpy as jnp

policy = jmp.get_policy("params=float32,compute=float16,output=bfloat16")
print(policy, policy.cast_to_compute({"a": jnp.ones(2), "n": jnp.arange(2)}))
scale = jmp.DynamicLossScale(jnp.float32(2.0**15), counter=jnp.int32(0), period=2)
print(
    scale.scale(jnp.float32(0.5)),
    scale.adjust(jnp.array(True)),
    scale.adjust(jnp.array(False)),
)
print(
    jmp.all_finite({"a": jnp.array([1.0, jnp.inf])}),
    jmp.select_tree(jnp.array(False), {"a": 1}, {"a": 2}),
)
print(jmp.half_dtype(), jmp.cast_to_half(jnp.float32(1.2)))

# Upstream prints:
#   p=full,c=f16,o=bf16 {'a': Array([1., 1.], dtype=float16), 'n': Array([0, 1], dtype=int32)}
#   16384.0 DynamicLossScale(loss_scale=Array(32768., dtype=float32), counter=Array(1, dtype=int32), period=2, factor=2, min_loss_scale=array(1., dtype=float32)) DynamicLossScale(loss_scale=Array(16384., dtype=float32), counter=Array(0, dtype=int32), period=2, factor=2, min_loss_scale=array(1., dtype=float32))
#   False {'a': Array(2, dtype=int32, weak_type=True)}
#   <class 'jax.numpy.float16'> 1.2
