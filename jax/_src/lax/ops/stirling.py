"""Differences of logarithms of the gamma function, without cancellation.

References: DLMF 5.11.1; DiDonato, Morris, Algorithm 708, 1992.
"""

import functools
import math

import numpy as np

from jax._src.lax.ops.arithmetic import add, div, max, min, mul, neg, sub
from jax._src.lax.ops.bitwise import bitwise_and
from jax._src.lax.ops.comparison import ge, gt, lt
from jax._src.lax.ops.creation import full_like, scalar_like
from jax._src.lax.ops.exponential import log, log1p
from jax._src.lax.ops.rounding import abs
from jax._src.lax.ops.selection import select
from jax._src.lax.ops.special import digamma, lgamma

# The terms B_2k / (2k (2k - 1)) of x**(1 - 2k), with Bernoulli's numbers.
_TERMS = (
    1 / 12,
    -1 / 360,
    1 / 1260,
    -1 / 1680,
    1 / 1188,
    -691 / 360360,
    1 / 156,
    -3617 / 122400,
)


# More of them, for smaller numbers: B_2k for k = 9 ... 14.
_MORE_TERMS = (
    43867 / 798 / (18 * 17),
    -174611 / 330 / (20 * 19),
    854513 / 138 / (22 * 21),
    -236364091 / 2730 / (24 * 23),
    8553103 / 6 / (26 * 25),
    -23749461029 / 870 / (28 * 27),
)


def stirling_rest(x):
    """log gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2), for x of 10 or more."""
    return _odd_powers_of_inverse(x, _TERMS)


def long_stirling_rest(x):
    """Returns the values of `stirling_rest` for x of 7 or more."""
    return _odd_powers_of_inverse(x, (*_TERMS, *_MORE_TERMS))


def _odd_powers_of_inverse(x, terms):
    inverse = div(full_like(x, 1), x)
    square = mul(inverse, inverse)
    total = full_like(x, 0)
    for term in terms[::-1]:
        total = add(mul(total, square), full_like(x, term))
    return mul(total, inverse)


def log_beta(a, b):
    """The logarithm of the absolute value of the beta function."""
    small, large = min(a, b), max(a, b)
    plain = sub(add(lgamma(a), lgamma(b)), lgamma(add(a, b)))
    ten = scalar_like(a, 10)
    use = bitwise_and(ge(large, ten), ge(add(small, large), ten))
    use = bitwise_and(use, lt(large, scalar_like(a, np.inf)))
    x, y = select(use, small, full_like(a, 1)), select(use, large, full_like(a, 10))
    both = add(x, y)
    rest = sub(stirling_rest(y), stirling_rest(both))
    power = mul(sub(both, scalar_like(a, 0.5)), log1p(div(x, y)))
    ratio = add(sub(sub(rest, power), mul(x, log(y))), x)
    found = select(use, add(lgamma(x), ratio), plain)
    tiny = bitwise_and(gt(small, full_like(a, 0)), lt(small, scalar_like(a, 0.5)))
    tiny = bitwise_and(tiny, lt(large, scalar_like(a, np.inf)))
    x, y = (select(tiny, v, full_like(v, 0.25)) for v in (small, large))
    near = sub(log_gamma_1p(x), add(log(x), log_gamma_step(y, x)))
    return select(tiny, near, found)


# 1/3, 1/5, …: with r = x / (2 + x), log(1 + x) - x is 2 r**3 (1/3 + r**2/5 + …) - r x.
_ODD = [1 / (2 * k + 3) for k in range(20)]


def log1p_excess(x):
    """log(1 + x) - x, to the last digits also where the two cancel."""
    is_near = lt(abs(x), scalar_like(x, 0.6))
    near = select(is_near, x, full_like(x, 0))
    r = div(near, add(near, scalar_like(x, 2)))
    square = mul(r, r)
    cubic = mul(mul(r, square), scalar_like(x, 2))
    series = sub(mul(cubic, _horner(square, _ODD)), mul(r, near))
    far = select(is_near, full_like(x, 1), x)
    return select(is_near, series, sub(log1p(far), far))


