"""Triangular factors and Householder's reflections, column by column.

The results are packed as LAPACK packs them, so that one operation's are another's arguments.

Reference: Golub and Van Loan, Matrix Computations, 4th edition, 2013, chapters 3.4, 5.1, 5.2.
"""

from typing import Any

import numpy as np

from jax._src.core.avals import get_aval
from jax._src.lax.linalg.portable import tools as to
from jax._src.lax.ops.bitwise import bitwise_and
from jax._src.lax.ops.checks import is_complex
from jax._src.lax.ops.comparison import eq, gt, lt, ne
from jax._src.lax.ops.complex_parts import complex as complex_of, imag, real
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import full_like, iota
from jax._src.lax.ops.dynamic_slicing import dynamic_slice_in_dim
from jax._src.lax.ops.reductions import argmax
from jax._src.lax.ops.selection import select

Array = Any


def lu(x: Array) -> list[Array]:
    """Factors with row exchanges: packed, the exchanges, and the permutation."""
    m, n = np.shape(x)
    count = min(m, n)
    pivots = iota(np.int32, count)

    def step(i, state):
        a, pivots, order = state
        found = to.column(a, i)
        sizes = _one_norm(found)
        eligible = select(to.is_from(sizes, i), sizes, full_like(sizes, -1))
        p = argmax(eligible, 0, np.int32)
        a = _exchanged_rows(a, i, p)
        order = _exchanged(order, i, p)
        pivots = to.with_entry(pivots, i, p)
        values = to.column(a, i)
        pivot = to.entry(values, i)
        is_zero = eq(pivot, full_like(pivot, 0))
        divisor = select(is_zero, full_like(pivot, 1), pivot)
        below = to.is_from(values, i + 1)
        factors = to.kept(below, values / to.broadcast_scalar(divisor, values))
        right = to.kept(to.is_from(to.row(a, i), i + 1), to.row(a, i))
        a = a - to.outer(factors, right)
        return to.with_column(a, i, select(below, factors, values)), pivots, order

    return list(to.repeated(count, step, (x, pivots, iota(np.int32, m))))


def _one_norm(x):
    """What LAPACK compares: of complex numbers the sum of both parts."""
    if is_complex(get_aval(x).dtype):
        return to.absolute_value(real(x)) + to.absolute_value(imag(x))
    return to.absolute_value(x)


def _exchanged_rows(a, i, p):
    first, second = to.row(a, i), to.row(a, p)
    return to.with_row(to.with_row(a, p, first), i, second)


def _exchanged(v, i, p):
    first, second = to.entry(v, i), to.entry(v, p)
    return to.with_entry(to.with_entry(v, p, first), i, second)


def reflector(v: Array, i: Any) -> tuple[Array, Array, Array]:
    """The reflection that leaves, of a vector's elements from `i` on, the first.

    Returns:
        The vector of the reflection, one at `i` and zero before; its factor; and what is
        left at `i`, a real number.
    """
    alpha = to.entry(v, i)
    rest = to.kept(to.is_from(v, i + 1), v)
    length = to.norm(rest)
    tail = imag(alpha) if is_complex(get_aval(v).dtype) else full_like(length, 0)
    head = real(alpha) if is_complex(get_aval(v).dtype) else alpha
    whole = to.norm(to.kept(to.is_from(v, i), v))
    nothing = bitwise_and(
        eq(length, full_like(length, 0)), eq(tail, full_like(tail, 0))
    )
    signed = select(
        lt(head, full_like(head, 0)), full_like(head, 1), -full_like(head, 1)
    )
    beta = select(nothing, head, signed * whole)
    safe = select(nothing, full_like(beta, 1), beta)
    scale = (safe - head) / safe
    if is_complex(get_aval(v).dtype):
        scale = complex_of(scale, -tail / safe)
    scale = to.kept(ne(nothing, full_like(nothing, True)), scale)
    gap = alpha - convert(beta, get_aval(v).dtype)
    divisor = select(nothing, full_like(gap, 1), gap)
    v = rest / to.broadcast_scalar(divisor, rest)
    one = full_like(alpha, 1)
    return to.with_entry(v, i, one), scale, convert(beta, get_aval(v).dtype)


