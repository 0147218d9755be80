"""The kernels of upstream's package that need no hardware of their own, with operands.

Those in Mosaic's language for GPUs (`*_mgpu`) multiply by instructions of Hopper and
Blackwell, and are not among them.
"""

import functools
import itertools
from collections.abc import Iterator

import numpy as np

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.sharding import PartitionSpec as P
from tests.third_party_kernels import case, shipped
from tests.third_party_kernels.case import Case, normal

DTYPES = ("float32", "bfloat16")


def attention(q, k, v, seen=None, scale=1.0, bias=None, cap=None):
    """Attention of one head, float32; (queries, d), (keys, d) and (keys, d)."""
    q, k, v = (x.astype(jnp.float32) for x in (q, k, v))
    scores = q @ k.T
    if bias is not None:
        scores = scores + bias
    scores = scores * scale
    if cap is not None:
        scores = cap * jnp.tanh(scores / cap)
    if seen is not None:
        scores = jnp.where(seen, scores, -1e30)
    return jax.nn.softmax(scores, -1) @ v


def of_heads(q, k, v, seen, scale, bias=None):
    """Attention of (batch, heads, length, d); `seen` and `bias` have these axes too."""
    shape = (*q.shape[:3], k.shape[2])
    seen = jnp.broadcast_to(True if seen is None else seen, shape)
    bias = jnp.broadcast_to(0.0 if bias is None else bias, shape)
    head = functools.partial(attention, scale=scale)
    both = jax.vmap(jax.vmap(lambda q, k, v, s, b: head(q, k, v, s, bias=b)))
    return both(q, k, v, seen, bias)


def gradients(call, args, ct):
    """The result and its derivatives by all arguments."""
    out, pull = jax.vjp(call, *args)
    return out, *pull(ct.astype(out.dtype))


def rows() -> Iterator[Case]:
    """Softmax and norms."""
    softmax = shipped.module("gpu.softmax").softmax
    for shape, dtype in itertools.product([(7,), (5, 64), (2, 3, 100)], DTYPES):
        x = normal(0, *shape, dtype=dtype)
        yield Case(
            f"gpu.softmax {shape} {dtype}",
            lambda i, x=x: softmax(x, interpret=i),
            lambda x=x: jax.nn.softmax(x.astype(jnp.float32)),
            dtype,
        )

    def normed(x, weight, bias, centre):
        x = x.astype(jnp.float32)
        x = x - x.mean(-1, keepdims=True) if centre else x
        inverse = jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)
        return x * inverse * weight + bias

    for name, shape, dtype in itertools.product(
        ("layer_norm", "rms_norm"), [(2, 4, 64), (3, 5, 200)], DTYPES
    ):
        function = getattr(shipped.module(f"gpu.{name}"), name)
        args = [
            normal(i, *s, dtype=dtype)
            for i, s in enumerate([shape, shape[-1:], shape[-1:]])
        ]
        ct = normal(9, *shape)
        call = functools.partial(function, num_warps=None, num_stages=3, eps=1e-5)
        plain = functools.partial(normed, centre=name == "layer_norm")
        yield Case(
            f"gpu.{name} {shape} {dtype}",
            lambda i, call=call, args=args: call(*args, interpret=i),
            lambda plain=plain, args=args: plain(*args),
            dtype,
        )
        yield Case(
            f"gpu.{name} gradient {shape} {dtype}",
            lambda i, f=function, args=args, ct=ct: gradients(
                lambda *a: f(*a, interpret=i), args, ct
            ),
            lambda plain=plain, args=args, ct=ct: gradients(plain, args, ct),
            dtype,
        )


