"""Determinants, and their derivatives where the matrix may be singular."""

from __future__ import annotations

import functools as ft
from typing import NamedTuple

import numpy as np

from jax._src.core.symbols import expressions
from jax._src.lax.control_flow.conditionals import cond
from jax._src.lax.linalg import (
    lu as lu_module,
    matrices as mx,
    qr as qr_module,
    solve as solve_module,
    svd as svd_module,
)
from jax._src.numpy import (
    elementwise,
    lax_api as lax,
    matrices,
    operands as op,
    reductions,
    selection,
)
from jax._src.numpy.jit_wrapper import jit_as_call as jit
from jax._src.numpy.linalg import checks
from jax._src.transforms.custom_jvp import custom_jvp

Array = op.Array
ArrayLike = op.ArrayLike


class SlogdetResult(NamedTuple):
    """What `jax.numpy.linalg.slogdet` returns."""

    sign: Array
    logabsdet: Array


@ft.partial(jit, static_argnames=("method",))
def slogdet(a: ArrayLike, *, method: str | None = None) -> SlogdetResult:
    """The sign and the logarithm of the size of determinants.

    Args:
        a: array of shape ``(..., n, n)``.
        method: ``"lu"`` (the default) or ``"qr"``.

    Returns:
        The sign, for complex matrices a number on the unit circle, 0 for a singular
        one; and the real logarithm, minus infinity for a singular one. Both have the
        shape ``(...)``.

    Raises:
        ValueError: `a` is not square, or there is no such method.
        TypeError: `a` is no array or number.
    """
    a = checks.inexact("slogdet", a)
    checks.require_square("slogdet", a)
    if method not in (None, "lu", "qr"):
        raise op.value_error(
            "linalg.slogdet",
            "there is no such method.",
            [("method", repr(method))],
            "Methods are 'lu' and 'qr'.",
        )
    return SlogdetResult(*(_slogdet_by_qr(a) if method == "qr" else _slogdet(a)))


def _sign_and_log(diagonal: Array, odd: Array | None) -> tuple[Array, Array]:
    """Returns the sign and the logarithm of a product of numbers, times minus one where `odd`."""
    sizes = elementwise.abs(diagonal)
    if op.kind_of(diagonal) == "c":
        sign = reductions.prod(diagonal / sizes, axis=-1)
    else:
        sign = reductions.prod(elementwise.sign(diagonal), axis=-1)
    if odd is not None:
        sign = selection.where(odd, -sign, sign)
    is_zero = reductions.any(sizes == 0, axis=-1)
    log = reductions.sum(elementwise.log(sizes), axis=-1)
    sign = selection.where(is_zero, lax.full_like(sign, 0), sign)
    return sign, selection.where(is_zero, lax.full_like(log, -np.inf), log)


def _is_odd(pivots: Array) -> Array:
    """Whether the number of row exchanges is odd."""
    indices = op.counted(op.shape(pivots)[-1])
    return (
        reductions.count_nonzero(
            pivots != op.with_rank(indices, op.ndim(pivots)), axis=-1
        )
        % 2
        == 1
    )


@custom_jvp
def _slogdet(a: Array) -> tuple[Array, Array]:
    factors, pivots, _ = lu_module.lu(a)
    return _sign_and_log(mx.diagonal(factors), _is_odd(pivots))


@custom_jvp
def _slogdet_by_qr(a: Array) -> tuple[Array, Array]:
    packed, scales = qr_module.geqrf(a)
    # A reflection 1 - tau v v^H has the determinant -tau / conj(tau), or 1 for tau = 0.
    turn = selection.where(
        scales == 0, lax.full_like(scales, 1), -scales / mx.conjugated(scales)
    )
    sign, log = _sign_and_log(mx.diagonal(packed), None)
    return sign * reductions.prod(turn, axis=-1), log


