"""Solutions of linear equations, inverses, and what singular values say of them."""

from __future__ import annotations

import functools as ft
import math
import operator
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.lax.linalg import matrices as mx, solve as solve_module
from jax._src.lax.ops.complex_parts import real_dtype
from jax._src.numpy import (
    lax_api as lax,
    matrix_products,
    operands as op,
    reductions,
    reshaping,
    selection,
)
from jax._src.numpy.jit_wrapper import jit_as_call as jit
from jax._src.numpy.linalg import checks, decompositions, norms
from jax._src.transforms.custom_jvp import custom_jvp

Array = op.Array
ArrayLike = op.ArrayLike


@jit
def solve(a: ArrayLike, b: ArrayLike) -> Array:
    """The solution ``x`` of ``a @ x == b``.

    Args:
        a: array of shape ``(..., n, n)``.
        b: array of shape ``(n,)`` or ``(..., n, k)``; the leading axes broadcast.

    Returns:
        Array of shape ``(..., n)`` or ``(..., n, k)``, of a promoted floating or
        complex dtype. Not finite for a singular matrix.

    Raises:
        ValueError: the shapes do not fit.
        TypeError: `a` or `b` is no array or number.

    Examples:
        >>> jnp.linalg.solve(jnp.array([[2.0, 0.0], [0.0, 4.0]]), jnp.array([2.0, 2.0]))
        Array([1. , 0.5], dtype=float32)
    """
    a, b = checks.inexact("solve", a, b)
    checks.require_square("solve", a)
    is_vector = op.ndim(b) == 1
    right = lax.expand_dims(b, (1,)) if is_vector else b
    if op.ndim(right) < 2 or op.shape(right)[-2] != op.shape(a)[-1]:
        way = "For a batch of vectors: solve(a, b[..., None])[..., 0]."
        raise op.value_error(
            "linalg.solve",
            "the shapes do not fit.",
            [("a", op.type_name(a)), ("b", op.type_name(b))],
            "b is one vector, or has as many rows as the matrices.",
            way,
        )
    x = _solve_batches(a, right)
    return lax.squeeze(x, (op.ndim(x) - 1,)) if is_vector else x


def _solve_batches(a: Array, b: Array) -> Array:
    """Broadcasts; many right sides of one matrix become its columns."""
    rows, columns = op.shape(b)[-2:]
    if op.ndim(a) == 2 and op.ndim(b) > 2:
        wide = reshaping.moveaxis(b, -2, 0)
        x = solve_module.solve(
            a, lax.reshape(wide, (rows, math.prod(op.shape(wide)[1:])))
        )
        return reshaping.moveaxis(lax.reshape(x, op.shape(wide)), 0, -2)
    batch = op.broadcast_shapes("linalg.solve", op.shape(a)[:-2], op.shape(b)[:-2])
    a = op.broadcast_to(a, (*batch, rows, rows))
    return solve_module.solve(a, op.broadcast_to(b, (*batch, rows, columns)))


@jit
def inv(a: ArrayLike) -> Array:
    """The inverses of matrices.

    Args:
        a: array of shape ``(..., n, n)``.

    Returns:
        Array of the shape of `a`, integers as floats; not finite for a singular matrix.

    Raises:
        ValueError: `a` is not square.
        TypeError: `a` is no array or number.

    To solve equations, `jax.numpy.linalg.solve` is faster and more exact.

    Examples:
        >>> jnp.linalg.inv(jnp.array([[2.0, 0.0], [0.0, 4.0]]))
        Array([[0.5 , 0.  ],
               [0.  , 0.25]], dtype=float32)
    """
    a = checks.inexact("inv", a)
    checks.require_square("inv", a)
    return solve_module.solve(a, mx.identities(a, op.shape(a)[-1]))


@ft.partial(jit, static_argnames=("n",))
def matrix_power(a: ArrayLike, n: int) -> Array:
    """Matrices multiplied by themselves.

    Args:
        a: array of shape ``(..., m, m)``.
        n: a whole number, the exponent; the inverse's is taken if it is negative.

    Raises:
        TypeError: `n` is no whole number, or `a` is not square.
    """
    a = op.ensure_arraylike("linalg.matrix_power", a)
    checks.require_square("matrix_power", a, TypeError)
    try:
        n = operator.index(n)
    except TypeError:
        raise op.type_error(
            "linalg.matrix_power",
            "the exponent is no whole number.",
            [("n", repr(n))],
            "Other powers of matrices are not unique.",
            "The principal square root: jax.scipy.linalg.sqrtm.",
        ) from None
    if n < 0:
        a, n = inv(a), -n
    if n == 0:
        return mx.identities(a, op.shape(a)[-1])
    result, power = None, a
    while True:
        if n & 1:
            result = power if result is None else matrix_products.matmul(result, power)
        n >>= 1
        if not n:
            return op.strong(result)
        power = matrix_products.matmul(power, power)


