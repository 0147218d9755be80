"""Special functions."""

import math

import numpy as np

from jax._src.base import releases
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Sample, Unsupported
from jax._src.lax.ops import emit
from jax._src.lax.ops.arithmetic import add, div, mul, neg, square, sub
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_to
from jax._src.lax.ops.builders import binary_op, unary_op
from jax._src.lax.ops.checks import FLOATING
from jax._src.lax.ops.comparison import gt, lt
from jax._src.lax.ops.conversion import reduce_precision
from jax._src.lax.ops.creation import full_like, scalar_like
from jax._src.lax.ops.exponential import exp, log, pow
from jax._src.lax.ops.rounding import abs
from jax._src.lax.ops.selection import select
from jax._src.lax.ops.wider import in_double_precision, in_single_precision

_REALS = (-3.0, 3.0)


def _unary(name, reference, jvp, doc, domain=_REALS, ulp=32, **options):
    return unary_op(
        name,
        accepts=FLOATING,
        lower=lambda ctx, x, **accuracy: emit.chlo(name, x),
        jvp=jvp,
        reference=reference,
        domain=domain,
        ulp=ulp,
        doc=doc,
        **options,
    )


def exp_of_square(x, factor):
    """exp(factor * x²), for a power of 2: a rounded square would lose x² units.

    With x = h + l, of which the square of h is exact, it is the product of
    exp(factor * h²) and exp(factor * l (x + h)).
    """
    return in_single_precision(lambda v: _exp_of_square(v, factor))(x)


def _exp_of_square(x, factor):
    # Far away the result is 0 or infinite, and infinities have no difference.
    far = full_like(x, 64)
    x = select(gt(abs(x), far), far, x)
    info = np.finfo(get_aval(x).dtype)
    high = reduce_precision(x, info.nexp, (info.nmant - 1) // 2)
    factor = scalar_like(x, factor)
    rest = mul(mul(sub(x, high), add(x, high)), factor)
    return mul(exp(mul(square(high), factor)), _exp_near_zero(rest))


def _exp_near_zero(x):
    """exp(x) by its series, for x below 1/10 in size."""
    total = full_like(x, 1)
    for n in range(5, 0, -1):
        total = add(mul(total, mul(x, scalar_like(x, 1 / n))), full_like(x, 1))
    return total


_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)

erf_p, erf = _unary(
    "erf",
    "scipy.special.erf",
    lambda t, x: mul(scalar_like(x, _TWO_OVER_ROOT_PI), mul(t, exp_of_square(x, -1))),
    "The error function.",
)
erfc_p, erfc = _unary(
    "erfc",
    "scipy.special.erfc",
    lambda t, x: mul(scalar_like(x, -_TWO_OVER_ROOT_PI), mul(t, exp_of_square(x, -1))),
    "The complement of the error function, accurate for large x.",
    has_accuracy=True,
)


def _erf_inv_slope(x):
    """The reciprocal of erf's derivative at y = erf_inv(x).

    What is wrong with y is put back: it would count 2 y² times.
    """
    y, one = erf_inv(x), full_like(x, 1)
    size, zero = abs(y), full_like(x, 0)
    inverse = mul(scalar_like(x, 1 / _TWO_OVER_ROOT_PI), exp_of_square(y, 1))
    is_middle = lt(size, scalar_like(x, 0.5))
    inner = sub(erf(select(is_middle, size, zero)), abs(x))
    outer = sub(sub(one, abs(x)), erfc(select(is_middle, one, size)))
    step = mul(select(is_middle, inner, outer), mul(scalar_like(x, 2), size))
    is_finite = lt(abs(x), one)
    growth, step = (select(is_finite, v, zero) for v in (inverse, step))
    return mul(inverse, sub(one, mul(step, growth)))


erf_inv_p, erf_inv = _unary(
    "erf_inv",
    "scipy.special.erfinv",
    lambda t, x: mul(t, in_double_precision(_erf_inv_slope)(x)),
    "The inverse of the error function.",
    domain=(-1.0, 1.0),
)
lgamma_p, lgamma = _unary(
    "lgamma",
    "scipy.special.gammaln",
    lambda t, x: mul(t, digamma(x)),
    "The logarithm of the absolute value of the gamma function.",
    domain=(0.0, 20.0),
)


