"""Operations named after kernels for TPUs agree with the formulas that they stand for."""

import itertools

import numpy as np
import pytest
from jax.experimental.pallas.ops.tpu.paged_attention import (
    quantization_utils,
    util,
)
from jax.experimental.pallas.ops.tpu.ragged_paged_attention import (
    kernel as ragged_kernel,
    tuned_block_sizes,
)
from jax.experimental.pallas.ops.tpu.random import philox, prng_utils, threefry

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu import (
    example_kernel,
    flash_attention as flash,
    matmul,
    paged_attention,
    ragged_paged_attention as ragged,
)

TOLERANCE = {"float32": 2e-5, "bfloat16": 2e-2, "float16": 4e-3}


def normal(seed, *shape, dtype="float32"):
    values = np.random.RandomState(seed).randn(*shape)
    return jnp.asarray(values, jnp.float32).astype(dtype)


def close(got, expected, dtype="float32"):
    got, expected = (np.asarray(x, np.float64) for x in (got, expected))
    bound = TOLERANCE[dtype] * max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(got, expected, rtol=0, atol=bound)


# ---------------------------------------------------------------- flash attention

SHAPES = [(1, 1, 1, 1, 4), (2, 3, 8, 8, 16), (1, 2, 5, 9, 8), (2, 1, 16, 7, 4)]


def attended(q, k, v, ab, ids, causal, scale):
    """The formula in 64 bits, a query at a time; where no key is seen, all weigh the same."""
    q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
    out = np.zeros(q.shape)
    for b, h, t in np.ndindex(q.shape[:3]):
        scores = k[b, h] @ q[b, h, t]
        if ab is not None:
            scores = scores + np.asarray(ab[b, h, t], np.float64)
        scores = scores * scale
        seen = np.ones(len(scores), bool)
        if causal:
            seen &= np.arange(len(scores)) <= t
        if ids is not None:
            seen &= np.asarray(ids.kv[b]) == np.asarray(ids.q[b, t])
        scores = np.where(seen, scores, -np.inf) if seen.any() else 0 * scores
        shares = np.exp(scores - scores.max())
        out[b, h, t] = shares @ v[b, h] / shares.sum()
    return out


def flash_case(shape, dtype, has_bias, has_segments):
    batch, heads, queries, keys, width = shape
    q = normal(0, batch, heads, queries, width, dtype=dtype)
    k, v = (normal(i, batch, heads, keys, width, dtype=dtype) for i in (1, 2))
    ab = normal(3, batch, heads, queries, keys, dtype=dtype) if has_bias else None
    draw = np.random.RandomState(4)
    ids = None
    if has_segments:
        ids = flash.SegmentIds(
            jnp.asarray(draw.randint(0, 2, (batch, queries))),
            jnp.asarray(draw.randint(0, 2, (batch, keys))),
        )
    return q, k, v, ab, ids


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_flash_attention_under_all_options(shape, dtype):
    for has_bias, has_segments, causal, scale in itertools.product(
        (False, True), (False, True), (False, True), (1.0, 0.25)
    ):
        q, k, v, ab, ids = flash_case(shape, dtype, has_bias, has_segments)
        got = flash.flash_attention(q, k, v, ab, ids, causal=causal, sm_scale=scale)
        assert got.dtype == dtype
        expected = attended(q, k, v, ab, ids, causal, scale)
        close(got, expected, dtype)
        plain = flash.mha_reference(q, k, v, ab, ids, causal, sm_scale=scale)
        close(plain, expected, dtype)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("has_segments", [False, True])
def test_derivatives_of_flash_attention(shape, causal, has_segments):
    q, k, v, ab, ids = flash_case(shape, "float32", True, has_segments)
    ct = normal(5, *q.shape)
    options = {"causal": causal, "sm_scale": 0.5}

    def call(*args):
        return flash.flash_attention(*args, ids, **options)

    out, pull = jax.vjp(call, q, k, v, ab)
    slopes = pull(ct)
    step = 1e-3
    for i in range(4):
        direction = normal(6 + i, *(q, k, v, ab)[i].shape)
        moved = [
            [
                x + sign * step * direction if j == i else x
                for j, x in enumerate((q, k, v, ab))
            ]
            for sign in (1, -1)
        ]
        up, down = (attended(*args, ids, causal, 0.5) for args in moved)
        expected = np.sum((up - down) * np.asarray(ct)) / (2 * step)
        np.testing.assert_allclose(
            np.vdot(slopes[i], direction), expected, rtol=2e-3, atol=2e-3
        )
    plain, total, most = flash.mha_reference_no_custom_vjp(
        q, k, v, ab, ids, save_residuals=True, **options
    )
    close(plain, out)
    by_hand = flash.mha_reference_bwd(
        q, k, v, ab, ids, plain, total, most, ct, causal, sm_scale=0.5
    )
    for a, b in zip(by_hand, slopes, strict=True):
        close(a, b)


