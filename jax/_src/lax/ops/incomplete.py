"""Special functions that are series and fractions: gamma, beta and Bessel kin."""

import numpy as np
import scipy.special

from jax._src.core.avals import get_aval
from jax._src.core.primitive import Unsupported
from jax._src.lax.control_flow.while_loop import while_flat
from jax._src.lax.ops.arithmetic import add, div, integer_pow, max, mul, neg, sub
from jax._src.lax.ops.bitwise import bitwise_and, bitwise_or
from jax._src.lax.ops.broadcasting import broadcast_to
from jax._src.lax.ops.builders import broadcast_operands, nary_op, unary_op
from jax._src.lax.ops.checks import FLOATING
from jax._src.lax.ops.comparison import eq, ge, gt, le, lt, ne
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import full_like, scalar_like
from jax._src.lax.ops.exponential import exp, log, log1p, rsqrt
from jax._src.lax.ops.reductions import reduce_or
from jax._src.lax.ops.rounding import abs, sign
from jax._src.lax.ops.selection import select, where
from jax._src.lax.ops.special import digamma, lgamma

# Terms after which a series or fraction is given up; they converge much earlier, except
# where both arguments are huge.
_MOST_TERMS = 2000


def _c(x, value):
    return scalar_like(x, value)


def _epsilon(x) -> float:
    return float(np.finfo(x.dtype).eps) if x.dtype.kind == "f" else 2.0**-23


def _in_single_precision(fun):
    """Half-precision operands are computed with in float32."""

    def compute(*args):
        dtype = np.dtype(get_aval(args[0]).dtype)
        shape = broadcast_operands("special", [get_aval(x) for x in args])
        args = [broadcast_to(x, shape) for x in args]
        if dtype in (np.dtype(np.float32), np.dtype(np.float64)):
            return fun(*args)
        wide = [convert(x, np.dtype(np.float32)) for x in args]
        return convert(fun(*wide), dtype)

    return compute


def _until_converged(step, state, active):
    """Repeats ``step(n, state)``, which returns the next state and what still moves.

    Elements that have converged, or were never active, keep their state.
    """
    one = np.ones((), state[0].dtype)[()]

    def go_on(count, active, *state):
        some = reduce_or(active, tuple(range(np.ndim(active))))
        return bitwise_and(some, lt(count, _c(count, _MOST_TERMS)))

    def body(count, active, *state):
        new, moving = step(count, list(state))
        kept = [select(active, a, b) for a, b in zip(new, state, strict=True)]
        return [add(count, one), bitwise_and(active, moving), *kept]

    return while_flat(go_on, body, [one, active, *state])[2:]


def _series(a, x, active):
    """The sum of x**n / ((a+1) … (a+n)) over n, and its derivative in a."""
    small = _c(x, _epsilon(x))

    def step(n, state):
        term, total, d_term, d_total = state
        ratio = div(x, add(a, n))
        d_term = mul(sub(d_term, div(term, add(a, n))), ratio)
        term = mul(term, ratio)
        total, d_total = add(total, term), add(d_total, d_term)
        moves = gt(term, mul(total, small))
        d_moves = gt(abs(d_term), mul(abs(d_total), small))
        return [term, total, d_term, d_total], bitwise_or(moves, d_moves)

    one, zero = full_like(x, 1), full_like(x, 0)
    _, total, _, d_total = _until_converged(step, [one, one, zero, zero], active)
    return total, d_total


