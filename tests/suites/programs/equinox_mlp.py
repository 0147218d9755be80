"""equinox 0.13.8: trains a recurrent network."""

import equinox as eqx
import optax

import jax
import jax.numpy as jnp


class RNN(eqx.Module):
    cell: eqx.nn.GRUCell
    linear: eqx.nn.Linear
    name: str = eqx.field(static=True)

    def __init__(self, key):
        a, b = jax.random.split(key)
        self.cell = eqx.nn.GRUCell(2, 8, key=a)
        self.linear = eqx.nn.Linear(8, 1, key=b)
        self.name = "rnn"

    def __call__(self, xs):
        last, _ = jax.lax.scan(lambda h, x: (self.cell(x, h), None), jnp.zeros(8), xs)
        return jax.nn.sigmoid(self.linear(last))[0]


model = RNN(jax.random.PRNGKey(0))
xs = jax.random.normal(jax.random.PRNGKey(1), (16, 10, 2))
ys = (xs.sum((1, 2)) > 0) * 1.0
optim = optax.adam(1e-2)
state = optim.init(eqx.filter(model, eqx.is_inexact_array))


@eqx.filter_jit
def step(model, state):
    @eqx.filter_value_and_grad
    def loss(m):
        p = jax.vmap(m)(xs)
        return -jnp.mean(ys * jnp.log(p) + (1 - ys) * jnp.log(1 - p))

    value, grads = loss(model)
    updates, state = optim.update(grads, state)
    return eqx.apply_updates(model, updates), state, value


for _ in range(30):
    model, state, value = step(model, state)
print(value)
print(model.linear)
frozen = eqx.tree_at(lambda m: m.linear.bias, model, replace_fn=lambda b: b * 0)
print(eqx.tree_equal(frozen, model), eqx.filter_eval_shape(model, xs[0]))
mlp = eqx.nn.MLP(2, 3, 4, 2, key=jax.random.PRNGKey(2))
print(mlp(jnp.ones(2)), eqx.tree_pformat(mlp).splitlines()[0])
bn, st = eqx.nn.make_with_state(eqx.nn.BatchNorm)(2, "batch", mode="batch")
out, st = jax.vmap(bn, axis_name="batch", in_axes=(0, None), out_axes=(0, None))(
    xs[:, 0], st
)
print(out.mean(0).round(3), out.std(0).round(3))
print(eqx.error_if(jnp.ones(2), False, "no"))

# Upstream prints:
#   0.2894626
#   Linear(
#     weight=f32[1,8], bias=f32[1], in_features=8, out_features=1, use_bias=True
#   )
#   False ShapeDtypeStruct(shape=(), dtype=float32)
#   [ 0.07519551 -0.5049201   0.4283184 ] MLP(
#   [-0.  0.] [1. 1.]
#   [1. 1.]
