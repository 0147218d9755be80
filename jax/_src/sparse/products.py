"""Products of sparse and dense arrays: rows are read, multiplied, and added up."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.lax.ops import dot
from jax._src.numpy import numpy_api as jnp, operands
from jax._src.sparse import (
    batches,
    bcoo,
    indices as indices_lib,
    layouts,
    programs,
    sparse_products,
    times_dense,
)

Numbers = tuple[
    tuple[Sequence[int], Sequence[int]], tuple[Sequence[int], Sequence[int]]
]


def _as_ints(numbers):
    (lc, rc), (lb, rb) = numbers
    return tuple(
        tuple(tuple(operator.index(d) for d in dims) for dims in pair)
        for pair in ((lc, rc), (lb, rb))
    )


def check_numbers(name: str, lhs: Any, rhs: Any, numbers: Numbers) -> Numbers:
    """The dimension numbers as tuples.

    Raises:
        TypeError: the dimensions that they pair are none, or differ in size.
    """
    (lc, rc), (lb, rb) = numbers = _as_ints(numbers)
    facts = [
        ("lhs", str(lhs.shape)),
        ("rhs", str(rhs.shape)),
        ("dimension_numbers", str(numbers)),
    ]
    for dims, mat in (((*lc, *lb), lhs), ((*rc, *rb), rhs)):
        if len(set(dims)) != len(dims) or any(not 0 <= d < mat.ndim for d in dims):
            rule = "Each dimension is named once, and counted from 0."
            raise errors.type_error(f"{name}: wrong dimensions.", facts, rule)
    same = len(lc) == len(rc) and len(lb) == len(rb)
    if not same or any(
        lhs.shape[a] != rhs.shape[b]
        for a, b in zip((*lc, *lb), (*rc, *rb), strict=True)
    ):
        rule = "Dimensions that are multiplied together have one size."
        raise errors.type_error(f"{name}: the sizes differ.", facts, rule)
    return numbers


def _one_element(data, indices, rhs, layout):
    """The product of one element of the batch; see `_Layout` for the dimensions."""
    if data.ndim == len(layout.kept) == len(layout.paired) == 1:
        return times_dense.times_dense(
            data,
            indices,
            indices,
            rhs,
            rows=layout.kept_sizes[0],
            form="sorted" if layout.is_sorted else "coordinates",
            numbers=(*layout.kept, *layout.paired),
        )
    paired = indices_lib.take(indices, layout.paired)
    rows = indices_lib.read(rhs, paired)
    if layout.dense_pairs or data.ndim > 1:
        contracted, batch = layout.dense_numbers
        values = dot.dot_general(
            data,
            rows,
            (contracted, batch),
            precision=layout.precision,
            preferred_element_type=rows.dtype,
        )
    else:
        values = data.reshape((data.shape[0],) + (1,) * (rows.ndim - 1)) * rows
    kept = indices_lib.take(indices, layout.kept)
    return indices_lib.add_up((*layout.kept_sizes, *values.shape[1:]), kept, values)


class _Layout:
    """Which dimension of which operand is what in a product.

    The dimensions of the right side are ordered so: those paired with batch dimensions of
    the layout, those paired with sparse dimensions, and the rest.
    """

    def __init__(self, spinfo, n_batch, n_sparse, rhs_shape, numbers, precision):
        (lc, rc), (lb, rb) = numbers
        pairs = dict(zip((*lc, *lb), (*rc, *rb), strict=True))
        end, ndim = n_batch + n_sparse, len(spinfo.shape)
        self.precision = precision
        self.shape = spinfo.shape
        self.batch_pairs = [pairs.get(d) for d in range(n_batch)]
        sparse = range(n_batch, end)
        self.paired = [d - n_batch for d in sparse if d in pairs]
        self.kept = [d - n_batch for d in sparse if d not in lc]
        self.kept_sizes = [spinfo.shape[n_batch + k] for k in self.kept]
        self.is_sorted = spinfo.indices_sorted and self.kept[:1] == [0]
        self.dense_pairs = [d for d in range(end, ndim) if d in pairs]
        first = [p for p in self.batch_pairs if p is not None]
        first += [pairs[n_batch + k] for k in self.paired]
        rest = [d for d in range(len(rhs_shape)) if d not in first]
        self.rhs_order = (*first, *rest)
        dim_of = {d: 1 + k for k, d in enumerate(rest)}
        contracted = [d for d in self.dense_pairs if d in lc]
        batch = [d for d in self.dense_pairs if d in lb]
        self.dense_numbers = (
            ([d - end + 1 for d in contracted], [dim_of[pairs[d]] for d in contracted]),
            (
                [0, *(d - end + 1 for d in batch)],
                [0, *(dim_of[pairs[d]] for d in batch)],
            ),
        )
        # What the axes of the product are: dimensions of the left side, then of the right.
        free = [d for d in range(end, ndim) if d not in pairs]
        rhs_free = [d for d in rest if d not in (*rc, *rb)]
        self.axes = [
            *range(n_batch),
            *(n_batch + k for k in self.kept),
            *batch,
            *free,
            *(ndim + d for d in rhs_free),
        ]
        self.summed = tuple(d for d in range(n_batch) if d in lc)
        lhs_free = [d for d in range(ndim) if d not in (*lc, *lb)]
        self.wanted = [*lb, *lhs_free, *(ndim + d for d in rhs_free)]


def _samples():
    data = np.array([1.0, 2, 3], np.float32)
    indices = np.array([[0, 1], [1, 0], [1, 2]], np.int32)
    rhs = np.arange(6, dtype=np.float32).reshape(3, 2)
    params = {
        "dimension_numbers": (((1,), (0,)), ((), ())),
        "preferred_element_type": None,
        "precision": None,
        "lhs_spinfo": layouts.SparseInfo((2, 3)),
    }
    return [programs.sample([data, indices, rhs], **params)]


@programs.named("bcoo_dot_general", samples=_samples)
def bcoo_dot_general_p(
    lhs_data,
    lhs_indices,
    rhs,
    *,
    dimension_numbers,
    preferred_element_type,
    lhs_spinfo,
    precision=None,
):
    """The dense product of a sparse array and a dense one."""
    n_batch, n_sparse = lhs_indices.ndim - 2, lhs_indices.shape[-1]
    dtype = preferred_element_type or jnp.result_type(lhs_data, rhs)
    data, rhs = operands.convert(lhs_data, dtype), operands.convert(rhs, dtype)
    layout = _Layout(
        lhs_spinfo, n_batch, n_sparse, rhs.shape, dimension_numbers, precision
    )
    rhs = jnp.transpose(rhs, layout.rhs_order)

    def run(data, indices, rhs):
        return _one_element(data, indices, rhs, layout)

    for pair in reversed(layout.batch_pairs):
        axes = (0, 0, None if pair is None else 0)
        run = batches.broadcasting_vmap(run, in_axes=axes)
    out = run(data, lhs_indices, rhs)
    full = (*lhs_spinfo.shape[:n_batch], *out.shape[n_batch:])
    out = jnp.broadcast_to(out, full)
    axes = layout.axes
    if layout.summed:
        out = out.sum(layout.summed, dtype=out.dtype)
        axes = [a for a in axes if a not in layout.summed]
    order = [axes.index(a) for a in layout.wanted]
    return out if order == sorted(order) else jnp.transpose(out, order)


def bcoo_dot_general(
    lhs: Any,
    rhs: Any,
    *,
    dimension_numbers: Numbers,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Any:
    """The product of two arrays, of which one or both are sparse.

    Args:
        lhs: BCOO or array.
        rhs: BCOO or array.
        dimension_numbers: ``((lhs contracted, rhs contracted), (lhs batch, rhs batch))``,
            as in `lax.dot_general`.
        precision: of the products of dense dimensions.
        preferred_element_type: the dtype of the result; None: promoted of both.
        out_sharding: must be None.

    Returns:
        An array; a BCOO if both are sparse, which stores as many elements as there are
        pairs of stored elements, or as the result has.

    Raises:
        TypeError: the sizes of paired dimensions differ.
        NotImplementedError: of two sparse arrays, batch dimensions of the product must be
            batch dimensions of both, and what is contracted must be sparse in both.
    """
    if out_sharding is not None:
        raise NotImplementedError("bcoo_dot_general: out_sharding must be None.")
    is_left, is_right = isinstance(lhs, bcoo.BCOO), isinstance(rhs, bcoo.BCOO)
    lhs = lhs if is_left else jnp.asarray(lhs)
    rhs = rhs if is_right else jnp.asarray(rhs)
    numbers = check_numbers("bcoo_dot_general", lhs, rhs, dimension_numbers)
    dtype = None if preferred_element_type is None else np.dtype(preferred_element_type)
    if is_left and is_right:
        return sparse_products.both_sparse(lhs, rhs, numbers, dtype, _with_dense)
    if is_left:
        return _with_dense(lhs, rhs, numbers, precision, dtype)
    if not is_right:
        return dot.dot_general(lhs, rhs, numbers, precision, dtype)
    (lc, rc), (lb, rb) = numbers
    out = _with_dense(rhs, lhs, ((rc, lc), (rb, lb)), precision, dtype)
    # The free dimensions of the sparse side come first now.
    n_batch, n_sparse_side = len(lb), rhs.ndim - len(rc) - len(rb)
    order = [
        *range(n_batch),
        *range(n_batch + n_sparse_side, out.ndim),
        *range(n_batch, n_batch + n_sparse_side),
    ]
    return jnp.transpose(out, order)


def _with_dense(lhs, rhs, numbers, precision, dtype):
    return bcoo_dot_general_p.bind(
        lhs.data,
        lhs.indices,
        rhs,
        dimension_numbers=numbers,
        preferred_element_type=dtype,
        lhs_spinfo=lhs._info,
        **({} if precision is None else {"precision": precision}),
    )


def _sampled_samples():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    indices = np.array([[0, 1], [1, 0]], np.int32)
    numbers = (((1,), (1,)), ((), ()))
    return [programs.sample([a, a + 1, indices], dimension_numbers=numbers)]


@programs.named("bcoo_dot_general_sampled", samples=_sampled_samples)
def bcoo_dot_general_sampled_p(A, B, indices, *, dimension_numbers):
    """The elements at indices of the product of two dense arrays."""
    (lc, rc), (lb, rb) = dimension_numbers
    lhs_free = dot.free_axes(A.ndim, lc, lb)
    rhs_free = dot.free_axes(B.ndim, rc, rb)
    n_sparse = indices.shape[-1]
    if indices.ndim == 2 and not lb and n_sparse == len(lhs_free) + len(rhs_free):
        # Only the rows are read whose products are wanted.
        count = len(lhs_free)
        a = indices_lib.read(jnp.transpose(A, (*lhs_free, *lc)), indices[:, :count])
        b = indices_lib.read(jnp.transpose(B, (*rhs_free, *rc)), indices[:, count:])
        axes = tuple(range(1, a.ndim))
        return dot.dot_general(a, b, ((axes, axes), ((0,), (0,))))
    full = dot.dot_general(A, B, dimension_numbers)
    return batches.over(
        indices.ndim - 2,
        lambda rows, dense: indices_lib.read(dense, rows),
        indices,
        full,
    )


def bcoo_dot_general_sampled(
    A: Any, B: Any, indices: Any, *, dimension_numbers: Numbers
) -> Any:
    """Samples the product of two dense arrays at some indices.

    Args:
        A: array.
        B: array.
        indices: the indices, as a BCOO has them, of shape ``(*batch, nse, n_sparse)``.
        dimension_numbers: as in `lax.dot_general`.

    Returns:
        The data of shape ``(*batch, nse, *dense)``, 0 at indices out of bounds.
    """
    A, B = operands.promote_dtypes(jnp.asarray(A), jnp.asarray(B))
    numbers = check_numbers("bcoo_dot_general_sampled", A, B, dimension_numbers)
    return bcoo_dot_general_sampled_p.bind(
        A, B, jnp.asarray(indices), dimension_numbers=numbers
    )
