"""Attention of sequences, by the interface of the flash attention kernels for TPUs."""

import dataclasses
import functools as ft
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.jit import jit as jit_module
from jax._src.numpy import numpy_api as jnp
from jax._src.pallas.ops import weights as weights_lib
from jax._src.pallas.splash.reference import (
    DEFAULT_MASK_VALUE as DEFAULT_MASK_VALUE,
    SegmentIds as SegmentIds,
)

MIN_BLOCK_SIZE = NUM_LANES = 128
NUM_SUBLANES = 8
# The last dimensions of two matrices are multiplied.
TRANS_B_DIM_NUMBERS = (((1,), (1,)), ((), ()))

# Sizes of a block, and of the smaller ones that it consists of.
_MAJOR = (
    ("block_k_major", "block_k"),
    ("block_q_major_dkv", "block_q_dkv"),
    ("block_k_major_dkv", "block_k_dkv"),
    ("block_k_major_dq", "block_k_dq"),
)


@dataclasses.dataclass(frozen=True)
class BlockSizes:
    """Sizes of blocks of queries and keys; they decide about speed on TPUs only.

    Args:
        block_q: queries of a block.
        block_k_major: keys that are in fast memory at once.
        block_k: keys of a block.
        block_b: batch elements of a block.
        block_q_major_dkv: queries in fast memory, for gradients of keys and values.
        block_k_major_dkv: keys in fast memory, for gradients of keys and values.
        block_k_dkv: keys of a block, for gradients of keys and values.
        block_q_dkv: queries of a block, for gradients of keys and values.
        block_k_major_dq: keys in fast memory, for gradients of queries.
        block_k_dq: keys of a block, for gradients of queries.
        block_q_dq: queries of a block, for gradients of queries.

    Raises:
        ValueError: a block does not divide what is in fast memory.
    """

    block_q: int
    block_k_major: int
    block_k: int
    block_b: int
    block_q_major_dkv: int | None = None
    block_k_major_dkv: int | None = None
    block_k_dkv: int | None = None
    block_q_dkv: int | None = None
    block_k_major_dq: int | None = None
    block_k_dq: int | None = None
    block_q_dq: int | None = None

    def __post_init__(self) -> None:
        for major_name, name in _MAJOR:
            major, minor = getattr(self, major_name), getattr(self, name)
            if major is None or minor is None:
                continue
            if minor > major or major % minor:
                relation = "be smaller than" if minor > major else "divide"
                raise errors.value_error(
                    f"{name}={minor} should {relation} {major_name}={major}",
                    rule="A block in fast memory consists of whole blocks.",
                )

    @property
    def has_backward_blocks(self) -> bool:
        """Whether all sizes for gradients are given."""
        sizes = dataclasses.astuple(self)[4:]
        return all(size is not None for size in sizes)

    @classmethod
    def get_default(
        cls, batch_size: int, num_heads: int, q_seq_len: int, kv_len: int, d_model: int
    ) -> "BlockSizes":
        """The usual sizes.

        Args:
            batch_size: accepted.
            num_heads: accepted.
            q_seq_len: accepted.
            kv_len: accepted.
            d_model: accepted.
        """
        return BlockSizes(128, 128, 128, 1, *[128] * 7)


def below_or_on_diag(r: Any, r_blk_size: int, c: Any, c_blk_size: int) -> Any:
    """Whether some query of a block sees some key of another, where none sees later keys.

    Args:
        r: the number of the block of queries.
        r_blk_size: the queries of a block.
        c: the number of the block of keys.
        c_blk_size: the keys of a block.
    """
    return (r + 1) * r_blk_size - 1 > c * c_blk_size


def _seen(q, k, segment_ids, causal, window=None):
    """Which keys each query sees, of shape (batch or 1, 1, queries, keys); None: all."""
    seen = None
    if segment_ids is not None:
        seen = segment_ids.q[:, None, :, None] == segment_ids.kv[:, None, None, :]
    if causal:
        before = jnp.tri(q.shape[2], k.shape[2], dtype=bool)[None, None]
        seen = before if seen is None else seen & before
    if window is not None:
        near = weights_lib.in_window(q.shape[2], k.shape[2], window)[None, None]
        seen = near if seen is None else seen & near
    return seen


def _logits(q, k, ab, segment_ids, causal, mask_value, scale, window=None):
    """Scores of queries and keys; narrow ones are added up in float32, and stay it."""
    wide = np.float32 if q.dtype.itemsize < 4 else None
    logits = jnp.einsum("bhqd,bhkd->bhqk", q, k, preferred_element_type=wide)
    if ab is not None:
        logits = (logits + ab).astype(logits.dtype)
    if scale != 1.0:
        logits = logits * np.asarray(scale, logits.dtype)
    seen = _seen(q, k, segment_ids, causal, window)
    if seen is None:
        return logits
    return jnp.where(seen, logits, np.asarray(mask_value, logits.dtype))


