"""dm-haiku 0.0.17: trains an LSTM on a sine."""

import haiku as hk
import optax

import jax
import jax.numpy as jnp


def forward(x):
    core = hk.LSTM(8)
    outs, state = hk.dynamic_unroll(core, x, core.initial_state(x.shape[1]))
    return hk.BatchApply(hk.Linear(1))(outs)


model = hk.without_apply_rng(hk.transform(forward))
t = jnp.linspace(0.0, 6.0, 20)
x = jnp.sin(t)[:, None, None]
params = model.init(jax.random.PRNGKey(42), x)
optimizer = optax.adam(1e-2)


def loss(params):
    return jnp.mean((model.apply(params, x[:-1]) - x[1:]) ** 2)


@jax.jit
def update(params, state):
    value, grads = jax.value_and_grad(loss)(params)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state, value


state = optimizer.init(params)
for step in range(60):
    params, state, value = update(params, state)
    if step % 20 == 0:
        print(step, value)
print(jax.tree.map(jnp.shape, params))
print(hk.data_structures.tree_size(params))

# Upstream prints:
#   0 0.40311155
#   20 0.06212669
#   40 0.007049706
#   {'linear': {'b': (1,), 'w': (8, 1)}, 'lstm/linear': {'b': (32,), 'w': (9, 32)}}
#   329
