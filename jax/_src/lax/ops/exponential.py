"""Exponentials, logarithms, roots and powers."""

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, declare
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import add, div, integer_pow, max, min, mul, sub
from jax._src.lax.ops.bitwise import bitwise_and, bitwise_not
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_to
from jax._src.lax.ops.builders import (
    batch_broadcasting,
    broadcast_operands,
    nary_lowering,
    unary_op,
)
from jax._src.lax.ops.checks import (
    FLOATING,
    INEXACT,
    INTEGER,
    check_kind,
    is_complex,
    is_inexact,
    kind_of,
)
from jax._src.lax.ops.comparison import eq, ge, ne
from jax._src.lax.ops.complex_parts import complex, imag, real, real_dtype
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import full_like, scalar_like
from jax._src.lax.ops.messages import type_error
from jax._src.lax.ops.rounding import abs, ceil
from jax._src.lax.ops.selection import select

_REALS = (-20.0, 20.0)
_POSITIVE = (0.0, 20.0)
_LN_2 = float(np.log(2.0))

exp_p, exp = unary_op(
    "exp",
    accepts=INEXACT,
    lower="exponential",
    jvp=lambda t, x, *, out: mul(t, out),
    has_accuracy=True,
    reference=np.exp,
    domain=_REALS,
    ulp=4,
    doc="The exponential function.",
)


def _exp2_lowering(ctx, x, *, accuracy=None):
    (aval,) = ctx.avals_in
    if is_complex(aval.dtype):
        # By parts: an infinity times a zero imaginary part is not a number.
        part = aval.update(dtype=real_dtype(aval.dtype))
        factor = emit.full(_LN_2, part)
        parts = [emit.operation(name)(x) for name in ("real", "imag")]
        scaled = [emit.operation("multiply")(p, factor) for p in parts]
        scaled = emit.operation("complex")(*scaled)
        return emit.unary("exponential", scaled, accuracy=accuracy)
    if aval.dtype.itemsize > 2:
        return _real_exp2(x, aval, accuracy)
    # A product rounded to few digits would be far off.
    wide = aval.update(dtype=np.dtype(np.float32))
    found = _real_exp2(emit.convert(x, aval, wide), wide, accuracy)
    return emit.convert(found, wide, aval)


def _real_exp2(x, aval, accuracy):
    """2**n exp(r log 2) with x = n + r: the product's rounding stays small."""
    multiply = emit.operation("multiply")
    info = np.finfo(aval.dtype)
    # Powers of 2 beyond these are 0 and infinite, however large the rest is.
    low, high = info.minexp - info.nmant - 2, info.maxexp + 1
    bounded = emit.clamp(emit.full(low, aval), x, emit.full(high, aval))
    whole = emit.unary("round_nearest_even", bounded)
    rest = emit.operation("subtract")(bounded, whole)
    found = multiply(rest, emit.full(_LN_2, aval))
    found = emit.unary("exponential", found, accuracy=accuracy)
    # In two steps: one power may be out of range where the result is not.
    integers = aval.update(dtype=np.dtype(f"int{8 * aval.dtype.itemsize}"))
    count = emit.convert(whole, aval, integers)
    half = emit.operation("shift_right_arithmetic")(count, emit.full(1, integers))
    for power in (half, emit.operation("subtract")(count, half)):
        exponent = emit.operation("add")(power, emit.full(info.maxexp - 1, integers))
        bits = emit.operation("shift_left")(exponent, emit.full(info.nmant, integers))
        found = multiply(found, emit.bitcast(bits, aval))
    return found


exp2_p, exp2 = unary_op(
    "exp2",
    accepts=INEXACT,
    lower=_exp2_lowering,
    jvp=lambda t, x, *, out: mul(t, mul(scalar_like(x, _LN_2), out)),
    has_accuracy=True,
    reference=lambda x: np.exp2(x).astype(x.dtype),
    domain=_REALS,
    ulp=16,
    doc="Two to the power of each element.",
)
log_p, log = unary_op(
    "log",
    accepts=INEXACT,
    lower="log",
    jvp=lambda t, x: div(t, x),
    has_accuracy=True,
    reference=np.log,
    domain=_POSITIVE,
    ulp=4,
    doc="The natural logarithm.",
)


def _log2_lowering(ctx, x, *, accuracy=None):
    (aval,) = ctx.avals_in
    found = emit.unary("log", x, accuracy=accuracy)
    return emit.operation("multiply")(found, emit.full(1 / _LN_2, aval))


