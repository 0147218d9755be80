"""Special functions that are integrals of elementary ones.

Near 0 by series, otherwise by auxiliary functions that vary slowly; both are sums of
Chebyshev polynomials, whose coefficients are in `special_tables`. References: Shepherd,
Laframboise, Chebyshev approximation of (1 + 2x) exp(x²) erfc x, 1981; DLMF 6, 7 and 25.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jax._src.base import releases
from jax._src.lax.ops import special as lax_special
from jax._src.numpy import lax_api as lax, numpy_api as jnp, operands
from jax._src.scipy import special_tables as tables
from jax._src.scipy.elementwise import clenshaw, inside, special
from jax._src.scipy.faddeeva import wofz

Array = Any

_ROOT_PI = math.sqrt(math.pi)


def erfcx_of(x: Array) -> Array:
    """exp(x²) erfc(x) on real arrays of full precision."""
    size = inside(jnp.abs(x), 0, 1e10)
    scaled = clenshaw((size - 3.75) / (size + 3.75), tables.ERFCX) / (1 + 2 * size)
    far = jnp.maximum(jnp.abs(x), 1e10)
    scaled = jnp.where(jnp.abs(x) > 1e10, (1 / _ROOT_PI) / far, scaled)
    return jnp.where(x < 0, 2 * jnp.exp(lax.square(x)) - scaled, scaled) + 0 * _nan(x)


def _nan(x):
    """NaN where `x` is, and else 0."""
    return jnp.where(jnp.isnan(x), x, 0)


def _dawson(x):
    size = jnp.abs(x)
    near = size * clenshaw(
        2 * lax.square(inside(size, 0, 3) / 3) - 1, tables.DAWSON_NEAR
    )
    middle = clenshaw((2 * inside(size, 3, 6) - 9) / 3, tables.DAWSON_MIDDLE)
    outer = jnp.maximum(size, 6)
    far = clenshaw(2 * lax.square(6 / outer) - 1, tables.DAWSON_FAR)
    quotient = jnp.where(size <= 6, middle, far) / jnp.maximum(size, 3)
    return jnp.where(jnp.signbit(x), -1, 1) * jnp.where(size <= 3, near, quotient)


def _entire(z, table, low, high):
    """Ein(z) = the integral of (1 - exp(-t)) / t from 0 to z."""
    z = inside(z, low, high)
    return z * clenshaw((2 * z - low - high) / (high - low), table)


def exp1_of(x: Array) -> Array:
    """E1 of positive numbers; NaN for negative ones."""
    small = inside(x, 0, 1)
    near = _entire(small, tables.EIN_ABOVE, 0, 1) - np.euler_gamma - jnp.log(small)
    middle = clenshaw((2 * inside(x, 1, 4) - 5) / 3, tables.EXP1_MIDDLE)
    far = clenshaw(8 / jnp.maximum(x, 4) - 1, tables.EXP1_FAR)
    size = jnp.maximum(x, 1)
    outer = jnp.where(x <= 4, middle, far) * jnp.exp(-size) / size
    return jnp.where(x < 0, np.nan, jnp.where(x <= 1, near, outer)) + _nan(x)


def _expi_of_positive(x):
    small = inside(x, 0, 4)
    near = np.euler_gamma + jnp.log(small) - _entire(-small, tables.EIN_BELOW, -4, 0)
    low = clenshaw((inside(x, 4, 10) - 7) / 3, tables.EXPI_LOW)
    high = clenshaw((2 * inside(x, 10, 25) - 35) / 15, tables.EXPI_HIGH)
    far = clenshaw(50 / jnp.maximum(x, 25) - 1, tables.EXPI_FAR)
    factor = jnp.where(x <= 10, low, jnp.where(x <= 25, high, far))
    size = jnp.maximum(x, 4)
    # Half of the exponential at a time: it overflows before the quotient does.
    half = jnp.exp(size / 2)
    outer = factor / size * half * half
    return jnp.where(x <= 4, near, jnp.where(jnp.isinf(x), np.inf, outer))


def _expi(x):
    below = -exp1_of(jnp.where(x < 0, -x, 1))
    return jnp.where(x < 0, below, _expi_of_positive(jnp.where(x < 0, 1, x)))


def _sine_and_cosine_integrals(x):
    size = jnp.abs(x)
    small = inside(size, 0, 4)
    t = lax.square(small) / 8 - 1
    sine = small * clenshaw(t, tables.SINE_NEAR)
    cosine = np.euler_gamma + jnp.log(small)
    cosine = cosine - lax.square(small) * clenshaw(t, tables.COSINE_NEAR)
    outer = jnp.maximum(size, 4)
    t = 2 * lax.square(4 / outer) - 1
    f = clenshaw(t, tables.SINE_FAR) / outer
    g = clenshaw(t, tables.COSINE_FAR) / outer / outer
    finite = jnp.where(jnp.isinf(outer), 0, outer)
    sin, cos = jnp.sin(finite), jnp.cos(finite)
    sine = jnp.where(size <= 4, sine, math.pi / 2 - f * cos - g * sin)
    cosine = jnp.where(size <= 4, cosine, f * sin - g * cos)
    return jnp.where(x < 0, -sine, sine), jnp.where(x == -np.inf, np.nan, cosine)


def _fresnel(x):
    size = jnp.abs(x)
    small = inside(size, 0, 1.6)
    t = 2 * lax.square(lax.square(small / 1.6)) - 1
    sine = lax.square(small) * small * clenshaw(t, tables.FRESNEL_SINE_NEAR)
    cosine = small * clenshaw(t, tables.FRESNEL_COSINE_NEAR)
    outer = jnp.maximum(size, 1.6)
    inverse = 1 / outer
    t = 2 * lax.square(lax.square(1.6 * inverse)) - 1
    f = clenshaw(t, tables.FRESNEL_F_FAR) * inverse
    g = clenshaw(t, tables.FRESNEL_G_FAR) * inverse * inverse * inverse
    sin, cos = _turns(jnp.where(jnp.isinf(outer), 0, outer))
    sine = jnp.where(size <= 1.6, sine, 0.5 - f * cos - g * sin)
    cosine = jnp.where(size <= 1.6, cosine, 0.5 + f * sin - g * cos)
    return jnp.where(x < 0, -sine, sine), jnp.where(x < 0, -cosine, cosine)


def _turns(x):
    """Sine and cosine of pi x² / 2, with the whole turns taken away before rounding."""
    # x = whole + rest with whole an even number: whole² / 2 is even, and drops out
    # of the angle in half turns, as do multiples of 2 in whole * rest.
    whole = 2 * jnp.round(x / 2)
    rest = x - whole
    product = whole * rest
    product = product - 2 * jnp.round(product / 2)
    angle = math.pi * (product + lax.square(rest) / 2)
    return jnp.sin(angle), jnp.cos(angle)


def _spence(x):
    # By reflections to [1/2, 3/2], DLMF 25.12.
    is_small, is_large = x < 0.5, x > 1.5
    inverse = 1 / jnp.maximum(x, 1)
    middle = jnp.where(is_small, 1 - x, jnp.where(is_large, inverse, x))
    is_reflected = middle < 0.5
    near = jnp.where(is_reflected, 1 - middle, middle)
    near = inside(near, 0.5, 1.5)
    value = (1 - near) * clenshaw(2 * near - 2, tables.SPENCE)
    safe = jnp.where((middle > 0) & (middle < 1), middle, 0.5)
    crossed = jnp.log(safe) * lax.log1p(-safe)
    turned = math.pi**2 / 6 - crossed - value
    at_zero = jnp.where(middle <= 0, math.pi**2 / 6, turned)
    value = jnp.where(is_reflected, at_zero, value)
    safe = jnp.where((x > 0) & is_small, x, 0.5)
    small = math.pi**2 / 6 - jnp.log(safe) * lax.log1p(-safe) - value
    small = jnp.where(x == 0, math.pi**2 / 6, small)
    large = -lax.square(jnp.log(jnp.maximum(x, 1))) / 2 - value
    found = jnp.where(is_small, small, jnp.where(is_large, large, value))
    return jnp.where((x < 0) | (x == np.inf), np.nan, found) + _nan(x)


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


def _owens_t_inside(h, a):
    """T(h, a) for h >= 0 and 0 <= a <= 1, by Gauss' quadrature of its definition."""
    # Beyond 9 / h the integrand is below every precision.
    end = jnp.minimum(a, 9 / jnp.maximum(h, 1))
    total = jnp.zeros_like(h)
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        x = end * float((node + 1) / 2)
        term = jnp.exp(-lax.square(h * x) / 2) / (1 + lax.square(x))
        total = total + float(weight / 2) * term
    return total * end * jnp.exp(-lax.square(h) / 2) / (2 * math.pi)


