"""Triangular factors and Householder's reflections, column by column.

The results are packed as LAPACK packs them, so that one operation's are another's arguments.

Reference: Golub and Van Loan, Matrix Computations, 4th edition, 2013, chapters 3.4, 5.1, 5.2.
"""

from typing import Any

import numpy as np

from jax._src.core.avals import get_aval
from jax._src.lax.linalg.portable import tools
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
        found = tools.column(a, i)
        sizes = _one_norm(found)
        eligible = select(tools.is_from(sizes, i), sizes, full_like(sizes, -1))
        p = argmax(eligible, 0, np.int32)
        a = _exchanged_rows(a, i, p)
        order = _exchanged(order, i, p)
        pivots = tools.with_entry(pivots, i, p)
        values = tools.column(a, i)
        pivot = tools.entry(values, i)
        is_zero = eq(pivot, full_like(pivot, 0))
        divisor = select(is_zero, full_like(pivot, 1), pivot)
        below = tools.is_from(values, i + 1)
        factors = tools.kept(below, values / tools.broadcast_scalar(divisor, values))
        right = tools.kept(tools.is_from(tools.row(a, i), i + 1), tools.row(a, i))
        a = a - tools.outer(factors, right)
        return tools.with_column(a, i, select(below, factors, values)), pivots, order

    return list(tools.repeated(count, step, (x, pivots, iota(np.int32, m))))


def _one_norm(x):
    """What LAPACK compares: of complex numbers the sum of both parts."""
    if is_complex(get_aval(x).dtype):
        return tools.absolute_value(real(x)) + tools.absolute_value(imag(x))
    return tools.absolute_value(x)


def _exchanged_rows(a, i, p):
    first, second = tools.row(a, i), tools.row(a, p)
    return tools.with_row(tools.with_row(a, p, first), i, second)


def _exchanged(v, i, p):
    first, second = tools.entry(v, i), tools.entry(v, p)
    return tools.with_entry(tools.with_entry(v, p, first), i, second)


def reflector(v: Array, i: Any) -> tuple[Array, Array, Array]:
    """The reflection that leaves, of a vector's elements from `i` on, the first.

    Returns:
        The vector of the reflection, one at `i` and zero before; its factor; and what is
        left at `i`, a real number.
    """
    alpha = tools.entry(v, i)
    rest = tools.kept(tools.is_from(v, i + 1), v)
    length = tools.norm(rest)
    tail = imag(alpha) if is_complex(get_aval(v).dtype) else full_like(length, 0)
    head = real(alpha) if is_complex(get_aval(v).dtype) else alpha
    whole = tools.norm(tools.kept(tools.is_from(v, i), v))
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
    scale = tools.kept(ne(nothing, full_like(nothing, True)), scale)
    gap = alpha - convert(beta, get_aval(v).dtype)
    divisor = select(nothing, full_like(gap, 1), gap)
    v = rest / tools.broadcast_scalar(divisor, rest)
    one = full_like(alpha, 1)
    return tools.with_entry(v, i, one), scale, convert(beta, get_aval(v).dtype)


def reflected(a: Array, v: Array, scale: Array) -> Array:
    """``(I - scale v v^H) a``."""
    along = tools.total(tools.down(tools.conjugate(v), np.shape(a)[1]) * a, 0)
    return a - tools.broadcast_scalar(scale, a) * tools.outer(v, along)


def reflected_right(a: Array, v: Array, scale: Array) -> Array:
    """``a (I - scale v v^H)``."""
    along = tools.total(a * tools.across(v, np.shape(a)[0]), 1)
    return a - tools.broadcast_scalar(scale, a) * tools.outer(along, tools.conjugate(v))


def geqrf(x: Array) -> list[Array]:
    """Columns reflected onto a triangle: packed, and the factors of the reflections."""
    count = min(np.shape(x))
    return list(tools.repeated(count, _reflect_column, (x, _zeros(count, x))))


def _reflect_column(i, state):
    a, scales = state
    found = tools.column(a, i)
    v, scale, beta = reflector(found, i)
    moved = reflected(a, v, tools.conjugate(scale))
    a = select(tools.is_from(a, i + 1, 1), moved, a)
    return _packed(a, found, i, v, beta), tools.with_entry(scales, i, scale)


def _packed(a, found, i, v, beta):
    """With the vector below the diagonal of column `i`, and `beta` on it."""
    below = select(tools.is_from(v, i + 1), v, found)
    return tools.with_column(a, i, tools.with_entry(below, i, beta))


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
        rest = tools.kept(tools.is_from(a, i, 0), a)
        lengths = tools.square_sum(rest, 0)
        lengths = select(tools.is_from(lengths, i), lengths, full_like(lengths, -1))
        p = argmax(lengths, 0, np.int32)
        first, second = tools.column(a, i), tools.column(a, p)
        a = tools.with_column(tools.with_column(a, p, first), i, second)
        a, scales = _reflect_column(i, (a, scales))
        return a, _exchanged(order, i, p), scales

    count = min(m, n)
    order = iota(np.int32, n) + 1
    return list(tools.repeated(count, step, (x, order, _zeros(count, x))))


def _vector(a, i):
    """The reflection's vector that is packed in column `i`."""
    found = tools.column(a, i)
    return tools.with_entry(
        tools.kept(tools.is_from(found, i + 1), found),
        i,
        full_like(tools.entry(found, i), 1),
    )


