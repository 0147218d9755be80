"""The gamma function and what is made of it.

References: DLMF 5 (reflection 5.5.3, Stirling's series 5.11.1), 8, 24 and 25; DiDonato,
Morris, Algorithm 708, 1992 (the logarithm of the beta function for large arguments).
"""

from __future__ import annotations

import fractions
import math
import operator
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import releases, traceback_filter
from jax._src.lax.ops import (
    incomplete,
    incomplete_beta,
    special as lax_special,
    stirling,
)
from jax._src.numpy import lax_api as lax, numpy_api as jnp, operands
from jax._src.scipy.elementwise import special

Array = Any
ArrayLike = Any

_HALF_LOG_TAU = math.log(2 * math.pi) / 2


def bernoulli_numbers(count: int) -> list[fractions.Fraction]:
    """The Bernoulli numbers B_0, B_1 = -1/2, B_2, … (DLMF 24.5.3)."""
    found: list[fractions.Fraction] = []
    for n in range(count):
        total = sum(
            (math.comb(n + 1, k) * b for k, b in enumerate(found) if b),
            fractions.Fraction(0),
        )
        found.append(-total / (n + 1) if n else fractions.Fraction(1))
    return found


lgamma = lax_special.lgamma


def sign_of_gamma(x: Array) -> Array:
    """The sign of gamma; NaN at its poles, where it is not on the side of a zero's sign."""
    is_odd = jnp.floor(x) % 2 != 0
    is_pole = (x < 0) & (x == jnp.floor(x))
    sign = jnp.where((x < 0) & is_odd, -1, jnp.where(x == 0, jnp.copysign(1, x), 1))
    sign = jnp.where(is_pole | jnp.isnan(x), np.nan, sign)
    return lax.convert(sign, operands.dtype_of(x))


_LEAST_STIRLING = 7


def _gamma_of_positive(x):
    """Two factors of gamma(x), so that neither overflows before the product, and its divisor."""
    shifted, divisor = x, jnp.ones_like(x)
    for _ in range(_LEAST_STIRLING):
        is_small = shifted < _LEAST_STIRLING
        divisor = divisor * jnp.where(is_small, shifted, 1)
        shifted = shifted + jnp.where(is_small, 1, 0)
    half = lax.pow(shifted, (shifted - 0.5) / 2)
    # Stirling's series takes more terms than for its logarithm: it starts at 7.
    rest = jnp.exp(stirling.long_stirling_rest(shifted)) * math.sqrt(2 * math.pi)
    return half * jnp.exp(-shifted), half * rest, divisor


def gamma_of(x: Array) -> Array:
    """gamma on real arrays of full precision; through its logarithm it would lose digits."""
    size = jnp.minimum(jnp.abs(x), 200)
    first, second, divisor = _gamma_of_positive(size)
    # Far below 0 by reflection: gamma(x) gamma(-x) = -pi / (x sin(pi x)).
    distance = x - jnp.round(x)
    sine = jnp.abs(jnp.sin(math.pi * distance))
    below = divisor * (math.pi / (size * jnp.where(sine == 0, 1, sine)))
    below = below / first / second
    found = jnp.where(x < 0, below, first * second / divisor)
    found = jnp.where(jnp.abs(x) < 1e-17, 1 / jnp.abs(x), found)
    found = jnp.where(x == np.inf, np.inf, found)
    return sign_of_gamma(x) * found


def _gamma_slope(x, out):
    return out * lax_special.digamma(x)


