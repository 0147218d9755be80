"""The incomplete gamma functions by their uniform asymptotic expansion.

With ``eta**2 / 2 = x/a - 1 - log(x/a)``, eta of the sign of ``x - a``, and
``Q(a, x) = erfc(eta sqrt(a/2)) / 2 + exp(-a eta**2 / 2) S(a, eta) / sqrt(2 pi a)``, S is a
power series in eta whose coefficients follow from each other by a recurrence in 1/a.

References: Temme, The asymptotic expansion of the incomplete gamma functions, SIAM J.
Math. Anal. 10, 1979; Temme, On the computation of the incomplete gamma functions for large
values of the parameters, 1987, section 3; DLMF 8.12. The number of terms and the bounds of
the region are our own: against exact values the series of doubles is within 4e-16.
"""

from __future__ import annotations

import math

from jax._src.lax.ops.arithmetic import add, div, mul, neg, sub
from jax._src.lax.ops.bitwise import bitwise_and
from jax._src.lax.ops.comparison import eq, ge, le, lt
from jax._src.lax.ops.creation import full_like, scalar_like
from jax._src.lax.ops.exponential import exp, log1p, sqrt
from jax._src.lax.ops.selection import select
from jax._src.lax.ops.special import erfc
from jax._src.lax.ops.stirling import log1p_excess, stirling_rest

LEAST_PARAMETER = 20.0
_LEAST_RATIO, _LARGEST_RATIO = 0.25, 2.5
_TERMS = 40

# Of eta**(n - 1) in ``1/mu`` with mu = x/a - 1, the first of the pole 1/eta (DLMF 8.12.11 to
# 8.12.14): mu as a power series in eta follows from eta (1 + mu) = mu dmu/deta. They are
# written out because fractions at every start would cost more than all of this module.
_SERIES = [
    1.0,
    -0.3333333333333333,
    0.08333333333333333,
    -0.014814814814814815,
    0.0011574074074074073,
    0.0003527336860670194,
    -0.0001787551440329218,
    3.919263178522438e-05,
    -2.185448510679992e-06,
    -1.85406221071516e-06,
    8.296711340953087e-07,
    -1.7665952736826078e-07,
    6.707853543401498e-09,
    1.0261809784240309e-08,
    -4.382036018453353e-09,
    9.14769958223679e-10,
    -2.5514193994946248e-11,
    -5.830772132550426e-11,
    2.4361948020667415e-11,
    -5.0276692801141755e-12,
    1.1004392031956135e-13,
    3.371763262400985e-13,
    -1.392388722418162e-13,
    2.8534893807047445e-14,
    -5.139111834242572e-16,
    -1.9752288294349442e-15,
    8.099521156704561e-16,
    -1.6522531216398162e-16,
    2.5305430097478883e-18,
    1.1686939738559576e-17,
    -4.770037049820485e-18,
    9.699126059056237e-19,
    -1.2932565538038175e-20,
    -6.969230253185693e-20,
    2.835145432176937e-20,
    -5.7509821590070474e-21,
    6.792953783488915e-23,
    4.182125426111336e-22,
    -1.6971539620047604e-22,
    3.43621593839432e-23,
    -3.643995779628021e-25,
    -2.522535663578434e-24,
]


def is_uniform(a, x):
    """Whether the expansion holds: a large, and x of its size."""
    ratio = div(x, a)
    near = bitwise_and(
        ge(ratio, scalar_like(x, _LEAST_RATIO)),
        le(ratio, scalar_like(x, _LARGEST_RATIO)),
    )
    return bitwise_and(ge(a, scalar_like(a, LEAST_PARAMETER)), near)


def _variables(a, x):
    """mu = x/a - 1, eta**2 / 2, and eta."""
    mu = div(sub(x, a), a)
    half_square = neg(log1p_excess(mu))
    size = sqrt(mul(half_square, scalar_like(x, 2)))
    return mu, half_square, select(lt(mu, scalar_like(x, 0)), neg(size), size)


def _rest(a, eta):
    """S and its derivatives in 1/a and in eta."""
    inverse = div(full_like(a, 1), a)
    zero = full_like(a, 0)
    terms = {_TERMS + 1: (zero, zero), _TERMS: (full_like(a, _SERIES[-2]), zero)}
    terms[_TERMS + 1] = (full_like(a, _SERIES[-1]), zero)
    for m in range(_TERMS, 0, -1):
        above, d_above = terms[m + 1]
        factor = scalar_like(a, m + 1.0)
        value = add(scalar_like(a, _SERIES[m]), mul(mul(above, inverse), factor))
        slope = mul(add(mul(d_above, inverse), above), factor)
        terms[m - 1] = (value, slope)
    total, d_total, by_eta = zero, zero, zero
    for m in range(_TERMS, -1, -1):
        value, slope = terms[m]
        by_eta = add(mul(by_eta, eta), total)
        total = add(mul(total, eta), value)
        d_total = add(mul(d_total, eta), slope)
    first, d_first = terms[1]
    below = add(full_like(a, 1), mul(first, inverse))
    d_below = add(first, mul(d_first, inverse))
    total = div(total, below)
    d_total = div(sub(d_total, mul(total, d_below)), below)
    return total, d_total, div(by_eta, below)


def lower_and_upper(a, x):
    """Both functions, where `is_uniform` holds."""
    _, half_square, eta = _variables(a, x)
    rest, _, _ = _rest(a, eta)
    exponent = mul(a, half_square)
    bell = div(exp(neg(exponent)), sqrt(mul(a, scalar_like(a, 2 * math.pi))))
    correction = mul(bell, rest)
    tail = mul(erfc(sqrt(exponent)), scalar_like(a, 0.5))
    is_below = lt(eta, scalar_like(eta, 0))
    tail = select(is_below, sub(tail, correction), add(tail, correction))
    other = sub(full_like(tail, 1), tail)
    return select(is_below, tail, other), select(is_below, other, tail)


def slope_in_a(a, x):
    """The lower function's derivative in a, divided by x times that in x."""
    mu, _, eta = _variables(a, x)
    rest, d_rest, by_eta = _rest(a, eta)
    inverse = div(full_like(a, 1), a)
    logarithm = log1p(mu)
    at_mean = eq(eta, scalar_like(eta, 0))
    safe = select(at_mean, full_like(eta, 1), eta)
    one = full_like(eta, 1)
    # Both quotients are 1 at x = a.
    log_quotient = select(at_mean, one, div(logarithm, safe))
    quotient = select(at_mean, one, div(mu, safe))
    change = mul(rest, sub(logarithm, mul(inverse, scalar_like(a, 0.5))))
    change = sub(change, mul(mul(d_rest, inverse), inverse))
    change = sub(change, mul(mul(by_eta, quotient), inverse))
    return mul(mul(neg(add(log_quotient, change)), exp(stirling_rest(a))), inverse)
