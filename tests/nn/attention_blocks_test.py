"""Attentions in blocks of queries, which leave out scores that are masked, and which way is chosen."""

import itertools
import logging

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src.nn import attention_blocks


@pytest.fixture(autouse=True)
def one_device(monkeypatch):
    """A process that runs other folders' tests too has several."""
    monkeypatch.setattr(attention_blocks.backends, "device_count", lambda: 1)


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks are worth it for any size, and may be short."""
    monkeypatch.setattr(attention_blocks, "SMALLEST_BYTES", 0)
    monkeypatch.setattr(attention_blocks, "SMALLEST_BLOCK", 4)


def normal(seed, *shape, dtype="float32"):
    values = np.random.RandomState(seed).randn(*shape)
    return jnp.asarray(values, jnp.float32).astype(dtype)


def plan_of(shape, is_causal=True, window=None, is_free=True):
    return attention_blocks.plan(shape, jnp.float32, is_causal, window, is_free)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("window", [None, (3, 0), (2, 5), (0, 0)])
@pytest.mark.parametrize("is_causal", [False, True])
def test_blocks_have_all_keys_that_their_queries_see(
    small_blocks, count, window, is_causal
):
    for queries, keys in itertools.product((4, 8, 17, 40), (5, 16, 33, 40)):
        made = plan_of((2, count, queries, keys), is_causal, window)
        rows, columns = np.ogrid[:queries, :keys]
        seen = np.ones((queries, keys), bool)
        if is_causal:
            seen &= rows >= columns
        if window is not None:
            seen &= (columns >= rows - window[0]) & (columns <= rows + window[1])
        covered = np.zeros_like(seen)
        for block in made.blocks:
            part = slice(block.start, block.stop), slice(block.first, block.last)
            assert not covered[part[0]].any()
            covered[part] = True
        assert covered.any(1).all() and not (seen & ~covered).any()
        if not made.is_whole:
            # No query is without a key: it would take the mean of all.
            assert seen.any(1).all() and covered.mean() <= 0.8


CASES = [
    (2, 16, 16, 2, 2, 4),
    (1, 17, 40, 4, 2, 8),
    (2, 24, 20, 3, 1, 4),
    (1, 33, 33, 2, 1, 8),
]


@pytest.mark.parametrize("batch, queries, keys, heads, kv_heads, width", CASES)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_blocks_compute_what_one_product_does(
    monkeypatch, batch, queries, keys, heads, kv_heads, width, dtype
):
    q = normal(0, batch, queries, heads, width, dtype=dtype)
    k, v = (normal(i, batch, keys, kv_heads, width, dtype=dtype) for i in (1, 2))
    biases = [None, normal(3, 1, heads, 1, keys), normal(4, batch, 1, queries, keys)]
    lengths = [None, jnp.arange(1, batch + 1) * queries // (batch + 1)]
    bound = 1e-5 if dtype == "float32" else 2e-2
    used = 0
    for window, bias, length, causal in itertools.product(
        [None, (6, 0), (3, 2)], biases, lengths, (False, True)
    ):
        options = {
            "bias": bias,
            "is_causal": causal,
            "local_window_size": window,
            "query_seq_lengths": length,
            "return_residual": True,
        }

        def call(q, k, v, options=options):
            return jax.nn.dot_product_attention(q, k, v, **options)

        def loss(q, k, v, call=call):
            out, residual = call(q, k, v)
            return (out.astype(jnp.float32) ** 2).sum() + jnp.where(
                residual > -1e30, residual, 0
            ).astype(jnp.float32).sum()

        results = []
        for smallest in (1 << 40, 0):
            with monkeypatch.context() as patch:
                patch.setattr(attention_blocks, "SMALLEST_BYTES", smallest)
                patch.setattr(attention_blocks, "SMALLEST_BLOCK", 4)
                shape = batch, heads, queries, keys
                used += not plan_of(shape, causal, window).is_whole
                grads = jax.grad(loss, (0, 1, 2))(q, k, v) if bias is None else ()
                results.append((*call(q, k, v), *grads))
        for one, other in zip(*results, strict=True):
            assert one.dtype == other.dtype
            one, other = (np.asarray(x, np.float64) for x in (one, other))
            size = max(1, np.abs(one[np.isfinite(one)]).max())
            np.testing.assert_allclose(other, one, rtol=0, atol=bound * size)
    assert used > 4


def test_what_decides(small_blocks, monkeypatch):
    shape = 1, 2, 16, 16
    assert len(plan_of(shape).blocks) == 4 and "38%" in plan_of(shape).reason
    for made, reason in [
        (plan_of(shape, is_causal=False), "all queries may see all keys"),
        (plan_of(shape, is_free=False), "sees no key"),
        (plan_of((1, 2, 40, 8), window=(3, 0)), "sees no key"),
        (plan_of((1, 2, 7, 16)), "less than two blocks"),
        (plan_of((1, 2, 16, 16), False, (15, 15)), "would leave out 0%"),
    ]:
        assert made.is_whole and reason in made.reason
    monkeypatch.setattr(attention_blocks, "SMALLEST_BYTES", 64 << 20)
    assert "MiB, less than 64" in plan_of(shape).reason


def test_symbolic_sizes_are_one_product(small_blocks):
    (n,) = jax.export.symbolic_shape("n")
    x = jax.ShapeDtypeStruct((1, n, 2, 4), jnp.float32)
    call = jax.jit(lambda q: jax.nn.dot_product_attention(q, q, q, is_causal=True))
    made = jax.export.export(call)(x)
    q = normal(0, 1, 12, 2, 4)
    np.testing.assert_allclose(made.call(q), call(q), rtol=1e-5, atol=1e-5)


def test_sequences_that_may_be_on_several_devices_are_one_product(
    small_blocks, monkeypatch
):
    monkeypatch.setattr(attention_blocks.backends, "device_count", lambda: 2)
    assert "several devices" in plan_of((1, 2, 16, 16)).reason
    monkeypatch.setattr(attention_blocks.backends, "default_backend", lambda: "gpu")
    assert "measured on CPUs" in plan_of((1, 2, 16, 16)).reason


def messages(caplog, call):
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        call()
    return [r.getMessage() for r in caplog.records if "attention" in r.getMessage()]


def test_the_choice_is_logged_where_it_is_wanted(small_blocks, caplog):
    q = normal(0, 1, 16, 2, 4)
    call = lambda: jax.nn.dot_product_attention(q, q, q, is_causal=True)  # noqa: E731
    assert not messages(caplog, call)
    before = jax.config.jax_log_kernel_choice
    jax.config.update("jax_log_kernel_choice", True)
    try:
        (said,) = messages(caplog, call)
        (other,) = messages(caplog, lambda: jax.nn.dot_product_attention(q, q, q))
    finally:
        jax.config.update("jax_log_kernel_choice", before)
    assert "4 blocks of queries, for 1 batch x 2 heads x 16 queries x 16 keys" in said
    assert "38% of the scores are left out" in said and "attention_blocks_test" in said
    assert "one product" in other and "all queries may see all keys" in other
