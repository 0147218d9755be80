"""Schur and Hessenberg forms, and functions of matrices that are defined by them."""

from __future__ import annotations

import functools as ft
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.lax.control_flow.fori_loop_and_map import fori_loop
from jax._src.lax.linalg import (
    eig as eig_module,
    eigh as eigh_module,
    matrices,
    qr as qr_module,
    schur_hessenberg as schur_module,
    triangular,
)
from jax._src.numpy import jit_wrapper, numpy_api as jnp, operands
from jax._src.numpy.jit_wrapper import jit_as_call as jit
from jax._src.numpy.linalg import equations
from jax._src.scipy.linalg import messages

Array = operands.Array
ArrayLike = operands.ArrayLike


def schur(a: ArrayLike, output: str = "real") -> list[Array]:
    """Schur forms: ``a == z @ t @ z.conj().T`` with unitary ``z``.

    Args:
        a: array of shape ``(..., n, n)``.
        output: ``"real"``: of a real matrix, a real form with blocks of size 2 for
            pairs of complex eigenvalues; ``"complex"``: an upper triangle.

    Returns:
        A list of ``t`` and ``z``.

    Raises:
        ValueError: `a` is not square, or `output` is something else.
        TypeError: `a` is no array or number.
        TypeError: it is no matrix.

    It cannot be differentiated: the form is not determined by the matrix alone.
    """
    messages.one_of("schur", "output", output, ("real", "complex"))
    return _schur(a, output == "complex")


@ft.partial(jit, static_argnames=("as_complex",))
def _schur(a, as_complex):
    a = messages.inexact("schur", a)
    if as_complex:
        (a,) = operands.promote_dtypes_complex(a)
    return schur_module.schur(a)


@ft.partial(jit, static_argnames=("calc_q", "overwrite_a", "check_finite"))
def hessenberg(
    a: ArrayLike,
    *,
    calc_q: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
) -> Array | tuple[Array, Array]:
    """Hessenberg forms: ``a == q @ h @ q.conj().T``, where ``h`` has one subdiagonal.

    Args:
        a: array of shape ``(..., n, n)``.
        calc_q: whether to return ``q``, which is unitary.
        overwrite_a: not used.
        check_finite: not used.

    Returns:
        ``h``, of a floating or complex dtype, or a pair with ``q``.

    Raises:
        ValueError: `a` is not square.
        TypeError: `a` is no array or number.
        TypeError: it is no matrix.
    """
    a = messages.inexact("hessenberg", a)
    packed, scales = schur_module.hessenberg(a)
    form = matrices.upper_triangle(packed, -1)
    if not calc_q:
        return form
    n = operands.shape(a)[-1]
    q = matrices.identities(a, n)
    if n > 1:
        inner = qr_module.householder_product(packed[..., 1:, :-1], scales)
        right = jnp.concatenate([q[..., :1, 1:], inner], axis=-2)
        q = jnp.concatenate([q[..., :, :1], right], axis=-1)
    return form, q


@ft.partial(jit, static_argnames=("check_finite",))
def rsf2csf(
    T: ArrayLike, Z: ArrayLike, check_finite: bool = True
) -> tuple[Array, Array]:
    """The complex Schur form, from a real one.

    Args:
        T: array of shape ``(n, n)``, a real Schur form.
        Z: array of shape ``(n, n)``, the orthogonal matrix that leads to it.
        check_finite: not used.

    Returns:
        A complex upper triangular form, and the unitary matrix that leads to it.

    Raises:
        ValueError: they are not square, or differ in shape.
        TypeError: `T` or `Z` is no array or number.

    Reference: Golub and Van Loan, Matrix Computations, 4th edition, section 7.4.1: each
    block of size 2 is made triangular by one rotation.
    """
    T, Z = operands.promote_dtypes_complex(*messages.operands_of("rsf2csf", T, Z))
    for name, x in (("T", T), ("Z", Z)):
        messages.require_square("rsf2csf", x, name)
    if operands.shape(T) != operands.shape(Z) or operands.ndim(T) != 2:
        raise messages.value_error(
            "rsf2csf",
            "T and Z differ in shape.",
            [("T", operands.type_name(T)), ("Z", operands.type_name(Z))],
            "Both are one square matrix of the same size.",
        )
    n = operands.shape(T)[0]
    if n < 2:
        return T, Z
    return fori_loop(0, n - 1, ft.partial(_rotate_block, n), (T, Z))


