"""optax 0.2.8: minimises by L-BFGS; schedules, chains and losses."""

import optax

import jax
import jax.numpy as jnp


def rosen(x):
    return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


solver = optax.lbfgs()
params = jnp.zeros(4)
state = solver.init(params)
value_and_grad = optax.value_and_grad_from_state(rosen)


@jax.jit
def step(params, state):
    value, grad = value_and_grad(params, state=state)
    updates, state = solver.update(
        grad, state, params, value=value, grad=grad, value_fn=rosen
    )
    return optax.apply_updates(params, updates), state


for _ in range(40):
    params, state = step(params, state)
print(params.round(3))
schedule = optax.warmup_cosine_decay_schedule(0.0, 1.0, 10, 100)
print([round(float(schedule(i)), 4) for i in (0, 5, 10, 50, 100)])
chain = optax.chain(
    optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=1e-2)
)
chain_state = chain.init({"w": jnp.ones(3)})
updates, chain_state = chain.update(
    {"w": jnp.arange(3.0)}, chain_state, {"w": jnp.ones(3)}
)
updates, chain_state = chain.update(
    {"w": jnp.arange(3.0)}, chain_state, {"w": jnp.ones(3)}
)
print(updates, optax.tree.norm(updates))
print(optax.losses.sigmoid_focal_loss(jnp.array([0.5, -1.0]), jnp.array([1.0, 0.0])))
print(
    optax.ctc_loss(
        jnp.ones((1, 5, 4)), jnp.zeros((1, 5)), jnp.array([[1, 2]]), jnp.zeros((1, 2))
    )
)

# Upstream prints:
#   [1. 1. 1. 1.]
#   [0.0, 0.5, 1.0, 0.5868, 0.0]
#   {'w': Array([-0.001     , -0.10099902, -0.10099902], dtype=float32)} 0.14283769
#   [0.06757349 0.02265805]
#   [3.3761237]
