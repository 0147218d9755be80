"""The incomplete gamma functions by series, fraction and uniform expansion.

References: Gautschi, A computational procedure for incomplete gamma functions, TOMS 5,
1979; DiDonato, Morris, Computation of the incomplete gamma function ratios, TOMS 12, 1986;
Temme's expansion in `uniform_gamma`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Unsupported
from jax._src.lax.control_flow.while_loops import while_flat
from jax._src.lax.ops import uniform_gamma
from jax._src.lax.ops.arithmetic import add, div, mul, neg, sub
from jax._src.lax.ops.bitwise import bitwise_and, bitwise_or
from jax._src.lax.ops.builders import nary_op
from jax._src.lax.ops.checks import FLOATING, check_kind, check_same_dtypes
from jax._src.lax.ops.comparison import eq, gt, le, lt, ne
from jax._src.lax.ops.creation import full_like, scalar_like
from jax._src.lax.ops.exponential import exp, expm1, log
from jax._src.lax.ops.messages import type_error
from jax._src.lax.ops.reductions import reduce_or
from jax._src.lax.ops.rounding import abs
from jax._src.lax.ops.selection import select, where
from jax._src.lax.ops.special import digamma, lgamma
from jax._src.lax.ops.stirling import log_gamma_1p, log_gamma_front
from jax._src.lax.ops.wider import in_double_precision

# Terms after which a series or fraction is given up; they converge much earlier.
_MOST_TERMS = 2000
# Terms of the series of the upper function for x up to 1.
_NEAR_TERMS = 21


def _c(x, value):
    return scalar_like(x, value)


def _epsilon(x) -> float:
    return float(np.finfo(x.dtype).eps) if x.dtype.kind == "f" else 2.0**-23


def until_converged(step, state, active):
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
    _, total, _, d_total = until_converged(step, [one, one, zero, zero], active)
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
    found = until_converged(step, start, active)
    return found[2], found[5]


def _front(a, x):
    """x**a exp(-x) / gamma(1 + a)."""
    return exp(log_gamma_front(a, x))


def _upper_near_zero(a, x):
    """The upper function for x and a up to 1, without the lower one's cancellation.

    With u = a log(x) - log(gamma(1 + a)) the lower function is exp(u) (1 + a T), T the sum
    of (-x)**n / (n! (a + n)) from n = 1 on.
    """
    term, total = full_like(x, 1), full_like(x, 0)
    for n in range(1, _NEAR_TERMS):
        term = mul(term, div(neg(x), _c(x, float(n))))
        total = add(total, div(term, add(a, _c(a, float(n)))))
    u = sub(mul(a, log(x)), log_gamma_1p(a))
    return neg(add(expm1(u), mul(mul(a, total), exp(u))))


class _Regions(NamedTuple):
    """Arguments made harmless, and masks of where each method computes.

    Attributes:
        proper: where both arguments are positive and finite.
        below: where the lower function is the smaller one.
        uniform, series, fraction: where each expansion is used.
        a, x: the arguments; 1 where they are not proper.
    """

    proper: Any
    below: Any
    uniform: Any
    series: Any
    fraction: Any
    a: Any
    x: Any


def _regions(a, x) -> _Regions:
    proper = bitwise_and(gt(a, _c(a, 0)), gt(x, _c(x, 0)))
    proper = bitwise_and(proper, lt(x, _c(x, np.inf)))
    proper = bitwise_and(proper, lt(a, _c(a, np.inf)))
    safe_a, safe_x = (where(proper, v, full_like(v, 1)) for v in (a, x))
    below = bitwise_or(le(safe_x, _c(x, 1)), le(safe_x, safe_a))
    uniform = bitwise_and(proper, uniform_gamma.is_uniform(safe_a, safe_x))
    other = bitwise_and(proper, _not(uniform))
    series = bitwise_and(other, below)
    fraction = bitwise_and(other, _not(below))
    return _Regions(proper, below, uniform, series, fraction, safe_a, safe_x)


def _uniform_arguments(r: _Regions):
    """The arguments where the uniform expansion is used, and else harmless ones."""
    return (select(r.uniform, v, full_like(v, 32)) for v in (r.a, r.x))


def _not(mask):
    return eq(mask, full_like(mask, False))


def _lower_and_upper(a, x):
    """Both functions, each computed where it is the smaller of the two."""
    r = _regions(a, x)
    front = _front(r.a, r.x)
    total, _ = _series(r.a, r.x, r.series)
    upper, _ = _fraction(r.a, r.x, r.fraction)
    by_series, by_fraction = mul(total, front), mul(mul(upper, front), r.a)
    one = full_like(x, 1)
    is_near = bitwise_and(le(r.x, one), le(r.a, one))
    near = _upper_near_zero(*(select(is_near, v, full_like(v, 1)) for v in (r.a, r.x)))
    complement = select(is_near, near, sub(one, by_series))
    lower = select(r.below, by_series, sub(one, by_fraction))
    upper = select(r.below, complement, by_fraction)
    uniform = uniform_gamma.lower_and_upper(*_uniform_arguments(r))
    lower, upper = (
        select(r.uniform, u, v) for u, v in zip(uniform, (lower, upper), strict=True)
    )
    return r.proper, lower, upper


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
    """The lower function's derivative in a, divided by x times that in x."""
    r = _regions(a, x)
    total, d_total = _series(r.a, r.x, r.series)
    upper, d_upper = _fraction(r.a, r.x, r.fraction)
    # log(x) and digamma(1 + a) cancel where x is near a; otherwise nothing is lost.
    change = sub(log(r.x), digamma(add(r.a, _c(r.a, 1))))
    inverse = div(full_like(r.a, 1), r.a)
    by_series = mul(add(d_total, mul(total, change)), inverse)
    by_fraction = neg(add(d_upper, mul(upper, add(change, inverse))))
    found = select(r.below, by_series, by_fraction)
    uniform = uniform_gamma.slope_in_a(*_uniform_arguments(r))
    return r, select(r.uniform, uniform, found)


