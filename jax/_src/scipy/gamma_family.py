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
from jax._src.base import traceback_filter
from jax._src.lax.ops import incomplete, special as lax_special, stirling
from jax._src.numpy import lax_api as lax, numpy_api as jnp, operands as op
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
    return lax.convert(sign, op.dtype_of(x))


def gamma_of(x: Array) -> Array:
    """gamma on real arrays of full precision."""
    return sign_of_gamma(x) * jnp.exp(lgamma(x))


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


def _betaln_slope(first):
    def slope(a, b, out):
        return lax_special.digamma(a if first else b) - lax_special.digamma(a + b)

    return slope


def _beta(a, b):
    sign = sign_of_gamma(a) * sign_of_gamma(b) * sign_of_gamma(a + b)
    return sign * jnp.exp(stirling.log_beta(a, b))


def _beta_slope(first):
    log_slope = _betaln_slope(first)
    return lambda a, b, out: out * log_slope(a, b, out)


def _poch(z, m):
    sign = sign_of_gamma(z + m) * sign_of_gamma(z)
    found = sign * jnp.exp(lgamma(z + m) - lgamma(z))
    return jnp.where(m == 0, 1, found)


def _poch_slope_in_z(z, m, out):
    return out * (lax_special.digamma(z + m) - lax_special.digamma(z))


def _poch_slope_in_m(z, m, out):
    return out * lax_special.digamma(z + m)


gammaln = special(
    "gammaln",
    "x",
    lgamma,
    doc="The logarithm of the absolute value of the gamma function.",
)
loggamma = special(
    "loggamma",
    "x",
    _log_gamma_real,
    on_complex=_log_gamma_complex,
    doc="The logarithm of the gamma function, analytic off the negative axis.\n\n"
    "NaN for negative real numbers; complex ones give both parts.",
)
gammasgn = special(
    "gammasgn",
    "x",
    sign_of_gamma,
    [lambda x, out: jnp.zeros_like(x)],
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
    doc="The derivative of the logarithm of the gamma function.",
)
betaln = special(
    "betaln",
    "a b",
    stirling.log_beta,
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
    doc="The regularized lower incomplete gamma function: the integral of\n"
    "exp(-t) t**(a - 1) from 0 to x, divided by gamma(a).",
)
gammaincc = special(
    "gammaincc",
    "a x",
    incomplete.igammac,
    doc="The regularized upper incomplete gamma function: 1 - gammainc(a, x).",
)
betainc = special(
    "betainc",
    "a b x",
    incomplete.betainc,
    doc="The regularized incomplete beta function: the integral of\n"
    "t**(a - 1) (1 - t)**(b - 1) from 0 to x, divided by beta(a, b).\n\n"
    "No derivative is taken in `a` and `b`.",
)


def _polygamma(n, x):
    is_order_0 = n == 0
    order = jnp.where(is_order_0, 1, n)
    sign = jnp.where(order % 2 == 0, -1, 1)
    found = sign * jnp.exp(lgamma(order + 1)) * lax_special.zeta(order + 1, x)
    return jnp.where(is_order_0, lax_special.digamma(x), found)


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
    n, x = op.ensure_arraylike("jax.scipy.special.polygamma", n, x)
    if op.kind_of(n) not in "iu":
        raise ValueError(
            op.explain(
                "jax.scipy.special.polygamma",
                "the order is not of integers.",
                [("n", op.type_name(n))],
                "It is how often digamma is differentiated.",
                "Convert it: n.astype(int).",
            )
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
    op.ensure_arraylike("jax.scipy.special.zeta", x)
    if q is None:
        raise NotImplementedError(
            op.explain(
                "jax.scipy.special.zeta",
                "Riemann's zeta function is not supported.",
                [("q", "None")],
                "The sum starts at a number `q`.",
                "For x > 1, q = 1 gives Riemann's function.",
            )
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
    (x,) = op.promote_args_inexact("jax.scipy.special.multigammaln", a)
    x = op.strong(x)
    constant = d * (d - 1) / 4 * math.log(math.pi)
    halves = jnp.arange(d, dtype=op.dtype_of(x)) / 2
    terms = gammaln(jnp.expand_dims(x, -1) - halves)
    return terms.sum(-1) + op.convert(constant, op.dtype_of(x))


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
        raise NotImplementedError(
            op.explain(
                name,
                "exact factorials are not supported.",
                [("exact", "True")],
                "Arrays hold numbers of fixed size.",
                "For one known number: math.factorial(n).",
            )
        )
    (x,) = op.promote_args_inexact(name, n)
    safe = jnp.where(x < 0, 0, x)
    out = jnp.where(x < 0, 0, gamma(safe + 1))
    return op.convert(out, op.dtype_of(out), dtypes.is_weakly_typed(x))


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
    n, m = op.promote_args_inexact("jax.scipy.special.comb", N, k)
    if repetition:
        n = n + m - 1
        # Of no things, nothing is chosen in one way.
        found = comb(n, m)
        return jnp.where((m == 0) & (n == -1), 1, found)
    is_some = (m >= 0) & (n >= 0) & (m <= n)
    n, m = jnp.where(is_some, n, 1), jnp.where(is_some, m, 0)
    ways = jnp.exp(-betaln(n - m + 1, m + 1)) / (n + 1)
    return jnp.where(is_some, ways, 0)


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
        raise ValueError(
            op.explain(
                "jax.scipy.special.bernoulli",
                "the last index is negative.",
                [("n", str(n))],
                "Indices start at 0.",
            )
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
