"""Attention over a mask as a kernel: a block of queries of one head at a time."""

import functools as ft
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, records
from jax._src.core import partition_spec
from jax._src.numpy import numpy_api as jnp
from jax._src.pallas import call, specs
from jax._src.pallas.splash import masks, reference, sizes
from jax._src.pallas.tpu import params as tpu_params
from jax._src.transforms import (
    custom_vjp,
    differentiate,
    shape_dtype_struct,
)


@records.record
class _Settings:
    """Settings of a kernel."""

    block_sizes: sizes.BlockSizes
    interpret: Any
    name: str
    mask_value: float
    attn_logits_soft_cap: float | None

    @property
    def options(self) -> dict[str, Any]:
        """The options of the attention formula."""
        return {
            "mask_value": self.mask_value,
            "attn_logits_soft_cap": self.attn_logits_soft_cap,
        }


def _kernel(which, *refs, options, has_segments, has_sinks):
    """Softmax of one block of scores, and the sums of values."""
    del which
    given = iter(refs)
    q, k, v, mask = (next(given)[...] for _ in range(4))
    segments = (
        reference.SegmentIds(next(given)[...], next(given)[...])
        if has_segments
        else None
    )
    sink = next(given)[0] if has_sinks else None
    out, logsumexp = given
    result, (log,) = reference.attention_reference(
        mask, q, k, v, segments, sink, save_residuals=True, **options
    )
    out[...] = result
    logsumexp[...] = log


