"""Dropout, windows and epilogues of shipped operations agree with what they stand for, and have derivatives."""

import itertools

import numpy as np
import pytest
from jax.experimental.pallas.ops.gpu import attention

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu import flash_attention as flash, matmul

KEY = jax.random.key(7)


def normal(seed, *shape, dtype="float32"):
    values = np.random.RandomState(seed).randn(*shape)
    return jnp.asarray(values, jnp.float32).astype(dtype)


def wide(*arrays):
    return [np.asarray(x, np.float64) for x in arrays]


def attended(q, k, v, window, rate, causal):
    """Attention in 64 bits, heads before positions; a weight is left out where the key says."""
    q, k, v = wide(q, k, v)
    scores = np.einsum("bhqd,bhkd->bhqk", q, k) * 0.5
    number = np.arange(q.shape[2])[:, None]
    other = np.arange(k.shape[2])
    seen = np.ones((q.shape[2], k.shape[2]), bool)
    if causal:
        seen &= other <= number
    if window is not None:
        seen &= (other >= number - window[0]) & (other <= number + window[1])
    scores = np.where(seen, scores, -1e30)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    weights = shares / shares.sum(-1, keepdims=True)
    if rate:
        kept = np.asarray(jax.random.bernoulli(KEY, 1 - rate, weights.shape))
        weights = np.where(kept, weights / (1 - rate), 0)
    return np.einsum("bhqk,bhkd->bhqd", weights, v)


OPTIONS = list(itertools.product([None, (2, 0), (1, 3)], [0.0, 0.3], [False, True]))


@pytest.mark.parametrize(("window", "rate", "causal"), OPTIONS)
@pytest.mark.parametrize("shape", [(2, 3, 8, 4), (1, 2, 7, 8)])
def test_flash_attention_leaves_out_weights_and_looks_through_windows(
    shape, window, rate, causal
):
    q, k, v = (normal(i, *shape) for i in range(3))
    options = {"causal": causal, "sm_scale": 0.5, "window": window}
    options |= {"dropout_rate": rate, "dropout_key": KEY}
    call = lambda *args: flash.flash_attention(*args, **options)  # noqa: E731
    expected = attended(q, k, v, window, rate, causal)
    np.testing.assert_allclose(call(q, k, v), expected, rtol=2e-5, atol=2e-5)
    plain = flash.mha_reference(q, k, v, None, **options)
    np.testing.assert_allclose(plain, expected, rtol=2e-5, atol=2e-5)
    ct = normal(5, *shape)
    slopes = jax.vjp(call, q, k, v)[1](ct)
    for number, slope in enumerate(slopes):
        direction = normal(6 + number, *shape)
        ends = []
        for step in (1e-4, -1e-4):
            args = wide(q, k, v)
            args[number] = args[number] + step * np.asarray(direction, np.float64)
            ends.append(attended(*args, window, rate, causal))
        expected = np.sum((ends[0] - ends[1]) * np.asarray(ct)) / 2e-4
        np.testing.assert_allclose(np.vdot(slope, direction), expected, rtol=2e-3)


@pytest.mark.parametrize("rate", [0.0, 0.4])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_attention_by_the_interface_for_triton_leaves_out_weights(rate, causal, dtype):
    q, k, v = (normal(i, 2, 8, 3, 4, dtype=dtype) for i in range(3))
    options = {"sm_scale": 0.5, "causal": causal, "dropout_rate": rate}
    options["dropout_key"] = KEY
    got = attention.mha(q, k, v, None, **options)
    heads = (np.moveaxis(x, 2, 1) for x in wide(q, k, v))
    expected = np.moveaxis(attended(*heads, None, rate, causal), 1, 2)
    bound = 2e-5 if dtype == "float32" else 4e-2
    np.testing.assert_allclose(*wide(got, expected), rtol=bound, atol=bound)
    plain = attention.mha_reference(q, k, v, None, **options)
    np.testing.assert_array_equal(got, plain)
    slopes = jax.grad(lambda v: attention.mha(q, k, v, None, **options).sum())(v)
    assert slopes.dtype == dtype and np.isfinite(wide(slopes)[0]).all()


