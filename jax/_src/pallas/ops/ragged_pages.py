"""Attention of sequences of unequal lengths to pages, by the interface of the kernel for TPUs.

One array holds the queries of all sequences, one after the other. A step takes a block of queries and one
of the sequences that have queries in it: there are no more steps than blocks and sequences.
"""

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors
from jax._src.jit import jit as jit_module
from jax._src.lax.control_flow import scans
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas.splash.reference import DEFAULT_MASK_VALUE as DEFAULT_MASK_VALUE

_QUERIES = 64
_POSITIVE = (
    "sliding_window",
    "num_kv_pages_per_block",
    "num_queries_per_block",
    "vmem_limit_bytes",
)


def get_dtype_packing(dtype: Any) -> int:
    """How many numbers of a dtype a word of 32 bits holds.

    Args:
        dtype: the dtype.
    """
    return 32 // dtypes.itemsize_bits(np.dtype(dtypes.dtype(dtype)))


def get_min_heads_per_blk(
    num_q_heads: int, num_combined_kv_heads: int, q_dtype: Any, kv_dtype: Any
) -> tuple[int, int]:
    """The fewest heads of queries, and of keys and values together, that fill tiles of a TPU.

    Args:
        num_q_heads: the heads of queries.
        num_combined_kv_heads: the heads of keys and values together.
        q_dtype: the dtype of queries.
        kv_dtype: the dtype of keys and values.

    Raises:
        ValueError: the heads of keys and values do not fill tiles.
    """

    def fills(heads, packing):
        rows, rest = divmod(heads, packing)
        return not rest and (rows in (1, 2, 4) or rows % 8 == 0) and rows > 0

    packing = get_dtype_packing(kv_dtype)
    if not fills(num_combined_kv_heads, packing):
        what = (
            f"num_combined_kv_heads={num_combined_kv_heads} can not be XLA fully tiled."
        )
        _refuse(f"Not implemented: {what}", "Tiles have 1, 2, 4 or 8 rows of words.")
    tile = 8 * packing
    combined = num_combined_kv_heads if num_combined_kv_heads % tile else tile
    heads = combined * num_q_heads // num_combined_kv_heads
    if fills(heads, get_dtype_packing(q_dtype)):
        return heads, combined
    return num_q_heads, num_combined_kv_heads


def _refuse(what, rule="", **facts):
    raise errors.value_error(what, [(k, str(v)) for k, v in facts.items()], rule)


def _check_options(pages_per_seq, soft_cap, k_scale, v_scale, numbers):
    for name, number in zip(_POSITIVE, numbers, strict=True):
        if number is not None and number <= 0:
            _refuse(f"{name}={number} must be positive.")
    block = numbers[1]
    if block is not None and block > pages_per_seq:
        what = f"num_kv_pages_per_block={block} must be in range (0, {pages_per_seq}]."
        _refuse(what, "A block has no more pages than a sequence.")
    if soft_cap == 0.0:
        _refuse(f"soft_cap={soft_cap} must not be 0.0.", "Scores stay below it.")
    for name, scale in (("k_scale", k_scale), ("v_scale", v_scale)):
        if scale is not None and not isinstance(scale, float):
            _refuse(f"{name} is no float.", given=repr(scale))


