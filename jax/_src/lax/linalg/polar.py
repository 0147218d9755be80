"""Polar factors by Halley's iteration with dynamic weights (QDWH).

Reference: Nakatsukasa, Bai and Gygi, Optimizing Halley's iteration for computing the
matrix polar decomposition, 2010, section 5; Nakatsukasa and Higham, Stable and efficient
spectral divide and conquer algorithms, 2013, section 3.
"""

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core.avals import get_aval
from jax._src.jit import inlining
from jax._src.jit.jit import jit
from jax._src.lax.control_flow.conditionals import cond
from jax._src.lax.control_flow.while_loops import while_loop
from jax._src.lax.linalg import matrices
from jax._src.lax.linalg.cholesky import cholesky
from jax._src.lax.linalg.qr import qr
from jax._src.lax.linalg.triangular import solve_many
from jax._src.lax.ops.arithmetic import add, div, integer_pow, max as maximum, mul, sub
from jax._src.lax.ops.bitwise import bitwise_and, bitwise_or
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_in_dim, reduce_sum
from jax._src.lax.ops.comparison import eq, gt, le, lt
from jax._src.lax.ops.complex_parts import real_dtype
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import broadcasted_iota, full_like
from jax._src.lax.ops.exponential import cbrt, sqrt
from jax._src.lax.ops.joining_splitting import concatenate
from jax._src.lax.ops.messages import value_error
from jax._src.lax.ops.reductions import reduce_max
from jax._src.lax.ops.rounding import abs as absolute
from jax._src.lax.ops.selection import select
from jax._src.lax.ops.slicing_padding import slice_in_dim

Array = Any

# Weights above this make the matrix of the step by Cholesky too ill-conditioned.
_LARGEST_WEIGHT = 100
_MOST_STEPS = 10


def qdwh(
    x: Array,
    *,
    is_hermitian: bool = False,
    max_iterations: int | None = None,
    eps: float | None = None,
    dynamic_shape: tuple[int, int] | None = None,
) -> tuple[Array, Array, Array, Array]:
    """The polar decomposition ``x = u h`` of a matrix.

    Args:
        x: array of shape ``(m, n)`` with ``m >= n``.
        is_hermitian: whether `x` is; that changes nothing here.
        max_iterations: the most steps; default: 10, of which 6 are enough.
        eps: the precision wanted; default: that of the dtype.
        dynamic_shape: the part of `x` that counts, in its first rows and columns.

    Returns:
        ``u`` of shape ``(m, n)`` with orthonormal columns; ``h`` of shape ``(n, n)``,
        Hermitian without negative eigenvalues; the number of steps; whether they
        converged.

    Raises:
        TypeError: `x` is no matrix of floats. ValueError: it has more columns than
            rows.
    """
    aval = get_aval(x)
    matrices.check_matrices("qdwh", aval)
    if aval.ndim != 2 or aval.shape[0] < aval.shape[1]:
        raise value_error(
            "lax.linalg.qdwh: the shape is not supported.",
            [("x", aval.str_short())],
            "It is one matrix with at least as many rows as columns.",
            "Wide ones: use the adjoint. Many: jax.vmap.",
        )
    if dynamic_shape is not None:
        x = _part_that_counts(x, dynamic_shape)
    part = real_dtype(aval.dtype)
    eps = float(dtypes.finfo(part).eps) if eps is None else float(eps)
    limit = _MOST_STEPS if max_iterations is None else max_iterations
    return _factors(x, part, eps, limit)


@ft.partial(jit, static_argnums=(1, 2, 3), inline=inlining.Inline.JAX_EARLY)
def _factors(x, part, eps, limit):
    u, steps, is_converged = _iterate(x, part, eps, limit)
    h = matrices.symmetrized(matrices.product(matrices.adjoint(u), x))
    return u, h, convert(steps, np.dtype(np.int32), weak_type=True), is_converged


def _part_that_counts(x, shape):
    inside = [
        lt(broadcasted_iota(np.int32, np.shape(x), axis), _repeated(size, x))
        for axis, size in enumerate(shape)
    ]
    return select(bitwise_and(*inside), x, full_like(x, 0))


def _repeated(scalar, x):
    return broadcast_in_dim(convert(scalar, np.int32), np.shape(x), ())