def _fraction(a, x, active):
    """The continued fraction of the upper function, and its derivative in a.

    Modified Lentz; Thompson and Barnett, J. Comput. Phys. 64, 1986.
    """
    small = _c(x, _epsilon(x))
    tiny = _c(x, 1e-30)

    def guard(value):
        return where(lt(abs(value), tiny), full_like(value, 1e-30), value)

    def step(n, state):
        c, d, h, dc, dd, dh = state
        numerator, d_numerator = mul(neg(n), sub(n, a)), n
        b = add(sub(add(x, mul(n, _c(x, 2))), a), _c(x, 1))
        lower = guard(add(mul(numerator, d), b))
        d_lower = sub(add(mul(d_numerator, d), mul(numerator, dd)), _c(x, 1))
        new_c = guard(add(b, div(numerator, c)))
        d_quotient = div(sub(mul(d_numerator, c), mul(numerator, dc)), mul(c, c))
        new_dc = sub(d_quotient, _c(x, 1))
        new_d = div(_c(x, 1), lower)
        new_dd = mul(neg(d_lower), mul(new_d, new_d))
        factor = mul(new_c, new_d)
        d_factor = add(mul(new_dc, new_d), mul(new_c, new_dd))
        new_dh = add(mul(dh, factor), mul(h, d_factor))
        new_h = mul(h, factor)
        moves = gt(abs(sub(factor, _c(x, 1))), small)
        d_moves = gt(abs(sub(new_dh, dh)), mul(abs(new_dh), small))
        state = [new_c, new_d, new_h, new_dc, new_dd, new_dh]
        return state, bitwise_or(moves, d_moves)

    b = guard(add(sub(x, a), _c(x, 1)))
    first = div(_c(x, 1), b)
    d_first = mul(first, first)
    start = [
        full_like(x, 1e30),
        first,
        first,
        full_like(x, 0),
        d_first,
        d_first,
    ]
    found = _until_converged(step, start, active)
    return found[2], found[5]


def _density(a, x):
    """x**a exp(-x) / gamma(a)."""
    return exp(sub(sub(mul(a, log(x)), x), lgamma(a)))


def _regions(a, x):
    """Where arguments are proper, and where the series is the better of the two."""
    proper = bitwise_and(gt(a, _c(a, 0)), gt(x, _c(x, 0)))
    proper = bitwise_and(proper, lt(x, _c(x, np.inf)))
    proper = bitwise_and(proper, lt(a, _c(a, np.inf)))
    below = bitwise_or(le(x, _c(x, 1)), le(x, a))
    safe_a, safe_x = (where(proper, v, full_like(v, 1)) for v in (a, x))
    return proper, below, safe_a, safe_x


def _not(mask):
    return eq(mask, full_like(mask, False))


def _lower_and_upper(a, x):
    """Both functions, each computed where it is the smaller of the two."""
    proper, below, safe_a, safe_x = _regions(a, x)
    density = _density(safe_a, safe_x)
    total, _ = _series(safe_a, safe_x, bitwise_and(proper, below))
    upper, _ = _fraction(safe_a, safe_x, bitwise_and(proper, _not(below)))
    by_series, by_fraction = div(mul(total, density), safe_a), mul(upper, density)
    one = full_like(x, 1)
    lower = select(below, by_series, sub(one, by_fraction))
    return proper, lower, select(below, sub(one, by_series), by_fraction)


def _igamma(a, x):
    proper, lower, _ = _lower_and_upper(a, x)
    wrong = bitwise_or(lt(x, _c(x, 0)), le(a, _c(a, 0)))
    wrong = bitwise_or(wrong, bitwise_or(ne(a, a), ne(x, x)))
    is_all = bitwise_and(eq(x, _c(x, np.inf)), lt(a, _c(a, np.inf)))
    edge = select(is_all, full_like(x, 1), full_like(x, 0))
    both = bitwise_and(eq(x, _c(x, np.inf)), eq(a, _c(a, np.inf)))
    wrong = bitwise_or(wrong, both)
    return select(wrong, full_like(x, np.nan), select(proper, lower, edge))