def _igamma_grad_a(a, x):
    r, slope = _slopes(a, x)
    wrong = bitwise_or(lt(x, _c(x, 0)), le(a, _c(a, 0)))
    wrong = bitwise_or(wrong, bitwise_or(ne(a, a), ne(x, x)))
    found = mul(mul(slope, _front(r.a, r.x)), r.a)
    found = select(r.proper, found, full_like(x, 0))
    return select(wrong, full_like(x, np.nan), found)


def _random_gamma_grad(a, x):
    r, slope = _slopes(a, x)
    wrong = bitwise_or(lt(x, _c(x, 0)), le(a, _c(a, 0)))
    wrong = bitwise_or(wrong, bitwise_or(ne(a, a), ne(x, x)))
    found = select(r.proper, neg(mul(slope, r.x)), full_like(x, 0))
    return select(wrong, full_like(x, np.nan), found)


def incomplete_function(name, compute, reference, jvp, doc, operands=("a", "x")):
    """A primitive that is a program of others, and its function."""
    run = in_double_precision(compute)
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


igamma_grad_a_p, igamma_grad_a = incomplete_function(
    "igamma_grad_a",
    _igamma_grad_a,
    "jax._src.lax.ops.numpy_oracles.igamma_slope",
    (Unsupported("its derivative is not known here"),) * 2,
    "The derivative of `igamma` in a.",
)


def _density_of_gamma(a, x):
    """The derivative of `igamma` in x; at 0 that of the limit."""
    proper = bitwise_and(gt(x, _c(x, 0)), gt(a, _c(a, 0)))
    proper = bitwise_and(proper, lt(x, _c(x, np.inf)))
    proper = bitwise_and(proper, lt(a, _c(a, np.inf)))
    p, y = (select(proper, v, full_like(v, 1)) for v in (a, x))
    found = mul(exp(sub(log_gamma_front(p, y), log(y))), p)
    edge = exp(sub(add(neg(x), mul(sub(a, _c(a, 1)), log(x))), lgamma(a)))
    return select(proper, found, edge)


def _gamma_density(a, x):
    return in_double_precision(_density_of_gamma)(a, x)


igamma_p, igamma = incomplete_function(
    "igamma",
    _igamma,
    "scipy.special.gammainc",
    (
        lambda t, a, x: mul(t, igamma_grad_a(a, x)),
        lambda t, a, x: mul(t, _gamma_density(a, x)),
    ),
    "The regularized lower incomplete gamma function.",
)
igammac_p, igammac = incomplete_function(
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
        raise type_error(
            "lax.random_gamma_grad: the number of arguments is wrong.",
            [("arguments", len(args))],
            "They are the shape of the distribution and the samples.",
        )
    a, x = args
    check_kind("random_gamma_grad", get_aval(a), FLOATING, "a")
    check_same_dtypes("random_gamma_grad", [get_aval(a), get_aval(x)])
    return in_double_precision(_random_gamma_grad)(a, x)


traceback_filter.hide_frames(globals())
