"""Attention of sequences, by the interface of the kernels in Mosaic's language for Hopper."""

import dataclasses
import functools as ft
from typing import Any, Protocol, TypeVar

import numpy as np

from jax._src.base import errors
from jax._src.jit import jit as jit_module
from jax._src.numpy import numpy_api as jnp

_T = TypeVar("_T")


class PipelineCallback(Protocol):
    """A function of a value that returns another one of its type."""

    def __call__(self, arg: _T, /) -> _T: ...


@dataclasses.dataclass(frozen=True)
class TuningConfig:
    """Sizes of blocks, and whether attention is causal.

    Args:
        block_q: queries of a block, a multiple of 64.
        block_kv: keys of a block, a multiple of 64.
        max_concurrent_steps: blocks that are fetched at once, two or more.
        use_schedule_barrier: accepted.
        causal: whether queries see no later keys.
        compute_wgs_bwd: accepted.
        block_q_dkv: queries of a block, for gradients of keys and values.
        block_kv_dkv: keys of a block, for gradients of keys and values.
        block_q_dq: queries of a block, for gradients of queries.
        block_kv_dq: keys of a block, for gradients of queries.

    Raises:
        ValueError: a size is not such a number, or some of the last four alone are given.
    """

    block_q: int
    block_kv: int
    max_concurrent_steps: int
    use_schedule_barrier: bool = True
    causal: bool = False
    compute_wgs_bwd: int = 1
    block_q_dkv: int | None = None
    block_kv_dkv: int | None = None
    block_q_dq: int | None = None
    block_kv_dq: int | None = None

    def __post_init__(self) -> None:
        wrong = ""
        for name in ("block_q", "block_kv"):
            if getattr(self, name) % 64:
                wrong = f"self.{name}={getattr(self, name)} must be a multiple of 64"
        if self.max_concurrent_steps < 2:
            wrong = f"self.max_concurrent_steps={self.max_concurrent_steps} must be at least 2"
        given = [size is not None for size in self._backward_blocks]
        if any(given) and not all(given):
            wrong = "Sizes of blocks for gradients must either all be specified or all be None."
        if wrong:
            raise errors.value_error(
                wrong, rule="The kernel is written for such blocks."
            )

    @property
    def _backward_blocks(self):
        return self.block_q_dkv, self.block_kv_dkv, self.block_q_dq, self.block_kv_dq

    @property
    def has_backward_blocks(self) -> bool:
        """Whether sizes for gradients are given."""
        return self.block_q_dkv is not None


@ft.partial(jit_module.jit, static_argnames=("causal", "save_residuals"))
def attention_reference(
    q: Any, k: Any, v: Any, causal: bool = False, save_residuals: bool = False
) -> Any:
    """Attention of sequences in float32; scores are not scaled.

    Args:
        q: queries of shape ``(batch, queries, heads, d)``.
        k: keys of shape ``(batch, keys, kv_heads, d)``; `kv_heads` divides `heads`.
        v: values of that shape.
        causal: whether queries see no later keys.
        save_residuals: whether a tuple of the logarithms of sums of exponentials, to base
            two, of shape ``(batch, heads, queries)``, is returned too.

    Raises:
        TypeError: shapes do not fit.
    """
    batch, queries, heads, width = q.shape
    keys, kv_heads = k.shape[1:3]
    q, k, v = (x.astype(np.float32) for x in (q, k, v))
    groups = q.reshape(batch, queries, kv_heads, heads // kv_heads, width)
    logits = jnp.einsum("bqkgd,bskd->bkgqs", groups, k)
    if causal:
        logits = jnp.where(jnp.tri(queries, keys, dtype=bool), logits, -np.inf)
    most = logits.max(-1, keepdims=True)
    shares = jnp.exp(logits - most)
    total = shares.sum(-1, keepdims=True)
    out = jnp.einsum("bkgqs,bskd->bqkgd", shares / total, v).reshape(q.shape)
    if not save_residuals:
        return out
    logsum = (most + jnp.log(total)) / np.log(np.float32(2))
    return out, (logsum.reshape(batch, heads, queries),)


def attention(
    q: Any, k: Any, v: Any, config: TuningConfig, save_residuals: bool = False
) -> Any:
    """Attention of sequences; scores are not scaled.

    Args:
        q: queries of shape ``(batch, queries, heads, d)``.
        k: keys of shape ``(batch, keys, kv_heads, d)``; `kv_heads` divides `heads`.
        v: values of that shape.
        config: says whether queries see no later keys.
        save_residuals: whether a tuple of the logarithms of sums of exponentials, to base
            two, is returned too.

    Raises:
        ValueError: shapes or dtypes do not fit.
    """
    facts = [
        (n, f"{x.dtype}{list(x.shape)}") for n, x in zip("qkv", (q, k, v), strict=True)
    ]
    rule = "q is (batch, queries, heads, d), k and v are (batch, keys, kv_heads, d)."
    if any(x.ndim != 4 for x in (q, k, v)):
        raise errors.value_error("q, k, and v should all be 4D.", facts, rule)
    fits = k.shape == v.shape and (k.shape[0], k.shape[3]) == (q.shape[0], q.shape[3])
    if not fits or q.shape[2] % k.shape[2]:
        raise errors.value_error("q, k and v do not fit.", facts, rule)
    if len({x.dtype for x in (q, k, v)}) > 1:
        raise errors.value_error("q, k, and v should all have the same dtype.", facts)
    found = attention_reference(q, k, v, config.causal, save_residuals)
    if not save_residuals:
        return found.astype(q.dtype)
    return found[0].astype(q.dtype), found[1]


def attention_with_pipeline_emitter(
    q: Any, k: Any, v: Any, config: TuningConfig, save_residuals: bool = False
) -> Any:
    """`attention`.

    Args:
        q: queries of shape ``(batch, queries, heads, d)``.
        k: keys of shape ``(batch, keys, kv_heads, d)``; `kv_heads` divides `heads`.
        v: values of that shape.
        config: says whether queries see no later keys.
        save_residuals: whether logarithms of sums of exponentials are returned too.

    Raises:
        ValueError: shapes or dtypes do not fit.
    """
    return attention(q, k, v, config, save_residuals)