def _attend(q, k, v, logits, rate=0.0, key=None):
    """Sums of values, the sums of exponentials and the largest scores."""
    most = logits.max(-1)
    shares = jnp.exp(logits - most[..., None])
    total = shares.sum(-1)
    weights = weights_lib.dropped(shares / total[..., None], rate, key).astype(v.dtype)
    wide = np.float32 if v.dtype.itemsize < 4 else None
    out = jnp.einsum("bhqk,bhkd->bhqd", weights, v, preferred_element_type=wide)
    return out.astype(q.dtype), total, most


def _refuse(what, facts, rule):
    raise errors.value_error(what, [(k, str(v)) for k, v in facts.items()], rule)


def _check(q, k, v, ab, segment_ids):
    """Refuses operands that do not fit.

    Raises:
        ValueError: they do not.
        NotImplementedError: values have other features than keys.
    """
    facts = {"q": q.shape, "k": k.shape, "v": v.shape}
    rule = "q is (batch, heads, queries, d), k and v are (batch, heads, keys, d)."
    if any(x.ndim != 4 for x in (q, k, v)):
        _refuse("Queries, keys and values have four axes.", facts, rule)
    for axis, what in (
        (0, "Batch size mismatch."),
        (1, "Head count mismatch."),
        (3, "Model dimension mismatch."),
    ):
        others = [k.shape[axis]] if axis == 3 else [k.shape[axis], v.shape[axis]]
        if any(size != q.shape[axis] for size in others):
            _refuse(what, facts, rule)
    if v.shape[3] != q.shape[3]:
        raise NotImplementedError(
            errors.explain(
                "V model dimension unequal to KV model dimension unsupported.",
                [(name, str(shape)) for name, shape in facts.items()],
                rule,
                "jax.nn.softmax(scores) @ v, written out, is as fast here.",
            )
        )
    if k.shape[2] != v.shape[2]:
        _refuse("KV sequence length mismatch.", facts, rule)
    batch, heads, queries, _ = q.shape
    keys = k.shape[2]
    if ab is not None and ab.shape != (batch, heads, queries, keys):
        facts = {"ab": ab.shape, "wanted": (batch, heads, queries, keys)}
        rule = "One number is added to the score of each query and key."
        _refuse("Attention bias shape mismatch.", facts, rule)
    if segment_ids is None:
        return
    for name, ids, length in (
        ("Q", segment_ids.q, queries),
        ("KV", segment_ids.kv, keys),
    ):
        if ids.shape != (batch, length):
            facts = {"segment ids": ids.shape, "wanted": (batch, length)}
            rule = "One number for each query, and for each key."
            _refuse(f"{name} segment ids shape mismatch.", facts, rule)


@ft.partial(
    jit_module.jit,
    static_argnames=(
        *("causal", "sm_scale", "block_sizes", "debug"),
        *("window", "dropout_rate"),
    ),
)
def flash_attention(
    q: Any,
    k: Any,
    v: Any,
    ab: Any = None,
    segment_ids: SegmentIds | None = None,
    *,
    causal: bool = False,
    sm_scale: float = 1.0,
    block_sizes: BlockSizes | None = None,
    debug: bool = False,
    window: tuple[int, int] | None = None,
    dropout_rate: float = 0.0,
    dropout_key: Any = None,
) -> Any:
    """Attention of sequences: ``softmax((q @ k.T + ab) * sm_scale) @ v`` of each head.

    The compiler computes the square of queries and keys a tile at a time, and so its
    derivatives: there is no array of that size but `ab`. With dropout there is.

    Args:
        q: queries of shape ``(batch, heads, queries, d)``.
        k: keys of shape ``(batch, heads, keys, d)``.
        v: values of the shape of keys.
        ab: what is added to scores, of shape ``(batch, heads, queries, keys)``, or None.
        segment_ids: the segments of queries, ``(batch, queries)``, and keys,
            ``(batch, keys)``; a query sees the keys of its own alone. None: all.
        causal: whether queries see no later keys.
        sm_scale: the factor of scores.
        block_sizes: accepted; lengths need not be multiples of any.
        debug: accepted.
        window: how many keys a query sees before and behind its own number; None: all.
        dropout_rate: the probability that a weight is zero; the others are larger in turn.
        dropout_key: a key of `jax.random`, where weights may be zero.

    Returns:
        Array of the shape and dtype of queries. A query that sees no key gets the mean
        of all values.

    Raises:
        ValueError: shapes do not fit, or there is dropout without a key.
        NotImplementedError: values have other features than keys.

    Differs from upstream: `window`, `dropout_rate` and `dropout_key` are additions.
    """
    _check(q, k, v, ab, segment_ids)
    masks = (segment_ids, causal, DEFAULT_MASK_VALUE)
    logits = _logits(q, k, ab, *masks, sm_scale, window)
    return _attend(q, k, v, logits, dropout_rate, dropout_key)[0]


