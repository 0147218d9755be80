"""Whether cuDNN can compute an attention: libraries ask before they choose how to.

It never can here: `jax.nn.dot_product_attention` compiles to plain operations, on GPUs too. The
queries about operands are answered nevertheless.
"""

import enum
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors
from jax._src.numpy import operands
from jax._src.runtime.devices import backends

_DTYPES = ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")


class AttentionLayout(enum.Enum):
    """The order of the axes of queries, keys and values: batch, time, heads, features."""

    BTNH = 0
    BNTH = 1

    def sizes(self, x: Any) -> tuple[int, int, int, int]:
        """The sizes of batch, time, heads and features."""
        batch, second, third, features = operands.shape(x)
        if self is AttentionLayout.BTNH:
            return batch, second, third, features
        return batch, third, second, features


def normalize_layout(layout: str) -> AttentionLayout:
    """The layout of this name.

    Raises:
        ValueError: there is none.
    """
    found = AttentionLayout.__members__.get(layout.upper())
    if found is None:
        raise errors.value_error(
            "Unsupported qkv_layout.",
            [("layout", repr(layout))],
            f"Layouts are {' and '.join(AttentionLayout.__members__)}.",
        )
    return found


def check_cudnn_version() -> int:
    """The version of cuDNN that attentions are computed with.

    Raises:
        RuntimeError: always, as none is.
    """
    raise errors.runtime_error(
        "cuDNN is not detected.",
        rule="Attentions are computed by plain operations here.",
        ways="jax.nn.dot_product_attention(..., implementation='xla')",
    )


def _version(text):
    return tuple(int(part) for part in str(text).split("."))


def check_compute_capability(capability: str) -> bool:
    """Whether the first device of this process is one of NVIDIA's, of this capability or a later one."""
    device = backends.local_devices()[0]
    found = getattr(device, "compute_capability", None)
    if device.platform not in ("cuda", "gpu") or found is None:
        return False
    return _version(found) >= _version(capability)


def _refuse(kind, what, facts, rule=""):
    raise kind(errors.explain(what, [(k, str(v)) for k, v in facts.items()], rule))


def _check_operand(name, x):
    if operands.ndim(x) != 4:
        _refuse(
            ValueError, f"{name} must have a rank of 4.", {"rank": operands.ndim(x)}
        )
    if np.dtype(dtypes.dtype(x)).name not in _DTYPES:
        _refuse(
            NotImplementedError,
            f"{name} must be fp16/bf16/fp8_e4m3fn/fp8_e5m2.",
            {"dtype": dtypes.dtype(x)},
        )


def _check_numbers(name, x, batch, rank):
    if x is None:
        return
    if dtypes.dtype(x) != np.int32:
        facts = {"dtype": dtypes.dtype(x)}
        _refuse(ValueError, f"{name} must have int32 datatype.", facts)
    if operands.ndim(x) != rank:
        _refuse(
            ValueError,
            f"{name} must have a rank of {rank}.",
            {"rank": operands.ndim(x)},
        )
    if operands.shape(x)[0] != batch:
        facts = {"batch": batch, name: operands.shape(x)}
        _refuse(ValueError, f"{name} must have same batch as Q.", facts)


def check_layout(
    query: Any,
    key: Any,
    value: Any,
    bias: Any,
    q_seqlen: Any,
    kv_seqlen: Any,
    q_offsets: Any,
    kv_offsets: Any,
    page_table_k: Any,
    page_table_v: Any,
    layout: AttentionLayout,
) -> None:
    """Whether operands fit together and have dtypes for which there are fused attentions.

    Args:
        query: queries.
        key: keys.
        value: values.
        bias: what is added to the logits, or None.
        q_seqlen: int32 lengths of the queries, or None.
        kv_seqlen: int32 lengths of keys and values, or None.
        q_offsets: int32 starts of packed queries, of rank 2, or None.
        kv_offsets: int32 starts of packed keys and values, of rank 2, or None.
        page_table_k: must be None: keys are one array.
        page_table_v: must be None: values are one array.
        layout: the order of the axes.

    Raises:
        ValueError: they do not fit.
        NotImplementedError: the dtype is another one, or there are pages.
    """
    for name, x in (("Q", query), ("K", key), ("V", value)):
        _check_operand(name, x)
    kinds = [np.dtype(dtypes.dtype(x)).name for x in (query, key, value)]
    if len(set(kinds)) > 1:
        facts = {"dtypes": ", ".join(kinds)}
        _refuse(ValueError, "QKV dtype must be same.", facts)
    if page_table_k is not None or page_table_v is not None:
        _refuse(NotImplementedError, "Keys and values in pages are not supported.", {})
    of_query, of_key, of_value = (layout.sizes(x) for x in (query, key, value))
    facts = {
        "Q": operands.shape(query),
        "K": operands.shape(key),
        "V": operands.shape(value),
    }
    if not of_query[0] == of_key[0] == of_value[0]:
        _refuse(ValueError, "QKV batch must be same.", facts)
    if of_key[1] != of_value[1]:
        _refuse(ValueError, "KV must have same seq length.", facts)
    if of_key[2] != of_value[2]:
        _refuse(ValueError, "KV must have same number of heads.", facts)
    if of_query[3] != of_key[3]:
        _refuse(ValueError, "QK must have same head dim.", facts)
    if bias is not None:
        facts["bias"] = operands.shape(bias)
        wanted = (of_query[1], of_key[1])
        if operands.ndim(bias) != 4 or operands.shape(bias)[2:] != wanted:
            what = "Bias must have same seq length as QKV."
            _refuse(ValueError, what, facts, "It has a rank of 4.")
    packed = q_offsets is not None or kv_offsets is not None
    for name, x, rank in (
        ("q_offsets", q_offsets, 2),
        ("kv_offsets", kv_offsets, 2),
        ("q_seqlen", q_seqlen, 2 if packed else 1),
        ("kv_seqlen", kv_seqlen, 2 if packed else 1),
    ):
        _check_numbers(name, x, of_query[0], rank)


def check_is_flash_attention(
    query: Any,
    key: Any,
    value: Any,
    layout: AttentionLayout,
    cudnn_version: int,
    has_bias: bool,
    is_training: bool,
    is_packed: bool = False,
    is_paged_attention: bool = False,
    is_fp8: bool = False,
) -> None:
    """Whether operands are of sizes for which there are fused attentions.

    Args:
        query: queries.
        key: keys.
        value: values.
        layout: the order of the axes.
        cudnn_version: accepted.
        has_bias: whether something is added to the logits.
        is_training: whether derivatives are wanted.
        is_packed: whether one array holds several sequences.
        is_paged_attention: accepted.
        is_fp8: whether the numbers are those of 8 bits, of any size.

    Raises:
        NotImplementedError: they are not.
    """
    if is_fp8:
        return
    _, queries, _, features = layout.sizes(query)
    _, keys, _, _ = layout.sizes(key)
    if features > 128 or features % 8:
        _refuse(
            NotImplementedError,
            "The head dim must be <= 128 and a multiple of 8.",
            {"head dim": features},
        )
    if layout.sizes(value)[3] != features:
        _refuse(
            NotImplementedError,
            "Values must have the head dim of queries and keys.",
            {"Q": operands.shape(query), "V": operands.shape(value)},
        )
    if is_training and has_bias and (queries % 2 or keys % 2):
        _refuse(
            NotImplementedError,
            "Unsupported sequence length.",
            {"Q": queries, "KV": keys},
            "With a bias and derivatives they are even.",
        )
    if is_packed:
        what = "Packed layout requires a GPU with at least Hopper architecture."
        _refuse(NotImplementedError, what, {})
