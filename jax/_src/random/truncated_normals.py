"""Normal numbers between bounds, far in the tails too.

Between moderate bounds a sample is the inverse error function of a uniform number. Near 1
and -1 such numbers are too few, and none is beyond. There the logarithm of the tail's
probability is inverted instead: with Q the probability above x, a sample of the interval
from a to b at the uniform t has log Q(x) = log Q(a) + log(1 - t (1 - Q(b) / Q(a))), and what
is below 0 is mirrored.

References: Abramowitz, Stegun, Handbook of mathematical functions, 1964, 26.2.23 (the first
guess, which Newton's method makes exact) and 26.2.14 (the continued fraction of Q).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.lax.control_flow import conditionals
from jax._src.numpy import lax_api as lax, numpy_api as jnp, operands as operands_lib
from jax._src.random import keys, uniform_normal
from jax._src.random.samplers import sampler

Array = Any
ArrayLike = Any

# Up to this size of the uniform number between -1 and 1, its steps are fine enough.
_MODERATE = 0.96
_FAR, _FRACTION_TERMS = 4.0, 40


def constant_of(x, value):
    return lax.full_like(x, np.asarray(value, operands_lib.dtype_of(x))[()])


def _mills(x):
    """Q(x) over the density, for x of 4 or more."""
    total = x
    for n in range(_FRACTION_TERMS, 0, -1):
        total = x + n / total
    return 1 / total


def _log_tail(x):
    """log Q(x)."""
    is_far = x > _FAR
    near, far = jnp.where(is_far, 0, x), jnp.where(is_far & (x < np.inf), x, _FAR)
    by_erfc = jnp.log(lax.erfc(near * math.sqrt(0.5)) / 2)
    by_fraction = jnp.log(_mills(far)) - math.log(2 * math.pi) / 2
    by_fraction = by_fraction - lax.square(jnp.where(is_far, x, 0)) / 2
    return jnp.where(is_far, by_fraction, by_erfc)


def _tail_over_density(x):
    is_far = x > _FAR
    near = jnp.where(is_far, 0, x)
    bell = jnp.exp(-lax.square(near) / 2) / math.sqrt(2 * math.pi)
    return jnp.where(
        is_far, _mills(jnp.maximum(x, _FAR)), lax.erfc(near * math.sqrt(0.5)) / 2 / bell
    )


def _inverse_of_log_tail(level):
    """x with log Q(x) = `level`, for levels up to log(1/4)."""
    root = jnp.sqrt(-2 * lax.stop_gradient(level))
    above = (0.010328 * root + 0.802853) * root + 2.515517
    below = ((0.001308 * root + 0.189269) * root + 1.432788) * root + 1
    x = root - above / below
    for _ in range(3):
        x = lax.stop_gradient(x)
        x = x + (_log_tail(x) - level) * lax.stop_gradient(_tail_over_density(x))
    return x


def _above(t, a, b):
    """The sample of the interval from a to b, at t between 0 and 1, where it is positive."""
    low, high = _log_tail(a), _log_tail(b)
    # The probability above a bound that is infinite has the logarithm minus infinity.
    share = -lax.expm1(jnp.where(jnp.isinf(b), -np.inf, high) - low)
    level = low + lax.log1p(-t * share)
    return _inverse_of_log_tail(jnp.minimum(level, -math.log(4)))


def _moderate(t, a, b, u):
    del t, a, b
    return constant_of(u, math.sqrt(2)) * lax.erf_inv(u)


def _with_tails(t, a, b, u):
    # At 0 stands for what is below half of a step.
    half_step = float(dtypes.finfo(operands_lib.dtype_of(t)).eps) / 2
    t = jnp.maximum(t, half_step)
    is_right = u > 0
    left, right = jnp.where(is_right, a, -b), jnp.where(is_right, b, -a)
    size = _above(jnp.where(is_right, t, 1 - t), left, right)
    tail = jnp.where(is_right, size, -size)
    is_moderate = jnp.abs(u) < 0.7
    middle = _moderate(t, a, b, jnp.where(is_moderate, u, 0))
    return jnp.where(is_moderate, middle, tail)


def truncated_normal_of(words, generator, shape, dtype, lower, upper) -> Array:
    """Normal numbers between bounds of that dtype and shape, from the words of a key."""
    t = uniform_normal.unit(words, generator, shape, dtype)
    wide = np.dtype(np.float32) if np.dtype(dtype).itemsize < 4 else np.dtype(dtype)
    own_root = constant_of(lower, math.sqrt(2))
    first, last = (lax.erf(lax.div(bound, own_root)) for bound in (lower, upper))
    u = lax.max(first, lax.add(lax.mul(t, lax.sub(last, first)), first))
    operands = [lax.convert(v, wide) for v in (t, lower, upper, u)]
    is_far = jnp.any(~(jnp.abs(u) <= _MODERATE))
    found = conditionals.cond(is_far, _with_tails, _moderate, *operands)
    return lax.convert(found, dtype)


@sampler
def _truncated_normal(words, generator, shape, dtype, lower, upper):
    x = truncated_normal_of(words, generator, shape, dtype, lower, upper)
    # The bounds themselves would have probability zero.
    inside = (
        lax.nextafter(lax.stop_gradient(lower), constant_of(lower, np.inf)),
        lax.nextafter(lax.stop_gradient(upper), constant_of(upper, -np.inf)),
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
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: `key` is no key, or a parameter no number. ValueError: `dtype` is no
            float dtype, or shapes do not broadcast.

    """
    if out_sharding is not None:
        return operands_lib.placed(
            truncated_normal, out_sharding, key, lower, upper, shape, dtype
        )
    words, generator, _ = keys.taken("truncated_normal", key)
    wanted = uniform_normal.float_dtype("truncated_normal", dtype)
    bounds = operands_lib.ensure_arraylike("random.truncated_normal", lower, upper)
    shape = uniform_normal.shape_with("truncated_normal", shape, *bounds)
    return _truncated_normal(words, generator, shape, wanted, *bounds)


traceback_filter.hide_frames(globals())