def _igammac(a, x):
    proper, _, upper = _lower_and_upper(a, x)
    wrong = bitwise_or(lt(x, _c(x, 0)), le(a, _c(a, 0)))
    wrong = bitwise_or(wrong, bitwise_or(ne(a, a), ne(x, x)))
    is_none = bitwise_and(eq(x, _c(x, np.inf)), lt(a, _c(a, np.inf)))
    edge = select(is_none, full_like(x, 0), full_like(x, 1))
    both = bitwise_and(eq(x, _c(x, np.inf)), eq(a, _c(a, np.inf)))
    wrong = bitwise_or(wrong, both)
    return select(wrong, full_like(x, np.nan), select(proper, upper, edge))


def _slopes(a, x):
    """The derivative of the lower function in a, divided by the density."""
    proper, below, safe_a, safe_x = _regions(a, x)
    total, d_total = _series(safe_a, safe_x, bitwise_and(proper, below))
    upper, d_upper = _fraction(safe_a, safe_x, bitwise_and(proper, _not(below)))
    change = sub(log(safe_x), digamma(safe_a))
    inverse = div(full_like(safe_a, 1), safe_a)
    by_series = mul(add(d_total, mul(total, sub(change, inverse))), inverse)
    by_fraction = neg(add(d_upper, mul(upper, change)))
    return proper, select(below, by_series, by_fraction), safe_a, safe_x


def _igamma_grad_a(a, x):
    proper, slope, safe_a, safe_x = _slopes(a, x)
    wrong = bitwise_or(lt(x, _c(x, 0)), le(a, _c(a, 0)))
    wrong = bitwise_or(wrong, bitwise_or(ne(a, a), ne(x, x)))
    found = select(proper, mul(slope, _density(safe_a, safe_x)), full_like(x, 0))
    return select(wrong, full_like(x, np.nan), found)


def _random_gamma_grad(a, x):
    proper, slope, _, safe_x = _slopes(a, x)
    wrong = bitwise_or(lt(x, _c(x, 0)), le(a, _c(a, 0)))
    wrong = bitwise_or(wrong, bitwise_or(ne(a, a), ne(x, x)))
    found = select(proper, neg(mul(slope, safe_x)), full_like(x, 0))
    return select(wrong, full_like(x, np.nan), found)


def _wide(reference):
    def rule(*arrays):
        wide = [x.astype(np.float64) for x in arrays]
        return np.asarray(reference(*wide)).astype(arrays[0].dtype)

    return rule


def _slope_reference(a, x):
    step = 1e-5 * np.maximum(a, 1e-3)
    above, below = (scipy.special.gammainc(a + s, x) for s in (step, -step))
    return (above - below) / (2 * step)


def _function(name, compute, reference, jvp, doc, operands=("a", "x")):
    run = _in_single_precision(compute)
    primitive, function = nary_op(
        name,
        accepts=(FLOATING,) * len(operands),
        lower=lambda *xs: None,
        reference=_wide(reference),
        jvp=jvp,
        operands=operands,
        domain=(0.2, 0.9) if len(operands) == 3 else (0.3, 6.0),
        ulp=256,
        doc=doc,
    )
    del primitive.rules["lower"]
    primitive.set_rule("decompose", run)
    return primitive, function


igamma_grad_a_p, igamma_grad_a = _function(
    "igamma_grad_a",
    _igamma_grad_a,
    _slope_reference,
    (Unsupported("its derivative is not known here"),) * 2,
    "The derivative of `igamma` in a.",
)


def _gamma_density(a, x):
    return exp(sub(add(neg(x), mul(sub(a, _c(a, 1)), log(x))), lgamma(a)))


igamma_p, igamma = _function(
    "igamma",
    _igamma,
    scipy.special.gammainc,
    (
        lambda t, a, x: mul(t, igamma_grad_a(a, x)),
        lambda t, a, x: mul(t, _gamma_density(a, x)),
    ),
    "The regularized lower incomplete gamma function.",
)
igammac_p, igammac = _function(
    "igammac",
    _igammac,
    scipy.special.gammaincc,
    (
        lambda t, a, x: neg(mul(t, igamma_grad_a(a, x))),
        lambda t, a, x: neg(mul(t, _gamma_density(a, x))),
    ),
    "The regularized upper incomplete gamma function.",
)


