"""Attention to keys and values in pages, by the interface of the kernel for TPUs."""

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors
from jax._src.jit import jit as jit_module
from jax._src.numpy import numpy_api as jnp
from jax._src.pallas.ops import paging, quantized
from jax._src.pallas.splash.reference import DEFAULT_MASK_VALUE as DEFAULT_MASK_VALUE

MASK_VALUE = DEFAULT_MASK_VALUE
_CORES = (None, "kv_head", "batch")


def _parts(pages):
    """Numbers in pages, and the factors of rows or None."""
    if isinstance(pages, quantized.QuantizedTensor):
        factors = pages.scales.astype(np.float32) / quantized.MAX_INT8
        return pages.weight, factors[..., 0]
    return pages, None


def _refuse(what, rule="", **facts):
    raise errors.value_error(what, [(k, str(v)) for k, v in facts.items()], rule)


def _check(q, k, v, lengths, page_indices, block, megacore_mode):
    """Refuses operands that do not fit.

    Raises:
        ValueError: they do not.
    """
    if q.ndim != 3 or k.ndim != 4:
        rule = "q is (batch, heads, d), pages are (kv_heads, pages, size, d)."
        _refuse("Queries have three axes, pages four.", rule, q=q.shape, k=k.shape)
    batch, heads, width = q.shape
    kv_heads = k.shape[0]
    if k.shape != v.shape:
        _refuse("k_pages and v_pages must have the same shape.", k=k.shape, v=v.shape)
    if heads % kv_heads:
        what = "Number of Q heads must be divisible by number of KV heads."
        _refuse(what, heads=heads, kv_heads=kv_heads)
    if k.shape[3] != width:
        what = "head_dim of Q must be the same as that of K/V."
        _refuse(what, q=q.shape, k=k.shape)
    if page_indices.shape[1] % block:
        _refuse(
            "pages_per_compute_block must be divisible by pages per sequence.",
            "Blocks of pages divide the pages of a sequence.",
            pages_per_compute_block=block,
            pages_per_sequence=page_indices.shape[1],
        )
    for name, x in (("lengths", lengths), ("page_indices", page_indices)):
        if x.shape[:1] != (batch,):
            what = f"`{name}` and `q` must have the same batch size."
            _refuse(what, q=q.shape, given=x.shape)
    if lengths.shape != (batch,):
        _refuse("`lengths` has one number for each sequence.", given=lengths.shape)
    if lengths.dtype != np.int32:
        _refuse("The dtype of `lengths` must be int32.", dtype=lengths.dtype)
    if megacore_mode not in _CORES:
        _refuse(f"megacore_mode must be one of {_CORES}.", given=repr(megacore_mode))
    shared = {"kv_head": kv_heads, "batch": batch, None: 2}[megacore_mode]
    if shared % 2:
        what = f"The number must be even when megacore_mode is {megacore_mode!r}."
        _refuse(what, "Two cores take halves.", number=shared)


@ft.partial(
    jit_module.jit,
    static_argnames=(
        "mask_value",
        "attn_logits_soft_cap",
        "pages_per_compute_block",
        "megacore_mode",
        "inline_seq_dim",
    ),
)
def paged_attention(
    q: Any,
    k_pages: Any,
    v_pages: Any,
    lengths: Any,
    page_indices: Any,
    *,
    mask_value: float = DEFAULT_MASK_VALUE,
    attn_logits_soft_cap: float | None = None,
    pages_per_compute_block: int,
    megacore_mode: str | None = None,
    inline_seq_dim: bool = True,
) -> Any:
    """Attention of one query per sequence to keys and values in pages; scores are not scaled.

    Args:
        q: queries of shape ``(batch, heads, d)``.
        k_pages: keys of shape ``(kv_heads, pages, size, d)``, or a `QuantizedTensor`;
            `kv_heads` divides `heads`.
        v_pages: values of that shape.
        lengths: how many keys each sequence has, int32.
        page_indices: for each sequence the numbers of its pages, in order.
        mask_value: what is added to scores of keys that are not seen.
        attn_logits_soft_cap: scores stay below it, through `tanh`.
        pages_per_compute_block: pages of a block; divides those of a sequence.
        megacore_mode: what two cores share, "kv_head" or "batch"; checked alone.
        inline_seq_dim: accepted.

    Raises:
        ValueError: shapes do not fit.
    """
    k, k_scales = _parts(k_pages)
    v, v_scales = _parts(v_pages)
    _check(q, k, v, lengths, page_indices, pages_per_compute_block, megacore_mode)
    k = paging.gathered(k, k_scales, page_indices)
    v = paging.gathered(v, v_scales, page_indices)
    return paging.attend(q, k, v, lengths, mask_value, attn_logits_soft_cap)


def grouped_query_attention_reference(
    queries: Any,
    k_pages: Any,
    v_pages: Any,
    seq_lens: Any,
    soft_cap: float | None = None,
    debug: bool = False,
) -> Any:
    """Attention of one query per sequence to its first keys; scores are not scaled.

    Args:
        queries: queries of shape ``(batch, heads, d)``.
        k_pages: keys of shape ``(batch, kv_heads, length, d)``, or a `QuantizedTensor`.
        v_pages: values of that shape.
        seq_lens: how many keys each sequence has.
        soft_cap: scores stay below it, through `tanh`; None or 0: no bound.
        debug: accepted.

    Raises:
        ValueError: shapes do not fit.
    """
    k, v = (
        quantized.unquantize_from_int8(x, np.dtype(np.float32))
        if isinstance(x, quantized.QuantizedTensor)
        else x
        for x in (k_pages, v_pages)
    )
    k, v = (jnp.swapaxes(x, 1, 2) for x in (k, v))
    out = paging.attend(queries, k, v, seq_lens, MASK_VALUE, soft_cap or None)
    return out.astype(dtypes.result_type(v))
