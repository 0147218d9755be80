"""The incomplete beta function by fraction, series and quadrature.

References: DiDonato, Morris, Algorithm 708: Significant digit computation of the incomplete
beta function ratios, TOMS 18, 1992 (the fraction, equation 9, and how the tails are chosen);
DLMF 8.17. Where both parameters are large the tail is integrated, over the interval in which
the density falls by exp(-42), by the double exponential rule of Takahasi, Mori, Double
exponential formulas for numerical integration, 1974.
"""

from __future__ import annotations

import math

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.primitive import Unsupported
from jax._src.lax.control_flow.while_loops import while_flat
from jax._src.lax.ops.arithmetic import add, div, min, mul, neg, sub
from jax._src.lax.ops.bitwise import bitwise_and, bitwise_or
from jax._src.lax.ops.comparison import eq, ge, gt, lt, ne
from jax._src.lax.ops.creation import full_like, scalar_like
from jax._src.lax.ops.exponential import exp, expm1, log, log1p, sqrt
from jax._src.lax.ops.incomplete import incomplete_function, until_converged
from jax._src.lax.ops.rounding import abs
from jax._src.lax.ops.selection import select, where
from jax._src.lax.ops.stirling import (
    log1p_excess,
    log_beta,
    log_beta_density,
    log_gamma_1p,
    log_gamma_step,
)
from jax._src.lax.ops.wider import in_double_precision

# From these parameters on the fraction takes more terms than the quadrature has nodes.
_LEAST_LARGE = 3000.0
_FALL = 42.0
# The rule's nodes are at these distances, up to these ends: 1e-16 of such integrals.
_STEP, _END = 0.08, 3.2


def _c(x, value):
    return scalar_like(x, value)


def _fraction(a, b, x, y, active):
    """The continued fraction, for x up to about the mean; y is 1 - x."""
    small, one, tiny = _c(x, 2.0**-52), full_like(x, 1), _c(x, 1e-300)
    away = sub(mul(a, y), mul(b, x))

    def guard(value):
        return where(lt(abs(value), tiny), full_like(value, 1e-300), value)

    def step(n, state):
        c, d, h = state
        twice = add(a, mul(n, _c(x, 2)))
        before = sub(twice, one)
        # In this order, so that a tiny parameter is not lost beside n.
        past = sub(n, one)
        left = mul(div(add(a, past), before), div(add(add(a, b), past), before))
        crossed = mul(mul(n, sub(b, n)), x)
        upper = mul(mul(left, crossed), x)
        inner = add(add(away, one), mul(n, add(one, y)))
        lower = add(n, div(crossed, before))
        lower = add(lower, mul(div(add(a, n), add(twice, one)), inner))
        d = div(one, guard(add(lower, mul(upper, d))))
        c = guard(add(lower, div(upper, c)))
        factor = mul(c, d)
        return [c, d, mul(h, factor)], gt(abs(sub(factor, one)), small)

    first = guard(mul(div(a, add(a, one)), add(away, one)))
    found = until_converged(step, [first, full_like(x, 0), first], active)
    return div(one, found[2])


def _quadrature(a, b, x, y):
    """The integral of the density up to x, divided by x**a y**b / beta(a, b)."""
    slope = div(sub(mul(a, y), mul(b, x)), mul(x, y))
    bend = add(div(div(a, x), x), div(div(b, y), y))
    root = sqrt(add(mul(slope, slope), mul(bend, _c(x, 2 * _FALL))))
    length = div(full_like(x, 2 * _FALL), add(slope, root))
    length = min(length, x)

    def go_on(t, total):
        return lt(t, _c(t, _END + _STEP / 2))

    def body(t, total):
        part, weight = _node(t)
        step = mul(length, part)
        exponent = add(
            mul(a, log1p_excess(neg(div(step, x)))), mul(b, log1p_excess(div(step, y)))
        )
        exponent = sub(exponent, mul(slope, step))
        power = mul(sub(x, step), add(y, step))
        return [
            add(t, _c(t, _STEP)),
            add(total, mul(weight, div(exp(exponent), power))),
        ]

    start = [np.float64(-_END), full_like(x, 0)]
    return mul(while_flat(go_on, body, start)[1], length)


def _node(t):
    """A node of the rule on [0, 1], and its weight."""
    up, down = exp(t), exp(neg(t))
    one, half = _c(t, 1.0), _c(t, math.pi / 2)
    fall = exp(mul(half, sub(down, up)))
    node = div(one, add(one, fall))
    weight = mul(mul(half, add(up, down)), mul(fall, mul(node, node)))
    return node, mul(weight, _c(t, _STEP))


def _complement_near_one(a, b, x, active):
    """1 - I_x(a, b) for small a: with u = log(x**a / (a beta(a, b))) and T the sum of
    (1 - b)_n x**n / (n! (a + n)), I is exp(u) (1 + a T)."""

    def step(n, state):
        term, total = state
        term = mul(term, mul(div(sub(n, b), n), x))
        new = div(term, add(a, n))
        total = add(total, new)
        return [term, total], gt(abs(new), mul(abs(total), _c(x, 2.0**-54)))

    _, total = until_converged(step, [full_like(x, 1), full_like(x, 0)], active)
    u = sub(mul(a, log(x)), sub(log_gamma_1p(a), log_gamma_step(b, a)))
    return neg(add(expm1(u), mul(mul(a, total), exp(u))))


