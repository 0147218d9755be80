"""Attention over a mask: masks are the arrays that they describe, kernels agree with the formula."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu.splash_attention import (
    splash_attention_kernel as sk,
    splash_attention_mask as sm,
)

HEADS, QUERIES, KEYS, DIM = 4, 16, 24, 8
BLOCKS = sk.BlockSizes(block_q=8, block_kv=8)


def indices(shape):
    return np.arange(shape[0])[:, None], np.arange(shape[1])[None]


MASKS = [
    (sm.CausalMask((5, 6)), lambda q, k: k <= q),
    (sm.CausalMask((5, 6), offset=2), lambda q, k: k <= q + 2),
    (sm.LocalMask((5, 6), (1, 2), 0), lambda q, k: (q - 1 <= k) & (k <= q + 2)),
    (sm.LocalMask((5, 6), (None, 2), 1), lambda q, k: (k <= q + 3) & (q >= 0)),
    (sm.LocalMask((5, 6), (1, None), 0), lambda q, k: (q - 1 <= k)),
    (sm.LocalMask((5, 6), (None, None), 0), lambda q, k: (q >= 0) & (k >= 0)),
    (sm.ChunkedCausalMask((5, 6), 2), lambda q, k: (q // 2 == k // 2) & (k <= q)),
    (sm.FullMask((5, 6)), lambda q, k: (q >= 0) & (k >= 0)),
    (sm.NumpyMask(np.eye(5, 6, dtype=bool)), lambda q, k: q == k),
    (sm.CausalMask((5, 6)) & sm.LocalMask((5, 6), (1, 1), 0), lambda q, k: (q - 1 <= k) & (k <= q)),
    (sm.NumpyMask(np.eye(5, 6, dtype=bool)) | sm.CausalMask((5, 6), -2), lambda q, k: (q == k) | (k <= q - 2)),
]  # fmt: skip


@pytest.mark.parametrize(("mask", "sees"), MASKS)
def test_a_mask_is_an_array_that_is_made_in_parts(mask, sees):
    wanted = sees(*indices(mask.shape))
    np.testing.assert_array_equal(mask[:, :], wanted)
    np.testing.assert_array_equal(mask[1:3, 2:5], wanted[1:3, 2:5])


def test_masks_are_values():
    assert sm.CausalMask((4, 4)) == sm.CausalMask((4, 4)) != sm.CausalMask((4, 4), 1)
    eye = np.eye(3, dtype=bool)
    assert len({sm.NumpyMask(eye), sm.NumpyMask(eye.copy()), sm.FullMask((3, 3))}) == 2
    several = sm.MultiHeadMask([sm.FullMask((2, 3)), sm.CausalMask((2, 3))])
    assert several.shape == (2, 2, 3) and several[1:, :, :].shape == (1, 2, 3)
    assert several[1, :, :].tolist() == sm.make_causal_mask((2, 3)).tolist()


def test_mistakes_with_masks():
    full, other = sm.FullMask((2, 3)), sm.FullMask((2, 4))
    several = sm.MultiHeadMask([full])
    for wrong, text in [
        (lambda: full & other, r"\(2, 4\)"),
        (lambda: sm.MultiHeadMask([full, other]), r"\(2, 4\)"),
        (lambda: sm.MultiHeadMask([]), "no mask"),
        (lambda: sm.MultiHeadMask([several]), "several heads"),
        (lambda: sm.NumpyMask(np.ones((2, 3))), "Booleans"),
        (lambda: sm.NumpyMask(np.ones(2, bool)), "two axes"),
        (lambda: sm.ChunkedCausalMask((2, 3), 0), "positive"),
        (lambda: sm.CausalMask((2, 3), shard_count=3), "evenly"),
        (lambda: sk.make_splash_mha_single_device(full), "axis of heads"),
    ]:
        with pytest.raises(ValueError, match=text):
            wrong()
    with pytest.raises(NotImplementedError, match=r"with & and \|"):
        bool(full)


def operands(kv_heads=HEADS, dtype=np.float32):
    rng = np.random.default_rng(0)
    shapes = [(HEADS, QUERIES, DIM), (kv_heads, KEYS, DIM), (kv_heads, KEYS, DIM)]
    return [jnp.asarray(rng.standard_normal(shape), dtype) for shape in shapes]


def attention(mask, q, k, v, *, same=None, cap=None, sinks=None):
    """By the formula, in NumPy."""
    q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
    k, v = (np.repeat(x, len(q) // len(x), 0) for x in (k, v))
    scores = np.einsum("hqd,hkd->hqk", q, k)
    if cap is not None:
        scores = cap * np.tanh(scores / cap)
    scores = np.where(mask if same is None else mask & same, scores, -np.inf)
    shares = np.exp(scores)
    total = shares.sum(-1, keepdims=True)
    if sinks is not None:
        total += np.exp(np.asarray(sinks))[:, None, None]
    return shares / total @ v


def causal():
    rows = sm.CausalMask((QUERIES, KEYS), offset=2)
    return sm.MultiHeadMask([rows] * (HEADS - 1) + [sm.FullMask((QUERIES, KEYS))])


def kernel(mask=None, **options):
    mask = causal() if mask is None else mask
    return sk.make_splash_mha_single_device(
        mask, block_sizes=BLOCKS, interpret=True, **options
    )


@pytest.mark.parametrize("kv_heads", [HEADS, 2, 1])
@pytest.mark.parametrize("option", ["none", "segments", "cap", "sinks"])
def test_attention_is_the_formula(option, kv_heads):
    q, k, v = operands(kv_heads)
    mask = causal()
    ids = np.arange(QUERIES) // 6, np.arange(KEYS) // 6
    given = {"segment_ids": sk.SegmentIds(*map(jnp.asarray, ids))}
    sinks = np.arange(HEADS, dtype=np.float32)
    settings, call, formula = {
        "none": ({}, {}, {}),
        "segments": ({}, given, {"same": ids[0][:, None] == ids[1]}),
        "cap": ({"attn_logits_soft_cap": 2.0}, {}, {"cap": 2.0}),
        "sinks": ({}, {"sinks": sinks}, {"sinks": sinks}),
    }[option]
    wanted = attention(mask[:, :, :], q, k, v, **formula)
    np.testing.assert_allclose(kernel(**settings)(q, k, v, **call), wanted, 1e-4, 1e-5)
    plain = sk.make_masked_mha_reference(mask, **settings)
    np.testing.assert_allclose(plain(q, k, v, **call), wanted, 1e-4, 1e-5)


def test_heads_may_share_keys_and_values():
    q, k, v = operands(1)
    f = sk.make_splash_mqa_single_device(causal(), block_sizes=BLOCKS, interpret=True)
    wanted = attention(causal()[:, :, :], q, k, v)
    np.testing.assert_allclose(f(q, k[0], v[0]), wanted, 1e-4, 1e-5)
    with pytest.raises(ValueError, match="MQA"):
        f(q, k, v)


def test_derivatives_are_those_of_the_formula():
    q, k, v = operands(2)
    weight = jnp.cos(jnp.arange(HEADS * QUERIES * DIM)).reshape(HEADS, QUERIES, DIM)
    f, plain = kernel(), sk.make_masked_mha_reference(causal())
    found, wanted = (
        jax.grad(lambda q, k, v, f=f: (f(q, k, v) * weight).sum(), (0, 1, 2))(q, k, v)
        for f in (f, plain)
    )
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_a_kernel_is_a_tree_and_is_mapped():
    q, k, v = operands()
    f = kernel()
    batch = [jnp.stack([x, x + 1]) for x in (q, k, v)]
    found = jax.jit(lambda f, *xs: jax.vmap(f)(*xs))(f, *batch)
    for row, *xs in zip(found, *batch, strict=True):
        np.testing.assert_allclose(row, f(*xs), rtol=1e-6)
    assert f.masks.shape == (2, QUERIES, KEYS), "equal masks are kept once"


def test_residuals_are_logarithms_of_sums():
    q, k, v = operands()
    out, (logs,) = kernel(save_residuals=True)(q, k, v)
    scores = np.where(causal()[:, :, :], np.einsum("hqd,hkd->hqk", q, k), -np.inf)
    np.testing.assert_allclose(logs, np.log(np.exp(scores).sum(-1)), 1e-4, 1e-5)
    np.testing.assert_allclose(out, kernel()(q, k, v), rtol=1e-6)


def test_what_does_not_fit_is_explained():
    q, k, v = operands()
    with pytest.raises(ValueError, match="do not fit"):
        kernel()(q[:2], k, v)
    with pytest.raises(ValueError, match="block_q +128"):
        sk.make_splash_mha_single_device(causal(), interpret=True)(q, k, v)


def test_without_interpretation_it_is_compiled():
    q, k, v = operands()
    compiled = sk.make_splash_mha_single_device(causal(), block_sizes=BLOCKS)(q, k, v)
    # Compiled, heads are taken together, and sums are in another order.
    np.testing.assert_allclose(compiled, kernel()(q, k, v), rtol=1e-6, atol=1e-6)


def test_parts_of_masks_go_to_devices():
    from jax.sharding import NamedSharding, PartitionSpec as P

    mesh = jax.make_mesh((1, 1), ("h", "q"))
    specs = kernel().manual_sharding_spec(NamedSharding(mesh, P("h", "q")))
    assert (specs.which, specs.masks) == (P("h"), P(None, "q", None))
