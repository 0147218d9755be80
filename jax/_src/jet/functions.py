"""The rules of the operations of `jax.lax` that do not follow from their traits."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.core import avals, primitive
from jax._src.jet import api, compose, programs as programs, series as series_lib, trace
from jax._src.jet.series import zero_series
from jax._src.jet.trace import jet_rules
from jax._src.lax.ops import (
    arithmetic,
    complex_parts,
    conversion,
    cumulative,
    dynamic_slicing,
    exponential,
    gather,
    reductions,
    rounding,
    scatter,
    selection,
    sorting,
    special,
    trigonometric,
    windows,
)
from jax._src.numpy import lax_api as lax

Terms = Sequence[Any]


def _of_one(prim: primitive.Primitive) -> Callable:
    """Decorates a rule of one operand: ``(value, [x, x_1, …]) -> [y, y_1, …]``."""

    def decorate(fun):
        def rule(primals, series, **params):
            (x,), (terms,) = primals, series
            out, *rest = fun(prim.bind(x, **params), [x, *terms])
            return out, rest

        jet_rules[prim] = rule
        return fun

    return decorate


@_of_one(exponential.exp_p)
def _exp(out: Any, moved: Terms) -> Terms:
    return series_lib.solved(out, moved, lambda y: y[-1])


@_of_one(exponential.exp2_p)
def _exp2(out: Any, moved: Terms) -> Terms:
    return series_lib.solved(out, moved, lambda y: y[-1] * math.log(2.0))


@_of_one(exponential.expm1_p)
def _expm1(out: Any, moved: Terms) -> Terms:
    rate = lambda y: lax.exp(moved[0]) if len(y) == 1 else y[-1]  # noqa: E731
    return series_lib.solved(out, moved, rate)


@_of_one(exponential.logistic_p)
def _logistic(out: Any, moved: Terms) -> Terms:
    return series_lib.solved(out, moved, lambda y: y[-1] - _squared(y))


@_of_one(trigonometric.tanh_p)
def _tanh(out: Any, moved: Terms) -> Terms:
    return series_lib.solved(out, moved, lambda y: _one_at_first(y) - _squared(y))


@_of_one(trigonometric.tan_p)
def _tan(out: Any, moved: Terms) -> Terms:
    return series_lib.solved(out, moved, lambda y: _one_at_first(y) + _squared(y))


@_of_one(special.erf_inv_p)
def _erf_inv(out: Any, moved: Terms) -> Terms:
    # The derivative is exp(y²) √π / 2: its series grows with that of y.
    squares: list[Any] = []
    rates: list[Any] = []

    def rate(y):
        squares.append(_squared(y))
        if len(y) == 1:
            rates.append(lax.exp(squares[0]) * (math.sqrt(math.pi) / 2))
        else:
            rates.append(series_lib.integrated(rates, squares, len(y) - 1))
        return rates[-1]

    return series_lib.solved(out, moved, rate)


def _squared(y):
    """The last known term of the square of a series."""
    return series_lib.convolved(y, y, len(y) - 1)


def _one_at_first(y):
    return 1.0 if len(y) == 1 else 0.0


@_of_one(exponential.log_p)
def _log(out: Any, moved: Terms) -> Terms:
    return _logarithm(out, moved, moved[0])


@_of_one(exponential.log1p_p)
def _log1p(out: Any, moved: Terms) -> Terms:
    return _logarithm(out, moved, moved[0] + 1)


def _logarithm(out, moved, base):
    """The terms of ``log(base + …)``: of ``y' · x = x'``."""
    y = [out]
    for k in range(1, len(moved)):
        known = [j * y[j] * moved[k - j] for j in range(1, k)]
        rest = moved[k] - series_lib.total(known) / k if known else moved[k]
        y.append(rest / base)
    return y


@_of_one(exponential.sqrt_p)
def _sqrt(out: Any, moved: Terms) -> Terms:
    y = [out]
    for k in range(1, len(moved)):
        known = [y[j] * y[k - j] for j in range(1, k)]
        y.append(
            (moved[k] - series_lib.total(known) if known else moved[k]) / (2 * out)
        )
    return y


@_of_one(exponential.rsqrt_p)
def _rsqrt(out: Any, moved: Terms) -> Terms:
    return _power(out, moved, -0.5)


@_of_one(exponential.cbrt_p)
def _cbrt(out: Any, moved: Terms) -> Terms:
    return _power(out, moved, 1 / 3)


def _power(out, moved, exponent):
    """Returns the terms of a power with a constant exponent: of ``y' · x = r · x' · y``."""
    y = [out]
    for k in range(1, len(moved)):
        known = [
            (j * exponent - (k - j)) * moved[j] * y[k - j] for j in range(1, k + 1)
        ]
        y.append(series_lib.total(known) / (k * moved[0]))
    return y


def _abs(primals, series, **params):
    # Of complex numbers it is no line anywhere.
    is_real = avals.get_aval(primals[0]).dtype.kind != "c"
    prop = trace.pointwise_prop if is_real else trace.derivatives_prop
    return prop(rounding.abs_p, primals, series, **params)


def _pow(primals, series, **params):
    (base, exponent), (moved, exponents) = primals, series
    out = exponential.pow_p.bind(base, exponent, **params)
    if exponents is zero_series or not series_lib.can_move(exponent):
        fixed = conversion.convert_element_type(exponent, out.dtype)
        return out, _power(out, [base, *moved], fixed)[1:]
    if moved is zero_series:
        scale = lax.log(base)
        return out, series_lib.solved(
            out, [exponent, *exponents], lambda y: y[-1] * scale
        )[1:]
    first, rest = api.jet2(lambda x, y: y * lax.log(x), primals, series)
    return out, series_lib.solved(out, [first, *rest], lambda y: y[-1])[1:]


def _integer_pow(primals, series, *, y):
    (x,), (terms,) = primals, series
    out = arithmetic.integer_pow_p.bind(x, y=y)
    if y == 0:
        return out, zero_series
    moved, power = [x, *terms], None
    factor, left = moved, abs(y)
    while left:
        if left % 2:
            power = factor if power is None else _product(power, factor)
        factor = _product(factor, factor) if left > 1 else factor
        left //= 2
    if y < 0:
        power = _reciprocal(power)
    return out, power[1:]


def _product(left, right):
    return [series_lib.convolved(left, right, k) for k in range(len(left))]


def _reciprocal(moved):
    return _quotient(1 / moved[0], [None] * len(moved), moved)


def _quotient(out, above, below):
    """The terms of a quotient; those of `above` that are None are zero."""
    y = [out]
    for k in range(1, len(below)):
        known = series_lib.total([y[j] * below[k - j] for j in range(k)])
        y.append((-known if above[k] is None else above[k] - known) / below[0])
    return y


def _div(primals, series, **params):
    above, below = ([p, *t] for p, t in zip(primals, series, strict=True))
    out = arithmetic.div_p.bind(*primals, **params)
    return out, _quotient(out, above, below)[1:]


def _wave(number, functions, sign):
    """The rule of one of two functions that are each other's derivative, up to the sign of one."""

    def rule(primals, series, **_):
        (x,), (terms,) = primals, series
        moved = [x, *terms]
        s, c = ([f(x)] for f in functions)
        for k in range(1, len(moved)):
            s.append(series_lib.integrated(c, moved, k))
            c.append(sign * series_lib.integrated(s[:k], moved, k))
        out, *rest = (s, c)[number]
        return out, rest

    return rule