def gpu_attention() -> Iterator[Case]:
    """Attention of sequences, of one query, and to pages, in Triton's language."""
    mha = shipped.module("gpu.attention").mha
    for length, causal, segmented, dtype in itertools.product(
        (64, 256), (False, True), (False, True), DTYPES
    ):
        args = [normal(i, 2, length, 2, 32, dtype=dtype) for i in range(3)]
        ids = jnp.asarray(np.random.RandomState(3).randint(0, 2, (2, length)))
        ids = jnp.sort(ids, -1) if segmented else None
        ct = normal(4, 2, length, 2, 32)
        seen = jnp.tri(length, dtype=bool)[None, None] if causal else None
        if segmented:
            same = (ids[:, :, None] == ids[:, None, :])[:, None]
            seen = same if seen is None else seen & same

        def plain(q, k, v, seen=seen):
            turned = [x.swapaxes(1, 2) for x in (q, k, v)]
            return of_heads(*turned, seen, 0.2).swapaxes(1, 2)

        call = lambda q, k, v, i, ids=ids, causal=causal: mha(  # noqa: E731
            q, k, v, ids, 0.2, causal, interpret=i
        )
        name = f"gpu.attention {length} {causal=} {segmented=} {dtype}"
        yield Case(
            name,
            lambda i, call=call, args=args, ct=ct: gradients(
                lambda *a: call(*a, i), args, ct
            ),
            lambda plain=plain, args=args, ct=ct: gradients(plain, args, ct),
            dtype,
        )
    yield from gpu_decoding()


