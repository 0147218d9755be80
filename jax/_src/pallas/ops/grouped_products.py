"""Matrix products of groups of rows, by the interface of the Megablox kernels.

The products are ordinary ragged ones: tiles decide about speed on the hardware the kernels
were written for, and are checked here, but do not change results.
"""

import functools as ft
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors
from jax._src.jit import jit as jit_module
from jax._src.lax.ops import ragged
from jax._src.numpy import lax_api as lax, numpy_api as jnp, scalar_types
from jax._src.runtime.devices import backends
from jax._src.transforms import custom_vjp as custom_vjp_module

_TILING = (128, 128, 128)
# What `make_group_metadata` returns first.
GroupMetadata = Any
# From the sizes of a product to those of its tiles, or None.
LutFn = Callable[[int, int, int], tuple[int, int, int] | None] | None
_CONTRACTED_GROUPS = ragged.RaggedDotDimensionNumbers(
    dot_dimension_numbers=(((1,), (0,)), ((), ())),
    lhs_ragged_dimensions=[1],
    rhs_group_dimensions=[],
)


def is_tpu() -> bool:
    """Whether the first device is a TPU."""
    return "TPU" in tpu_kind()


def tpu_kind() -> str:
    """The kind of the first device."""
    return backends.devices()[0].device_kind


def tpu_generation() -> int:
    """The generation of the first device.

    Raises:
        NotImplementedError: it is no TPU.
    """
    digits = [part for part in tpu_kind().replace("v", " ").split() if part.isdigit()]
    if not is_tpu() or not digits:
        raise errors.not_implemented(
            "only TPU devices are supported.", [("device", tpu_kind())]
        )
    return int(digits[0])


def supports_bfloat16_matmul() -> bool:
    """Whether the first device multiplies matrices of bfloat16: all but old TPUs do."""
    return not is_tpu() or tpu_generation() >= 4


def assert_is_supported_dtype(dtype: Any) -> None:
    """Checks that matrices of a dtype can be multiplied in groups.

    Raises:
        ValueError: it is neither bfloat16 nor float32.
    """
    if dtype not in (dtypes.bfloat16, np.float32):
        raise ValueError(f"Expected bfloat16 or float32 array but got {dtype}.")


def select_input_dtype(lhs: Any, rhs: Any) -> Any:
    """The dtype in which two matrices are multiplied."""
    if lhs.dtype == rhs.dtype == dtypes.bfloat16 and supports_bfloat16_matmul():
        return scalar_types.bfloat16
    return scalar_types.float32


def _check(lhs, rhs, group_sizes, rhs_rank):
    assert_is_supported_dtype(lhs.dtype)
    assert_is_supported_dtype(rhs.dtype)
    for name, array, rank in (("lhs", lhs, 2), ("rhs", rhs, rhs_rank)):
        if array.ndim != rank:
            raise ValueError(
                f"Expected {rank}-tensor for '{name}' but got {array.ndim}-tensor."
            )
    if group_sizes.dtype != np.int32:
        raise ValueError(
            f"Expected 32-bit integer 'group_sizes' but got {group_sizes.dtype}."
        )


def _check_tiles(tiling, m, k, n):
    tiles = tiling(m, k, n) if callable(tiling) else tiling
    if tiles is None:
        raise ValueError(f"No tuned tiling found for (m, k, n) = ({m}, {k}, {n})")
    if m % tiles[0]:
        raise ValueError(
            f"{m} must be divisible by x-dimension tile size ({tiles[0]})."
        )


def _first_group(group_offset):
    if group_offset is None:
        return np.int32(0)
    offset = jnp.asarray(group_offset)
    if offset.shape:
        raise ValueError(
            f"group_offset must be a ()-shaped array. Got: {offset.shape}."
        )
    return offset


def _offsets(group_sizes):
    """Where each group begins, and where the last one ends."""
    ends = jnp.cumsum(group_sizes)
    return jnp.concatenate([jnp.zeros(1, np.int32), ends]).astype(np.int32)


