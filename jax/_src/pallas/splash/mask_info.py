"""Masks by blocks: which blocks a kernel computes, which one it fetches next, and the masks of those that are seen in part.

A *launch* is what one device computes: the heads of one part of heads and the queries of one
part of queries.  A kernel goes through a launch's blocks head by head, query by query; that of
the derivatives in keys and values goes along queries within heads within keys.
"""

import functools as ft
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jax._src.base import errors
from jax._src.numpy import numpy_api as jnp
from jax._src.pallas.splash import masks

_UNSEEN, _PARTLY, _WHOLLY = 0, 1, 2


class MaskInfo(NamedTuple):
    """What is known of the blocks of a mask, for each head, or each part of heads that share one.

    Attributes:
        data_next: the index of the block of keys (of queries for the derivatives in keys)
            that is fetched next.
        mask_next: the index in `partial_mask_blocks` of the mask that is fetched next; None
            if there is none.
        block_mask: 0 for blocks that nobody sees, 1 for those seen in part, 2 for the rest.
        partial_mask_blocks: the masks of blocks that are seen in part; of a traced mask, of
            all blocks, by head, query and key.
        q_sequence: the indices of queries, where the kernel computes the mask from them.
        is_dynamic_mask: True for a traced mask.
    """

    data_next: Any
    mask_next: Any
    block_mask: Any
    partial_mask_blocks: Any
    q_sequence: np.ndarray | None
    is_dynamic_mask: bool | None = None


class _Parts(NamedTuple):
    """How a mask is divided: into blocks, and among devices."""

    heads: int
    queries: int
    keys: int
    block: tuple[int, int]
    head_shards: int
    q_shards: int

    @property
    def blocks(self) -> tuple[int, int, int]:
        rows, columns = self.block
        return self.heads, self.queries // rows, self.keys // columns


