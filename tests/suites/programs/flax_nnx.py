"""flax 0.12.8: trains a network of NNX modules."""

import optax
from flax import nnx

import jax
import jax.numpy as jnp


class MLP(nnx.Module):
    def __init__(self, din, dmid, dout, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(din, dmid, rngs=rngs)
        self.dropout = nnx.Dropout(rate=0.1, rngs=rngs)
        self.norm = nnx.LayerNorm(dmid, rngs=rngs)
        self.linear_out = nnx.Linear(dmid, dout, rngs=rngs)

    def __call__(self, x):
        x = nnx.gelu(self.dropout(self.norm(self.linear(x))))
        return self.linear_out(x)


model = MLP(2, 16, 3, rngs=nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.sgd(1e-2), wrt=nnx.Param)


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(lambda m: ((m(x) - y) ** 2).mean())(model)
    optimizer.update(model, grads)
    return loss


x = jax.random.normal(jax.random.key(0), (32, 2))
y = jnp.stack([x[:, 0], x[:, 1], x.sum(1)], 1)
for _ in range(20):
    loss = train_step(model, optimizer, x, y)
print(loss)
model.eval()
print(model(x[:2]))
graphdef, state = nnx.split(model)
print(jax.tree.map(jnp.shape, nnx.to_pure_dict(nnx.state(model, nnx.Param))))

# Upstream prints:
#   0.61387813
#   [[ 0.54652196 -0.09014466  1.4360007 ]
#    [-0.45699558 -0.47847193 -0.8372955 ]]
#   {'linear': {'bias': (16,), 'kernel': (2, 16)}, 'linear_out': {'bias': (3,), 'kernel': (16, 3)}, 'norm': {'bias': (16,), 'scale': (16,)}}
