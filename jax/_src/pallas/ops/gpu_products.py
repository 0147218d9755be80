"""Matrix products, by the interface of the kernels in Mosaic's language for Hopper and Blackwell.

Sizes of tiles decide about speed on those GPUs only; the products are ordinary ones.
"""

import dataclasses
import enum
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.lax.collectives import gather_scatter
from jax._src.lax.ops import ragged
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas.unsupported import refusing_all
from jax._src.random import beta_dirichlet, discrete, keys as random_keys
from jax._src.runtime.devices import backends


class MatmulDimension(enum.IntEnum):
    """A dimension of a product: rows or columns of the result."""

    M = 0
    N = 1

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name


@dataclasses.dataclass(frozen=True)
class HopperConfig:
    """Sizes of tiles of a product on Hopper.

    Args:
        tile_m: rows of a tile.
        tile_n: columns of a tile.
        tile_k: summands of a tile.
        max_concurrent_steps: tiles that are fetched at once.
        epi_tile_n: columns of a tile that is stored.
        epi_tile_m: rows of a tile that is stored.
        grid_minor_dim: the dimension that runs fastest.
        grid_tile_width: tiles along it that follow each other.
        wg_dimension: the dimension that warpgroups share.
        cluster_dimension: the dimension that a cluster shares.
    """

    tile_m: int
    tile_n: int
    tile_k: int
    max_concurrent_steps: int
    epi_tile_n: int | None = 64
    epi_tile_m: int | None = 64
    grid_minor_dim: MatmulDimension = MatmulDimension.N
    grid_tile_width: int = 1
    wg_dimension: MatmulDimension = MatmulDimension.N
    cluster_dimension: MatmulDimension | None = None


@dataclasses.dataclass(frozen=True)
class BlackwellConfig:
    """Sizes of tiles of a product on Blackwell.

    Args:
        tile_m: rows of a tile.
        tile_n: columns of a tile.
        tile_k: summands of a tile.
        max_concurrent_steps: tiles that are fetched at once.
        collective: whether two blocks share a tile.
        epilogue_tile_n: columns of a tile that is stored.
        grid_minor_dim: the dimension that runs fastest.
        grid_tile_width: tiles along it that follow each other.
    """

    tile_m: int
    tile_n: int
    tile_k: int
    max_concurrent_steps: int
    collective: bool
    epilogue_tile_n: int = 64
    grid_minor_dim: MatmulDimension = MatmulDimension.N
    grid_tile_width: int = 1


@dataclasses.dataclass(frozen=True)
class BlackwellRaggedConfig:
    """Sizes of tiles of a product of groups of rows on Blackwell.

    Args:
        tile_m: rows of a tile.
        tile_n: columns of a tile.
        tile_k: summands of a tile.
        max_concurrent_steps: tiles that are fetched at once.
        collective: whether two blocks share a tile.
        grid_tile_width: tiles that follow each other.
        grid_minor_dim: the dimension that runs fastest.
        epilogue_tile_n: columns of a tile that is stored.
    """

    tile_m: int
    tile_n: int
    tile_k: int
    max_concurrent_steps: int
    collective: bool
    grid_tile_width: int
    grid_minor_dim: MatmulDimension
    epilogue_tile_n: int = 64


def _check(a, b, k_of_b=0, same=True):
    """Refuses factors that do not fit.

    Raises:
        ValueError: their dtypes or shapes differ.
    """
    facts = [(n, f"{x.dtype}{list(x.shape)}") for n, x in (("left", a), ("right", b))]
    if same and a.dtype != b.dtype:
        what = "Matmul LHS and RHS have incompatible dtypes"
        raise errors.value_error(f"{what} {a.dtype} vs {b.dtype}.", facts)
    if a.shape[1] != b.shape[k_of_b]:
        what = "Matmul LHS and RHS have incompatible shapes"
        rule = "Columns of the left one are rows of the right one."
        raise errors.value_error(f"{what} {a.shape} vs {b.shape}.", facts, rule)


def _product(a, b, dtype):
    return jnp.matmul(a, b, preferred_element_type=np.float32).astype(dtype)


def matmul(a: Any, b: Any, c: Any, config: HopperConfig) -> Any:
    """The product of two matrices, and a third one added.

    Args:
        a: matrix of shape ``(m, k)``.
        b: matrix of shape ``(k, n)`` of the same dtype.
        c: matrix of shape ``(m, n)``, whose dtype is that of the result, or None.
        config: accepted.

    Raises:
        ValueError: they do not fit.
    """
    _check(a, b)
    if c is None:
        return _product(a, b, a.dtype)
    wanted = (a.shape[0], b.shape[1])
    if c.shape != wanted:
        raise errors.value_error(f"C has incompatible shape {c.shape} vs {wanted}.")
    total = jnp.matmul(a, b, preferred_element_type=np.float32)
    return (total + c.astype(np.float32)).astype(c.dtype)


