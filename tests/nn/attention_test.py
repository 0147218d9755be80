"""Attention agrees with its definition, written out with NumPy."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import nn
from tests.testing import refusals

RANDOM = np.random.RandomState(0)
B, T, S, N, K, H = 2, 5, 7, 4, 2, 8
Q = RANDOM.randn(B, T, N, H).astype("f4")
KEY = RANDOM.randn(B, S, K, H).astype("f4")
VALUE = RANDOM.randn(B, S, K, H).astype("f4")
BIAS = RANDOM.randn(1, N, T, S).astype("f4")
MASK = RANDOM.rand(B, 1, T, S) > 0.3
MASK[..., 0] = True


def defined(
    bias=0.0, mask=True, scale=H**-0.5, causal=False, window=None, lengths=None
):
    """The result and the logarithms of the sums, one head at a time."""
    out, residual = np.zeros_like(Q), np.zeros((B, T, N), "f4")
    seen = np.broadcast_to(mask, (B, N, T, S)).copy()
    rows, columns = np.arange(T)[:, None], np.arange(S)[None]
    if causal:
        seen &= columns <= rows
    if window is not None:
        seen &= (columns >= rows - window[0]) & (columns <= rows + window[1])
    if lengths is not None:
        seen &= (columns < lengths[:, None, None])[:, None]
    bias = np.broadcast_to(bias, (B, N, T, S))
    for b in range(B):
        for n in range(N):
            k, v = (x[b, :, n // (N // K)] for x in (KEY, VALUE))
            logits = Q[b, :, n] @ k.T * scale + bias[b, n]
            logits = np.where(seen[b, n], logits, -np.inf)
            weights = np.exp(logits - logits.max(-1, keepdims=True))
            sums = weights.sum(-1, keepdims=True)
            out[b, :, n] = weights / sums @ v
            residual[b, :, n] = (np.log(sums) + logits.max(-1, keepdims=True))[:, 0]
    return out, residual


@pytest.mark.parametrize(
    ("options", "same"),
    [
        ({}, {}),
        ({"scale": 0.1}, {"scale": 0.1}),
        ({"bias": BIAS}, {"bias": BIAS}),
        ({"mask": MASK}, {"mask": MASK}),
        ({"bias": BIAS[0], "mask": MASK}, {"bias": BIAS, "mask": MASK}),
        ({"is_causal": True}, {"causal": True}),
        ({"local_window_size": 1}, {"window": (1, 1)}),
        (
            {"local_window_size": (2, 1), "is_causal": True},
            {"window": (2, 1), "causal": True},
        ),
        (
            {"key_value_seq_lengths": np.array([3, 7], "i4")},
            {"lengths": np.array([3, 7])},
        ),
    ],
)
def test_attention_is_what_its_definition_says(options, same):
    found = nn.dot_product_attention(Q, KEY, VALUE, return_residual=True, **options)
    for got, want in zip(found, defined(**same), strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)


def test_queries_beyond_their_length_give_zeros():
    lengths = np.array([2, 5], "i4")
    found = nn.dot_product_attention(Q, KEY, VALUE, query_seq_lengths=lengths)
    assert not np.asarray(found)[0, 2:].any()
    np.testing.assert_allclose(found[1], defined()[0][1], rtol=2e-5, atol=2e-5)


def test_a_query_that_sees_nothing_gets_the_mean():
    blind = np.zeros((1, 1, 1, S), bool)
    found, residual = nn.dot_product_attention(
        Q, KEY, VALUE, mask=blind, return_residual=True
    )
    mean = VALUE.mean(1).repeat(N // K, 1)[:, None]
    np.testing.assert_allclose(found, np.broadcast_to(mean, Q.shape), atol=1e-5)
    assert np.isneginf(residual).all()


def test_the_batch_may_be_left_out():
    found = nn.dot_product_attention(Q[0], KEY[0], VALUE[0])
    np.testing.assert_allclose(found, defined()[0][0], rtol=2e-5, atol=2e-5)


def test_half_precision_is_returned_in_kind():
    args = (jnp.asarray(x, jnp.bfloat16) for x in (Q, KEY, VALUE))
    found = nn.dot_product_attention(*args)
    assert found.dtype == jnp.bfloat16
    np.testing.assert_allclose(found.astype("f4"), defined()[0], atol=0.05)


def test_attention_is_differentiable_and_maps():
    def loss(q):
        return jnp.sum(nn.dot_product_attention(q, KEY, VALUE, is_causal=True) ** 2)

    slope = jax.jit(jax.grad(loss))(Q)
    step = 1e-3 * slope
    change = loss(Q + step) - loss(Q - step)
    np.testing.assert_allclose(change, 2e-3 * (slope**2).sum(), rtol=2e-2)
    mapped = jax.vmap(nn.dot_product_attention)(Q, KEY, VALUE)
    np.testing.assert_allclose(mapped, defined()[0], rtol=2e-5, atol=2e-5)


test_mistakes_are_explained = refusals.each(
    [
        (lambda: nn.dot_product_attention(Q, Q[:, :, :3], Q[:, :, :3]), ValueError, "4 vs 3"),
        (lambda: nn.dot_product_attention(Q, KEY, VALUE[:, :6]), ValueError, "key and value differ in shape"),
        (lambda: nn.dot_product_attention(Q, KEY, VALUE.astype("f2")), ValueError, "differ in dtype"),
        (lambda: nn.dot_product_attention(Q, KEY, VALUE, mask=BIAS), ValueError, "bool"),
        (lambda: nn.dot_product_attention(Q, KEY, VALUE, BIAS[:, :3]), ValueError, "bias"),
        (
            lambda: nn.dot_product_attention(Q, KEY, VALUE, implementation="cudnn"),
            RuntimeError,
            "cuDNN",
        ),
        (lambda: nn.scaled_matmul(Q[0], Q[0], Q[0][:, :, :3], Q[1]), ValueError, "blocks"),
        (lambda: nn.get_scaled_dot_general_config("fp3"), ValueError, "mxfp8"),
        (lambda: nn.softmax(np.ones(2, bool)), TypeError, "booleans"),
        (lambda: nn.sigmoid(np.ones(2, int)), TypeError, "jax.nn.sigmoid"),
    ]
)  # fmt: skip


def test_blocks_share_scales():
    x = RANDOM.randint(-3, 4, (2, 3, 8)).astype("f4")
    y = RANDOM.randint(-3, 4, (2, 4, 8)).astype("f4")
    a, b = np.full((2, 3, 2), 2.0, "f4"), np.full((2, 4, 2), 0.5, "f4")
    a[..., 1] = 4.0
    small = [jnp.asarray(v, jnp.float8_e4m3fn) for v in (x, y)]
    found = nn.scaled_matmul(*small, a, b, preferred_element_type=jnp.float32)
    wide = [v * s.repeat(4, 2) for v, s in ((x, a), (y, b))]
    np.testing.assert_array_equal(found, np.einsum("bmk,bnk->bmn", *wide))


@pytest.mark.parametrize(
    ("name", "at", "first", "second"),
    [
        ("relu6", 0.0, 0.0, 0.0),
        ("relu6", 6.0, 0.0, 0.0),
        ("softplus", 0.0, 0.5, 0.25),
        ("log_sigmoid", 0.0, 0.5, -0.25),
        ("celu", 0.0, 1.0, 0.25),
        ("hard_sigmoid", -3.0, 0.0, 0.0),
        ("relu", 0.0, 0.0, 0.0),
        ("log1mexp", 1.0, 1 / np.expm1(1), -np.e / np.expm1(1) ** 2),
    ],
)
def test_derivatives_at_corners(name, at, first, second):
    slope = jax.grad(getattr(nn, name))
    np.testing.assert_allclose(slope(at), first, rtol=1e-5)
    np.testing.assert_allclose(jax.grad(slope)(at), second, rtol=1e-5)
