"""Special functions of probabilities, entropies and their logarithms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jax._src.base import releases, traceback_filter
from jax._src.lax.ops import special as lax_special, stirling
from jax._src.nn import activations
from jax._src.numpy import lax_api as lax, numpy_api as jnp, operands
from jax._src.scipy.elementwise import of_list, special
from jax._src.scipy.integrals import erfcx_of

Array = Any
ArrayLike = Any

_ROOT_HALF = math.sqrt(0.5)

# Coefficients of numerators and denominators, lowest first: M. Wichura, AS 241, Appl. Stat.
# 37, 1988.
_NDTRI_MIDDLE = (
    (3.3871328727963665, 1.0),
    (133.14166789178438, 42.31333070160091),
    (1971.5909503065513, 687.1870074920579),
    (13731.69376550946, 5394.196021424751),
    (45921.95393154987, 21213.794301586597),
    (67265.7709270087, 39307.89580009271),
    (33430.57558358813, 28729.085735721943),
    (2509.0809287301227, 5226.495278852854),
)

_NDTRI_TAIL = (
    (1.4234371107496835, 1.0),
    (4.630337846156546, 2.053191626637759),
    (5.769497221460691, 1.6763848301838038),
    (3.6478483247632045, 0.6897673349851),
    (1.2704582524523684, 0.14810397642748008),
    (0.2417807251774506, 0.015198666563616457),
    (0.022723844989269184, 0.0005475938084995345),
    (0.0007745450142783414, 1.0507500716444169e-09),
)

_NDTRI_FAR_TAIL = (
    (6.657904643501103, 1.0),
    (5.463784911164114, 0.599832206555888),
    (1.7848265399172913, 0.1369298809227358),
    (0.29656057182850487, 0.014875361290850615),
    (0.026532189526576124, 0.0007868691311456133),
    (0.0012426609473880784, 1.8463183175100548e-05),
    (2.7115555687434876e-05, 1.421511758316446e-07),
    (2.0103343992922881e-07, 2.0442631033899397e-15),
)


def _logit(p):
    # Near 1/2 the two logarithms cancel.
    is_near = jnp.abs(p - 0.5) < 0.25
    near = jnp.where(is_near, p, 0.5)
    centre = lax.log1p((2 * near - 1) / (1 - near))
    return jnp.where(is_near, centre, jnp.log(p) - lax.log1p(-p))


def _xlogy(x, y):
    is_zero = (x == 0) & (y == y)
    return jnp.where(is_zero, 0, x * jnp.log(jnp.where(is_zero, 1, y)))


def _xlog1py(x, y):
    is_zero = (x == 0) & (y == y)
    return jnp.where(is_zero, 0, x * lax.log1p(jnp.where(is_zero, 0, y)))


def _over(x, y):
    """``x / y``, and 0 for 0 / 0: the slope of what is 0 for every `y`."""
    return x / jnp.where((x == 0) & (y == 0), 1, y)


def _entr(x):
    return jnp.where(x < 0, -np.inf, jnp.where(x == 0, 0, -_xlogy(x, x)))


def _log_of_quotient(p, q):
    """log(p / q) of positive finite numbers, also where they are nearly equal."""
    step = (p - q) / q
    is_near = jnp.abs(step) < 0.5
    near = lax.log1p(jnp.where(is_near, step, 0))
    return jnp.where(is_near, near, jnp.log(p) - jnp.log(q))


def _rel_entr(p, q):
    both = (p > 0) & (q > 0)
    zero = (p == 0) & (q >= 0)
    a, b = jnp.where(both, p, 1), jnp.where(both, q, 1)
    found = jnp.where(both, a * _log_of_quotient(a, b), jnp.where(zero, 0, np.inf))
    return jnp.where(jnp.isnan(p) | jnp.isnan(q), np.nan, found)


def _rel_entr_slope_in_p(p, q, out):
    both = (p > 0) & (q > 0)
    a, b = jnp.where(both, p, 1), jnp.where(both, q, 1)
    return _or_nan(p, q, jnp.where(both, _log_of_quotient(a, b) + 1, 0))


def _rel_entr_slope_in_q(p, q, out):
    both = (p > 0) & (q > 0)
    return _or_nan(p, q, jnp.where(both, -p / jnp.where(both, q, 1), 0))


def _or_nan(p, q, slope):
    of_nan = releases.rule("slope_of_rel_entr_of_nan")
    return jnp.where(jnp.isnan(p) | jnp.isnan(q), of_nan, slope)


def _kl_div(p, q):
    zero = (p == 0) & (q >= 0)
    both = (p > 0) & (q > 0)
    found = _rel_entr(p, q) - jnp.where(both, p, 0) + jnp.where(both | zero, q, 0)
    # With d = q / p - 1 it is -p (log(1 + d) - d), which does not cancel.
    step = (q - p) / jnp.where(both, p, 1)
    is_near = both & (jnp.abs(step) < 0.5)
    near = -p * stirling.log1p_excess(jnp.where(is_near, step, 0))
    return jnp.where(is_near, near, found)


def _kl_div_slope_in_p(p, q, out):
    both = (p > 0) & (q > 0)
    a, b = jnp.where(both, p, 1), jnp.where(both, q, 1)
    outside = releases.rule("slope_of_kl_div_below_zero")
    return jnp.where(both, _log_of_quotient(a, b), outside)


def _kl_div_slope_in_q(p, q, out):
    both = (p > 0) & (q > 0) & (q < np.inf)
    b = jnp.where(both, q, 1)
    return jnp.where(both, (b - p) / b, 1 + _rel_entr_slope_in_q(p, q, out))


def _boxcox(x, lmbda):
    return _power_minus_one(jnp.log(x), lmbda)


def _boxcox1p(x, lmbda):
    return _power_minus_one(lax.log1p(x), lmbda)


def _boxcox_of_complex(x, lmbda):
    is_zero = lmbda == 0
    safe = jnp.where(is_zero, 1, lmbda)
    return jnp.where(is_zero, jnp.log(x), (x**safe - 1) / safe)


def _boxcox1p_of_complex(x, lmbda):
    return _boxcox_of_complex(1 + x, lmbda)


def _power_minus_one(logarithm, exponent):
    is_zero = exponent == 0
    safe = jnp.where(is_zero, 1, exponent)
    return jnp.where(is_zero, logarithm, lax.expm1(safe * logarithm) / safe)


def _power_minus_one_slope(logarithm, exponent):
    """The derivative in the exponent: with u their product, log² (exp(u) (u - 1) + 1) / u²."""
    u = exponent * logarithm
    is_near = jnp.abs(u) < 1
    near, far = jnp.where(is_near, u, 0), jnp.where(is_near, 1, u)
    power, total = jnp.ones_like(u), jnp.zeros_like(u)
    for k in range(20):
        total = total + power / (k + 2)
        power = power * near / (k + 1)
    quotient = (jnp.exp(far) * (far - 1) + 1) / lax.square(far)
    return lax.square(logarithm) * jnp.where(is_near, total, quotient)


def _ndtr(x):
    is_middle = jnp.abs(x) < 1
    middle = 0.5 + 0.5 * lax_special.erf(jnp.where(is_middle, x, 0) * _ROOT_HALF)
    tail = _normal_tail(jnp.where(is_middle, 1, jnp.abs(x)))
    return jnp.where(is_middle, middle, jnp.where(x > 0, 1 - tail, tail))


def _normal_tail(x):
    """ndtr(-x) for positive x: what x / sqrt(2) is rounded by is not multiplied by x²."""
    return erfcx_of(x * _ROOT_HALF) * lax_special.exp_of_square(x, -0.5) / 2


def _bell(x):
    return lax_special.exp_of_square(x, -0.5) / math.sqrt(2 * math.pi)


# (y + 9/4) exp(y²/2) ndtr(-y) as a polynomial of (y - 9/4) / (y + 9/4), for y in [0, 15],
# highest first: Chebyshev's best one, by Remez's exchange, of relative error 5e-9.
_SCALED_TAIL = (
    -9.102234530247e-05,
    -0.0002131478677189,
    0.0002241301596843,
    0.001365988232801,
    0.0008365766318409,
    -0.00563865073873,
    -0.01056678488624,
    0.02783701710722,
    0.08013354006302,
    -0.3863810463851,
    0.6914337150382,
)
_SCALED_TAIL_SHIFT = 2.25


def _normal_tail_of_single(x):
    """ndtr(-x) of float32 for x >= 0: exp(-x²/2) times a polynomial over x + 9/4."""
    y = jnp.minimum(x, 15)  # The result is 0 from 14.2 on.
    # y to 12 bits, whose square is exact; what is left of the square's exponential is 1 + rest.
    bits = lax.bitcast_convert_type(y, np.int32) + 0x800
    high = lax.bitcast_convert_type(bits & ~0xFFF, np.float32)
    low = 0.5 * (high - y) * (high + y)
    rest = low * (1 + low * (1 / 2 + low * (1 / 6 + low / 24)))
    # What the rounded sum and its rounded reciprocal lose goes into the argument, where the
    # polynomial is steep, and what the quotient loses into the last sum.
    shifted = y + _SCALED_TAIL_SHIFT
    inverse = 1 / shifted
    unshifted = y - (shifted - _SCALED_TAIL_SHIFT)
    lost = (1 - inverse * shifted) - inverse * unshifted
    share = 2 * _SCALED_TAIL_SHIFT * inverse
    argument = (1 - share) - share * lost
    total = jnp.full_like(y, _SCALED_TAIL[0])
    for c in _SCALED_TAIL[1:]:
        total = total * argument + c
    quotient = inverse * total
    left = (total - quotient * shifted) - quotient * unshifted
    power = jnp.exp(-0.5 * high * high)
    return power * quotient + power * (quotient * rest + left * inverse)


def _ndtr_of_single(x):
    tail = _normal_tail_of_single(jnp.abs(x))
    return jnp.where(x > 0, 1 - tail, tail)


def _by_precision(single, double):
    """`single` of float32 arrays, `double` of float64."""
    return lambda x: single(x) if operands.dtype_of(x) == np.float32 else double(x)


def _log_ndtr(x):
    below = jnp.where(x < 0, x, 0)
    left = jnp.log(erfcx_of(-below * _ROOT_HALF) / 2) - lax.square(below) / 2
    left = jnp.where(jnp.isinf(x), -np.inf, left)
    right = lax.log1p(-_normal_tail(jnp.where(x < 0, 0, x)))
    return jnp.where(x < 0, left, right)


def _inverse_mills(x):
    """The density of the normal distribution, divided by its function."""
    below = jnp.minimum(x, 0)
    left = math.sqrt(2 / math.pi) / erfcx_of(-below * _ROOT_HALF)
    above = jnp.maximum(x, 0)
    return jnp.where(x < 0, left, _bell(above) / _ndtr(above))


def _quotient(x, pairs):
    """The quotient of two polynomials whose coefficients, lowest first, are paired."""
    above, below = (jnp.full_like(x, c) for c in pairs[-1])
    for c, d in reversed(pairs[:-1]):
        above, below = above * x + c, below * x + d
    return above / below


def _ndtri(p):
    """The middle by p - 1/2, the tails by the root of the tail's logarithm."""
    distance = p - 0.5
    is_middle = jnp.abs(distance) <= 0.425
    centre = jnp.where(is_middle, distance, 0)
    middle = centre * _quotient(0.180625 - lax.square(centre), _NDTRI_MIDDLE)
    tail = jnp.minimum(p, 1 - p)
    is_tail = (tail > 0) & ~is_middle
    root = jnp.sqrt(-jnp.log(jnp.where(is_tail, tail, 0.05)))
    is_far = root > 5
    near = _quotient(jnp.minimum(root, 5) - 1.6, _NDTRI_TAIL)
    far = _quotient(jnp.maximum(root, 5) - 5, _NDTRI_FAR_TAIL)
    size = jnp.where(tail == 0, np.inf, jnp.where(is_far, far, near))
    found = jnp.where(is_middle, middle, jnp.where(p < 0.5, -size, size))
    return jnp.where((p >= 0) & (p <= 1), found, np.nan)


