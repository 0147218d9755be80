"""Bessel functions of whole order."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.lax.ops import bessel
from jax._src.numpy import lax_api as lax, numpy_api as jnp, operands
from jax._src.scipy.elementwise import in_double_precision, in_wide_precision, special

Array = Any
ArrayLike = Any

# From here on a slope is the value times the first terms of its quotient by the value:
# the terms of the formula cancel (DLMF 10.40.1).
_SLOPE_BY_SERIES = 1e6


def _i0e_slope(x, out):
    size = jnp.abs(x)
    far = jnp.maximum(size, _SLOPE_BY_SERIES)
    series = -out / (2 * far) * (1 + 0.25 / far)
    near = bessel.bessel_i1e(size) - out
    found = jnp.where(size > _SLOPE_BY_SERIES, series, near)
    # 0 at 0, between the slopes of its two sides.
    return jnp.sign(x) * found


def _i1e_slope(x, out):
    size, value = jnp.abs(x), jnp.abs(out)
    far = jnp.maximum(size, _SLOPE_BY_SERIES)
    series = -value / (2 * far) * (1 - 0.75 / far)
    is_zero = size < 1e-100
    quotient = jnp.where(is_zero, 0.5, value / jnp.where(is_zero, 1, size))
    near = bessel.bessel_i0e(size) - value - quotient
    return jnp.where(size > _SLOPE_BY_SERIES, series, near)


i0e = special(
    "i0e",
    "x",
    bessel.bessel_i0e,
    [_i0e_slope],
    narrow=lambda x: bessel.bessel_i0e(x),
    doc="exp(-|x|) i0(x).",
)
i1e = special(
    "i1e",
    "x",
    bessel.bessel_i1e,
    [_i1e_slope],
    doc="exp(-|x|) i1(x).",
)
i0 = special(
    "i0",
    "x",
    lambda x: jnp.exp(jnp.abs(x)) * bessel.bessel_i0e(x),
    [lambda x, out: i1(x)],
    doc="The modified Bessel function of the first kind and order 0.",
)


def _i1_slope(x, out):
    is_zero = x == 0
    return i0(x) - jnp.where(is_zero, 0.5, out / jnp.where(is_zero, 1, x))


i1 = special(
    "i1",
    "x",
    lambda x: jnp.exp(jnp.abs(x)) * bessel.bessel_i1e(x),
    [_i1_slope],
    doc="The modified Bessel function of the first kind and order 1.",
)

# Above this, all numbers of the recurrence are scaled down together.
_LARGE = 1e10
# From here on 16 terms of the asymptotic series are exact in double precision.
_FAR = 30


def _orders(z, v: int, n_iter: int) -> Array:
    """J_0 … J_v of any real numbers: downwards in order, and upwards where that is stable."""
    far = max(_FAR, v)
    size = jnp.abs(z)
    is_far = size > far
    start = far + 20 + math.ceil(6 * far ** (1 / 3))
    near = _downwards(jnp.where(is_far, far, z), v, max(n_iter, start))
    beyond = _upwards(jnp.where(is_far, size, far + 1), v)
    odd = np.arange(v + 1).reshape(-1, *[1] * jnp.ndim(z)) % 2 == 1
    beyond = jnp.where(odd & (z < 0)[None], -beyond, beyond)
    return jnp.where(is_far[None], beyond, near)


def _upwards(z, v: int) -> Array:
    """J_0 … J_v of numbers beyond all orders (DLMF 10.17.3 for two, then 10.6.1)."""
    cosine, sine = jnp.cos(z), jnp.sin(z)
    # Cosine and sine of z - pi / 4, whose quarter turn is taken for order 1.
    first, second = cosine + sine, sine - cosine
    kept = [
        _asymptotic(z, 0, first, second),
        _asymptotic(z, 1, second, -first),
    ]
    for order in range(1, v):
        kept.append(2 * order / z * kept[-1] - kept[-2])
    found = jnp.stack(kept[: v + 1])
    return jnp.where(jnp.isinf(z)[None], 0, found)


def _asymptotic(z, order: int, cosine, sine) -> Array:
    """The asymptotic series, by the square root of 2 times cosine and sine of the phase."""
    sums, term = [1.0, 0.0], 1.0
    for k in range(1, 17):
        term = term * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k * z)
        sums[k % 2] = sums[k % 2] + (term if k % 4 < 2 else -term)
    return (cosine * sums[0] - sine * sums[1]) / jnp.sqrt(np.pi * z)


def _downwards(z, v: int, n_iter: int) -> Array:
    """J_0 … J_v by Miller's recurrence from order `n_iter` down (DLMF 10.74.iv)."""
    is_small = jnp.abs(z) < 1e-3
    safe = jnp.where(is_small, 1, z)
    above, here = jnp.zeros_like(z), jnp.full_like(z, 1e-20)
    total, kept = jnp.zeros_like(z), []
    for order in range(n_iter, 0, -1):
        above, here = here, 2 * order / safe * here - above
        scale = jnp.where(jnp.abs(here) > _LARGE, 1 / _LARGE, 1)
        above, here, total = above * scale, here * scale, total * scale
        kept = [k * scale for k in kept]
        # `here` has order - 1; 1 = J_0 + 2 J_2 + 2 J_4 + ….
        if order % 2 and order > 1:
            total = total + 2 * here
        if order - 1 <= v:
            kept.append(here)
    values = jnp.stack(kept[::-1]) / (total + here)[None]
    half, power, near = jnp.where(is_small, z, 0) / 2, jnp.ones_like(z), []
    square = lax.square(half)
    for order in range(v + 1):
        # Three terms of the series: slopes of the recurrence cancel near 0.
        after = 1 - square / (2 * (order + 2))
        near.append(power * (1 - square / (order + 1) * after))
        power = power * half / (order + 1)
    return jnp.where(is_small[None], jnp.stack(near), values)


def bessel_jn(z: ArrayLike, *, v: int, n_iter: int = 50) -> Array:
    """The Bessel functions of the first kind of the orders 0 … v.

    Args:
        z: array of real numbers.
        v: the largest order, a known whole number.
        n_iter: the order at which the downward recurrence starts at least, larger than
            `v`. It starts higher where `v` asks for it; large numbers in `z` do not need it.

    Returns:
        Array of shape ``(v + 1, *z.shape)``.

    Raises:
        TypeError: `z` is complex, or `v` no known whole number.
        ValueError: `v` is negative, or not below `n_iter`.
    """
    name = "jax.scipy.special.bessel_jn"
    (z,) = operands.promote_args_inexact(name, z)
    v, n_iter = operator.index(v), operator.index(n_iter)
    if operands.kind_of(z) == "c":
        raise operands.type_error(
            name,
            "complex numbers are not supported.",
            [("z", operands.type_name(z))],
            "This function takes real numbers.",
        )
    if not 0 <= v < n_iter:
        raise operands.value_error(
            name,
            "the order does not fit.",
            [("v", str(v)), ("n_iter", str(n_iter))],
            "It is at least 0, and below the start of the recurrence.",
        )
    z = lax.convert(z, operands.dtype_of(z))
    compute = in_double_precision(lambda x: _orders(x, v, n_iter))
    return in_wide_precision(compute, z)


traceback_filter.hide_frames(globals())
