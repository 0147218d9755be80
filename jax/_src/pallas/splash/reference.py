"""Attention over a mask in plain array operations: what kernels are compared with."""

import functools as ft
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas.splash import masks
from jax._src.transforms import vectorize

DEFAULT_MASK_VALUE = -0.7 * float(np.finfo(np.float32).max)


class SegmentIds(NamedTuple):
    """Numbers of segments; a query sees keys of its own segment alone.

    Args:
        q: for each query.
        kv: for each key.
    """

    q: Any
    kv: Any


def logits_of(q: Any, k: Any, mask: Any, cap: float | None, mask_value: float) -> Any:
    """Scores of queries and keys, float32, with `mask_value` where a key is not seen."""
    dims = (((q.ndim - 1,), (k.ndim - 1,)), ((), ()))
    scores = lax.dot_general(q, k, dims, preferred_element_type=np.float32)
    if cap is not None:
        scores = cap * jnp.tanh(scores / cap)
    return jnp.where(mask, scores, mask_value)


def seen(mask: Any, segment_ids: SegmentIds | None) -> Any:
    """Which keys each query sees."""
    if segment_ids is None:
        return jnp.asarray(mask)
    return mask & (segment_ids.q[:, None] == segment_ids.kv[None, :])


def weights(logits: Any, sink: Any = None) -> tuple[Any, Any]:
    """The share of each key, and the logarithm of what all are divided by.

    Args:
        logits: scores, a row per query.
        sink: a further score in every row, whose share goes nowhere.
    """
    most = logits.max(-1)
    if sink is not None:
        most = jnp.maximum(most, sink)
    shares = jnp.exp(logits - most[:, None])
    total = shares.sum(-1)
    if sink is not None:
        total = total + jnp.exp(sink - most)
    return shares / total[:, None], most + jnp.log(total)


def attention_reference(
    mask: Any,
    q: Any,
    k: Any,
    v: Any,
    segment_ids: SegmentIds | None,
    sinks: Any = None,
    *,
    mask_value: float = DEFAULT_MASK_VALUE,
    save_residuals: bool = False,
    custom_type: str = "flash",
    attn_logits_soft_cap: float | None = None,
) -> Any:
    """Attention of one head, without a kernel.

    Args:
        mask: Booleans of shape (queries, keys).
        q: queries, a row each; they are not scaled.
        k: keys, a row each.
        v: values, a row for each key.
        segment_ids: numbers of segments, or None.
        sinks: a further score in every row, or None.
        mask_value: the score of keys that are not seen.
        save_residuals: whether logarithms of sums are returned as well.
        custom_type: accepted; derivatives are those of the formula.
        attn_logits_soft_cap: scores stay below it, through `tanh`.

    Returns:
        Sums of values, a row per query, of the dtype of `q`; with `save_residuals` also a
        tuple of the logarithms of the sums of exponentials.

    Raises:
        TypeError: shapes do not fit.
    """
    allowed = seen(mask, segment_ids)
    logits = logits_of(q, k, allowed, attn_logits_soft_cap, mask_value)
    shares, logsumexp = weights(logits, sinks)
    out = (shares @ v.astype(np.float32)).astype(q.dtype)
    return (out, (logsumexp,)) if save_residuals else out


attention_reference_custom = attention_reference


def make_attention_reference(
    mask: Any, is_mqa: bool, backward_impl: str = "vanilla", **params: Any
) -> Callable[..., Any]:
    """Attention of several heads, without a kernel.

    Args:
        mask: a `MultiHeadMask`, or Booleans of shape (heads, queries, keys).
        is_mqa: whether all heads share keys and values, which then lack the axis of heads.
        backward_impl: accepted; derivatives are those of the formula.
        **params: options of `attention_reference`.

    Returns:
        A function of ``(q, k, v, segment_ids=None, sinks=None)``.

    Raises:
        Nothing.
    """
    rows = mask[:, :, :] if isinstance(mask, masks.Mask) else mask

    def attend(
        q: Any,
        k: Any,
        v: Any,
        segment_ids: SegmentIds | None = None,
        sinks: Any = None,
        **options: Any,
    ) -> Any:
        one = ft.partial(attention_reference, **{**params, **options})
        if not is_mqa:
            repeats = q.shape[0] // k.shape[0]
            k, v = jnp.repeat(k, repeats, 0), jnp.repeat(v, repeats, 0)
        shared = None if is_mqa else 0
        axes = (0, 0, shared, shared, None, None if sinks is None else 0)
        return vectorize.vmap(one, axes)(jnp.asarray(rows), q, k, v, segment_ids, sinks)

    return attend


make_masked_mha_reference = ft.partial(make_attention_reference, is_mqa=False)
make_masked_mqa_reference = ft.partial(make_attention_reference, is_mqa=True)