def _ndtri_slope(p, out):
    """The reciprocal of the density; what is wrong with `out` would count out² times."""
    size, tail = jnp.abs(out), jnp.minimum(p, 1 - p)
    inverse = math.sqrt(2 * math.pi) * lax_special.exp_of_square(size, 0.5)
    # Of a subnormal number the difference is no small part.
    is_usable = tail > 1e-305
    step = jnp.where(is_usable, (_normal_tail(size) - tail) * size, 0)
    return inverse * (1 + step * jnp.where(is_usable, inverse, 0))


def _refuse_complex_erfcinv(y):
    raise operands.value_error(
        "jax.scipy.special.erfcinv",
        "complex numbers are not supported.",
        [("y", operands.type_name(y))],
    )


def _erfcinv(y):
    found = -_ndtri(y / 2) / math.sqrt(2)
    return jnp.where((y >= 0) & (y <= 2), found, np.nan)


erf = special("erf", "x", lax_special.erf, in_double=False, doc="The error function.")
erfc = special(
    "erfc",
    "x",
    lax_special.erfc,
    in_double=False,
    doc="1 - erf(x), accurate for large x.",
)
erfcinv = special(
    "erfcinv",
    "y",
    _erfcinv,
    [lambda y, out: -math.sqrt(math.pi) / 2 * lax_special.exp_of_square(out, 1)],
    on_complex=_refuse_complex_erfcinv,
    doc="The inverse of `erfc`, from 0 to 2; NaN outside.",
)
erfinv = special(
    "erfinv", "x", lax_special.erf_inv, in_double=False, doc="The inverse of `erf`."
)
expit = special(
    "expit",
    "x",
    lax.logistic,
    [lambda x, out: out * lax.logistic(-x)],
    on_complex=lax.logistic,
    in_double=False,
    doc="The logistic function: 1 / (1 + exp(-x)).",
)
logit = special(
    "logit",
    "x",
    _logit,
    [lambda x, out: 1 / (x * (1 - x))],
    on_complex=lambda x: jnp.log(x / (1 - x)),
    doc="The inverse of `expit`: log(x / (1 - x)).",
)
xlogy = special(
    "xlogy",
    "x y",
    _xlogy,
    [lambda x, y, out: jnp.log(y), lambda x, y, out: _over(x, y)],
    on_complex=_xlogy,
    in_double=False,
    doc="x log(y), and 0 where x is 0.",
)
xlog1py = special(
    "xlog1py",
    "x y",
    _xlog1py,
    [lambda x, y, out: lax.log1p(y), lambda x, y, out: _over(x, 1 + y)],
    on_complex=_xlog1py,
    in_double=False,
    doc="x log(1 + y), and 0 where x is 0.",
)
entr = special(
    "entr",
    "x",
    _entr,
    [lambda x, out: jnp.where(x < 0, 0, -jnp.log(jnp.maximum(x, 0)) - 1)],
    doc="-x log(x), 0 where x is 0, and minus infinity where x is negative.",
)
rel_entr = special(
    "rel_entr",
    "p q",
    _rel_entr,
    [_rel_entr_slope_in_p, _rel_entr_slope_in_q],
    doc="p log(p / q), 0 where p is 0, and infinity where one is negative.",
)
kl_div = special(
    "kl_div",
    "p q",
    _kl_div,
    [
        _kl_div_slope_in_p,
        _kl_div_slope_in_q,
    ],
    doc="The divergence of Kullback and Leibler: p log(p / q) - p + q.",
)
boxcox = special(
    "boxcox",
    "x lmbda",
    _boxcox,
    [
        lambda x, lmbda, out: jnp.exp((lmbda - 1) * jnp.log(x)),
        lambda x, lmbda, out: _power_minus_one_slope(jnp.log(x), lmbda),
    ],
    on_complex=_boxcox_of_complex,
    doc="The transformation of Box and Cox: (x**lmbda - 1) / lmbda, its limit log(x) at 0.",
)
boxcox1p = special(
    "boxcox1p",
    "x lmbda",
    _boxcox1p,
    [
        lambda x, lmbda, out: jnp.exp((lmbda - 1) * lax.log1p(x)),
        lambda x, lmbda, out: _power_minus_one_slope(lax.log1p(x), lmbda),
    ],
    on_complex=_boxcox1p_of_complex,
    doc="`boxcox` of 1 + x, accurate near 0.",
)
_ndtr_of_floats = special(
    "ndtr",
    "x",
    _by_precision(_ndtr_of_single, _ndtr),
    [lambda x, out: _bell(x)],
    in_double=False,
    doc="",
)
_ndtri_of_floats = special(
    "ndtri",
    "p",
    _ndtri,
    [_ndtri_slope],
    doc="",
)
_log_ndtr_of_floats = special(
    "log_ndtr",
    "x",
    _log_ndtr,
    [lambda x, out: _inverse_mills(x)],
    doc="",
)


