"""LU factors with row exchanges, and the permutations that exchanges make."""

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.core.symbols.expressions import min_dim
from jax._src.interpreters import ad, mlir
from jax._src.lax.control_flow.fori_loop_and_map import fori_loop
from jax._src.lax.linalg import lapack, matrices
from jax._src.lax.linalg.portable import factors, tools
from jax._src.lax.linalg.triangular import solve_many
from jax._src.lax.ops import splitting
from jax._src.lax.ops.arithmetic import add
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_in_dim, expand_dims
from jax._src.lax.ops.comparison import eq
from jax._src.lax.ops.creation import broadcasted_iota, full_like
from jax._src.lax.ops.dynamic_slicing import (
    dynamic_index_in_dim,
    dynamic_update_index_in_dim,
)
from jax._src.lax.ops.gather import (
    GatherDimensionNumbers,
    GatherScatterMode,
    gather,
)
from jax._src.lax.ops.messages import type_error, value_error
from jax._src.lax.ops.resharding import alike
from jax._src.lax.ops.selection import select
from jax._src.lax.ops.slicing_padding import pad, slice as slice_array
from jax._src.lax.ops.sorting import take_along

Array = Any


def taken_rows(x: Array, order: Array) -> Array:
    """The rows of matrices in another order.

    Args:
        x: array of shape ``(..., m, n)``.
        order: array of shape ``(..., k)`` with numbers of rows.

    Returns:
        Array of shape ``(..., k, n)``.
    """
    last = np.ndim(x) - 1
    batch = tuple(range(last - 1))
    numbers = GatherDimensionNumbers((last,), (last - 1,), (last - 1,), batch, batch)
    return gather(
        x,
        expand_dims(order, (last,)),
        numbers,
        (*(min(1, n) for n in np.shape(x)[:-1]), np.shape(x)[-1]),
        mode=GatherScatterMode.PROMISE_IN_BOUNDS,
    )


@declare("lu", multiple_results=True)
class lu_p:
    """``x`` with exchanged rows as a lower times an upper triangular matrix."""

    def types(x):
        matrices.check_matrices("lu", x)
        *batch, m, n = x.shape
        least = ShapedArray((*batch, min_dim(m, n)), np.dtype(np.int32))
        return [
            ShapedArray(x.shape, x.dtype),
            least,
            least.update(shape=(*batch, m)),
        ]

    sharding = splitting.batch_only("lu")

    lower = tools.lowering(factors.lu, 2)

    def _lower_cpu(ctx, x):
        aval = ctx.avals_in[0]
        *_, m, n = aval.shape
        batch = aval.ndim - 2
        integer = np.int32
        results = [((m, n), aval.dtype), ((min_dim(m, n),), integer), ((), integer)]
        factors, pivots, info = lapack.call(
            ctx, "getrf", aval.dtype, batch, [x], results
        )
        del info  # Positive for a singular matrix, whose factors are right.
        return mlir.lower_fun(ft.partial(_from_one, size=m))(
            ctx.replace(avals_in=ctx.avals_out[:2]), factors, pivots
        )

    lower_platforms = {"cpu": _lower_cpu}

    jvp = (lambda t, x, *, out: _lu_tangents(t, x, *out),)
    batch = matrices.batched_in_front(lambda x: lu_p.bind(x), 3)

    def reference(x):
        return lapack.each_matrix(_eliminate, x, ndims=[2])

    ulp = 1024

    def samples():
        x = np.float32([[1.0, 4.0, -2.0], [3.0, 0.5, 1.0], [-2.0, 1.5, 5.0]])
        z = (x + 1j * np.roll(x, 2)).astype(np.complex64)
        return [
            Sample((x,)),
            Sample((x[:2].copy(),)),
            Sample((x[:, :2].copy(),)),
            Sample((np.stack([x, x.T]),)),
            Sample((z,)),
            Sample((np.zeros((2, 0), np.float32),)),
        ]


def _from_one(factors, pivots, *, size):
    """Pivots and permutation, counted from 0 where LAPACK counts from 1."""
    pivots = add(pivots, np.int32(-1))
    return [factors, pivots, _permutation(pivots, size)]


def _lu_tangents(t, x, factors, pivots, order):
    """From P A = L U: L^-1 P dA U^-1 = L^-1 dL + dU U^-1, strictly lower plus upper.

    The narrow side is filled up to a square matrix with ones on its diagonal.
    """
    m, n = np.shape(x)[-2:]
    k = min_dim(m, n)
    lower = _filled(factors, m, k, strictly_lower=True)
    upper = _filled(factors, n, k, strictly_lower=False)
    moved = taken_rows(t, order)
    inner = solve_many(lower, moved, lower=True, unit_diagonal=True)
    inner = solve_many(upper, inner, left_side=False)
    tangent = add(
        matrices.product(lower, matrices.lower_triangle(inner, -1)),
        matrices.product(matrices.upper_triangle(inner), upper),
    )
    return [tangent, ad.zero_tangent(pivots), ad.zero_tangent(order)]


