"""Factorizations of matrices, and equations that are solved by them."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.symbols.expressions import min_dim
from jax._src.lax.linalg import (
    cholesky as cholesky_module,
    eigh as eigh_module,
    lu as lu_module,
    matrices,
    polar as polar_module,
    qr as qr_module,
    solve as solve_module,
    svd as svd_module,
    triangular,
)
from jax._src.lax.ops.complex_parts import real_dtype
from jax._src.numpy import jit_wrapper, numpy_api as jnp, operands
from jax._src.numpy.jit_wrapper import jit_as_call as jit
from jax._src.numpy.linalg import decompositions, determinants, equations
from jax._src.scipy.linalg import messages
from jax._src.transforms.vectorize import vmap

Array = operands.Array
ArrayLike = operands.ArrayLike


@ft.partial(jit, static_argnames=("lower", "overwrite_a", "check_finite"))
def cholesky(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
) -> Array:
    """The Cholesky factor of positive definite matrices.

    Args:
        a: array of shape ``(..., n, n)``; one triangle is read, the upper one unless
            `lower`.
        lower: whether to return the lower factor ``l`` of ``l @ l.conj().T`` instead of
            the upper one ``u`` of ``u.conj().T @ u``.
        overwrite_a: not used.
        check_finite: not used.

    Returns:
        Array of the shape of `a`, integers as floats; all NaN for a matrix that is not
        positive definite.

    Raises:
        ValueError: `a` is not square.
        TypeError: `a` is no array or number.
    """
    return _cholesky("cholesky", a, lower)


def _cholesky(name: str, a: ArrayLike, lower: bool) -> Array:
    a = messages.inexact(name, a)
    messages.require_square(name, a)
    factor = cholesky_module.cholesky(
        a if lower else matrices.adjoint(a), symmetrize_input=False
    )
    return factor if lower else matrices.adjoint(factor)


def cho_factor(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
) -> tuple[Array, bool]:
    """The Cholesky factor for `cho_solve`.

    The arguments are those of `jax.scipy.linalg.cholesky`, and so are shape, dtype and
    errors.

    Returns:
        A pair: the factor, and `lower`.
    """
    return _cho_factor(a, lower), lower


@ft.partial(jit, static_argnames=("lower",))
def _cho_factor(a, lower):
    return _cholesky("cho_factor", a, lower)


def cho_solve(
    c_and_lower: tuple[ArrayLike, bool],
    b: ArrayLike,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Array:
    """Solves ``a x = b``, given a Cholesky factor of ``a``.

    Args:
        c_and_lower: what `cho_factor` returned.
        b: array of shape ``(n,)`` or ``(..., n, k)``.
        overwrite_b: not used.
        check_finite: not used.

    Returns:
        Array of the shape of `b`, of the promoted floating or complex dtype.

    Raises:
        ValueError: the shapes do not fit.
    """
    factor, lower = c_and_lower
    return _cho_solve(factor, b, bool(lower))


@ft.partial(jit, static_argnames=("lower",))
def _cho_solve(c, b, lower):
    c, b = messages.inexact("cho_solve", c, b)
    messages.require_square("cho_solve", c, "c")
    right, is_vector = messages.columns("cho_solve", c, b)
    c, right = messages.same_batch("scipy.linalg.cho_solve", c, right)
    turned = {"transpose_a": True, "conjugate_a": True}
    x = triangular.solve_many(c, right, lower=lower, **({} if lower else turned))
    x = triangular.solve_many(c, x, lower=lower, **(turned if lower else {}))
    return x[..., 0] if is_vector else x


@ft.partial(
    jit,
    static_argnames=(
        "full_matrices",
        "compute_uv",
        "overwrite_a",
        "check_finite",
        "lapack_driver",
    ),
)
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Array | tuple[Array, Array, Array]:
    """Singular values and vectors of matrices.

    Args:
        a: array of shape ``(..., m, n)``.
        full_matrices: whether the vectors fill whole bases.
        compute_uv: whether to return the vectors.
        overwrite_a: not used.
        check_finite: not used.
        lapack_driver: ``"gesvd"`` for the method by QR iteration; anything else for
            divide and conquer.

    Returns:
        ``u``, the singular values (floats) and ``vh``, of shapes as for
        `jax.numpy.linalg.svd`.

    Raises:
        TypeError: `a` is no matrix.
    """
    a = messages.inexact("svd", a)
    algorithm = svd_module.SvdAlgorithm.QR if lapack_driver == "gesvd" else None
    return svd_module.svd(
        a, full_matrices=full_matrices, compute_uv=compute_uv, algorithm=algorithm
    )


def det(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> Array:
    """The determinants of matrices.

    Args:
        a: array of shape ``(..., n, n)``.
        overwrite_a: not used.
        check_finite: not used.

    Returns:
        Array of shape ``(...)``, dtype and errors as for `jax.numpy.linalg.det`.

    Raises:
        TypeError: `a` is no array or number.
    """
    return determinants.det(a)


def inv(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> Array:
    """The inverses of matrices.

    Args:
        a: array of shape ``(..., n, n)``.
        overwrite_a: not used.
        check_finite: not used.

    Returns:
        Array of the shape of `a`, dtype and errors as for `jax.numpy.linalg.inv`.

    Raises:
        TypeError: `a` is no array or number.
    """
    return equations.inv(a)


def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    turbo: bool = True,
    eigvals: None = None,
    type: int = 1,
    check_finite: bool = True,
) -> Array | tuple[Array, Array]:
    """Eigenvalues and eigenvectors of Hermitian matrices.

    Args:
        a: array of shape ``(..., n, n)``.
        b: not supported: eigenvalues relative to another matrix.
        lower: whether the lower triangle is read, otherwise the upper one.
        eigvals_only: whether to return eigenvalues alone.
        overwrite_a: not used.
        overwrite_b: not used.
        turbo: not used.
        eigvals: not supported: numbers of the eigenvalues wanted.
        type: 1; other kinds of generalized equations are not supported.
        check_finite: not used.

    Returns:
        Eigenvalues of shape ``(..., n)``, increasing, and eigenvectors, the columns of
        an array of the shape of `a`.

    Raises:
        NotImplementedError: an argument asks for what is not supported.
        TypeError: `a` is no array or number.
        TypeError: `a` is no square matrix.
    """
    given = {"b": b is not None, "eigvals": eigvals is not None, "type": type != 1}
    if any(given.values()):
        raise messages.not_implemented(
            "eigh",
            "an argument is not supported.",
            [(option, "given") for option, is_given in given.items() if is_given],
            "All eigenvalues of one Hermitian matrix are computed.",
            "Leave it out.",
        )
    return _eigh(a, lower, eigvals_only)


@ft.partial(jit, static_argnames=("lower", "eigvals_only"))
def _eigh(a, lower, eigvals_only):
    a = messages.inexact("eigh", a)
    vectors, values = eigh_module.eigh(a, lower=lower, symmetrize_input=False)
    return values if eigvals_only else (values, vectors)


@jit
def _lu_factor(a):
    a = messages.inexact("lu_factor", a)
    factors, pivots, _ = lu_module.lu(a)
    return factors, pivots


def lu_factor(
    a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Array, Array]:
    """LU factors for `lu_solve`.

    Args:
        a: array of shape ``(..., n, n)``; others are factored too, but not for
            `lu_solve`.
        overwrite_a: not used.
        check_finite: not used.

    Returns:
        Both factors in one array, integers as floats, and the pivots, integers of shape
        ``(..., n)``.

    Raises:
        TypeError: `a` is no matrix.
    """
    return _lu_factor(a)


def lu_solve(
    lu_and_piv: tuple[ArrayLike, ArrayLike],
    b: ArrayLike,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Array:
    """Solves ``op(a) x = b``, given the LU factors of ``a``.

    Args:
        lu_and_piv: what `lu_factor` returned.
        b: array of shape ``(n,)`` or ``(..., n, k)``.
        trans: 0 for ``a`` itself, 1 for its transpose, 2 for its adjoint.
        overwrite_b: not used.
        check_finite: not used.

    Returns:
        Array of the shape of `b`.

    Raises:
        ValueError: the shapes do not fit, or `trans` is another number.
    """
    messages.one_of("lu_solve", "trans", trans, (0, 1, 2))
    factors, pivots = lu_and_piv
    return _lu_solve(factors, pivots, b, trans)


@ft.partial(jit, static_argnames=("trans",))
def _lu_solve(factors, pivots, b, trans):
    factors, b = messages.inexact("lu_solve", factors, b)
    messages.require_square("lu_solve", factors, "lu")
    right, is_vector = messages.columns("lu_solve", factors, b)
    n = operands.shape(factors)[-1]
    order = lu_module.lu_pivots_to_permutation(pivots, n)
    factors, right = messages.same_batch("scipy.linalg.lu_solve", factors, right)
    order = operands.broadcast_to(order, operands.shape(factors)[:-1])
    x = solve_module.lu_solve(factors, order, right, trans)
    return x[..., 0] if is_vector else x


@ft.partial(jit, static_argnames=("permute_l", "overwrite_a", "check_finite"))
def lu(
    a: ArrayLike,
    permute_l: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
) -> tuple[Array, ...]:
    """LU factors: ``a == p @ l @ u``.

    Args:
        a: array of shape ``(..., m, n)``.
        permute_l: whether to return ``p @ l`` in place of both.
        overwrite_a: not used.
        check_finite: not used.

    Returns:
        Arrays of a floating or complex dtype: the permutation ``p`` of shape ``(..., m,
        m)``, the lower ``l`` of shape ``(..., m, k)`` with ones on its diagonal, and
        the upper ``u`` of shape ``(..., k, n)``, for ``k = min(m, n)``.

    Raises:
        TypeError: `a` is no matrix.
    """
    a = messages.inexact("lu", a)
    factors, _, order = lu_module.lu(a)
    m, n = operands.shape(a)[-2:]
    k = min_dim(m, n)
    lower = matrices.lower_triangle(factors, -1)[..., :k] + matrices.identities(a, m, k)
    upper = matrices.upper_triangle(factors)[..., :k, :]
    if permute_l:
        back = solve_module.inverse_order(order)
        return lu_module.taken_rows(lower, back), upper
    rows = operands.counted(m)[:, None]
    permutation = operands.convert(
        rows == order[..., None, :], real_dtype(operands.dtype_of(a))
    )
    return permutation, lower, upper


@ft.partial(jit, static_argnames=("mode", "pivoting"))
def _qr(a, mode, pivoting):
    a = messages.inexact("qr", a)
    q, r, *order = qr_module.qr(a, pivoting=pivoting, full_matrices=mode != "economic")
    return (r, *order) if mode == "r" else (q, r, *order)


def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: Any = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> tuple[Array, ...]:
    """Orthonormal columns and an upper triangle, whose product is the matrix.

    Args:
        a: array of shape ``(..., m, n)``.
        overwrite_a: not used.
        lwork: not used.
        mode: ``"full"`` for a square first factor, ``"economic"`` for ``min(m, n)``
            columns, ``"r"`` for the second factor alone.
        pivoting: whether to exchange columns, so that the diagonal decreases; then
            their order is returned too.
        check_finite: not used.

    Returns:
        A tuple of arrays of a floating or complex dtype; with `pivoting` also of
        integers.

    Raises:
        ValueError: there is no such mode.
        TypeError: `a` is no array or number.
        TypeError: `a` is no matrix.
    """
    messages.one_of("qr", "mode", mode, ("full", "r", "economic"))
    return _qr(a, mode, bool(pivoting))


def _filled_rows(r, m):
    missing = m - operands.shape(r)[-2]
    zeros = jnp.zeros(
        (*operands.shape(r)[:-2], missing, operands.shape(r)[-1]), operands.dtype_of(r)
    )
    return jnp.concatenate([r, zeros], axis=-2)


@ft.partial(jit, static_argnames=("mode", "pivoting", "conjugate"))
def _qr_multiply(a, c, mode, pivoting, conjugate):
    a, c = messages.inexact("qr_multiply", a, c)
    facts = [("a", operands.type_name(a)), ("c", operands.type_name(c)), ("mode", mode)]
    if operands.ndim(a) < 2:
        raise messages.value_error("qr_multiply", "a is no matrix.", facts)
    if not operands.ndim(c):
        rule = "It is a matrix or a vector."
        raise IndexError(messages.explain("qr_multiply", "c is a scalar.", facts, rule))
    m, n = operands.shape(a)[-2:]
    k = min(m, n)
    is_vector = operands.ndim(c) == 1
    if is_vector:
        c = c[:, None] if mode == "left" else c[None, :]
    if operands.shape(c)[-2 if mode == "left" else -1] != (k if mode == "left" else m):
        raise messages.value_error(
            "qr_multiply",
            "the shapes do not fit.",
            facts,
            f"The orthogonal factor has {m} rows and {k} columns.",
        )
    order = []
    if pivoting:
        free = jnp.zeros((*operands.shape(a)[:-2], n), np.int32)
        packed, numbers, scales = qr_module.geqp3(a, free)
        order = [numbers - 1]
    else:
        packed, scales = qr_module.geqrf(a)
    c = matrices.conjugated(c) if conjugate else c
    if mode == "left":
        c = _filled_rows(c, m)
    found = qr_module.ormqr(packed[..., :k], scales, c, left=mode == "left")
    found = found if mode == "left" else found[..., :k]
    found = matrices.conjugated(found) if conjugate else found
    if is_vector:
        found = found[..., 0] if mode == "left" else found[..., 0, :]
    return (found, matrices.upper_triangle(packed)[..., :k, :], *order)


def qr_multiply(
    a: ArrayLike,
    c: ArrayLike,
    mode: str = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
) -> tuple[Array, ...]:
    """The QR factors of a matrix, with the orthogonal one multiplied by another.

    Args:
        a: array of shape ``(..., m, n)``.
        c: array of shape ``(..., l, m)``, or ``(..., k, l)`` for ``mode="left"`` and
            ``k = min(m, n)``; or a vector.
        mode: ``"right"`` for ``c @ q``, ``"left"`` for ``q @ c``.
        pivoting: whether to exchange columns of `a`.
        conjugate: whether to multiply by the conjugate of the factor.
        overwrite_a: not used.
        overwrite_c: not used.

    Returns:
        The product, the triangular factor (floating or complex), and with `pivoting`
        the order of columns, integers.

    Raises:
        ValueError: the shapes do not fit, or there is no such mode.
        TypeError: `a` or `c` is no array or number. IndexError: `c` is a scalar.
    """
    messages.one_of("qr_multiply", "mode", mode, ("right", "left"))
    return _qr_multiply(a, c, mode, bool(pivoting), bool(conjugate))


def solve(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    debug: bool = False,
    check_finite: bool = True,
    assume_a: str = "gen",
) -> Array:
    """The solution ``x`` of ``a @ x == b``.

    Args:
        a: array of shape ``(..., n, n)``.
        b: array of shape ``(n,)`` or ``(..., n, k)``.
        lower: which triangle is read for ``assume_a="pos"``.
        overwrite_a: not used.
        overwrite_b: not used.
        debug: not used.
        check_finite: not used.
        assume_a: ``"gen"``, ``"sym"`` or ``"her"`` for any matrix, ``"pos"`` for a
            positive definite one.

    Returns:
        Array of the shape of `b`, of the promoted floating or complex dtype.

    Raises:
        ValueError: the shapes do not fit, or `assume_a` is something else.
        TypeError: `a` or `b` is no array or number.
    """
    messages.one_of("solve", "assume_a", assume_a, ("gen", "sym", "her", "pos"))
    if assume_a != "pos":
        return equations.solve(a, b)
    return _solve_definite(a, b, bool(lower))


@ft.partial(jit, static_argnames=("lower",))
def _solve_definite(a, b, lower):
    a, b = operands.promote_dtypes_inexact(a, b)
    return _cho_solve(_cho_factor(a, lower), b, lower)


_TRANSPOSES = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}


def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    debug: Any = None,
    check_finite: bool = True,
) -> Array:
    """Solves ``op(a) x = b`` with triangular matrices.

    Args:
        a: array of shape ``(..., n, n)``; the other triangle is not read.
        b: array of shape ``(n,)`` or ``(..., n, k)``.
        trans: 0 or ``"N"`` for ``a`` itself, 1 or ``"T"`` for its transpose, 2 or
            ``"C"`` for its adjoint.
        lower: whether the lower triangle of `a` is read.
        unit_diagonal: whether the diagonal is taken to be ones, and not read.
        overwrite_b: not used.
        debug: not used.
        check_finite: not used.

    Returns:
        Array of the shape of `b`, of the promoted floating or complex dtype.

    Raises:
        ValueError: the shapes do not fit, or `trans` is something else.
        TypeError: `a` or `b` is no array or number.
    """
    messages.one_of("solve_triangular", "trans", trans, tuple(_TRANSPOSES))
    kind = _TRANSPOSES[trans]
    return _solve_triangular(a, b, kind, bool(lower), bool(unit_diagonal))


@ft.partial(jit, static_argnames=("trans", "lower", "unit_diagonal"))
def _solve_triangular(a, b, trans, lower, unit_diagonal):
    a, b = messages.inexact("solve_triangular", a, b)
    messages.require_square("solve_triangular", a)
    right, is_vector = messages.columns("solve_triangular", a, b)
    a, right = messages.same_batch("scipy.linalg.solve_triangular", a, right)
    x = triangular.solve_many(
        a,
        right,
        lower=lower,
        transpose_a=trans > 0,
        conjugate_a=trans == 2,
        unit_diagonal=unit_diagonal,
    )
    return x[..., 0] if is_vector else x


@ft.partial(
    jit_wrapper.jit, static_argnames=("side", "method", "eps", "max_iterations")
)
def polar(
    a: ArrayLike,
    side: str = "right",
    *,
    method: str = "qdwh",
    eps: float | None = None,
    max_iterations: int | None = None,
) -> tuple[Array, Array]:
    """A matrix with orthonormal rows or columns times a Hermitian one.

    Args:
        a: array of shape ``(..., m, n)``; integers become floats.
        side: where the Hermitian factor stands: ``"right"`` for ``a == u @ p``,
            ``"left"`` for ``a == p @ u``.
        method: ``"qdwh"``, an iteration; or ``"svd"``.
        eps: the precision that the iteration wants.
        max_iterations: the most steps of the iteration.

    Returns:
        ``u`` of the shape of `a`, and ``p``, which has no negative eigenvalues.

    Raises:
        ValueError: `side` or `method` is something else. NotImplementedError: the
            iteration does not take the shape with that side.
        TypeError: `a` is no array or number.
    """
    messages.one_of("polar", "side", side, ("right", "left"))
    messages.one_of("polar", "method", method, ("qdwh", "svd"))
    a = messages.inexact("polar", a)
    if method == "svd":
        return _polar_by_svd(a, side)
    if operands.ndim(a) > 2:
        of_one = ft.partial(polar, side=side, eps=eps, max_iterations=max_iterations)
        return vmap(of_one)(a)
    m, n = operands.shape(a)
    if (m < n) if side == "right" else (m > n):
        raise messages.not_implemented(
            "polar",
            "the iteration does not take this shape.",
            [("a", operands.type_name(a)), ("side", repr(side))],
            "For side='right' there are at least as many rows as columns, for "
            "'left' at most.",
            "With method='svd' any shape will do.",
        )
    return _polar_by_iteration(a, side, eps, max_iterations)


@ft.partial(jit, static_argnums=(1, 2, 3))
def _polar_by_iteration(a, side, eps, max_iterations):
    x = a if side == "right" else matrices.adjoint(a)
    u, h, _, _ = polar_module.qdwh(x, eps=eps, max_iterations=max_iterations)
    return (u if side == "right" else matrices.adjoint(u)), h


@ft.partial(jit, static_argnames=("side",))
def _polar_by_svd(a, side):
    u, s, vh = decompositions.svd(a, full_matrices=False)
    basis = matrices.adjoint(vh) if side == "right" else u
    return matrices.product(u, vh), matrices.product(
        matrices.columns_scaled(basis, s), matrices.adjoint(basis)
    )


traceback_filter.hide_frames(globals())