def _atan2(primals, series, **params):
    out = trigonometric.atan2_p.bind(*primals, **params)

    def rate_times_squares(y, x):
        return y, x

    (y, x), (ys, xs) = api.jet2(rate_times_squares, primals, series)
    y, x = [y, *ys], [x, *xs]
    squares = [
        series_lib.convolved(x, x, k) + series_lib.convolved(y, y, k)
        for k in range(len(x))
    ]
    # d(angle)/dt · (x² + y²) = x y' - y x'
    angle = [out]
    for k in range(1, len(x)):
        turn = series_lib.total(
            [j * (x[k - j] * y[j] - y[k - j] * x[j]) for j in range(1, k + 1)]
        )
        known = [j * angle[j] * squares[k - j] for j in range(1, k)]
        turn = turn - series_lib.total(known) if known else turn
        angle.append(turn / (k * squares[0]))
    return out, angle[1:]


jet_rules.set_seeing_zeros(
    arithmetic.mul_p, functools.partial(trace.bilinear_prop, arithmetic.mul_p)
)
for _prim in (
    arithmetic.add_p,
    arithmetic.sub_p,
    complex_parts.complex_p,
    complex_parts.conj_p,
    conversion.convert_element_type_p,
):
    trace.deflinear(_prim)
jet_rules[rounding.abs_p] = _abs
jet_rules.set_seeing_zeros(exponential.pow_p, _pow)
jet_rules[arithmetic.integer_pow_p] = _integer_pow
jet_rules[arithmetic.div_p] = _div
jet_rules[trigonometric.sin_p] = _wave(0, (lax.sin, lax.cos), -1)
jet_rules[trigonometric.cos_p] = _wave(1, (lax.sin, lax.cos), -1)
jet_rules[trigonometric.sinh_p] = _wave(0, (lax.sinh, lax.cosh), 1)
jet_rules[trigonometric.cosh_p] = _wave(1, (lax.sinh, lax.cosh), 1)
jet_rules[trigonometric.atan2_p] = _atan2

compose.def_comp(arithmetic.square_p, lambda x: x * x)
compose.def_deriv(trigonometric.asin_p, lambda x: lax.rsqrt(1 - x * x))
compose.def_deriv(trigonometric.acos_p, lambda x: -lax.rsqrt(1 - x * x))
compose.def_deriv(trigonometric.atan_p, lambda x: 1 / (1 + x * x))
compose.def_deriv(trigonometric.asinh_p, lambda x: lax.rsqrt(x * x + 1))
compose.def_deriv(trigonometric.acosh_p, lambda x: lax.rsqrt(x - 1) * lax.rsqrt(x + 1))
compose.def_deriv(trigonometric.atanh_p, lambda x: 1 / (1 - x * x))
compose.def_deriv(special.erf_p, lambda x: lax.exp(-x * x) * (2 / math.sqrt(math.pi)))
compose.def_deriv(special.erfc_p, lambda x: lax.exp(-x * x) * (-2 / math.sqrt(math.pi)))
compose.def_deriv(special.lgamma_p, special.digamma)

for _prim in (
    arithmetic.max_p,
    arithmetic.min_p,
    selection.clamp_p,
    selection.select_n_p,
    reductions.reduce_max_p,
    reductions.reduce_min_p,
    cumulative.cummax_p,
    cumulative.cummin_p,
    sorting.sort_p,
    sorting.top_k_p,
    windows.reduce_window_max_p,
    windows.reduce_window_min_p,
    gather.gather_p,
    dynamic_slicing.dynamic_slice_p,
    dynamic_slicing.dynamic_update_slice_p,
    scatter.scatter_p,
    scatter.scatter_add_p,
):
    trace.defpointwise(_prim)