def random_gamma_grad(a, x):
    """The derivative in `a` of samples `x` of the gamma distribution.

    Args:
        a: array of floating-point dtype, the shape of the distribution.
        x: array of samples.

    Reference: Figurnov, Mohamed, Mnih, Implicit reparameterization gradients, 2018.
    """
    return _in_single_precision(_random_gamma_grad)(a, x)


def _beta_fraction(a, b, x, active):
    """The continued fraction of the incomplete beta function (DLMF 8.17.22)."""
    small, tiny = _c(x, _epsilon(x)), _c(x, 1e-30)
    both = add(a, b)

    def guard(value):
        return where(lt(abs(value), tiny), full_like(value, 1e-30), value)

    def advance(numerator, c, d, h):
        d = div(_c(x, 1), guard(add(mul(numerator, d), _c(x, 1))))
        c = guard(add(div(numerator, c), _c(x, 1)))
        factor = mul(c, d)
        return c, d, mul(h, factor), factor

    def step(m, state):
        c, d, h = state
        twice = mul(m, _c(x, 2))
        even = div(
            mul(mul(m, sub(b, m)), x),
            mul(add(a, sub(twice, _c(x, 1))), add(a, twice)),
        )
        c, d, h, _ = advance(even, c, d, h)
        odd = div(
            mul(mul(neg(add(a, m)), add(both, m)), x),
            mul(add(a, twice), add(a, add(twice, _c(x, 1)))),
        )
        c, d, h, factor = advance(odd, c, d, h)
        return [c, d, h], gt(abs(sub(factor, _c(x, 1))), small)

    one = full_like(x, 1)
    first = sub(one, div(mul(both, x), add(a, one)))
    d = div(one, guard(first))
    return _until_converged(step, [one, d, d], active)[2]


def _betainc(a, b, x):
    wrong = bitwise_or(le(a, _c(a, 0)), le(b, _c(b, 0)))
    wrong = bitwise_or(wrong, bitwise_or(lt(x, _c(x, 0)), gt(x, _c(x, 1))))
    for value in (a, b, x):
        wrong = bitwise_or(wrong, ne(value, value))
    inside = bitwise_and(gt(x, _c(x, 0)), lt(x, _c(x, 1)))
    proper = bitwise_and(inside, _not(wrong))
    a, b, y = (
        where(proper, v, full_like(v, fill)) for v, fill in ((a, 1), (b, 1), (x, 0.5))
    )
    one = full_like(y, 1)
    # The fraction converges fast below the mean; above, exchange the tails.
    swapped = gt(y, div(add(a, one), add(add(a, b), _c(y, 2))))
    p, q = select(swapped, b, a), select(swapped, a, b)
    z = select(swapped, sub(one, y), y)
    log_beta = sub(add(lgamma(p), lgamma(q)), lgamma(add(p, q)))
    front = exp(sub(add(mul(p, log(z)), mul(q, log1p(neg(z)))), log_beta))
    tail = div(mul(front, _beta_fraction(p, q, z, proper)), p)
    result = select(swapped, sub(one, tail), tail)
    edge = select(ge(x, _c(x, 1)), one, full_like(y, 0))
    return select(wrong, full_like(y, np.nan), select(proper, result, edge))


def _beta_slope(t, a, b, x):
    log_beta = sub(add(lgamma(a), lgamma(b)), lgamma(add(a, b)))
    powers = add(mul(sub(b, _c(b, 1)), log1p(neg(x))), mul(sub(a, _c(a, 1)), log(x)))
    return mul(exp(sub(powers, log_beta)), t)


_no_shape_slope = Unsupported("the derivative in the parameters a and b is not known")
regularized_incomplete_beta_p, _beta_function = _function(
    "regularized_incomplete_beta",
    _betainc,
    scipy.special.betainc,
    (_no_shape_slope, _no_shape_slope, _beta_slope),
    "The regularized incomplete beta function.",
    operands=("a", "b", "x"),
)


