"""Attention to keys and values in pages, by the interface of the kernels for Triton."""

import functools as ft
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.jit import jit as jit_module
from jax._src.numpy import numpy_api as jnp
from jax._src.pallas.splash.reference import DEFAULT_MASK_VALUE as DEFAULT_MASK_VALUE


def attend(q, k, v, lengths, mask_value, cap):
    """Attention of one query per sequence to the first keys."""
    batch, heads, width = q.shape
    kv_heads = k.shape[2]
    if heads % kv_heads or k.shape[-1] != width or k.shape != v.shape:
        raise errors.value_error(
            "Queries, keys and values do not fit.",
            [("q", str(q.shape)), ("k", str(k.shape)), ("v", str(v.shape))],
            "The heads of keys divide those of queries, and heads have one width.",
        )
    groups = q.reshape(batch, kv_heads, heads // kv_heads, width)
    logits = jnp.einsum(
        "bkgd,btkd->bkgt", groups.astype(np.float32), k.astype(np.float32)
    )
    if cap is not None:
        logits = cap * jnp.tanh(logits / cap)
    if lengths is not None:
        seen = jnp.arange(k.shape[1])[None, :] < lengths[:, None]
        logits = logits + jnp.where(seen, 0.0, mask_value)[:, None, None, :]
    shares = jnp.exp(logits - logits.max(-1, keepdims=True))
    weights = shares / shares.sum(-1, keepdims=True)
    out = jnp.einsum("bkgt,btkd->bkgd", weights, v.astype(np.float32))
    return out.reshape(batch, heads, width).astype(q.dtype)


def gathered(pages, scales, block_tables):
    """Keys or values of each sequence, from its pages."""
    per_page = pages[:, block_tables]
    if scales is not None:
        per_page = per_page * scales[:, block_tables][..., None]
    heads, batch, count, size, width = per_page.shape
    return jnp.moveaxis(per_page.reshape(heads, batch, count * size, width), 0, 2)


@ft.partial(
    jit_module.jit,
    static_argnames=(
        "block_h",
        "pages_per_compute_block",
        "k_splits",
        "num_warps",
        "num_stages",
        "interpret",
        "debug",
        "mask_value",
        "attn_logits_soft_cap",
    ),
)
def paged_attention(
    q: Any,
    k_pages: Any,
    v_pages: Any,
    block_tables: Any,
    lengths: Any,
    k_scales_pages: Any = None,
    v_scales_pages: Any = None,
    *,
    block_h: int = 16,
    pages_per_compute_block: int = 8,
    k_splits: int = 16,
    num_warps: int = 8,
    num_stages: int = 2,
    interpret: bool = False,
    debug: bool = False,
    mask_value: float = DEFAULT_MASK_VALUE,
    attn_logits_soft_cap: float | None = None,
) -> Any:
    """Attention of one query per sequence to keys and values in pages; scores are not scaled.

    Args:
        q: queries of shape ``(batch, heads, d)``.
        k_pages: keys of shape ``(kv_heads, pages, size, d)``.
        v_pages: values of that shape.
        block_tables: for each sequence the numbers of its pages, in order.
        lengths: how many keys each sequence has; None: all of its pages.
        k_scales_pages: factors of keys, or None.
        v_scales_pages: factors of values, or None.
        block_h: accepted.
        pages_per_compute_block: accepted.
        k_splits: accepted.
        num_warps: accepted.
        num_stages: accepted.
        interpret: accepted.
        debug: accepted.
        mask_value: what is added to scores of keys that are not seen.
        attn_logits_soft_cap: scores stay below it, through `tanh`.

    Raises:
        ValueError: shapes do not fit.
    """
    k = gathered(k_pages, k_scales_pages, block_tables)
    v = gathered(v_pages, v_scales_pages, block_tables)
    return attend(q, k, v, lengths, mask_value, attn_logits_soft_cap)


@ft.partial(jit_module.jit, static_argnames=("mask_value", "attn_logits_soft_cap"))
def paged_attention_reference(
    q: Any,
    k: Any,
    v: Any,
    lengths: Any,
    *,
    mask_value: float = DEFAULT_MASK_VALUE,
    attn_logits_soft_cap: float | None = None,
) -> Any:
    """Attention of one query per sequence to its first keys; scores are not scaled.

    Args:
        q: queries of shape ``(batch, heads, d)``.
        k: keys of shape ``(batch, length, kv_heads, d)``.
        v: values of that shape.
        lengths: how many keys each sequence has.
        mask_value: what is added to scores of keys that are not seen.
        attn_logits_soft_cap: scores stay below it, through `tanh`.

    Raises:
        ValueError: shapes do not fit.
    """
    return attend(q, k, v, lengths, mask_value, attn_logits_soft_cap)
