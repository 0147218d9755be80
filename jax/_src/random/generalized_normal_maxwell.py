"""Generalized normal and Maxwell numbers, the latter on one side of 0 and on both."""

import functools as ft
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.numpy import creation, elementwise, lax_api as lax, operands
from jax._src.numpy.jit_wrapper import jit
from jax._src.numpy.linalg import decompositions
from jax._src.random import (
    continuous,
    discrete,
    gamma,
    key_arrays,
    keys,
    samplers,
    uniform_normal,
)

Array = Any
ArrayLike = Any


def pair(key, generator):
    """The two keys that a key is split into."""
    return (
        key_arrays.wrap(words, generator)
        for words in uniform_normal.halves(key, generator)
    )


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
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a size is negative. ValueError: `dtype` is no
            float dtype.

    """
    if out_sharding is not None:
        return operands.placed(generalized_normal, out_sharding, key, p, shape, dtype)
    words, generator, _ = keys.taken("generalized_normal", key)
    wanted = uniform_normal.float_dtype("generalized_normal", dtype)
    shape = uniform_normal.shape_of("generalized_normal", shape)
    power = p if operands.is_arraylike(p) else creation.asarray(p)
    return _generalized_normal(words, generator, shape, wanted, power)


@ft.partial(jit, static_argnums=(1, 2, 3))
def _generalized_normal(words, generator, shape, dtype, p):
    for_size, for_sign = pair(words, generator)
    power = 1 / creation.asarray(p)
    size = gamma.gamma(for_size, power, shape, dtype)
    return discrete.rademacher(for_sign, shape, dtype) * size**power


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
    words, generator, _ = keys.taken("double_sided_maxwell", key)
    wanted = uniform_normal.float_dtype("double_sided_maxwell", dtype)
    loc, scale = operands.ensure_arraylike("random.double_sided_maxwell", loc, scale)
    own = tuple(np.broadcast_shapes(operands.shape(loc), operands.shape(scale)))
    shape = (uniform_normal.shape_of("double_sided_maxwell", shape) or own) + own
    return _double_sided_maxwell(words, generator, shape, wanted, loc, scale)


@samplers.sampler
def _double_sided_maxwell(words, generator, shape, dtype, loc, scale):
    for_size, for_sign = pair(words, generator)
    signs = discrete.rademacher(for_sign, shape, dtype)
    return signs * maxwell(for_size, shape, dtype) * scale + loc


def factor(cov, method):
    """A matrix whose product with its own transpose is `cov`."""
    if method == "cholesky":
        return decompositions.cholesky(cov)
    if method == "eigh":
        values, vectors = decompositions.eigh(cov)
    else:
        vectors, values, _ = decompositions.svd(cov)
    return vectors * elementwise.sqrt(values[..., None, :])


def _maxwell(words, generator, shape, dtype):
    z = uniform_normal.normal_of(words, generator, (*shape, 3), dtype)
    return lax.sqrt(lax.reduce_sum(lax.square(z), (len(shape),)))


maxwell = continuous.plain("maxwell", _maxwell, "Numbers with Maxwell's distribution.")
maxwell.__module__ = __name__


traceback_filter.hide_frames(globals())
