"""Eigenvalues of matrices without symmetry: the QR method on complex Hessenberg matrices.

One shift at a time, and one eigenvalue after the other from below.

Reference: Golub and Van Loan, Matrix Computations, 4th edition, 2013, chapter 7.
"""

from typing import Any

import numpy as np

from jax._src.core.avals import get_aval
from jax._src.lax.control_flow.while_loops import while_loop
from jax._src.lax.linalg import matrices
from jax._src.lax.linalg.portable import factors, tools
from jax._src.lax.ops.bitwise import bitwise_and, bitwise_or
from jax._src.lax.ops.checks import is_complex
from jax._src.lax.ops.comparison import eq, ge, gt, le, lt
from jax._src.lax.ops.complex_parts import complex as complex_of, real
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import full_like
from jax._src.lax.ops.exponential import sqrt
from jax._src.lax.ops.rounding import rem
from jax._src.lax.ops.selection import select

Array = Any

# Steps for each eigenvalue; two or three are usual.
_STEPS = 30


def _as_complex(x):
    return x if is_complex(get_aval(x).dtype) else complex_of(x, full_like(x, 0))


def _element(x, i, j):
    return tools.entry(tools.row(x, i), j)


def _shift(h, last):
    """The eigenvalue of the last two rows and columns that is closer to the corner."""
    a, b = _element(h, last - 1, last - 1), _element(h, last - 1, last)
    c, d = _element(h, last, last - 1), _element(h, last, last)
    half = (a - d) / full_like(a, 2)
    root = sqrt(half * half + b * c)
    first, second = d + half + root, d + half - root
    return select(
        le(tools.absolute_value(first - d), tools.absolute_value(second - d)),
        first,
        second,
    )


def rotation(a, b):
    """Cosine and sine that turn a pair into one number and zero."""
    length = sqrt(tools.square_sum(a) + tools.square_sum(b))
    is_zero = eq(length, full_like(length, 0))
    safe = convert(select(is_zero, full_like(length, 1), length), get_aval(a).dtype)
    cosine = select(is_zero, full_like(a, 1), a / safe)
    return cosine, select(is_zero, full_like(b, 0), b / safe)


def _qr_step(h, q, last, steps):
    """``R Q + shift`` of the shifted first `last` + 1 rows and columns."""
    n = np.shape(h)[0]
    shift = _shift(h, last)
    # Now and then another: some matrices come back to themselves.
    other = tools.absolute_value(_element(h, last, last - 1))
    other = shift + convert(other, get_aval(h).dtype) * full_like(shift, 0.75)
    is_stuck = eq(rem(steps, full_like(steps, 10)), full_like(steps, 9))
    shift = select(is_stuck, other, shift)
    inside = le(
        tools.iota_along(h, 0), tools.broadcast_scalar(last, tools.iota_along(h, 0))
    )
    on_diagonal = bitwise_and(
        eq(tools.iota_along(h, 0), tools.iota_along(h, 1)), inside
    )
    shifts = tools.kept(on_diagonal, tools.broadcast_scalar(shift, h))
    h = h - shifts

    def turn_rows(i, state):
        h, cosines, sines = state
        cosine, sine = rotation(_element(h, i, i), _element(h, i + 1, i))
        acts = lt(convert(i, np.dtype(np.int32)), last)
        cosine = select(acts, cosine, full_like(cosine, 1))
        sine = tools.kept(acts, sine)
        top, low = tools.row(h, i), tools.row(h, i + 1)
        c, s = tools.broadcast_scalar(cosine, top), tools.broadcast_scalar(sine, top)
        h = tools.with_row(h, i, tools.conjugate(c) * top + tools.conjugate(s) * low)
        h = tools.with_row(h, i + 1, c * low - s * top)
        return h, tools.with_entry(cosines, i, cosine), tools.with_entry(sines, i, sine)

    empty = full_like(h, 0, shape=(n,))
    h, cosines, sines = tools.repeated(n - 1, turn_rows, (h, empty, empty))

    def turn_columns(i, state):
        cosine, sine = tools.entry(cosines, i), tools.entry(sines, i)
        turned = []
        for x in state:
            left, right = tools.column(x, i), tools.column(x, i + 1)
            c, s = (
                tools.broadcast_scalar(cosine, left),
                tools.broadcast_scalar(sine, left),
            )
            x = tools.with_column(x, i, c * left + s * right)
            x = tools.with_column(
                x, i + 1, tools.conjugate(c) * right - tools.conjugate(s) * left
            )
            turned.append(x)
        return tuple(turned)

    h, q = tools.repeated(n - 1, turn_columns, (h, q))
    return h + shifts, q


