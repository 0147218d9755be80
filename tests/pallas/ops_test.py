"""Operations that others wrote as kernels agree with the formulas that they stand for."""

import functools
import importlib

import numpy as np
import pytest
from jax.experimental.pallas.ops.gpu import (
    attention,
    decode_attention,
    layer_norm,
    paged_attention,
    rms_norm,
    softmax,
)

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu import megablox

grouped = importlib.import_module("jax.experimental.pallas.ops.tpu.megablox.gmm")
random = np.random.RandomState(0)


def normal(*shape):
    return jnp.asarray(random.randn(*shape), jnp.float32)


close = functools.partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-4)
SIZES = jnp.array([100, 0, 56, 100], jnp.int32)
STARTS = np.concatenate([[0], np.cumsum(SIZES)])


def by_group(lhs, rhs, first=0):
    parts = [
        lhs[a:b] @ rhs[g - first]
        if first <= g < first + len(rhs)
        else jnp.zeros((b - a, rhs.shape[-1]))
        for g, (a, b) in enumerate(zip(STARTS[:-1], STARTS[1:], strict=True))
    ]
    return jnp.concatenate(parts)


def test_groups_of_rows_have_matrices_and_derivatives_of_their_own():
    lhs, rhs = normal(256, 64), normal(4, 64, 32)
    close(megablox.gmm(lhs, rhs, SIZES, interpret=True), by_group(lhs, rhs))
    transposed = jnp.swapaxes(rhs, 1, 2)
    out = megablox.gmm(lhs, transposed, SIZES, transpose_rhs=True)
    close(out, by_group(lhs, rhs))
    square = lambda f, a, b: (f(a, b) ** 2).sum()  # noqa: E731
    got = jax.grad(square, (1, 2))(lambda a, b: megablox.gmm(a, b, SIZES), lhs, rhs)
    expected = jax.grad(square, (1, 2))(by_group, lhs, rhs)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-2)


def test_groups_without_a_matrix_keep_what_is_there():
    lhs, rhs, old = normal(256, 64), normal(2, 64, 32), normal(256, 32)
    offset = jnp.array(1, jnp.int32)
    out = grouped.gmm(lhs, rhs, SIZES, group_offset=offset, existing_out=old)
    close(out[100:156], by_group(lhs, rhs, 1)[100:156])
    np.testing.assert_array_equal(out[:100], old[:100])
    np.testing.assert_array_equal(out[156:], old[156:])

    def loss(old):
        options = (jnp.float32, (128, 128, 128), offset, old)
        return megablox.gmm(lhs, rhs, SIZES, *options).sum()

    slope = jax.grad(loss)(old)
    np.testing.assert_array_equal(slope[100:156], 0)
    np.testing.assert_array_equal(slope[156:], 1)


def test_products_of_groups_of_columns():
    lhs, rhs = normal(64, 256), normal(256, 32)
    pairs = list(zip(STARTS[:-1], STARTS[1:], strict=True))
    each = jnp.stack([lhs[:, a:b] @ rhs[a:b] for a, b in pairs])
    close(grouped.tgmm(lhs, rhs, SIZES), each)
    some = grouped.tgmm(
        lhs,
        rhs,
        SIZES,
        group_offset=jnp.array(1, jnp.int32),
        num_actual_groups=2,
        existing_out=jnp.ones((2, 64, 32)),
    )
    close(some, each[1:3] + 1)


def test_metadata_says_which_tiles_each_group_visits():
    make = functools.partial(
        grouped.make_group_metadata, group_sizes=SIZES, m=256, tm=128
    )
    (offsets, groups, tiles), steps = make(
        start_group=jnp.array(0, jnp.int32), num_nonzero_groups=4
    )
    np.testing.assert_array_equal(offsets, [0, 100, 100, 156, 256])
    np.testing.assert_array_equal(groups, [0, 1, 2, 2, 3])
    np.testing.assert_array_equal(tiles, [0, 0, 0, 1, 1])
    assert steps == 5
    (_, groups, tiles), steps = make(
        start_group=jnp.array(1, jnp.int32),
        num_nonzero_groups=2,
        visit_empty_groups=False,
    )
    np.testing.assert_array_equal(groups, [2, 2, 3, 3, 0])
    np.testing.assert_array_equal(tiles, [0, 1, 1, 1, 0])
    assert steps == 2


def test_grouped_products_refuse_what_does_not_fit():
    lhs, rhs = normal(256, 64), normal(4, 64, 32)
    for wrong, message in [
        ((lhs, rhs[0], SIZES), "Expected 3-tensor for 'rhs' but got 2-tensor"),
        ((lhs, rhs, SIZES.astype(jnp.int16)), "Expected 32-bit integer 'group_sizes'"),
        ((lhs[:250], rhs, SIZES), "250 must be divisible by x-dimension tile size"),
        ((lhs.astype(int), rhs, SIZES), "Expected bfloat16 or float32 array"),
    ]:
        with pytest.raises(ValueError, match=message):
            grouped.gmm(*wrong)


def attended(q, k, v, scale, seen):
    """One head of one sequence."""
    logits = jnp.where(seen, (q @ k.T) * scale, -jnp.inf)
    return jax.nn.softmax(logits, -1) @ v


