"""Sizes of blocks that are best on some TPU: none is known here, and defaults are given."""

from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors
from jax._src.pallas.helpers import next_power_of_2 as next_power_of_2
from jax._src.runtime.devices import backends

MAX_PAGES_PER_SEQ = 16
# The kind of device -> `simplify_key` -> pages and queries of a block.
TUNED_BLOCK_SIZES: dict[str, dict[tuple, tuple[int, int]]] = {}


def get_tpu_version() -> int:
    """The generation of the first device, -1 where it is no TPU."""
    kind = backends.devices()[0].device_kind
    digits = [c for c in kind.removeprefix("TPU") if c.isdigit()]
    return int(digits[0]) if kind.startswith("TPU") and digits else -1


def get_device_name(num_devices: int | None = None) -> str:
    """The first two words of the kind of the first device.

    Args:
        num_devices: a number to append, or None.
    """
    name = " ".join(backends.devices()[0].device_kind.split()[:2])
    return name if num_devices is None else f"{name}-{num_devices}"


def simplify_key(key: tuple) -> tuple:
    """Operands of an attention as a key of `TUNED_BLOCK_SIZES`, with sizes rounded up.

    Args:
        key: dtypes of queries and of keys, their numbers of heads, features, the size of
            a page, the number of queries, the pages of a sequence.
    """
    q_dtype, kv_dtype, heads, kv_heads, width, page, tokens, pages = key
    return (
        np.dtype(dtypes.dtype(q_dtype)).name,
        np.dtype(dtypes.dtype(kv_dtype)).name,
        next_power_of_2(heads),
        next_power_of_2(kv_heads),
        -(-width // 128) * 128,
        next_power_of_2(page),
        next_power_of_2(tokens),
        next_power_of_2(page * pages),
    )


def get_tuned_block_sizes(
    q_dtype: Any,
    kv_dtype: Any,
    num_q_heads_per_blk: int,
    num_kv_heads_per_blk: int,
    head_dim: int,
    page_size: int,
    max_num_batched_tokens: int,
    pages_per_seq: int,
) -> tuple[int, int]:
    """Pages and queries of a block on the first device, a TPU.

    Args:
        q_dtype: the dtype of queries.
        kv_dtype: the dtype of keys.
        num_q_heads_per_blk: heads of queries of a block.
        num_kv_heads_per_blk: heads of keys of a block.
        head_dim: features.
        page_size: keys of a page.
        max_num_batched_tokens: queries.
        pages_per_seq: pages of a sequence.

    Raises:
        NotImplementedError: the device is no TPU of the fourth generation or a later one.
    """
    version = get_tpu_version()
    if version < 4:
        raise errors.not_implemented(
            "TPU version must be 4 or higher.",
            [("device", backends.devices()[0].device_kind)],
            "Sizes of blocks decide about speed on TPUs only.",
            "Leave them out on other devices.",
        )
    key = simplify_key(
        (
            q_dtype,
            kv_dtype,
            num_q_heads_per_blk,
            num_kv_heads_per_blk,
            head_dim,
            page_size,
            max_num_batched_tokens,
            pages_per_seq,
        )
    )
    default = (32 if version == 4 else 128, 32)
    pages, queries = TUNED_BLOCK_SIZES.get(get_device_name(), {}).get(key, default)
    return min(pages_per_seq, pages), min(max_num_batched_tokens, queries)


def get_min_page_size(max_model_len: int, min_page_size: int = 16) -> int:
    """A size of pages with which a sequence has no more than `MAX_PAGES_PER_SEQ`.

    Args:
        max_model_len: the length of the longest sequence.
        min_page_size: the smallest size.
    """
    return max(next_power_of_2(max_model_len) // MAX_PAGES_PER_SEQ, min_page_size)
