"""Long short-term memories against loops in NumPy."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import rnn

SIZES = [(3, 4, 1, False), (3, 4, 2, False), (3, 4, 2, True), (5, 2, 3, True)]
BATCH, STEPS = 2, 6


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _by_loops(x, h_0, c_0, parts, lengths, layers, directions):
    """The recurrent network in float64, one sequence and one step after the other."""
    W_ih, W_hh, b_ih, b_hh = (
        {k: np.asarray(v, np.float64) for k, v in part.items()} for part in parts
    )
    rows = np.asarray(x, np.float64)
    hidden, cells = np.array(h_0, np.float64), np.array(c_0, np.float64)
    for layer in range(layers):
        size = hidden.shape[-1]
        out = np.zeros((*rows.shape[:2], size * directions))
        for direction in range(directions):
            n = layer * directions + direction
            for b, length in enumerate(lengths):
                h, c = hidden[n, b], cells[n, b]
                order = range(length)
                for t in reversed(order) if direction else order:
                    gates = W_ih[n] @ rows[b, t] + b_ih[n] + W_hh[n] @ h + b_hh[n]
                    i, f, g, o = np.split(gates, 4)
                    c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
                    h = _sigmoid(o) * np.tanh(c)
                    out[b, t, direction * size : (direction + 1) * size] = h
                hidden[n, b], cells[n, b] = h, c
        rows = out
    return rows, hidden, cells


def _arguments(inputs, size, layers, both):
    weights = rnn.init_lstm_weight(jax.random.key(0), inputs, size, layers, both)
    directions = 2 if both else 1
    keys = jax.random.split(jax.random.key(1), 3)
    shape = (layers * directions, BATCH, size)
    x = jax.random.normal(keys[0], (BATCH, STEPS, inputs))
    h_0, c_0 = (jax.random.normal(k, shape) for k in keys[1:])
    return weights, x, h_0, c_0


@pytest.mark.parametrize("lengths", [(STEPS, STEPS), (STEPS, 3), (0, 1)])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_against_loops(sizes, lengths):
    inputs, size, layers, both = sizes
    weights, x, h_0, c_0 = _arguments(*sizes)
    parts = rnn.unpack_lstm_weights(weights, *sizes)
    wanted = _by_loops(x, h_0, c_0, parts, lengths, layers, 2 if both else 1)
    counts = jnp.array(lengths, jnp.int32)
    found = rnn.lstm(x, h_0, c_0, weights, counts, inputs, size, layers, 0.0, both)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_weights(sizes):
    inputs, size, layers, both = sizes
    count = rnn.get_num_params_in_lstm(*sizes)
    weights = rnn.init_lstm_weight(jax.random.key(0), *sizes)
    assert weights.shape == (count,) and abs(weights).max() <= size**-0.5
    parts = rnn.unpack_lstm_weights(weights, *sizes)
    assert sum(v.size for part in parts for v in part.values()) == count
    assert parts[0][0].shape == (4 * size, inputs)
    swapped = rnn.swap_lstm_gates(weights, *sizes)
    i, f, g, o = np.split(np.asarray(parts[0][0]), 4)
    found = rnn.unpack_lstm_weights(swapped, *sizes)[0][0]
    assert np.array_equal(found, np.concatenate([i, f, o, g]))
    assert np.array_equal(rnn.swap_lstm_gates(swapped, *sizes), weights)


def test_derivatives():
    weights, x, h_0, c_0 = _arguments(2, 3, 1, False)
    counts = jnp.full(BATCH, STEPS, jnp.int32)

    def loss(w):
        return rnn.lstm(x, h_0, c_0, w, counts, 2, 3, 1, 0.0, False)[0].sum()

    step = 1e-2 * jax.random.normal(jax.random.key(5), weights.shape)
    slope = (loss(weights + step) - loss(weights - step)) / 2
    np.testing.assert_allclose(jax.grad(loss)(weights) @ step, slope, rtol=2e-2)


def test_what_is_refused():
    weights, x, h_0, c_0 = _arguments(2, 3, 1, False)
    counts = jnp.full(BATCH, STEPS, jnp.int32)
    with pytest.raises(NotImplementedError, match="int32"):
        rnn.lstm(x, h_0, c_0, weights, counts.astype(jnp.int8), 2, 3, 1, 0.0, False)
    with pytest.raises(NotImplementedError, match="dropout"):
        rnn.lstm(x, h_0, c_0, weights, counts, 2, 3, 1, 0.5, False)
    with pytest.raises(NotImplementedError, match="DEFAULT"):
        rnn.lstm(
            x, h_0, c_0, weights, counts, 2, 3, 1, 0.0, False, lax.Precision.DEFAULT
        )