def matmul_kernel(a: Any, b: Any, config: BlackwellConfig) -> Any:
    """The product of two matrices.

    Args:
        a: matrix of shape ``(m, k)``.
        b: matrix of shape ``(k, n)`` of the same dtype.
        config: accepted.

    Raises:
        ValueError: they do not fit.
    """
    _check(a, b)
    return _product(a, b, a.dtype)


def mixed_matmul_kernel(a: Any, b: Any, *, out_dtype: Any, config: HopperConfig) -> Any:
    """The product of a matrix, converted to the dtype of another one, and that one.

    Args:
        a: matrix of shape ``(m, k)``.
        b: matrix of shape ``(k, n)`` of another dtype.
        out_dtype: the dtype of the result.
        config: accepted.

    Raises:
        ValueError: they do not fit, or their dtypes are the same.
    """
    if a.dtype == b.dtype:
        raise errors.value_error(
            f"Mixed matmul LHS and RHS have the same dtype {a.dtype}.",
            rule="The left one is converted to the dtype of the right one.",
            ways="matmul of hopper_matmul_mgpu takes one dtype.",
        )
    _check(a, b, same=False)
    return _product(a.astype(b.dtype), b, out_dtype)


def reference(a: Any, b: Any, *, out_dtype: Any) -> Any:
    """The product of two matrices of any dtypes, added up in float32.

    Args:
        a: matrix of shape ``(m, k)``.
        b: matrix of shape ``(k, n)``.
        out_dtype: the dtype of the result.

    Raises:
        TypeError: the shapes do not fit.
    """
    return jnp.dot(a, b, preferred_element_type=np.float32).astype(out_dtype)


def get_num_sms() -> int:
    """The processors of the first device.

    Raises:
        AttributeError: it does not say how many.
    """
    return backends.devices()[0].core_count


def is_nvshmem_used() -> bool:
    """Whether XLA_FLAGS asks for NVSHMEM."""
    flag = "--xla_gpu_experimental_enable_nvshmem"
    return flag in os.environ.get("XLA_FLAGS", "")


def all_gather_lhs_matmul(
    lhs: Any, rhs: Any, axis_name: Any, *, config: HopperConfig, dtype: Any = np.float16
) -> Any:
    """The product of the rows of all devices and the columns of this one, in `jax.shard_map`.

    Args:
        lhs: rows of this device, of shape ``(m, k)``.
        rhs: columns of this device, of shape ``(k, n)``.
        axis_name: the axis of the mesh.
        config: accepted.
        dtype: the dtype of the result.

    Returns:
        Array of shape ``(devices * m, n)``.

    Raises:
        ValueError: they do not fit.
    """
    _check(lhs, rhs)
    rows = gather_scatter.all_gather(lhs, axis_name, axis=0, tiled=True)
    return _product(rows, rhs, dtype)


# ---------------------------------------------------------------- groups of rows


def _check_groups(group_sizes, count):
    if group_sizes.shape != (count,):
        raise errors.value_error(
            f"Expected group_sizes to have shape ({count},).",
            [("given", str(group_sizes.shape))],
            "Each group has a matrix.",
        )


def ragged_dot_kernel(
    a: Any, b: Any, group_sizes: Any, config: BlackwellRaggedConfig
) -> Any:
    """Products of groups of rows, each with its matrix.

    Args:
        a: rows of shape ``(m, k)``.
        b: matrices of shape ``(groups, k, n)`` of the same dtype.
        group_sizes: how many rows each group has.
        config: accepted.

    Raises:
        ValueError: they do not fit.
    """
    _check(a, b, 1)
    _check_groups(group_sizes, b.shape[0])
    out = ragged.ragged_dot(a, b, group_sizes, preferred_element_type=np.float32)
    return out.astype(a.dtype)


def ragged_dot_reference(a: Any, b: Any, g: Any) -> Any:
    """Products of groups of rows, as float16.

    Args:
        a: rows of shape ``(m, k)``.
        b: matrices of shape ``(groups, k, n)``.
        g: how many rows each group has.

    Raises:
        TypeError: they do not fit.
    """
    return ragged.ragged_dot(a, b, g, preferred_element_type=np.float16)


def ragged_dot(
    lhs: Any,
    rhs: Any,
    *,
    group_sizes: Any,
    block_m: int,
    block_n: int,
    block_k: int,
    max_concurrent_steps: int,
    grid_block_n: int,
    transpose_rhs: bool = False,
    load_group_sizes_to_register: bool = True,
) -> Any:
    """Products of groups of rows, each with its matrix.

    Args:
        lhs: rows of shape ``(m, k)``.
        rhs: matrices of shape ``(groups, k, n)`` of the same dtype.
        group_sizes: how many rows each group has.
        block_m: accepted.
        block_n: accepted.
        block_k: accepted.
        max_concurrent_steps: accepted.
        grid_block_n: accepted.
        transpose_rhs: whether matrices are ``(groups, n, k)``.
        load_group_sizes_to_register: accepted.

    Raises:
        ValueError: they do not fit.
    """
    rhs = jnp.swapaxes(rhs, 1, 2) if transpose_rhs else rhs
    _check(lhs, rhs, 1)
    _check_groups(group_sizes, rhs.shape[0])
    out = ragged.ragged_dot(lhs, rhs, group_sizes, preferred_element_type=np.float32)
    return out.astype(lhs.dtype)