def _rotate_block(n: int, step: Array, carry: tuple) -> tuple:
    t, z = carry
    m = n - 1 - step
    first, second = t[m - 1], t[m]
    a, b, c, d = first[m - 1], first[m], second[m - 1], second[m]
    eps = dtypes.finfo(operands.dtype_of(t)).eps
    is_block = abs(c) > eps * (abs(a) + abs(d))
    # An eigenvalue of the block, relative to its last entry.
    shift = (a - d) / 2 + jnp.sqrt((a - d) ** 2 / 4 + b * c)
    size = jnp.sqrt(jnp.real(shift * jnp.conj(shift) + c * jnp.conj(c)))
    size = operands.convert(jnp.where(is_block, size, 1), operands.dtype_of(t))
    cos = jnp.where(is_block, shift / size, 1)
    sin = jnp.where(is_block, c / size, 0)
    rows = jnp.conj(cos) * first + sin * second, cos * second - sin * first
    t = t.at[m - 1].set(rows[0]).at[m].set(rows[1])
    t, z = (_rotated_columns(x, m, cos, sin) for x in (t, z))
    return t.at[m, m - 1].set(jnp.where(is_block, 0, t[m, m - 1])), z


def _rotated_columns(x, m, cos, sin):
    left, right = x[:, m - 1], x[:, m]
    x = x.at[:, m - 1].set(left * cos + right * jnp.conj(sin))
    return x.at[:, m].set(right * jnp.conj(cos) - left * sin)


@jit
def _sqrtm(a):
    (a,) = operands.promote_dtypes_complex(a)
    form, vectors = schur_module.schur(a)
    root = _sqrt_of_triangle(form)
    return matrices.product(matrices.product(vectors, root), matrices.adjoint(vectors))


@ft.partial(jit_wrapper.jit, static_argnames=("blocksize",))
def sqrtm(A: ArrayLike, blocksize: int = 1) -> Array:
    """The principal square root of a matrix.

    Args:
        A: array of shape ``(n, n)``.
        blocksize: 1; more is not supported.

    Returns:
        Complex array of the shape of `A`, whose eigenvalues have no negative real part.

    Raises:
        ValueError: `A` is not square. NotImplementedError: `blocksize` is not 1.
        TypeError: `A` is no array or number.

    It cannot be differentiated: it is made from a Schur form.

    Reference: Björck and Hammarling, A Schur method for the square root of a matrix,
    1983, section 3.
    """
    A = messages.inexact("sqrtm", A)
    messages.require_square("sqrtm", A, "A")
    if blocksize > 1:
        raise messages.not_implemented(
            "sqrtm",
            "there is no version by blocks.",
            [("blocksize", str(blocksize))],
            "The root is found column by column.",
            "Leave the argument out.",
        )
    return _sqrtm(A)


def _sqrt_of_triangle(t: Array) -> Array:
    """Column by column: the part above the diagonal solves a triangular equation.

    Where two diagonal elements of the root add up to 0, the element between them is 0 if
    its equation is 0 = 0, and NaN if it has no solution.
    """
    n = operands.shape(t)[-1]
    indices = operands.counted(n)
    eye = matrices.identity(t, n)

    def column(j, root):
        corner = jnp.sqrt(t[..., j, j])
        above = indices < j
        pivots = root.diagonal(axis1=-2, axis2=-1) + corner[..., None]
        is_zero = above & (pivots == 0)
        matrix = root + jnp.where(is_zero, 1, corner[..., None])[..., None] * eye
        # Rows that do not count become those of the identity.
        matrix = jnp.where(above[:, None] & above[None, :], matrix, eye)
        right = jnp.where(above, t[..., :, j], 0)
        found = triangular.solve_many(matrix, right[..., None])[..., 0]
        found = jnp.where(is_zero & (found != 0), np.nan, found)
        found = jnp.where(indices == j, corner[..., None], jnp.where(above, found, 0))
        return root.at[..., :, j].set(found)

    return fori_loop(0, n, column, jnp.zeros_like(t))