def _owens_t(h, a):
    size, slope = jnp.abs(h), jnp.abs(a)
    finite = jnp.where(jnp.isinf(size), 0, size)
    is_steep = slope > 1
    inner = jnp.where(is_steep, 1 / jnp.where(is_steep, slope, 1), slope)
    far = jnp.where(is_steep & (size > 0), jnp.where(is_steep, slope, 1) * size, 0)
    height = jnp.where(is_steep, jnp.where(jnp.isinf(far), 0, far), finite)
    found = _owens_t_inside(height, inner)
    found = jnp.where(is_steep & jnp.isinf(far), 0, found)
    above, beyond = (lax.erfc(v / math.sqrt(2)) / 2 for v in (size, far))
    turned = (above + beyond) / 2 - above * beyond - found
    result = jnp.where(is_steep, turned, found)
    result = jnp.where(jnp.isinf(size), 0, result)
    return jnp.where(a < 0, -1, 1) * result + _nan(h) + _nan(a)


def _owens_t_slope_in_h(h, a, out):
    bell = jnp.exp(-lax.square(h) / 2) / math.sqrt(2 * math.pi)
    return -bell * lax.erf(a * h / math.sqrt(2)) / 2


def _owens_t_slope_in_a(h, a, out):
    spread = 1 + lax.square(a)
    return jnp.exp(-lax.square(h) * spread / 2) / (2 * math.pi * spread)