def _parts_of(shape, block_shape, head_shards, q_seq_shards):
    """The division of a mask of a shape.

    Raises:
        ValueError: it cannot be divided so.
    """
    if len(shape) != 3:
        raise errors.value_error(
            f"Expected a 3-dim mask, instead got: mask.shape={shape}.",
            [("shape", str(shape))],
            "The axes are heads, queries and keys.",
            "masks.MultiHeadMask([mask])",
        )
    heads, queries, keys = shape
    rows, columns = block_shape
    for name, divisor, of, count in (
        ("q_block_size", rows, "q_seq_len", queries),
        ("kv_block_size", columns, "kv_seq_len", keys),
        ("head_shards", head_shards, "head_count", heads),
        ("q_seq_shards", q_seq_shards, "q_seq_len", queries),
        ("q_seq_shards", q_seq_shards, "q_blocks", queries // rows),
    ):
        if count % divisor:
            raise errors.value_error(
                f"{name}={divisor} should divide {of}={count}.",
                [("shape", str(shape)), ("block_shape", str(block_shape))],
                "Blocks and parts are of one size.",
            )
    block = (int(rows), int(columns))
    return _Parts(heads, queries, keys, block, head_shards, q_seq_shards)


def _blocked(values, parts):
    """An array of heads, queries and keys as heads, blocks of queries, blocks of keys, and the axes within a block."""
    _, rows, columns = parts.blocks
    split = values.reshape(-1, rows, parts.block[0], columns, parts.block[1])
    return split.swapaxes(2, 3)


def _kinds(blocks):
    """Says of each block whether it is not seen, seen in part, or wholly."""
    some, every = blocks.any((-2, -1)), blocks.all((-2, -1))
    return some.astype(np.int32) + every.astype(np.int32)


def _smallest(values):
    """Numbers in the narrowest signed type, of at most 32 bits, that has them."""
    largest = int(values.max(initial=0))
    for dtype in (np.int8, np.int16):
        if largest <= np.iinfo(dtype).max:
            return values.astype(dtype)
    return values


def _upcoming(values, wanted, is_dkv):
    """Returns for each block of a launch the value of the next one that is wanted, itself included; after the last the first again.

    Args:
        values: of heads, queries and keys.
        wanted: which blocks have a value.
        is_dkv: whether the kernel goes through keys first.
    """
    order = (2, 0, 1) if is_dkv else (0, 1, 2)
    moved = values.transpose(order)
    indices = np.flatnonzero(wanted.transpose(order))
    if not indices.size:
        return np.zeros_like(values)
    after = np.searchsorted(indices, np.arange(values.size))
    found = moved.ravel()[indices[after % len(indices)]].reshape(moved.shape)
    return found.transpose(np.argsort(order))


def _without_unseen(arrays, kinds, is_dkv):
    """The arrays of one launch without the blocks that nobody sees.

    Rows are as long as the one that sees most; for derivatives in keys columns are, and what
    is missing comes first.
    """
    axis = 1 if is_dkv else 2
    length = int((kinds != _UNSEEN).sum(axis).max())
    order = np.argsort(kinds == _UNSEEN, axis=axis, kind="stable")
    order = np.take(order, range(length), axis)
    if is_dkv:
        counts = (kinds != _UNSEEN).sum(axis, keepdims=True)
        indices = np.arange(length)[None, :, None] - (length - counts)
        order = np.take_along_axis(order, np.maximum(indices, 0), axis)
        is_seen = np.broadcast_to(indices >= 0, order.shape)
    else:
        is_seen = np.take_along_axis(kinds, order, axis) != _UNSEEN
    return [
        None if x is None else np.where(is_seen, np.take_along_axis(x, order, axis), 0)
        for x in arrays
    ]


def _joined(launches, parts, is_dkv):
    """Arrays of launches, in one; those of fewer blocks go on with their last ones, which nobody sees."""
    axis = 1 if is_dkv else 2
    length = max(kinds.shape[axis] for _, _, kinds in launches)

    def padded(values, mode):
        widths = [(0, 0)] * 3
        widths[axis] = (0, length - values.shape[axis])
        return np.pad(values, widths, mode=mode)

    joined = []
    for at, mode in enumerate(("edge", "edge", "constant")):
        pieces = [launch[at] for launch in launches]
        if pieces[0] is None:
            joined.append(None)
            continue
        rows = [
            np.concatenate([padded(x, mode) for x in pieces[i : i + parts.q_shards]], 1)
            for i in range(0, len(pieces), parts.q_shards)
        ]
        joined.append(np.concatenate(rows, 0))
    return joined


def _numbered(blocks, kinds):
    """The masks that differ among blocks seen in part, and of each block the number of its mask."""
    known: dict[bytes, int] = {}
    numbers = np.zeros(kinds.shape, np.int32)
    found = []
    for index in zip(*np.nonzero(kinds == _PARTLY), strict=True):
        block = blocks[index]
        numbers[index] = known.setdefault(block.tobytes(), len(known))
        if len(known) > len(found):
            found.append(block)
    return np.stack(found) if found else None, numbers


def _check_rows(values):
    unseeing = np.argwhere(~values.any(-1))
    if len(unseeing):
        head, query = unseeing[0].tolist()
        raise errors.value_error(
            "Some rows of the mask (along the kv dimension) are all zeros.",
            [("head", str(head)), ("query", str(query))],
            "Each query sees a key: weights are divided by their sum.",
        )


def _formula(distinct):
    """The function of the only mask, and its indices of queries, where the kernel computes the mask."""
    if len(distinct) == 1 and isinstance(distinct[0], masks.AbstractComputedMask):
        return distinct[0].mask_function, distinct[0].q_sequence
    return None, None


def _launches(parts, each, kinds, numbers, is_dkv):
    """For each launch what is fetched next, the numbers of masks, and the kinds of blocks.

    Args:
        parts: how the mask is divided.
        each: how many rows a part of heads has.
        kinds: of each block.
        numbers: of masks of blocks; None if no mask is fetched.
        is_dkv: whether the kernel goes through keys first.
    """
    per_part = parts.blocks[1] // parts.q_shards
    for head in range(parts.head_shards):
        for part in range(parts.q_shards):
            which = np.s_[head * each : (head + 1) * each]
            where = np.s_[which, part * per_part : (part + 1) * per_part]
            seen = kinds[where]
            data = np.indices(seen.shape)[1 if is_dkv else 2]
            data = _upcoming(data, seen != _UNSEEN, is_dkv)
            mask = None
            if numbers is not None:
                mask = _upcoming(numbers[where], seen == _PARTLY, is_dkv)
            yield data, mask, seen


def process_mask(
    mask: masks.MultiHeadMask,
    block_shape: tuple[int, int],
    *,
    is_dkv: bool = False,
    downcast_smem_data: bool = True,
    head_shards: int = 1,
    q_seq_shards: int = 1,
    shrink_grid: bool = True,
) -> tuple[MaskInfo, Callable[[Any, Any], Any] | None]:
    """The blocks of a mask that is known.

    Args:
        mask: of all heads.
        block_shape: how many queries and keys a block has.
        is_dkv: whether it is for the derivatives in keys and values.
        downcast_smem_data: whether indices get the narrowest type that has them.
        head_shards: over how many devices heads are divided.
        q_seq_shards: over how many devices queries are divided.
        shrink_grid: whether blocks that nobody sees are left out, where all heads share one mask.

    Returns: the blocks, and the function from indices that makes the mask, where one makes
        that of all heads; masks of blocks are not needed then.

    Raises:
        ValueError: blocks or parts do not divide the mask, or a query sees nothing.
    """
    parts = _parts_of(mask.shape, block_shape, head_shards, q_seq_shards)
    numbers: dict[Any, int] = {}
    which = [numbers.setdefault(one, len(numbers)) for one in mask.masks]
    distinct = list(numbers)
    per_shard = parts.heads // head_shards
    shards = [which[i : i + per_shard] for i in range(0, parts.heads, per_shard)]
    is_shared = all(len(set(shard)) == 1 for shard in shards)
    rows = [shard[0] for shard in shards] if is_shared else which
    values = np.stack([np.asarray(one[:, :], bool) for one in distinct])
    _check_rows(values)
    blocks = _blocked(values, parts)
    kinds = _kinds(blocks)
    formula, q_sequence = _formula(distinct)
    partial, of_blocks = (None, None) if formula else _numbered(blocks, kinds)
    own = None if partial is None else of_blocks[rows]
    launches = list(
        _launches(parts, 1 if is_shared else per_shard, kinds[rows], own, is_dkv)
    )
    if shrink_grid and len(distinct) == 1:
        launches = [_without_unseen(one, one[2], is_dkv) for one in launches]
    found = _joined(launches, parts, is_dkv)
    if downcast_smem_data:
        found = [None if x is None else _smallest(x) for x in found]
    if is_dkv and partial is not None:
        partial = partial.swapaxes(-1, -2)
    return MaskInfo(*found, partial, q_sequence), formula


def process_dynamic_mask(
    mask: Any,
    block_shape: tuple[int, int],
    *,
    is_dkv: bool = False,
    downcast_smem_data: bool = True,
    head_shards: int = 1,
    q_seq_shards: int = 1,
    shrink_grid: bool = True,
) -> tuple[MaskInfo, None]:
    """The blocks of a mask that is an array, traced perhaps: the masks of all blocks are kept.

    Args:
        mask: of heads, queries and keys.
        block_shape: how many queries and keys a block has.
        is_dkv: whether it is for the derivatives in keys and values.
        downcast_smem_data: whether indices get the narrowest type that has them.
        head_shards: over how many devices heads are divided.
        q_seq_shards: over how many devices queries are divided.
        shrink_grid: is not used: which blocks nobody sees is not known.

    Returns: the blocks, and None.

    Raises:
        ValueError: blocks or parts do not divide the mask.
    """
    del shrink_grid
    parts = _parts_of(mask.shape, block_shape, head_shards, q_seq_shards)
    blocks = _blocked(jnp.asarray(mask).astype(bool), parts)
    some, every = blocks.any((-2, -1)), blocks.all((-2, -1))
    kinds = some.astype(np.int32) + every.astype(np.int32)
    heads, rows, columns = parts.blocks
    launch = (heads // head_shards, rows // q_seq_shards, columns)
    tiles = (head_shards, q_seq_shards, 1)
    count = int(np.prod(launch))
    indices = np.tile(np.arange(count, dtype=np.int32).reshape(launch), tiles)
    data = np.tile(np.indices(launch, np.int32)[1 if is_dkv else 2], tiles)
    found = [
        jnp.where(kinds != _UNSEEN, data, 0),
        jnp.where(kinds == _PARTLY, indices, 0),
        kinds,
    ]
    if downcast_smem_data:
        largest = (launch[1 if is_dkv else 2] - 1, count - 1, _WHOLLY)
        types = [_smallest(np.int32([n])).dtype for n in largest]
        found = [x.astype(dtype) for x, dtype in zip(found, types, strict=True)]
    if is_dkv:
        blocks = blocks.swapaxes(-1, -2)
    return MaskInfo(*found, blocks, None, is_dynamic_mask=True), None


process_mask_dkv = ft.partial(process_mask, is_dkv=True)
process_dynamic_mask_dkv = ft.partial(process_dynamic_mask, is_dkv=True)
