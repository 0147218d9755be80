"""Gamma distributed numbers, differentiable in their shape parameter.

Reference: Marsaglia and Tsang, A simple method for generating gamma variables (2000);
Figurnov, Mohamed and Mnih, Implicit reparameterization gradients (2018).
"""

from __future__ import annotations

import functools as ft
import math
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core import avals
from jax._src.core.primitive import declare
from jax._src.lax.control_flow.loops import map as lax_map
from jax._src.lax.ops import splitting
from jax._src.lax.ops.incomplete import random_gamma_grad
from jax._src.numpy import (
    elementwise,
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands as op,
    reshaping,
    selecting,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.random import basic, continuous, keys as rk
from jax._src.transforms.vectorize import vmap

Array = Any
ArrayLike = Any


def _attempt(generator, c, words):
    """A positive cube root of a candidate, and the square of the normal drawn for it."""

    def draw(state):
        words, _, _ = state
        words, drawn = basic.halves(words, generator)
        x = basic.normal_of(drawn, generator, (), op.dtype_of(c))
        return words, x, 1 + x * c

    zero, below = lax.full_like(c, 0), lax.full_like(c, -1)
    _, x, v = lax.while_loop(lambda state: state[2] <= 0, draw, (words, zero, below))
    return x * x, v * v * v


def _accepted(generator, alpha, words):
    """The accepted candidate for a shape parameter of at least 1, and its factor."""
    d = alpha - 1 / 3
    c = lax.div(lax.full_like(alpha, 1 / 3), lax.sqrt(d))

    def is_rejected(state):
        _, x, v, u = state
        beyond_squeeze = u >= 1 - 0.0331 * (x * x)
        return beyond_squeeze & (lax.log(u) >= x * 0.5 + d * ((1 - v) + lax.log(v)))

    def draw(state):
        parts = generator.split(state[0], (3,))
        words, for_x, for_u = (
            lax.index_in_dim(parts, i, 0, keepdims=False) for i in range(3)
        )
        x, v = _attempt(generator, c, for_x)
        return words, x, v, basic.unit(for_u, generator, (), op.dtype_of(alpha))

    start = (words, *(lax.full_like(alpha, value) for value in (0, 1, 2)))
    return d, lax.while_loop(is_rejected, draw, start)[2]


def _one(generator, log_space, words, alpha):
    """One number, by rejection; below 1 the parameter is raised, and the number scaled."""
    is_large = alpha >= 1
    words, for_scale = basic.halves(words, generator)
    d, v = _accepted(generator, selecting.where(is_large, alpha, alpha + 1), words)
    dtype = op.dtype_of(alpha)
    if log_space:
        log_scale = -continuous.exponential_of(for_scale, generator, (), dtype)
        is_neutral = is_large | (log_scale == 0)
        shift = selecting.where(is_neutral, 0.0, log_scale * (1 / alpha))
        return lax.log(d) + lax.log(v) + shift
    scale = 1 - basic.unit(for_scale, generator, (), dtype)
    return d * v * selecting.where(is_large, 1.0, lax.pow(scale, 1 / alpha))


def _log_gradient(a, sample):
    """The derivative of the logarithm of samples, given that logarithm."""
    value = lax.exp(sample)
    tiny = np.asarray(dtypes.finfo(op.dtype_of(a)).smallest_normal, op.dtype_of(a))
    value = selecting.where(value == 0, tiny[()], value)
    return lax.div(random_gamma_grad(a, value), value)


@declare("random_gamma")
class random_gamma_p:
    """Gamma distributed numbers; the axes of the keys are the first ones of `a`."""

    def types(keys, a, *, log_space):
        return avals.ShapedArray(a.shape, a.dtype)

    def sharding(keys, a, *, log_space):
        return splitting.entries(a)

    def decompose(keys, a, *, log_space):
        generator = keys.dtype.generator
        words = rk.ka.unwrap(keys)
        batch, own = keys.shape, op.shape(a)[len(keys.shape) :]
        words = lax.reshape(words, (math.prod(batch), generator.words))
        count = math.prod(own)
        own_words = vmap(lambda key: generator.split(key, (count,)))(words)
        own_words = lax.reshape(own_words, (op.size(a), generator.words))
        flat = reshaping.ravel(a)
        one = ft.partial(_one, generator, log_space)
        if generator.name == "threefry2x32":
            drawn = vmap(one)(own_words, flat)
        else:
            drawn = lax_map(lambda pair: one(*pair), (own_words, flat))
        return lax.reshape(drawn, op.shape(a))

    jvp = (
        None,
        lambda t, keys, a, *, out, log_space: lax.mul(
            t, (_log_gradient if log_space else random_gamma_grad)(a, out)
        ),
    )

    def batch(axis, args, dims, *, log_space):
        keys, a = args
        if dims[0] is None:
            # Other keys for each row would give other numbers than a loop does.
            a = reshaping.moveaxis(a, dims[1], len(keys.shape))
            keys, at = _one_key_each_row(keys, axis.size), len(op.shape(args[0]))
            return random_gamma_p.bind(keys, a, log_space=log_space), at
        keys = reshaping.moveaxis(keys, dims[0], 0)
        if dims[1] is None:
            a = op.broadcast_to(a, (axis.size, *op.shape(a)))
        else:
            a = reshaping.moveaxis(a, dims[1], 0)
        return random_gamma_p.bind(keys, a, log_space=log_space), 0


def _one_key_each_row(keys, size):
    """Repeats each batch element's key `size` times, along a new last axis."""
    words = rk.ka.unwrap(keys)
    shape = op.shape(words)
    repeated = lax.broadcast_in_dim(
        words, (*shape[:-1], size, shape[-1]), (*range(len(shape) - 1), len(shape))
    )
    return rk.ka.wrap(repeated, keys.dtype.generator)


@ft.partial(jit, static_argnums=(1, 2, 3, 4))
def gamma_of(words, generator, shape, dtype, log_space, a):
    """Gamma distributed numbers, or their logarithms, from the words of a key."""
    keys = rk.ka.wrap(words, generator)
    a = op.broadcast_to(op.convert(a, dtype), shape)
    return random_gamma_p.bind(keys, op.strong(a), log_space=log_space)


def _sample(name, key, a, shape, dtype, log_space):
    def transform(words, generator, shape, dtype, a):
        return gamma_of(words, generator, shape, dtype, log_space, a)

    return continuous.with_parameters(name, transform, key, shape, dtype, a, safe=False)


def gamma(
    key: ArrayLike,
    a: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers with the gamma distribution of scale 1.

    Differentiable in `a`, by implicit reparameterization.

    Args:
        key: a key.
        a: the shape parameter; 0 gives 0, negative ones NaN.
        shape: the shape of the result; default: that of `a`.
        dtype: a floating-point dtype.
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.


    Reference: Marsaglia and Tsang, A simple method for generating gamma variables
    (2000).
    """
    if out_sharding is not None:
        return op.placed(gamma, out_sharding, key, a, shape, dtype)
    return _sample("gamma", key, a, shape, dtype, False)


def loggamma(
    key: ArrayLike,
    a: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """The logarithms of the numbers that `gamma` gives, exact for small ones too.

    Args:
        key: a key.
        a: the shape parameter.
        shape: the shape of the result; default: that of `a`.
        dtype: a floating-point dtype.
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return op.placed(loggamma, out_sharding, key, a, shape, dtype)
    return _sample("loggamma", key, a, shape, dtype, True)


# ---------------------------------------------------------------- built on gamma


def beta(
    key: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers with the beta distribution: the share of one gamma number in two.

    Args:
        key: a key.
        a: the first shape parameter.
        b: the second shape parameter.
        shape: the shape of the result; default: that of the parameters.
        dtype: a floating-point dtype.
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return op.placed(beta, out_sharding, key, a, b, shape, dtype)
    return continuous.with_parameters("beta", _beta, key, shape, dtype, a, b)


@continuous.sampler
def _beta(words, generator, shape, dtype, a, b):
    first, second = basic.halves(words, generator)
    log_x = gamma_of(first, generator, shape, dtype, True, a)
    log_y = gamma_of(second, generator, shape, dtype, True, b)
    # The larger is taken out, so that neither vanishes beside the other.
    largest = lax.max(log_x, log_y)
    x, y = lax.exp(log_x - largest), lax.exp(log_y - largest)
    return x / (x + y)


def dirichlet(
    key: ArrayLike,
    alpha: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Vectors of positive numbers with sum 1, with Dirichlet's distribution.

    Args:
        key: a key.
        alpha: the parameters along the last axis.
        shape: the shape of the result without its last axis; default: that of `alpha`.
        dtype: a floating-point dtype.
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        ValueError: `alpha` is a scalar.
        TypeError: `alpha` is no array or number. TypeError: a size is negative.

    """
    if out_sharding is not None:
        return op.placed(dirichlet, out_sharding, key, alpha, shape, dtype)
    words, generator, _ = rk.taken("dirichlet", key)
    wanted = basic.float_dtype("dirichlet", dtype)
    alpha = op.ensure_arraylike("random.dirichlet", alpha)
    if not op.ndim(alpha):
        raise ValueError(
            rk.explain(
                "dirichlet",
                "dirichlet requires alpha.ndim >= 1, got a scalar.",
                [("alpha", op.type_name(alpha))],
                "The last axis of alpha holds the parameters of one vector.",
            )
        )
    batch, last = op.shape(alpha)[:-1], op.shape(alpha)[-1]
    shape = basic.fitting_shape("dirichlet", shape, batch)
    return _dirichlet(words, generator, (*shape, last), wanted, alpha)


@continuous.sampler
def _dirichlet(words, generator, shape, dtype, alpha):
    logs = gamma_of(words, generator, shape, dtype, True, alpha)
    if not shape[-1]:
        return logs
    largest = lax.stop_gradient(lax.reduce_max(logs, (len(shape) - 1,)))
    terms = lax.exp(logs - lax.expand_dims(largest, (len(shape) - 1,)))
    return terms / terms.sum(-1, keepdims=True)


@continuous.sampler
def _chisquare(words, generator, shape, dtype, df):
    return lax.exp(gamma_of(words, generator, shape, dtype, True, df / 2)) * 2


def chisquare(
    key: ArrayLike,
    df: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers with the chi-square distribution.

    Args:
        key: a key.
        df: the degrees of freedom.
        shape: the shape of the result; default: that of `df`.
        dtype: a floating-point dtype.
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return op.placed(chisquare, out_sharding, key, df, shape, dtype)
    return continuous.with_parameters("chisquare", _chisquare, key, shape, dtype, df)


@continuous.sampler
def _f(words, generator, shape, dtype, dfnum, dfden):
    below, above = basic.halves(words, generator)
    numerator = _chisquare(above, generator, shape, dtype, dfnum) / dfnum
    return numerator / (_chisquare(below, generator, shape, dtype, dfden) / dfden)


def f(
    key: ArrayLike,
    dfnum: ArrayLike,
    dfden: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers with Fisher's F distribution: a ratio of two chi-square numbers.

    Args:
        key: a key.
        dfnum: the degrees of freedom of the numerator.
        dfden: those of the denominator.
        shape: the shape of the result; default: that of the parameters.
        dtype: a floating-point dtype.
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return op.placed(f, out_sharding, key, dfnum, dfden, shape, dtype)
    return continuous.with_parameters("f", _f, key, shape, dtype, dfnum, dfden)


@continuous.sampler
def _t(words, generator, shape, dtype, df):
    for_normal, for_gamma = basic.halves(words, generator)
    half = df / 2
    drawn = gamma_of(for_gamma, generator, shape, dtype, False, half)
    return basic.normal_of(for_normal, generator, shape, dtype) * elementwise.sqrt(
        half / drawn
    )


def t(
    key: ArrayLike,
    df: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers with Student's t distribution.

    Args:
        key: a key.
        df: the degrees of freedom.
        shape: the shape of the result; default: that of `df`.
        dtype: a floating-point dtype.
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return op.placed(t, out_sharding, key, df, shape, dtype)
    return continuous.with_parameters("t", _t, key, shape, dtype, df)


traceback_filter.hide_frames(globals())