def _filled(factors, size, k, *, strictly_lower):
    """One of the factors as a square matrix of the given size."""
    ndim = np.ndim(factors)
    limits = list(np.shape(factors))
    limits[-1 if strictly_lower else -2] = k
    part = slice_array(factors, [0] * ndim, limits)
    part = (
        matrices.lower_triangle(part, -1)
        if strictly_lower
        else matrices.upper_triangle(part)
    )
    missing = size - k
    config = [(0, 0, 0)] * (ndim - 2) + [
        (0, 0 if strictly_lower else missing, 0),
        (0, missing if strictly_lower else 0, 0),
    ]
    part = pad(part, matrices.full_scalar(part, 0), config)
    diagonal = np.eye(size, dtype=bool)
    if not strictly_lower:
        diagonal[:k] = False
    mask = broadcast_in_dim(diagonal, np.shape(part), (ndim - 2, ndim - 1))
    return select(*alike("select", mask, full_like(part, 1), part))


def _eliminate(x):
    """Gaussian elimination, the largest element of each column on the diagonal."""
    m, n = x.shape
    work = x.astype(np.result_type(x.dtype, np.float64))
    order, pivots = np.arange(m), []
    with np.errstate(all="ignore"):
        for j in range(min(m, n)):
            # As LAPACK measures complex numbers.
            sizes = np.abs(work[j:, j].real) + np.abs(work[j:, j].imag)
            best = j + int(np.argmax(sizes))
            pivots.append(best)
            work[[j, best]], order[[j, best]] = work[[best, j]], order[[best, j]]
            if work[j, j] != 0:
                work[j + 1 :, j] /= work[j, j]
            work[j + 1 :, j + 1 :] -= np.outer(work[j + 1 :, j], work[j, j + 1 :])
    return work.astype(x.dtype), np.array(pivots, np.int32), order.astype(np.int32)


def lu(x: Array) -> list[Array]:
    """LU factors of matrices, with row exchanges that keep them small.

    Args:
        x: array of shape ``(..., m, n)``.

    Returns:
        The factors in one array of the shape of `x`, the lower one below its diagonal
        and with ones on its own; the pivots of shape ``(..., min(m, n))``: row ``i``
        was exchanged with row ``pivots[i]``; the permutation of shape ``(..., m)``:
        ``x[permutation]`` is the product of the factors.

    Raises:
        TypeError: `x` is no matrix of floats.
    """
    return lu_p.bind(x)


@declare("lu_pivots_to_permutation", traits=Trait.NOT_DIFFERENTIABLE)
class lu_pivots_to_permutation_p:
    """The permutation that a sequence of exchanges makes."""

    def types(pivots, *, permutation_size):
        facts = [
            ("pivots", pivots.str_short()),
            ("permutation_size", str(permutation_size)),
        ]
        if not dtypes.issubdtype(pivots.dtype, np.int32):
            raise type_error(
                "lax.linalg.lu_pivots_to_permutation: this dtype is not supported.",
                facts,
                "Pivots are int32, as lax.linalg.lu returns them.",
            )
        if pivots.ndim < 1 or permutation_size < pivots.shape[-1]:
            raise value_error(
                "lax.linalg.lu_pivots_to_permutation: there are too many pivots.",
                facts,
                "The permutation has at least as many rows as there are pivots.",
            )
        return ShapedArray((*pivots.shape[:-1], permutation_size), pivots.dtype)

    sharding = splitting.batch_only("lu_pivots_to_permutation", 1)

    def decompose(pivots, *, permutation_size):
        return _permutation(pivots, permutation_size)

    batch = matrices.batched_in_front(
        lambda x, **p: lu_pivots_to_permutation_p.bind(x, **p)
    )

    def reference(pivots, *, permutation_size):
        order = np.empty((*pivots.shape[:-1], permutation_size), np.int32)
        for index in np.ndindex(*pivots.shape[:-1]):
            row = np.arange(permutation_size, dtype=np.int32)
            for i, j in enumerate(pivots[index]):
                row[[i, j]] = row[[j, i]]
            order[index] = row
        return order

    def samples():
        return [
            Sample((np.int32([2, 3, 2, 3]),), {"permutation_size": 4}),
            Sample((np.int32([[1, 1], [0, 2]]),), {"permutation_size": 3}),
            Sample((np.zeros((0,), np.int32),), {"permutation_size": 2}),
        ]


def _permutation(pivots, size):
    """Exchanges one pair after the other."""
    batch, k = np.shape(pivots)[:-1], np.shape(pivots)[-1]
    last = len(batch)
    order = broadcasted_iota(get_aval(pivots).dtype, (*batch, size), last)
    if not k or not all(batch):
        return order

    def exchange(i, order):
        here = dynamic_index_in_dim(order, i, last)
        pivot = dynamic_index_in_dim(pivots, i, last)
        there = take_along(order, pivot, last)
        numbers = broadcasted_iota(np.int32, (*batch, size), last)
        order = select(
            eq(numbers, broadcast_in_dim(pivot, np.shape(order), range(last + 1))),
            broadcast_in_dim(here, np.shape(order), range(last + 1)),
            order,
        )
        return dynamic_update_index_in_dim(order, there, i, last)

    return fori_loop(0, k, exchange, order)


def lu_pivots_to_permutation(pivots: Array, permutation_size: int) -> Array:
    """The permutation that the row exchanges of an LU factorization make.

    Args:
        pivots: array of shape ``(..., k)`` and dtype int32: row ``i`` was exchanged
            with row ``pivots[i]``.
        permutation_size: how many rows there are, at least ``k``.

    Returns:
        Array of shape ``(..., permutation_size)`` and dtype int32.

    Raises:
        TypeError: the dtype is not int32. ValueError: there are more pivots than rows.
    """
    return lu_pivots_to_permutation_p.bind(pivots, permutation_size=permutation_size)


traceback_filter.hide_frames(globals())
