"""pgx 2.6.0: plays a few moves."""

import pgx

import jax
import jax.numpy as jnp

env = pgx.make("tic_tac_toe")
state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), 3))
step = jax.jit(jax.vmap(env.step))
key = jax.random.PRNGKey(1)
for _ in range(5):
    key, sub = jax.random.split(key)
    action = jax.random.categorical(
        sub, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=1
    )
    state = step(state, action)
print(
    state.rewards,
    state.terminated,
    state.current_player,
    state.observation.shape,
    state.legal_action_mask[0],
)
go = pgx.make("connect_four")
s = go.step(go.init(jax.random.PRNGKey(0)), 3)
print(s.legal_action_mask, s.observation.sum())

# Upstream prints:
#   [[0. 0.]
#    [0. 0.]
#    [0. 0.]] [False False False] [1 0 1] (3, 3, 3, 2) [ True  True False False False False  True  True False]
#   [ True  True  True  True  True  True  True] 1
