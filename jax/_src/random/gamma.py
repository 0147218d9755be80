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
from jax._src.lax.control_flow.fori_loop_and_map import map as lax_map
from jax._src.lax.ops import splitting
from jax._src.lax.ops.incomplete import random_gamma_grad
from jax._src.numpy import (
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    reshaping,
    selection,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.random import (
    approximate,
    continuous,
    key_arrays,
    samplers,
    uniform_normal,
)
from jax._src.transforms.vectorize import vmap

Array = Any
ArrayLike = Any


def _attempt(generator, c, words):
    """A positive cube root of a candidate, and the square of the normal drawn for it."""

    def draw(state):
        words, _, _ = state
        words, drawn = uniform_normal.halves(words, generator)
        x = uniform_normal.normal_of(drawn, generator, (), operands.dtype_of(c))
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
        return (
            words,
            x,
            v,
            uniform_normal.unit(for_u, generator, (), operands.dtype_of(alpha)),
        )

    start = (words, *(lax.full_like(alpha, value) for value in (0, 1, 2)))
    return d, lax.while_loop(is_rejected, draw, start)[2]


def _one(generator, log_space, words, alpha):
    """One number, by rejection; below 1 the parameter is raised, and the number scaled."""
    is_large = alpha >= 1
    words, for_scale = uniform_normal.halves(words, generator)
    d, v = _accepted(generator, selection.where(is_large, alpha, alpha + 1), words)
    dtype = operands.dtype_of(alpha)
    if log_space:
        log_scale = -continuous.exponential_of(for_scale, generator, (), dtype)
        is_neutral = is_large | (log_scale == 0)
        shift = selection.where(is_neutral, 0.0, log_scale * (1 / alpha))
        return lax.log(d) + lax.log(v) + shift
    scale = 1 - uniform_normal.unit(for_scale, generator, (), dtype)
    return d * v * selection.where(is_large, 1.0, lax.pow(scale, 1 / alpha))


def _log_gradient(a, sample):
    """The derivative of the logarithm of samples, given that logarithm."""
    value = lax.exp(sample)
    tiny = np.asarray(
        dtypes.finfo(operands.dtype_of(a)).smallest_normal, operands.dtype_of(a)
    )
    value = selection.where(value == 0, tiny[()], value)
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
        words = key_arrays.unwrap(keys)
        batch, own = keys.shape, operands.shape(a)[len(keys.shape) :]
        words = lax.reshape(words, (math.prod(batch), generator.words))
        count = math.prod(own)
        own_words = vmap(lambda key: generator.split(key, (count,)))(words)
        own_words = lax.reshape(own_words, (operands.size(a), generator.words))
        flat = reshaping.ravel(a)
        one = ft.partial(_one, generator, log_space)
        if generator.name == "threefry2x32":
            drawn = vmap(one)(own_words, flat)
        else:
            drawn = lax_map(lambda pair: one(*pair), (own_words, flat))
        return lax.reshape(drawn, operands.shape(a))

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
            keys, at = _one_key_each_row(keys, axis.size), len(operands.shape(args[0]))
            return random_gamma_p.bind(keys, a, log_space=log_space), at
        keys = reshaping.moveaxis(keys, dims[0], 0)
        if dims[1] is None:
            a = operands.broadcast_to(a, (axis.size, *operands.shape(a)))
        else:
            a = reshaping.moveaxis(a, dims[1], 0)
        return random_gamma_p.bind(keys, a, log_space=log_space), 0


def _one_key_each_row(keys, size):
    """Repeats each batch element's key `size` times, along a new last axis."""
    words = key_arrays.unwrap(keys)
    shape = operands.shape(words)
    repeated = lax.broadcast_in_dim(
        words, (*shape[:-1], size, shape[-1]), (*range(len(shape) - 1), len(shape))
    )
    return key_arrays.wrap(repeated, keys.dtype.generator)


@ft.partial(jit, static_argnums=(1, 2, 3, 4))
def gamma_of(words, generator, shape, dtype, log_space, a):
    """Gamma distributed numbers, or their logarithms, from the words of a key."""
    keys = key_arrays.wrap(words, generator)
    a = operands.broadcast_to(operands.convert(a, dtype), shape)
    return random_gamma_p.bind(keys, operands.strong(a), log_space=log_space)


def _sample(name, key, a, shape, dtype, log_space, method):
    draw = (
        approximate.gamma_of if approximate.is_approximate(name, method) else gamma_of
    )

    def transform(words, generator, shape, dtype, a):
        return draw(words, generator, shape, dtype, log_space, a)

    return samplers.with_parameters(name, transform, key, shape, dtype, a, safe=False)


def gamma(
    key: ArrayLike,
    a: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    method: str = "exact",
    out_sharding: Any = None,
) -> Array:
    """Numbers with the gamma distribution of scale 1.

    Differentiable in `a`, by implicit reparameterization.

    Args:
        key: a key.
        a: the shape parameter; 0 gives 0, negative ones NaN.
        shape: the shape of the result; default: that of `a`.
        dtype: a floating-point dtype.
        method: ``"exact"``, or ``"approximate"``: without rejection, with small errors.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.


    Reference: Marsaglia and Tsang, A simple method for generating gamma variables
    (2000).
    """
    if out_sharding is not None:
        return operands.placed(gamma, out_sharding, key, a, shape, dtype, method=method)
    return _sample("gamma", key, a, shape, dtype, False, method)


def loggamma(
    key: ArrayLike,
    a: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    method: str = "exact",
    out_sharding: Any = None,
) -> Array:
    """The logarithms of the numbers that `gamma` gives, exact for small ones too.

    Args:
        key: a key.
        a: the shape parameter.
        shape: the shape of the result; default: that of `a`.
        dtype: a floating-point dtype.
        method: ``"exact"``, or ``"approximate"``: without rejection, with small errors.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return operands.placed(
            loggamma, out_sharding, key, a, shape, dtype, method=method
        )
    return _sample("loggamma", key, a, shape, dtype, True, method)


# ---------------------------------------------------------------- built on gamma


traceback_filter.hide_frames(globals())