def static_validate_inputs(
    q: Any,
    kv_pages: Any,
    kv_lens: Any,
    page_indices: Any,
    cu_q_lens: Any,
    num_seqs: Any,
    *,
    sm_scale: float | None = None,
    sliding_window: int | None = None,
    soft_cap: float | None = None,
    mask_value: float | None = None,
    k_scale: float | None = None,
    v_scale: float | None = None,
    num_kv_pages_per_block: int | None = None,
    num_queries_per_block: int | None = None,
    vmem_limit_bytes: int | None = None,
) -> None:
    """Checks the shapes, dtypes and options of a ragged attention; see `ragged_paged_attention`.

    Args:
        q: queries.
        kv_pages: keys and values in pages.
        kv_lens: how many keys each sequence has.
        page_indices: the pages of each sequence.
        cu_q_lens: where the queries of each sequence begin.
        num_seqs: how many sequences there are.
        sm_scale: the factor of scores.
        sliding_window: how many keys a query sees.
        soft_cap: the bound of scores.
        mask_value: what is added to scores of keys that are not seen.
        k_scale: the factor of keys.
        v_scale: the factor of values.
        num_kv_pages_per_block: pages of a block.
        num_queries_per_block: queries of a block.
        vmem_limit_bytes: a number of bytes.

    Raises:
        ValueError: they do not fit.
    """
    del sm_scale, mask_value
    if q.ndim != 3 or kv_pages.ndim != 4 or page_indices.ndim != 2:
        rule = "They have three, four and two axes."
        shapes = {
            "q": q.shape,
            "kv_pages": kv_pages.shape,
            "page_indices": page_indices.shape,
        }
        _refuse("Queries, pages and their numbers do not fit.", rule, **shapes)
    heads, width = q.shape[1:]
    combined = kv_pages.shape[2]
    most, per_sequence = page_indices.shape
    if combined % 2:
        rule = "Keys have even numbers, values odd ones."
        _refuse("The number of heads of keys and values is odd.", rule, heads=combined)
    if num_seqs.shape != (1,):
        _refuse(f"num_seqs.shape={num_seqs.shape} must be (1,).")
    if kv_pages.shape[3] != width:
        what = (
            f"Q head_dim {width} must be the same as that of K/V {kv_pages.shape[3]}."
        )
        _refuse(what)
    for name, x, size in (
        ("kv_lens", kv_lens, most),
        ("cu_q_lens", cu_q_lens, most + 1),
    ):
        if x.shape != (size,):
            rule = "There are as many sequences as page_indices.shape[0]."
            _refuse(f"Expected {name}.shape={x.shape} to be ({size},).", rule)
    kinds = {
        "kv_lens": kv_lens.dtype,
        "page_indices": page_indices.dtype,
        "cu_q_lens": cu_q_lens.dtype,
    }
    if any(kind != np.int32 for kind in kinds.values()):
        names = "`kv_lens`, `page_indices`, and `cu_q_lens`"
        _refuse(f"The dtype of {names} must be int32.", **kinds)
    if heads % (combined // 2):
        what = f"num_q_heads={heads} must be divisible by num_kv_heads={combined // 2}."
        _refuse(what)
    numbers = (
        sliding_window,
        num_kv_pages_per_block,
        num_queries_per_block,
        vmem_limit_bytes,
    )
    _check_options(per_sequence, soft_cap, k_scale, v_scale, numbers)


def dynamic_validate_inputs(
    q: Any,
    kv_pages: Any,
    kv_lens: Any,
    page_indices: Any,
    cu_q_lens: Any,
    num_seqs: Any,
    *,
    sm_scale: float | None = None,
    sliding_window: int | None = None,
    soft_cap: float | None = None,
    mask_value: float | None = None,
    k_scale: float | None = None,
    v_scale: float | None = None,
    num_kv_pages_per_block: int | None = None,
    num_queries_per_block: int | None = None,
    vmem_limit_bytes: int | None = None,
) -> None:
    """Checks the values of a ragged attention too, which must be known.

    Args:
        q: queries.
        kv_pages: keys and values in pages.
        kv_lens: how many keys each sequence has.
        page_indices: the pages of each sequence.
        cu_q_lens: where the queries of each sequence begin.
        num_seqs: how many sequences there are.
        sm_scale: the factor of scores.
        sliding_window: how many keys a query sees.
        soft_cap: the bound of scores.
        mask_value: what is added to scores of keys that are not seen.
        k_scale: the factor of keys.
        v_scale: the factor of values.
        num_kv_pages_per_block: pages of a block.
        num_queries_per_block: queries of a block.
        vmem_limit_bytes: a number of bytes.

    Raises:
        ValueError: they do not fit.
    """
    static_validate_inputs(
        q,
        kv_pages,
        kv_lens,
        page_indices,
        cu_q_lens,
        num_seqs,
        sliding_window=sliding_window,
        soft_cap=soft_cap,
        k_scale=k_scale,
        v_scale=v_scale,
        num_kv_pages_per_block=num_kv_pages_per_block,
        num_queries_per_block=num_queries_per_block,
        vmem_limit_bytes=vmem_limit_bytes,
    )
    most, per_sequence = page_indices.shape
    count = int(num_seqs[0])
    if count > most:
        _refuse(f"num_seqs[0]={count} must be less or equal to max_num_seqs={most}.")
    keys, starts = np.asarray(kv_lens), np.asarray(cu_q_lens)
    longest = int(keys.max(initial=0))
    if per_sequence < -(-longest // kv_pages.shape[1]):
        rule = "The pages of a sequence hold all of its keys."
        facts = {"longest": longest, "page size": kv_pages.shape[1]}
        _refuse(f"pages_per_seq={per_sequence} is too small.", rule, **facts)
    if starts[count] > q.shape[0]:
        what = f"Total q tokens {starts[count]} must be less or equal to {q.shape[0]}."
        _refuse(what, "That many queries there are.")
    for i in range(count):
        length = starts[i + 1] - starts[i]
        if length > keys[i]:
            what = f"q_len={length} must be less or equal to kv_len={keys[i]}"
            _refuse(f"{what} at sequence {i}.", "A query is one of the keys, too.")


def _attend(q, k, v, seen, scale, cap, mask_value):
    """Attention of a block of queries, (queries, heads, d), to one sequence's keys."""
    queries, heads, width = q.shape
    groups = q.reshape(queries, k.shape[1], heads // k.shape[1], width)
    wide = np.float32
    logits = jnp.einsum("qkgd,tkd->kgqt", groups, k, preferred_element_type=wide)
    logits = logits * np.float32(scale)
    if cap is not None:
        logits = np.float32(cap) * jnp.tanh(logits / np.float32(cap))
    logits = jnp.where(seen, logits, np.float32(mask_value))
    shares = jnp.exp(logits - logits.max(-1, keepdims=True))
    weights = (shares / shares.sum(-1, keepdims=True)).astype(v.dtype)
    out = jnp.einsum("kgqt,tkd->qkgd", weights, v, preferred_element_type=wide)
    return out.reshape(q.shape).astype(q.dtype)


def _scaled(x, scale, dtype):
    return x if scale is None else (x.astype(np.float32) * scale).astype(dtype)


def _steps(starts, count, blocks, size):
    """The block of queries and the sequence of each step, and whether it is one at all."""
    sequences = starts.shape[0] - 1
    is_one = (jnp.arange(sequences) < count) & (starts[1:] > starts[:-1])
    first = starts[:-1] // size
    number = jnp.where(is_one, (starts[1:] - 1) // size - first + 1, 0)
    ends = jnp.cumsum(number)
    step = jnp.arange(blocks + sequences)
    sequence = jnp.searchsorted(ends, step, side="right")
    is_step = sequence < sequences
    sequence = jnp.minimum(sequence, sequences - 1)
    block = first[sequence] + step - (ends - number)[sequence]
    return jnp.where(is_step, block, 0), sequence, is_step


@ft.partial(
    jit_module.jit,
    static_argnames=(
        "sm_scale",
        "mask_value",
        "num_kv_pages_per_block",
        "num_queries_per_block",
        "vmem_limit_bytes",
        "sliding_window",
        "soft_cap",
        "k_scale",
        "v_scale",
    ),
)
def ragged_paged_attention(
    q: Any,
    kv_pages: Any,
    kv_lens: Any,
    page_indices: Any,
    cu_q_lens: Any,
    num_seqs: Any,
    *,
    sm_scale: float = 1.0,
    sliding_window: int | None = None,
    soft_cap: float | None = None,
    mask_value: float | None = DEFAULT_MASK_VALUE,
    k_scale: float | None = None,
    v_scale: float | None = None,
    num_kv_pages_per_block: int | None = None,
    num_queries_per_block: int | None = None,
    vmem_limit_bytes: int | None = None,
) -> Any:
    """Causal attention of sequences of unequal lengths to keys and values in pages.

    The last query of a sequence is beside its last key.

    Args:
        q: the queries of all sequences behind each other, of shape ``(most, heads, d)``.
        kv_pages: pages of shape ``(pages, size, 2 * kv_heads, d)``: the heads of keys have
            even numbers, those of values odd ones; `kv_heads` divides `heads`.
        kv_lens: how many keys each sequence has, int32.
        page_indices: for each sequence the numbers of its pages, int32.
        cu_q_lens: where the queries of each sequence begin, and where the last ones end.
        num_seqs: how many of the sequences there are, of shape ``(1,)``.
        sm_scale: the factor of scores.
        sliding_window: how many keys a query sees, its own included; None: all up to it.
        soft_cap: scores stay below it, through `tanh`.
        mask_value: the score of keys that are not seen.
        k_scale: the factor of keys.
        v_scale: the factor of values.
        num_kv_pages_per_block: pages of a block; checked alone.
        num_queries_per_block: queries of a block; None: 64.
        vmem_limit_bytes: checked alone.

    Returns:
        Array of the shape of queries; those of no sequence have zeros.

    Raises:
        ValueError: shapes, dtypes or options do not fit.
    """
    static_validate_inputs(
        q,
        kv_pages,
        kv_lens,
        page_indices,
        cu_q_lens,
        num_seqs,
        sliding_window=sliding_window,
        soft_cap=soft_cap,
        k_scale=k_scale,
        v_scale=v_scale,
        num_kv_pages_per_block=num_kv_pages_per_block,
        num_queries_per_block=num_queries_per_block,
        vmem_limit_bytes=vmem_limit_bytes,
    )
    tokens, _, width = q.shape
    size = min(num_queries_per_block or _QUERIES, max(tokens, 1))
    blocks = -(-tokens // size)
    behind = jnp.zeros((blocks * size - tokens, *q.shape[1:]), q.dtype)
    padded = jnp.concatenate([q, behind])
    mask_value = DEFAULT_MASK_VALUE if mask_value is None else mask_value
    keys = page_indices.shape[1] * kv_pages.shape[1]

    def step(out, which):
        block, sequence, is_step = which
        pages = kv_pages[page_indices[sequence]].reshape(keys, -1, 2, width)
        length, begin = kv_lens[sequence], cu_q_lens[sequence]
        end = cu_q_lens[sequence + 1]
        is_key = (jnp.arange(keys) < length)[:, None, None]
        k = _scaled(jnp.where(is_key, pages[:, :, 0], 0), k_scale, q.dtype)
        v = _scaled(jnp.where(is_key, pages[:, :, 1], 0), v_scale, q.dtype)
        row = block * size + jnp.arange(size)
        last = (length - end + row)[:, None]
        seen = jnp.arange(keys) <= last
        if sliding_window is not None:
            seen &= jnp.arange(keys) > last - sliding_window
        some = lax.dynamic_slice_in_dim(padded, block * size, size)
        new = _attend(some, k, v, seen, sm_scale, soft_cap, mask_value)
        old = lax.dynamic_slice_in_dim(out, block * size, size)
        is_own = ((row >= begin) & (row < end) & is_step)[:, None, None]
        new = jnp.where(is_own, new, old)
        start = (block * size, 0, 0)
        return lax.dynamic_update_slice(out, new, start), None

    steps = _steps(cu_q_lens, num_seqs[0], blocks, size)
    return scans.scan(step, jnp.zeros_like(padded), steps)[0][:tokens]


def ref_ragged_paged_attention(
    queries: Any,
    kv_pages: Any,
    kv_lens: Any,
    page_indices: Any,
    cu_q_lens: Any,
    num_seqs: Any,
    *,
    sm_scale: float = 1.0,
    sliding_window: int | None = None,
    soft_cap: float | None = None,
    mask_value: float | None = DEFAULT_MASK_VALUE,
    k_scale: float | None = None,
    v_scale: float | None = None,
) -> Any:
    """`ragged_paged_attention`, a sequence at a time; lengths must be known.

    Args:
        queries: the queries of all sequences behind each other.
        kv_pages: keys and values in pages.
        kv_lens: how many keys each sequence has.
        page_indices: for each sequence the numbers of its pages.
        cu_q_lens: where the queries of each sequence begin, and where the last ones end.
        num_seqs: how many of the sequences there are.
        sm_scale: the factor of scores.
        sliding_window: how many keys a query sees; None: all up to its own.
        soft_cap: scores stay below it.
        mask_value: the score of keys that are not seen.
        k_scale: the factor of keys.
        v_scale: the factor of values.

    Returns:
        The queries that belong to sequences, with what they attend to.

    Raises:
        ValueError: shapes, dtypes or options do not fit.
    """
    static_validate_inputs(
        queries,
        kv_pages,
        kv_lens,
        page_indices,
        cu_q_lens,
        num_seqs,
        sliding_window=sliding_window,
        soft_cap=soft_cap,
        k_scale=k_scale,
        v_scale=v_scale,
    )
    mask_value = DEFAULT_MASK_VALUE if mask_value is None else mask_value
    starts, lengths = np.asarray(cu_q_lens), np.asarray(kv_lens)
    outs = []
    for i in range(int(num_seqs[0])):
        q = queries[starts[i] : starts[i + 1]]
        pages = kv_pages[page_indices[i]]
        pages = pages.reshape(-1, pages.shape[2] // 2, 2, pages.shape[3])[: lengths[i]]
        k = _scaled(pages[:, :, 0], k_scale, q.dtype)
        v = _scaled(pages[:, :, 1], v_scale, q.dtype)
        last = (lengths[i] - len(q) + np.arange(len(q)))[:, None]
        seen = np.arange(lengths[i]) <= last
        if sliding_window is not None:
            seen &= np.arange(lengths[i]) > last - sliding_window
        outs.append(_attend(q, k, v, seen, sm_scale, soft_cap, mask_value))
    return jnp.concatenate(outs)