def make_group_metadata(
    *,
    group_sizes: Any,
    m: int,
    tm: int,
    start_group: Any,
    num_nonzero_groups: int,
    visit_empty_groups: bool = True,
) -> Any:
    """Which tiles of rows a kernel visits for which groups.

    Args:
        group_sizes: the number of rows of each group, int32.
        m: the number of rows.
        tm: the number of rows of a tile.
        start_group: the first group that is visited.
        num_nonzero_groups: the number of groups that are visited.
        visit_empty_groups: whether a group without rows visits a tile.

    Returns:
        A tuple and a number. The tuple: where each group begins (and the last one ends), and
        for each step its group and its tile; steps of visited groups come first. The number
        of steps that are taken.
    """
    groups = group_sizes.shape[0]
    tiles = m // tm
    offsets = _offsets(group_sizes)
    first = offsets[:-1] // tm
    several = (offsets[1:] - 1) // tm - first + 1
    counts = jnp.where(group_sizes > 0, several, int(visit_empty_groups))
    length = tiles + groups - 1
    ids = jnp.repeat(
        jnp.arange(groups, dtype=np.int32), counts, total_repeat_length=length
    )
    before = (jnp.cumsum(counts) - counts)[ids]
    step = jnp.arange(length, dtype=np.int32) - before
    tile_ids = jnp.clip(first[ids] + step, 0, tiles - 1).astype(np.int32)
    number = jnp.arange(groups)
    skipped = jnp.where(number < start_group, counts, 0).sum()
    visited = (number >= start_group) & (number < start_group + num_nonzero_groups)
    steps = jnp.where(visited, counts, 0).sum().astype(np.int32)
    return (offsets, jnp.roll(ids, -skipped), jnp.roll(tile_ids, -skipped)), steps


@ft.partial(
    jit_module.jit,
    static_argnames=("preferred_element_type", "tiling", "transpose_rhs", "interpret"),
)
def gmm(
    lhs: Any,
    rhs: Any,
    group_sizes: Any,
    preferred_element_type: Any = scalar_types.float32,
    tiling: tuple[int, int, int] | Callable[..., Any] | None = _TILING,
    group_offset: Any = None,
    existing_out: Any = None,
    transpose_rhs: bool = False,
    interpret: bool = False,
) -> Any:
    """Multiplies groups of rows each by a matrix of its own.

    Args:
        lhs: array of shape ``(m, k)``: the rows, group after group.
        rhs: array of shape ``(groups, k, n)``: a matrix for each group.
        group_sizes: the number of rows of each group, int32.
        preferred_element_type: the dtype of the result.
        tiling: the rows, contracted elements and columns of a tile, or a function that
            returns them; the rows of a tile must divide `m`.
        group_offset: the group that the first matrix is for.
        existing_out: the result for rows of groups without a matrix; None: zeros.
        transpose_rhs: whether the matrices are ``(n, k)``.
        interpret: accepted.

    Returns:
        Array of shape ``(m, n)``; rows after the last group are zero.

    Raises:
        ValueError: shapes or dtypes do not fit, or tiles do not divide the rows.
    """
    _check(lhs, rhs, group_sizes, 3)
    if existing_out is not None and existing_out.dtype != preferred_element_type:
        raise ValueError(
            "Existing output dtype must match preferred_element_type: "
            f"{existing_out.dtype}, {np.dtype(preferred_element_type)}."
        )
    if transpose_rhs:
        rhs = jnp.swapaxes(rhs, 1, 2)
    m, k = lhs.shape
    _check_tiles(tiling, m, k, rhs.shape[2])
    groups, present = group_sizes.shape[0], rhs.shape[0]
    first = _first_group(group_offset)
    if present != groups or group_offset is not None:
        padded = jnp.zeros((groups + present, *rhs.shape[1:]), rhs.dtype)
        rhs = lax.dynamic_update_slice(padded, rhs, (first, 0, 0))[:groups]
    dtype = select_input_dtype(lhs, rhs)
    out = ragged.ragged_dot(
        lhs.astype(dtype),
        rhs.astype(dtype),
        group_sizes,
        preferred_element_type=np.dtype(np.float32),
    ).astype(preferred_element_type)
    if existing_out is None:
        return out
    return jnp.where(_in_groups(m, group_sizes, first, present), out, existing_out)


def _in_groups(m, group_sizes, first, count):
    """Which of `m` rows belong to `count` groups, from the group `first` on: a column."""
    starts = _offsets(group_sizes)
    last = jnp.minimum(first + count, group_sizes.shape[0])
    row = jnp.arange(m)[:, None]
    return (row >= starts[first]) & (row < starts[last])