def _one_of(name: str, first: str, a: Any, second: str, b: Any) -> Any:
    if a is not None and b is not None:
        raise op.value_error(
            f"linalg.{name}",
            f"both {first} and {second} are given.",
            [(first, str(a)), (second, str(b))],
            f"{second} is an older name.",
            f"Give {first} alone.",
        )
    return a if b is None else b


def _default_tolerance(x: Array, factor: float = 1.0) -> float:
    return factor * max(op.shape(x)[-2:]) * float(dtypes.finfo(op.dtype_of(x)).eps)


@ft.partial(jit, static_argnames=("hermitian",))
def pinv(
    a: ArrayLike,
    rtol: ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rcond: ArrayLike | None = None,
) -> Array:
    """The pseudo-inverses of matrices, by Moore and Penrose.

    Args:
        a: array of shape ``(..., m, n)``.
        rtol: singular values that are smaller than this times the largest count as
            zero; default: ten times the larger size times the dtype's precision.
        hermitian: whether `a` is.
        rcond: an older name of `rtol`.

    Returns:
        Array of shape ``(..., n, m)``.

    Raises:
        ValueError: `a` is no matrix, or both names are used.
        TypeError: `a` is no array or number.
    """
    rtol = _one_of("pinv", "rtol", rtol, "rcond", rcond)
    a = checks.inexact("pinv", a)
    checks.require_matrices("pinv", a)
    if rtol is None:
        rtol = _default_tolerance(a, 10.0) if op.size(a) else 0.0
    return _pinv(hermitian, a, op.convert(rtol, real_dtype(op.dtype_of(a))))


@ft.partial(custom_jvp, nondiff_argnums=(0,))
def _pinv(hermitian: bool, a: Array, rtol: Array) -> Array:
    if not op.size(a):
        return lax.full((*op.shape(a)[:-2], *op.shape(a)[:-3:-1]), 0, op.dtype_of(a))
    u, s, vh = decompositions.svd(a, full_matrices=False, hermitian=hermitian)
    limit = op.with_rank(rtol[..., None], op.ndim(s)) * s[..., :1]
    divisors = selection.where(s > limit, s, np.inf)[..., None]
    return mx.product(mx.adjoint(vh), mx.adjoint(u) / divisors)


@_pinv.defjvp
def _pinv_jvp(hermitian, primals, tangents):
    (a, rtol), (t, _) = primals, tangents
    p = _pinv(hermitian, a, rtol)
    return p, _pinv_tangent(a, p, t)


def _pinv_tangent(a: Array, p: Array, t: Array) -> Array:
    """The change of the pseudo-inverse `p` of `a` along `t`, the rank staying.

    Reference: Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear
    least squares problems whose variables separate, 1973, equation 4.12.
    """
    t_h, p_h = mx.adjoint(t), mx.adjoint(p)
    inside = mx.product(t, p)
    left = mx.product(p, p_h)
    right = mx.product(p_h, p)
    by_rows = mx.product(left, t_h)
    by_columns = mx.product(t_h, right)
    return (
        by_rows
        - mx.product(mx.product(by_rows, a), p)
        + by_columns
        - mx.product(p, mx.product(a, by_columns))
        - mx.product(p, inside)
    )


@ft.partial(jit, static_argnames=("hermitian",))
def matrix_rank(
    M: ArrayLike,
    rtol: ArrayLike | None = None,
    *,
    hermitian: bool = False,
    tol: ArrayLike | None = None,
) -> Array:
    """How many singular values of matrices are not negligible.

    Args:
        M: array of shape ``(..., m, n)``; a vector or number has rank 1 unless zero.
        rtol: singular values up to this are negligible; default: the largest times the
            larger size times the dtype's precision.
        hermitian: whether `M` is.
        tol: an older name of `rtol`.

    Returns:
        Array of whole numbers of shape ``(...)``.

    Raises:
        ValueError: both names are used.
        TypeError: `M` is no array or number.

    Differs from NumPy: `rtol` is not multiplied by the largest singular value.
    """
    rtol = _one_of("matrix_rank", "rtol", rtol, "tol", tol)
    M = checks.inexact("matrix_rank", M)
    if op.ndim(M) < 2:
        return op.convert(reductions.any(M != lax.full_like(M, 0)), np.int32)
    s = decompositions.svd(M, compute_uv=False, hermitian=hermitian)
    if rtol is None:
        largest = reductions.max(s, axis=-1, initial=0)
        rtol = largest * np.asarray(_default_tolerance(M), op.dtype_of(s))
    limit = lax.expand_dims(op.convert(rtol, op.dtype_of(s)), (np.ndim(rtol),))
    return reductions.sum(s > limit, axis=-1)