def _refuse_integers(name, x):
    if operands.kind_of(operands.ensure_arraylike(name, x)) not in "fc":
        raise operands.type_error(
            name,
            "the array holds no floats.",
            [("argument", operands.type_name(x))],
            "This function takes real floating-point numbers.",
            "Convert it first: x.astype(float).",
        )


def ndtr(x: ArrayLike) -> Array:
    """The function of the normal distribution: the probability of at most x.

    Args:
        x: array of floats.

    Raises:
        TypeError: `x` holds no real floats.
    """
    x = of_list(x)
    _refuse_integers("jax.scipy.special.ndtr", x)
    return _ndtr_of_floats(x)


def ndtri(p: ArrayLike) -> Array:
    """The inverse of `ndtr`; NaN outside of [0, 1].

    Args:
        p: array of floats, probabilities.

    Raises:
        TypeError: `p` holds no real floats.
    """
    _refuse_integers("jax.scipy.special.ndtri", p)
    return _ndtri_of_floats(p)


def log_ndtr(x: ArrayLike, series_order: int = 3) -> Array:
    """log(ndtr(x)), accurate in both tails.

    Args:
        x: array of floats.
        series_order: accepted so that calls with it work; the tails need no series.

    Raises:
        TypeError: `x` holds no real floats, or `series_order` is no whole number.
        ValueError: `series_order` is negative or above 30.
    """
    name = "jax.scipy.special.log_ndtr"
    facts = [("series_order", repr(series_order))]
    if not isinstance(series_order, (int, np.integer)):
        raise operands.type_error(name, "the order is no whole number.", facts)
    if not 0 <= series_order <= 30:
        raise operands.value_error(
            name, "the order is out of range.", facts, "It is 0 to 30."
        )
    x = of_list(x)
    _refuse_integers(name, x)
    return _log_ndtr_of_floats(x)


def softmax(x: ArrayLike, /, *, axis: Any = None) -> Array:
    """``exp(x) / sum(exp(x))`` along axes, without overflow.

    Args:
        x: array.
        axis: axis or axes of the sum; None means all.

    Returns:
        Array of floats of the shape of `x`.

    Raises:
        ValueError: an axis is out of bounds. TypeError: `x` is no array or number.
    """
    return activations.softmax(x, axis=axis)


def log_softmax(x: ArrayLike, /, *, axis: Any = None) -> Array:
    """The logarithm of `softmax`.

    The arguments are those of `jax.scipy.special.softmax`, and so are shape, dtype and
    errors.
    """
    return activations.log_softmax(x, axis=axis)


traceback_filter.hide_frames(globals())
