"""Products of two sparse arrays, whose stored elements meet in pairs."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core.symbols import expressions
from jax._src.numpy import numpy_api as jnp, operands
from jax._src.sparse import (
    batches,
    bcoo,
    conversion,
    indices as indices_lib,
    layouts,
    programs,
    relayout,
)


def _facts(lhs, rhs, numbers):
    return [("lhs", repr(lhs)), ("rhs", repr(rhs)), ("dimension_numbers", str(numbers))]


def _refuse(rule, *facts):
    what = "bcoo_dot_general: this product of sparse arrays is not possible."
    raise errors.not_implemented(what, _facts(*facts), rule)


def _check(lhs, rhs, numbers):
    (lc, rc), (lb, rb) = numbers
    facts = lhs, rhs, numbers
    if lhs.n_dense or rhs.n_dense:
        _refuse("Neither has dense dimensions: bcoo_update_layout(n_dense=0).", *facts)
    if any(d >= lhs.n_batch for d in lb) or any(d >= rhs.n_batch for d in rb):
        _refuse("Batch dimensions of the product are such of both layouts.", *facts)
    if any(d < lhs.n_batch for d in lc) or any(d < rhs.n_batch for d in rc):
        _refuse("What is contracted is sparse in both.", *facts)
    has_left = lhs.n_sparse > len(lc)
    if has_left and rhs.n_batch > len(rb):
        what = (
            "bcoo_dot_general: batch dimensions would follow sparse ones in the result."
        )
        rule = "Make them sparse: bcoo_update_layout(n_batch=…)."
        raise errors.value_error(what, _facts(*facts), rule)


def _samples():
    data = np.array([1.0, 2, 3], np.float32)
    indices = np.array([[0, 1], [1, 0], [1, 2]], np.int32)
    params = {
        "dimension_numbers": (((1,), (1,)), ((), ())),
        "preferred_element_type": None,
        "lhs_spinfo": layouts.SparseInfo((2, 3)),
        "rhs_spinfo": layouts.SparseInfo((2, 3)),
    }
    return [programs.sample([data, indices, data, indices], **params)]


def _columns(mat_shape, n_batch, contracted):
    """Columns of indices: those contracted, those that are free, and their sizes."""
    taken = [d - n_batch for d in contracted]
    free = [k for k in range(len(mat_shape) - n_batch) if k not in taken]
    return taken, free, tuple(mat_shape[n_batch + k] for k in free)


@programs.named("bcoo_spdot_general", several=True, samples=_samples)
def bcoo_spdot_general_p(
    lhs_data,
    lhs_indices,
    rhs_data,
    rhs_indices,
    *,
    lhs_spinfo,
    rhs_spinfo,
    dimension_numbers,
    preferred_element_type,
):
    """The stored elements of the product of two sparse arrays."""
    (lc, rc), (lb, rb) = dimension_numbers
    dtype = preferred_element_type or jnp.result_type(lhs_data, rhs_data)
    n_left, n_right = lhs_indices.ndim - 2, rhs_indices.ndim - 2
    left, left_free, left_sizes = _columns(lhs_spinfo.shape, n_left, lc)
    right, right_free, right_sizes = _columns(rhs_spinfo.shape, n_right, rc)
    sizes = (*left_sizes, *right_sizes)

    def one(lhs_data, lhs_indices, rhs_data, rhs_indices):
        lhs_indices = indices_lib.wrapped(lhs_indices, lhs_spinfo.shape[n_left:])
        rhs_indices = indices_lib.wrapped(rhs_indices, rhs_spinfo.shape[n_right:])
        match = indices_lib.meet(
            indices_lib.take(lhs_indices, left), indices_lib.take(rhs_indices, right)
        )
        lhs_in = indices_lib.in_bounds(lhs_indices, lhs_spinfo.shape[n_left:])
        rhs_in = indices_lib.in_bounds(rhs_indices, rhs_spinfo.shape[n_right:])
        match &= lhs_in[:, None] & rhs_in[None, :]
        values = lhs_data[:, None] * rhs_data[None, :]
        values = jnp.where(match, values, jnp.zeros((), values.dtype))
        if not left_free:
            values = values.sum(0, keepdims=True, dtype=dtype)
            match = match.any(0, keepdims=True)
        if not right_free:
            values = values.sum(1, keepdims=True, dtype=dtype)
            match = match.any(1, keepdims=True)
        shape = values.shape
        parts = []
        if left_free:
            part = indices_lib.take(lhs_indices, left_free)[:, None]
            parts.append(jnp.broadcast_to(part, (*shape, len(left_free))))
        if right_free:
            part = indices_lib.take(rhs_indices, right_free)[None]
            parts.append(jnp.broadcast_to(part, (*shape, len(right_free))))
        count = math.prod(shape)
        if not parts:
            return values.reshape(1), jnp.zeros((1, 0), lhs_indices.dtype)
        rows = jnp.concatenate(parts, -1).reshape((count, len(sizes)))
        return values.reshape(count), indices_lib.padded(
            rows, match.reshape(count), sizes
        )

    run = _over_batches(one, n_left, n_right, lb, rb)
    lhs_data, rhs_data = (
        operands.convert(lhs_data, dtype),
        operands.convert(rhs_data, dtype),
    )
    order_left = (*lb, *(d for d in range(n_left) if d not in lb))
    order_right = (*rb, *(d for d in range(n_right) if d not in rb))

    def moved(x, order, n):
        return jnp.transpose(x, (*order, *range(n, x.ndim)))

    return list(
        run(
            moved(lhs_data, order_left, n_left),
            moved(lhs_indices, order_left, n_left),
            moved(rhs_data, order_right, n_right),
            moved(rhs_indices, order_right, n_right),
        )
    )


def _over_batches(run, n_left, n_right, lb, rb):
    """Shared batch dimensions first, then those of the left side, then of the right."""
    for _ in range(n_right - len(rb)):
        run = batches.broadcasting_vmap(run, in_axes=(None, None, 0, 0))
    for _ in range(n_left - len(lb)):
        run = batches.broadcasting_vmap(run, in_axes=(0, 0, None, None))
    for _ in lb:
        run = batches.broadcasting_vmap(run)
    return run


def both_sparse(
    lhs: bcoo.BCOO, rhs: bcoo.BCOO, numbers: Any, dtype: Any, times_dense: Callable
) -> bcoo.BCOO:
    """The product of two sparse arrays, as `bcoo_dot_general` makes it.

    `times_dense` multiplies a sparse array and a dense one.
    """
    _check(lhs, rhs, numbers)
    (lc, rc), (lb, rb) = numbers
    lhs_free = [d for d in range(lhs.ndim) if d not in (*lc, *lb)]
    rhs_free = [d for d in range(rhs.ndim) if d not in (*rc, *rb)]
    shape = (
        *(lhs.shape[d] for d in lb),
        *(lhs.shape[d] for d in lhs_free),
        *(rhs.shape[d] for d in rhs_free),
    )
    n_batch = len(lb) + sum(d < lhs.n_batch for d in lhs_free)
    n_batch += sum(d < rhs.n_batch for d in rhs_free)
    room = math.prod(shape[n_batch:])
    pairs = lhs.nse if lhs.n_sparse > len(lc) else 1
    pairs *= rhs.nse if rhs.n_sparse > len(rc) else 1
    if expressions.is_certain(lambda: pairs > room):
        dense = conversion.bcoo_todense(rhs)
        return _crowded(
            times_dense(lhs, dense, numbers, None, dtype), lhs, n_batch, room
        )
    data, indices = bcoo_spdot_general_p.bind(
        lhs.data,
        lhs.indices,
        rhs.data,
        rhs.indices,
        lhs_spinfo=lhs._info,
        rhs_spinfo=rhs._info,
        dimension_numbers=numbers,
        preferred_element_type=dtype,
    )
    return bcoo.BCOO((data, indices), shape=shape)


def _crowded(product, lhs, n_batch, room):
    """With more pairs than elements in the result, the right side may as well be dense."""
    made = conversion.bcoo_fromdense(
        product, nse=room, n_batch=n_batch, index_dtype=lhs.indices.dtype
    )
    return bcoo.BCOO((made.data, made.indices), shape=made.shape)


def bcoo_multiply_sparse(lhs: bcoo.BCOO, rhs: bcoo.BCOO) -> bcoo.BCOO:
    """The elementwise product of two sparse arrays.

    Args:
        lhs: BCOO.
        rhs: BCOO with equally many dimensions, and dense ones. Sizes of 1 grow to those
            of the other.

    Returns:
        A BCOO with the smaller number of batch dimensions, which stores the product of
        every pair of stored elements: 0 where their indices differ.

    Raises:
        TypeError: the numbers of dimensions differ.
        ValueError: the sizes do not fit.
        NotImplementedError: the numbers of dense dimensions differ.
    """
    facts = [("lhs", repr(lhs)), ("rhs", repr(rhs))]
    if lhs.ndim != rhs.ndim:
        what = "bcoo_multiply_sparse: the numbers of dimensions differ."
        raise errors.type_error(what, facts)
    shape = operands.broadcast_shapes("bcoo_multiply_sparse", lhs.shape, rhs.shape)
    if lhs.n_dense != rhs.n_dense:
        what = "bcoo_multiply_sparse: the numbers of dense dimensions differ."
        ways = "Make them equal: bcoo_update_layout(n_dense=…)."
        raise errors.not_implemented(what, facts, ways=ways)
    n_batch = min(lhs.n_batch, rhs.n_batch)
    lhs = relayout.bcoo_update_layout(lhs, n_batch=n_batch)
    rhs = relayout.bcoo_update_layout(rhs, n_batch=n_batch)
    dtype = jnp.result_type(lhs.dtype, rhs.dtype)
    sizes = [m._kinds.sparse for m in (lhs, rhs)]
    grown = batches.broadcast_sizes(sizes)
    # The dimensions that are contracted or batched, and those that come from the right.
    alike = [k for k, (a, b) in enumerate(zip(*sizes, strict=True)) if a == b]
    is_right = np.array([a != b for a, b in zip(sizes[0], grown, strict=True)], bool)

    def one(lhs_data, lhs_indices, rhs_data, rhs_indices):
        lhs_indices = indices_lib.wrapped(lhs_indices, sizes[0])
        rhs_indices = indices_lib.wrapped(rhs_indices, sizes[1])
        match = indices_lib.meet(
            *(indices_lib.take(m, alike) for m in (lhs_indices, rhs_indices))
        )
        match &= indices_lib.in_bounds(lhs_indices, sizes[0])[:, None]
        match &= indices_lib.in_bounds(rhs_indices, sizes[1])[None, :]
        values = lhs_data[:, None] * rhs_data[None, :]
        keep = match.reshape(match.shape + (1,) * (values.ndim - 2))
        values = jnp.where(keep, values, jnp.zeros((), values.dtype))
        rows = jnp.where(is_right, rhs_indices[None, :], lhs_indices[:, None])
        count = math.prod(match.shape)
        rows = rows.reshape((count, lhs_indices.shape[1]))
        return (
            values.reshape((count, *values.shape[2:])),
            indices_lib.padded(rows, match.reshape(count), grown),
        )

    data, indices = batches.over(
        n_batch,
        one,
        operands.convert(lhs.data, dtype),
        lhs.indices,
        operands.convert(rhs.data, dtype),
        rhs.indices,
    )
    return bcoo.BCOO((data, indices), shape=shape)


def bcoo_multiply_dense(sp_mat: bcoo.BCOO, v: Any) -> Any:
    """The data of the elementwise product of a sparse array and a dense one.

    Args:
        sp_mat: the array.
        v: array that broadcasts to its shape.

    Returns:
        Data for the indices of `sp_mat`, of the promoted dtype.

    Raises:
        ValueError: the shapes do not broadcast together.
        NotImplementedError: the product would have another shape than `sp_mat`.
    """
    v = jnp.asarray(v)
    shape = sp_mat.shape
    if operands.broadcast_shapes("bcoo_multiply_dense", shape, v.shape) != shape:
        raise errors.not_implemented(
            "bcoo_multiply_dense: the dense array does not broadcast to the shape of "
            "the sparse one.",
            [("sparse", repr(sp_mat)), ("dense", str(v.shape))],
            ways="Make it sparse: in products with BCOO.fromdense(v), sizes of 1 grow.",
        )
    data, v = operands.promote_dtypes(sp_mat.data, v)
    if not v.ndim:
        return data * v
    v = v.reshape((1,) * (len(shape) - v.ndim) + v.shape)
    n_batch = sp_mat.n_batch
    parts = sp_mat._kinds

    def one(data, indices, v):
        v = jnp.broadcast_to(v, (*parts.sparse, *v.shape[len(parts.sparse) :]))
        return data * indices_lib.read(v, indices)

    return batches.over(n_batch, one, data, sp_mat.indices, v)