def _log_gamma_complex(z):
    """The analytic continuation of log gamma from the positive numbers."""
    imag = lax.imag(z)
    # The lower half plane mirrors the upper one, and the left half the right one.
    upper = jnp.where(jnp.signbit(imag), jnp.conj(z), z)
    is_left = lax.real(upper) < 0.5
    right = jnp.where(is_left, 1 - upper, upper)
    shifted, product = right, jnp.zeros_like(right)
    for _ in range(10):
        is_small = lax.real(shifted) < 10
        product = product + jnp.where(is_small, jnp.log(shifted), 0)
        shifted = shifted + jnp.where(is_small, 1, 0)
    value = (shifted - 0.5) * jnp.log(shifted) - shifted + _HALF_LOG_TAU
    value = value + stirling.stirling_rest(shifted) - product
    wave = jnp.exp(2j * math.pi * _fraction(upper))
    sine = jnp.log(1 - wave) - 1j * math.pi * upper + (1j * math.pi / 2 - math.log(2))
    value = jnp.where(is_left, math.log(math.pi) - sine - value, value)
    return jnp.where(jnp.signbit(imag), jnp.conj(value), value)


def _fraction(z):
    """`z` without the whole part of its real part."""
    return lax.complex(lax.real(z) - jnp.floor(lax.real(z)), lax.imag(z))


def _log_gamma_real(x):
    return jnp.where((x <= 0), np.nan, lgamma(x))


def is_whole_and_at_most_zero(x):
    return (x <= 0) & (x == jnp.floor(x))


def _reflected_beta(a, b):
    """Where beta has a value though gamma(a) or gamma(b) has none, and arguments for it.

    For whole a <= 0 and whole b with 1 <= b <= -a it is (-1)**b beta(1 - a - b, b).
    """
    low, high = jnp.minimum(a, b), jnp.maximum(a, b)
    is_finite = is_whole_and_at_most_zero(low) & (high >= 1) & (high <= -low)
    is_finite = is_finite & (high == jnp.floor(high)) & ~jnp.isinf(low)
    is_pole = (is_whole_and_at_most_zero(a) | is_whole_and_at_most_zero(b)) & ~is_finite
    # Towards minus infinity, and of an infinite operand, there is no limit.
    is_pole = is_pole & jnp.isfinite(a) & jnp.isfinite(b)
    first = jnp.where(is_finite, 1 - low - high, a)
    second = jnp.where(is_finite, high, b)
    return is_finite, is_pole, first, second


def _betaln(a, b):
    _, is_pole, first, second = _reflected_beta(a, b)
    return jnp.where(is_pole, np.inf, stirling.log_beta(first, second))


def _betaln_slope(first):
    def slope(a, b, out):
        x, both = (a if first else b), a + b
        # Between poles that cancel, by the reflection of both.
        cancels = is_whole_and_at_most_zero(x) & is_whole_and_at_most_zero(both)
        x = jnp.where(cancels, 1 - x, x)
        both = jnp.where(cancels, 1 - both, both)
        plain = lax_special.digamma(x) - lax_special.digamma(both)
        # Of positive numbers without cancellation, however far apart they are.
        is_right = (a > 0) & (b > 0)
        z, m = (jnp.where(is_right, v, 1) for v in ((a, b) if first else (b, a)))
        return jnp.where(is_right, -stirling.digamma_step(z, m), plain)

    return slope


def _beta(a, b):
    is_finite, is_pole, first, second = _reflected_beta(a, b)
    both = first + second
    sign = sign_of_gamma(first) * sign_of_gamma(second)
    is_zero = is_whole_and_at_most_zero(both)
    sign = sign * jnp.where(is_zero, 1, sign_of_gamma(jnp.where(is_zero, 1, both)))
    sign = jnp.where(is_finite & (second % 2 == 1), -sign, sign)
    return jnp.where(
        is_pole, _sign_at_poles(a, b), sign * jnp.exp(stirling.log_beta(first, second))
    )


def _sign_at_poles(a, b):
    """Infinity of the side of a signed zero; no value at other poles."""
    at_zero = (a == 0) & ~is_whole_and_at_most_zero(b)
    at_zero = jnp.where(
        (b == 0) & ~is_whole_and_at_most_zero(a), b, jnp.where(at_zero, a, np.nan)
    )
    return jnp.where(jnp.isnan(at_zero), np.nan, jnp.copysign(np.inf, at_zero))