def funm(
    A: ArrayLike, func: Callable[[Array], Array], disp: bool = True
) -> Array | tuple[Array, Array]:
    """A function of a matrix, from a function of its eigenvalues.

    Args:
        A: array of shape ``(n, n)``.
        func: from an array of complex numbers to one of the same shape.
        disp: whether to return the result alone, otherwise with an estimate of its
            error.

    Returns:
        Complex array of the shape of `A`, or a pair with the estimate, relative to the
        norm.

    Raises:
        ValueError: `A` is not square.
        TypeError: `A` is no array or number.

    Eigenvalues that are nearly equal make it inexact.

    Reference: Golub and Van Loan, Matrix Computations, 4th edition, algorithm 9.1.1
    (Parlett's recurrence).
    """
    A = messages.inexact("funm", A)
    messages.require_square("funm", A, "A")
    form, vectors = _schur(A, True)
    values = func(jnp.einsum("ii->i", form))
    found, least = _parlett(form, operands.convert(values, operands.dtype_of(form)))
    found = matrices.product(
        matrices.product(vectors, found), matrices.adjoint(vectors)
    )
    if disp:
        return found
    eps = dtypes.finfo(operands.dtype_of(form)).eps
    weight = jnp.sum(jnp.abs(matrices.upper_triangle(form, 1)), axis=0).max(initial=0)
    error = jnp.minimum(1, jnp.maximum(eps, eps / least * weight))
    is_finite = jnp.all(jnp.isfinite(found))
    return found, jnp.where(is_finite, error, np.inf).astype(least.dtype)


@jit
def _parlett(t: Array, values: Array) -> tuple[Array, Array]:
    """One diagonal above the other; also the least distance of eigenvalues."""
    f = matrices.as_diagonal(values)
    n = operands.shape(t)[0]
    indices = np.arange(n)

    def element(p, i, carry):
        f, least = carry
        j = i + p
        between = (indices > i) & (indices < j)
        total = t[i, j] * (f[j, j] - f[i, i])
        total += jnp.sum(jnp.where(between, t[i, :] * f[:, j] - f[i, :] * t[:, j], 0))
        gap = t[j, j] - t[i, i]
        is_zero = gap == 0
        quotient = total / jnp.where(is_zero, 1, gap)
        least = jnp.minimum(least, jnp.abs(gap))
        return f.at[i, j].set(quotient), least

    def diagonal(p, carry):
        return fori_loop(0, n - p, ft.partial(element, p), carry)

    start = f, jnp.abs(t[0, 0] * 0 + 1) if n else jnp.ones((), np.float32)
    return fori_loop(1, n, diagonal, start)


@ft.partial(jit_wrapper.jit, static_argnames=("method",))
def solve_sylvester(
    A: ArrayLike,
    B: ArrayLike,
    C: ArrayLike,
    *,
    method: str = "schur",
    tol: float = 1e-8,
) -> Array:
    """The solution ``x`` of ``A @ x + x @ B == C``.

    Args:
        A: array of shape ``(m, m)``.
        B: array of shape ``(n, n)``.
        C: array of shape ``(m, n)``.
        method: ``"schur"``, or ``"eigen"``, which needs matrices with a basis of
            eigenvectors, and can be differentiated.
        tol: sums of eigenvalues that are smaller count as zero.

    Returns:
        Array of shape ``(m, n)`` and the promoted floating or complex dtype; all NaN
        where an eigenvalue of `A` is minus one of `B`: then there is no solution, or no
        single one.

    Raises:
        ValueError: the shapes do not fit, or `method` is something else.
        TypeError: `A` or `B` or `C` is no array or number.

    Reference: Bartels and Stewart, Solution of the matrix equation AX + XB = C, 1972.
    """
    A, B, C = messages.inexact("solve_sylvester", A, B, C)
    messages.require_square("solve_sylvester", A, "A")
    messages.require_square("solve_sylvester", B, "B")
    if operands.shape(C) != (operands.shape(A)[0], operands.shape(B)[0]):
        raise messages.value_error(
            "solve_sylvester",
            "the shapes do not fit.",
            [
                (name, operands.type_name(x))
                for name, x in (("A", A), ("B", B), ("C", C))
            ],
            "C has the rows of A and the columns of B.",
        )
    messages.one_of("solve_sylvester", "method", method, ("schur", "eigen"))
    run = _sylvester_by_schur if method == "schur" else _sylvester_by_eigenvectors
    x = run(A, B, C, tol)
    return x if operands.kind_of(C) == "c" else jnp.real(x)


def _nan_where(singular: Array, x: Array) -> Array:
    return jnp.where(singular, np.nan, x)


