"""Convolutions of sparse arrays."""

import math
from collections.abc import Sequence
from typing import Any

from jax._src.base import errors
from jax._src.lax.ops import convolution
from jax._src.numpy import numpy_api as jnp, operands
from jax._src.sparse import bcoo, efficiency, indices, relayout, shaping


def bcoo_conv_general_dilated(
    lhs: bcoo.BCOO,
    rhs: bcoo.BCOO,
    *,
    window_strides: Sequence[int],
    padding: Any,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> bcoo.BCOO:
    """The convolution of two sparse arrays along one spatial dimension.

    Args:
        lhs: BCOO with one batch and one channel.
        rhs: BCOO with one channel in and one out.
        window_strides: ``(1,)``.
        padding: ``"SAME"``, ``"VALID"``, or the pair of numbers of zeros around `lhs`.
        lhs_dilation: None or ``(1,)``.
        rhs_dilation: None or ``(1,)``.
        dimension_numbers: None or what stands for it.
        feature_group_count: 1.
        batch_group_count: 1.
        precision: not used.
        preferred_element_type: the dtype of the result; None: promoted of both.
        out_sharding: must be None.

    Returns:
        A BCOO with two batch dimensions, which stores the product of every pair of
        elements.

    Raises:
        NotImplementedError: anything else is requested.
        SparseEfficiencyError: there are several batches, which are no batch dimensions.
    """
    numbers = convolution.conv_dimension_numbers(
        lhs.shape, rhs.shape, dimension_numbers
    )
    facts = [
        ("lhs", repr(lhs)),
        ("rhs", repr(rhs)),
        ("window_strides", str(window_strides)),
        ("groups", f"{feature_group_count}, {batch_group_count}"),
    ]
    settings = (*window_strides, *(lhs_dilation or ()), *(rhs_dilation or ()))
    if lhs.shape[numbers.lhs_spec[0]] != 1 and not lhs.n_batch:
        what = "bcoo_conv_general_dilated: several batches are no batch dimensions."
        ways = "Change the layout: bcoo_update_layout(n_batch=1)."
        raise efficiency.SparseEfficiencyError(errors.explain(what, facts, ways=ways))
    is_plain = numbers == convolution.conv_dimension_numbers(lhs.shape, rhs.shape, None)
    if lhs.ndim != 3 or rhs.ndim != 3:
        what = "bcoo_conv_general_dilated: there is one spatial dimension."
        raise errors.value_error(what, facts)
    if (
        any(s != 1 for s in (*settings, feature_group_count, batch_group_count))
        or not is_plain
        or out_sharding is not None
        or (*lhs.shape[:2], *rhs.shape[:2]) != (1, 1, 1, 1)
    ):
        raise errors.not_implemented(
            "bcoo_conv_general_dilated: this convolution is not possible.",
            facts,
            "Sparse convolutions have one batch, one channel, one spatial dimension, "
            "and strides, dilations and groups of 1.",
            "Use dense arrays: todense().",
        )
    before, after = _padding(padding, lhs.shape[2], rhs.shape[2])
    return _convolved(lhs, rhs, before, after, preferred_element_type)


def _padding(padding, size, window):
    if not isinstance(padding, str):
        ((before, after),) = padding
        return int(before), int(after)
    if padding.upper() == "VALID":
        return 0, 0
    total = max(window - 1, 0)
    return (
        (total // 2, total - total // 2)
        if padding.upper() == "SAME"
        else (
            total - total // 2,
            total // 2,
        )
    )


def _convolved(lhs, rhs, before, after, preferred):
    size, window = lhs.shape[2], rhs.shape[2]
    length = size + before + after - window + 1
    dtype = preferred or jnp.result_type(lhs.dtype, rhs.dtype)
    left, right = (_vector(lhs), _vector(rhs))
    inside = indices.in_bounds(left.indices, (size,))[:, None]
    inside &= indices.in_bounds(right.indices, (window,))[None, :]
    position = left.indices[:, 0][:, None] - right.indices[:, 0][None, :] + before
    inside &= (position >= 0) & (position < length)
    a, b = operands.convert(left.data, dtype), operands.convert(right.data, dtype)
    values = a[:, None] * b[None, :]
    count = math.prod(values.shape)
    values = jnp.where(inside, values, jnp.zeros((), values.dtype)).reshape(count)
    rows = indices.padded(
        position.reshape((count, 1)), inside.reshape(count), (length,)
    )
    room = max(length, 0)
    made = bcoo.BCOO((values, rows.astype(lhs.indices.dtype)), shape=(room,))
    return bcoo.BCOO(
        (made.data[None, None], made.indices[None, None]), shape=(1, 1, room)
    )


def _vector(mat):
    """The one spatial dimension, sparse and without a batch."""
    mat = relayout.bcoo_update_layout(mat, n_batch=0, n_dense=0, on_inefficient=None)
    return shaping.bcoo_squeeze(mat, dimensions=(0, 1))