def _horner(x, coefficients):
    """A polynomial of `x`, the lowest coefficient first."""
    total = full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        total = add(mul(total, x), scalar_like(x, c))
    return total


def _zeta_minus_one(k: int) -> float:
    """Riemann's zeta function less 1: some terms, and Euler and Maclaurin's rest."""
    top = 100.0
    rest = [top ** (1 - k) / (k - 1), top**-k / 2, k * top ** (-k - 1) / 12]
    rest.append(-k * (k + 1) * (k + 2) * top ** (-k - 3) / 720)
    return math.fsum([n**-k for n in map(float, range(2, 100))] + rest)


@functools.cache
def _zetas_minus_one() -> list[float]:
    """zeta(k) - 1 for k from 2 on, as many as the series below takes."""
    return [_zeta_minus_one(k) for k in range(2, 34)]


def log_gamma_1p(a):
    """log gamma(1 + a) for a from -1/2 on, with small relative error near 0 and 1."""
    one, half = full_like(a, 1), scalar_like(a, 0.5)
    is_first, is_near = lt(a, half), lt(a, scalar_like(a, 1.5))
    distance = select(is_first, a, select(is_near, sub(a, one), full_like(a, 0)))
    signed = [
        c / k * (1 if k % 2 == 0 else -1) for k, c in enumerate(_zetas_minus_one(), 2)
    ]
    # log gamma(2 + d), which is that of 1 + d and log(1 + d).
    series = mul(mul(distance, distance), _horner(distance, signed))
    series = add(series, mul(distance, scalar_like(a, 1 - np.euler_gamma)))
    step = log1p(select(is_first, a, full_like(a, 0)))
    far = select(is_near, one, a)
    return select(is_near, sub(series, step), lgamma(add(far, one)))


def _log_excess(ratio, distance):
    """log(ratio) - distance, where the ratio is 1 + `distance`."""
    is_near = lt(abs(distance), scalar_like(distance, 0.6))
    near = log1p_excess(select(is_near, distance, full_like(distance, 0)))
    far = select(is_near, full_like(ratio, 2), ratio)
    return select(is_near, near, sub(log(far), distance))


def log_gamma_front(a, x):
    """The logarithm of x**a exp(-x) / gamma(1 + a), for positive arguments."""
    use = ge(a, scalar_like(a, 10))
    small = select(use, full_like(a, 1), a)
    plain = sub(sub(mul(small, log(x)), x), log_gamma_1p(small))
    large = select(use, a, full_like(a, 10))
    excess = _log_excess(div(x, large), div(sub(x, large), large))
    near = sub(mul(large, excess), stirling_rest(large))
    half = scalar_like(a, 0.5)
    near = sub(near, mul(half, log(mul(large, scalar_like(a, 2 * math.pi)))))
    return select(use, near, plain)


# Of polynomials of degree 9 the mean over an interval is exact.
_GAUSS = (
    (-0.906179845938664, 0.23692688505618928),
    (-0.5384693101056831, 0.4786286704993663),
    (0.0, 0.5688888888888887),
    (0.5384693101056831, 0.4786286704993663),
    (0.906179845938664, 0.23692688505618928),
)


def _short_step(slope, z, m):
    """Where `m` is small, and there the integral of `slope` from z to z + m."""
    tiny = lt(m, scalar_like(m, 0.05))
    small = select(tiny, m, full_like(m, 0))
    mean = full_like(m, 0)
    for node, weight in _GAUSS:
        at = add(z, mul(small, scalar_like(m, (node + 1) / 2)))
        mean = add(mean, mul(slope(at), scalar_like(m, weight / 2)))
    return tiny, mul(m, mean)