@ft.partial(jit, static_argnames=("p",))
def cond(x: ArrayLike, p: int | float | str | None = None) -> Array:
    """The condition numbers of matrices: how much an equation magnifies errors.

    Args:
        x: array of shape ``(..., m, n)``; square unless `p` is None, 2 or -2.
        p: the norm, as in `jax.numpy.linalg.norm`; None and 2 mean the largest over the
            smallest singular value.

    Returns:
        Array of shape ``(...)``; infinite for a matrix that has no inverse.

    Raises:
        ValueError: there is no such norm, or the matrices must be square and are not.
        TypeError: `x` is no array or number.
    """
    x = checks.inexact("cond", x)
    checks.require_matrices("cond", x)
    if 0 in op.shape(x)[-2:]:
        raise op.value_error(
            "linalg.cond", "the matrices are empty.", [("x", op.type_name(x))]
        )
    if p in (None, 2, -2):
        s = decompositions.svd(x, compute_uv=False)
        first, last = s[..., 0], s[..., -1]
        ratio = last / first if p == -2 else first / last
        # Of zeros 0 / 0 is infinite, as of other singular matrices.
        return selection.where(first == 0, np.inf, ratio)
    checks.require_square("cond", x)
    axes = (-2, -1)
    found = norms.norm(x, ord=p, axis=axes) * norms.norm(inv(x), ord=p, axis=axes)
    # A singular matrix has no inverse: what makes NaN there is infinite.
    is_singular = (found != found) & ~reductions.any(x != x, axis=axes)
    return selection.where(is_singular, np.inf, found)


def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    rcond: float | None = None,
    *,
    numpy_resid: bool = False,
) -> tuple[Array, Array, Array, Array]:
    """The solution of least squares: where ``a @ x - b`` is shortest, and then ``x``.

    Args:
        a: array of shape ``(m, n)``.
        b: array of shape ``(m,)`` or ``(m, k)``.
        rcond: singular values that are smaller than this times the largest count as
            zero; default: the larger size times the dtype's precision.
        numpy_resid: whether residuals are left out where NumPy leaves them out. That
            depends on values, so it does not work under `jit`.

    Returns:
        The solution of shape ``(n,)`` or ``(n, k)``; the sums of squared residuals, of
        shape ``(1,)`` or ``(k,)``; the rank of `a`; its singular values.

    Raises:
        ValueError: `a` and `b` differ in their number of rows. TypeError: they have
            other numbers of axes.
    """
    x, residuals, rank, s = _lstsq(a, b, rcond)
    m, n = op.shape(a)
    if numpy_resid and (m <= n or rank < n):
        residuals = lax.full((0,), 0, op.dtype_of(residuals))
    return x, residuals, rank, s


def _check_least_squares(a: Array, b: Array) -> None:
    facts = [("a", op.type_name(a)), ("b", op.type_name(b))]
    if op.ndim(a) != 2 or op.ndim(b) not in (1, 2):
        raise op.type_error(
            "linalg.lstsq",
            "a wrong number of axes.",
            facts,
            "a is one matrix, b a vector or matrix.",
            "For many of them: jax.vmap.",
        )
    if op.shape(a)[0] != op.shape(b)[0]:
        raise op.value_error(
            "linalg.lstsq",
            "a and b differ in their number of rows.",
            facts,
            "Each row is an equation.",
        )


def _is_counted(s: Array, rcond: Array) -> Array:
    """Which singular values count towards the rank: of a matrix of zeros, none."""
    return (s >= rcond * s[0]) & (s > 0)


@custom_jvp
def _least_squares(a: Array, b: Array, rcond: Array) -> tuple[Array, Array]:
    """The shortest solution, and the singular values of `a`."""
    u, s, vh = decompositions.svd(a, full_matrices=False)
    kept = _is_counted(s, rcond)
    inverse = selection.where(kept, 1 / selection.where(kept, s, 1), 0)
    weighted = inverse[:, None] * mx.product(mx.adjoint(u), b)
    return mx.product(mx.adjoint(vh), op.convert(weighted, op.dtype_of(a))), s