log2_p, log2 = unary_op(
    "log2",
    accepts=INEXACT,
    lower=_log2_lowering,
    jvp=lambda t, x: div(mul(t, scalar_like(x, 1 / _LN_2)), x),
    has_accuracy=True,
    reference=lambda x: np.log2(x).astype(x.dtype),
    domain=_POSITIVE,
    ulp=8,
    doc="The logarithm to the base 2.",
)
expm1_p, expm1 = unary_op(
    "expm1",
    accepts=INEXACT,
    lower="exponential_minus_one",
    jvp=lambda t, x, *, out: mul(t, add(out, scalar_like(out, 1))),
    has_accuracy=True,
    reference=np.expm1,
    domain=_REALS,
    ulp=16,
    doc="``exp(x) - 1``, accurate for small x.",
)
log1p_p, log1p = unary_op(
    "log1p",
    accepts=INEXACT,
    lower="log_plus_one",
    jvp=lambda t, x: div(t, add(x, scalar_like(x, 1))),
    has_accuracy=True,
    reference=np.log1p,
    domain=(-1.0, 20.0),
    ulp=4,
    doc="``log(1 + x)``, accurate for small x.",
)


def _logistic_lowering(ctx, x, *, accuracy=None):
    (aval,) = ctx.avals_in
    if is_complex(aval.dtype):
        return emit.unary("logistic", x, accuracy=accuracy)
    # Of minus the size, so that it does not overflow where the result is small.
    size = emit.unary("negate", emit.unary("abs", x))
    decay = emit.unary("exponential", size, accuracy=accuracy)
    one = emit.full(1, aval)
    is_below = emit.compare(x, emit.full(0, aval), "LT")
    above = emit.select(is_below, decay, one)
    return emit.operation("divide")(above, emit.operation("add")(one, decay))


logistic_p, logistic = unary_op(
    "logistic",
    accepts=INEXACT,
    lower=_logistic_lowering,
    jvp=lambda t, x, *, out: mul(t, mul(out, sub(scalar_like(out, 1), out))),
    has_accuracy=True,
    reference=lambda x: (1 / (1 + np.exp(-x))).astype(x.dtype),
    domain=_REALS,
    ulp=8,
    doc="The logistic function ``1 / (1 + exp(-x))``.",
)
sqrt_p, sqrt = unary_op(
    "sqrt",
    accepts=INEXACT,
    lower="sqrt",
    jvp=lambda t, x, *, out: mul(t, div(scalar_like(out, 0.5), out)),
    has_accuracy=True,
    reference=np.sqrt,
    domain=_POSITIVE,
    ulp=1,
    doc="The square root; complex ones have a real part that is not negative.",
)
rsqrt_p, rsqrt = unary_op(
    "rsqrt",
    accepts=INEXACT,
    lower="rsqrt",
    jvp=lambda t, x, *, out: mul(t, div(mul(scalar_like(out, -0.5), out), x)),
    has_accuracy=True,
    reference=lambda x: (1 / np.sqrt(x)).astype(x.dtype),
    domain=_POSITIVE,
    ulp=4,
    doc="The reciprocal of the square root.",
)
cbrt_p, cbrt = unary_op(
    "cbrt",
    accepts=FLOATING,
    lower="cbrt",
    jvp=lambda t, x, *, out: mul(t, mul(scalar_like(out, 1 / 3), integer_pow(out, -2))),
    has_accuracy=True,
    reference=np.cbrt,
    domain=_REALS,
    ulp=4,
    doc="The real cube root.",
)


def _pow_slope_base(t, x, y, *, out):
    """The derivative in the base; 0 where the exponent is 0, at every base."""
    y_float = y if _same_dtype(x, y) else convert(y, get_aval(x).dtype)
    if is_inexact(get_aval(y).dtype):
        base = _base_for_slope(x, y, np.shape(out))
        return mul(t, mul(y_float, pow(base, sub(y, scalar_like(y, 1)))))
    is_zero = eq(y, scalar_like(y, 0))
    lower = select(is_zero, full_like(y, 1), sub(y, scalar_like(y, 1)))
    slope = mul(y_float, pow(x, lower))
    shape = np.shape(slope)
    nothing = full_like(slope, 0)
    return mul(t, select(broadcast_to(is_zero, shape), nothing, slope))


def _base_for_slope(x, y, shape):
    """`x`, but 1 where `y` is 0 and powers of the reciprocal of `x` are not finite.

    There 0 times the reciprocal is 0, as the slope of a constant is. At other bases the
    product is kept, since its derivative in the exponent is the reciprocal.
    """
    if isinstance(y, float | np.generic):
        return full_like(x, 1) if y == 0 else x
    size = abs(x)
    # The square of the reciprocal is in the second derivative.
    least = float(dtypes.finfo(get_aval(size).dtype).max) ** -0.5
    is_invertible = ge(size, scalar_like(size, least))
    is_lost = bitwise_and(eq(y, scalar_like(y, 0)), bitwise_not(is_invertible))
    one, base = full_like(x, 1, shape=shape), broadcast_to(x, shape)
    return select(broadcast_to(is_lost, shape), one, base)