def log_gamma_step(z, m):
    """log(gamma(z + m) / gamma(z)) for z > 0 and m >= 0, of small relative error in m."""
    one, ten = full_like(z, 1), full_like(z, 10)
    is_large = ge(z, ten)
    # Below 10, one step up first, so that digamma's pole at 0 is far.
    up = select(is_large, z, add(z, one))
    tiny, by_slope = _short_step(digamma, up, m)
    plain = sub(lgamma(add(up, m)), lgamma(up))
    # Where z is 10 or more, the difference of two of Stirling's series.
    large = select(is_large, z, ten)
    ratio = div(m, large)
    half = scalar_like(m, 0.5)
    far = add(mul(m, log(large)), mul(large, log1p_excess(ratio)))
    far = add(far, mul(sub(m, half), log1p(ratio)))
    far = add(far, sub(stirling_rest(add(large, m)), stirling_rest(large)))
    found = select(tiny, by_slope, select(is_large, far, plain))
    safe = select(is_large, one, z)
    return select(is_large, found, sub(found, log1p(div(m, safe))))


def _trigamma(z):
    """The derivative of digamma, for z > 0: ten terms, and Euler and Maclaurin's rest."""
    total = full_like(z, 0)
    for k in range(10):
        step = div(full_like(z, 1), add(z, scalar_like(z, float(k))))
        total = add(total, mul(step, step))
    inverse = div(full_like(z, 1), add(z, scalar_like(z, 10.0)))
    square = mul(inverse, inverse)
    # The Bernoulli numbers B_2, B_4, ….
    rest = _horner(
        square, (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
    )
    rest = add(mul(mul(rest, square), inverse), mul(square, scalar_like(z, 0.5)))
    return add(total, add(rest, inverse))


def digamma_step(z, m):
    """digamma(z + m) - digamma(z) for z > 0 and m >= 0, of small relative error in m."""
    ten, one = full_like(z, 10), full_like(z, 1)
    is_large = ge(z, ten)
    # Below 10, one step up first, so that digamma's pole at 0 is far.
    up = select(is_large, z, add(z, one))
    tiny, by_slope = _short_step(_trigamma, up, m)
    plain = sub(digamma(add(up, m)), digamma(up))
    low = select(is_large, z, ten)
    top = add(low, m)
    half = scalar_like(z, 0.5)
    far = add(log1p(div(m, low)), mul(half, div(div(m, low), top)))
    inverse, other = div(one, low), div(one, top)
    far = add(far, sub(_digamma_rest(inverse), _digamma_rest(other)))
    found = select(tiny, by_slope, select(is_large, far, plain))
    safe = select(is_large, one, z)
    return select(is_large, found, add(found, div(div(m, safe), add(safe, m))))


def _digamma_rest(inverse):
    """log(z) - 1 / (2 z) - digamma(z), of 1/z."""
    square = mul(inverse, inverse)
    series = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
    return mul(_horner(square, series), square)


def log_beta_density(a, b, x, y):
    """The logarithm of x**a y**b / beta(a, b), for 0 < x < 1 and y = 1 - x."""
    log_x, log_y = _log_of_part(x, y), _log_of_part(y, x)
    plain = sub(add(mul(a, log_x), mul(b, log_y)), log_beta(a, b))
    use = ge(min(a, b), scalar_like(a, 10))
    p, q = (select(use, v, full_like(v, 10)) for v in (a, b))
    both = add(p, q)
    # The densities' peak is at p / both: what is linear around it cancels exactly.
    away = sub(mul(x, q), mul(y, p))
    near = add(
        mul(p, _log_excess(mul(x, div(both, p)), div(away, p))),
        mul(q, _log_excess(mul(y, div(both, q)), div(neg(away), q))),
    )
    rests = sub(add(stirling_rest(p), stirling_rest(q)), stirling_rest(both))
    scale = mul(div(p, both), mul(q, scalar_like(a, 1 / (2 * math.pi))))
    near = add(sub(near, rests), mul(scalar_like(a, 0.5), log(scale)))
    return select(use, near, plain)


def _log_of_part(x, y):
    """log(x), where x + y is 1 and both are as exact as their type allows."""
    half = scalar_like(x, 0.5)
    is_large = lt(y, half)
    return select(is_large, log1p(neg(y)), log(x))
