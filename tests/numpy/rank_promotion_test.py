"""Functions of the library need no promotion of ranks themselves."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import rnn
from jax.scipy import integrate, linalg, signal, stats

A = np.random.RandomState(0).rand(3, 4).astype("f4")
S = np.stack([A[:, :3] + 4 * np.eye(3, dtype="f4")] * 2)
LONG = np.tile(A, (1, 20))
QKV = np.random.RandomState(1).rand(2, 5, 4, 8).astype("f4")
LENGTHS = np.array([2, 3], np.int32)
SHARES = np.array([0.2, 0.5], "f4")


def attended(x):
    return jax.nn.dot_product_attention(
        x,
        x,
        x,
        is_causal=True,
        query_seq_lengths=LENGTHS,
        key_value_seq_lengths=LENGTHS,
        local_window_size=(1, 1),
    ).sum()


def remembered():
    weights = rnn.init_lstm_weight(jax.random.key(0), 3, 4, 1, False)
    parts = rnn.unpack_lstm_weights(weights, 3, 4, 1, False)
    begin = np.zeros((1, 2, 4), "f4")
    x, lengths = QKV[:, :, 0, :3], np.array([5, 4], np.int32)
    return rnn.lstm_ref(x, begin, begin, *parts, lengths, 3, 4, 1, 0.0, False)


CALLS = {
    "attention": lambda: jax.grad(attended)(QKV),
    "lstm": remembered,
    "quantile": lambda: jnp.quantile(A, SHARES, axis=1),
    "nanquantile": lambda: jnp.nanquantile(A, SHARES, axis=0, method="nearest"),
    "weighted quantile": lambda: jnp.quantile(
        A, SHARES, axis=1, weights=A, method="inverted_cdf"
    ),
    "cov": lambda: jnp.cov(A, aweights=np.ones(4), fweights=np.ones(4, int)),
    "polyfit": lambda: jnp.polyfit(np.arange(4.0), A.T, 2, w=np.ones(4), cov=True),
    "det": lambda: jax.grad(lambda a: jnp.linalg.det(a).sum())(S),
    "trapezoid": lambda: integrate.trapezoid(A, np.arange(4.0)),
    "lu": lambda: linalg.lu(S[0]),
    "sylvester": lambda: linalg.solve_sylvester(S[0], S[0], S[0]),
    "detrend": lambda: signal.detrend(A),
    "welch": lambda: signal.welch(LONG, nperseg=16),
    "kde": lambda: stats.gaussian_kde(A).integrate_kde(stats.gaussian_kde(A)),
    "mode": lambda: stats.mode(A),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_promotes_no_rank(name):
    usual = CALLS[name]()
    with jax.numpy_rank_promotion("raise"):
        found = CALLS[name]()
    for x, y in zip(jax.tree.leaves(found), jax.tree.leaves(usual), strict=True):
        np.testing.assert_array_equal(x, y)
