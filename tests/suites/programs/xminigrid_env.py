"""xminigrid 0.9.3: walks through a grid."""

import xminigrid

import jax

env, params = xminigrid.make("MiniGrid-Empty-8x8")
ts = jax.jit(env.reset)(params, jax.random.key(0))
print(ts.observation.shape, ts.reward, ts.state.agent.position)
ts = jax.jit(env.step)(params, ts, 0)
print(ts.state.agent.position, ts.discount, ts.step_type, ts.observation[..., 0].sum())

# Upstream prints:
#   (7, 7, 2) 0.0 [1 1]
#   [1 2] 1.0 1 40
