"""Chi-squared, Student's t and F numbers, which are made of normal and gamma numbers."""

from typing import Any

from jax._src.base import traceback_filter
from jax._src.numpy import elementwise, lax_api as lax, operands
from jax._src.random import approximate, samplers, uniform_normal
from jax._src.random.gamma import gamma_of

Array = Any
ArrayLike = Any


@samplers.sampler
def _chisquare(words, generator, shape, dtype, df):
    return lax.exp(gamma_of(words, generator, shape, dtype, True, df / 2)) * 2


@samplers.sampler
def _approximate(words, generator, shape, dtype, df):
    return (
        lax.exp(approximate.gamma_of(words, generator, shape, dtype, True, df / 2)) * 2
    )


def chisquare(
    key: ArrayLike,
    df: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    method: str = "exact",
    out_sharding: Any = None,
) -> Array:
    """Numbers with the chi-square distribution.

    Args:
        key: a key.
        df: the degrees of freedom.
        shape: the shape of the result; default: that of `df`.
        dtype: a floating-point dtype.
        method: ``"exact"``, or ``"approximate"``: without rejection, with small errors.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return operands.placed(
            chisquare, out_sharding, key, df, shape, dtype, method=method
        )
    is_approximate = approximate.is_approximate("chisquare", method)
    draw = _approximate if is_approximate else _chisquare
    return samplers.with_parameters("chisquare", draw, key, shape, dtype, df)


@samplers.sampler
def _f(words, generator, shape, dtype, dfnum, dfden):
    below, above = uniform_normal.halves(words, generator)
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
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return operands.placed(f, out_sharding, key, dfnum, dfden, shape, dtype)
    return samplers.with_parameters("f", _f, key, shape, dtype, dfnum, dfden)


@samplers.sampler
def _t(words, generator, shape, dtype, df):
    for_normal, for_gamma = uniform_normal.halves(words, generator)
    half = df / 2
    drawn = gamma_of(for_gamma, generator, shape, dtype, False, half)
    return uniform_normal.normal_of(
        for_normal, generator, shape, dtype
    ) * elementwise.sqrt(half / drawn)


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
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return operands.placed(t, out_sharding, key, df, shape, dtype)
    return samplers.with_parameters("t", _t, key, shape, dtype, df)


traceback_filter.hide_frames(globals())