def test_flash_attention_holds_no_square():
    q = jnp.zeros((1, 4, 2048, 64))
    square = 4 * 2048 * 2048 * 4

    def loss(q, k, v):
        return flash.flash_attention(q, k, v, causal=True, sm_scale=0.125).sum()

    for function in (loss, jax.grad(loss, (0, 1, 2))):
        made = jax.jit(function).lower(q, q, q).compile()
        assert made.memory_analysis().temp_size_in_bytes < square / 4


def test_flash_attention_refuses_what_does_not_fit():
    q = jnp.zeros((2, 3, 8, 4))
    ids = flash.SegmentIds(jnp.zeros((2, 8), int), jnp.zeros((2, 7), int))
    for args, kind, message in [
        ((q, q[:1], q), ValueError, "Batch size mismatch"),
        ((q, q[:, :1], q), ValueError, "Head count mismatch"),
        ((q, q[..., :2], q), ValueError, "Model dimension mismatch"),
        ((q, q, q[..., :2]), NotImplementedError, "V model dimension unequal"),
        ((q, q[:, :, :4], q), ValueError, "KV sequence length mismatch"),
        ((q, q, q, q), ValueError, "Attention bias shape mismatch"),
        ((q, q, q, None, ids), ValueError, "KV segment ids shape mismatch"),
        ((q[0], q, q), ValueError, "four axes"),
    ]:
        with pytest.raises(kind, match=message):
            flash.flash_attention(*args)


def test_sizes_of_blocks_consist_of_each_other():
    assert flash.BlockSizes.get_default(1, 1, 1, 1, 1).has_backward_blocks
    assert not flash.BlockSizes(128, 256, 128, 1).has_backward_blocks
    with pytest.raises(ValueError, match="block_k=128 should be smaller than"):
        flash.BlockSizes(128, 64, 128, 1)
    with pytest.raises(ValueError, match="block_k=128 should divide block_k_major=192"):
        flash.BlockSizes(128, 192, 128, 1)
    assert flash.below_or_on_diag(0, 4, 0, 4) and not flash.below_or_on_diag(0, 4, 1, 4)


# ---------------------------------------------------------------- products


@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (5, 7, 3), (64, 32, 48)])
@pytest.mark.parametrize(
    "kinds, out",
    [
        (("float32", "float32"), None),
        (("bfloat16", "bfloat16"), None),
        (("bfloat16", "float32"), "float32"),
        (("int8", "int8"), "int32"),
        (("uint8", "uint8"), "float32"),
    ],
)
def test_products_of_matrices_and_their_derivatives(m, k, n, kinds, out):
    draw = np.random.RandomState(0)
    x, y = (
        jnp.asarray(draw.randint(0, 20, shape), kind)
        for shape, kind in zip(((m, k), (k, n)), kinds, strict=True)
    )
    got = matmul.matmul(x, y, block_shape=(4, 4), block_k=8, out_dtype=out)
    assert got.dtype == (out or kinds[0])
    expected = np.asarray(x, np.int64) @ np.asarray(y, np.int64)
    exact = expected.astype(jnp.dtype(got.dtype)).astype(np.float64)
    np.testing.assert_allclose(np.asarray(got, np.float64), exact, rtol=1e-2)
    if kinds[0] == "float32":
        slope = jax.grad(lambda x: matmul.matmul(x, y, block_shape=(4, 4)).sum())(x)
        close(slope, np.broadcast_to(np.asarray(y).sum(1), (m, k)))


def test_products_of_two_dtypes_need_a_third():
    x = jnp.ones((2, 2))
    with pytest.raises(TypeError, match="Cannot deduce output dtype"):
        matmul.matmul(x, x.astype(jnp.bfloat16), block_shape=(2, 2))


def test_a_kernel_doubles():
    np.testing.assert_array_equal(
        example_kernel.double(jnp.arange(5)), 2 * np.arange(5)
    )


