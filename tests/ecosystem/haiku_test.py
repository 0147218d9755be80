"""Haiku on our package: functions with state become pairs of pure functions."""

import haiku as hk
import optax

import jax
import jax.numpy as jnp
from tests.ecosystem import data


def classifier(points, is_training):
    hidden = hk.Linear(32)(points)
    hidden = hk.BatchNorm(True, True, 0.9)(hidden, is_training)
    hidden = jax.nn.relu(hidden)
    if is_training:
        hidden = hk.dropout(hk.next_rng_key(), 0.1, hidden)
    return hk.nets.MLP([32, data.CLASSES])(hidden)


def test_a_model_with_state_and_dropout_learns_the_spirals():
    points, labels = data.spirals()
    model = hk.transform_with_state(classifier)
    weights, averages = model.init(jax.random.key(0), points, True)
    optimizer = optax.adam(2e-2)
    moments = optimizer.init(weights)

    def loss(weights, averages, key):
        scores, averages = model.apply(weights, averages, key, points, True)
        return data.loss_of(scores, labels), averages

    @jax.jit
    def step(weights, averages, moments, key):
        (value, averages), grads = jax.value_and_grad(loss, has_aux=True)(
            weights, averages, key
        )
        updates, moments = optimizer.update(grads, moments)
        return optax.apply_updates(weights, updates), averages, moments, value

    first = None
    for key in jax.random.split(jax.random.key(1), 200):
        weights, averages, moments, value = step(weights, averages, moments, key)
        first = value if first is None else first
    assert value < 0.5 * first
    scores, _ = model.apply(weights, averages, None, points, False)
    assert data.accuracy(scores, labels) > 0.9


def test_recurrent_cores_are_unrolled():
    def run(inputs):
        core = hk.LSTM(5)
        state = core.initial_state(2)
        return hk.dynamic_unroll(core, inputs, state)[0]

    model = hk.without_apply_rng(hk.transform(run))
    inputs = jax.random.normal(jax.random.key(0), (6, 2, 3))
    weights = model.init(jax.random.key(1), inputs)
    rolled = jax.jit(model.apply)(weights, inputs)
    assert rolled.shape == (6, 2, 5)
    by_steps = hk.without_apply_rng(
        hk.transform(
            lambda xs: hk.static_unroll(hk.LSTM(5), xs, hk.LSTM(5).initial_state(2))[0]
        )
    )
    assert jnp.allclose(by_steps.apply(weights, inputs), rolled, atol=1e-5)
