"""Eigenvalues of matrices without symmetry: the QR method on complex Hessenberg matrices.

One shift at a time, and one eigenvalue after the other from below.

Reference: Golub and Van Loan, Matrix Computations, 4th edition, 2013, chapter 7.
"""

from typing import Any

import numpy as np

from jax._src.core.avals import get_aval
from jax._src.lax.control_flow.while_loops import while_loop
from jax._src.lax.linalg import matrices as mx
from jax._src.lax.linalg.portable import factors, tools as to
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
    return to.entry(to.row(x, i), j)


def _shift(h, last):
    """The eigenvalue of the last two rows and columns that is closer to the corner."""
    a, b = _element(h, last - 1, last - 1), _element(h, last - 1, last)
    c, d = _element(h, last, last - 1), _element(h, last, last)
    half = (a - d) / full_like(a, 2)
    root = sqrt(half * half + b * c)
    first, second = d + half + root, d + half - root
    return select(
        le(to.absolute_value(first - d), to.absolute_value(second - d)), first, second
    )


def rotation(a, b):
    """Cosine and sine that turn a pair into one number and zero."""
    length = sqrt(to.square_sum(a) + to.square_sum(b))
    is_zero = eq(length, full_like(length, 0))
    safe = convert(select(is_zero, full_like(length, 1), length), get_aval(a).dtype)
    cosine = select(is_zero, full_like(a, 1), a / safe)
    return cosine, select(is_zero, full_like(b, 0), b / safe)


def _qr_step(h, q, last, steps):
    """``R Q + shift`` of the shifted first `last` + 1 rows and columns."""
    n = np.shape(h)[0]
    shift = _shift(h, last)
    # Now and then another: some matrices come back to themselves.
    other = to.absolute_value(_element(h, last, last - 1))
    other = shift + convert(other, get_aval(h).dtype) * full_like(shift, 0.75)
    is_stuck = eq(rem(steps, full_like(steps, 10)), full_like(steps, 9))
    shift = select(is_stuck, other, shift)
    inside = le(to.iota_along(h, 0), to.broadcast_scalar(last, to.iota_along(h, 0)))
    on_diagonal = bitwise_and(eq(to.iota_along(h, 0), to.iota_along(h, 1)), inside)
    shifts = to.kept(on_diagonal, to.broadcast_scalar(shift, h))
    h = h - shifts

    def turn_rows(i, state):
        h, cosines, sines = state
        cosine, sine = rotation(_element(h, i, i), _element(h, i + 1, i))
        acts = lt(convert(i, np.dtype(np.int32)), last)
        cosine = select(acts, cosine, full_like(cosine, 1))
        sine = to.kept(acts, sine)
        top, low = to.row(h, i), to.row(h, i + 1)
        c, s = to.broadcast_scalar(cosine, top), to.broadcast_scalar(sine, top)
        h = to.with_row(h, i, to.conjugate(c) * top + to.conjugate(s) * low)
        h = to.with_row(h, i + 1, c * low - s * top)
        return h, to.with_entry(cosines, i, cosine), to.with_entry(sines, i, sine)

    empty = full_like(h, 0, shape=(n,))
    h, cosines, sines = to.repeated(n - 1, turn_rows, (h, empty, empty))

    def turn_columns(i, state):
        cosine, sine = to.entry(cosines, i), to.entry(sines, i)
        turned = []
        for x in state:
            left, right = to.column(x, i), to.column(x, i + 1)
            c, s = to.broadcast_scalar(cosine, left), to.broadcast_scalar(sine, left)
            x = to.with_column(x, i, c * left + s * right)
            x = to.with_column(
                x, i + 1, to.conjugate(c) * right - to.conjugate(s) * left
            )
            turned.append(x)
        return tuple(turned)

    h, q = to.repeated(n - 1, turn_columns, (h, q))
    return h + shifts, q