@ft.partial(
    jit_module.jit,
    static_argnames=("causal", "mask_value", "sm_scale", "window", "dropout_rate"),
)
def mha_reference(
    q: Any,
    k: Any,
    v: Any,
    ab: Any,
    segment_ids: SegmentIds | None = None,
    causal: bool = False,
    mask_value: float = DEFAULT_MASK_VALUE,
    sm_scale: float = 1.0,
    window: tuple[int, int] | None = None,
    dropout_rate: float = 0.0,
    dropout_key: Any = None,
) -> Any:
    """`flash_attention`, without a kernel.

    Args:
        q: queries of shape ``(batch, heads, queries, d)``.
        k: keys of shape ``(batch, heads, keys, d)``.
        v: values of the shape of keys.
        ab: what is added to scores, or None.
        segment_ids: the segments of queries and keys, or None.
        causal: whether queries see no later keys.
        mask_value: the score of keys that are not seen.
        sm_scale: the factor of scores.
        window: see `flash_attention`.
        dropout_rate: the same.
        dropout_key: the same.

    Raises:
        TypeError: shapes do not fit. ValueError: there is dropout without a key.
    """
    masks = (segment_ids, causal, mask_value)
    logits = _logits(q, k, ab, *masks, sm_scale, window)
    return _attend(q, k, v, logits, dropout_rate, dropout_key)[0]


def mha_reference_no_custom_vjp(
    q: Any,
    k: Any,
    v: Any,
    ab: Any = None,
    segment_ids: SegmentIds | None = None,
    *,
    causal: bool = False,
    mask_value: float = DEFAULT_MASK_VALUE,
    sm_scale: float = 1.0,
    save_residuals: bool = False,
) -> Any:
    """`mha_reference`, and what a derivative written by hand needs.

    Args:
        q: queries of shape ``(batch, heads, queries, d)``.
        k: keys of shape ``(batch, heads, keys, d)``.
        v: values of the shape of keys.
        ab: what is added to scores, or None.
        segment_ids: the segments of queries and keys, or None.
        causal: whether queries see no later keys.
        mask_value: the score of keys that are not seen.
        sm_scale: the factor of scores.
        save_residuals: whether the sums of exponentials and the largest scores, of shape
            ``(batch, heads, queries)``, are returned too.

    Raises:
        TypeError: shapes do not fit.
    """
    logits = _logits(q, k, ab, segment_ids, causal, mask_value, sm_scale)
    out, total, most = _attend(q, k, v, logits)
    return (out, total, most) if save_residuals else out


@ft.partial(jit_module.jit, static_argnames=("causal", "mask_value", "sm_scale"))
def mha_reference_bwd(
    q: Any,
    k: Any,
    v: Any,
    ab: Any,
    segment_ids: SegmentIds | None,
    o: Any,
    l: Any,  # noqa: E741 (callers pass it by this name)
    m: Any,
    do: Any,
    causal: bool = False,
    mask_value: float = DEFAULT_MASK_VALUE,
    sm_scale: float = 1.0,
) -> Any:
    """The derivatives of attention by queries, keys, values and the bias, by hand.

    Args:
        q: queries of shape ``(batch, heads, queries, d)``.
        k: keys of shape ``(batch, heads, keys, d)``.
        v: values of the shape of keys.
        ab: what is added to scores, or None.
        segment_ids: the segments of queries and keys, or None.
        o: the result of the attention.
        l: the sums of exponentials.
        m: the largest scores.
        do: the cotangent of the result.
        causal: whether queries see no later keys.
        mask_value: the score of keys that are not seen.
        sm_scale: the factor of scores.

    Returns:
        Four arrays; the last is None where `ab` is.

    Raises:
        TypeError: shapes do not fit.
    """
    wide_q, wide_k, wide_v, wide_o, wide_do = (
        x.astype(np.float32) for x in (q, k, v, o, do)
    )
    logits = _logits(wide_q, wide_k, ab, segment_ids, causal, mask_value, sm_scale)
    weights = jnp.exp(logits - m[..., None]) / l[..., None]
    of_weights = jnp.einsum("bhqd,bhkd->bhqk", wide_do, wide_v)
    of_output = (wide_o * wide_do).sum(-1, keepdims=True)
    of_logits = (of_weights - of_output) * weights
    seen = _seen(q, k, segment_ids, causal)
    if seen is not None:
        of_logits = jnp.where(seen, of_logits, 0)
    if sm_scale != 1.0:
        of_logits = of_logits * np.float32(sm_scale)
    of_q = jnp.einsum("bhqk,bhkd->bhqd", of_logits, wide_k)
    of_k = jnp.einsum("bhqk,bhqd->bhkd", of_logits, wide_q)
    of_v = jnp.einsum("bhqk,bhqd->bhkd", weights, wide_do)
    of_bias = None if ab is None else of_logits
    return of_q.astype(q.dtype), of_k.astype(k.dtype), of_v.astype(v.dtype), of_bias