def betainc(a, b, x):
    """The regularized incomplete beta function.

    Args:
        a: array of floating-point dtype, positive.
        b: array of floating-point dtype, positive.
        x: array of floating-point dtype, between 0 and 1.
    """
    return _beta_function(a, b, x)


def _clenshaw(t, coefficients):
    """The sum of Chebyshev polynomials (Clenshaw, 1955)."""
    later, latest = full_like(t, 0), full_like(t, 0)
    twice = mul(t, _c(t, 2))
    for c in coefficients[:0:-1]:
        later, latest = add(sub(mul(twice, later), latest), _c(t, c)), later
    return add(sub(mul(t, later), latest), _c(t, coefficients[0]))


def _bessel(near, far, x):
    """exp(-x) times a modified Bessel function of x >= 0; near 0 divided as stated."""
    count = 0.0 if x.dtype == np.float64 else 1e-9
    near, far = (_shortened(c, count) for c in (near, far))
    is_near = le(x, _c(x, 8))
    inner = sub(mul(select(is_near, x, full_like(x, 8)), _c(x, 0.25)), _c(x, 1))
    large = max(x, _c(x, 8))
    outer = sub(div(_c(x, 16), large), _c(x, 1))
    return is_near, _clenshaw(inner, near), mul(_clenshaw(outer, far), rsqrt(large))


def _shortened(coefficients, bound):
    """Without the last coefficients, which do not matter at this precision."""
    largest = coefficients[0]
    kept = [c for c in coefficients if c > bound * largest or -c > bound * largest]
    return coefficients[: coefficients.index(kept[-1]) + 1]


# Chebyshev coefficients of exp(-x) I(x) on [0, 8] in x/4 - 1 (of order 1: divided by x),
# and of sqrt(x) exp(-x) I(x) beyond 8 in 16/x - 1; computed to 40 digits.
_I0_NEAR = (
    0.33839763720473803,
    -0.3046826723431984,
    0.17162090152220877,
    -0.09490109704804764,
    0.04930528423967071,
    -0.02373741480589947,
    0.010546460394594998,
    -0.004324309995050576,
    0.0016394756169413357,
    -0.0005763755745385824,
    0.00018850288509584165,
    -5.754195010082104e-05,
    1.6448448070728896e-05,
    -4.4167383584587505e-06,
    1.1173875391201037e-06,
    -2.670793853940612e-07,
    6.046995022541919e-08,
    -1.300025009986248e-08,
    2.6598237246823866e-09,
    -5.189795601635263e-10,
    9.675809035373237e-11,
    -1.726826291441556e-11,
    2.95505266312964e-12,
    -4.856446783111929e-13,
    7.676185498604936e-14,
    -1.1685332877993451e-14,
    1.715391285555133e-15,
    -2.431279846547955e-16,
    3.3307945188222384e-17,
    -4.4153416464793395e-18,
    5.669178006921496e-19,
)
_I0_FAR = (
    0.4022452055070544,
    0.0033691164782556943,
    6.889758346916825e-05,
    2.8913705208347567e-06,
    2.0489185894690638e-07,
    2.266668990498178e-08,
    3.3962320257083865e-09,
    4.94060238822497e-10,
    1.1889147107846439e-11,
    -3.1499165279632416e-11,
    -1.3215811840447713e-11,
    -1.7941785315068062e-12,
    7.180124451383666e-13,
    3.8527783827421426e-13,
    1.54008621752141e-14,
    -4.150569347287222e-14,
    -9.554846698828307e-15,
    3.8116806693526224e-15,
    1.7725601330565263e-15,
    -3.425485619677219e-16,
    -2.8276239805165836e-16,
    3.461222867697461e-17,
    4.46562142029676e-17,
    -4.830504485944182e-18,
    -7.233180487874754e-18,
    9.921475412173699e-19,
    1.193650890845982e-18,
)
_I1_NEAR = (
    0.12629359322181682,
    -0.17641651835783406,
    0.1026436586898471,
    -0.05294598120809499,
    0.024726449030626516,
    -0.010564084894626197,
    0.004156422944312888,
    -0.0015135724506312532,
    0.0005122859561685758,
    -0.00016176081582589674,
    4.781565107550054e-05,
    -1.3273163656039436e-05,
    3.4702513081376785e-06,
    -8.568720264695455e-07,
    2.0032947535521353e-07,
    -4.445059128796328e-08,
    9.381537386495773e-09,
    -1.8872497517228294e-09,
    3.625590281552117e-10,
    -6.663489723502027e-11,
    1.1736186298890901e-11,
    -1.9839743977649436e-12,
    3.223793365945575e-13,
    -5.042185504727912e-14,
    7.600684294735408e-15,
    -1.1055969477353862e-15,
    1.5536319577362005e-16,
    -2.111421214358166e-17,
    2.7779141127610464e-18,
    -3.541581772542136e-19,
)
_I1_FAR = (
    0.38928811750914005,
    -0.009761097491361469,
    -0.00011058893876262371,
    -3.882564808877691e-06,
    -2.512236237870209e-07,
    -2.6314688468895196e-08,
    -3.835380385964237e-09,
    -5.589743462196584e-10,
    -1.8974958123505413e-11,
    3.2526035830154884e-11,
    1.4125807436613782e-11,
    2.0356285441470896e-12,
    -7.198551776245908e-13,
    -4.0835511110921974e-13,
    -2.1015418427726643e-14,
    4.272440016711951e-14,
    1.0420276984128802e-14,
    -3.8144030724370075e-15,
    -1.8803547755107825e-15,
    3.3082023109209285e-16,
    2.96262899764595e-16,
    -3.209525921993424e-17,
    -4.6503053684893586e-17,
    4.414348323071708e-18,
    7.517296310842105e-18,
    -9.314178867326884e-19,
    -1.242193275194891e-18,
)


