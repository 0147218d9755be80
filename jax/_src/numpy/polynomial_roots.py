"""Roots of polynomials, polynomials of roots, and polynomials through points."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.lax.linalg import eig
from jax._src.numpy import (
    concatenation,
    convolutions,
    creation,
    elementwise,
    grids,
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands as op,
    placement,
    reshaping,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.numpy.linalg import equations

Array = Any
ArrayLike = Any


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
    roots = op.ensure_arraylike("poly", seq_of_zeros)
    (roots,) = op.promote_dtypes_inexact(roots)
    roots = reshaping.atleast_1d(roots)
    shape = op.shape(roots)
    if len(shape) == 2 and shape[0] == shape[1] and shape[0]:
        roots = _eigenvalues(roots)
    elif len(shape) != 1:
        raise ValueError(
            op.explain(
                "poly",
                "the roots form neither a vector nor a square matrix.",
                [("seq_of_zeros", op.type_name(roots))],
            )
        )
    if not op.size(roots):
        return creation.ones((), op.dtype_of(roots))
    return _with_roots(roots)


def _with_roots(roots):
    result = creation.ones(1, op.dtype_of(roots))
    for root in reshaping.unstack(roots):
        factor = concatenation.stack([lax.full_like(root, 1), -root])
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
    p = reshaping.atleast_1d(op.ensure_arraylike("roots", p))
    if op.ndim(p) != 1:
        raise ValueError(
            op.explain(
                "roots", "the coefficients form no vector.", [("p", op.type_name(p))]
            )
        )
    of_roots = dtypes.to_complex_dtype(op.dtype_of(p))
    # The eigenvalues of a real matrix are real, or pairs of conjugates, to the last digit.
    p = op.convert(
        p, of_roots if op.kind_of(p) == "c" else dtypes.finfo(of_roots).dtype
    )
    none = creation.zeros(0, of_roots)
    if not strip_zeros:
        return _padded_roots(p) if op.size(p) > 1 else none
    if op.size(p) < 2:
        return none
    found = np.flatnonzero(op.concrete("roots", "p", p))
    if not found.size:
        return none
    at_zero = op.size(p) - 1 - found[-1]
    p = lax.slice_in_dim(p, int(found[0]), int(found[-1]) + 1)
    others = _companion_roots(p) if op.size(p) > 1 else none
    return concatenation.concatenate([creation.zeros(at_zero, of_roots), others])


@jit
def _padded_roots(p):
    """The roots, and NaN in place of those that leading zeros take away: they become roots at 0."""
    places = lax.iota(np.int32, op.size(p))
    leading = (p != 0).argmax()
    found = _companion_roots(p[(places + leading) % op.size(p)])
    found = found[(-abs(found)).argsort()]
    is_root = places[:-1] < op.size(p) - 1 - leading
    return lax.select(is_root, found, lax.full_like(found, complex(np.nan, np.nan)))


@jit
def _companion_roots(p):
    count = op.size(p)
    below = creation.eye(count - 1, k=-1, dtype=op.dtype_of(p))
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
        x: vector of places.
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
    x, y = op.promote_dtypes_inexact(*op.ensure_arraylike("polyfit", x, y))
    degree = op.whole_number("polyfit", "deg", deg)
    if degree < 0:
        raise ValueError(f"jnp.polyfit: the degree {degree} is negative.")
    facts = [("x", op.type_name(x)), ("y", op.type_name(y))]
    if op.ndim(x) != 1 or not op.size(x) or op.ndim(y) not in (1, 2):
        raise TypeError(
            op.explain(
                "polyfit",
                "the points have wrong shapes.",
                facts,
                "x is a vector, not empty, and y is a vector or a matrix.",
            )
        )
    if op.shape(x)[0] != op.shape(y)[0]:
        raise TypeError(
            op.explain("polyfit", "x and y differ in their number of points.", facts)
        )
    if rcond is None:
        precision = dtypes.finfo(op.dtype_of(x)).eps
        rcond = placement.own(np.asarray(op.size(x) * precision, op.dtype_of(x))[()])
    if w is not None:
        w = op.ensure_arraylike("polyfit", w)
        if op.shape(w) != op.shape(x):
            raise TypeError(
                op.explain(
                    "polyfit",
                    "there is not one weight per point.",
                    [*facts, ("w", op.type_name(w))],
                )
            )
    return _fit(x, y, w, rcond, degree + 1, full, cov)


@ft.partial(jit, static_argnums=(4, 5, 6))
def _fit(x, right, w, rcond, order, full, cov):
    left = grids.vander(x, order)
    if w is not None:
        (w,) = op.promote_dtypes_inexact(w)
        left = left * w[:, None]
        right = right * (w[:, None] if op.ndim(right) == 2 else w)
    # Columns of one length make the singular values comparable.
    scale = elementwise.sqrt((left * left.conj()).real.sum(axis=0))
    c, residuals, rank, s = equations.lstsq(left / scale[None, :], right, rcond)
    c = (c.T / op.with_rank(scale, op.ndim(c))).T
    if full:
        return c, residuals, rank, s, creation.asarray(rcond)
    if not cov:
        return c
    products = scale[:, None] * scale[None, :]
    base = equations.inv((left.T @ left) / products)
    base = base / products
    factor = 1
    if cov != "unscaled":
        points = op.shape(left)[0]
        if points <= order:
            raise ValueError(
                op.explain(
                    "polyfit",
                    "too few points for covariances.",
                    [("points", str(points)), ("coefficients", str(order))],
                    "There are more points than coefficients.",
                )
            )
        factor = residuals / (points - order)
    if op.ndim(right) == 1:
        return c, base * factor
    return c, base[:, :, None] * factor[None, None, :]


traceback_filter.hide_frames(globals())
