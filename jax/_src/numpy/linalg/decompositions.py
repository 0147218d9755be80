"""Matrices as products of simpler ones."""

from __future__ import annotations

import functools as ft
from typing import NamedTuple

from jax._src.base import traceback_filter
from jax._src.lax.linalg import (
    cholesky as cholesky_module,
    eig as eig_module,
    eigh as eigh_module,
    matrices,
    qr as qr_module,
    svd as svd_module,
)
from jax._src.numpy import elementwise, operands, reshaping, sorting, taking
from jax._src.numpy.jit_wrapper import jit_as_call as jit
from jax._src.numpy.linalg import checks

Array = operands.Array
ArrayLike = operands.ArrayLike


class EigResult(NamedTuple):
    """What `jax.numpy.linalg.eig` returns."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """What `jax.numpy.linalg.eigh` returns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """What `jax.numpy.linalg.qr` returns."""

    Q: Array
    R: Array


class SVDResult(NamedTuple):
    """What `jax.numpy.linalg.svd` returns."""

    U: Array
    S: Array
    Vh: Array


@ft.partial(jit, static_argnames=("upper", "symmetrize_input"))
def cholesky(
    a: ArrayLike, *, upper: bool = False, symmetrize_input: bool = True
) -> Array:
    """The Cholesky factor of positive definite matrices.

    Args:
        a: array of shape ``(..., n, n)``.
        upper: whether to return the upper factor ``u`` of ``u.conj().T @ u`` instead of
            the lower one ``l`` of ``l @ l.conj().T``.
        symmetrize_input: whether to replace `a` by the mean of it and its conjugate
            transpose; otherwise its lower triangle is read.

    Returns:
        Array of the shape of `a`, integers as floats; all NaN for a matrix that is not
        positive definite.

    Raises:
        TypeError: `a` is no square matrix.

    Differs from NumPy: raises no error for other matrices, and symmetrizes.
    """
    a = checks.inexact("cholesky", a)
    factor = cholesky_module.cholesky(a, symmetrize_input=symmetrize_input)
    return matrices.adjoint(factor) if upper else factor


@ft.partial(
    jit, static_argnames=("full_matrices", "compute_uv", "hermitian", "subset_by_index")
)
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    hermitian: bool = False,
    subset_by_index: tuple[int, int] | None = None,
) -> Array | SVDResult:
    """Singular values and vectors of matrices.

    Args:
        a: array of shape ``(..., m, n)``.
        full_matrices: whether the vectors fill whole bases; otherwise there are
            ``min(m, n)`` of each.
        compute_uv: whether to return the vectors.
        hermitian: whether `a` is: then a faster method is used.
        subset_by_index: the first number and the end of the singular values wanted;
            other than all, not supported on CPUs.

    Returns:
        ``U``, the singular values ``S`` of shape ``(..., min(m, n))`` in decreasing
        order, and ``Vh``, with ``(U * S[..., None, :]) @ Vh == a`` if the vectors are
        not filled up; without `compute_uv` only ``S``.

    Raises:
        TypeError: `a` is no matrix. NotImplementedError: a subset is requested.

    Examples:
        >>> u, s, vh = jnp.linalg.svd(jnp.ones((3, 2)), full_matrices=False)
        >>> u.shape, s.shape, vh.shape
        ((3, 2), (2,), (2, 2))
    """
    a = checks.inexact("svd", a)
    if hermitian and subset_by_index is None:
        return _svd_of_hermitian(a, compute_uv)
    if not compute_uv:
        return svd_module.svd(
            a,
            full_matrices=full_matrices,
            compute_uv=False,
            subset_by_index=subset_by_index,
        )
    found = svd_module.svd(
        a, full_matrices=full_matrices, subset_by_index=subset_by_index
    )
    return SVDResult(*found)


def _svd_of_hermitian(a: Array, compute_uv: bool) -> Array | SVDResult:
    """Eigenvalues without their signs, which go to the right vectors."""
    values, vectors = eigh(a)
    sizes = elementwise.abs(values)
    order = sorting.argsort(-sizes, axis=-1)
    sizes = taking.take_along_axis(sizes, order, axis=-1)
    if not compute_uv:
        return sizes
    signs = taking.take_along_axis(elementwise.sign(values), order, axis=-1)
    left = taking.take_along_axis(vectors, order[..., None, :], axis=-1)
    right = matrices.adjoint(left * signs[..., None, :])
    return SVDResult(left, sizes, right)


def svdvals(x: ArrayLike, /) -> Array:
    """The singular values of matrices, in decreasing order.

    Args:
        x: array of shape ``(..., m, n)``.

    Returns:
        Array of floats of shape ``(..., min(m, n))``.

    Raises:
        TypeError: `x` is no matrix.
    """
    return svd(x, compute_uv=False, hermitian=False)