# ---------------------------------------------------------------- pages


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("heads, kv_heads", [(4, 4), (4, 2), (6, 1)])
@pytest.mark.parametrize("cap", [None, 2.0])
@pytest.mark.parametrize("is_narrow", [False, True])
def test_attention_to_pages(dtype, heads, kv_heads, cap, is_narrow):
    q = normal(0, 2, heads, 8, dtype=dtype)
    pages = [normal(i, kv_heads, 9, 4, 8, dtype=dtype) for i in (1, 2)]
    which = jnp.array([[8, 0, 2, 4], [1, 3, 5, 7]], jnp.int32)
    lengths = jnp.array([11, 16], jnp.int32)
    given = (
        [quantization_utils.quantize_to_int8(x) for x in pages] if is_narrow else pages
    )
    if is_narrow:
        pages = [quantization_utils.unquantize_from_int8(x, jnp.float32) for x in given]
    options = {"pages_per_compute_block": 2, "attn_logits_soft_cap": cap}
    sequences = [x[:, which].reshape(kv_heads, 2, 16, 8).swapaxes(0, 1) for x in pages]
    got = paged_attention.paged_attention(q, *given, lengths, which, **options)
    assert got.dtype == dtype
    plain = util.grouped_query_attention_reference(q, *sequences, lengths, cap)
    expected = np.zeros(q.shape)
    for b, h in np.ndindex(2, heads):
        k, v = (np.asarray(x[b, h * kv_heads // heads], np.float64) for x in sequences)
        scores = k @ np.asarray(q[b, h], np.float64)
        scores = scores if cap is None else cap * np.tanh(scores / cap)
        shares = np.exp(scores - scores.max()) * (np.arange(16) < int(lengths[b]))
        expected[b, h] = shares @ v / shares.sum()
    for out in (got, plain):
        close(out, expected, dtype)


def test_integers_of_8_bits_stand_for_rows():
    x = normal(0, 5, 16)
    made = quantization_utils.quantize_to_int8(x)
    assert made.weight.dtype == jnp.int8 and made.scales.shape == (5, 1)
    back = quantization_utils.unquantize_from_int8(made, jnp.float32)
    bound = np.asarray(made.scales) / 127
    assert (np.abs(back - x) <= bound).all()


def test_attention_to_pages_refuses_what_does_not_fit():
    q, pages = jnp.zeros((2, 4, 8)), jnp.zeros((2, 9, 4, 8))
    which, lengths = jnp.zeros((2, 4), jnp.int32), jnp.zeros(2, jnp.int32)
    for args, options, message in [
        ((q, pages, pages[:1], lengths, which), {}, "must have the same shape"),
        (
            (q[:, :3], pages, pages, lengths, which),
            {},
            "must be divisible by number of",
        ),
        (
            (q[..., :4], pages, pages, lengths, which),
            {},
            "head_dim of Q must be the same",
        ),
        ((q, pages, pages, lengths[:1], which), {}, "must have the same batch size"),
        ((q, pages, pages, lengths * 1.0, which), {}, "must be int32"),
        (
            (q, pages, pages, lengths, which[:, :3]),
            {},
            "must be divisible by pages per",
        ),
        ((q, pages, pages, lengths, which), {"megacore_mode": "x"}, "must be one of"),
        (
            (q, pages[:1], pages[:1], lengths, which),
            {"megacore_mode": "kv_head"},
            "must be even",
        ),
    ]:
        with pytest.raises(ValueError, match=message):
            paged_attention.paged_attention(*args, pages_per_compute_block=2, **options)


def ragged_case(lengths, keys, heads, kv_heads, dtype, seed=0, most=None):
    """Queries, pages, and the sequences' tables; there is room for `most` sequences."""
    draw = np.random.RandomState(seed)
    most = most or len(lengths)
    tokens = sum(lengths) + draw.randint(0, 4)
    page, width = 4, 8
    per_sequence = max(1, -(-max(keys) // page))
    q = normal(seed, tokens, heads, width, dtype=dtype)
    pages = normal(
        seed + 1, 3 * most * per_sequence, page, 2 * kv_heads, width, dtype=dtype
    )
    which = draw.randint(0, len(pages), (most, per_sequence)).astype(np.int32)
    all_keys = np.zeros(most, np.int32)
    all_keys[: len(keys)] = keys
    starts = np.full(most + 1, sum(lengths), np.int32)
    starts[: len(lengths) + 1] = np.concatenate([[0], np.cumsum(lengths)])
    tables = (all_keys, which, starts, np.array([len(lengths)], np.int32))
    return (q, pages, *map(jnp.asarray, tables))


def ragged_expected(q, pages, keys, which, starts, count, scale, window, cap):
    q, pages = np.asarray(q, np.float64), np.asarray(pages, np.float64)
    out = np.zeros(q.shape)
    kv_heads = pages.shape[2] // 2
    for i in range(int(count[0])):
        first, last, length = int(starts[i]), int(starts[i + 1]), int(keys[i])
        rows = pages[np.asarray(which[i])].reshape(-1, *pages.shape[2:])[:length]
        for t, h in itertools.product(range(first, last), range(q.shape[1])):
            head = 2 * (h * kv_heads // q.shape[1])
            at = length - last + t
            low = 0 if window is None else max(0, at - window + 1)
            scores = scale * (rows[low : at + 1, head] @ q[t, h])
            scores = scores if cap is None else cap * np.tanh(scores / cap)
            shares = np.exp(scores - scores.max())
            out[t, h] = shares @ rows[low : at + 1, head + 1] / shares.sum()
    return out


RAGGED = [
    ([1], [1], 1),
    ([1, 1, 1], [5, 1, 12], 5),
    ([7, 1, 0, 3], [7, 9, 4, 11], 4),
    ([70, 1, 65], [80, 130, 65], 6),
]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("heads, kv_heads", [(2, 2), (4, 2), (3, 1)])
@pytest.mark.parametrize("lengths, keys, most", RAGGED)
def test_attention_of_ragged_sequences(lengths, keys, most, heads, kv_heads, dtype):
    case = ragged_case(lengths, keys, heads, kv_heads, dtype, most=most)
    ragged.dynamic_validate_inputs(*case)
    for window, cap, size in [(None, None, None), (3, None, 4), (None, 2.0, 16)]:
        options = {"sm_scale": 0.5, "sliding_window": window, "soft_cap": cap}
        got = ragged.ragged_paged_attention(
            *case, num_queries_per_block=size, **options
        )
        plain = ragged.ref_ragged_paged_attention(*case, **options)
        expected = ragged_expected(*case, 0.5, window, cap)
        close(got, expected, dtype)
        close(plain, expected[: sum(lengths)], dtype)


def test_ragged_attention_has_derivatives_and_does_not_read_what_is_no_key():
    q, pages, *tables = ragged_case([3, 1], [5, 2], 2, 1, "float32")
    used = np.zeros(pages.shape[:2], bool)
    for i, length in enumerate((5, 2)):
        for at in range(length):
            used[int(tables[1][i, at // 4]), at % 4] = True
    spoilt = jnp.where(used[..., None, None], pages, jnp.nan)
    got = ragged.ragged_paged_attention(q, spoilt, *tables)
    close(got, ragged_expected(q, pages, *tables, 1.0, None, None))
    loss = lambda q: (ragged.ragged_paged_attention(q, pages, *tables) ** 2).sum()  # noqa: E731
    plain = lambda q: (ragged.ref_ragged_paged_attention(q, pages, *tables) ** 2).sum()  # noqa: E731
    close(jax.grad(loss)(q)[:4], jax.grad(plain)(q)[:4])


def test_scales_of_narrow_keys_and_values():
    q, pages, *tables = ragged_case([3, 1], [5, 2], 2, 1, "float32")
    narrow = jnp.rint(pages * 30).astype(jnp.int8)
    got = ragged.ragged_paged_attention(q, narrow, *tables, k_scale=0.1, v_scale=0.2)
    wide = narrow.astype(jnp.float32) * jnp.array([0.1, 0.2])[:, None]
    close(got, ragged_expected(q, wide, *tables, 1.0, None, None))


def test_ragged_attention_refuses_what_does_not_fit():
    q, pages, keys, which, starts, count = ragged_case([3, 1], [5, 2], 2, 1, "float32")

    def refused(message, *args, **options):
        with pytest.raises(ValueError, match=message):
            ragged.dynamic_validate_inputs(*args, **options)

    refused("must be", q, pages, keys, which, starts, count[0])
    refused("Q head_dim", q[..., :4], pages, keys, which, starts, count)
    refused("Expected kv_lens", q, pages, keys[:1], which, starts, count)
    refused("must be int32", q, pages, keys * 1.0, which, starts, count)
    refused("at sequence 0", q, pages, keys * 0, which, starts, count)
    refused("Total q tokens", q[:2], pages, keys, which, starts, count)
    refused("less or equal to max_num_seqs", q, pages, keys, which, starts, count + 5)
    refused("is too small", q, pages, keys * 99, which, starts, count)
    case = q, pages, keys, which, starts, count
    refused("sliding_window=0 must be positive", *case, sliding_window=0)
    refused("soft_cap=0.0 must not be 0.0", *case, soft_cap=0.0)
    refused("must be in range", *case, num_kv_pages_per_block=99)


def test_sizes_of_blocks_are_known_for_tpus_alone():
    assert tuned_block_sizes.get_tpu_version() == -1
    with pytest.raises(NotImplementedError, match="TPU version must be 4"):
        tuned_block_sizes.get_tuned_block_sizes("bfloat16", "int8", 5, 3, 100, 17, 9, 2)
    key = tuned_block_sizes.simplify_key((jnp.bfloat16, "int8", 5, 3, 100, 17, 9, 2))
    assert key == ("bfloat16", "int8", 8, 4, 128, 32, 16, 64)
    assert tuned_block_sizes.get_min_page_size(4096) == 256


# ---------------------------------------------------------------- random numbers


@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (2, 3, 4)])
def test_random_words_follow_the_papers(shape):
    words = np.array([0x13198A2E, 0x03707344], np.uint32)
    counts = np.arange(np.prod(shape, dtype=int), dtype=np.uint64).reshape(shape)

    def philox10(low):
        x, key = [0, int(low), 0, 0], [int(w) for w in words]
        for _ in range(10):
            a, b = philox.MUL_A * x[2], philox.MUL_B * x[0]
            mask = 2**32 - 1
            x = [a >> 32 ^ x[1] ^ key[0], a & mask, b >> 32 ^ x[3] ^ key[1], b & mask]
            key = [(key[0] + philox.K_HI_32) & mask, (key[1] + philox.K_LO_32) & mask]
        return x[0] ^ x[1]

    got = philox.philox_4x32_count(jnp.asarray(words), shape)
    expected = np.vectorize(philox10, otypes=[np.uint32])(counts)
    np.testing.assert_array_equal(got, expected)
    with jax.threefry_partitionable(True):
        key = jax.random.wrap_key_data(jnp.asarray(words), impl="threefry2x32")
        expected = jax.random.bits(key, shape)
    got = threefry.plthreefry_random_bits(jnp.asarray(words), 32, shape)
    np.testing.assert_array_equal(got, expected)


def test_blocks_of_random_words_are_parts_of_the_array():
    words = jnp.array([1, 2], jnp.uint32)
    whole = philox.philox_4x32_count(words, (6, 10))
    larger = philox.philox_4x32_kernel(words, (8, 12), (6, 10), (4, 4))
    np.testing.assert_array_equal(larger[:6, :10], whole)
    two = philox.philox_4x32_count(words, (6, 10), fuse_output=False)
    np.testing.assert_array_equal(two[0] ^ two[1], whole)
    offset = prng_utils.compute_scalar_offset((1, 2), (6, 10), (2, 3))
    index = prng_utils.blocked_iota((2, 3), (6, 10)) + offset
    np.testing.assert_array_equal(whole.reshape(-1)[index], whole[2:4, 6:9])
    with pytest.raises(ValueError, match="must be divisible by"):
        philox.philox_4x32_kernel(words, (7, 12), (6, 10), (4, 4))
    with pytest.raises(ValueError, match="Offset must be scalar"):
        philox.philox_4x32_count(words, (2,), offset=jnp.zeros(2, jnp.uint32))
    with pytest.raises(ValueError, match="Only 32-bit"):
        philox.philox_random_bits(words, 64, (2,))


@pytest.mark.parametrize("name", ["pallas_philox4x32", "pallas_threefry2x32"])
def test_keys_of_these_generators(name):
    key = jax.random.key(7, impl=name)
    first, second = jax.random.split(key)
    draws = [jax.random.normal(k, (4000,)) for k in (key, first, second)]
    draws.append(jax.random.normal(jax.random.fold_in(key, 3), (4000,)))
    for draw in draws:
        assert abs(float(draw.mean())) < 0.08 and abs(float(draw.std()) - 1) < 0.05
    for a, b in itertools.combinations(draws, 2):
        assert abs(float(jnp.corrcoef(a, b)[0, 1])) < 0.08


@pytest.mark.parametrize(
    "case, expected",
    [
        ((8, 4, "bfloat16", "bfloat16"), (8, 4)),
        ((32, 16, "float32", "bfloat16"), (32, 16)),
        ((16, 32, "bfloat16", "int8"), (16, 32)),
        ((64, 64, "float32", "float32"), (8, 8)),
        ((12, 4, "bfloat16", "bfloat16"), (12, 4)),
        ((4, 2, "int8", "int8"), "can not be XLA fully tiled"),
    ],
)
def test_heads_fill_tiles(case, expected):
    function = ragged_kernel.get_min_heads_per_blk
    if isinstance(expected, tuple):
        assert function(*case) == expected
    else:
        with pytest.raises(ValueError, match=expected):
            function(*case)
    assert (
        ragged_kernel.get_dtype_packing(case[3])
        == 4 // np.dtype(jnp.dtype(case[3])).itemsize
    )