def _iterate(x, part, eps, limit):
    """Steps until both the bound of the values is 1 and the matrix has converged."""
    bound = _norm_bound(x)
    safe = select(gt(bound, part.type(0)), bound, part.type(1))
    u = div(x, convert(safe, get_aval(x).dtype))
    # A step's error is the cube of the one before.
    still = part.type((4 * eps) ** (1 / 3))

    def goes_on(carry):
        _, low, steps, moves = carry
        is_far = gt(absolute(sub(part.type(1), low)), part.type(10 * eps))
        unfinished = bitwise_or(moves, is_far)
        return bitwise_and(unfinished, lt(steps, np.int32(limit)))

    def step(carry):
        u, low, steps, _ = carry
        new, new_low = _halley(u, low)
        size = sqrt(_sum_of_squares(sub(new, u)))
        moves = gt(size, mul(still, sqrt(_sum_of_squares(new))))
        return new, new_low, add(steps, np.int32(1)), moves

    start = u, convert(part.type(eps), part), np.int32(0), np.bool_(True)
    u, _, steps, moves = while_loop(goes_on, step, start)
    return u, steps, eq(moves, np.bool_(False))


def _norm_bound(x):
    """An upper bound of the largest singular value: by column and row sums."""
    sizes = absolute(x)
    zero = np.asarray(0, get_aval(sizes).dtype)
    columns = reduce_max(concatenate([reduce_sum(sizes, (0,)), zero[None]], 0), (0,))
    rows = reduce_max(concatenate([reduce_sum(sizes, (1,)), zero[None]], 0), (0,))
    return sqrt(mul(columns, rows))


def _sum_of_squares(x):
    sizes = absolute(x)
    return reduce_sum(mul(sizes, sizes), (0, 1))


def _halley(u, low):
    """One step, with the weights that lift the lower bound most."""
    one = full_like(low, 1)
    squared = mul(low, low)
    gamma = cbrt(div(mul(full_like(low, 4), sub(one, squared)), mul(squared, squared)))
    gamma = maximum(gamma, full_like(low, 0))
    root = sqrt(add(one, gamma))
    inside = sub(full_like(low, 8), mul(full_like(low, 4), gamma))
    more = div(
        mul(full_like(low, 8), sub(full_like(low, 2), squared)), mul(squared, root)
    )
    a = add(root, mul(full_like(low, 0.5), sqrt(add(inside, more))))
    b = div(integer_pow(sub(a, one), 2), full_like(a, 4))
    c = sub(add(a, b), one)
    too_large = gt(c, full_like(c, _LARGEST_WEIGHT))
    new = cond(too_large, _step_by_qr, _step_by_cholesky, u, a, b, c)
    lifted = div(mul(low, add(a, mul(b, squared))), add(one, mul(c, squared)))
    is_past = le(one, lifted)
    return new, select(is_past, one, lifted)


def _combined(u, turned, a, b, c, scale):
    kept = div(b, c)
    weight = mul(sub(a, kept), scale)
    dtype = get_aval(u).dtype
    return add(mul(u, convert(kept, dtype)), mul(turned, convert(weight, dtype)))


def _step_by_qr(u, a, b, c):
    m, n = np.shape(u)
    root = sqrt(c)
    tall = concatenate(
        [mul(u, convert(root, get_aval(u).dtype)), matrices.identity(u, n)], 0
    )
    q, _ = qr(tall, full_matrices=False)
    upper = slice_in_dim(q, 0, m, axis=0)
    lower = slice_in_dim(q, m, m + n, axis=0)
    turned = matrices.product(upper, matrices.adjoint(lower))
    return _combined(u, turned, a, b, c, div(full_like(root, 1), root))


def _step_by_cholesky(u, a, b, c):
    n = np.shape(u)[1]
    inner = mul(matrices.product(matrices.adjoint(u), u), convert(c, get_aval(u).dtype))
    factor = cholesky(add(inner, matrices.identity(u, n)), symmetrize_input=False)
    flags = {"left_side": False, "lower": True}
    turned = solve_many(factor, u, transpose_a=True, conjugate_a=True, **flags)
    turned = solve_many(factor, turned, **flags)
    return _combined(u, turned, a, b, c, full_like(c, 1))


traceback_filter.hide_frames(globals())
