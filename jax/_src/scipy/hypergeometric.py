"""Confluent and Gaussian hypergeometric functions of real numbers.

Taylor's series where it is fast and without cancellation, after the transformations of
Kummer (DLMF 13.2.39), Pfaff and Gauss (15.8.1, 15.8.4); for large arguments of the
confluent one the asymptotic series (13.7.2). Compare Pearson, Olver, Porter, Numerical
methods for the computation of the confluent and Gauss hypergeometric functions, 2017.
"""

from __future__ import annotations

import numpy as np

from jax._src.lax.ops import special as lax_special
from jax._src.numpy import lax_api as lax, numpy_api as jnp, operands
from jax._src.scipy.elementwise import BY_FORWARD_MODE, epsilon, special
from jax._src.scipy.gamma_family import is_whole_and_at_most_zero, sign_of_gamma

_MOST_TERMS = 20_000


def _series(upper, lower, x, most=_MOST_TERMS):
    """The sum of (upper)_n / (lower)_n x**n / n!, until no term matters any more."""
    small = epsilon(x)

    def go_on(state):
        count, moving, *_ = state
        return jnp.any(moving) & (count < most)

    def body(state):
        count, moving, term, total = state
        factor = x / (count + 1)
        for a in upper:
            factor = factor * (a + count)
        for b in lower:
            factor = factor / (b + count)
        term = jnp.where(moving, term * factor, 0)
        total = total + term
        # Terms of derivatives are larger by about the number of the term.
        matters = jnp.abs(term) * (count + 1) > small * jnp.abs(total)
        # Terms may grow at first, or pass a small one on the way.
        matters = matters | (jnp.abs(factor) >= 1) & (term != 0)
        return count + 1, moving & matters, term, total

    count = jnp.zeros((), operands.dtype_of(x))
    one = jnp.ones_like(x)
    return lax.while_loop(go_on, body, (count, jnp.isfinite(x), one, one))[3]


def _reciprocal_gamma(x):
    is_pole = (x <= 0) & (x == jnp.floor(x))
    safe = jnp.where(is_pole, 1, x)
    size = jnp.exp(-lax_special.lgamma(safe))
    return jnp.where(is_pole, 0, lax.stop_gradient(sign_of_gamma(safe)) * size)


def _gamma(x):
    return lax.stop_gradient(sign_of_gamma(x)) * jnp.exp(lax_special.lgamma(x))


def _asymptotic(a, b, size):
    """The sum of (a)_n (b)_n / n! size**-n, while its terms fall."""
    term, total = jnp.ones_like(size), jnp.ones_like(size)
    for n in range(30):
        factor = (a + n) * (b + n) / ((n + 1) * size)
        term = jnp.where(jnp.abs(factor) < 1, term * factor, 0)
        total = total + term
    return total


def _hyp1f1(a, b, x):
    ends = is_whole_and_at_most_zero(a)
    size = jnp.abs(x)
    is_far = (size > 100 + 2 * (1 + jnp.abs(a)) * (1 + jnp.abs(b))) & ~ends
    is_mirrored = (x < 0) & ~ends
    near = jnp.where(is_far, 0, x)
    first = jnp.where(is_mirrored, b - a, a)
    total = _series([first], [b], jnp.where(is_mirrored, -near, near))
    total = jnp.where(is_mirrored, jnp.exp(jnp.where(is_mirrored, near, 0)), 1) * total
    far = jnp.where(is_far, size, 100)
    gain = jnp.exp(jnp.where(is_far & (x > 0), x, 0) + (a - b) * jnp.log(far))
    above = _reciprocal_gamma(a) * gain * _asymptotic(b - a, 1 - a, far)
    loss = jnp.exp(-a * jnp.log(far))
    below = _reciprocal_gamma(b - a) * loss * _asymptotic(a, a - b + 1, far)
    outer = _gamma(b) * jnp.where(x > 0, above, below)
    found = jnp.where(is_far, outer, total)
    found = jnp.where((x == 0) | (a == 0), 1, found)
    is_pole = is_whole_and_at_most_zero(b) & ~(ends & (a >= b))
    return jnp.where(is_pole, np.inf, found)


