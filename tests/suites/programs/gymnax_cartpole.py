"""gymnax 1.0.1: steps through two environments."""

import gymnax

import jax

key = jax.random.key(0)
env, params = gymnax.make("CartPole-v1")
obs, state = env.reset(key, params)
out = env.step(key, state, env.action_space(params).sample(key), params)
print(obs, len(out), out[0])
env, params = gymnax.make("Pendulum-v1")
obs, state = jax.vmap(env.reset, in_axes=(0, None))(jax.random.split(key, 3), params)
print(obs)

# Upstream prints:
#   [ 0.0447667   0.04785799 -0.01677085 -0.00313315] 6 [ 0.04572386  0.2432164  -0.01683352 -0.30105993]
#   [[-0.54804635  0.83644795 -0.6352427 ]
#    [-0.99895006 -0.04581222 -0.9582176 ]
#    [-0.81796724  0.5752648   0.8245857 ]]
