"""Samplers that combine the draws of other samplers."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import (
    creation,
    einsums,
    elementwise,
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands as op,
    reshaping,
    selecting,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.numpy.linalg import decompositions
from jax._src.random import basic, continuous, gamma, keys as rk

Array = Any
ArrayLike = Any


def _pair(key, generator):
    """The two keys that a key is split into."""
    return (rk.ka.wrap(words, generator) for words in basic.halves(key, generator))


def generalized_normal(
    key: ArrayLike,
    p: float,
    shape: Any = (),
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers with density proportional to ``exp(-|x| ** p)``.

    Args:
        key: a key.
        p: the power.
        shape: the shape of the result.
        dtype: a floating-point dtype.
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a size is negative. ValueError: `dtype` is no
            float dtype.

    """
    if out_sharding is not None:
        return op.placed(generalized_normal, out_sharding, key, p, shape, dtype)
    words, generator, _ = rk.taken("generalized_normal", key)
    wanted = basic.float_dtype("generalized_normal", dtype)
    shape = basic.shape_of("generalized_normal", shape)
    power = p if op.is_arraylike(p) else creation.asarray(p)
    return _generalized_normal(words, generator, shape, wanted, power)


@ft.partial(jit, static_argnums=(1, 2, 3))
def _generalized_normal(words, generator, shape, dtype, p):
    for_size, for_sign = _pair(words, generator)
    power = 1 / creation.asarray(p)
    size = gamma.gamma(for_size, power, shape, dtype)
    return continuous.rademacher(for_sign, shape, dtype) * size**power


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
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a size is negative. ValueError: `dtype` is no
            float dtype.


    Reference: Barthe, Guédon, Mendelson and Naor, A probabilistic approach to the
    geometry of the l_p^n-ball (2005).
    """
    if out_sharding is not None:
        return op.placed(ball, out_sharding, key, d, p, shape, dtype)
    words, generator, _ = rk.taken("ball", key)
    wanted = basic.float_dtype("ball", dtype)
    shape = basic.shape_of("ball", shape)
    (d,) = basic.shape_of("ball", d)
    # A power that is known is computed by multiplications.
    draw = _ball_of_known_power if isinstance(p, int | float) else _ball
    return draw(words, generator, shape, wanted, d, p)


def _ball_of(words, generator, shape, dtype, d, p):
    for_direction, for_radius = _pair(words, generator)
    g = generalized_normal(for_direction, p, (*shape, d), dtype)
    e = continuous.exponential(for_radius, shape, dtype)
    norm = ((elementwise.absolute(g) ** p).sum(-1) + e) ** (1 / p)
    return g / lax.expand_dims(norm, (len(shape),))


_ball = jit(_ball_of, static_argnums=(1, 2, 3, 4))
_ball_of_known_power = jit(_ball_of, static_argnums=(1, 2, 3, 4, 5))


def double_sided_maxwell(
    key: ArrayLike,
    loc: ArrayLike,
    scale: ArrayLike,
    shape: Any = (),
    dtype: Any = None,
) -> Array:
    """Numbers of either sign whose sizes have Maxwell's distribution.

    Args:
        key: a key.
        loc: the middle.
        scale: the scale.
        shape: comes before the shape of the parameters, which is taken where `shape`
            is empty.
        dtype: a floating-point dtype.

    Raises:
        TypeError: `key` is no key. ValueError: `dtype` is no float dtype, or shapes do
            not broadcast.
    """
    words, generator, _ = rk.taken("double_sided_maxwell", key)
    wanted = basic.float_dtype("double_sided_maxwell", dtype)
    loc, scale = op.ensure_arraylike("random.double_sided_maxwell", loc, scale)
    own = tuple(np.broadcast_shapes(op.shape(loc), op.shape(scale)))
    shape = (basic.shape_of("double_sided_maxwell", shape) or own) + own
    return _double_sided_maxwell(words, generator, shape, wanted, loc, scale)


@continuous.sampler
def _double_sided_maxwell(words, generator, shape, dtype, loc, scale):
    for_size, for_sign = _pair(words, generator)
    signs = continuous.rademacher(for_sign, shape, dtype)
    return signs * continuous.maxwell(for_size, shape, dtype) * scale + loc


# ---------------------------------------------------------------- matrices


def _factor(cov, method):
    """A matrix whose product with its own transpose is `cov`."""
    if method == "cholesky":
        return decompositions.cholesky(cov)
    if method == "eigh":
        values, vectors = decompositions.eigh(cov)
    else:
        vectors, values, _ = decompositions.svd(cov)
    return vectors * elementwise.sqrt(values[..., None, :])


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
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        ValueError: the method is unknown, or the shapes do not fit.
        TypeError: `mean` or `cov` is no array or number. TypeError: a size is negative.

    """
    if out_sharding is not None:
        return op.placed(
            multivariate_normal, out_sharding, key, mean, cov, shape, dtype, method
        )
    if method not in ("cholesky", "eigh", "svd"):
        raise ValueError(
            rk.explain(
                "multivariate_normal",
                f"method={method!r} is unknown.",
                ways="There are 'cholesky', 'eigh' and 'svd'.",
            )
        )
    mean, cov = op.ensure_arraylike("random.multivariate_normal", mean, cov)
    if dtype is None:
        dtype = dtypes.to_inexact_dtype(dtypes.result_type(mean, cov))
    wanted = basic.float_dtype("multivariate_normal", dtype)
    facts = [("mean", op.type_name(mean)), ("cov", op.type_name(cov))]
    size = op.shape(mean)[-1:]
    if not size or op.shape(cov)[-2:] != size * 2:
        raise ValueError(
            rk.explain(
                "multivariate_normal",
                "mean and cov do not fit together.",
                facts,
                "mean has shape (..., n), and cov has shape (..., n, n).",
            )
        )
    shape = basic.fitting_shape(
        "multivariate_normal", shape, op.shape(mean)[:-1], op.shape(cov)[:-2]
    )
    words, generator, _ = rk.taken("multivariate_normal", key)
    return _multivariate_normal(
        words, generator, (*shape, *size), wanted, mean, cov, method
    )


