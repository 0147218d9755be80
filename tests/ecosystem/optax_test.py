"""Optax on our package: every optimizer runs compiled, and training works."""

import numpy as np
import optax
import pytest

import jax
import jax.numpy as jnp
from tests.ecosystem import data

OPTIMIZERS = {
    "adabelief": lambda: optax.adabelief(1e-2),
    "adafactor": lambda: optax.adafactor(1e-2),
    "adagrad": lambda: optax.adagrad(1e-1),
    "adam": lambda: optax.adam(1e-2),
    "adamax": lambda: optax.adamax(1e-2),
    "adamw": lambda: optax.adamw(1e-2, weight_decay=1e-4),
    "amsgrad": lambda: optax.amsgrad(1e-2),
    "lamb": lambda: optax.lamb(1e-2),
    "lion": lambda: optax.lion(1e-3),
    "nadam": lambda: optax.nadam(1e-2),
    "novograd": lambda: optax.novograd(1e-2),
    "radam": lambda: optax.radam(1e-2),
    "rmsprop": lambda: optax.rmsprop(1e-2),
    "sgd": lambda: optax.sgd(1e-1, momentum=0.9, nesterov=True),
    "sm3": lambda: optax.sm3(1e-1),
    "yogi": lambda: optax.yogi(1e-2),
}


def init(key):
    first, second = jax.random.split(key)
    return {
        "hidden": jax.random.normal(first, (2, 32)) * 0.7,
        "bias": jnp.zeros(32),
        "out": jax.random.normal(second, (32, data.CLASSES)) * 0.2,
    }


def logits_of(params, points):
    return jnp.tanh(points @ params["hidden"] + params["bias"]) @ params["out"]


def train(optimizer, steps):
    points, labels = data.spirals()
    params = init(jax.random.key(0))
    state = optimizer.init(params)

    def loss(params):
        return data.loss_of(logits_of(params, points), labels)

    @jax.jit
    def step(params, state):
        value, grads = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    losses = []
    for _ in range(steps):
        params, state, value = step(params, state)
        losses.append(float(value))
    return params, losses


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_an_optimizer_lowers_the_loss(name):
    _, losses = train(OPTIMIZERS[name](), 30)
    assert np.isfinite(losses).all()
    assert losses[-1] < losses[0]


def test_a_chain_with_a_schedule_learns_the_spirals():
    schedule = optax.warmup_cosine_decay_schedule(0.0, 3e-2, 20, 400)
    optimizer = optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.scale_by_adam(),
        optax.scale_by_learning_rate(schedule),
    )
    params, losses = train(optimizer, 400)
    points, labels = data.spirals()
    assert data.accuracy(logits_of(params, points), labels) > 0.95
    assert losses[-1] < 0.2


def test_losses_agree_with_ours():
    points, labels = data.spirals()
    logits = logits_of(init(jax.random.key(1)), points)
    theirs = optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()
    np.testing.assert_allclose(theirs, data.loss_of(logits, labels), rtol=1e-6)


def test_lbfgs_finds_a_minimum():
    def f(x):
        return jnp.sum((x - jnp.arange(3.0)) ** 2) + x[0] * x[1]

    optimizer = optax.lbfgs()
    value_and_grad = optax.value_and_grad_from_state(f)
    x = jnp.zeros(3)
    state = optimizer.init(x)

    @jax.jit
    def step(x, state):
        value, grad = value_and_grad(x, state=state)
        updates, state = optimizer.update(
            grad, state, x, value=value, grad=grad, value_fn=f
        )
        return optax.apply_updates(x, updates), state

    for _ in range(15):
        x, state = step(x, state)
    np.testing.assert_allclose(jax.grad(f)(x), 0.0, atol=1e-3)
