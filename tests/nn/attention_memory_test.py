"""Attention written out by hand computes no square of queries and keys in memory."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import nn

QUERIES, KEYS, HEADS, FEATURES = 1031, 1100, 2, 16
SQUARE = 4 * QUERIES * KEYS * HEADS
SEEN = np.tri(QUERIES, KEYS, dtype=bool)
RANDOM = np.random.RandomState(0)
Q, K, V, OUT = (
    RANDOM.randn(1, n, HEADS, FEATURES).astype("f4")
    for n in (QUERIES, KEYS, KEYS, QUERIES)
)


def _logits(q, k):
    return jnp.einsum("bqnh,bknh->bnqk", q, k) * FEATURES**-0.5


def _masked(q, k, v):
    weights = nn.softmax(jnp.where(SEEN, _logits(q, k), -1e30), -1)
    return jnp.einsum("bnqk,bknh->bqnh", weights, v)


def _masked_by_numbers(q, k, v):
    rows, columns = jnp.arange(QUERIES)[:, None], jnp.arange(KEYS)[None]
    weights = nn.softmax(jnp.where(columns <= rows, _logits(q, k), -1e30), -1)
    return jnp.einsum("bnqk,bknh->bqnh", weights, v)


def _added(q, k, v):
    logits = jnp.einsum("bqnh,bknh->bnqk", q * FEATURES**-0.5, k)
    logits = logits + jnp.where(SEEN, 0.0, -1e30)
    terms = jnp.exp(logits - jax.lax.stop_gradient(logits.max(-1, keepdims=True)))
    return jnp.einsum("bnqk,bknh->bqnh", terms / terms.sum(-1, keepdims=True), v)


def _keys_first(q, k, v):
    logits = jnp.einsum("bknh,bqnh->bnkq", k, q) * FEATURES**-0.5
    weights = nn.softmax(jnp.where(SEEN.T, logits, -1e30), -2)
    return jnp.einsum("bnkq,bknh->bqnh", weights, v)


def _divided_late(q, k, v):
    terms = jnp.where(SEEN, jnp.exp(_logits(q, k)), 0)
    sums = jnp.moveaxis(terms.sum(-1), 1, 2)[..., None]
    return jnp.einsum("bnqk,bknh->bqnh", terms, v) / sums


def _library(q, k, v):
    return nn.dot_product_attention(q, k, v, mask=SEEN[None, None])


FORMS = [_masked, _masked_by_numbers, _added, _keys_first, _divided_late, _library]


def _defined(q, k, v):
    q, k, v = (np.moveaxis(np.asarray(x, np.float64), 2, 1) for x in (q, k, v))
    logits = q @ np.swapaxes(k, -1, -2) * FEATURES**-0.5
    terms = np.where(SEEN, np.exp(logits), 0)
    weights = terms / terms.sum(-1, keepdims=True)
    return weights, np.moveaxis(weights @ v, 1, 2)


def _derivatives(q, k, v, out):
    """The derivatives of a sum of the attention's results times `out`."""
    weights, _ = _defined(q, k, v)
    q, k, v, out = (np.moveaxis(x.astype(np.float64), 2, 1) for x in (q, k, v, out))
    turned = lambda x: np.swapaxes(x, -1, -2)
    by_weights = out @ turned(v)
    means = (by_weights * weights).sum(-1, keepdims=True)
    by_logits = weights * (by_weights - means) * FEATURES**-0.5
    found = by_logits @ k, turned(by_logits) @ q, turned(weights) @ out
    return [np.moveaxis(x, 1, 2) for x in found]


def _run(f, *args, most=SQUARE / 2):
    compiled = jax.jit(f).lower(*args).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < most
    return compiled(*args)


