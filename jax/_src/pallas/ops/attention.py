"""Attention of sequences, by the interface of the kernels for Triton."""

import dataclasses
import functools as ft
from typing import Any

import numpy as np

from jax._src.jit import jit as jit_module
from jax._src.numpy import numpy_api as jnp
from jax._src.pallas.ops import weights as weights_lib
from jax._src.pallas.splash.reference import DEFAULT_MASK_VALUE as DEFAULT_MASK_VALUE


@dataclasses.dataclass(frozen=True)
class BlockSizes:
    """Sizes of blocks of queries and keys; they decide about speed on GPUs only.

    Args:
        block_q: queries of a block.
        block_k: keys of a block.
        block_q_dkv: queries of a block, for gradients of keys and values.
        block_kv_dkv: keys of a block, for gradients of keys and values.
        block_q_dq: queries of a block, for gradients of queries.
        block_kv_dq: keys of a block, for gradients of queries.
    """

    block_q: int
    block_k: int
    block_q_dkv: int | None = None
    block_kv_dkv: int | None = None
    block_q_dq: int | None = None
    block_kv_dq: int | None = None

    @classmethod
    def get_default(cls) -> "BlockSizes":
        """The usual sizes."""
        return BlockSizes(128, 128, 32, 32, 32, 32)

    @property
    def has_backward_blocks(self) -> bool:
        """Whether all sizes for gradients are given."""
        sizes = dataclasses.astuple(self)[2:]
        return all(size is not None for size in sizes)


def segment_mask(q_segment_ids: Any, kv_segment_ids: Any) -> Any:
    """Which queries see which keys: those of the same segment.

    Args:
        q_segment_ids: the segment of each query, along the last axis.
        kv_segment_ids: the segment of each key, along the last axis.
    """
    return q_segment_ids[..., :, None] == kv_segment_ids[..., None, :]


def _attend(q, k, v, segment_ids, sm_scale, causal, rate=0.0, key=None):
    """Attention of all heads, and the logarithms of the sums of exponentials."""
    logits = jnp.einsum("bqhd,bkhd->bhqk", q, k, preferred_element_type=np.float32)
    logits = logits * np.float32(sm_scale)
    seen = None
    if segment_ids is not None:
        seen = segment_mask(segment_ids, segment_ids)[:, None]
    if causal:
        before = jnp.tri(q.shape[1], k.shape[1], dtype=bool)[None, None]
        seen = before if seen is None else seen & before
    if seen is not None:
        logits = jnp.where(seen, logits, DEFAULT_MASK_VALUE)
    most = logits.max(-1, keepdims=True)
    shares = jnp.exp(logits - most)
    total = shares.sum(-1, keepdims=True)
    weights = weights_lib.dropped(shares / total, rate, key).astype(v.dtype)
    out = jnp.einsum("bhqk,bkhd->bqhd", weights, v, preferred_element_type=np.float32)
    return out.astype(q.dtype), (most + jnp.log(total))[..., 0]


@ft.partial(jit_module.jit, static_argnames=("sm_scale", "causal", "dropout_rate"))
def mha_reference(
    q: Any,
    k: Any,
    v: Any,
    segment_ids: Any,
    sm_scale: float = 1.0,
    causal: bool = False,
    dropout_rate: float = 0.0,
    dropout_key: Any = None,
) -> Any:
    """Attention of sequences, without a kernel; see `mha`.

    Args:
        q: queries of shape ``(batch, length, heads, d)``.
        k: keys of that shape.
        v: values of that shape.
        segment_ids: the segments of shape ``(batch, length)``, or None.
        sm_scale: the factor of scores.
        causal: whether queries see no later keys.
        dropout_rate: the probability that a weight is zero; the others are larger in turn.
        dropout_key: a key of `jax.random`, where weights may be zero.

    Raises:
        TypeError: shapes do not fit. ValueError: there is dropout without a key.
    """
    masks = (segment_ids, sm_scale, causal)
    return _attend(q, k, v, *masks, dropout_rate, dropout_key)[0]


def mha(
    q: Any,
    k: Any,
    v: Any,
    segment_ids: Any,
    sm_scale: float = 1.0,
    causal: bool = False,
    block_sizes: BlockSizes = BlockSizes.get_default(),  # noqa: B008 (immutable)
    backward_pass_impl: str = "triton",
    num_warps: int | None = None,
    num_stages: int = 2,
    grid: tuple[int, ...] | None = None,
    interpret: bool = False,
    debug: bool = False,
    return_residuals: bool = False,
    dropout_rate: float = 0.0,
    dropout_key: Any = None,
) -> Any:
    """Attention of sequences.

    Args:
        q: queries of shape ``(batch, length, heads, d)``.
        k: keys of that shape.
        v: values of that shape.
        segment_ids: the segments of shape ``(batch, length)``, or None.
        sm_scale: the factor of scores.
        causal: whether queries see no later keys.
        block_sizes: accepted.
        backward_pass_impl: accepted; derivatives are those of the formula.
        num_warps: accepted.
        num_stages: accepted.
        grid: accepted.
        interpret: accepted.
        debug: accepted.
        return_residuals: whether logarithms of sums of exponentials, to base two, are
            returned too, of shape ``(batch, heads, length)``.
        dropout_rate: the probability that a weight is zero; the others are larger in turn.
        dropout_key: a key of `jax.random`, where weights may be zero.

    Raises:
        TypeError: shapes do not fit. ValueError: there is dropout without a key.

    Differs from upstream: `dropout_rate` and `dropout_key` are additions.
    """
    masks = (segment_ids, sm_scale, causal)
    out, logsumexp = _attend(q, k, v, *masks, dropout_rate, dropout_key)
    return (out, logsumexp / np.log(np.float32(2))) if return_residuals else out