def test_dropout_keeps_the_mean():
    q, k = (normal(i, 1, 1, 4, 8) for i in range(2))
    v = jnp.ones((1, 1, 4, 8))
    keys = jax.random.split(KEY, 2000)
    found = jax.vmap(
        lambda key: flash.flash_attention(
            q, k, v, dropout_rate=0.25, dropout_key=key
        ).mean()
    )(keys)
    assert abs(float(found.mean()) - 1) < 0.02 and float(found.std()) > 0.05


def test_mistakes_in_dropout_and_windows():
    q = normal(0, 1, 1, 4, 8)
    for options in (
        {"dropout_rate": 0.1},
        {"dropout_rate": 1.0, "dropout_key": KEY},
        {"dropout_rate": -0.1, "dropout_key": KEY},
    ):
        with pytest.raises(ValueError, match="cannot leave out weights"):
            flash.flash_attention(q, q, q, **options)
        with pytest.raises(ValueError, match="cannot leave out weights"):
            attention.mha(q, q, q, None, **options)
    for window in ((-1, 0), (1,)):
        with pytest.raises(ValueError, match="impossible size"):
            flash.flash_attention(q, q, q, window=window)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("activation", [None, jax.nn.gelu, jnp.tanh])
@pytest.mark.parametrize(
    "parts", list(itertools.product([None, (), (5,), (7, 5)], repeat=2))
)
def test_products_with_epilogues(parts, activation, dtype):
    x, y = normal(0, 7, 6, dtype=dtype), normal(1, 6, 5, dtype=dtype)
    scale, bias = (
        None if shape is None else normal(2 + i, *shape, dtype=dtype)
        for i, shape in enumerate(parts)
    )
    rest = normal(4, 7, 5, dtype=dtype)

    def call(x, scale, bias, rest):
        return matmul.matmul(
            x,
            y,
            block_shape=(4, 4),
            scale=scale,
            bias=bias,
            activation=activation,
            residual=rest,
        )

    def plain(x, scale, bias, rest):
        sums = x.astype(jnp.float32) @ y.astype(jnp.float32)
        sums = sums if scale is None else sums * scale.astype(jnp.float32)
        sums = sums if bias is None else sums + bias.astype(jnp.float32)
        sums = sums if activation is None else activation(sums)
        return (sums + rest.astype(jnp.float32)).astype(dtype)

    args = (x, scale, bias, rest)
    bound = 1e-5 if dtype == "float32" else 2e-2
    got, wanted = call(*args), plain(*args)
    assert got.dtype == dtype
    np.testing.assert_allclose(*wide(got, wanted), rtol=bound, atol=bound)
    slopes = jax.vjp(call, *args)[1](wanted)
    for slope, expected in zip(
        jax.tree.leaves(slopes),
        jax.tree.leaves(jax.vjp(plain, *args)[1](wanted)),
        strict=True,
    ):
        size = max(1.0, np.abs(wide(expected)[0]).max())
        np.testing.assert_allclose(
            *wide(slope, expected), rtol=bound, atol=5 * bound * size
        )


def test_operands_of_epilogues_fit_the_product():
    x = jnp.ones((3, 3))
    for bias in (jnp.ones(2), jnp.ones((2, 3, 3))):
        with pytest.raises(TypeError, match="epilogue does not fit"):
            matmul.matmul(x, x, block_shape=(2, 2), bias=bias)
    small = jnp.ones((3, 3), jnp.int8)
    found = matmul.matmul(
        small, small, block_shape=(2, 2), out_dtype=jnp.int32, bias=jnp.arange(3)
    )
    np.testing.assert_array_equal(found, np.tile([3, 4, 5], (3, 1)))
