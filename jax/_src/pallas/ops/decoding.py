"""Attention of one new query to what is remembered, by the interface of the decoding kernels."""

import functools as ft
import math
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.jit import jit as jit_module
from jax._src.numpy import numpy_api as jnp
from jax._src.pallas.splash.reference import DEFAULT_MASK_VALUE
from jax._src.transforms import vectorize

_STATIC = (
    "sm_scale",
    "block_h",
    "block_k",
    "k_splits",
    "num_warps",
    "num_stages",
    "grid",
    "interpret",
    "debug",
    "return_residuals",
    "normalize_output",
)


def _attend(q, k, v, start_idx, kv_seq_len, scale, normalize):
    """Attention of the heads of one query, which share keys and values.

    Args:
        q: queries of shape ``(heads, d)``.
        k: keys of shape ``(length, d)``.
        v: values of shape ``(length, d)``.
        start_idx: the first key that is seen.
        kv_seq_len: the number after the last key that is seen.
        scale: the factor of scores.
        normalize: whether sums are divided by the sum of weights.

    Returns:
        Sums, the sums of weights, and the largest scores.
    """
    logits = jnp.matmul(q, k.T, preferred_element_type=np.float32) * np.float32(scale)
    position = jnp.arange(k.shape[0])
    seen = (position >= start_idx) & (position < kv_seq_len)
    logits = jnp.where(seen[None, :], logits, DEFAULT_MASK_VALUE)
    most = logits.max(-1)
    shares = jnp.where(seen[None, :], jnp.exp(logits - most[:, None]), 0)
    total = shares.sum(-1)
    out = jnp.matmul(shares.astype(v.dtype), v, preferred_element_type=np.float32)
    if normalize:
        out = out / jnp.where(total == 0, 1, total)[:, None]
    return out, total, most


def _bounds(start_idx, kv_seq_len, batch, length):
    start = 0 if start_idx is None else start_idx
    end = length if kv_seq_len is None else kv_seq_len
    return tuple(jnp.broadcast_to(jnp.asarray(b), (batch,)) for b in (start, end))