def _pow_slope_exponent(t, x, y, *, out):
    safe = select(eq(x, scalar_like(x, 0)), full_like(x, 1), x)
    return mul(t, mul(log(safe), out))


def _same_dtype(x, y):
    return get_aval(x).dtype == get_aval(y).dtype


@declare("pow")
class pow_p:
    """Raises to a power."""

    def types(x, y):
        check_kind("pow", x, INEXACT, "x")
        check_kind("pow", y, INEXACT | INTEGER, "y")
        if kind_of(y.dtype) & INEXACT and x.dtype != y.dtype:
            raise type_error(
                "lax.pow: base and exponent differ in dtype.",
                [("x", x.str_short()), ("y", y.str_short())],
                "The exponent has the dtype of the base, or is an integer.",
                "With promotion: jnp.power.",
            )
        shape = broadcast_operands("pow", (x, y))
        return ShapedArray(shape, x.dtype, x.weak_type and y.weak_type)

    sharding = splitting.elementwise("pow")

    def lower(ctx, x, y):
        x_aval, y_aval = ctx.avals_in
        if x_aval.dtype != y_aval.dtype:
            y = emit.convert(y, y_aval, y_aval.update(dtype=x_aval.dtype))
        return nary_lowering("power")(ctx, x, y)

    jvp = (
        lambda t, x, y, *, out: broadcast_to(
            _pow_slope_base(t, x, y, out=out), np.shape(out)
        ),
        lambda t, x, y, *, out: _pow_slope_exponent(t, x, y, out=out),
    )
    batch = batch_broadcasting(lambda *args: pow_p.bind(*args))

    def reference(x, y):
        with np.errstate(all="ignore"):
            return np.asarray(np.power(x, y.astype(x.dtype)))

    ulp = 16
    samples = [
        Sample((x, y), {})
        for x, y in [
            (np.float32([0.5, 1.5, 3.0]), np.float32([2.0, -1.5, 0.3])),
            (np.float32([0.5, 1.5, 3.0]), np.float32(2.5)),
            (np.float32(2.5), np.float32([0.5, 1.5, 3.0])),
            (np.float32([-0.5, 1.5, 3.0]), np.int32([2, -1, 0])),
            (np.complex64([1 + 2j, 0.5j]), np.complex64([0.5, 1 - 1j])),
        ]
    ]


def pow(x, y):
    """Raises `x` to the power `y`.

    Args:
        x: array of floating-point or complex dtype.
        y: array of the same dtype, or of integers.

    Raises:
        TypeError: shapes or dtypes do not fit.
    """
    if isinstance(y, int) and not isinstance(y, bool):
        return integer_pow(x, y)
    return pow_p.bind(x, y)


def _log1p_of_exp(x):
    return log1p(exp(x))


def log_of_sum(x, y, rise=_log1p_of_exp):
    """``log(exp(x) + exp(y))`` without overflow; equal infinities stay as they are.

    Args:
        x: array of floats or complex numbers.
        y: array of the same type.
        rise: the logarithm of 1 plus a power; for another base than e, of floats.

    Returns:
        The larger operand plus `rise` of minus their distance. Of complex numbers,
        the imaginary part is an angle in (-π, π].
    """
    if is_complex(get_aval(x).dtype):
        return _complex_log_of_sum(x, y)
    # Equal operands share derivatives: those of the extremes are halves there.
    larger = max(x, y)
    difference = sub(min(x, y), larger)
    # Not a number: both infinite and equal, or one NaN; the sum keeps either.
    undefined = ne(difference, difference)
    safe = select(undefined, full_like(difference, 0), difference)
    return select(undefined, add(x, y), add(larger, rise(safe)))


def _complex_log_of_sum(x, y):
    x_is_larger = ge(real(x), real(y))
    larger, smaller = select(x_is_larger, x, y), select(x_is_larger, y, x)
    total = add(larger, log1p(exp(sub(smaller, larger))))
    angle = imag(total)
    turn, half = full_like(angle, 2 * np.pi), full_like(angle, np.pi)
    turns = ceil(div(sub(angle, half), turn))
    wrapped = complex(real(total), sub(angle, mul(turns, turn)))
    both_zero = eq(real(larger), full_like(half, -np.inf))
    return select(both_zero, complex(real(larger), full_like(half, 0)), wrapped)


traceback_filter.hide_frames(globals())