def _inside(a, b, x, proper):
    """I_x(a, b) for positive finite parameters and 0 < x < 1."""
    one = full_like(x, 1)
    mean = div(add(a, one), add(add(a, b), _c(x, 2)))
    # The fraction converges fast below the mean; above, exchange the tails.
    swapped = gt(x, mean)
    p, q = select(swapped, b, a), select(swapped, a, b)
    rest = sub(one, x)
    z, w = select(swapped, rest, x), select(swapped, x, rest)
    density = exp(log_beta_density(p, q, z, w))
    large = bitwise_and(proper, ge(min(a, b), _c(a, _LEAST_LARGE)))
    near_one = bitwise_and(proper, bitwise_and(swapped, lt(p, _c(p, 0.5))))
    other = bitwise_and(
        proper, eq(bitwise_or(large, near_one), full_like(large, False))
    )
    harmless = (3000.0, 3000.0, 0.5, 0.5)
    by_nodes = _quadrature(
        *(
            select(large, v, full_like(v, h))
            for v, h in zip((p, q, z, w), harmless, strict=True)
        )
    )
    tail = select(large, by_nodes, _fraction(p, q, z, w, other))
    tail = mul(density, tail)
    harmless = (0.25, 1.0, 0.25)
    near = _complement_near_one(
        *(
            select(near_one, v, full_like(v, h))
            for v, h in zip((p, q, z), harmless, strict=True)
        ),
        near_one,
    )
    found = select(swapped, sub(one, tail), tail)
    return select(near_one, near, found)


def _betainc(a, b, x):
    wrong = bitwise_or(lt(a, _c(a, 0)), lt(b, _c(b, 0)))
    wrong = bitwise_or(wrong, bitwise_or(lt(x, _c(x, 0)), gt(x, _c(x, 1))))
    for value in (a, b, x):
        wrong = bitwise_or(wrong, ne(value, value))
    # A parameter at its limit puts the whole weight at 0 or at 1.
    infinity = _c(x, np.inf)
    to_0 = bitwise_or(eq(a, _c(a, 0)), eq(b, infinity))
    to_1 = bitwise_or(eq(b, _c(b, 0)), eq(a, infinity))
    wrong = bitwise_or(wrong, bitwise_and(to_0, to_1))
    inside = bitwise_and(gt(x, _c(x, 0)), lt(x, _c(x, 1)))
    improper = bitwise_or(wrong, bitwise_or(to_0, to_1))
    proper = bitwise_and(inside, eq(improper, full_like(improper, False)))
    p, q, y = (
        where(proper, v, full_like(v, fill)) for v, fill in ((a, 1), (b, 1), (x, 0.5))
    )
    result = _inside(p, q, y, proper)
    is_all = bitwise_or(ge(x, _c(x, 1)), bitwise_and(to_0, gt(x, _c(x, 0))))
    edge = select(is_all, full_like(y, 1), full_like(y, 0))
    return select(wrong, full_like(y, np.nan), select(proper, result, edge))


def _density_of_beta(a, b, x):
    """The derivative of `betainc` in x; at 0 and 1 that of the limit."""
    proper = bitwise_and(gt(x, _c(x, 0)), lt(x, _c(x, 1)))
    for value in (a, b):
        good = bitwise_and(gt(value, _c(a, 0)), lt(value, _c(a, np.inf)))
        proper = bitwise_and(proper, good)
    p, q, z = (
        select(proper, v, full_like(v, fill)) for v, fill in ((a, 1), (b, 1), (x, 0.5))
    )
    w = sub(full_like(z, 1), z)
    found = exp(sub(log_beta_density(p, q, z, w), add(log(z), log1p(neg(z)))))
    powers = add(mul(sub(b, _c(b, 1)), log1p(neg(x))), mul(sub(a, _c(a, 1)), log(x)))
    return select(proper, found, exp(sub(powers, log_beta(a, b))))


_no_shape_slope = Unsupported(
    "Betainc gradient with respect to a and b not supported", ValueError
)
regularized_incomplete_beta_p, _beta_function = incomplete_function(
    "regularized_incomplete_beta",
    _betainc,
    "scipy.special.betainc",
    (
        _no_shape_slope,
        _no_shape_slope,
        lambda t, a, b, x: mul(t, in_double_precision(_density_of_beta)(a, b, x)),
    ),
    "The regularized incomplete beta function.",
    operands=("a", "b", "x"),
)


def betainc(a, b, x):
    """The regularized incomplete beta function.

    Args:
        a: array of floating-point dtype, positive.
        b: array of floating-point dtype, positive.
        x: array of floating-point dtype, between 0 and 1.

    Raises:
        TypeError: the operands differ in dtype or shape, or are not of floats.
    """
    return _beta_function(a, b, x)


traceback_filter.hide_frames(globals())
