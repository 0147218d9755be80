"""How attention is cut into blocks."""

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

NUM_LANES, NUM_SUBLANES = 128, 8
# Two matrices are multiplied, the second one as it is or transposed.
NN_DIM_NUMBERS = (((1,), (0,)), ((), ()))
NT_DIM_NUMBERS = (((1,), (1,)), ((), ()))
# From indices of queries and keys to which queries see which keys.
MaskFunctionType = Callable[..., Any]
# Attention, or attention and a tuple of logarithms of sums of exponentials.
SplashCustomReturnType = Any | tuple[Any, tuple[Any]]
SplashResidualsType = tuple[Any, ...]


class QKVLayout(enum.IntEnum):
    """Which axis of queries, keys or values is contiguous in memory."""

    HEAD_DIM_MINOR = 1
    SEQ_MINOR = 2


def from_head_minor(vals: tuple[Any, ...], layout: QKVLayout) -> tuple[Any, ...]:
    """Sizes or indices given with the head's dimension last, in the order of a layout.

    Raises:
        Nothing.
    """
    if layout == QKVLayout.HEAD_DIM_MINOR:
        return vals
    return (*vals[:-2], vals[-1], vals[-2])


@dataclasses.dataclass(frozen=True)
class BlockSizes:
    """Sizes of blocks of queries and keys, forwards and backwards.

    Args:
        block_q: queries in a block, forwards.
        block_kv: keys in a block.
        block_kv_compute: keys that are computed with at a time; None: `block_kv`.
        block_q_dkv: queries in a block, for derivatives in keys and values.
        block_kv_dkv: keys in a block, likewise.
        block_kv_dkv_compute: keys at a time, likewise; None: `block_kv_dkv`.
        block_q_dq: queries in a block, for derivatives in queries.
        block_kv_dq: keys in a block, likewise.
        use_fused_bwd_kernel: whether one kernel computes all derivatives.
        q_layout: which axis of queries is contiguous; a hint.
        k_layout: which axis of keys is; a hint.
        v_layout: which axis of values is; a hint.
    """

    block_q: int
    block_kv: int
    block_kv_compute: int | None = None
    block_q_dkv: int | None = None
    block_kv_dkv: int | None = None
    block_kv_dkv_compute: int | None = None
    block_q_dq: int | None = None
    block_kv_dq: int | None = None
    use_fused_bwd_kernel: bool = False
    q_layout: QKVLayout = QKVLayout.HEAD_DIM_MINOR
    k_layout: QKVLayout = QKVLayout.HEAD_DIM_MINOR
    v_layout: QKVLayout = QKVLayout.HEAD_DIM_MINOR

    def __post_init__(self) -> None:
        if self.block_kv_compute is None:
            object.__setattr__(self, "block_kv_compute", self.block_kv)
        if self.block_kv_dkv_compute is None:
            object.__setattr__(self, "block_kv_dkv_compute", self.block_kv_dkv)

    @property
    def has_backward_blocks(self) -> bool:
        """Whether sizes for derivatives are given."""
        sizes = [self.block_q_dkv, self.block_kv_dkv, self.block_kv_dkv_compute]
        if not self.use_fused_bwd_kernel:
            sizes += [self.block_q_dq, self.block_kv_dq]
        return all(size is not None for size in sizes)

    @classmethod
    def get_default(cls) -> "BlockSizes":
        """Blocks of 128 along every axis."""
        return cls(*[128] * 8)
