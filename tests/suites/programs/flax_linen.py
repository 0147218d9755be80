"""flax 0.12.8: trains a small convolutional network."""

import flax.linen as nn
import optax
from flax import serialization
from flax.training import train_state

import jax
import jax.numpy as jnp


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.Conv(features=8, kernel_size=(3, 3))(x)
        x = nn.avg_pool(nn.relu(x), window_shape=(2, 2), strides=(2, 2))
        x = nn.Dense(features=16)(x.reshape((x.shape[0], -1)))
        return nn.Dense(features=3)(nn.relu(x))


images = jax.random.uniform(jax.random.key(0), (6, 8, 8, 1))
labels = jnp.arange(6) % 3
model = CNN()
params = model.init(jax.random.key(1), images)["params"]
state = train_state.TrainState.create(
    apply_fn=model.apply, params=params, tx=optax.sgd(0.1, 0.9)
)


@jax.jit
def step(state):
    def loss(params):
        logits = state.apply_fn({"params": params}, images)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    value, grads = jax.value_and_grad(loss)(state.params)
    return state.apply_gradients(grads=grads), value


for _ in range(10):
    state, value = step(state)
print(state.step, value)
data = serialization.to_bytes(state.params)
back = serialization.from_bytes(params, data)
print(
    len(data),
    jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), back, state.params)),
)
print(model.tabulate(jax.random.key(0), images).count("Dense"))

# Upstream prints:
#   10 0.9347315
#   8949 True
#   4