def reflected(a: Array, v: Array, scale: Array) -> Array:
    """``(I - scale v v^H) a``."""
    along = to.total(to.down(to.conjugate(v), np.shape(a)[1]) * a, 0)
    return a - to.broadcast_scalar(scale, a) * to.outer(v, along)


def reflected_right(a: Array, v: Array, scale: Array) -> Array:
    """``a (I - scale v v^H)``."""
    along = to.total(a * to.across(v, np.shape(a)[0]), 1)
    return a - to.broadcast_scalar(scale, a) * to.outer(along, to.conjugate(v))


def geqrf(x: Array) -> list[Array]:
    """Columns reflected onto a triangle: packed, and the factors of the reflections."""
    count = min(np.shape(x))
    return list(to.repeated(count, _reflect_column, (x, _zeros(count, x))))


def _reflect_column(i, state):
    a, scales = state
    found = to.column(a, i)
    v, scale, beta = reflector(found, i)
    moved = reflected(a, v, to.conjugate(scale))
    a = select(to.is_from(a, i + 1, 1), moved, a)
    return _packed(a, found, i, v, beta), to.with_entry(scales, i, scale)


def _packed(a, found, i, v, beta):
    """With the vector below the diagonal of column `i`, and `beta` on it."""
    below = select(to.is_from(v, i + 1), v, found)
    return to.with_column(a, i, to.with_entry(below, i, beta))


def _zeros(count, like):
    return convert(full_like(iota(np.int32, count), 0), get_aval(like).dtype)


def geqp3(x: Array, pivots: Array) -> list[Array]:
    """Computes the QR factorization of `geqrf` with column pivoting: the longest remaining column first.

    All columns are free, as in all calls of the front end.
    """
    del pivots
    m, n = np.shape(x)

    def step(i, state):
        a, order, scales = state
        rest = to.kept(to.is_from(a, i, 0), a)
        lengths = to.square_sum(rest, 0)
        lengths = select(to.is_from(lengths, i), lengths, full_like(lengths, -1))
        p = argmax(lengths, 0, np.int32)
        first, second = to.column(a, i), to.column(a, p)
        a = to.with_column(to.with_column(a, p, first), i, second)
        a, scales = _reflect_column(i, (a, scales))
        return a, _exchanged(order, i, p), scales

    count = min(m, n)
    order = iota(np.int32, n) + 1
    return list(to.repeated(count, step, (x, order, _zeros(count, x))))


def _vector(a, i):
    """The reflection's vector that is packed in column `i`."""
    found = to.column(a, i)
    return to.with_entry(
        to.kept(to.is_from(found, i + 1), found), i, full_like(to.entry(found, i), 1)
    )


def householder_product(a: Array, scales: Array) -> Array:
    """The first columns of the product of reflections."""
    m, n = np.shape(a)
    count = np.shape(scales)[0]
    eye = eq(to.iota_along(a, 0), to.iota_along(a, 1))

    def step(number, q):
        i = count - 1 - number
        return reflected(q, _vector(a, i), to.entry(scales, i))

    return to.repeated(count, step, convert(eye, get_aval(a).dtype))


def ormqr(a: Array, scales: Array, c: Array, *, left: bool, transpose: bool) -> Array:
    """The product of reflections, or its adjoint, times a matrix, from one side."""
    count = np.shape(scales)[0]
    backwards = left != transpose
    turn = to.conjugate if transpose else lambda scale: scale
    apply = reflected if left else reflected_right

    def step(number, c):
        i = count - 1 - number if backwards else number
        return apply(c, _vector(a, i), turn(to.entry(scales, i)))

    return to.repeated(count, step, c)