def _i0e(x):
    is_near, near, far = _bessel(_I0_NEAR, _I0_FAR, abs(x))
    return select(is_near, near, far)


def _i1e(x):
    size = abs(x)
    is_near, near, far = _bessel(_I1_NEAR, _I1_FAR, size)
    return mul(sign(x), select(is_near, mul(near, size), far))


def _i1e_slope(t, x, *, out):
    safe_size = _c(x, float(np.finfo(np.float32).eps))
    is_far = gt(abs(x), safe_size)
    safe = select(is_far, x, full_like(x, float(np.finfo(np.float32).eps)))
    slope = sub(bessel_i0e(safe), mul(out, add(sign(safe), integer_pow(safe, -1))))
    return mul(t, select(is_far, slope, full_like(x, 0.5)))


def _bessel_function(name, compute, reference, jvp, doc):
    primitive, function = unary_op(
        name,
        accepts=FLOATING,
        lower=lambda ctx, x: None,
        reference=_wide(reference),
        jvp=jvp,
        domain=(-20.0, 20.0),
        ulp=32,
        doc=doc,
    )
    del primitive.rules["lower"]
    primitive.set_rule("decompose", _in_single_precision(compute))
    return primitive, function


bessel_i0e_p, bessel_i0e = _bessel_function(
    "bessel_i0e",
    _i0e,
    scipy.special.i0e,
    lambda t, x, *, out: mul(t, sub(bessel_i1e(x), mul(sign(x), out))),
    "The modified Bessel function of order 0, times ``exp(-abs(x))``.",
)
bessel_i1e_p, bessel_i1e = _bessel_function(
    "bessel_i1e",
    _i1e,
    scipy.special.i1e,
    _i1e_slope,
    "The modified Bessel function of order 1, times ``exp(-abs(x))``.",
)