@_least_squares.defjvp
def _least_squares_jvp(primals, tangents):
    """By the pseudo-inverse, whose derivative exists at equal singular values too."""
    (a, b, rcond), (t_a, t_b, _) = primals, tangents
    u, s, vh = decompositions.svd(a, full_matrices=False)
    x, _ = _least_squares(a, b, rcond)
    p, _ = _least_squares(a, mx.identity(a, op.shape(a)[0]), rcond)
    t_x = mx.product(_pinv_tangent(a, p, t_a), b) + mx.product(p, t_b)
    inner = mx.product(mx.adjoint(u), mx.product(t_a, mx.adjoint(vh)))
    return (x, s), (t_x, mx.real_part(mx.diagonal(inner)))


@jit
def _lstsq(a, b, rcond):
    a, b = checks.inexact("lstsq", a, b)
    _check_least_squares(a, b)
    m, n = op.shape(a)
    is_vector = op.ndim(b) == 1
    right = lax.expand_dims(b, (1,)) if is_vector else b
    part = real_dtype(op.dtype_of(a))
    if min(m, n) == 0:
        s = lax.full((0,), 0, part)
        x = lax.full((n, op.shape(right)[1]), 0, op.dtype_of(a))
        rank = lax.full((), 0, dtypes.default_int_dtype())
    else:
        eps = float(dtypes.finfo(part).eps)
        if rcond is None:
            rcond = eps * max(m, n)
        else:
            rcond = selection.where(rcond < 0, eps, rcond)
        rcond = op.convert(rcond, part)
        x, s = _least_squares(a, right, rcond)
        rank = reductions.sum(_is_counted(s, rcond))
    missing = right - mx.product(a, x)
    squares = mx.real_part(missing * mx.conjugated(missing))
    residuals = reductions.sum(squares, axis=0)
    if is_vector:
        x = lax.squeeze(x, (1,))
    return x, residuals, rank, s


def tensorinv(a: ArrayLike, ind: int = 2) -> Array:
    """The inverse of an array that maps some axes to others.

    Args:
        a: array whose first `ind` sizes have the product of the other sizes; integers
            become floats.
        ind: how many axes come first.

    Returns:
        Array with the other axes of `a` first: its `tensordot` with `a` along them is
        an identity.

    Raises:
        ValueError: `ind` is not positive, or the products differ.
        TypeError: `a` is no array or number.
    """
    a = checks.inexact("tensorinv", a)
    ind = operator.index(ind)
    shape = op.shape(a)
    facts = [("a", op.type_name(a)), ("ind", str(ind))]
    if ind <= 0:
        raise op.value_error("linalg.tensorinv", "ind is not positive.", facts)
    rows, columns = math.prod(shape[:ind]), math.prod(shape[ind:])
    if rows != columns:
        raise op.value_error(
            "linalg.tensorinv",
            "the array is not square.",
            [*facts, ("sizes", f"{rows} and {columns}")],
            "The first sizes have the product of the other sizes.",
        )
    inverse = inv(lax.reshape(a, (rows, columns)))
    return lax.reshape(inverse, (*shape[ind:], *shape[:ind]))


def tensorsolve(
    a: ArrayLike, b: ArrayLike, axes: tuple[int, ...] | None = None
) -> Array:
    """The solution ``x`` of ``tensordot(a, x, x.ndim) == b``.

    Args:
        a: array; after `axes` are moved to the end, its shape begins with that of `b`.
        b: array.
        axes: axes of `a` to move to the end; default: none.

    Returns:
        Array with the shape of the rest of `a`, of a promoted floating or complex
        dtype.

    Raises:
        ValueError: the shapes do not fit.
        TypeError: `a` or `b` is no array or number.
    """
    a, b = checks.inexact("tensorsolve", a, b)
    if axes is not None:
        last_axes = tuple(range(op.ndim(a) - len(axes), op.ndim(a)))
        a = reshaping.moveaxis(a, tuple(axes), last_axes)
    rank = op.ndim(b)
    rest = op.shape(a)[rank:]
    if op.shape(a)[:rank] != op.shape(b) or math.prod(rest) != op.size(b):
        raise op.value_error(
            "linalg.tensorsolve",
            "the shapes do not fit.",
            [
                ("a", op.type_name(a)),
                ("b", op.type_name(b)),
                ("axes", str(axes)),
            ],
            "The shape of a begins with that of b, and the rest has as many elements.",
        )
    size = op.size(b)
    x = solve(lax.reshape(a, (size, size)), lax.reshape(b, (size,)))
    return lax.reshape(x, rest)


traceback_filter.hide_frames(globals())
