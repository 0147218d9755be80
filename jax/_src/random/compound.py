"""Samplers that combine the draws of other samplers."""

from __future__ import annotations

from typing import Any

import numpy as np

from jax._src.numpy import (
    elementwise,
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands as op,
)
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
        out_sharding: not supported yet.
    """
    op.refuse_sharding("random.generalized_normal", out_sharding)
    words, generator, _ = rk.taken("generalized_normal", key)
    wanted = basic.float_dtype("generalized_normal", dtype)
    shape = basic.shape_of("generalized_normal", shape)
    for_size, for_sign = _pair(words, generator)
    size = gamma.gamma(for_size, 1 / p, shape, wanted)
    return continuous.rademacher(for_sign, shape, wanted) * size ** (1 / p)


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
        out_sharding: not supported yet.

    Reference: Barthe, Guédon, Mendelson and Naor, A probabilistic approach to the
    geometry of the l_p^n-ball (2005).
    """
    op.refuse_sharding("random.ball", out_sharding)
    words, generator, _ = rk.taken("ball", key)
    wanted = basic.float_dtype("ball", dtype)
    shape = basic.shape_of("ball", shape)
    (d,) = basic.shape_of("ball", d)
    for_direction, for_radius = _pair(words, generator)
    g = generalized_normal(for_direction, p, (*shape, d), wanted)
    e = continuous.exponential(for_radius, shape, wanted)
    norm = ((elementwise.absolute(g) ** p).sum(-1) + e) ** (1 / p)
    return g / lax.expand_dims(norm, (len(shape),))


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
    """
    words, generator, _ = rk.taken("double_sided_maxwell", key)
    wanted = basic.float_dtype("double_sided_maxwell", dtype)
    loc, scale = op.ensure_arraylike("random.double_sided_maxwell", loc, scale)
    own = tuple(np.broadcast_shapes(op.shape(loc), op.shape(scale)))
    shape = (basic.shape_of("double_sided_maxwell", shape) or own) + own
    loc, scale = (
        basic.parameter("random.double_sided_maxwell", x, wanted, shape)
        for x in (loc, scale)
    )
    for_size, for_sign = _pair(words, generator)
    signs = continuous.rademacher(for_sign, shape, wanted)
    return signs * continuous.maxwell(for_size, shape, wanted) * scale + loc