@pytest.mark.parametrize("kv_heads", [1, 2, 8])
@pytest.mark.parametrize("bounds", [(None, None), (3, 17), ([0, 3], [20, 30])])
def test_decoding_attends_to_what_is_remembered(kv_heads, bounds):
    q, k, v = normal(2, 8, 16), normal(2, 32, kv_heads, 16), normal(2, 32, kv_heads, 16)
    start, end = (None if b is None else jnp.asarray(b) for b in bounds)
    first = np.broadcast_to(0 if start is None else start, (2,))
    last = np.broadcast_to(32 if end is None else end, (2,))
    position = np.arange(32)
    expected = np.stack(
        [
            np.concatenate(
                [
                    attended(
                        q[b, h : h + 1],
                        k[b, :, h * kv_heads // 8],
                        v[b, :, h * kv_heads // 8],
                        0.25,
                        (position >= first[b]) & (position < last[b]),
                    )
                    for h in range(8)
                ]
            )
            for b in range(2)
        ]
    )
    call = functools.partial(
        decode_attention.gqa, block_k=16, k_splits=2, interpret=True
    )
    close(call(q, k, v, start, end), expected)
    close(decode_attention.gqa_reference(q, k, v, start, end), expected)
    if kv_heads == 1:
        got = decode_attention.mqa(q, k[:, :, 0], v[:, :, 0], start, end, k_splits=2)
        close(got, expected)
    if kv_heads == 8:
        close(decode_attention.mha_reference(q, k, v, start, end), expected)
    out, (total, most) = call(q, k, v, start, end, return_residuals=True)
    sums, _ = call(q, k, v, start, end, return_residuals=True, normalize_output=False)
    close(sums, out * total[..., None])
    assert most.shape == (2, 8)


def test_decoding_refuses_parts_that_do_not_divide_the_keys():
    q, k = normal(2, 8, 16), normal(2, 32, 2, 16)
    with pytest.raises(ValueError, match="must be divisible by k_splits=3"):
        decode_attention.gqa(q, k, k, k_splits=3)
    with pytest.raises(ValueError, match="Queries, keys and values do not fit"):
        decode_attention.gqa_reference(q, k[:, :, [0, 0, 0]], k[:, :, [0, 0, 0]])


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("segmented", [False, True])
def test_attention_of_sequences_and_its_derivatives(causal, segmented):
    q, k, v = normal(2, 8, 2, 4), normal(2, 8, 2, 4), normal(2, 8, 2, 4)
    ids = jnp.asarray(random.randint(0, 2, (2, 8))) if segmented else None

    def expected(q, k, v):
        seen = jnp.tri(8, dtype=bool) if causal else jnp.ones((8, 8), bool)
        seen = jnp.stack([seen, seen])
        if segmented:
            seen = seen & (ids[:, :, None] == ids[:, None, :])
        head = jax.vmap(attended, (1, 1, 1, None, None), 1)
        return jax.vmap(head, (0, 0, 0, None, 0))(q, k, v, 0.3, seen)

    ours = functools.partial(
        attention.mha, segment_ids=ids, sm_scale=0.3, causal=causal, interpret=True
    )
    close(ours(q, k, v), expected(q, k, v))
    close(attention.mha_reference(q, k, v, ids, 0.3, causal), expected(q, k, v))
    for argument in range(3):
        got = jax.grad(lambda *a: (ours(*a) ** 2).sum(), argument)(q, k, v)
        close(got, jax.grad(lambda *a: (expected(*a) ** 2).sum(), argument)(q, k, v))
    _, logsum = ours(q, k, v, return_residuals=True)
    assert logsum.shape == (2, 2, 8)


def test_norms_of_rows_and_their_derivatives():
    x, weight, bias, ct = normal(2, 4, 64), normal(64), normal(64), normal(2, 4, 64)

    def normed(x, weight, bias):
        centred = x - x.mean(-1, keepdims=True)
        return (
            centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * weight
            + bias
        )

    def scaled(x, weight, bias):
        return x / jnp.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * weight + bias

    for module, name, formula in (
        (layer_norm, "layer_norm", normed),
        (rms_norm, "rms_norm", scaled),
    ):
        function = getattr(module, name)
        close(function(x, weight, bias, interpret=True), formula(x, weight, bias))
        reference = getattr(module, f"{name}_reference")
        close(reference(x, weight, bias), formula(x, weight, bias))
        out, residuals = getattr(module, f"{name}_forward")(x, weight, bias)
        close(out, formula(x, weight, bias))
        backward = getattr(module, f"{name}_backward")
        got = backward(None, 3, 1e-5, "triton", True, residuals, ct)
        for a, b in zip(got, jax.vjp(formula, x, weight, bias)[1](ct), strict=True):
            close(a, b)


def test_softmax_of_rows():
    x = normal(3, 16)
    close(softmax.softmax(x, interpret=True), jax.nn.softmax(x))
    assert softmax.softmax(x.astype(jnp.bfloat16)).dtype == jnp.bfloat16
    with pytest.raises(NotImplementedError, match="non-trailing dimension unsupported"):
        softmax.softmax(x, axis=0)


@pytest.mark.parametrize("cap", [None, 2.0])
def test_attention_to_pages_is_attention_to_the_sequence(cap):
    q, pages = normal(2, 4, 8), normal(2, 6, 4, 8)
    tables, lengths = jnp.array([[5, 0, 2], [1, 3, 4]]), jnp.array([9, 12])
    sequence = jnp.moveaxis(pages[:, tables].reshape(2, 2, 12, 8), 0, 2)
    got = paged_attention.paged_attention(
        q, pages, pages, tables, lengths, attn_logits_soft_cap=cap, interpret=True
    )
    expected = paged_attention.paged_attention_reference(
        q, sequence, sequence, lengths, attn_logits_soft_cap=cap
    )
    close(got, expected)
    if cap is None:
        seen = np.arange(12) < 9
        close(
            got[0, 0],
            attended(q[0, :1], sequence[0, :, 0], sequence[0, :, 0], 1, seen)[0],
        )