def _grouped(
    q,
    k,
    v,
    start_idx,
    kv_seq_len,
    sm_scale,
    return_residuals,
    normalize_output,
    dtype=np.float32,
):
    """Attention where groups of heads share keys and values."""
    batch, heads, width = q.shape
    kv_batch, length, kv_heads, kv_width = k.shape
    if (batch, width) != (kv_batch, kv_width) or heads % kv_heads or k.shape != v.shape:
        raise errors.value_error(
            "Queries, keys and values do not fit.",
            [("q", str(q.shape)), ("k", str(k.shape)), ("v", str(v.shape))],
            "q has shape (batch, heads, d), k and v (batch, length, kv_heads, d), "
            "and kv_heads divides heads.",
        )
    scale = 1 / math.sqrt(width) if sm_scale is None else sm_scale
    start, end = _bounds(start_idx, kv_seq_len, batch, length)
    one = ft.partial(_attend, scale=scale, normalize=normalize_output)
    per_head = vectorize.vmap(one, (0, 1, 1, None, None))
    groups = q.reshape(batch, kv_heads, heads // kv_heads, width)
    out, total, most = vectorize.vmap(per_head)(groups, k, v, start, end)
    out = out.reshape(batch, heads, width).astype(dtype)
    if not return_residuals:
        return out
    return out, (total.reshape(batch, heads), most.reshape(batch, heads))


def _checked(block_k, k_splits, length):
    """Refuses parts of keys that the kernels for GPUs could not have.

    Raises:
        ValueError: parts do not divide the keys, or are shorter than 16.
    """
    wrong = ""
    if length % k_splits:
        wrong = f"k_seq_len={length} must be divisible by k_splits={k_splits}."
    elif length // k_splits < 16:
        wrong = f"k_seq_len={length} divided by k_splits={k_splits} must be >= 16."
    elif block_k < 16:
        wrong = f"block_k must be >= 16, got {block_k}."
    if wrong:
        raise errors.value_error(wrong, ways="Fewer parts: k_splits=1, block_k=16.")


@ft.partial(jit_module.jit, static_argnames=_STATIC)
def gqa(
    q: Any,
    k: Any,
    v: Any,
    start_idx: Any = None,
    kv_seq_len: Any = None,
    sm_scale: float | None = None,
    block_h: int = 16,
    block_k: int = 128,
    k_splits: int = 16,
    num_warps: int | None = None,
    num_stages: int = 2,
    grid: tuple[int, ...] | None = None,
    interpret: bool = False,
    debug: bool = False,
    return_residuals: bool = False,
    normalize_output: bool = True,
) -> Any:
    """Attention of one query per sequence, where groups of heads share keys and values.

    Args:
        q: queries of shape ``(batch, heads, d)``.
        k: keys of shape ``(batch, length, kv_heads, d)``; `kv_heads` divides `heads`.
        v: values of the same shape.
        start_idx: the first key that is seen, or one for each sequence; None: 0.
        kv_seq_len: the number after the last key that is seen, or one for each sequence.
        sm_scale: the factor of scores; None: ``1 / sqrt(d)``.
        block_h: accepted.
        block_k: keys of a block, 16 or more.
        k_splits: into how many parts keys are split, which divides `length`.
        num_warps: accepted.
        num_stages: accepted.
        grid: accepted.
        interpret: accepted.
        debug: accepted.
        return_residuals: whether sums of weights and the largest scores are returned too.
        normalize_output: whether sums of values are divided by the sums of weights.

    Returns:
        Array of float32 of the shape of `q`; with `return_residuals` a pair of it and a
        pair of float32 arrays ``(batch, heads)``.

    Raises:
        ValueError: shapes do not fit, or keys cannot be split so.
    """
    _checked(block_k, k_splits, k.shape[1])
    return _grouped(
        q, k, v, start_idx, kv_seq_len, sm_scale, return_residuals, normalize_output
    )


@ft.partial(jit_module.jit, static_argnames=_STATIC)
def mqa(
    q: Any,
    k: Any,
    v: Any,
    start_idx: Any = None,
    kv_seq_len: Any = None,
    sm_scale: float | None = None,
    block_h: int = 16,
    block_k: int = 256,
    k_splits: int = 16,
    num_warps: int | None = None,
    num_stages: int = 2,
    grid: tuple[int, ...] | None = None,
    interpret: bool = False,
    debug: bool = False,
    return_residuals: bool = False,
    normalize_output: bool = True,
) -> Any:
    """Attention of one query per sequence, where all heads share keys and values.

    Args:
        q: queries of shape ``(batch, heads, d)``.
        k: keys of shape ``(batch, length, d)``.
        v: values of the same shape.
        start_idx: the first key that is seen, or one for each sequence; None: 0.
        kv_seq_len: the number after the last key that is seen, or one for each sequence.
        sm_scale: the factor of scores; None: ``1 / sqrt(d)``.
        block_h: accepted.
        block_k: keys of a block, 16 or more.
        k_splits: into how many parts keys are split, which divides `length`.
        num_warps: accepted.
        num_stages: accepted.
        grid: accepted.
        interpret: accepted.
        debug: accepted.
        return_residuals: whether sums of weights and the largest scores are returned too.
        normalize_output: whether sums of values are divided by the sums of weights.

    Returns:
        Array of float32 of the shape of `q`; with `return_residuals` a pair of it and a
        pair of float32 arrays ``(batch, heads)``.

    Raises:
        ValueError: shapes do not fit, or keys cannot be split so.
    """
    _checked(block_k, k_splits, k.shape[1])
    k, v = k[:, :, None], v[:, :, None]
    return _grouped(
        q, k, v, start_idx, kv_seq_len, sm_scale, return_residuals, normalize_output
    )


@ft.partial(
    jit_module.jit, static_argnames=("sm_scale", "return_residuals", "normalize_output")
)
def gqa_reference(
    q: Any,
    k: Any,
    v: Any,
    start_idx: Any = None,
    kv_seq_len: Any = None,
    sm_scale: float | None = None,
    return_residuals: bool = False,
    normalize_output: bool = True,
) -> Any:
    """Attention where groups of heads share keys and values; see `gqa`.

    Args:
        q: queries of shape ``(batch, heads, d)``.
        k: keys of shape ``(batch, length, kv_heads, d)``.
        v: values of the same shape.
        start_idx: the first key that is seen.
        kv_seq_len: the number after the last key that is seen.
        sm_scale: the factor of scores; None: ``1 / sqrt(d)``.
        return_residuals: whether sums of weights and the largest scores are returned too.
        normalize_output: whether sums of values are divided by the sums of weights.

    Raises:
        ValueError: shapes do not fit.
    """
    return _grouped(
        q,
        k,
        v,
        start_idx,
        kv_seq_len,
        sm_scale,
        return_residuals,
        normalize_output,
        q.dtype,
    )


@ft.partial(
    jit_module.jit, static_argnames=("sm_scale", "return_residuals", "normalize_output")
)
def mqa_reference(
    q: Any,
    k: Any,
    v: Any,
    start_idx: Any = None,
    kv_seq_len: Any = None,
    sm_scale: float | None = None,
    return_residuals: bool = False,
    normalize_output: bool = True,
) -> Any:
    """Attention where all heads share keys and values; see `mqa`.

    Args:
        q: queries of shape ``(batch, heads, d)``.
        k: keys of shape ``(batch, length, d)``.
        v: values of the same shape.
        start_idx: the first key that is seen.
        kv_seq_len: the number after the last key that is seen.
        sm_scale: the factor of scores; None: ``1 / sqrt(d)``.
        return_residuals: whether sums of weights and the largest scores are returned too.
        normalize_output: whether sums of values are divided by the sums of weights.

    Raises:
        ValueError: shapes do not fit.
    """
    k, v = k[:, :, None], v[:, :, None]
    return _grouped(
        q,
        k,
        v,
        start_idx,
        kv_seq_len,
        sm_scale,
        return_residuals,
        normalize_output,
        q.dtype,
    )


@ft.partial(jit_module.jit, static_argnames=("sm_scale",))
def mha_reference(
    q: Any,
    k: Any,
    v: Any,
    start_idx: Any = None,
    kv_seq_len: Any = None,
    sm_scale: float | None = None,
) -> Any:
    """Attention of one query per sequence, where each head has keys and values of its own.

    Args:
        q: queries of shape ``(batch, heads, d)``.
        k: keys of shape ``(batch, length, heads, d)``.
        v: values of the same shape.
        start_idx: the first key that is seen.
        kv_seq_len: the number after the last key that is seen.
        sm_scale: the factor of scores; None: ``1 / sqrt(d)``.

    Raises:
        ValueError: shapes do not fit.
    """
    return _grouped(q, k, v, start_idx, kv_seq_len, sm_scale, False, True, q.dtype)