def gpu_decoding() -> Iterator[Case]:
    """Attention of one query to what is remembered, and to pages."""
    decoding = shipped.module("gpu.decode_attention")
    for kv_heads, bounded, dtype in itertools.product((1, 2, 8), (False, True), DTYPES):
        q = normal(0, 2, 8, 32, dtype=dtype)
        k, v = (normal(i, 2, 128, kv_heads, 32, dtype=dtype) for i in (1, 2))
        start, end = (
            (jnp.array([3, 10]), jnp.array([100, 60])) if bounded else (None, None)
        )

        def plain(q=q, k=k, v=v, start=start, end=end, kv_heads=kv_heads):
            at = jnp.arange(128)
            low = jnp.zeros(2, int) if start is None else start
            high = jnp.full(2, 128) if end is None else end
            seen = (at >= low[:, None]) & (at < high[:, None])
            k, v = (jnp.repeat(x, 8 // kv_heads, 2).swapaxes(1, 2) for x in (k, v))
            return of_heads(q[:, :, None], k, v, seen[:, None, None], 32**-0.5)[:, :, 0]

        yield Case(
            f"gpu.decode_attention gqa {kv_heads=} {bounded=} {dtype}",
            lambda i, q=q, k=k, v=v, s=start, e=end: decoding.gqa(
                q, k, v, s, e, block_k=32, k_splits=4, interpret=i
            ),
            plain,
            dtype,
        )
        if kv_heads == 1:
            yield Case(
                f"gpu.decode_attention mqa {bounded=} {dtype}",
                lambda i, q=q, k=k, v=v, s=start, e=end: decoding.mqa(
                    q, k[:, :, 0], v[:, :, 0], s, e, block_k=32, k_splits=4, interpret=i
                ),
                plain,
                dtype,
            )
    paged = shipped.module("gpu.paged_attention").paged_attention
    for heads, cap, scaled, dtype in itertools.product(
        (4, 16), (None, 2.0), (False, True), DTYPES
    ):
        q, pages, which, lengths, plain = pages_case(heads, 2, cap, dtype)
        scales = [normal(i, 2, 20, 8) for i in (7, 8)] if scaled else [None, None]
        yield Case(
            f"gpu.paged_attention {heads=} {cap=} {scaled=} {dtype}",
            lambda i, q=q, p=pages, w=which, n=lengths, s=scales, cap=cap: paged(
                q,
                *p,
                w,
                n,
                *s,
                pages_per_compute_block=2,
                k_splits=2,
                attn_logits_soft_cap=cap,
                interpret=i,
            ),
            functools.partial(
                plain, *(1 if s is None else s[..., None] for s in scales)
            ),
            dtype,
        )


def pages_case(heads, kv_heads, cap, dtype):
    """One query per sequence, keys and values in pages, and the attention to them."""
    q = normal(0, 2, heads, 32, dtype=dtype)
    pages = [normal(i, kv_heads, 20, 8, 32, dtype=dtype) for i in (1, 2)]
    which = jnp.asarray(
        np.random.RandomState(3).permutation(16).reshape(2, 8), jnp.int32
    )
    lengths = jnp.array([37, 64], jnp.int32)

    def plain(k_scale=1, v_scale=1):
        k, v = (
            jnp.repeat(
                (x * s)[:, which].reshape(kv_heads, 2, 64, 32).swapaxes(0, 1),
                heads // kv_heads,
                1,
            )
            for x, s in zip(pages, (k_scale, v_scale), strict=True)
        )
        seen = jnp.arange(64) < lengths[:, None, None]
        one = functools.partial(attention, cap=cap)
        per_head = jax.vmap(jax.vmap(one, (0, 0, 0, None)))
        return per_head(q[:, :, None], k, v, seen)[:, :, 0]

    return q, pages, which, lengths, plain


def products() -> Iterator[Case]:
    """Products of matrices, of groups of rows, and doubling."""
    matmul = shipped.module("tpu.matmul").matmul

    def multiplied(i, x, y, out):
        with case.mode(i):
            return matmul(x, y, block_shape=(128, 128), block_k=128, out_dtype=out)

    for size, (kind, out) in itertools.product(
        (128, 384), (("float32", None), ("bfloat16", "float32"), ("int8", "int32"))
    ):
        draw = np.random.RandomState(0)
        x, y = (jnp.asarray(draw.randint(-9, 9, (size, size)), kind) for _ in range(2))
        yield Case(
            f"tpu.matmul {size} {kind}",
            lambda i, x=x, y=y, out=out: multiplied(i, x, y, out),
            lambda x=x, y=y: np.asarray(x, np.float64) @ np.asarray(y, np.float64),
        )

    def doubled(i):
        with case.mode(i):
            return shipped.module("tpu.example_kernel").double(normal(0, 8, 128))

    yield Case("tpu.example_kernel", doubled, lambda: 2 * normal(0, 8, 128))
    backend = shipped.module("tpu.megablox.gmm")
    ops = shipped.module("tpu.megablox.ops")
    sizes = jnp.array([100, 0, 56, 100], jnp.int32)
    group = np.repeat(np.arange(4), np.asarray(sizes))
    for transposed, dtype in itertools.product((False, True), DTYPES):
        lhs = normal(0, 256, 128, dtype=dtype)
        rhs = normal(1, 4, 128, 256, dtype=dtype)
        given = rhs.swapaxes(1, 2) if transposed else rhs

        def plain(lhs=lhs, rhs=rhs):
            wide = rhs.astype(jnp.float32)[group]
            return jnp.einsum("mk,mkn->mn", lhs.astype(jnp.float32), wide)

        yield Case(
            f"tpu.megablox gmm {transposed=} {dtype}",
            lambda i, lhs=lhs, rhs=given, t=transposed: backend.gmm(
                lhs, rhs, sizes, transpose_rhs=t, interpret=i
            ),
            plain,
            dtype,
        )
        if not transposed:
            ct = normal(2, 256, 256)
            yield Case(
                f"tpu.megablox gmm gradient {dtype}",
                lambda i, lhs=lhs, rhs=rhs, ct=ct: gradients(
                    lambda a, b: ops.gmm(a, b, sizes, interpret=i), (lhs, rhs), ct
                ),
                lambda plain=plain, lhs=lhs, rhs=rhs, ct=ct: gradients(
                    plain, (lhs, rhs), ct
                ),
                dtype,
            )
            yield Case(
                f"tpu.megablox tgmm {dtype}",
                lambda i, lhs=lhs, rhs=ct.astype(dtype): backend.tgmm(
                    lhs.T, rhs, sizes, interpret=i
                ),
                lambda lhs=lhs, rhs=ct.astype(dtype): jnp.stack(
                    [
                        lhs.T[:, group == g].astype(jnp.float32)
                        @ rhs[group == g].astype(jnp.float32)
                        for g in range(4)
                    ]
                ),
                dtype,
            )


def tpu_attention() -> Iterator[Case]:
    """Flash attention, and attention over masks."""
    flash = shipped.module("tpu.flash_attention")
    for causal, biased, segmented, dtype in itertools.product(
        (False, True), (False, True), (False, True), DTYPES
    ):
        args = [normal(i, 1, 2, 256, 64, dtype=dtype) for i in range(3)]
        bias = normal(3, 1, 2, 256, 256, dtype=dtype) if biased else None
        ids = jnp.asarray(np.arange(256)[None] // 100)
        ct = normal(4, 1, 2, 256, 64)
        seen = jnp.tri(256, dtype=bool)[None, None] if causal else None
        if segmented:
            same = (ids[:, :, None] == ids[:, None, :])[:, None]
            seen = same if seen is None else seen & same

        def run(i, args=args, bias=bias, ids=ids, causal=causal, s=segmented, ct=ct):
            segments = flash.SegmentIds(ids, ids) if s else None
            with case.mode(i):
                return gradients(
                    lambda q, k, v: flash.flash_attention(
                        q, k, v, bias, segments, causal=causal, sm_scale=0.125
                    ),
                    args,
                    ct,
                )

        yield Case(
            f"tpu.flash_attention {causal=} {biased=} {segmented=} {dtype}",
            run,
            lambda args=args, seen=seen, bias=bias, ct=ct: gradients(
                lambda q, k, v: of_heads(q, k, v, seen, 0.125, bias), args, ct
            ),
            dtype,
        )
    yield from splash()


def splash() -> Iterator[Case]:
    """Attention over masks, with shared heads and segments."""
    kernels = shipped.module("tpu.splash_attention.splash_attention_kernel")
    masks = shipped.module("tpu.splash_attention.splash_attention_mask")
    shape = 256, 256
    for (name, mask), kv_heads, fused, dtype in itertools.product(
        {
            "causal": masks.CausalMask(shape),
            "full": masks.FullMask(shape),
            "local": masks.LocalMask(shape, (40, 10), 0),
            "array": masks.NumpyMask(np.random.RandomState(0).rand(*shape) < 0.3),
            "chunked": masks.ChunkedCausalMask(shape, 100),
        }.items(),
        (1, 2, 4),
        (False, True),
        DTYPES,
    ):
        sizes = kernels.BlockSizes(
            block_q=128,
            block_kv=128,
            block_kv_compute=128,
            block_q_dkv=128,
            block_kv_dkv=128,
            block_kv_dkv_compute=128,
            block_q_dq=None if fused else 128,
            block_kv_dq=None if fused else 128,
            use_fused_bwd_kernel=fused,
        )
        q = normal(0, 4, 256, 64, dtype=dtype) * 0.125
        shared = (256, 64) if kv_heads == 1 else (kv_heads, 256, 64)
        k, v = (normal(i, *shared, dtype=dtype) for i in (1, 2))
        ct = normal(4, 4, 256, 64)
        several = masks.MultiHeadMask([mask] * 4)

        def run(i, several=several, sizes=sizes, args=(q, k, v), ct=ct, kv=kv_heads):
            make = kernels.make_splash_mqa if kv == 1 else kernels.make_splash_mha
            made = make(
                several, block_sizes=sizes, head_shards=1, q_seq_shards=1, interpret=i
            )
            return gradients(made, args, ct)

        def plain(q, k, v, seen=mask[:, :], kv=kv_heads):
            if kv == 1:
                k, v = k[None], v[None]
            k, v = (jnp.repeat(x, 4 // kv, 0) for x in (k, v))
            return of_heads(q[None], k[None], v[None], jnp.asarray(seen), 1.0)[0]

        yield Case(
            f"tpu.splash_attention {name} {kv_heads=} {fused=} {dtype}",
            run,
            lambda plain=plain, args=(q, k, v), ct=ct: gradients(plain, args, ct),
            dtype,
        )


def tpu_pages() -> Iterator[Case]:
    """Attention to pages, of one query per sequence and of ragged sequences."""
    paged = shipped.module("tpu.paged_attention").paged_attention
    narrow = shipped.module("tpu.paged_attention.quantization_utils")
    # Two cores (`megacore_mode`) have memory of their own, which one after the other lacks:
    # interpreted by upstream, the kernel gives the same wrong numbers then.
    for heads, cap, inline, dtype in itertools.product(
        (2, 16), (None, 2.0), (True, False), DTYPES
    ):
        q, pages, which, lengths, plain = pages_case(heads, 2, cap, dtype)

        def run(i, q=q, p=pages, w=which, n=lengths, cap=cap, inline=inline):
            with case.mode(i):
                return paged(
                    q,
                    *p,
                    n,
                    w,
                    pages_per_compute_block=4,
                    attn_logits_soft_cap=cap,
                    inline_seq_dim=inline,
                )

        # The kernel rounds its weights, as it does interpreted by upstream.
        name = f"tpu.paged_attention {heads=} {cap=} {inline=} {dtype}"
        yield Case(name, run, plain, "bfloat16")
    q, pages, which, lengths, plain = pages_case(16, 2, None, "float32")

    def narrowed(i):
        with case.mode(i):
            made = [narrow.quantize_to_int8(x) for x in pages]
            return paged(q, *made, lengths, which, pages_per_compute_block=4)

    yield Case("tpu.paged_attention int8", narrowed, plain, "bfloat16")
    ragged = shipped.module("tpu.ragged_paged_attention")
    for kv_heads, window, cap, dtype in itertools.product(
        (2, 4), (None, 5), (None, 2.0), DTYPES
    ):
        lengths = np.array([7, 1, 20, 3], np.int32)
        keys = np.array([7, 33, 20, 40], np.int32)
        q = normal(0, int(lengths.sum()), 8, 128, dtype=dtype)
        pages = normal(1, 24, 16, 2 * kv_heads, 128, dtype=dtype)
        table = np.random.RandomState(2).permutation(24)[:12].reshape(4, 3)
        tables = (
            jnp.asarray(keys),
            jnp.asarray(table, jnp.int32),
            jnp.asarray(np.concatenate([[0], lengths.cumsum()]), jnp.int32),
            jnp.array([4], jnp.int32),
        )
        options = {"sm_scale": 0.1, "sliding_window": window, "soft_cap": cap}

        def run(i, q=q, pages=pages, tables=tables, options=options):
            with case.mode(i):
                return ragged.ragged_paged_attention(
                    q,
                    pages,
                    *tables,
                    num_kv_pages_per_block=2,
                    num_queries_per_block=8,
                    **options,
                )

        yield Case(
            f"tpu.ragged_paged_attention {kv_heads=} {window=} {cap=} {dtype}",
            run,
            lambda q=q, p=pages, t=tables, o=options: ragged.ref_ragged_paged_attention(
                q, p, *t, **o
            ),
            dtype,
        )


def random_words() -> Iterator[Case]:
    """Generators of random numbers."""
    words = jnp.array([3, 4], jnp.uint32)
    philox = shipped.module("tpu.random.philox")
    threefry = shipped.module("tpu.random.threefry")
    for shape in ((), (5,), (300, 20), (2, 256, 256)):

        def drawn(i, module, shape):
            with case.mode(i):
                return module(words, 32, shape)

        def plain(shape=shape):
            counts = jnp.arange(np.prod(shape, dtype=int), dtype=jnp.uint32).reshape(
                shape
            )
            zeros = jnp.zeros_like(counts)
            first, second, *_ = philox.philox_4x32(zeros, counts, zeros, zeros, *words)
            return first ^ second

        yield Case(
            f"tpu.random philox {shape}",
            functools.partial(drawn, module=philox.philox_random_bits, shape=shape),
            plain,
        )
        yield Case(
            f"tpu.random threefry {shape}",
            functools.partial(
                drawn, module=threefry.plthreefry_random_bits, shape=shape
            ),
            lambda shape=shape: jax.random.bits(
                jax.random.wrap_key_data(words, impl="threefry2x32"), shape
            ),
        )


def several_devices() -> Iterator[Case]:
    """Copies between devices."""
    gather = shipped.module("tpu.all_gather").all_gather
    for count in (2, 4):
        mesh = jax.make_mesh((count,), ("x",), devices=jax.devices()[:count])
        x = normal(0, 16 * count, 128)

        def run(i, mesh=mesh, x=x):
            placed = jax.device_put(x, jax.sharding.NamedSharding(mesh, P("x")))
            with case.mode(i):
                return gather(placed, mesh=mesh, axis_name="x", memory_space=pl.ANY)

        yield Case(f"tpu.all_gather {count} devices", run, lambda x=x: x)


FAMILIES = (
    rows,
    gpu_attention,
    products,
    tpu_attention,
    tpu_pages,
    random_words,
    several_devices,
)


def cases() -> Iterator[Case]:
    """All of them."""
    for family in FAMILIES:
        yield from family()