def _slogdet_jvp(function, primals, tangents):
    """``d log det A = tr(A^-1 dA)``; its imaginary part turns the sign."""
    (a,), (t,) = primals, tangents
    sign, log = function(a)
    change = matrices.trace(solve_module.solve(a, t), axis1=-2, axis2=-1)
    if op.kind_of(sign) != "c":
        return (sign, log), (lax.full_like(sign, 0), change)
    turn = change - lax.convert(elementwise.real(change), op.dtype_of(change))
    return (sign, log), (sign * turn, elementwise.real(change))


_slogdet.defjvp(ft.partial(_slogdet_jvp, _slogdet))
_slogdet_by_qr.defjvp(ft.partial(_slogdet_jvp, _slogdet_by_qr))


@jit
def det(a: ArrayLike) -> Array:
    """The determinants of matrices.

    Args:
        a: array of shape ``(..., n, n)``.

    Returns:
        Array of shape ``(...)``, of the floating or complex dtype of `a`, or float for
        integers.

    Raises:
        ValueError: `a` is not square.
        TypeError: `a` is no array or number.

    Gradients are right for singular matrices too: the cofactors.
    """
    a = checks.inexact("det", a)
    checks.require_square("det", a)
    n = op.shape(a)[-1]
    if n == 0:
        return lax.full(op.shape(a)[:-2], 1, op.dtype_of(a))
    if expressions.is_certain(lambda: n <= 3):
        return _by_expansion(a)
    return _det(a)


def _by_expansion(a: Array) -> Array:
    """Laplace's expansion along the first row."""
    n = op.shape(a)[-1]
    if n == 1:
        return a[..., 0, 0]
    if n == 2:
        return a[..., 0, 0] * a[..., 1, 1] - a[..., 0, 1] * a[..., 1, 0]
    return (
        a[..., 0, 0] * (a[..., 1, 1] * a[..., 2, 2] - a[..., 1, 2] * a[..., 2, 1])
        - a[..., 0, 1] * (a[..., 1, 0] * a[..., 2, 2] - a[..., 1, 2] * a[..., 2, 0])
        + a[..., 0, 2] * (a[..., 1, 0] * a[..., 2, 1] - a[..., 1, 1] * a[..., 2, 0])
    )


@custom_jvp
def _det(a: Array) -> Array:
    factors, pivots, _ = lu_module.lu(a)
    product = reductions.prod(mx.diagonal(factors), axis=-1)
    return selection.where(_is_odd(pivots), -product, product)


@_det.defjvp
def _det_jvp(primals, tangents):
    """``d det A = tr(adj(A) dA)``, where ``adj(A)`` is ``det(A) A^-1`` if that exists."""
    (a,), (t,) = primals, tangents
    value = _det(a)
    singular = value == 0
    n = op.shape(a)[-1]
    wide = singular[..., None, None]
    one = mx.identities(a, n)
    inverted = solve_module.solve(selection.where(wide, one, a), t)
    change = value * matrices.trace(inverted, axis1=-2, axis2=-1)
    # Any matrix will do where it is not used, if its singular values differ.
    numbers = np.arange(1, n + 1, dtype=op.dtype_of(a))
    distinct = one * numbers.reshape((1,) * (op.ndim(one) - 1) + (n,))
    guarded = selection.where(wide, a, distinct)
    special = cond(
        reductions.any(singular),
        _change_of_singular,
        lambda x, t: lax.full_like(value, 0),
        guarded,
        t,
    )
    return value, selection.where(singular, special, change)


def _change_of_singular(a: Array, t: Array) -> Array:
    """From A = U S V^H: adj(A) = det(U) det(V^H) V adj(S) U^H."""
    u, s, vh = svd_module.svd(a, full_matrices=False)
    n = op.shape(s)[-1]
    # In row i all singular values but the i-th.
    others = selection.where(np.eye(n, dtype=bool), 1, s[..., None, :])
    cofactors = lax.convert(reductions.prod(others, axis=-1), op.dtype_of(a))
    inner = mx.product(mx.adjoint(u), mx.product(t, mx.adjoint(vh)))
    total = reductions.sum(cofactors * mx.diagonal(inner), axis=-1)
    return _det(u) * _det(vh) * total