@ft.partial(jit, static_argnums=(1, 2, 3, 6))
def _multivariate_normal(words, generator, shape, dtype, mean, cov, method):
    mean, cov = op.promote_dtypes_inexact(mean, cov)
    z = basic.real_or_complex_normal_of(words, generator, shape, dtype)
    drawn = einsums.einsum("...ij,...j->...i", _factor(cov, method), z)
    return op.with_rank(mean, op.ndim(drawn)) + drawn


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
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        ValueError: a size is negative, or the dtype is no float.
        TypeError: a size is negative.

    Reference: Mezzadri, How to generate random matrices from the classical compact
    groups (2007).
    """
    if out_sharding is not None:
        return op.placed(orthogonal, out_sharding, key, n, shape, dtype, m)
    shape = basic.shape_of("orthogonal", shape)
    m = n if m is None else m
    if n < 0 or m < 0:
        raise ValueError(
            rk.explain(
                "orthogonal", "a size is negative.", [("n", str(n)), ("m", str(m))]
            )
        )
    z = basic.normal(key, (*shape, max(n, m), min(n, m)), dtype)
    q = _with_signs(*decompositions.qr(z))
    return reshaping.matrix_transpose(q) if n < m else q


@jit
def _with_signs(q, r):
    """Without the signs of the diagonal, some matrices would be likelier than others."""
    diagonal = reshaping.expand_dims(r.diagonal(axis1=-2, axis2=-1), -2)
    size = elementwise.absolute(diagonal)
    return q * selecting.where(
        size == 0, 1, diagonal / selecting.where(size == 0, 1, size)
    )


traceback_filter.hide_frames(globals())
