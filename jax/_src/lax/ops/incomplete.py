"""Special functions that are series and fractions: gamma, beta and Bessel kin."""

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Unsupported
from jax._src.lax.control_flow.while_loops import while_flat
from jax._src.lax.ops.arithmetic import add, div, mul, neg, sub
from jax._src.lax.ops.bitwise import bitwise_and, bitwise_or
from jax._src.lax.ops.broadcasting import broadcast_to
from jax._src.lax.ops.builders import broadcast_operands, nary_op
from jax._src.lax.ops.checks import FLOATING, check_kind, check_same_dtypes
from jax._src.lax.ops.comparison import eq, ge, gt, le, lt, ne
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import full_like, scalar_like
from jax._src.lax.ops.exponential import exp, log, log1p
from jax._src.lax.ops.messages import explain
from jax._src.lax.ops.reductions import reduce_or
from jax._src.lax.ops.rounding import abs
from jax._src.lax.ops.selection import select, where
from jax._src.lax.ops.special import digamma, lgamma
from jax._src.lax.ops.stirling import log_beta, log_beta_density, log_gamma_density

# Terms after which a series or fraction is given up; they converge much earlier, except
# where both arguments are huge.
_MOST_TERMS = 2000


def _c(x, value):
    return scalar_like(x, value)


def _epsilon(x) -> float:
    return float(np.finfo(x.dtype).eps) if x.dtype.kind == "f" else 2.0**-23


def in_single_precision(fun):
    """Half-precision operands are computed with in float32."""

    def compute(*args):
        dtype = np.dtype(get_aval(args[0]).dtype)
        args = _together(*args)
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
    return exp(log_gamma_density(a, x))


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


def _improper(a, x):
    """Where neither function has a value."""
    wrong = bitwise_or(lt(x, _c(x, 0)), lt(a, _c(a, 0)))
    wrong = bitwise_or(wrong, bitwise_or(ne(a, a), ne(x, x)))
    is_zero, infinity = eq(a, _c(a, 0)), _c(x, np.inf)
    wrong = bitwise_or(wrong, bitwise_and(is_zero, eq(x, _c(x, 0))))
    both = bitwise_and(eq(x, infinity), eq(a, infinity))
    return bitwise_or(wrong, both), is_zero


def _igamma(a, x):
    proper, lower, _ = _lower_and_upper(a, x)
    wrong, is_zero = _improper(a, x)
    is_all = bitwise_and(eq(x, _c(x, np.inf)), lt(a, _c(a, np.inf)))
    is_all = bitwise_or(is_all, is_zero)
    edge = select(is_all, full_like(x, 1), full_like(x, 0))
    return select(wrong, full_like(x, np.nan), select(proper, lower, edge))


def _igammac(a, x):
    proper, _, upper = _lower_and_upper(a, x)
    wrong, is_zero = _improper(a, x)
    is_none = bitwise_and(eq(x, _c(x, np.inf)), lt(a, _c(a, np.inf)))
    is_none = bitwise_or(is_none, is_zero)
    edge = select(is_none, full_like(x, 0), full_like(x, 1))
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


def _function(name, compute, reference, jvp, doc, operands=("a", "x")):
    run = in_single_precision(compute)
    primitive, function = nary_op(
        name,
        accepts=(FLOATING,) * len(operands),
        lower=lambda *xs: None,
        reference=reference,
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
    "jax._src.lax.ops.numpy_oracles.igamma_slope",
    (Unsupported("its derivative is not known here"),) * 2,
    "The derivative of `igamma` in a.",
)


def _together(*xs):
    """The operands, repeated to their common shape."""
    shape = broadcast_operands("special", [get_aval(x) for x in xs])
    return [broadcast_to(x, shape) for x in xs]


def _gamma_density(a, x):
    """The derivative of `igamma` in x; at 0 that of the limit."""
    a, x = _together(a, x)
    plain = exp(sub(add(neg(x), mul(sub(a, _c(a, 1)), log(x))), lgamma(a)))
    near = div(_density(a, x), x)
    return select(bitwise_and(gt(x, _c(x, 0)), ge(a, _c(a, 10))), near, plain)


igamma_p, igamma = _function(
    "igamma",
    _igamma,
    "scipy.special.gammainc",
    (
        lambda t, a, x: mul(t, igamma_grad_a(a, x)),
        lambda t, a, x: mul(t, _gamma_density(a, x)),
    ),
    "The regularized lower incomplete gamma function.",
)
igammac_p, igammac = _function(
    "igammac",
    _igammac,
    "scipy.special.gammaincc",
    (
        lambda t, a, x: neg(mul(t, igamma_grad_a(a, x))),
        lambda t, a, x: neg(mul(t, _gamma_density(a, x))),
    ),
    "The regularized upper incomplete gamma function.",
)


def random_gamma_grad(*args):
    """The derivative in `a` of samples `x` of the gamma distribution.

    Args:
        *args: `a`, array of floating-point dtype, the shape of the distribution; and `x`,
            array of samples.

    Raises:
        TypeError: there are not two operands, or they differ in shape or dtype,
            or are no floating-point numbers.

    Reference: Figurnov, Mohamed, Mnih, Implicit reparameterization gradients, 2018.
    """
    if len(args) != 2:
        raise TypeError(
            explain(
                "lax.random_gamma_grad: the number of arguments is wrong.",
                [("arguments", len(args))],
                "They are the shape of the distribution and the samples.",
            )
        )
    a, x = args
    check_kind("random_gamma_grad", get_aval(a), FLOATING, "a")
    check_same_dtypes("random_gamma_grad", [get_aval(a), get_aval(x)])
    return in_single_precision(_random_gamma_grad)(a, x)


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
    proper = bitwise_and(inside, _not(bitwise_or(wrong, bitwise_or(to_0, to_1))))
    a, b, y = (
        where(proper, v, full_like(v, fill)) for v, fill in ((a, 1), (b, 1), (x, 0.5))
    )
    one = full_like(y, 1)
    # The fraction converges fast below the mean; above, exchange the tails.
    swapped = gt(y, div(add(a, one), add(add(a, b), _c(y, 2))))
    p, q = select(swapped, b, a), select(swapped, a, b)
    z = select(swapped, sub(one, y), y)
    front = exp(log_beta_density(p, q, z))
    tail = div(mul(front, _beta_fraction(p, q, z, proper)), p)
    result = select(swapped, sub(one, tail), tail)
    is_all = bitwise_or(ge(x, _c(x, 1)), bitwise_and(to_0, gt(x, _c(x, 0))))
    edge = select(is_all, one, full_like(y, 0))
    return select(wrong, full_like(y, np.nan), select(proper, result, edge))


def _beta_slope(t, a, b, x):
    a, b, x = _together(a, b, x)
    powers = add(mul(sub(b, _c(b, 1)), log1p(neg(x))), mul(sub(a, _c(a, 1)), log(x)))
    return mul(exp(sub(powers, log_beta(a, b))), t)


_no_shape_slope = Unsupported("the derivative in the parameters a and b is not known")
regularized_incomplete_beta_p, _beta_function = _function(
    "regularized_incomplete_beta",
    _betainc,
    "scipy.special.betainc",
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

    Raises:
        TypeError: the operands differ in dtype or shape, or are not of floats.
    """
    return _beta_function(a, b, x)


traceback_filter.hide_frames(globals())
