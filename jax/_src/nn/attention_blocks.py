"""How an attention is computed: as one product, or in blocks of queries that see fewer keys.

Where queries see no later keys, or a window of them, half or more of the scores are masked.
A few blocks of queries, each with the keys that any of it sees, leave most of them out; the
compiler computes the scores of each block a tile at a time, as it does those of one product.
"""

import logging
from typing import Any

import numpy as np

from jax._src.base import options, records
from jax._src.core import mesh_context
from jax._src.runtime.compilation import causes
from jax._src.runtime.devices import backends

_log = logging.getLogger(__name__)

# Fewer scores than this are not worth more than one product.
SMALLEST_BYTES = 64 << 20
# Blocks of fewer queries are products of short matrices.
SMALLEST_BLOCK = 256
# More blocks leave little more out, and each of them is compiled.
MOST_BLOCKS = 4
MOST_OF_WINDOWS = 8


@records.record
class Block:
    """Queries from `start` to `stop`, which see keys from `first` to `last`, this one excluded."""

    start: int
    stop: int
    first: int
    last: int


@records.record
class Plan:
    """The blocks of queries of an attention, and why they are those."""

    blocks: tuple[Block, ...]
    reason: str

    @property
    def is_whole(self) -> bool:
        """Whether there is one block, which sees all keys."""
        return len(self.blocks) == 1


def _block(start, stop, keys, is_causal, window):
    first, last = 0, keys
    if is_causal:
        last = min(last, stop)
    if window is not None:
        before, after = window
        first = max(first, start - before)
        last = min(last, stop + after)
    return Block(start, stop, first, last)


def _may_be_sharded():
    """Whether the sequences of an array can be on several devices."""
    mesh = mesh_context.get_abstract_mesh()
    if not mesh.empty and len(mesh.manual_axes) == len(mesh.axis_names):
        return False
    return backends.device_count() > 1


def plan(
    shape: tuple[int, int, int, int],
    dtype: Any,
    is_causal: bool,
    window: tuple[int, int] | None,
    is_free: bool = True,
) -> Plan:
    """The blocks of queries that an attention is computed in.

    Args:
        shape: the sizes of batch, heads, queries and keys.
        dtype: the dtype of scores.
        is_causal: whether queries see no later keys.
        window: how many keys before and after its own index a query sees; None: all.
        is_free: False where a query may see no key at all, and so takes the mean of all.
    """
    batch, heads, queries, keys = shape

    def whole(reason):
        return Plan((Block(0, queries, 0, keys),), reason)

    if any(type(size) is not int for size in shape):
        return whole("a size is symbolic")
    if not is_causal and window is None:
        return whole("all queries may see all keys")
    if not is_free or (window is not None and queries > keys + window[0]):
        return whole("a query that sees no key takes the mean of all values")
    size_bytes = batch * heads * queries * keys * np.dtype(dtype).itemsize
    if size_bytes < SMALLEST_BYTES:
        return whole(
            f"scores are {size_bytes / 2**20:.1f} MiB, less than {SMALLEST_BYTES >> 20}"
        )
    most = MOST_BLOCKS if window is None else MOST_OF_WINDOWS
    count = min(most, queries // SMALLEST_BLOCK)
    if count < 2:
        return whole(f"{queries} queries are less than two blocks of {SMALLEST_BLOCK}")
    if backends.default_backend() != "cpu":
        return whole("blocks were measured on CPUs alone")
    if _may_be_sharded():
        return whole("sequences may be on several devices")
    bounds = [queries * i // count for i in range(count + 1)]
    blocks = [
        _block(start, stop, keys, is_causal, window)
        for start, stop in zip(bounds[:-1], bounds[1:], strict=True)
    ]
    computed = sum((b.stop - b.start) * (b.last - b.first) for b in blocks)
    share = computed / (queries * keys)
    if share > 0.8:
        return whole(f"{count} blocks would leave out {1 - share:.0%} of the scores")
    return Plan(tuple(blocks), f"{1 - share:.0%} of the scores are left out")


def log(name: str, shape: tuple[int, int, int, int], dtype: Any, made: Plan) -> None:
    """Says which way was chosen, where `jax_log_kernel_choice` is set.

    Args:
        name: the function that was called.
        shape: the sizes of batch, heads, queries and keys.
        dtype: the dtype of scores.
        made: what was chosen.
    """
    if not options.log_kernel_choice.value:
        return
    count = len(made.blocks)
    way = "one product" if made.is_whole else f"{count} blocks of queries"
    batch, heads, queries, keys = shape
    _log.warning(
        "%s at %s: %s, for %s batch x %s heads x %s queries x %s keys in %s: %s.",
        name,
        causes.call_location(),
        way,
        batch,
        heads,
        queries,
        keys,
        np.dtype(dtype).name,
        made.reason,
    )
