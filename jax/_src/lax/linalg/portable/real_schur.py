"""The real form of Schur's decomposition: the QR method with two shifts at a time.

References: Francis, The QR transformation II, The Computer Journal 4, 1962; Golub and Van
Loan, Matrix Computations, 4th edition, 2013, section 7.5.
"""

from typing import Any

import numpy as np

from jax._src.core.avals import get_aval
from jax._src.lax.control_flow.fori_loop_and_map import fori_loop
from jax._src.lax.control_flow.while_loops import while_loop
from jax._src.lax.linalg.portable import factors, general, tools
from jax._src.lax.ops.arithmetic import max as larger
from jax._src.lax.ops.bitwise import bitwise_and, bitwise_or
from jax._src.lax.ops.comparison import eq, ge, gt, le, lt, ne
from jax._src.lax.ops.creation import full_like
from jax._src.lax.ops.exponential import sqrt
from jax._src.lax.ops.reductions import reduce_max
from jax._src.lax.ops.rounding import rem
from jax._src.lax.ops.selection import select

Array = Any

# Steps for each eigenvalue; two or three are usual.
_STEPS = 30


def _at(h, i, j):
    return tools.entry(tools.row(h, i), j)


def _is_below(h):
    """The elements next to the diagonal, below it."""
    return eq(tools.iota_along(h, 0), tools.iota_along(h, 1) + 1)


def _below(h):
    """Returns the element before the diagonal of each row; zero for the first row."""
    return tools.total(tools.kept(_is_below(h), h), 1)


def _without_what_vanished(h, whole):
    """Elements below the diagonal are zero where they are small beside their neighbours."""
    n = np.shape(h)[0]
    eps = np.finfo(get_aval(h).dtype).eps
    on_diagonal = eq(tools.iota_along(h, 0), tools.iota_along(h, 1))
    sizes = tools.absolute_value(tools.total(tools.kept(on_diagonal, h), 1))
    before = tools.total(tools.kept(_is_below(h), tools.across(sizes, n)), 1)
    beside = tools.absolute_value(_below(h))
    small = le(beside, full_like(beside, eps) * (sizes + before))
    # Where both neighbours vanish, what counts is the whole matrix.
    least = tools.broadcast_scalar(whole, beside) * full_like(beside, eps * eps)
    small = tools.down(bitwise_or(small, le(beside, least)), n)
    return select(bitwise_and(_is_below(h), small), full_like(h, 0), h)


def _first_of_block(h, last):
    """The row with which the block begins that ends with the row `last`."""
    beside = _below(h)
    rows = tools.iota_along(beside, 0)
    begins = eq(beside, full_like(beside, 0))
    begins = bitwise_and(begins, le(rows, tools.broadcast_scalar(last, rows)))
    return reduce_max(tools.kept(begins, rows), (0,))


def _corner(h, last, steps):
    """The last two rows and columns, whose eigenvalues are the shifts.

    Now and then others: some matrices come back to themselves.
    """
    a, b = _at(h, last - 1, last - 1), _at(h, last - 1, last)
    c, d = _at(h, last, last - 1), _at(h, last, last)
    size = tools.absolute_value(c) + tools.absolute_value(_at(h, last - 1, last - 2))
    other = d + full_like(d, 0.75) * size
    is_stuck = eq(rem(steps, full_like(steps, 10)), full_like(steps, 9))
    found = (other, full_like(b, -0.4375) * size, size, other)
    return [select(is_stuck, x, y) for x, y in zip(found, (a, b, c, d), strict=True)]


def _start(h, first, last, steps):
    """The first column of the block, with both shifts: it has three elements."""
    a, b, c, d = _corner(h, last, steps)
    top = _at(h, first, first)
    down = _at(h, first + 1, first)
    one, two = a - top, d - top
    # Only the direction matters: the squares of large numbers are avoided.
    scale = (
        tools.absolute_value(one)
        + tools.absolute_value(two)
        + tools.absolute_value(c)
        + tools.absolute_value(down)
    )
    down = down / scale
    head = (one / scale) * two - (c / scale) * b + down * _at(h, first, first + 1)
    middle = down * (_at(h, first + 1, first + 1) - top - one - two)
    found = full_like(tools.row(h, 0), 0)
    for offset, value in enumerate((head, middle, down * _at(h, first + 2, first + 1))):
        found = tools.with_entry(found, first + offset, value)
    return found


def _sweep(h, q, first, last, steps):
    """One step of the method on a block, which has three rows or more."""
    start = _start(h, first, last, steps)

    def turn(i, state):
        h, q = state
        is_first = tools.broadcast_scalar(eq(i, first), eq(start, start))
        found = select(is_first, start, tools.column(h, i - 1))
        rows = tools.iota_along(found, 0)
        inside = le(rows, tools.broadcast_scalar(i + 2, rows))
        inside = bitwise_and(inside, le(rows, tools.broadcast_scalar(last, rows)))
        v, scale, _ = factors.reflector(tools.kept(inside, found), i)
        h = factors.reflected_right(factors.reflected(h, v, scale), v, scale)
        return h, factors.reflected_right(q, v, scale)

    h, q = fori_loop(first, last, turn, (h, q))
    # What the reflections made zero is zero but for rounding.
    return tools.kept(le(tools.iota_along(h, 0), tools.iota_along(h, 1) + 1), h), q