def _fresnel_slopes(x, out):
    return _turns(x)


def _erfcx_slope(x, out):
    # The terms cancel for large x: there by the asymptotic series, DLMF 7.12.1.
    is_far = x > 8
    half = 0.5 / jnp.where(is_far, x, 8) / jnp.where(is_far, x, 8)
    total = jnp.zeros_like(x)
    for n in range(20, 0, -1):
        total = -(2 * n - 1) * half * (1 + total)
    near = 2 * jnp.where(is_far, 0, x) * out - 2 / _ROOT_PI
    return jnp.where(is_far, 2 / _ROOT_PI * total, near)


def _dawson_slope(x, out):
    # As that of erfcx.
    is_far = jnp.abs(x) > 8
    half = 0.5 / jnp.where(is_far, x, 8) / jnp.where(is_far, x, 8)
    total = jnp.zeros_like(x)
    for n in range(20, 0, -1):
        total = (2 * n - 1) * half * (1 + total)
    return jnp.where(is_far, -total, 1 - 2 * jnp.where(is_far, 0, x) * out)


erfcx = special(
    "erfcx",
    "x",
    erfcx_of,
    [_erfcx_slope],
    on_complex=lambda z: operands.convert(wofz(1j * z), operands.dtype_of(z)),
    doc="exp(x²) erfc(x), without overflow for large x.",
)
dawsn = special(
    "dawsn",
    "x",
    _dawson,
    [_dawson_slope],
    doc="Dawson's integral: exp(-x²) times the integral of exp(t²) from 0 to x.",
)
exp1 = special(
    "exp1",
    "x",
    exp1_of,
    [lambda x, out: jnp.where(x < 0, np.nan, -jnp.exp(-x) / x)],
    doc="The exponential integral E1: the integral of exp(-t) / t from x on.\n\n"
    "NaN for negative numbers.",
)
expi = special(
    "expi",
    "x",
    _expi,
    [lambda x, out: jnp.exp(x) / x],
    doc="The exponential integral Ei: the principal value of the integral of exp(t) / t\n"
    "up to x.",
)


