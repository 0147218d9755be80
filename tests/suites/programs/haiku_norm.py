"""dm-haiku 0.0.17: a convolution with batch norm and dropout."""

import haiku as hk

import jax


class Block(hk.Module):
    def __call__(self, x, is_training):
        x = hk.Conv2D(4, 3, with_bias=False)(x)
        x = hk.BatchNorm(True, True, 0.9)(x, is_training)
        x = hk.dropout(hk.next_rng_key(), 0.5, x) if is_training else x
        return hk.Linear(3)(jax.nn.relu(x).mean((1, 2)))


net = hk.transform_with_state(lambda x, is_training: Block()(x, is_training))
x = jax.random.normal(jax.random.PRNGKey(0), (2, 8, 8, 1))
params, state = net.init(jax.random.PRNGKey(1), x, True)
out, state = net.apply(params, state, jax.random.PRNGKey(2), x, True)
print(out)
print(state["block/batch_norm/~/mean_ema"]["average"])
print(net.apply(params, state, None, x, False)[0])

# Upstream prints:
#   [[-0.6646402  -0.45997053 -0.06927376]
#    [-0.6246092  -0.47269145 -0.15678221]]
#   [[[[ 0.01511985  0.06636836 -0.06501194 -0.072565  ]]]]
#   [[-0.6328144  -0.48501667 -0.2091579 ]
#    [-0.4992049  -0.39488405 -0.3482192 ]]
