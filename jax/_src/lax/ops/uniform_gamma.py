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

import fractions
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


def _coefficients(count: int) -> list[float]:
    """Returns the coefficients of eta**n in ``1/mu - 1/eta`` with mu = x/a - 1 (DLMF 8.12.11 to 8.12.14)."""
    # mu as a power series in eta, from eta (1 + mu) = mu dmu/deta.
    alpha = [fractions.Fraction(0), fractions.Fraction(1)]
    for n in range(2, count + 2):
        crossed = sum(alpha[i] * (n + 1 - i) * alpha[n + 1 - i] for i in range(2, n))
        alpha.append((alpha[n - 1] - crossed) / (n + 1))
    found = [(n + 2) * alpha[n + 2] for n in range(count)]
    # The first one lacks what belongs to the pole.
    return [float(found[0] - 1), *map(float, found[1:])]


# The first stands for the coefficient of 1/eta.
_SERIES = [1.0, *_coefficients(_TERMS + 1)]


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