def _sici_slopes(x, out):
    is_near = jnp.abs(x) < 1
    near = jnp.sinc(jnp.where(is_near, x, 0) / math.pi)
    far = jnp.where(is_near, 1, x)
    slopes = jnp.where(is_near, near, jnp.sin(far) / far), jnp.cos(x) / x
    at_infinity = releases.rule("slope_of_sici_at_infinity")
    return tuple(jnp.where(jnp.isinf(x), at_infinity, slope) for slope in slopes)


sici = special(
    "sici",
    "x",
    _sine_and_cosine_integrals,
    [_sici_slopes],
    doc="The sine and cosine integrals Si and Ci, a tuple.",
)
fresnel = special(
    "fresnel",
    "x",
    _fresnel,
    [_fresnel_slopes],
    doc="The Fresnel integrals S and C of sin(pi t² / 2) and cos(pi t² / 2), a tuple.",
)


def _spence_slope(x, out):
    is_one = x == 1
    safe = jnp.where(is_one, 2, x)
    return jnp.where(is_one, -1, jnp.log(safe) / (1 - safe))


spence = special(
    "spence",
    "x",
    _spence,
    [_spence_slope],
    doc="Spence's function: the integral of log(t) / (1 - t) from 1 to x.\n\n"
    "NaN for negative numbers and infinity.",
)
owens_t = special(
    "owens_t",
    "h a",
    _owens_t,
    [_owens_t_slope_in_h, _owens_t_slope_in_a],
    doc="Owen's T function: the probability of X > h and 0 < Y < a X for independent\n"
    "normal X and Y.\n\nReference: Owen, Tables for computing bivariate normal "
    "probabilities, 1956.",
)


def _expn_series(n, x):
    """The series of E_n for 0 < x <= 1, where all terms with logarithms meet at n - 1."""
    total, power = jnp.zeros_like(x), jnp.ones_like(x)
    top = jnp.maximum(n, 1)
    for m in range(24):
        gap = m - (top - 1)
        is_log = gap == 0
        log_term = -jnp.log(x) + lax_special.digamma(top)
        term = jnp.where(is_log, log_term, -1 / jnp.where(is_log, 1, gap))
        total = total + power * term
        power = power * (-x) / (m + 1)
    return total


def _expn_fraction(n, x):
    """exp(x) E_n(x) for x >= 1, by its continued fraction from the far end (DLMF 8.19.17)."""
    terms = 90.0

    def go_on(state):
        return state[0] > 0

    def step(state):
        k, tail = state
        return k - 1, k * (n + k - 1) / (x + n + 2 * k - tail)

    first = jnp.full((), terms, operands.dtype_of(x))
    _, tail = lax.while_loop(go_on, step, (first, jnp.zeros_like(x)))
    return 1 / (x + n - tail)


def expn_of(n: Array, x: Array) -> Array:
    """E_n(x) on floats of full precision; NaN unless n is whole and x not negative."""
    small = jnp.where((x > 0) & (x <= 1), x, 1)
    large = jnp.where((x > 1) & (x < np.inf), x, 2)
    series = _expn_series(n, small)
    fraction = jnp.exp(-large) * _expn_fraction(n, large)
    found = jnp.where(x <= 1, series, fraction)
    found = jnp.where(x == np.inf, 0, found)
    at_zero = jnp.where(n > 1, 1 / jnp.where(n > 1, n - 1, 1), np.inf)
    found = jnp.where(x == 0, at_zero, found)
    safe = jnp.where(x == 0, 1, x)
    order_0 = jnp.where(x == 0, np.inf, jnp.exp(-x) / safe)
    found = jnp.where(n == 0, order_0, found)
    is_wrong = (n < 0) | (n != jnp.floor(n)) | (x < 0)
    return jnp.where(is_wrong, np.nan, found) + _nan(x) + _nan(n)


def _no_slope(n, x, out):
    return jnp.zeros_like(x)


def _expn_slope(n, x, out):
    return -jnp.where(n == 0, out + out / x, expn(jnp.maximum(n - 1, 0), x))


expn = special(
    "expn",
    "n x",
    expn_of,
    [_no_slope, _expn_slope],
    doc="The exponential integral of order n: the integral of exp(-x t) / t**n from 1 on.\n\n"
    "The order is a whole number, and no derivative is taken in it.",
)