def _digamma_lowering(ctx, x):
    found = emit.chlo("digamma", x)
    at_zero = releases.rule("digamma_of_zero")
    if math.isnan(at_zero):
        return found
    (aval,) = ctx.avals_in
    is_zero = emit.compare(x, emit.full(0, aval), "EQ")
    return emit.select(is_zero, emit.full(at_zero, aval), found)


digamma_p, digamma = unary_op(
    "digamma",
    accepts=FLOATING,
    lower=_digamma_lowering,
    jvp=lambda t, x: mul(t, polygamma(full_like(x, 1), x)),
    reference="scipy.special.digamma",
    domain=(0.0, 20.0),
    ulp=32,
    doc="The derivative of `lgamma`.",
)


def _binary(name, reference, jvp, doc, domain, operands, samples=None):
    return binary_op(
        name,
        accepts=FLOATING,
        lower=lambda x, y: emit.chlo(name, x, y),
        jvp=jvp,
        reference=reference,
        domain=domain,
        operands=operands,
        samples=samples,
        ulp=64,
        doc=doc,
    )


# Bernoulli's numbers B(2j), over (2j)!.
_BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510]
_OVER_FACTORIAL = [
    number / math.factorial(2 * j) for j, number in enumerate(_BERNOULLI, 1)
]
_TERMS = 12


def _zeta_slope(t, x, q):
    """The derivative in x: that of the sum by Euler and Maclaurin, term by term.

    Reference: NIST Handbook of Mathematical Functions (2010), 25.11.28 with derivatives in s.
    """
    x, q = (
        broadcast_to(v, np.broadcast_shapes(np.shape(x), np.shape(q))) for v in (x, q)
    )
    negative = neg(x)
    total = full_like(x, 0)
    for k in range(_TERMS):
        base = add(q, scalar_like(q, k))
        total = sub(total, mul(log(base), pow(base, negative)))
    base = add(q, scalar_like(q, _TERMS))
    logarithm, power = log(base), pow(base, negative)
    above_one = sub(x, scalar_like(x, 1))
    integral = mul(base, add(logarithm, div(full_like(x, 1), above_one)))
    total = sub(total, mul(power, div(integral, above_one)))
    total = sub(total, mul(scalar_like(x, 0.5), mul(logarithm, power)))
    # rising: x (x + 1) … (x + 2j - 2) over base**(2j - 1); slope: its derivative in x.
    rising, slope = div(x, base), div(full_like(x, 1), base)
    for j, factor in enumerate(_OVER_FACTORIAL):
        if j:
            for step in (2 * j - 1, 2 * j):
                more = add(x, scalar_like(x, step))
                slope = div(add(mul(slope, more), rising), base)
                rising = div(mul(rising, more), base)
        term = mul(power, sub(slope, mul(logarithm, rising)))
        total = add(total, mul(scalar_like(x, factor), term))
    return mul(t, total)


zeta_p, zeta = _binary(
    "zeta",
    "scipy.special.zeta",
    (
        _zeta_slope,
        lambda t, x, q: mul(t, mul(neg(x), zeta(add(x, scalar_like(x, 1)), q))),
    ),
    "The Hurwitz zeta function: the sum of ``(q + k)**-x`` over k = 0, 1, ….",
    (1.5, 6.0),
    ("x", "q"),
)
polygamma_p, polygamma = _binary(
    "polygamma",
    "scipy.special.polygamma",
    (
        Unsupported("the order m of polygamma is a whole number"),
        lambda t, m, x: mul(t, polygamma(add(m, scalar_like(m, 1)), x)),
    ),
    "The derivative of order m of the digamma function.",
    (1.0, 6.0),
    ("m", "x"),
    samples=[
        Sample((np.float32([1, 2, 0]), np.float32([1.5, 0.7, 3.0])), {}),
        Sample((np.float32(1), np.float32([[1.5, 0.7, 3.0]])), {}),
    ],
)
nextafter_p, nextafter = binary_op(
    "nextafter",
    accepts=FLOATING,
    lower=lambda x, y: emit.chlo("next_after", x, y),
    reference=np.nextafter,
    jvp=(
        Unsupported("the step to the next float has no derivative"),
        Unsupported("the step to the next float has no derivative"),
    ),
    tip="jnp.nextafter",
    operands=("x1", "x2"),
    doc="The float after x in the direction of y.",
)