def _hyp1f1_slope(a, b, x, out):
    return a / b * hyp1f1(a + 1, b + 1, x)


def _near_one(a, b, c, y):
    """2F1 at 1 - y for 0 < y < 1/2, where c - a - b is not whole."""
    gap = c - a - b
    first = _gamma(gap) * _reciprocal_gamma(c - a) * _reciprocal_gamma(c - b)
    second = _gamma(-gap) * _reciprocal_gamma(a) * _reciprocal_gamma(b)
    second = second * jnp.exp(gap * jnp.log(y))
    near = _series([a, b], [1 - gap], y)
    far = _series([c - a, c - b], [1 + gap], y)
    return _gamma(c) * (first * near + second * far)


def _at_one(a, b, c):
    gap = c - a - b
    size = _gamma(c) * _gamma(jnp.where(gap > 0, gap, 1))
    size = size * _reciprocal_gamma(c - a) * _reciprocal_gamma(c - b)
    return jnp.where(gap > 0, size, np.inf)


def _hyp2f1(a, b, c, x):
    ends = is_whole_and_at_most_zero(a) | is_whole_and_at_most_zero(b)
    is_inside = (jnp.abs(x) < 1) | (x < 0) | ends
    z = jnp.where(is_inside, x, 0)
    is_turned = (z < -0.5) & ~ends
    second = jnp.where(is_turned, c - b, b)
    argument = jnp.where(is_turned, z / jnp.where(is_turned, z - 1, 1), z)
    gap = c - a - second
    is_near_one = (argument > 0.9) & ~ends & (jnp.abs(gap - jnp.round(gap)) > 0.01)
    total = _series([a, second], [c], jnp.where(is_near_one, 0, argument))
    filled = [
        jnp.where(is_near_one, v, f) for v, f in ((a, 0.3), (second, 0.4), (c, 1))
    ]
    other = _near_one(*filled, jnp.where(is_near_one, 1 - argument, 0.25))
    total = jnp.where(is_near_one, other, total)
    total = total * jnp.where(is_turned, (1 - jnp.where(is_turned, z, 0)) ** -a, 1)
    found = jnp.where(is_inside, total, np.inf)
    found = jnp.where((x == 1) & ~ends, _at_one(a, b, c), found)
    # With c among a and b one binomial is left, which is known beyond 1 too.
    binomial = jnp.where(c == b, a, b)
    is_beyond = (
        (x > 1) & ((c == a) | (c == b)) & (jnp.round(binomial) == binomial) & ~ends
    )
    power = (1 - jnp.where(is_beyond, x, 0)) ** -jnp.where(is_beyond, binomial, 1)
    found = jnp.where(is_beyond, power, found)
    found = jnp.where((x == 0) | (a == 0) | (b == 0), 1, found)
    is_pole = is_whole_and_at_most_zero(c) & ~ends
    return jnp.where(is_pole, np.inf, found)


def _hyp2f1_slope(a, b, c, x, out):
    return a * b / c * hyp2f1(a + 1, b + 1, c + 1, x)


hyp1f1 = special(
    "hyp1f1",
    "a b x",
    _hyp1f1,
    [BY_FORWARD_MODE, BY_FORWARD_MODE, _hyp1f1_slope],
    doc="The confluent hypergeometric function 1F1(a; b; x).",
)
hyp2f1 = special(
    "hyp2f1",
    "a b c x",
    _hyp2f1,
    [BY_FORWARD_MODE, BY_FORWARD_MODE, BY_FORWARD_MODE, _hyp2f1_slope],
    doc="Gauss' hypergeometric function 2F1(a, b; c; x); infinity for x > 1.",
)