def schur(x: Array) -> tuple[Array, Array]:
    """The triangular form of a square matrix, complex, and the unitary vectors."""
    n = np.shape(x)[0]
    x = _as_complex(x)
    if n == 1:
        return x, full_like(x, 1)
    packed, scales = factors.hessenberg(x)
    keep = le(to.iota_along(x, 0), to.iota_along(x, 1) + 1)
    h = to.kept(keep, packed)
    q = vectors_of(packed, scales)
    eps = np.finfo(get_aval(real(x)).dtype).eps
    whole = to.norm(x)

    def is_open(state):
        _, _, last, steps = state
        return bitwise_and(
            gt(last, full_like(last, 0)), lt(steps, full_like(steps, _STEPS * n))
        )

    def step(state):
        h, q, last, steps = state
        beside = to.absolute_value(_element(h, last, last - 1))
        near = to.absolute_value(_element(h, last - 1, last - 1)) + to.absolute_value(
            _element(h, last, last)
        )
        small = le(beside, full_like(beside, eps) * near)
        # Where both neighbours vanish, what counts is the whole matrix.
        small = bitwise_or(small, le(beside, full_like(beside, eps * eps) * whole))
        moved, turned = _qr_step(h, q, last, steps)
        at = bitwise_and(to.is_at(h, last, 0), to.is_at(h, last - 1, 1))
        done = select(at, full_like(h, 0), h)
        mask = to.broadcast_scalar(small, keep)
        h, q = select(mask, done, moved), select(mask, q, turned)
        return h, q, last - convert(small, np.dtype(np.int32)), steps + 1

    start = (h, q, np.int32(n - 1), np.int32(0))
    h, q, last, _ = while_loop(is_open, step, start)
    h = to.kept(ge(to.iota_along(h, 1), to.iota_along(h, 0)), h)
    # Without an end, or without numbers, there is no form.
    failed = gt(last, full_like(last, 0))
    lost = to.broadcast_scalar(failed, keep)
    return select(lost, full_like(h, np.nan), h), select(lost, full_like(q, np.nan), q)


def vectors_of(packed, scales):
    """The unitary matrix of the reduction to Hessenberg's form."""
    n = np.shape(packed)[0]
    eye = convert(
        eq(to.iota_along(packed, 0), to.iota_along(packed, 1)), get_aval(packed).dtype
    )

    def step(number, q):
        i = n - 2 - number
        found = to.column(packed, i)
        v = to.kept(to.is_from(found, i + 2), found)
        v = to.with_entry(v, i + 1, full_like(to.entry(v, i + 1), 1))
        return factors.reflected(q, v, to.entry(scales, i))

    return to.repeated(n - 1, step, eye)


def _of_triangle(t, values):
    """Eigenvectors of an upper triangular matrix, as columns."""
    n = np.shape(t)[0]
    eps = np.finfo(get_aval(real(t)).dtype).eps
    least = to.norm(t) * full_like(to.norm(t), eps)
    least = select(gt(least, full_like(least, 0)), least, full_like(least, 1))
    rows, columns = to.iota_along(t, 0), to.iota_along(t, 1)
    eye = convert(eq(rows, columns), get_aval(t).dtype)

    def step(number, x):
        i = n - 1 - number
        row = to.row(t, i)
        known = to.kept(to.is_from(row, i + 1), row)
        sums = to.total(to.down(known, n) * x, 0)
        gaps = to.broadcast_scalar(to.entry(row, i), values) - values
        tiny = lt(
            to.absolute_value(gaps), to.broadcast_scalar(least, to.absolute_value(gaps))
        )
        gaps = select(
            tiny, to.broadcast_scalar(convert(least, get_aval(t).dtype), gaps), gaps
        )
        found = -sums / gaps
        # Before the own row: by substitution; there: one; after it: nothing.
        after = to.is_from(found, i + 1)
        return to.with_row(x, i, select(after, found, to.row(x, i)))

    return to.repeated(n, step, eye)


def _unit(v):
    """Columns of length one."""
    lengths = sqrt(to.square_sum(v, 0))
    safe = select(gt(lengths, full_like(lengths, 0)), lengths, full_like(lengths, 1))
    return v / convert(to.across(safe, np.shape(v)[0]), get_aval(v).dtype)


def eig(
    x: Array,
    *,
    compute_left_eigenvectors: bool,
    compute_right_eigenvectors: bool,
    **params: Any,
) -> list[Array]:
    """Eigenvalues, and left and right eigenvectors as columns if wanted."""
    t, q = schur(x)
    diagonal = to.kept(eq(to.iota_along(t, 0), to.iota_along(t, 1)), t)
    values = to.total(diagonal, 0)
    found = [values]
    if compute_left_eigenvectors:
        # Left vectors are the right ones of the adjoint, whose order is turned around to
        # be upper triangular too.
        turned = to.conjugate(t.T)[::-1, ::-1]
        vectors = _of_triangle(turned, to.conjugate(values)[::-1])[::-1, ::-1]
        found.append(_unit(mx.product(q, vectors)))
    if compute_right_eigenvectors:
        found.append(_unit(mx.product(q, _of_triangle(t, values))))
    return found