@jit
def _sylvester_by_schur(a, b, c, tol):
    (r, u), (s, v) = _schur(a, True), _schur(b, True)
    right = matrices.product(
        matrices.product(
            matrices.adjoint(u), operands.convert(c, operands.dtype_of(u))
        ),
        v,
    )
    m, n = operands.shape(right)
    eye = matrices.identity(r, m)
    sums = jnp.einsum("ii->i", r)[:, None] + jnp.einsum("ii->i", s)[None, :]

    def column(k, y):
        # Columns from k on are still zero.
        known = right[:, k] - matrices.product(y, s[:, k][:, None])[:, 0]
        found = triangular.solve_many(r + s[k, k] * eye, known[:, None])
        return y.at[:, k].set(found[:, 0])

    y = fori_loop(0, n, column, jnp.zeros_like(right))
    x = matrices.product(matrices.product(u, y), matrices.adjoint(v))
    return _nan_where(jnp.any(jnp.abs(sums) < tol), x)


@jit
def _sylvester_by_eigenvectors(a, b, c, tol):
    (w, u), (z, v) = (
        eig_module.eig(x, compute_left_eigenvectors=False, enable_eigvec_derivs=True)
        for x in (a, b)
    )
    sums = w[:, None] + z[None, :]
    right = equations.solve(
        u, matrices.product(operands.convert(c, operands.dtype_of(u)), v)
    )
    x = equations.solve(
        matrices.turned(v), matrices.turned(matrices.product(u, right / sums))
    )
    return _nan_where(jnp.any(jnp.abs(sums) < tol), matrices.turned(x))


def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    *,
    eigvals_only: bool = False,
    select: str = "a",
    select_range: tuple[float, float] | None = None,
    tol: float | None = None,
    key: Any = None,
) -> Array | tuple[Array, Array]:
    """Eigenvalues and eigenvectors of Hermitian tridiagonal matrices.

    Args:
        d: array of shape ``(n,)``, the diagonal.
        e: array of shape ``(n - 1,)``, the elements beside it.
        eigvals_only: whether to return eigenvalues alone.
        select: ``"a"`` for all of them, ``"i"`` for those numbered by `select_range`.
        select_range: the first number and the last.
        tol: not used: eigenvalues are as exact as the dtype.
        key: not used: eigenvectors need no random start.

    Returns:
        Eigenvalues, increasing, and eigenvectors, the columns of an array.

    Raises:
        TypeError: shapes or dtypes do not fit. ValueError: `select` or its range does
            not. NotImplementedError: ``select="v"``, the values in an interval.
    """
    d, e = messages.operands_of("eigh_tridiagonal", d, e)
    facts = [("d", operands.type_name(d)), ("e", operands.type_name(e))]
    if operands.dtype_of(d) != operands.dtype_of(e) or operands.shape(d) != (
        operands.size(e) + 1,
    ):
        raise messages.type_error(
            "eigh_tridiagonal",
            "the diagonals do not fit together.",
            facts,
            "They are vectors of one dtype, and e is one shorter.",
        )
    messages.one_of("eigh_tridiagonal", "select", select, ("a", "i", "v"))
    first, last = _numbers(operands.size(d), select, select_range)
    values, vectors = _eigh_tridiagonal(*operands.promote_dtypes_inexact(d, e))
    values, vectors = values[first : last + 1], vectors[:, first : last + 1]
    return values if eigvals_only else (values, vectors)


def _numbers(n, select, select_range):
    if select == "v":
        raise messages.not_implemented(
            "eigh_tridiagonal",
            "the eigenvalues in an interval cannot be selected.",
            [("select", "'v'"), ("select_range", str(select_range))],
            "Their number, and so the shape of the result, would depend on values.",
            "By number: select='i'. Or index the result by a condition.",
        )
    if select == "a":
        return 0, n - 1
    if select_range is None or select_range[0] > select_range[1]:
        raise messages.value_error(
            "eigh_tridiagonal",
            "the range selects nothing.",
            [("select_range", str(select_range))],
            "For select='i' it is a pair of numbers, the first and the last.",
        )
    return select_range


@jit
def _eigh_tridiagonal(d, e):
    """By the dense method, which reduces to this form first."""
    n = operands.size(d)
    below = jnp.zeros((n, n), operands.dtype_of(d))
    if n > 1:
        indices = np.arange(n - 1)
        below = below.at[indices + 1, indices].set(matrices.conjugated(e))
    matrix = matrices.as_diagonal(d) + below
    vectors, values = eigh_module.eigh(matrix, symmetrize_input=False)
    return values, vectors


traceback_filter.hide_frames(globals())
