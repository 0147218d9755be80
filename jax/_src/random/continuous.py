"""Samplers that transform uniform or normal numbers."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import (
    lax_api as lax,
    operands,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.random import keys, uniform_normal
from jax._src.random.samplers import constant_of, sampler, with_parameters

Array = Any
ArrayLike = Any


def exponential_of(words, generator, shape, dtype) -> Array:
    """Exponential numbers, from the words of a key."""
    return lax.neg(
        lax.log1p(lax.neg(uniform_normal.unit(words, generator, shape, dtype)))
    )


def _cauchy(words, generator, shape, dtype):
    eps = np.asarray(dtypes.finfo(dtype).eps, dtype)[()]
    u = uniform_normal.uniform_of(
        words, generator, shape, dtype, eps, np.asarray(1, dtype)[()]
    )
    return lax.tan(lax.mul(constant_of(u, np.pi), lax.sub(u, constant_of(u, 0.5))))


def _laplace(words, generator, shape, dtype):
    low = np.asarray(-1.0 + dtypes.finfo(dtype).epsneg, dtype)[()]
    u = uniform_normal.uniform_of(
        words, generator, shape, dtype, low, np.asarray(1, dtype)[()]
    )
    return lax.mul(lax.sign(u), lax.log1p(lax.neg(lax.abs(u))))


def _logistic(words, generator, shape, dtype):
    tiny = np.asarray(dtypes.finfo(dtype).smallest_normal, dtype)[()]
    u = uniform_normal.uniform_of(
        words, generator, shape, dtype, tiny, np.asarray(1, dtype)[()]
    )
    u = uniform_normal.above_zero(u)
    return lax.sub(lax.log(u), lax.log1p(lax.neg(u)))


def plain(name, transform, doc):
    """A sampler without parameters."""
    run = sampler(transform)

    def sample(key, shape=(), dtype=None, *, out_sharding=None):
        if out_sharding is not None:
            return operands.placed(sample, out_sharding, key, shape, dtype)
        words, generator, _ = keys.taken(name, key)
        wanted = uniform_normal.float_dtype(name, dtype)
        return run(words, generator, uniform_normal.shape_of(name, shape), wanted)

    sample.__name__ = sample.__qualname__ = name
    sample.__doc__ = (
        f"{doc}\n\nArgs:\n    key: a key.\n    shape: the shape of the result.\n"
        "    dtype: a floating-point dtype.\n    out_sharding: the sharding of the result over Explicit mesh axes.\n\n"
        "Raises:\n    TypeError: `key` is no key, or a size is negative.\n"
        "    ValueError: `dtype` is no float dtype, or there are several keys.\n"
    )
    return sample


exponential = plain("exponential", exponential_of, "Exponential numbers of mean 1.")
cauchy = plain("cauchy", _cauchy, "Numbers with Cauchy's distribution.")
laplace = plain("laplace", _laplace, "Numbers with Laplace's distribution.")
logistic = plain("logistic", _logistic, "Numbers with the logistic distribution.")


@ft.partial(jit, static_argnums=(1, 2, 3, 4))
def gumbel_in(words, generator, shape, dtype, mode):
    return uniform_normal.gumbel_of(words, generator, shape, dtype, mode)


def gumbel(
    key: ArrayLike,
    shape: Any = (),
    dtype: Any = None,
    mode: str | None = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers with Gumbel's distribution.

    Args:
        key: a key.
        shape: the shape of the result.
        dtype: a floating-point dtype.
        mode: how finely large values are drawn: ``"low"``, ``"high"`` or ``"highest"``.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a size is negative. ValueError: `dtype` is no
            float dtype, or `mode` is unknown.

    """
    if out_sharding is not None:
        return operands.placed(gumbel, out_sharding, key, shape, dtype, mode)
    words, generator, _ = keys.taken("gumbel", key)
    wanted = uniform_normal.float_dtype("gumbel", dtype)
    return gumbel_in(
        words,
        generator,
        uniform_normal.shape_of("gumbel", shape),
        wanted,
        uniform_normal.gumbel_mode(mode),
    )


@sampler
def _pareto(words, generator, shape, dtype, b):
    return lax.exp(lax.div(exponential_of(words, generator, shape, dtype), b))


