"""Vectors, matrices and points: multivariate normal, orthogonal, ball."""

from __future__ import annotations

import functools as ft
from typing import Any

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import (
    einsums,
    elementwise,
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    reshaping,
    selection,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.numpy.linalg import decompositions
from jax._src.random import continuous, keys, uniform_normal
from jax._src.random.generalized_normal_maxwell import factor, generalized_normal, pair

Array = Any
ArrayLike = Any


def ball(
    key: ArrayLike,
    d: int,
    p: float = 2,
    shape: Any = (),
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Points of the unit ball of the p-norm, all equally likely.

    Args:
        key: a key.
        d: the number of coordinates.
        p: the norm.
        shape: the shape of the result without its last axis.
        dtype: a floating-point dtype.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a size is negative. ValueError: `dtype` is no
            float dtype.


    Reference: Barthe, Guédon, Mendelson and Naor, A probabilistic approach to the
    geometry of the l_p^n-ball (2005).
    """
    if out_sharding is not None:
        return operands.placed(ball, out_sharding, key, d, p, shape, dtype)
    words, generator, _ = keys.taken("ball", key)
    wanted = uniform_normal.float_dtype("ball", dtype)
    shape = uniform_normal.shape_of("ball", shape)
    (d,) = uniform_normal.shape_of("ball", d)
    # A power that is known is computed by multiplications.
    draw = _ball_of_known_power if isinstance(p, int | float) else _ball
    return draw(words, generator, shape, wanted, d, p)


def _ball_of(words, generator, shape, dtype, d, p):
    for_direction, for_radius = pair(words, generator)
    g = generalized_normal(for_direction, p, (*shape, d), dtype)
    e = continuous.exponential(for_radius, shape, dtype)
    norm = ((elementwise.absolute(g) ** p).sum(-1) + e) ** (1 / p)
    return g / lax.expand_dims(norm, (len(shape),))


_ball = jit(_ball_of, static_argnums=(1, 2, 3, 4))
_ball_of_known_power = jit(_ball_of, static_argnums=(1, 2, 3, 4, 5))


# ---------------------------------------------------------------- matrices


def multivariate_normal(
    key: ArrayLike,
    mean: ArrayLike,
    cov: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    method: str = "cholesky",
    *,
    out_sharding: Any = None,
) -> Array:
    """Normal vectors.

    Args:
        key: a key.
        mean: array of means, of shape ``(..., n)``.
        cov: covariances, of shape ``(..., n, n)``.
        shape: the shape of the result without its last axis; default: that of the
            leading axes of `mean` and `cov`.
        dtype: the dtype of the draws; default: that of `mean` and `cov`.
        method: how `cov` is factored: ``"cholesky"``, ``"eigh"`` or ``"svd"``; the last
            two take singular matrices.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        ValueError: the method is unknown, or the shapes do not fit.
        TypeError: `mean` or `cov` is no array or number. TypeError: a size is negative.

    """
    if out_sharding is not None:
        return operands.placed(
            multivariate_normal, out_sharding, key, mean, cov, shape, dtype, method
        )
    if method not in ("cholesky", "eigh", "svd"):
        raise keys.value_error(
            "multivariate_normal",
            f"method must be one of 'cholesky', 'eigh' and 'svd', got {method!r}.",
        )
    mean, cov = operands.ensure_arraylike("random.multivariate_normal", mean, cov)
    if dtype is None:
        dtype = dtypes.to_inexact_dtype(dtypes.result_type(mean, cov))
    wanted = uniform_normal.float_dtype("multivariate_normal", dtype)
    facts = [("mean", operands.type_name(mean)), ("cov", operands.type_name(cov))]
    size = operands.shape(mean)[-1:]
    if not size:
        raise keys.value_error(
            "multivariate_normal",
            "multivariate_normal requires mean.ndim >= 1, got mean.ndim == 0.",
            facts,
        )
    if operands.shape(cov)[-2:] != size * 2:
        raise keys.value_error(
            "multivariate_normal",
            f"multivariate_normal requires cov.shape == (..., n, n) for n={size[0]}, but "
            f"got cov.shape == {operands.shape(cov)}.",
            facts,
        )
    shape = uniform_normal.fitting_shape(
        "multivariate_normal",
        shape,
        operands.shape(mean)[:-1],
        operands.shape(cov)[:-2],
    )
    words, generator, _ = keys.taken("multivariate_normal", key)
    return _multivariate_normal(
        words, generator, (*shape, *size), wanted, mean, cov, method
    )


@ft.partial(jit, static_argnums=(1, 2, 3, 6))
def _multivariate_normal(words, generator, shape, dtype, mean, cov, method):
    mean, cov = operands.promote_dtypes_inexact(mean, cov)
    z = uniform_normal.real_or_complex_normal_of(words, generator, shape, dtype)
    drawn = einsums.einsum("...ij,...j->...i", factor(cov, method), z)
    return operands.with_rank(mean, operands.ndim(drawn)) + drawn


def orthogonal(
    key: ArrayLike,
    n: int,
    shape: Any = (),
    dtype: Any = None,
    m: int | None = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Orthogonal, or unitary, matrices, all equally likely.

    Args:
        key: a key.
        n: the number of rows.
        shape: the shape of the result without its last two axes.
        dtype: a floating-point or complex dtype.
        m: the number of columns; default: `n`. Rows or columns, whichever are fewer, are
            orthonormal.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        ValueError: a size is negative, or the dtype is no float.
        TypeError: a size is negative.

    Reference: Mezzadri, How to generate random matrices from the classical compact
    groups (2007).
    """
    if out_sharding is not None:
        return operands.placed(orthogonal, out_sharding, key, n, shape, dtype, m)
    shape = uniform_normal.shape_of("orthogonal", shape)
    m = n if m is None else m
    if n < 0 or m < 0:
        raise keys.value_error(
            "orthogonal", "a size is negative.", [("n", str(n)), ("m", str(m))]
        )
    z = uniform_normal.normal(key, (*shape, max(n, m), min(n, m)), dtype)
    q = _with_signs(*decompositions.qr(z))
    return reshaping.matrix_transpose(q) if n < m else q


@jit
def _with_signs(q, r):
    """Without the signs of the diagonal, some matrices would be likelier than others."""
    diagonal = reshaping.expand_dims(r.diagonal(axis1=-2, axis2=-1), -2)
    size = elementwise.absolute(diagonal)
    return q * selection.where(
        size == 0, 1, diagonal / selection.where(size == 0, 1, size)
    )


traceback_filter.hide_frames(globals())