@jit
def eig(a: ArrayLike) -> EigResult:
    """Eigenvalues and right eigenvectors of square matrices.

    Args:
        a: array of shape ``(..., n, n)``.

    Returns:
        Complex eigenvalues of shape ``(..., n)`` in no order, and eigenvectors of
        length 1, the columns of an array of shape ``(..., n, n)``.

    Raises:
        ValueError: `a` is not square. TypeError: it is no matrix.

    Differs from NumPy: results are complex also where all eigenvalues are real. The
    eigenvectors cannot be differentiated; see `jax.lax.linalg.eig`.
    """
    a = checks.inexact("eig", a)
    found = eig_module.eig(a, compute_left_eigenvectors=False)
    return EigResult(*found)


@jit
def eigvals(a: ArrayLike) -> Array:
    """The eigenvalues of square matrices.

    Args:
        a: array of shape ``(..., n, n)``.

    Returns:
        Complex array of shape ``(..., n)``, in no order.

    Raises:
        ValueError: `a` is not square. TypeError: it is no matrix.
    """
    a = checks.inexact("eigvals", a)
    (values,) = eig_module.eig(
        a, compute_left_eigenvectors=False, compute_right_eigenvectors=False
    )
    return values


@ft.partial(jit, static_argnames=("UPLO", "symmetrize_input"))
def eigh(
    a: ArrayLike, UPLO: str | None = None, symmetrize_input: bool = True
) -> EighResult:
    """Eigenvalues and eigenvectors of Hermitian matrices.

    Args:
        a: array of shape ``(..., n, n)``.
        UPLO: the triangle that is read without `symmetrize_input`: ``"L"`` or ``"U"``;
            None means the lower one.
        symmetrize_input: whether to replace `a` by the mean of it and its conjugate
            transpose.

    Returns:
        Eigenvalues of shape ``(..., n)``, increasing floats, and eigenvectors, the
        columns of an array of shape ``(..., n, n)``; integers become floats.

    Raises:
        ValueError: `UPLO` is something else. TypeError: `a` is no square matrix.

    Examples:
        >>> values, vectors = jnp.linalg.eigh(jnp.diag(jnp.array([2.0, 1.0])))
        >>> values
        Array([1., 2.], dtype=float32)
    """
    a = checks.inexact("eigh", a)
    vectors, values = eigh_module.eigh(
        a, lower=_reads_lower(UPLO), symmetrize_input=symmetrize_input
    )
    return EighResult(values, vectors)


def _reads_lower(uplo: str | None) -> bool:
    if uplo not in (None, "L", "U"):
        raise operands.value_error(
            "linalg.eigh",
            "UPLO names no triangle.",
            [("UPLO", repr(uplo))],
            "It is 'L' for the lower one, 'U' for the upper one, or None.",
        )
    return uplo != "U"


@ft.partial(jit, static_argnames=("UPLO", "symmetrize_input"))
def eigvalsh(
    a: ArrayLike, UPLO: str | None = "L", *, symmetrize_input: bool = True
) -> Array:
    """The eigenvalues of Hermitian matrices.

    The arguments are those of `jax.numpy.linalg.eigh`, and so are errors.

    Returns:
        Array of floats of shape ``(..., n)``, increasing.
    """
    a = checks.inexact("eigvalsh", a)
    return eigh(a, UPLO, symmetrize_input)[0]


@ft.partial(jit, static_argnames=("mode",))
def qr(a: ArrayLike, mode: str = "reduced") -> Array | QRResult:
    """Orthonormal columns and an upper triangle, whose product is the matrix.

    Args:
        a: array of shape ``(..., m, n)``.
        mode: ``"reduced"`` for ``k = min(m, n)`` columns; ``"complete"`` (or ``"full"``)
            for ``k = m``; ``"r"`` for the triangle alone; ``"raw"`` for LAPACK's
            reflectors, transposed, and their scales.

    Returns:
        Arrays of a floating or complex dtype: ``Q`` of shape ``(..., m, k)`` and ``R``
        of shape ``(..., k, n)``, or as `mode` says.

    Raises:
        ValueError: there is no such mode. TypeError: `a` is no matrix.

    Reference: LAPACK's Householder reflections, ``geqrf``.
    """
    a = checks.inexact("qr", a)
    if mode == "raw":
        packed, scales = qr_module.geqrf(a)
        return QRResult(reshaping.matrix_transpose(packed), scales)
    if mode not in ("reduced", "r", "full", "complete"):
        raise operands.value_error(
            "linalg.qr",
            "there is no such mode.",
            [("mode", repr(mode))],
            "Modes are 'reduced', 'complete', 'r' and 'raw'.",
        )
    q, r = qr_module.qr(a, full_matrices=mode in ("full", "complete"))
    return r if mode == "r" else QRResult(q, r)


traceback_filter.hide_frames(globals())