@ft.partial(
    jit_module.jit,
    static_argnames=(
        "preferred_element_type",
        "tiling",
        "num_actual_groups",
        "interpret",
    ),
)
def tgmm(
    lhs: Any,
    rhs: Any,
    group_sizes: Any,
    preferred_element_type: Any = scalar_types.float32,
    tiling: tuple[int, int, int] | Callable[..., Any] | None = _TILING,
    group_offset: Any = None,
    num_actual_groups: int | None = None,
    existing_out: Any = None,
    interpret: bool = False,
) -> Any:
    """Multiplies groups of columns each by the rows of the same group.

    Args:
        lhs: array of shape ``(k, m)``: the columns, group after group.
        rhs: array of shape ``(m, n)``: the rows.
        group_sizes: the number of rows of each group, int32.
        preferred_element_type: the dtype of the result.
        tiling: the rows, contracted elements and columns of a tile, or a function that
            returns them; the rows of a tile must divide `m`.
        group_offset: the first group whose product is computed.
        num_actual_groups: the number of groups whose products are computed.
        existing_out: an array that is added to the products.
        interpret: accepted.

    Returns:
        Array of shape ``(groups, k, n)``; the product of a group without rows is zero.

    Raises:
        ValueError: shapes or dtypes do not fit, or tiles do not divide the rows.
    """
    _check(lhs, rhs, group_sizes, 2)
    k, m = lhs.shape
    _check_tiles(tiling, m, k, rhs.shape[1])
    dtype = select_input_dtype(lhs, rhs)
    products = ragged.ragged_dot_general(
        lhs.astype(dtype),
        rhs.astype(dtype),
        group_sizes,
        _CONTRACTED_GROUPS,
        preferred_element_type=np.dtype(np.float32),
    )
    count = group_sizes.shape[0] if num_actual_groups is None else num_actual_groups
    if group_offset is not None or count != group_sizes.shape[0]:
        start = _first_group(group_offset)
        products = lax.dynamic_slice_in_dim(products, start, count, 0)
    if existing_out is not None:
        products = products + existing_out
    return products.astype(preferred_element_type)


def _gmm(
    lhs,
    rhs,
    group_sizes,
    preferred_element_type=scalar_types.float32,
    tiling=_TILING,
    group_offset=None,
    existing_out=None,
    transpose_rhs=False,
    interpret=False,
):
    """Multiplies groups of rows each by a matrix of its own; see `gmm`.

    Its derivatives by both operands are such products too, of the same tiles.
    """
    return gmm(
        lhs,
        rhs,
        group_sizes,
        preferred_element_type,
        tiling,
        group_offset,
        existing_out,
        transpose_rhs=transpose_rhs,
        interpret=interpret,
    )


_gmm.__name__ = _gmm.__qualname__ = "gmm"
differentiable_gmm = custom_vjp_module.custom_vjp(_gmm, nondiff_argnums=(3, 4, 7, 8))


def _forward(
    lhs,
    rhs,
    group_sizes,
    preferred_element_type=scalar_types.float32,
    tiling=_TILING,
    group_offset=None,
    existing_out=None,
    transpose_rhs=False,
    interpret=False,
):
    out = _gmm(
        lhs,
        rhs,
        group_sizes,
        preferred_element_type,
        tiling,
        group_offset,
        existing_out,
        transpose_rhs,
        interpret,
    )
    return out, (lhs, rhs, group_sizes, group_offset, existing_out is not None)


def _backward(preferred_element_type, tiling, transpose_rhs, interpret, residuals, ct):
    lhs, rhs, group_sizes, group_offset, has_existing = residuals
    to_lhs = gmm(
        ct,
        rhs,
        group_sizes,
        lhs.dtype.type,
        tiling,
        group_offset,
        transpose_rhs=not transpose_rhs,
        interpret=interpret,
    )
    to_rhs = tgmm(
        jnp.swapaxes(lhs, 0, 1),
        ct,
        group_sizes,
        rhs.dtype.type,
        tiling,
        group_offset,
        rhs.shape[0],
        interpret=interpret,
    )
    if transpose_rhs:
        to_rhs = jnp.swapaxes(to_rhs, 1, 2)
    to_existing = None
    if has_existing:
        first = _first_group(group_offset)
        computed = _in_groups(lhs.shape[0], group_sizes, first, rhs.shape[0])
        to_existing = jnp.where(computed, 0, ct)
    return to_lhs, to_rhs, None, None, to_existing


differentiable_gmm.defvjp(_forward, _backward)