def _beta_slope(first):
    log_slope = _betaln_slope(first)
    return lambda a, b, out: out * log_slope(a, b, out)


def _poch(z, m):
    """gamma(z + m) / gamma(z); of poles of both, the limit in z with m fixed."""
    top = z + m
    is_pole, is_top_pole = (is_whole_and_at_most_zero(v) for v in (z, top))
    # Both mirrored: gamma(1 - z) / gamma(1 - z - m), times (-1)**m.
    is_mirrored = is_pole & is_top_pole
    x = jnp.where(is_mirrored, 1 - top, jnp.where(is_pole, 1, z))
    y = jnp.where(is_mirrored, 1 - z, jnp.where(is_top_pole, 1, top))
    sign = sign_of_gamma(x) * sign_of_gamma(y)
    sign = jnp.where(is_mirrored & (m % 2 == 1), -1, sign)
    is_right = (x > 0) & (y > 0)
    low = jnp.where(is_right, jnp.minimum(x, y), 1)
    step = jnp.where(is_right, jnp.abs(m), 0)
    size = stirling.log_gamma_step(low, step)
    size = jnp.where(y >= x, size, -size)
    plain = lgamma(jnp.where(is_right, 1, y)) - lgamma(jnp.where(is_right, 1, x))
    found = sign * jnp.exp(jnp.where(is_right, size, plain))
    found = jnp.where(is_pole & ~is_top_pole, 0, found)
    found = jnp.where(is_top_pole & ~is_pole, np.inf, found)
    found = jnp.where(jnp.isnan(z) | jnp.isnan(m), np.nan, found)
    return jnp.where(m == 0, 1, found)


def _poch_slope_in_z(z, m, out):
    # As of the beta function: between poles that cancel, by reflection of both.
    top = z + m
    cancels = is_whole_and_at_most_zero(z) & is_whole_and_at_most_zero(top)
    x, y = (jnp.where(cancels, 1 - v, v) for v in (z, top))
    plain = lax_special.digamma(y) - lax_special.digamma(x)
    is_right = (z > 0) & (top > 0)
    low = jnp.where(is_right, jnp.minimum(z, top), 1)
    step = stirling.digamma_step(low, jnp.where(is_right, jnp.abs(m), 0))
    return out * jnp.where(is_right, jnp.where(m < 0, -step, step), plain)


def _poch_slope_in_m(z, m, out):
    return out * lax_special.digamma(z + m)


def _gammaln(x):
    found = lgamma(x)
    if operands.dtype_of(x) != np.float64:
        return found
    # What is small near the zeros at 1 and 2 keeps its digits.
    is_near = jnp.abs(x - 1.5) < 1
    near = stirling.log_gamma_1p(jnp.where(is_near, x - 1, 0))
    return jnp.where(is_near, near, found)


