"""Polynomials as vectors of coefficients, the highest power first."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import releases, traceback_filter
from jax._src.lax.linalg import eig
from jax._src.numpy import (
    convolutions,
    creation,
    elementwise,
    insert_delete,
    joining_splitting,
    lax_api as lax,
    matrices,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    placement,
    reshaping,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.numpy.linalg import equations

Array = Any
ArrayLike = Any


@ft.partial(jit, static_argnames=("unroll",))
def polyval(
    p: ArrayLike,
    x: ArrayLike,
    *,
    unroll: int | None = releases.rule("unroll_of_polyval"),
) -> Array:
    """The value of a polynomial, by Horner's rule.

    Args:
        p: coefficients along the first axis, the highest power first.
        x: where to evaluate.
        unroll: has no effect: all steps are written out.

    Returns:
        Array of the shape of `x` broadcast with the further axes of `p`, of the
        promoted dtype.

    Raises:
        TypeError: an argument is no array or number. ValueError: shapes do not
            broadcast.
        IndexError: `p` is a scalar.
    """
    del unroll
    p, x = operands.promote_dtypes(*operands.ensure_arraylike("polyval", p, x))
    if not operands.ndim(p):
        raise IndexError("jnp.polyval: the coefficients form no vector.")
    shape = operands.broadcast_shapes(
        "polyval", operands.shape(p)[1:], operands.shape(x)
    )
    if releases.rule("polyval_is_a_primitive") and operands.shape(p)[0]:
        spread = [operands.broadcast_to(c, shape) for c in reshaping.unstack(p)[::-1]]
        found = lax.polynomial(operands.broadcast_to(x, shape), spread)
        return operands.strong(found)
    value = creation.zeros_like(x, shape=shape)
    for coefficient in reshaping.unstack(p):
        value = value * x + coefficient
    return operands.strong(value)


def _vectors(name, *arrays):
    return [
        reshaping.atleast_1d(v)
        for v in operands.promote_dtypes(*operands.ensure_arraylike(name, *arrays))
    ]


def _aligned(name, a1, a2):
    """Both as long as the longer: its first axis is that of the powers, and the other may broadcast to the rest."""
    longer, shorter = a1, a2 = _vectors(name, a1, a2)
    missing = operands.shape(a1)[0] - operands.shape(a2)[0]
    if not missing:
        return a1, a2
    if missing < 0:
        longer, shorter = a2, a1
    shape = (operands.shape(shorter)[0], *operands.shape(longer)[1:])
    shorter = operands.broadcast_to(shorter, shape)
    padding = creation.zeros_like(shorter, shape=(abs(missing), *shape[1:]))
    padded = joining_splitting.concatenate((padding, shorter))
    return (a1, padded) if missing > 0 else (padded, a2)


@jit
def polyadd(a1: ArrayLike, a2: ArrayLike) -> Array:
    """The sum of two polynomials.

    Args:
        a1, a2: coefficients along the first axis, the highest power first. The shorter
            may broadcast along the further axes of the longer.

    Returns:
        Array of the longer's length and the promoted dtype.

    Raises:
        TypeError: an argument is no array. ValueError: the further axes do not broadcast.
    """
    a1, a2 = _aligned("polyadd", a1, a2)
    return a1 + a2


@jit
def polysub(a1: ArrayLike, a2: ArrayLike) -> Array:
    """The difference of two polynomials.

    The arguments are those of `jax.numpy.polyadd`, and so are shape, dtype and errors.
    """
    a1, a2 = _aligned("polysub", a1, a2)
    return a1 - a2


@ft.partial(jit, static_argnames=("m",))
def polyder(p: ArrayLike, m: int = 1) -> Array:
    """The derivative of a polynomial.

    Args:
        p: vector of coefficients, the highest power first.
        m: how often to differentiate.

    Returns:
        Vector shorter by `m`; integers become floats.

    Raises:
        ValueError: `m` is negative, or `p` is no vector. TypeError: `m` is no whole
            number.
        IndexError: it is a scalar.
    """
    m = operands.whole_number("polyder", "m", m)
    if m < 0:
        raise ValueError(f"jnp.polyder: the order m={m} is negative.")
    (p,) = operands.promote_args_inexact("polyder", p)
    if m == 0:
        return p
    count = operands.size(p)
    powers = np.arange(count - 1, m - 1, -1)
    factors = np.prod([powers - i for i in range(m)], axis=0)
    return p[: max(0, count - m)] * operands.convert(factors, operands.dtype_of(p))


def polymul(a1: ArrayLike, a2: ArrayLike, *, trim_leading_zeros: bool = False) -> Array:
    """The product of two polynomials.

    Args:
        a1: coefficients, the highest power first.
        a2: coefficients.
        trim_leading_zeros: whether leading zeros of the operands are dropped first, as
            NumPy does; they cannot be traced then.

    Returns:
        Vector of the promoted dtype; integers become floats.

    Raises:
        ValueError: an operand is no vector. TypeError: one is no array.
    """
    if trim_leading_zeros:
        operands.check_arraylike("polymul", a1, a2)
        a1, a2 = (
            insert_delete.trim_zeros(reshaping.atleast_1d(a), "f") for a in (a1, a2)
        )
    return _product(a1, a2)


@jit
def _product(a1, a2):
    a1, a2 = operands.promote_dtypes_inexact(
        *operands.ensure_arraylike("polymul", a1, a2)
    )
    a1, a2 = reshaping.atleast_1d(a1), reshaping.atleast_1d(a2)
    a1, a2 = (
        a if operands.size(a) else creation.zeros(1, operands.dtype_of(a))
        for a in (a1, a2)
    )
    return convolutions.convolve(a1, a2, mode="full")


def polydiv(
    u: ArrayLike, v: ArrayLike, *, trim_leading_zeros: bool = False
) -> tuple[Array, Array]:
    """The quotient and the remainder of two polynomials.

    Args:
        u: coefficients of the dividend, the highest power first.
        v: coefficients of the divisor; the first is not zero.
        trim_leading_zeros: whether leading zeros of the remainder are dropped, as NumPy
            does; it cannot be traced then.

    Returns:
        Two vectors of the promoted dtype; integers become floats.

    Raises:
        TypeError: an argument is no array or number.
        IndexError: `v` is empty. ValueError: shapes do not broadcast.
    """
    u, v = operands.promote_dtypes_inexact(*operands.ensure_arraylike("polydiv", u, v))
    u, v = reshaping.atleast_1d(u), reshaping.atleast_1d(v)
    steps, width = operands.size(u) - operands.size(v) + 1, operands.size(v)
    quotient = []
    rest = u
    for i in range(steps):
        factor = rest[i] / v[0]
        quotient.append(factor)
        rest = rest.at[i : i + width].add(-factor * v)
    found = (
        joining_splitting.stack(quotient)
        if quotient
        else creation.zeros(1, operands.dtype_of(u))
    )
    found = operands.strong(found)
    return found, insert_delete.trim_zeros(rest, "f") if trim_leading_zeros else rest


@ft.partial(jit, static_argnames=("m",))
def polyint(p: ArrayLike, m: int = 1, k: ArrayLike | None = None) -> Array:
    """The m-th integral of a polynomial.

    Args:
        p: coefficients, the highest power first.
        m: how often to integrate.
        k: the constants, one for all integrals or one for each; default: 0.

    Returns:
        Vector longer by `m`; integers become floats.

    Raises:
        ValueError: `m` is negative, or there are not `m` constants. TypeError: `p` is
            no vector.
    """
    m = operands.whole_number("polyint", "m", m)
    k = 0 if k is None else k
    p, k = operands.promote_dtypes_inexact(*operands.ensure_arraylike("polyint", p, k))
    if m < 0:
        raise ValueError(f"jnp.polyint: the order m={m} is negative; see jnp.polyder.")
    if operands.ndim(k) and operands.shape(k) not in ((1,), (m,)):
        raise operands.value_error(
            "polyint",
            "there is not one constant per integral.",
            [("k", operands.type_name(k)), ("m", str(m))],
        )
    if m == 0:
        return operands.strong_like(p)
    constants = operands.broadcast_to(k, (m,))
    result = joining_splitting.concatenate([reshaping.atleast_1d(p), constants])
    # A coefficient that ends at power n was divided by n, n - 1, … at most m times.
    powers = np.arange(operands.size(result))[::-1]
    divisors = np.array([np.prod(np.arange(n, max(n - m, 0), -1.0)) for n in powers])
    return result / operands.convert(divisors, operands.dtype_of(result))


@jit
def poly(seq_of_zeros: ArrayLike) -> Array:
    """The polynomial with given roots, or the characteristic one of a square matrix.

    Args:
        seq_of_zeros: vector of roots, or a square matrix.

    Returns:
        Vector of coefficients, the highest power first: floats for integer roots,
        complex for a matrix.

    Raises:
        ValueError: `seq_of_zeros` is neither.
        TypeError: `seq_of_zeros` is no array or number.
    """
    roots = operands.ensure_arraylike("poly", seq_of_zeros)
    (roots,) = operands.promote_dtypes_inexact(roots)
    roots = reshaping.atleast_1d(roots)
    shape = operands.shape(roots)
    if len(shape) == 2 and shape[0] == shape[1] and shape[0]:
        roots = _eigenvalues(roots)
    elif len(shape) != 1:
        raise operands.value_error(
            "poly",
            "the roots form neither a vector nor a square matrix.",
            [("seq_of_zeros", operands.type_name(roots))],
        )
    if not operands.size(roots):
        return creation.ones((), operands.dtype_of(roots))
    return _with_roots(roots)


def _with_roots(roots):
    result = creation.ones(1, operands.dtype_of(roots))
    for root in reshaping.unstack(roots):
        factor = joining_splitting.stack([lax.full_like(root, 1), -root])
        result = convolutions.convolve(result, factor)
    return result


def _eigenvalues(matrix):
    (values,) = eig.eig(
        matrix, compute_left_eigenvectors=False, compute_right_eigenvectors=False
    )
    return values


def roots(p: ArrayLike, *, strip_zeros: bool = True) -> Array:
    """The roots of a polynomial, the eigenvalues of its companion matrix.

    Args:
        p: coefficients, the highest power first.
        strip_zeros: whether leading and trailing zeros are taken off first, as NumPy
            does; they cannot be traced then. Without, one root less than coefficients is
            returned, the largest first, and NaN at the end for each leading zero.

    Returns:
        Complex vector; with `strip_zeros`, roots at 0 come first.

    Raises:
        ValueError: `p` is no vector.
        TypeError: `p` is no array or number.
    """
    p = reshaping.atleast_1d(operands.ensure_arraylike("roots", p))
    if operands.ndim(p) != 1:
        raise operands.value_error(
            "roots", "the coefficients form no vector.", [("p", operands.type_name(p))]
        )
    of_roots = dtypes.to_complex_dtype(operands.dtype_of(p))
    # The eigenvalues of a real matrix are real, or pairs of conjugates, to the last digit.
    p = operands.convert(
        p, of_roots if operands.kind_of(p) == "c" else dtypes.finfo(of_roots).dtype
    )
    none = creation.zeros(0, of_roots)
    if not strip_zeros:
        return _padded_roots(p) if operands.size(p) > 1 else none
    if operands.size(p) < 2:
        return none
    found = np.flatnonzero(operands.concrete("roots", "p", p))
    if not found.size:
        return none
    at_zero = operands.size(p) - 1 - found[-1]
    p = lax.slice_in_dim(p, int(found[0]), int(found[-1]) + 1)
    others = _companion_roots(p) if operands.size(p) > 1 else none
    return joining_splitting.concatenate([creation.zeros(at_zero, of_roots), others])


@jit
def _padded_roots(p):
    """The roots, and NaN in place of those that leading zeros take away: they become roots at 0."""
    indices = lax.iota(np.int32, operands.size(p))
    leading = (p != 0).argmax()
    found = _companion_roots(p[(indices + leading) % operands.size(p)])
    found = found[(-abs(found)).argsort()]
    is_root = indices[:-1] < operands.size(p) - 1 - leading
    return lax.select(is_root, found, lax.full_like(found, complex(np.nan, np.nan)))


@jit
def _companion_roots(p):
    count = operands.size(p)
    below = creation.eye(count - 1, k=-1, dtype=operands.dtype_of(p))
    return _eigenvalues(below.at[0, :].set(-p[1:] / p[0]))


def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: bool | str = False,
) -> Array | tuple[Array, ...]:
    """The polynomial of a degree that is nearest to points, by least squares.

    Args:
        x: vector of points.
        y: vector of values, or a matrix with one set of values in each column.
        deg: the degree.
        rcond: singular values below this times the largest count as zero.
        full: whether to return residuals, rank, singular values and `rcond` too.
        w: how much each point weighs.
        cov: whether to return the covariances of the coefficients too; ``"unscaled"``
            leaves out the factor of the residuals.

    Returns:
        Array of coefficients, the highest power first, of the inexact dtype to which
        `x` and `y` promote; a tuple with `full` or `cov`.

    Raises:
        ValueError: the degree is negative. TypeError: the operands have wrong shapes.
    """
    x, y = operands.promote_dtypes_inexact(*operands.ensure_arraylike("polyfit", x, y))
    degree = operands.whole_number("polyfit", "deg", deg)
    if degree < 0:
        raise ValueError(f"jnp.polyfit: the degree {degree} is negative.")
    facts = [("x", operands.type_name(x)), ("y", operands.type_name(y))]
    if operands.ndim(x) != 1 or not operands.size(x) or operands.ndim(y) not in (1, 2):
        raise operands.type_error(
            "polyfit",
            "the points have wrong shapes.",
            facts,
            "x is a vector, not empty, and y is a vector or a matrix.",
        )
    if operands.shape(x)[0] != operands.shape(y)[0]:
        raise operands.type_error(
            "polyfit", "x and y differ in their number of points.", facts
        )
    if rcond is None:
        precision = dtypes.finfo(operands.dtype_of(x)).eps
        real = np.zeros((), operands.dtype_of(x)).real.dtype
        rcond = placement.own(np.asarray(operands.size(x) * precision, real)[()])
    if w is not None:
        w = operands.ensure_arraylike("polyfit", w)
        if operands.shape(w) != operands.shape(x):
            raise operands.type_error(
                "polyfit",
                "there is not one weight per point.",
                [*facts, ("w", operands.type_name(w))],
            )
    return _fit(x, y, w, rcond, degree + 1, full, cov)


@ft.partial(jit, static_argnums=(4, 5, 6))
def _fit(x, right, w, rcond, order, full, cov):
    left = matrices.vander(x, order)
    if w is not None:
        (w,) = operands.promote_dtypes_inexact(w)
        left = left * w[:, None]
        right = right * (w[:, None] if operands.ndim(right) == 2 else w)
    # Columns of one length make the singular values comparable.
    scale = elementwise.sqrt((left * left.conj()).real.sum(axis=0))
    c, residuals, rank, s = equations.lstsq(left / scale[None, :], right, rcond)
    c = (c.T / operands.with_rank(scale, operands.ndim(c))).T
    if full:
        return c, residuals, rank, s, creation.asarray(rcond)
    if not cov:
        return c
    products = scale[:, None] * scale[None, :]
    base = equations.inv((left.T @ left) / products)
    base = base / products
    factor = 1
    if cov != "unscaled":
        points = operands.shape(left)[0]
        if points <= order:
            raise operands.value_error(
                "polyfit",
                "too few points for covariances.",
                [("points", str(points)), ("coefficients", str(order))],
                "There are more points than coefficients.",
            )
        factor = residuals / (points - order)
    if operands.ndim(right) == 1:
        return c, base * factor
    return c, base[:, :, None] * factor[None, None, :]


traceback_filter.hide_frames(globals())