def _forward(which, seen, q, k, v, segment_ids, sinks, settings):
    """The sums of values, and logarithms of sums of exponentials."""
    heads, length, dim = q.shape
    group = heads // k.shape[0]
    block = settings.block_sizes.block_q
    keys = k.shape[1]
    in_specs = [
        specs.BlockSpec((None, block, dim), lambda h, i, which: (h, i, 0)),
        specs.BlockSpec((None, keys, dim), lambda h, i, which: (h // group, 0, 0)),
        specs.BlockSpec(
            (None, keys, v.shape[2]), lambda h, i, which: (h // group, 0, 0)
        ),
        specs.BlockSpec((None, block, keys), lambda h, i, which: (which[h], i, 0)),
    ]
    arrays = [q, k, v, seen]
    if segment_ids is not None:
        in_specs += [
            specs.BlockSpec((block,), lambda h, i, which: i),
            specs.BlockSpec((keys,), lambda h, i, which: 0),
        ]
        arrays += [segment_ids.q, segment_ids.kv]
    if sinks is not None:
        in_specs.append(specs.BlockSpec((1,), lambda h, i, which: h))
        arrays.append(sinks)
    struct = shape_dtype_struct.ShapeDtypeStruct
    run = call.pallas_call(
        ft.partial(
            _kernel,
            options=settings.options,
            has_segments=segment_ids is not None,
            has_sinks=sinks is not None,
        ),
        (
            struct((heads, length, v.shape[2]), q.dtype),
            struct((heads, length), np.dtype(np.float32)),
        ),
        grid_spec=tpu_params.PrefetchScalarGridSpec(
            1,
            (heads, length // block),
            in_specs,
            (
                specs.BlockSpec(
                    (None, block, v.shape[2]), lambda h, i, which: (h, i, 0)
                ),
                specs.BlockSpec((None, block), lambda h, i, which: (h, i)),
            ),
        ),
        interpret=settings.interpret,
        name=settings.name,
    )
    return run(which, *arrays)


@ft.partial(custom_vjp.custom_vjp, nondiff_argnums=(7,))
def _attention(which, seen, q, k, v, segment_ids, sinks, settings):
    return _forward(which, seen, q, k, v, segment_ids, sinks, settings)[0]


def _attention_forward(which, seen, q, k, v, segment_ids, sinks, settings):
    operands = (which, seen, q, k, v, segment_ids, sinks)
    return _attention(*operands, settings), operands


def _attention_backward(settings, operands, ct):
    which, seen, q, k, v, segment_ids, sinks = operands

    def formula(q, k, v, sinks):
        attend = reference.make_attention_reference(
            seen[which], is_mqa=False, **settings.options
        )
        return attend(q, k, v, segment_ids, sinks)

    _, pull = differentiate.vjp(formula, q, k, v, sinks)
    dq, dk, dv, dsinks = pull(ct)
    return None, None, dq, dk, dv, None, dsinks


_attention.defvjp(_attention_forward, _attention_backward)


class SplashAttentionKernel:
    """Attention over a mask: call it with queries, keys and values. A tree of arrays.

    Args:
        which: for each head the number of its mask.
        masks: the masks that differ, of shape (masks, queries, keys).
        **kwargs: settings.
    """

    def __init__(self, which: Any, masks: Any, **kwargs: Any):
        self.which = which
        self.masks = masks
        self.kwargs = kwargs

    def __call__(
        self,
        q: Any,
        k: Any,
        v: Any,
        segment_ids: reference.SegmentIds | None = None,
        sinks: Any = None,
    ) -> Any:
        """Sums of values for each query.

        Args:
            q: queries, of shape (heads, queries, dimension); they are not scaled.
            k: keys, of shape (heads, keys, dimension); for MQA without the axis of heads.
            v: values, likewise.
            segment_ids: numbers of segments, or None.
            sinks: a further score for each head, whose share goes nowhere.

        Returns:
            Array of shape (heads, queries, dimension of values); with `save_residuals` a
            pair of it and a tuple of logarithms of sums of exponentials.

        Raises:
            ValueError: shapes or blocks do not fit.
        """
        if self.kwargs["is_mqa"]:
            _check_rank(k, 2, "MQA")
            k, v = k[None], v[None]
        _check_rank(k, 3, "MHA")
        self._check(q, k)
        settings = self._settings(segment_ids is not None)
        operands = (self.which, self.masks, q, k, v, segment_ids, sinks)
        if self.kwargs["save_residuals"]:
            out, logsumexp = _forward(*operands, settings)
            return out, (logsumexp,)
        return _attention(*operands, settings)

    def _settings(self, is_segmented):
        own = self.kwargs
        name = get_kernel_name(
            own["is_mqa"], own["save_residuals"], is_segmented, "fwd"
        )
        return _Settings(
            own["block_sizes"],
            own["interpret"],
            name,
            own["mask_value"],
            own["attn_logits_soft_cap"],
        )

    def _check(self, q, k):
        heads, length, dim = q.shape
        found = (self.which.shape[0], *self.masks.shape[1:])
        if found != (heads, length, k.shape[1]) or k.shape[2] != dim:
            raise errors.value_error(
                "Attention: mask, queries and keys do not fit.",
                [
                    ("mask (heads, queries, keys)", str(found)),
                    ("queries", str(q.shape)),
                    ("keys", str(k.shape)),
                ],
            )
        if heads % k.shape[0]:
            raise errors.value_error(
                "Attention: the heads of queries are no multiple of those of keys.",
                [("queries", str(heads)), ("keys", str(k.shape[0]))],
            )
        blocks = self.kwargs["block_sizes"]
        for name, block, size in (
            ("block_q", blocks.block_q, length),
            ("block_kv", blocks.block_kv, k.shape[1]),
            ("block_kv_compute", blocks.block_kv_compute, blocks.block_kv),
        ):
            if size % block:
                raise errors.value_error(
                    "Attention: a size is no multiple of its block's.",
                    [(name, str(block)), ("size", str(size))],
                    ways="Pass block_sizes=BlockSizes(...) that divide the sizes.",
                )

    def manual_sharding_spec(self, sharding: Any) -> "SplashAttentionKernel":
        """Specifications for `shard_map`, in a tree like that of the arrays.

        Args:
            sharding: a `NamedSharding` of heads and queries.

        Raises:
            ValueError: it divides more than these.
        """
        spec = sharding.spec
        if len(spec) > 2:
            raise ValueError(f"{spec} divides more than heads and queries.")
        heads, queries = (*spec, None, None)[:2]
        which, seen = (
            partition_spec.PartitionSpec(heads),
            partition_spec.PartitionSpec(None, queries, None),
        )
        return SplashAttentionKernel(which, seen, **self.kwargs)

    def tree_flatten(self) -> tuple[tuple[Any, Any], tuple]:
        """The arrays, and the settings."""
        return (self.which, self.masks), tuple(self.kwargs.items())

    @classmethod
    def tree_unflatten(cls, data: tuple, leaves: Any) -> "SplashAttentionKernel":
        """The inverse of `tree_flatten`."""
        return cls(*leaves, **dict(data))


tree.register_pytree_node(
    SplashAttentionKernel,
    SplashAttentionKernel.tree_flatten,
    SplashAttentionKernel.tree_unflatten,
)


def _check_rank(k, rank, what):
    if k.ndim != rank:
        raise errors.value_error(
            f"Attention: keys for {what} have {rank} axes.", [("keys", str(k.shape))]
        )


def get_kernel_name(
    is_mqa: bool, save_residuals: bool, is_segmented: bool, phase: str
) -> str:
    """The name of a kernel in programs.

    Raises:
        Nothing.
    """
    parts = ["splash", "mqa" if is_mqa else "mha", phase]
    parts += ["segmented"] if is_segmented else []
    parts += ["residuals" if save_residuals else "no_residuals"]
    return "_".join(parts)


def _make_splash_attention(
    mask: Any,
    *,
    block_sizes: sizes.BlockSizes | None = None,
    is_mqa: bool,
    save_residuals: bool = False,
    mask_value: float = reference.DEFAULT_MASK_VALUE,
    attn_logits_soft_cap: float | None = None,
    downcast_smem_data: bool = True,
    head_shards: int,
    q_seq_shards: int,
    residual_checkpoint_name: str | None = None,
    interpret: bool = False,
) -> SplashAttentionKernel:
    """Attention over a mask, as a kernel.

    Args:
        mask: a `MultiHeadMask`, or Booleans of shape (heads, queries, keys).
        block_sizes: how it is cut into blocks; None: by 128.
        is_mqa: whether all heads share keys and values.
        save_residuals: whether logarithms of sums are returned as well.
        mask_value: the score of keys that are not seen.
        attn_logits_soft_cap: scores stay below it, through `tanh`.
        downcast_smem_data: accepted; a matter of TPU memory.
        head_shards: over how many devices heads are divided.
        q_seq_shards: over how many devices queries are divided.
        residual_checkpoint_name: accepted; there are no residuals to name.
        interpret: as in `pl.pallas_call`; kernels are not compiled here.

    Returns:
        A function of ``(q, k, v, segment_ids=None, sinks=None)``; see
        `SplashAttentionKernel`.

    Raises:
        ValueError: the mask has not three axes, or is not divided evenly.
    """
    if len(mask.shape) != 3:
        raise errors.value_error(
            "Attention: a mask has an axis of heads, of queries and of keys.",
            [("mask", str(mask.shape))],
        )
    if mask.shape[0] % head_shards or mask.shape[1] % q_seq_shards:
        raise errors.value_error(
            "Attention: heads or queries are not divided evenly.",
            [
                ("mask", str(mask.shape)),
                ("head_shards", str(head_shards)),
                ("q_seq_shards", str(q_seq_shards)),
            ],
        )
    which, seen = _distinct(mask)
    return SplashAttentionKernel(
        jnp.asarray(which, np.int32),
        jnp.asarray(seen),
        block_sizes=block_sizes or sizes.BlockSizes.get_default(),
        is_mqa=is_mqa,
        save_residuals=save_residuals,
        mask_value=mask_value,
        attn_logits_soft_cap=attn_logits_soft_cap,
        residual_checkpoint_name=residual_checkpoint_name,
        interpret=interpret,
    )


def _distinct(mask: Any) -> tuple[Sequence[int], Any]:
    """For each head the number of its mask, and the masks that differ."""
    if not isinstance(mask, masks.MultiHeadMask):
        return range(mask.shape[0]), mask
    numbers: dict[masks.Mask, int] = {}
    which = [numbers.setdefault(one, len(numbers)) for one in mask.masks]
    return which, np.stack([one[:, :] for one in numbers])


def _fixed(is_mqa: bool, **shards: Any) -> Callable[..., SplashAttentionKernel]:
    return ft.partial(_make_splash_attention, is_mqa=is_mqa, **shards)


make_splash_mha = _fixed(False)
make_splash_mqa = _fixed(True)
make_splash_mha_single_device = _fixed(False, head_shards=1, q_seq_shards=1)
make_splash_mqa_single_device = _fixed(True, head_shards=1, q_seq_shards=1)