def householder_product(a: Array, scales: Array) -> Array:
    """The first columns of the product of reflections."""
    m, n = np.shape(a)
    count = np.shape(scales)[0]
    eye = eq(tools.iota_along(a, 0), tools.iota_along(a, 1))

    def step(number, q):
        i = count - 1 - number
        return reflected(q, _vector(a, i), tools.entry(scales, i))

    return tools.repeated(count, step, convert(eye, get_aval(a).dtype))


def ormqr(a: Array, scales: Array, c: Array, *, left: bool, transpose: bool) -> Array:
    """The product of reflections, or its adjoint, times a matrix, from one side."""
    count = np.shape(scales)[0]
    backwards = left != transpose
    turn = tools.conjugate if transpose else lambda scale: scale
    apply = reflected if left else reflected_right

    def step(number, c):
        i = count - 1 - number if backwards else number
        return apply(c, _vector(a, i), turn(tools.entry(scales, i)))

    return tools.repeated(count, step, c)


def hessenberg(x: Array) -> list[Array]:
    """Reflected from both sides until one subdiagonal is left: packed, and factors."""
    n = np.shape(x)[0]
    count = max(n - 1, 0)

    def step(i, state):
        a, scales = state
        found = tools.column(a, i)
        v, scale, beta = reflector(found, i + 1)
        moved = reflected(a, v, tools.conjugate(scale))
        a = select(tools.is_from(a, i + 1, 1), moved, a)
        a = tools.with_column(
            a,
            i,
            tools.with_entry(select(tools.is_from(v, i + 2), v, found), i + 1, beta),
        )
        turned = reflected_right(a, v, scale)
        a = select(tools.is_from(a, i + 1, 1), turned, a)
        return a, tools.with_entry(scales, i, scale)

    return list(tools.repeated(count, step, (x, _zeros(count, x))))


def tridiagonal(x: Array, *, lower: bool) -> list[Array]:
    """Hermitian matrices to real tridiagonal ones: packed, both diagonals, factors."""
    if not lower:
        packed, d, e, scales = tridiagonal(x[::-1, ::-1], lower=True)
        return [packed[::-1, ::-1], d[::-1], e[::-1], scales[::-1]]
    below = tools.kept(gt(tools.iota_along(x, 0), tools.iota_along(x, 1)), x)
    middle = tools.kept(eq(tools.iota_along(x, 0), tools.iota_along(x, 1)), x)
    if is_complex(get_aval(x).dtype):
        middle = complex_of(real(middle), full_like(real(middle), 0))
    whole = below + middle + tools.conjugate(below.T)
    packed, scales = hessenberg(whole)
    is_below = gt(tools.iota_along(x, 0), tools.iota_along(x, 1))
    on_diagonal = eq(tools.iota_along(x, 0), tools.iota_along(x, 1))
    diagonal = tools.total(tools.kept(on_diagonal, packed), 0)
    next_below = eq(tools.iota_along(x, 0), tools.iota_along(x, 1) + 1)
    beside = tools.total(tools.kept(next_below, packed), 0)[:-1]
    if is_complex(get_aval(x).dtype):
        diagonal, beside = real(diagonal), real(beside)
    out = select(is_below, packed, x)
    kept = convert(diagonal, get_aval(x).dtype)
    out = select(on_diagonal, tools.across(kept, np.shape(x)[0]), out)
    return [out, diagonal, beside, scales]


def tridiagonal_solve(dl: Array, d: Array, du: Array, b: Array, **params: Any) -> Array:
    """Elimination with exchanges of neighbouring rows, then substitution."""
    n = np.shape(d)[0]
    du2 = full_like(d, 0)

    def eliminate(i, state):
        d, du, du2, b = state
        here, below = tools.entry(d, i), tools.entry(dl, i + 1)
        next_d, next_u = tools.entry(d, i + 1), tools.entry(du, i + 1)
        up = tools.entry(du, i)
        swap = gt(tools.absolute_value(below), tools.absolute_value(here))
        first, second = select(swap, below, here), select(swap, here, below)
        factor = second / first
        above = select(swap, next_d, up)
        beyond = select(swap, next_u, full_like(next_u, 0))
        left = select(swap, up, next_d) - factor * above
        right = select(swap, full_like(next_u, 0), next_u) - factor * beyond
        d = tools.with_entry(tools.with_entry(d, i, first), i + 1, left)
        du = tools.with_entry(tools.with_entry(du, i, above), i + 1, right)
        du2 = tools.with_entry(du2, i, beyond)
        top, low = tools.row(b, i), tools.row(b, i + 1)
        mask = tools.broadcast_scalar(swap, convert(top, np.dtype(np.bool_)))
        top, low = select(mask, low, top), select(mask, top, low)
        b = tools.with_row(b, i, top)
        return (
            d,
            du,
            du2,
            tools.with_row(b, i + 1, low - tools.broadcast_scalar(factor, low) * top),
        )

    d, du, du2, b = tools.repeated(n - 1, eliminate, (d, du, du2, b))

    def substitute(number, x):
        i = n - 1 - number
        following = dynamic_slice_in_dim(x, i + 1, 2, 0)
        value = tools.row(b, i)
        value = value - tools.broadcast_scalar(tools.entry(du, i), value) * following[0]
        value = (
            value - tools.broadcast_scalar(tools.entry(du2, i), value) * following[1]
        )
        return tools.with_row(
            x, i, value / tools.broadcast_scalar(tools.entry(d, i), value)
        )

    # Two rows of zeros stand below the last.
    wide = full_like(b, 0, shape=(n + 2, np.shape(b)[1]))
    return tools.repeated(n, substitute, wide)[:n]
