"""Samplers that transform uniform or normal numbers."""

from __future__ import annotations

import functools as ft
import math
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core.symbols import expressions
from jax._src.numpy import (
    lax_api as lax,
    operands as op,
    reshaping,
    selecting,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.random import basic, keys as rk, truncated

Array = Any
ArrayLike = Any


def sampler(transform):
    """Compiles a function of (words, generator, shape, dtype, *parameters).

    The program brings the parameters, arrays or numbers, to the dtype and the shape.
    """

    @ft.wraps(transform)
    def sample(words, generator, shape, dtype, *parameters):
        values = [op.broadcast_to(op.convert(p, dtype), shape) for p in parameters]
        return transform(words, generator, shape, dtype, *values)

    return jit(sample, static_argnums=(1, 2, 3))


def _plain(name, transform, doc):
    """A sampler without parameters."""
    run = sampler(transform)

    def sample(key, shape=(), dtype=None, *, out_sharding=None):
        if out_sharding is not None:
            return op.placed(sample, out_sharding, key, shape, dtype)
        words, generator, _ = rk.taken(name, key)
        wanted = basic.float_dtype(name, dtype)
        return run(words, generator, basic.shape_of(name, shape), wanted)

    sample.__name__ = sample.__qualname__ = name
    sample.__doc__ = (
        f"{doc}\n\nArgs:\n    key: a key.\n    shape: the shape of the result.\n"
        "    dtype: a floating-point dtype.\n    out_sharding: where the result lies, over Explicit mesh axes.\n\n"
        "Raises:\n    TypeError: `key` is no key, or a size is negative.\n"
        "    ValueError: `dtype` is no float dtype, or there are several keys.\n"
    )
    return sample


def with_parameters(name, transform, key, shape, dtype, *parameters, safe=True):
    """Draws with parameters that broadcast to the shape.

    With `safe`, parameters of a wider dtype than the result are refused.
    """
    words, generator, _ = rk.taken(name, key)
    wanted = basic.float_dtype(name, dtype)
    parameters = [op.ensure_arraylike(f"random.{name}", p) for p in parameters]
    shape = basic.shape_with(name, shape, *parameters)
    for p in parameters:
        if safe and not dtypes.safe_to_cast(p, wanted) and op.kind_of(p) in "fc":
            raise dtypes.TypePromotionError(
                rk.explain(
                    name,
                    f"cannot safely cast a parameter to dtype {wanted}.",
                    [("parameter", op.type_name(p))],
                    ways="Ask for a wider dtype=, or convert the parameter.",
                )
            )
    return transform(words, generator, shape, wanted, *parameters)


def _constant(x, value):
    return lax.full_like(x, np.asarray(value, op.dtype_of(x))[()])


def exponential_of(words, generator, shape, dtype) -> Array:
    """Exponential numbers, from the words of a key."""
    return lax.neg(lax.log1p(lax.neg(basic.unit(words, generator, shape, dtype))))


def _cauchy(words, generator, shape, dtype):
    eps = np.asarray(dtypes.finfo(dtype).eps, dtype)[()]
    u = basic.uniform_of(words, generator, shape, dtype, eps, np.asarray(1, dtype)[()])
    return lax.tan(lax.mul(_constant(u, np.pi), lax.sub(u, _constant(u, 0.5))))


def _laplace(words, generator, shape, dtype):
    low = np.asarray(-1.0 + dtypes.finfo(dtype).epsneg, dtype)[()]
    u = basic.uniform_of(words, generator, shape, dtype, low, np.asarray(1, dtype)[()])
    return lax.mul(lax.sign(u), lax.log1p(lax.neg(lax.abs(u))))


def _logistic(words, generator, shape, dtype):
    tiny = np.asarray(dtypes.finfo(dtype).smallest_normal, dtype)[()]
    u = basic.uniform_of(words, generator, shape, dtype, tiny, np.asarray(1, dtype)[()])
    u = basic.above_zero(u)
    return lax.sub(lax.log(u), lax.log1p(lax.neg(u)))


def _maxwell(words, generator, shape, dtype):
    z = basic.normal_of(words, generator, (*shape, 3), dtype)
    return lax.sqrt(lax.reduce_sum(lax.square(z), (len(shape),)))


exponential = _plain("exponential", exponential_of, "Exponential numbers of mean 1.")
cauchy = _plain("cauchy", _cauchy, "Numbers with Cauchy's distribution.")
laplace = _plain("laplace", _laplace, "Numbers with Laplace's distribution.")
logistic = _plain("logistic", _logistic, "Numbers with the logistic distribution.")
maxwell = _plain("maxwell", _maxwell, "Numbers with Maxwell's distribution.")


@ft.partial(jit, static_argnums=(1, 2, 3, 4))
def _gumbel(words, generator, shape, dtype, mode):
    return basic.gumbel_of(words, generator, shape, dtype, mode)


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
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a size is negative. ValueError: `dtype` is no
            float dtype, or `mode` is unknown.

    """
    if out_sharding is not None:
        return op.placed(gumbel, out_sharding, key, shape, dtype, mode)
    words, generator, _ = rk.taken("gumbel", key)
    wanted = basic.float_dtype("gumbel", dtype)
    return _gumbel(
        words,
        generator,
        basic.shape_of("gumbel", shape),
        wanted,
        basic.gumbel_mode(mode),
    )


@sampler
def _truncated_normal(words, generator, shape, dtype, lower, upper):
    x = truncated.truncated_normal_of(words, generator, shape, dtype, lower, upper)
    # The bounds themselves would have probability zero.
    inside = (
        lax.nextafter(lax.stop_gradient(lower), _constant(lower, np.inf)),
        lax.nextafter(lax.stop_gradient(upper), _constant(upper, -np.inf)),
    )
    return lax.min(lax.max(x, inside[0]), inside[1])


def truncated_normal(
    key: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Normal numbers between bounds.

    Args:
        key: a key.
        lower: the lower bound.
        upper: the upper bound.
        shape: the shape of the result; default: that of the bounds.
        dtype: a floating-point dtype.
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return op.placed(
            truncated_normal, out_sharding, key, lower, upper, shape, dtype
        )
    words, generator, _ = rk.taken("truncated_normal", key)
    wanted = basic.float_dtype("truncated_normal", dtype)
    bounds = op.ensure_arraylike("random.truncated_normal", lower, upper)
    shape = basic.shape_with("truncated_normal", shape, *bounds)
    return _truncated_normal(words, generator, shape, wanted, *bounds)


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
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return op.placed(pareto, out_sharding, key, b, shape, dtype)
    return with_parameters("pareto", _pareto, key, shape, dtype, b)


@sampler
def _rayleigh(words, generator, shape, dtype, scale):
    u = basic.above_zero(basic.unit(words, generator, shape, dtype))
    return lax.mul(scale, lax.sqrt(lax.mul(lax.log(u), _constant(u, -2))))


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
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return op.placed(rayleigh, out_sharding, key, scale, shape, dtype)
    return with_parameters("rayleigh", _rayleigh, key, shape, dtype, scale)


@ft.partial(jit, static_argnums=(1, 2, 3))
def _weibull_min(words, generator, shape, dtype, scale, concentration):
    scale, concentration = (op.convert(p, dtype) for p in (scale, concentration))
    power = lax.div(_constant(concentration, 1), concentration)
    base, power = op.broadcast_arrays(
        "random.weibull_min", exponential_of(words, generator, shape, dtype), power
    )
    return lax.mul(
        *op.broadcast_arrays("random.weibull_min", lax.pow(base, power), scale)
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
    words, generator, _ = rk.taken("weibull_min", key)
    wanted = basic.float_dtype("weibull_min", dtype)
    values = op.ensure_arraylike("random.weibull_min", scale, concentration)
    return _weibull_min(
        words, generator, basic.shape_of("weibull_min", shape), wanted, *values
    )


@sampler
def _lognormal(words, generator, shape, dtype, sigma):
    return lax.exp(
        lax.mul(basic.real_or_complex_normal_of(words, generator, shape, dtype), sigma)
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
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return op.placed(lognormal, out_sharding, key, sigma, shape, dtype)
    words, generator, _ = rk.taken("lognormal", key)
    wanted = basic.float_dtype("lognormal", dtype, allow_complex=True)
    sigma = op.ensure_arraylike("random.lognormal", sigma)
    shape = basic.shape_with("lognormal", shape, sigma)
    return _lognormal(words, generator, shape, wanted, sigma)


@sampler
def _triangular(words, generator, shape, dtype, left, mode, right):
    u = basic.unit(words, generator, shape, dtype)
    width, rise, fall = lax.sub(right, left), lax.sub(mode, left), lax.sub(right, mode)
    one = _constant(u, 1)
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
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.
    """
    if out_sharding is not None:
        return op.placed(triangular, out_sharding, key, left, mode, right, shape, dtype)
    return with_parameters(
        "triangular", _triangular, key, shape, dtype, left, mode, right
    )


@sampler
def _wald(words, generator, shape, dtype, mean):
    first, second = basic.halves(words, generator)
    y = lax.square(basic.normal_of(first, generator, shape, dtype))
    z = basic.unit(second, generator, shape, dtype)
    half = _constant(mean, 0.5)
    squared = lax.square(mean)
    root = lax.sqrt(
        lax.add(
            lax.mul(lax.mul(_constant(y, 4), mean), y), lax.mul(squared, lax.square(y))
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
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.


    Reference: Michael, Schucany and Haas, Generating random variates using
    transformations with multiple roots (1976).
    """
    if out_sharding is not None:
        return op.placed(wald, out_sharding, key, mean, shape, dtype)
    return with_parameters("wald", _wald, key, shape, dtype, mean)


# ---------------------------------------------------------------- discrete


@ft.partial(jit, static_argnums=(1, 2, 4))
def _bernoulli(words, generator, shape, p, mode):
    dtype = op.dtype_of(p)
    p = op.broadcast_to(op.strong(p), shape)
    if mode == "low":
        return lax.lt(basic.unit(words, generator, shape, dtype), p)
    pair = basic.unit(words, generator, (2, *shape), dtype)
    coarse, fine = (lax.index_in_dim(pair, i, 0, keepdims=False) for i in range(2))
    step = _constant(fine, 2.0 ** -dtypes.finfo(dtype).nmant)
    return lax.lt(lax.mul(fine, step), lax.sub(p, coarse))


def bernoulli(
    key: ArrayLike,
    p: ArrayLike = 0.5,
    shape: Any = None,
    mode: str = "low",
    *,
    out_sharding: Any = None,
) -> Array:
    """Booleans that are true with probability `p`.

    Args:
        key: a key.
        p: the probability.
        shape: the shape of the result; default: that of `p`.
        mode: ``"low"``, or ``"high"`` for more exact small probabilities.
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `p` is no float. ValueError: `mode` is unknown.


    Examples:
        >>> jax.random.bernoulli(jax.random.key(0), 1.0, (3,))
        Array([ True,  True,  True], dtype=bool)
    """
    if out_sharding is not None:
        return op.placed(bernoulli, out_sharding, key, p, shape, mode)
    if mode not in ("low", "high"):
        raise ValueError(
            rk.explain("bernoulli", f"mode={mode!r} is neither 'low' nor 'high'.")
        )
    words, generator, _ = rk.taken("bernoulli", key)
    p = op.ensure_arraylike("random.bernoulli", p)
    dtype = dtypes.canonicalize_dtype(op.dtype_of(p))
    if op.kind(dtype) != "f":
        raise TypeError(
            rk.explain(
                "bernoulli", "the probability is no float.", [("p", op.type_name(p))]
            )
        )
    shape = basic.shape_with("bernoulli", shape, p)
    return _bernoulli(words, generator, shape, p, mode)


def rademacher(
    key: ArrayLike,
    shape: Any = (),
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers that are 1 or -1 with equal probability.

    Args:
        key: a key.
        shape: the shape of the result.
        dtype: the dtype of the result, an integer by default.
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a size is negative.

    """
    if out_sharding is not None:
        return op.placed(rademacher, out_sharding, key, shape, dtype)
    wanted = dtypes.check_and_canonicalize_user_dtype(
        int if dtype is None else dtype, "rademacher"
    )
    words, generator, _ = rk.taken("rademacher", key)
    return _rademacher(words, generator, basic.shape_of("rademacher", shape), wanted)


@ft.partial(jit, static_argnums=(1, 2, 3))
def _rademacher(words, generator, shape, dtype):
    half = dtypes.default_float_dtype().type(0.5)
    coins = _bernoulli(words, generator, shape, half, "low")
    numbers = op.convert(coins, np.int32)
    signs = lax.sub(lax.mul(numbers, _constant(numbers, 2)), _constant(numbers, 1))
    return op.convert(signs, dtype)


def categorical(
    key: ArrayLike,
    logits: ArrayLike,
    axis: int = -1,
    shape: Any = None,
    replace: bool = True,
    mode: str | None = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Categories with probabilities proportional to exp(logits).

    Args:
        key: a key.
        logits: logarithms of probabilities, up to a constant.
        axis: the axis of categories.
        shape: the shape of the result, which ends in that of `logits` without the axis.
        replace: whether one can be drawn more than once.
        mode: see `gumbel`.
        out_sharding: where the result lies, over Explicit mesh axes.

    Returns:
        Array of places, integers of the default dtype.

    Raises:
        TypeError: `key` is no key, or `logits` no array. ValueError: `logits` is not of
            floats, the axis is out of bounds, shapes do not broadcast, or there are too
            few categories without replacement.


    Reference: the Gumbel-max trick; without replacement, Gumbel top-k (Kool, van Hoof
    and Welling 2019).

    Examples:
        >>> logits = jnp.log(jnp.array([0.0, 1.0, 0.0]))
        >>> jax.random.categorical(jax.random.key(0), logits, shape=(3,))
        Array([1, 1, 1], dtype=int32)
    """
    if out_sharding is not None:
        return op.placed(
            categorical, out_sharding, key, logits, axis, shape, replace, mode
        )
    words, generator, _ = rk.taken("categorical", key)
    logits = op.ensure_arraylike("random.categorical", logits)
    axis = op.canonical_axis("random.categorical", axis, op.ndim(logits))
    from_end = axis - op.ndim(logits)
    batch = tuple(n for i, n in enumerate(op.shape(logits)) if i != axis)
    shape = batch if shape is None else basic.shape_of("categorical", shape)
    if shape[len(shape) - len(batch) :] != tuple(
        expressions.broadcast_shapes(shape[len(shape) - len(batch) :], batch)
    ):
        raise ValueError(
            rk.explain(
                "categorical",
                "the shape does not end in that of the logits.",
                [
                    ("shape", str(shape)),
                    ("logits", op.type_name(logits)),
                    ("axis", str(axis)),
                ],
            )
        )
    dtype = basic.float_dtype("gumbel", op.dtype_of(logits))
    prefix = shape[: len(shape) - len(batch)]
    mode = basic.gumbel_mode(mode)
    if replace:
        trailing = list(shape[len(prefix) :])
        trailing.insert(len(trailing) + 1 + from_end, op.shape(logits)[axis])
        full = (*prefix, *trailing)
        noise = _gumbel(words, generator, full, dtype, mode)
        scores = lax.add(noise, op.broadcast_to(logits, full))
        return lax.argmax(scores, len(full) + from_end, dtypes.default_int_dtype())
    count = math.prod(prefix)
    if count > op.shape(logits)[axis]:
        raise ValueError(
            rk.explain(
                "categorical",
                "more draws than categories, without replacement.",
                [("draws", str(count)), ("categories", str(op.shape(logits)[axis]))],
            )
        )
    scores = lax.add(_gumbel(words, generator, op.shape(logits), dtype, mode), logits)
    chosen = reshaping.moveaxis(basic.top_indices(scores, count, axis), axis, 0)
    return lax.reshape(op.convert(chosen, np.int32), shape)


def geometric(
    key: ArrayLike,
    p: ArrayLike,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """The number of trials up to the first success of probability `p`.

    Args:
        key: a key.
        p: the probability of success.
        shape: the shape of the result; default: that of `p`.
        dtype: an integer dtype.
        out_sharding: where the result lies, over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key. ValueError: `dtype` is no integer dtype, or shapes
            do not broadcast.

    """
    if out_sharding is not None:
        return op.placed(geometric, out_sharding, key, p, shape, dtype)
    words, generator, _ = rk.taken("geometric", key)
    wanted = dtypes.check_and_canonicalize_user_dtype(
        int if dtype is None else dtype, "geometric"
    )
    if op.kind(wanted) not in "iu":
        raise ValueError(
            rk.explain(
                "geometric",
                f"dtype argument to `geometric` must be an int dtype, got {dtype}.",
            )
        )
    p = op.ensure_arraylike("random.geometric", p)
    shape = basic.shape_with("geometric", shape, p)
    return _geometric(words, generator, shape, p, wanted)


@ft.partial(jit, static_argnums=(1, 2, 4))
def _geometric(words, generator, shape, p, dtype):
    (p,) = op.promote_dtypes_inexact(p)
    p = op.broadcast_to(op.strong(p), shape)
    u = basic.unit(words, generator, shape, op.dtype_of(p))
    u = selecting.where(lax.eq(u, _constant(u, 0)), _constant(u, 1), u)
    ratio = lax.div(lax.log(u), lax.log1p(lax.neg(p)))
    return op.convert(lax.add(lax.floor(ratio), _constant(ratio, 1)), dtype)


traceback_filter.hide_frames(globals())