def schur(x: Array) -> tuple[Array, Array]:
    """The triangular form of a square matrix, complex, and the unitary vectors."""
    n = np.shape(x)[0]
    x = _as_complex(x)
    if n == 1:
        return x, full_like(x, 1)
    packed, scales = factors.hessenberg(x)
    keep = le(tools.iota_along(x, 0), tools.iota_along(x, 1) + 1)
    h = tools.kept(keep, packed)
    q = vectors_of(packed, scales)
    eps = np.finfo(get_aval(real(x)).dtype).eps
    whole = tools.norm(x)

    def is_open(state):
        _, _, last, steps = state
        return bitwise_and(
            gt(last, full_like(last, 0)), lt(steps, full_like(steps, _STEPS * n))
        )

    def step(state):
        h, q, last, steps = state
        beside = tools.absolute_value(_element(h, last, last - 1))
        near = tools.absolute_value(
            _element(h, last - 1, last - 1)
        ) + tools.absolute_value(_element(h, last, last))
        small = le(beside, full_like(beside, eps) * near)
        # Where both neighbours vanish, what counts is the whole matrix.
        small = bitwise_or(small, le(beside, full_like(beside, eps * eps) * whole))
        moved, turned = _qr_step(h, q, last, steps)
        at = bitwise_and(tools.is_at(h, last, 0), tools.is_at(h, last - 1, 1))
        done = select(at, full_like(h, 0), h)
        mask = tools.broadcast_scalar(small, keep)
        h, q = select(mask, done, moved), select(mask, q, turned)
        return h, q, last - convert(small, np.dtype(np.int32)), steps + 1

    start = (h, q, np.int32(n - 1), np.int32(0))
    h, q, last, _ = while_loop(is_open, step, start)
    h = tools.kept(ge(tools.iota_along(h, 1), tools.iota_along(h, 0)), h)
    # Without an end, or without numbers, there is no form.
    failed = gt(last, full_like(last, 0))
    lost = tools.broadcast_scalar(failed, keep)
    return select(lost, full_like(h, np.nan), h), select(lost, full_like(q, np.nan), q)


def vectors_of(packed, scales):
    """The unitary matrix of the reduction to Hessenberg's form."""
    n = np.shape(packed)[0]
    eye = convert(
        eq(tools.iota_along(packed, 0), tools.iota_along(packed, 1)),
        get_aval(packed).dtype,
    )

    def step(number, q):
        i = n - 2 - number
        found = tools.column(packed, i)
        v = tools.kept(tools.is_from(found, i + 2), found)
        v = tools.with_entry(v, i + 1, full_like(tools.entry(v, i + 1), 1))
        return factors.reflected(q, v, tools.entry(scales, i))

    return tools.repeated(n - 1, step, eye)


def _of_triangle(t, values):
    """Eigenvectors of an upper triangular matrix, as columns."""
    n = np.shape(t)[0]
    eps = np.finfo(get_aval(real(t)).dtype).eps
    least = tools.norm(t) * full_like(tools.norm(t), eps)
    least = select(gt(least, full_like(least, 0)), least, full_like(least, 1))
    rows, columns = tools.iota_along(t, 0), tools.iota_along(t, 1)
    eye = convert(eq(rows, columns), get_aval(t).dtype)

    def step(number, x):
        i = n - 1 - number
        row = tools.row(t, i)
        known = tools.kept(tools.is_from(row, i + 1), row)
        sums = tools.total(tools.down(known, n) * x, 0)
        gaps = tools.broadcast_scalar(tools.entry(row, i), values) - values
        tiny = lt(
            tools.absolute_value(gaps),
            tools.broadcast_scalar(least, tools.absolute_value(gaps)),
        )
        gaps = select(
            tiny, tools.broadcast_scalar(convert(least, get_aval(t).dtype), gaps), gaps
        )
        found = -sums / gaps
        # Before the own row: by substitution; there: one; after it: nothing.
        after = tools.is_from(found, i + 1)
        return tools.with_row(x, i, select(after, found, tools.row(x, i)))

    return tools.repeated(n, step, eye)


def _unit(v):
    """Columns of length one."""
    lengths = sqrt(tools.square_sum(v, 0))
    safe = select(gt(lengths, full_like(lengths, 0)), lengths, full_like(lengths, 1))
    return v / convert(tools.across(safe, np.shape(v)[0]), get_aval(v).dtype)


def eig(
    x: Array,
    *,
    compute_left_eigenvectors: bool,
    compute_right_eigenvectors: bool,
    **params: Any,
) -> list[Array]:
    """Eigenvalues, and left and right eigenvectors as columns if wanted."""
    t, q = schur(x)
    diagonal = tools.kept(eq(tools.iota_along(t, 0), tools.iota_along(t, 1)), t)
    values = tools.total(diagonal, 0)
    found = [values]
    if compute_left_eigenvectors:
        # Left vectors are the right ones of the adjoint, whose order is turned around to
        # be upper triangular too.
        turned = tools.conjugate(t.T)[::-1, ::-1]
        vectors = _of_triangle(turned, tools.conjugate(values)[::-1])[::-1, ::-1]
        found.append(_unit(matrices.product(q, vectors)))
    if compute_right_eigenvectors:
        found.append(_unit(matrices.product(q, _of_triangle(t, values))))
    return found