def pareto(
    key: ArrayLike,
    b: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers with Pareto's distribution of shape parameter `b`.

    Args:
        key: a key.
        b: the shape parameter.
        shape: the shape of the result; default: that of `b`.
        dtype: a floating-point dtype.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return operands.placed(pareto, out_sharding, key, b, shape, dtype)
    return with_parameters("pareto", _pareto, key, shape, dtype, b)


@sampler
def _rayleigh(words, generator, shape, dtype, scale):
    u = uniform_normal.above_zero(uniform_normal.unit(words, generator, shape, dtype))
    return lax.mul(scale, lax.sqrt(lax.mul(lax.log(u), constant_of(u, -2))))


def rayleigh(
    key: ArrayLike,
    scale: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers with Rayleigh's distribution.

    Args:
        key: a key.
        scale: the scale.
        shape: the shape of the result; default: that of `scale`.
        dtype: a floating-point dtype.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return operands.placed(rayleigh, out_sharding, key, scale, shape, dtype)
    return with_parameters("rayleigh", _rayleigh, key, shape, dtype, scale)


@ft.partial(jit, static_argnums=(1, 2, 3))
def _weibull_min(words, generator, shape, dtype, scale, concentration):
    scale, concentration = (operands.convert(p, dtype) for p in (scale, concentration))
    power = lax.div(constant_of(concentration, 1), concentration)
    base, power = operands.broadcast_arrays(
        "random.weibull_min", exponential_of(words, generator, shape, dtype), power
    )
    return lax.mul(
        *operands.broadcast_arrays("random.weibull_min", lax.pow(base, power), scale)
    )


def weibull_min(
    key: ArrayLike,
    scale: ArrayLike,
    concentration: ArrayLike,
    shape: Any = (),
    dtype: Any = None,
) -> Array:
    """Numbers with Weibull's distribution.

    Args:
        key: a key.
        scale: the scale.
        concentration: the shape parameter.
        shape: the shape of the draw, with which the parameters broadcast.
        dtype: a floating-point dtype.

    Raises:
        TypeError: `key` is no key. ValueError: `dtype` is no float dtype, or shapes do
            not broadcast.
    """
    words, generator, _ = keys.taken("weibull_min", key)
    wanted = uniform_normal.float_dtype("weibull_min", dtype)
    values = operands.ensure_arraylike("random.weibull_min", scale, concentration)
    return _weibull_min(
        words, generator, uniform_normal.shape_of("weibull_min", shape), wanted, *values
    )


@sampler
def _lognormal(words, generator, shape, dtype, sigma):
    return lax.exp(
        lax.mul(
            uniform_normal.real_or_complex_normal_of(words, generator, shape, dtype),
            sigma,
        )
    )


def lognormal(
    key: ArrayLike,
    sigma: ArrayLike = 1.0,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers whose logarithms are normal with deviation `sigma`.

    Args:
        key: a key.
        sigma: the deviation of the logarithm.
        shape: the shape of the result; default: that of `sigma`.
        dtype: a floating-point or complex dtype.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return operands.placed(lognormal, out_sharding, key, sigma, shape, dtype)
    words, generator, _ = keys.taken("lognormal", key)
    wanted = uniform_normal.float_dtype("lognormal", dtype, allow_complex=True)
    sigma = operands.ensure_arraylike("random.lognormal", sigma)
    shape = uniform_normal.shape_with("lognormal", shape, sigma)
    return _lognormal(words, generator, shape, wanted, sigma)


@sampler
def _triangular(words, generator, shape, dtype, left, mode, right):
    u = uniform_normal.unit(words, generator, shape, dtype)
    width, rise, fall = lax.sub(right, left), lax.sub(mode, left), lax.sub(right, mode)
    one = constant_of(u, 1)
    rising = lax.add(left, lax.sqrt(lax.mul(lax.mul(u, width), rise)))
    falling = lax.sub(right, lax.sqrt(lax.mul(lax.mul(lax.sub(one, u), width), fall)))
    return lax.select(lax.lt(u, lax.div(rise, width)), rising, falling)


def triangular(
    key: ArrayLike,
    left: ArrayLike,
    mode: ArrayLike,
    right: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers with a density that rises from `left` to `mode` and falls to `right`.

    Args:
        key: a key.
        left: the lower end.
        mode: where the density is highest.
        right: the upper end.
        shape: the shape of the result; default: that of the parameters.
        dtype: a floating-point dtype.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.
    """
    if out_sharding is not None:
        return operands.placed(
            triangular, out_sharding, key, left, mode, right, shape, dtype
        )
    return with_parameters(
        "triangular", _triangular, key, shape, dtype, left, mode, right
    )


@sampler
def _wald(words, generator, shape, dtype, mean):
    first, second = uniform_normal.halves(words, generator)
    y = lax.square(uniform_normal.normal_of(first, generator, shape, dtype))
    z = uniform_normal.unit(second, generator, shape, dtype)
    half = constant_of(mean, 0.5)
    squared = lax.square(mean)
    root = lax.sqrt(
        lax.add(
            lax.mul(lax.mul(constant_of(y, 4), mean), y),
            lax.mul(squared, lax.square(y)),
        )
    )
    x = lax.sub(
        lax.add(mean, lax.mul(lax.mul(squared, y), half)),
        lax.mul(lax.mul(mean, half), root),
    )
    return lax.select(
        lax.le(z, lax.div(mean, lax.add(mean, x))), x, lax.div(squared, x)
    )


def wald(
    key: ArrayLike,
    mean: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers with Wald's (the inverse Gaussian) distribution of scale 1.

    Args:
        key: a key.
        mean: the mean.
        shape: the shape of the result; default: that of `mean`.
        dtype: a floating-point dtype.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.


    Reference: Michael, Schucany and Haas, Generating random variates using
    transformations with multiple roots (1976).
    """
    if out_sharding is not None:
        return operands.placed(wald, out_sharding, key, mean, shape, dtype)
    return with_parameters("wald", _wald, key, shape, dtype, mean)


# ---------------------------------------------------------------- discrete


traceback_filter.hide_frames(globals())