gammaln = special(
    "gammaln",
    "x",
    _gammaln,
    [lambda x, out: lax_special.digamma(x)],
    in_double=False,
    doc="The logarithm of the absolute value of the gamma function.",
)
loggamma = special(
    "loggamma",
    "x",
    _log_gamma_real,
    on_complex=_log_gamma_complex,
    in_double=False,
    doc="The logarithm of the gamma function, analytic off the negative axis.\n\n"
    "NaN for negative real numbers; complex ones give both parts.",
)
gammasgn = special(
    "gammasgn",
    "x",
    sign_of_gamma,
    [lambda x, out: jnp.zeros_like(x)],
    in_double=False,
    doc="The sign of the gamma function; NaN at its poles but 0.",
)
gamma = special(
    "gamma",
    "x",
    gamma_of,
    [_gamma_slope],
    on_complex=lambda z: jnp.exp(_log_gamma_complex(z)),
    doc="The gamma function.",
)
digamma = special(
    "digamma",
    "x",
    lax_special.digamma,
    in_double=False,
    doc="The derivative of the logarithm of the gamma function.",
)
betaln = special(
    "betaln",
    "a b",
    _betaln,
    [_betaln_slope(True), _betaln_slope(False)],
    doc="The logarithm of the absolute value of the beta function.",
)
beta = special(
    "beta",
    "a b",
    _beta,
    [_beta_slope(True), _beta_slope(False)],
    doc="The beta function: gamma(a) gamma(b) / gamma(a + b).",
)
poch = special(
    "poch",
    "z m",
    _poch,
    [_poch_slope_in_z, _poch_slope_in_m],
    doc="Pochhammer's symbol: gamma(z + m) / gamma(z).",
)
gammainc = special(
    "gammainc",
    "a x",
    incomplete.igamma,
    in_double=False,
    doc="The regularized lower incomplete gamma function: the integral of\n"
    "exp(-t) t**(a - 1) from 0 to x, divided by gamma(a).",
)
gammaincc = special(
    "gammaincc",
    "a x",
    incomplete.igammac,
    in_double=False,
    doc="The regularized upper incomplete gamma function: 1 - gammainc(a, x).",
)
betainc = special(
    "betainc",
    "a b x",
    incomplete_beta.betainc,
    in_double=False,
    doc="The regularized incomplete beta function: the integral of\n"
    "t**(a - 1) (1 - t)**(b - 1) from 0 to x, divided by beta(a, b).\n\n"
    "No derivative is taken in `a` and `b`.",
)


def _polygamma(n, x):
    found = lax_special.polygamma(n, x)
    at_zero = releases.rule("digamma_of_zero")
    if math.isnan(at_zero):
        return found
    return jnp.where((n == 0) & (x == 0), at_zero, found)


_polygamma_of_floats = special(
    "polygamma",
    "n x",
    _polygamma,
    [
        lambda n, x, out: jnp.full_like(n, np.nan),
        lambda n, x, out: _polygamma_of_floats(n + 1, x),
    ],
    doc="",
)


def polygamma(n: ArrayLike, x: ArrayLike) -> Array:
    """The derivative of order n of the digamma function.

    Args:
        n: array of integers.
        x: array of real numbers; integers become floats.

    Returns:
        Array of floats; the operands broadcast together.

    Raises:
        TypeError: an operand is no array or number. ValueError: `n` is not of integers,
            or `x` complex. TypeError or ValueError: the shapes do not broadcast.
    """
    n, x = operands.ensure_arraylike("jax.scipy.special.polygamma", n, x)
    if operands.kind_of(n) not in "iu":
        raise operands.value_error(
            "jax.scipy.special.polygamma",
            "the order is not of integers.",
            [("n", operands.type_name(n))],
            "It is how often digamma is differentiated.",
            "Convert it: n.astype(int).",
        )
    return _polygamma_of_floats(n, x)


_hurwitz_zeta = special(
    "zeta",
    "x q",
    lax_special.zeta,
    doc="The Hurwitz zeta function.",
)


def zeta(x: ArrayLike, q: ArrayLike | None = None) -> Array:
    """The Hurwitz zeta function: the sum of (q + k)**-x over k = 0, 1, ….

    Args:
        x: array, above 1.
        q: array; broadcasts with `x`.

    Returns:
        Array of floats of the common shape.

    Raises:
        NotImplementedError: `q` is None, which asks for Riemann's function.
    """
    operands.ensure_arraylike("jax.scipy.special.zeta", x)
    if q is None:
        raise operands.not_implemented(
            "jax.scipy.special.zeta",
            "Riemann's zeta function is not supported.",
            [("q", "None")],
            "The sum starts at a number `q`.",
            "For x > 1, q = 1 gives Riemann's function.",
        )
    return _hurwitz_zeta(x, q)


