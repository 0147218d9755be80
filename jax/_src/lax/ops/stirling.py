"""Differences of logarithms of the gamma function, without cancellation.

References: DLMF 5.11.1; DiDonato, Morris, Algorithm 708, 1992.
"""

import math

import numpy as np

from jax._src.lax.ops.arithmetic import add, div, max, min, mul, neg, sub
from jax._src.lax.ops.bitwise import bitwise_and
from jax._src.lax.ops.comparison import ge, lt
from jax._src.lax.ops.creation import full_like, scalar_like
from jax._src.lax.ops.exponential import log, log1p
from jax._src.lax.ops.selection import select
from jax._src.lax.ops.special import lgamma

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


def stirling_rest(x):
    """log gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2), for x of 10 or more."""
    inverse = div(full_like(x, 1), x)
    square = mul(inverse, inverse)
    total = full_like(x, 0)
    for term in _TERMS[::-1]:
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
    return select(use, add(lgamma(x), ratio), plain)


def log1p_excess(x):
    """log(1 + x) - x."""
    return sub(log1p(x), x)


def log_gamma_density(a, x):
    """The logarithm of x**a exp(-x) / gamma(a), for positive arguments."""
    plain = sub(sub(mul(a, log(x)), x), lgamma(a))
    use = ge(a, scalar_like(a, 10))
    large = select(use, a, full_like(a, 10))
    distance = div(sub(x, large), large)
    near = sub(mul(large, log1p_excess(distance)), stirling_rest(large))
    half = scalar_like(a, 0.5)
    near = add(near, mul(half, log(mul(large, scalar_like(a, 1 / (2 * math.pi))))))
    return select(use, near, plain)


def log_beta_density(a, b, x):
    """The logarithm of x**a (1 - x)**b / beta(a, b), for 0 < x < 1."""
    plain = sub(add(mul(a, log(x)), mul(b, log1p(neg(x)))), log_beta(a, b))
    use = ge(min(a, b), scalar_like(a, 10))
    p, q = (select(use, v, full_like(v, 10)) for v in (a, b))
    both = add(p, q)
    # The densities' peak is at p / both: what is linear around it cancels exactly.
    away = sub(mul(x, both), p)
    near = add(
        mul(p, log1p_excess(div(away, p))), mul(q, log1p_excess(neg(div(away, q))))
    )
    rests = sub(add(stirling_rest(p), stirling_rest(q)), stirling_rest(both))
    scale = mul(div(mul(p, q), both), scalar_like(a, 1 / (2 * math.pi)))
    near = add(sub(near, rests), mul(scalar_like(a, 0.5), log(scale)))
    return select(use, near, plain)