def _turning(a, b, c, d):
    """Cosine and sine that bring a matrix of two rows to its standard form.

    That is a triangle, or two equal diagonal elements beside others of different signs.
    Also returns whether it is a triangle.
    """
    half = (a - d) / full_like(a, 2)
    scale = larger(
        larger(tools.absolute_value(half), tools.absolute_value(b)),
        tools.absolute_value(c),
    )
    scale = select(gt(scale, full_like(scale, 0)), scale, full_like(scale, 1))
    half, b, c = half / scale, b / scale, c / scale
    zero, one = full_like(a, 0), full_like(a, 1)
    square = half * half + b * c
    is_real = ge(square, zero)
    root = sqrt(tools.absolute_value(square))
    cosine, sine = general.rotation(half + select(ge(half, zero), root, -root), c)
    both = b + c
    length = sqrt(both * both + full_like(half, 4) * half * half)
    is_standard = eq(length, zero)
    length = select(is_standard, one, length)
    other = sqrt((one + tools.absolute_value(both) / length) / full_like(a, 2))
    slant = half / (length * other)
    slant = select(ge(both, zero), -slant, slant)
    cosine = select(is_real, cosine, select(is_standard, one, other))
    sine = select(is_real, sine, select(is_standard, zero, slant))
    return cosine, sine, is_real


def _standard(i, state):
    """The rows `i` and `i` + 1, if they are a block, in their standard form."""
    h, q = state
    cosine, sine, is_real = _turning(
        _at(h, i, i), _at(h, i, i + 1), _at(h, i + 1, i), _at(h, i + 1, i + 1)
    )
    is_block = ne(_at(h, i + 1, i), full_like(cosine, 0))
    top, low = tools.row(h, i), tools.row(h, i + 1)
    c, s = tools.broadcast_scalar(cosine, top), tools.broadcast_scalar(sine, top)
    turned = tools.with_row(h, i, c * top + s * low)
    turned = tools.with_row(turned, i + 1, c * low - s * top)
    turned, vectors = _columns(turned, i, c, s), _columns(q, i, c, s)
    # Exactly so, where rounding has left a little.
    is_low = bitwise_and(tools.is_at(h, i + 1, 0), tools.is_at(h, i, 1))
    triangle = select(is_low, full_like(h, 0), turned)
    middle = (_at(turned, i, i) + _at(turned, i + 1, i + 1)) / full_like(cosine, 2)
    is_corner = bitwise_or(tools.is_at(h, i, 0), tools.is_at(h, i + 1, 0))
    is_corner = bitwise_and(
        is_corner, eq(tools.iota_along(h, 0), tools.iota_along(h, 1))
    )
    pair = select(is_corner, tools.broadcast_scalar(middle, h), turned)
    found = select(tools.broadcast_scalar(is_real, is_low), triangle, pair)
    changes = tools.broadcast_scalar(is_block, is_low)
    return select(changes, found, h), select(changes, vectors, q)


def _columns(x, i, c, s):
    left, right = tools.column(x, i), tools.column(x, i + 1)
    x = tools.with_column(x, i, c * left + s * right)
    return tools.with_column(x, i + 1, c * right - s * left)


def schur(x: Array) -> tuple[Array, Array]:
    """The real form of a square matrix, and the orthogonal vectors.

    Pairs of complex eigenvalues are blocks of two rows on the diagonal.
    """
    n = np.shape(x)[0]
    if n == 1:
        return x, full_like(x, 1)
    packed, scales = factors.hessenberg(x)
    h = tools.kept(le(tools.iota_along(x, 0), tools.iota_along(x, 1) + 1), packed)
    whole = tools.norm(x)

    def is_open(state):
        _, _, last, steps = state
        return bitwise_and(
            gt(last, full_like(last, 0)), lt(steps, full_like(steps, _STEPS * n))
        )

    def step(state):
        h, q, last, steps = state
        h = _without_what_vanished(h, whole)
        first = _first_of_block(h, last)
        # Blocks of two rows are brought to their standard form at the end.
        is_done = le(last - first, full_like(last, 1))
        h, q = _sweep(h, q, first, select(is_done, first, last), steps)
        return h, q, select(is_done, first - 1, last), steps + 1

    start = (h, general.vectors_of(packed, scales), np.int32(n - 1), np.int32(0))
    h, q, last, _ = while_loop(is_open, step, start)
    h, q = tools.repeated(n - 1, _standard, (h, q))
    # Without an end, or without numbers, there is no form.
    lost = tools.broadcast_scalar(gt(last, full_like(last, 0)), _is_below(h))
    return select(lost, full_like(h, np.nan), h), select(lost, full_like(q, np.nan), q)