@pytest.mark.parametrize("form", FORMS)
def test_attention_in_any_form_holds_no_square(form):
    found = _run(form, Q, K, V)
    np.testing.assert_allclose(found, _defined(Q, K, V)[1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_gradient_of_attention_holds_no_square(form):
    found = _run(lambda q, k, v, out: jax.vjp(form, q, k, v)[1](out), Q, K, V, OUT)
    for x, y in zip(found, _derivatives(Q, K, V, OUT), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-3, atol=2e-5)


@pytest.mark.parametrize("form", FORMS)
def test_training_step_computes_squares_again_behind_the_loss(form):
    mixing = np.linalg.qr(RANDOM.randn(HEADS * FEATURES, HEADS * FEATURES))[0]
    mixing = mixing.astype("f4")

    def loss(q, k, v):
        mixed = form(q, k, v).reshape(QUERIES, -1) @ mixing
        return (mixed**2).sum() / 2

    found = _run(jax.value_and_grad(loss, (0, 1, 2)), Q, K, V)[1]
    # The mixing matrix is orthogonal: the derivative by the results is these.
    out = _defined(Q, K, V)[1]
    for x, y in zip(found, _derivatives(Q, K, V, out), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("form", FORMS)
def test_attention_of_halves_holds_no_square(form):
    # Twice the heads: of half the bytes each, as large a square.
    q, k, v = (
        jnp.asarray(np.concatenate([x, x[:, ::-1]], 2), jnp.bfloat16) for x in (Q, K, V)
    )
    # One form adds a mask of four bytes an element, which all heads share.
    found = _run(form, q, k, v, most=SQUARE * 3 / 4)
    wanted = _defined(*(np.asarray(x, np.float32) for x in (q, k, v)))[1]
    np.testing.assert_allclose(np.asarray(found, np.float64), wanted, atol=0.03)


def test_numbers_of_elements_that_halves_round_are_sliced():
    def f(q, k):
        numbers = jax.lax.iota(jnp.bfloat16, QUERIES * 4).astype(jnp.float32)
        return ((q @ k.T) * numbers[:, None]) @ k

    q = RANDOM.randn(QUERIES * 4, 8).astype("f4")
    k = RANDOM.randn(KEYS, 8).astype("f4")
    numbers = np.arange(QUERIES * 4).astype(jnp.bfloat16).astype("f8")
    wanted = (q.astype("f8") @ k.T * numbers[:, None]) @ k
    found = _run(f, q, k)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5 * abs(wanted).max())


def test_distances_of_all_pairs_hold_no_square():
    def f(x, y):
        squares = ((x**2).sum(-1)[:, None] + (y**2).sum(-1)) - 2 * x @ y.T
        return jnp.exp(-squares / 8).sum(-1), squares.min(-1)

    x, y = RANDOM.randn(3000, 5).astype("f4"), RANDOM.randn(2000, 5).astype("f4")
    sums, least = _run(f, x, y)
    squares = ((x[:, None].astype("f8") - y) ** 2).sum(-1)
    np.testing.assert_allclose(sums, np.exp(-squares / 8).sum(-1), rtol=1e-4)
    np.testing.assert_allclose(least, squares.min(-1), atol=1e-4)


def test_complex_numbers_of_all_pairs_hold_no_square():
    def f(x, y):
        return jnp.exp(1j * (x @ y.T)).sum(-1)

    x, y = RANDOM.randn(2100, 5).astype("f4"), RANDOM.randn(2000, 5).astype("f4")
    wanted = np.exp(1j * (x.astype("f8") @ y.T)).sum(-1)
    np.testing.assert_allclose(_run(f, x, y), wanted, atol=2e-2)


def test_square_that_is_returned_is_whole():
    def f(x, y):
        square = jnp.tanh(x @ y.T)
        return square, square @ y

    x, y = RANDOM.randn(2100, 5).astype("f4"), RANDOM.randn(2000, 5).astype("f4")
    square, product = jax.jit(f)(x, y)
    wanted = np.tanh(x.astype("f8") @ y.T)
    np.testing.assert_allclose(square, wanted, atol=1e-5)
    np.testing.assert_allclose(product, wanted @ y, rtol=1e-3, atol=1e-3)