_OF_COLUMNS = ragged.RaggedDotDimensionNumbers(
    dot_dimension_numbers=(((0,), (0,)), ((), ())),
    lhs_ragged_dimensions=[0],
    rhs_group_dimensions=[],
)


def ref_transposed_ragged_dot(lhs: Any, rhs: Any, group_sizes: Any) -> Any:
    """For each group of rows of two matrices, the product of the first one's transpose and the second one's.

    Args:
        lhs: matrix of shape ``(k, m)``.
        rhs: matrix of shape ``(k, n)``.
        group_sizes: how many rows each group has.

    Returns:
        Array of shape ``(groups, m, n)``.

    Raises:
        TypeError: they do not fit.
    """
    return ragged.ragged_dot_general(lhs, rhs, group_sizes, _OF_COLUMNS)


def transposed_ragged_dot(
    lhs: Any,
    rhs: Any,
    *,
    group_sizes: Any,
    block_m: int,
    block_n: int,
    block_k: int,
    max_concurrent_steps: int,
    grid_block_n: int,
) -> Any:
    """`ref_transposed_ragged_dot`, added up in float32.

    Args:
        lhs: matrix of shape ``(k, m)``.
        rhs: matrix of shape ``(k, n)`` of the same dtype.
        group_sizes: how many rows each group has.
        block_m: accepted.
        block_n: accepted.
        block_k: accepted.
        max_concurrent_steps: accepted.
        grid_block_n: accepted.

    Raises:
        ValueError: they do not fit.
    """
    _check(lhs.T, rhs)
    out = ragged.ragged_dot_general(
        lhs, rhs, group_sizes, _OF_COLUMNS, preferred_element_type=np.float32
    )
    return out.astype(lhs.dtype)


@dataclasses.dataclass(frozen=True)
class GroupInfo:
    """Which rows of which group a block of rows computes.

    Args:
        group_id: the number of the group.
        block: the number of the block of rows.
        block_start: its first row.
        actual_start: the first row of the group in it.
        actual_end: the row behind the last one of the group in it.
        start_within_block: the first row of the group, from the start of the block.
        actual_size: how many rows of the group it has.
    """

    group_id: Any
    block: Any
    block_start: Any
    actual_start: Any
    actual_end: Any
    start_within_block: Any
    actual_size: Any

    @classmethod
    def create(cls, group_lengths: Sequence[Any], tile: Any, tid: Any) -> "GroupInfo":
        """The rows of a step: a block is visited once for each group that has rows in it.

        Args:
            group_lengths: how many rows each group has.
            tile: the rows of a block.
            tid: the number of the step.
        """
        sizes = jnp.stack([jnp.asarray(n, np.int32) for n in group_lengths])
        ends = jnp.cumsum(sizes)
        starts = ends - sizes
        number = jnp.arange(sizes.shape[0])
        first = lax.div(starts, jnp.full_like(starts, tile)) + number
        last = lax.div(ends - 1, jnp.full_like(ends, tile)) + number
        is_this = (first <= tid) & (tid <= last)

        def chosen(values):
            return jnp.where(is_this, values, 0).sum()

        block = chosen(tid - number)
        start = block * tile
        low = jnp.maximum(chosen(starts), start)
        high = jnp.minimum(chosen(ends), start + tile)
        return cls(chosen(number), block, start, low, high, low - start, high - low)


def sample_group_sizes(
    key: Any, num_groups: int, num_elements: int, alpha: float = 10.0
) -> Any:
    """Random sizes of groups, which add up to a number.

    Args:
        key: a random key.
        num_groups: how many groups there are.
        num_elements: the sum of the sizes.
        alpha: the larger it is, the less the sizes differ.
    """
    first, second = random_keys.split(key)
    shares = beta_dirichlet.dirichlet(first, jnp.full((num_groups,), alpha, np.float32))
    return discrete.multinomial(second, num_elements, shares).astype(np.int32)


_ONLY = refusing_all(
    """
do_matmul(a_gmem, b_gmem, out_gmem, grid_indices, wg_axis, collective_axes, local_index, config, group_info, a_smem, b_smem, acc_tmem, acc_smem, a_tma_barrier, b_tma_barrier, store_done_barrier, mma_done_barrier, consumed_barrier): Multiplies a tile in tensor memory.
kernel(a_gmem, b_gmem, c_gmem, out_gmem, config, pipeline_callback=None, delay_release=0): Multiplies the tiles of a product.
main(_): Measures kernels.
measure(unused_argv): Measures kernels.
""",
    {},
    module="pallas.ops.gpu",
    where="GPUs",
)
do_matmul, kernel, main, measure = _ONLY.values()