def hessenberg(x: Array) -> list[Array]:
    """Reflected from both sides until one subdiagonal is left: packed, and factors."""
    n = np.shape(x)[0]
    count = max(n - 1, 0)

    def step(i, state):
        a, scales = state
        found = to.column(a, i)
        v, scale, beta = reflector(found, i + 1)
        moved = reflected(a, v, to.conjugate(scale))
        a = select(to.is_from(a, i + 1, 1), moved, a)
        a = to.with_column(
            a,
            i,
            to.with_entry(select(to.is_from(v, i + 2), v, found), i + 1, beta),
        )
        turned = reflected_right(a, v, scale)
        a = select(to.is_from(a, i + 1, 1), turned, a)
        return a, to.with_entry(scales, i, scale)

    return list(to.repeated(count, step, (x, _zeros(count, x))))


def tridiagonal(x: Array, *, lower: bool) -> list[Array]:
    """Hermitian matrices to real tridiagonal ones: packed, both diagonals, factors."""
    if not lower:
        packed, d, e, scales = tridiagonal(x[::-1, ::-1], lower=True)
        return [packed[::-1, ::-1], d[::-1], e[::-1], scales[::-1]]
    below = to.kept(gt(to.iota_along(x, 0), to.iota_along(x, 1)), x)
    middle = to.kept(eq(to.iota_along(x, 0), to.iota_along(x, 1)), x)
    if is_complex(get_aval(x).dtype):
        middle = complex_of(real(middle), full_like(real(middle), 0))
    whole = below + middle + to.conjugate(below.T)
    packed, scales = hessenberg(whole)
    is_below = gt(to.iota_along(x, 0), to.iota_along(x, 1))
    on_diagonal = eq(to.iota_along(x, 0), to.iota_along(x, 1))
    diagonal = to.total(to.kept(on_diagonal, packed), 0)
    next_below = eq(to.iota_along(x, 0), to.iota_along(x, 1) + 1)
    beside = to.total(to.kept(next_below, packed), 0)[:-1]
    if is_complex(get_aval(x).dtype):
        diagonal, beside = real(diagonal), real(beside)
    out = select(is_below, packed, x)
    kept = convert(diagonal, get_aval(x).dtype)
    out = select(on_diagonal, to.across(kept, np.shape(x)[0]), out)
    return [out, diagonal, beside, scales]


def tridiagonal_solve(dl: Array, d: Array, du: Array, b: Array, **params: Any) -> Array:
    """Elimination with exchanges of neighbouring rows, then substitution."""
    n = np.shape(d)[0]
    du2 = full_like(d, 0)

    def eliminate(i, state):
        d, du, du2, b = state
        here, below = to.entry(d, i), to.entry(dl, i + 1)
        next_d, next_u = to.entry(d, i + 1), to.entry(du, i + 1)
        up = to.entry(du, i)
        swap = gt(to.absolute_value(below), to.absolute_value(here))
        first, second = select(swap, below, here), select(swap, here, below)
        factor = second / first
        above = select(swap, next_d, up)
        beyond = select(swap, next_u, full_like(next_u, 0))
        left = select(swap, up, next_d) - factor * above
        right = select(swap, full_like(next_u, 0), next_u) - factor * beyond
        d = to.with_entry(to.with_entry(d, i, first), i + 1, left)
        du = to.with_entry(to.with_entry(du, i, above), i + 1, right)
        du2 = to.with_entry(du2, i, beyond)
        top, low = to.row(b, i), to.row(b, i + 1)
        mask = to.broadcast_scalar(swap, convert(top, np.dtype(np.bool_)))
        top, low = select(mask, low, top), select(mask, top, low)
        b = to.with_row(b, i, top)
        return (
            d,
            du,
            du2,
            to.with_row(b, i + 1, low - to.broadcast_scalar(factor, low) * top),
        )

    d, du, du2, b = to.repeated(n - 1, eliminate, (d, du, du2, b))

    def substitute(number, x):
        i = n - 1 - number
        following = dynamic_slice_in_dim(x, i + 1, 2, 0)
        value = to.row(b, i)
        value = value - to.broadcast_scalar(to.entry(du, i), value) * following[0]
        value = value - to.broadcast_scalar(to.entry(du2, i), value) * following[1]
        return to.with_row(x, i, value / to.broadcast_scalar(to.entry(d, i), value))

    # Two rows of zeros stand below the last.
    wide = full_like(b, 0, shape=(n + 2, np.shape(b)[1]))
    return to.repeated(n, substitute, wide)[:n]
