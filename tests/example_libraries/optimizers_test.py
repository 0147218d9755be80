"""Optimizers: formulas in NumPy, trees, schedules, and what is refused."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.example_libraries import optimizers

PARAMS = {"a": jnp.array([1.0, -2.0]), "b": [jnp.arange(1.0, 7.0).reshape(2, 3)]}
EVERY = {
    "sgd": lambda: optimizers.sgd(0.1),
    "momentum": lambda: optimizers.momentum(0.05, 0.8),
    "nesterov": lambda: optimizers.nesterov(0.05, 0.8),
    "adagrad": lambda: optimizers.adagrad(1.0),
    "rmsprop": lambda: optimizers.rmsprop(0.1),
    "rmsprop_momentum": lambda: optimizers.rmsprop_momentum(0.02),
    "adam": lambda: optimizers.adam(0.1),
    "adamax": lambda: optimizers.adamax(0.1),
    "sm3": lambda: optimizers.sm3(1.0),
}


def _loss(params):
    return sum(jnp.square(x).sum() for x in jax.tree.leaves(params))


@pytest.mark.parametrize("name", EVERY)
def test_they_find_the_bottom_of_a_bowl(name):
    init, update, get_params = EVERY[name]()
    state = init(PARAMS)

    @jax.jit
    def step(i, state):
        return update(i, jax.grad(_loss)(get_params(state)), state)

    for i in range(200):
        state = step(i, state)
    assert jax.tree.structure(get_params(state)) == jax.tree.structure(PARAMS)
    assert _loss(get_params(state)) < 0.02 * _loss(PARAMS)


def _numpy(name, gradients):
    """Where 0.0 goes, in float64, written as the papers have it."""
    x = m = v = 0.0
    for i, g in enumerate(gradients):
        if name == "sgd":
            x -= 0.1 * g
        elif name == "momentum":
            m = 0.8 * m + g
            x -= 0.05 * m
        elif name == "nesterov":
            m = 0.8 * m + g
            x -= 0.05 * (0.8 * m + g)
        elif name in ("adagrad", "sm3"):  # One element: the same.
            v += g**2
            m = 0.1 * g / np.sqrt(v) + 0.9 * m
            x -= m
        elif name == "rmsprop":
            v = 0.9 * v + 0.1 * g**2
            x -= 0.1 * g / np.sqrt(v + 1e-8)
        elif name == "rmsprop_momentum":
            v = 0.9 * v + 0.1 * g**2
            m = 0.9 * m + 0.02 * g / np.sqrt(v + 1e-8)
            x -= m
        elif name == "adam":
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
            root = np.sqrt(v / (1 - 0.999 ** (i + 1))) + 1e-8
            x -= 0.1 * m / (1 - 0.9 ** (i + 1)) / root
        elif name == "adamax":
            m, v = 0.9 * m + 0.1 * g, max(0.999 * v, abs(g))
            x -= 0.1 / (1 - 0.9 ** (i + 1)) * m / (v + 1e-8)
    return x


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
@pytest.mark.parametrize("name", EVERY)
def test_formulas(name, shape):
    gradients = [0.5, -1.5, 0.25, 2.0]
    init, update, get_params = EVERY[name]()
    state = init(jnp.zeros(shape))
    for i, g in enumerate(gradients):
        state = update(i, jnp.full(shape, g), state)
    found = get_params(state)
    assert found.shape == shape
    np.testing.assert_allclose(
        found, np.full(shape, _numpy(name, gradients)), rtol=1e-4
    )


def test_schedules():
    found = {
        "constant": optimizers.constant(0.1),
        "exponential": optimizers.exponential_decay(0.1, 10, 0.5),
        "inverse": optimizers.inverse_time_decay(0.1, 10, 0.5),
        "stairs": optimizers.inverse_time_decay(0.1, 3, 0.5, staircase=True),
        "polynomial": optimizers.polynomial_decay(0.1, 10, 0.01, 2.0),
        "pieces": optimizers.piecewise_constant([2, 5], [1.0, 0.5, 0.1]),
    }
    wanted = {
        "constant": lambda i: 0.1,
        "exponential": lambda i: 0.1 * 0.5 ** (i / 10),
        "inverse": lambda i: 0.1 / (1 + 0.05 * i),
        "stairs": lambda i: 0.1 / (1 + 0.5 * (i // 3)),
        "polynomial": lambda i: 0.09 * (1 - min(i, 10) / 10) ** 2 + 0.01,
        "pieces": lambda i: 1.0 if i <= 2 else 0.5 if i <= 5 else 0.1,
    }
    for name, schedule in found.items():
        values = [float(schedule(i)) for i in range(13)]
        np.testing.assert_allclose(
            values, [wanted[name](i) for i in range(13)], rtol=1e-5
        )


def test_norms():
    whole = np.concatenate([np.ravel(x) for x in jax.tree.leaves(PARAMS)])
    norm = np.linalg.norm(whole)
    np.testing.assert_allclose(optimizers.l2_norm(PARAMS), norm, rtol=1e-6)
    np.testing.assert_allclose(
        optimizers.l2_norm(optimizers.clip_grads(PARAMS, 1.0)), 1, rtol=1e-6
    )
    kept = optimizers.clip_grads(PARAMS, 100.0)
    assert all(map(np.array_equal, jax.tree.leaves(kept), jax.tree.leaves(PARAMS)))


@pytest.mark.parametrize("name", EVERY)
def test_a_state_is_taken_apart_and_put_together(name):
    init, _, get_params = EVERY[name]()
    marked = optimizers.unpack_optimizer_state(init(PARAMS))
    assert isinstance(marked["a"], optimizers.JoinPoint)
    again = optimizers.pack_optimizer_state(marked)
    assert again == jax.tree.unflatten(
        jax.tree.structure(again), jax.tree.leaves(again)
    )
    assert _loss(get_params(again)) == _loss(PARAMS)


def test_what_is_refused():
    init, update, _ = optimizers.sgd(0.1)
    with pytest.raises(TypeError, match="another tree"):
        update(0, {"a": 1.0}, init(PARAMS))
    with pytest.raises(TypeError, match="a number or a function"):
        optimizers.sgd(jnp.ones(2))
    with pytest.raises(ValueError, match="one value more"):
        optimizers.piecewise_constant([1], [1.0])
    with pytest.raises(TypeError, match="JoinPoint"):
        optimizers.pack_optimizer_state({"a": 1.0})

    @optimizers.optimizer
    def changing():
        return lambda x: x, lambda i, g, x: (x, x), lambda x: x

    init, update, _ = changing()
    with pytest.raises(TypeError, match="changed the tree"):
        update(0, PARAMS, init(PARAMS))