def multigammaln(a: ArrayLike, d: ArrayLike) -> Array:
    """The logarithm of the multivariate gamma function of dimension `d`.

    Args:
        a: array, above ``(d - 1) / 2``.
        d: a known whole number.

    Raises:
        TypeError: `d` is traced, or no whole number.
    """
    d = operator.index(d)
    (x,) = operands.promote_args_inexact("jax.scipy.special.multigammaln", a)
    x = operands.strong(x)
    constant = d * (d - 1) / 4 * math.log(math.pi)
    halves = jnp.arange(d, dtype=operands.dtype_of(x)) / 2
    terms = gammaln(jnp.expand_dims(x, -1) - halves)
    return terms.sum(-1) + operands.convert(constant, operands.dtype_of(x))


_factorial = special(
    "factorial",
    "n",
    lambda n: jnp.where(n < 0, 0, gamma_of(jnp.where(n < 0, 0, n) + 1)),
    [lambda n, out: jnp.where(n < 0, 0, out * lax_special.digamma(n + 1))],
    doc="",
)


def factorial(n: ArrayLike, exact: bool = False) -> Array:
    """n!, extended to real numbers as gamma(n + 1); 0 for negative numbers.

    Args:
        n: array; integers become floats.
        exact: whether to compute with integers of any size, which is not possible here.

    Raises:
        NotImplementedError: `exact` is true.
        TypeError: `n` is no array or number.
    """
    name = "jax.scipy.special.factorial"
    if exact:
        raise operands.not_implemented(
            name,
            "exact factorials are not supported.",
            [("exact", "True")],
            "Arrays hold numbers of fixed size.",
            "For one known number: math.factorial(n).",
        )
    (x,) = operands.promote_args_inexact(name, n)
    out = _factorial(x)
    return operands.convert(out, operands.dtype_of(out), dtypes.is_weakly_typed(x))


def comb(N: ArrayLike, k: ArrayLike, *, repetition: bool = False) -> Array:
    """The number of ways to choose `k` of `N` things, extended to real numbers.

    Args:
        N: array; integers become floats.
        k: array; broadcasts with `N`.
        repetition: whether a thing may be chosen more than once.

    Returns:
        Array of floats; 0 where ``k < 0``, ``N < 0`` or ``k > N``.

    Raises:
        TypeError: an argument is complex or no number. ValueError: shapes do not
            broadcast.
    """
    n, m = operands.promote_args_inexact("jax.scipy.special.comb", N, k)
    if repetition:
        n = n + m - 1
        # Of no things, nothing is chosen in one way.
        found = comb(n, m)
        return jnp.where((m == 0) & (n == -1), 1, found)
    is_some = (m >= 0) & (n >= 0) & (m <= n)
    n, m = jnp.where(is_some, n, 1), jnp.where(is_some, m, 0)
    return jnp.where(is_some, _ways(n, m), 0)


def _ways_of(n, m):
    return jnp.exp(-stirling.log_beta(n - m + 1, m + 1) - jnp.log(n + 1))


_ways = special(
    "comb",
    "n m",
    _ways_of,
    [
        lambda n, m, out: (
            out * (lax_special.digamma(n + 1) - lax_special.digamma(n - m + 1))
        ),
        lambda n, m, out: (
            out * (lax_special.digamma(n - m + 1) - lax_special.digamma(m + 1))
        ),
    ],
    doc="",
)


def bernoulli(n: int) -> Array:
    """The Bernoulli numbers B_0 … B_n, with B_1 = -1/2.

    Args:
        n: a known whole number, not negative.

    Returns:
        Array of shape ``(n + 1,)`` of the default floating-point dtype.

    Raises:
        TypeError: `n` is no known whole number.
        ValueError: `n` is negative.
    """
    n = operator.index(n)
    if n < 0:
        raise operands.value_error(
            "jax.scipy.special.bernoulli",
            "the last index is negative.",
            [("n", str(n))],
            "Indices start at 0.",
        )
    dtype = dtypes.canonicalize_dtype(np.float64)
    values = [_as_float(b) for b in bernoulli_numbers(n + 1)]
    with np.errstate(over="ignore"):
        return jnp.asarray(np.asarray(values).astype(dtype))


def _as_float(value: fractions.Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


traceback_filter.hide_frames(globals())
