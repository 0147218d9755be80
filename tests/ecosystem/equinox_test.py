"""Equinox on our package: modules as trees, filtered transformations, layers."""

import equinox as eqx
import numpy as np
import optax
import pytest

import jax
import jax.numpy as jnp
from tests.ecosystem import data


def model_of(key):
    return eqx.nn.MLP(2, data.CLASSES, 32, 2, activation=jnp.tanh, key=key)


def test_a_model_learns_the_spirals():
    points, labels = data.spirals()
    model = model_of(jax.random.key(0))
    optimizer = optax.adam(1e-2)
    state = optimizer.init(eqx.filter(model, eqx.is_inexact_array))

    @eqx.filter_value_and_grad
    def loss(model):
        return data.loss_of(jax.vmap(model)(points), labels)

    @eqx.filter_jit
    def step(model, state):
        value, grads = loss(model)
        updates, state = optimizer.update(grads, state)
        return eqx.apply_updates(model, updates), state, value

    first = None
    for _ in range(200):
        model, state, value = step(model, state)
        first = value if first is None else first
    assert value < 0.2 < first
    assert data.accuracy(jax.vmap(model)(points), labels) > 0.95


LAYERS = {
    "conv": (lambda k: eqx.nn.Conv2d(3, 4, 3, padding=1, key=k), (3, 8, 8), (4, 8, 8)),
    "conv_transpose": (
        lambda k: eqx.nn.ConvTranspose2d(3, 4, 2, stride=2, key=k),
        (3, 4, 4),
        (4, 8, 8),
    ),
    "group_norm": (lambda k: eqx.nn.GroupNorm(2, 4), (4, 6), (4, 6)),
    "layer_norm": (lambda k: eqx.nn.LayerNorm(6), (6,), (6,)),
    "linear": (lambda k: eqx.nn.Linear(6, 2, key=k), (6,), (2,)),
    "max_pool": (lambda k: eqx.nn.MaxPool2d(2, 2), (3, 8, 8), (3, 4, 4)),
    "rms_norm": (lambda k: eqx.nn.RMSNorm(6), (6,), (6,)),
}


@pytest.mark.parametrize("name", sorted(LAYERS))
def test_a_layer_computes_and_has_gradients(name):
    make, in_shape, out_shape = LAYERS[name]
    layer = make(jax.random.key(0))
    x = jax.random.normal(jax.random.key(1), in_shape)
    assert eqx.filter_jit(layer)(x).shape == out_shape
    grads = eqx.filter_grad(lambda layer, x: (layer(x) ** 2).sum())(layer, x)
    assert all(np.isfinite(g).all() for g in jax.tree.leaves(grads))


def test_attention_and_dropout():
    layer = eqx.nn.MultiheadAttention(2, 8, key=jax.random.key(0))
    x = jax.random.normal(jax.random.key(1), (5, 8))
    mask = jnp.tril(jnp.ones((5, 5), bool))
    out = eqx.filter_jit(layer)(x, x, x, mask=mask)
    changed = eqx.filter_jit(layer)(x.at[4].add(1.0), x.at[4].add(1.0), x, mask=mask)
    np.testing.assert_allclose(out[:4], changed[:4], rtol=1e-5, atol=1e-6)
    dropout = eqx.nn.Dropout(0.5)
    kept = dropout(jnp.ones(1000), key=jax.random.key(2)) > 0
    assert 0.4 < kept.mean() < 0.6


def test_a_recurrent_cell_in_a_scan():
    cell = eqx.nn.GRUCell(3, 4, key=jax.random.key(0))
    xs = jax.random.normal(jax.random.key(1), (7, 3))

    @eqx.filter_jit
    @eqx.filter_grad
    def gradient(cell):
        def step(state, x):
            state = cell(x, state)
            return state, state

        return jax.lax.scan(step, jnp.zeros(4), xs)[1].sum()

    assert all(np.isfinite(g).all() for g in jax.tree.leaves(gradient(cell)))


def test_state_is_threaded():
    layer, state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(
        4, axis_name="batch", mode="batch"
    )
    x = jax.random.normal(jax.random.key(0), (16, 4)) * 3 + 1

    @jax.vmap
    def identity(x):
        return x

    out, state = jax.vmap(
        layer, axis_name="batch", in_axes=(0, None), out_axes=(0, None)
    )(identity(x), state)
    np.testing.assert_allclose(out.mean(axis=0), 0.0, atol=1e-5)
    np.testing.assert_allclose(out.std(axis=0), 1.0, atol=1e-3)


def test_tree_surgery_partition_and_serialization(tmp_path):
    model = model_of(jax.random.key(0))
    changed = eqx.tree_at(lambda m: m.layers[0].bias, model, jnp.ones(32))
    assert (changed.layers[0].bias == 1).all()
    arrays, rest = eqx.partition(model, eqx.is_array)
    assert eqx.tree_equal(eqx.combine(arrays, rest), model)
    eqx.tree_serialise_leaves(tmp_path / "model.eqx", changed)
    again = eqx.tree_deserialise_leaves(tmp_path / "model.eqx", model)
    assert eqx.tree_equal(again, changed)


def test_checks_at_run_time():
    @eqx.filter_jit
    def f(x):
        return eqx.error_if(x, x < 0, "x must be positive")

    assert f(jnp.asarray(1.0)) == 1.0
    with pytest.raises(Exception, match="x must be positive"):
        f(jnp.asarray(-1.0))


def test_bounded_loops_are_differentiable():
    def f(x):
        def body(carry):
            index, y = carry
            return index + 1, y * x

        start = (jnp.asarray(0), jnp.asarray(1.0))
        loop = eqx.internal.while_loop
        return loop(lambda c: c[0] < 4, body, start, kind="checkpointed", max_steps=8)[
            1
        ]

    assert f(jnp.asarray(2.0)) == 16.0
    assert jax.grad(f)(jnp.asarray(2.0)) == 32.0
