"""Flax on our package: linen and nnx, their layers, state, lifted transformations."""

import flax.linen as nn
import numpy as np
import optax
import pytest
from flax import errors, nnx, serialization
from flax.training import train_state

import jax
import jax.numpy as jnp
from tests.ecosystem import data


class Linen(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (32, 32):
            x = nn.tanh(nn.Dense(width)(x))
        return nn.Dense(data.CLASSES)(x)


def test_linen_learns_the_spirals():
    points, labels = data.spirals()
    model = Linen()
    variables = model.init(jax.random.key(0), points)
    state = train_state.TrainState.create(
        apply_fn=model.apply, params=variables["params"], tx=optax.adam(1e-2)
    )

    @jax.jit
    def step(state):
        def loss(params):
            return data.loss_of(state.apply_fn({"params": params}, points), labels)

        value, grads = jax.value_and_grad(loss)(state.params)
        return state.apply_gradients(grads=grads), value

    for _ in range(200):
        state, value = step(state)
    logits = model.apply({"params": state.params}, points)
    assert value < 0.2
    assert data.accuracy(logits, labels) > 0.95
    saved = serialization.to_bytes(state.params)
    again = serialization.from_bytes(state.params, saved)
    assert jax.tree.all(jax.tree.map(lambda a, b: (a == b).all(), again, state.params))


LAYERS = {
    "attention": (lambda: nn.MultiHeadDotProductAttention(2), (2, 5, 8), (2, 5, 8)),
    "avg_pool": (
        lambda: lambda x: nn.avg_pool(x, (2, 2), (2, 2)),
        (1, 8, 8, 3),
        (1, 4, 4, 3),
    ),
    "conv": (lambda: nn.Conv(4, (3, 3)), (1, 8, 8, 3), (1, 8, 8, 4)),
    "conv_transpose": (
        lambda: nn.ConvTranspose(4, (2, 2), (2, 2)),
        (1, 4, 4, 3),
        (1, 8, 8, 4),
    ),
    "dense_general": (lambda: nn.DenseGeneral((2, 3)), (5, 4), (5, 2, 3)),
    "group_norm": (lambda: nn.GroupNorm(2), (3, 8), (3, 8)),
    "layer_norm": (lambda: nn.LayerNorm(), (3, 8), (3, 8)),
    "lstm": (lambda: nn.RNN(nn.LSTMCell(6)), (2, 5, 4), (2, 5, 6)),
    "weight_norm": (lambda: nn.WeightNorm(nn.Dense(4)), (3, 8), (3, 4)),
}


@pytest.mark.parametrize("name", sorted(LAYERS))
def test_a_linen_layer_computes_and_has_gradients(name):
    make, in_shape, out_shape = LAYERS[name]
    layer = make()
    x = jax.random.normal(jax.random.key(0), in_shape)
    if not isinstance(layer, nn.Module):
        assert layer(x).shape == out_shape
        return
    variables = layer.init(jax.random.key(1), x)
    assert jax.jit(layer.apply)(variables, x).shape == out_shape
    grads = jax.grad(lambda v: (layer.apply(v, x) ** 2).sum())(variables)
    assert all(np.isfinite(g).all() for g in jax.tree.leaves(grads))


def test_batch_statistics_move_and_dropout_is_random():
    class Net(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            x = nn.BatchNorm(use_running_average=not train, momentum=0.5)(x)
            return nn.Dropout(0.5, deterministic=not train)(x)

    x = jnp.arange(12.0).reshape(6, 2)
    net = Net()
    variables = net.init(jax.random.key(0), x, train=False)
    rngs = {"dropout": jax.random.key(1)}
    out, moved = net.apply(variables, x, train=True, rngs=rngs, mutable=["batch_stats"])
    mean = moved["batch_stats"]["BatchNorm_0"]["mean"]
    np.testing.assert_allclose(mean, 0.5 * x.mean(axis=0))
    assert (out == 0).any()


def test_lifted_scan_and_remat():
    class Block(nn.Module):
        @nn.compact
        def __call__(self, x, _):
            return nn.tanh(nn.Dense(4)(x)), None

    stack = nn.scan(
        nn.remat(Block),
        variable_axes={"params": 0},
        split_rngs={"params": True},
        length=3,
    )()
    x = jnp.ones((2, 4))
    variables = stack.init(jax.random.key(0), x, None)
    assert variables["params"]["Dense_0"]["kernel"].shape == (3, 4, 4)
    out, _ = stack.apply(variables, x, None)
    expected = x
    for index in range(3):
        kernel = variables["params"]["Dense_0"]["kernel"][index]
        expected = jnp.tanh(expected @ kernel)
    np.testing.assert_allclose(out, expected, rtol=1e-5)
    grads = jax.grad(lambda v: stack.apply(v, x, None)[0].sum())(variables)
    assert all(np.isfinite(g).all() for g in jax.tree.leaves(grads))


class Net(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(2, 32, rngs=rngs)
        self.second = nnx.Linear(32, 32, rngs=rngs)
        self.out = nnx.Linear(32, data.CLASSES, rngs=rngs)

    def __call__(self, x):
        return self.out(nnx.tanh(self.second(nnx.tanh(self.first(x)))))


def test_nnx_learns_the_spirals():
    points, labels = data.spirals()
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)

    @nnx.jit
    def step(model, optimizer):
        def loss(model):
            return data.loss_of(model(points), labels)

        value, grads = nnx.value_and_grad(loss)(model)
        optimizer.update(model, grads)
        return value

    for _ in range(200):
        value = step(model, optimizer)
    assert value < 0.2
    assert data.accuracy(model(points), labels) > 0.95


def test_nnx_state_splits_and_merges():
    model = Net(nnx.Rngs(0))
    graph, state = nnx.split(model)
    doubled = nnx.merge(graph, jax.tree.map(lambda x: 2 * x, state))
    np.testing.assert_allclose(doubled.out.kernel[...], 2 * model.out.kernel[...])


def test_nnx_vmap_makes_an_ensemble():
    @nnx.vmap(in_axes=0, out_axes=0)
    def make(key):
        return nnx.Linear(2, 3, rngs=nnx.Rngs(key))

    models = make(jax.random.split(jax.random.key(0), 4))
    assert models.kernel.shape == (4, 2, 3)

    @nnx.vmap(in_axes=(0, None), out_axes=0)
    def apply(model, x):
        return model(x)

    assert apply(models, jnp.ones((5, 2))).shape == (4, 5, 3)


def test_nnx_batch_norm_and_dropout():
    class Model(nnx.Module):
        def __init__(self, rngs):
            self.norm = nnx.BatchNorm(2, momentum=0.5, rngs=rngs)
            self.dropout = nnx.Dropout(0.5, rngs=rngs)

        def __call__(self, x):
            return self.dropout(self.norm(x))

    model = Model(nnx.Rngs(0))
    x = jnp.arange(12.0).reshape(6, 2)
    out = model(x)
    np.testing.assert_allclose(model.norm.mean[...], 0.5 * x.mean(axis=0))
    assert (out == 0).any()
    model.eval()
    assert not (model(x + 0.1) == 0).any()


def test_variables_of_nnx_change_in_a_compiled_function():
    class Counted(nnx.Module):
        def __init__(self):
            self.layer = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
            self.calls = nnx.Variable(jnp.int32(0))

        def __call__(self, x):
            self.calls[...] += 1
            return self.layer(x)

    with nnx.var_defaults(hijax=True):
        model, traced = Counted(), []
        x = jnp.ones((4, 2))

        @jax.jit
        def run(model, x):
            traced.append(1)
            return model(x)

        if jax.__version_info__ >= (0, 12):
            # With that release Flax wants a reference in each variable that changes.
            with pytest.raises(errors.ImmutableVariableError, match="ref=True"):
                run(model, x)
            return
        for _ in range(3):
            found = run(model, x)
        expected = x @ model.layer.kernel[...] + model.layer.bias[...]
        np.testing.assert_allclose(found, expected, rtol=1e-6)
        assert model.calls[...] == 3 and len(traced) == 1
