"""Sums, differences, products, quotients, powers with whole exponents, extremes."""

import functools as ft
import operator
from collections.abc import Callable

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core import slots, unreduced
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.interpreters import ad, mlir
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.broadcast_and_reduce_sum import batch_in_front
from jax._src.lax.ops.builders import (
    batch_broadcasting,
    binary_op,
    broadcast_operands,
    nary_lowering,
    unary_op,
    unbroadcast_to,
)
from jax._src.lax.ops.checks import (
    ANY,
    INTEGER,
    NUMBER,
    check_kind,
    check_same_dtypes,
    is_complex,
    kind_of,
)
from jax._src.lax.ops.comparison import eq
from jax._src.lax.ops.creation import full_like, scalar_like
from jax._src.lax.ops.messages import type_error
from jax._src.lax.ops.reshaping import counting
from jax._src.lax.ops.selection import select

neg_p, neg = unary_op(
    "neg",
    accepts=NUMBER,
    lower="negate",
    linear_transpose=lambda ct, x: neg(ct),
    reference=np.negative,
    doc="Changes the sign; integers wrap around.",
)

add_p, add = binary_op(
    "add",
    accepts=NUMBER,
    lower="add",
    jvp=(lambda t, x, y: t, lambda t, x, y: t),
    transpose=lambda ct, x, y: [unbroadcast_to(x, ct), unbroadcast_to(y, ct)],
    reference=np.add,
    tip="jnp.add",
    sums=lambda x, y: unreduced.of_linear("add", (x, y), strict=True),
    doc="Adds; integers wrap around.",
)

sub_p, sub = binary_op(
    "sub",
    accepts=NUMBER,
    lower="subtract",
    jvp=(lambda t, x, y: t, lambda t, x, y: neg(t)),
    transpose=lambda ct, x, y: [
        unbroadcast_to(x, ct),
        unbroadcast_to(y, neg(ct)) if ad.is_undefined_primal(y) else None,
    ],
    reference=np.subtract,
    tip="jnp.subtract",
    sums=lambda x, y: unreduced.of_linear("sub", (x, y), strict=True),
    doc="Subtracts; integers wrap around.",
)


@declare("add_any", traits=Trait.LINEAR | Trait.ELEMENTWISE)
class add_any_p:
    """Adds two tangents or cotangents of one type."""

    def types(x, y):
        return x if x == y else x.update(weak_type=x.weak_type and y.weak_type)

    sharding = splitting.elementwise("add_any")

    def lower(ctx, x, y):
        dtype = ctx.avals_in[0].dtype
        if dtypes.is_extended(dtype):
            return mlir.lower_fun(dtype.add, multiple_results=False)(ctx, x, y)
        return emit.operation("add")(x, y)

    def transpose(ct, x, y):
        return [ct, ct]

    def batch(axis, args, dims):
        if dims[0] == dims[1]:
            return add_any_p.bind(*args), dims[0]
        x, y = (
            batch_in_front(x, dim, axis.size) for x, dim in zip(args, dims, strict=True)
        )
        return add_any_p.bind(x, y), 0

    def reference(x, y):
        return x + y

    samples = [Sample((counting(2, 3), counting(2, 3)), {})]


# Class of values that are not arrays -> (x, y) -> x + y.
library_adders: dict[type, Callable] = {}


@slots.add_cotangents.fill
def add_any(x, y):
    """The sum of two tangents or cotangents of one type."""
    if library_adders and type(x) in library_adders:
        return library_adders[type(x)](x, y)
    if getattr(x, "dtype", None) == dtypes.float0:
        return x
    return add_any_p.bind(x, y)


@declare("mul", traits=Trait.ELEMENTWISE)
class mul_p:
    """Multiplies; integers wrap around."""

    def types(x, y, *, out_dtype=None):
        for aval, operand in ((x, "x"), (y, "y")):
            check_kind("mul", aval, NUMBER, operand)
        check_same_dtypes("mul", (x, y), "jnp.multiply")
        shape = broadcast_operands("mul", (x, y))
        if out_dtype is None:
            return ShapedArray(shape, x.dtype, x.weak_type and y.weak_type)
        return ShapedArray(shape, out_dtype)

    sharding = splitting.elementwise("mul")

    def sums(x, y, **params):
        return unreduced.of_product("mul", (x, y))

    jvp = (
        lambda t, x, y, *, out_dtype=None: mul(t, y, out_dtype=out_dtype),
        lambda t, x, y, *, out_dtype=None: mul(x, t, out_dtype=out_dtype),
    )

    def transpose(ct, x, y, *, out_dtype=None):
        linear = x if ad.is_undefined_primal(x) else y
        if out_dtype is not None:
            ct = slots.convert(ct, linear.aval.dtype, False)
        if ad.is_undefined_primal(x):
            return [unbroadcast_to(x, mul(ct, y)), None]
        return [None, unbroadcast_to(y, mul(x, ct))]

    def lower(ctx, x, y, *, out_dtype=None):
        out = ctx.avals_out[0]
        x, y = (
            emit.convert(value, aval, aval.update(dtype=out.dtype))
            if aval.dtype != out.dtype
            else value
            for value, aval in zip((x, y), ctx.avals_in, strict=True)
        )
        return nary_lowering("multiply")(ctx, x, y)

    batch = batch_broadcasting(lambda *args, **params: mul_p.bind(*args, **params))

    def show(*, out_dtype=None):
        return {} if out_dtype is None else {"out_dtype": out_dtype}

    def reference(x, y, *, out_dtype=None):
        with np.errstate(all="ignore"):
            if out_dtype is not None:
                x, y = x.astype(out_dtype), y.astype(out_dtype)
            return np.asarray(_multiply(x, y))

    samples = [
        Sample(operands, {"out_dtype": dtype})
        for operands, dtype in [
            ((counting(2, 3), counting(2, 3)), None),
            ((counting(2, 3), np.float32(2.5)), None),
            ((np.float32(2.5), counting(2, 3)), None),
            ((counting(2, 1), counting(1, 3)), None),
            ((np.int32([2**30, -7, 3]), np.int32([4, 5, -6])), None),
            ((np.uint8([200, 3]), np.uint8([2, 7])), None),
            ((np.complex64([1 + 2j, -1j]), np.complex64([3 - 1j, 2])), None),
            ((np.int8([100, -3]), np.int8([100, 7])), np.dtype(np.int32)),
        ]
    ]


def _multiply(x, y):
    """Multiplies complex numbers by the textbook formula, which makes NaN of some infinities."""
    if not is_complex(x.dtype):
        return np.multiply(x, y)
    a, b, c, d = x.real, x.imag, y.real, y.imag
    return ((a * c - b * d) + 1j * (a * d + b * c)).astype(x.dtype)


def mul(x, y, *, out_dtype=None):
    """Multiplies corresponding elements; integers wrap around.

    Args:
        x: array of numbers.
        y: array of the same dtype; shapes are equal, except that sizes of 1 and
            scalars are repeated.
        out_dtype: the dtype in which to multiply; default: that of the operands.

    Raises:
        TypeError: shapes or dtypes do not fit.
    """
    if out_dtype is not None:
        out_dtype = dtypes.check_and_canonicalize_user_dtype(out_dtype, "mul")
        types = [get_aval(v) for v in (x, y)]
        if types[0].dtype != types[1].dtype:
            for aval, operand in zip(types, "xy", strict=True):
                check_kind("mul", aval, NUMBER, operand)
            x, y = (
                slots.convert(v, out_dtype, aval.weak_type)
                for v, aval in zip((x, y), types, strict=True)
            )
    return mul_p.bind(x, y, out_dtype=out_dtype)


def _divide(x, y):
    if is_complex(x.dtype):
        return x / y
    if not kind_of(x.dtype) & INTEGER:
        return np.divide(x, y)
    wide_x, wide_y = x.astype(object), y.astype(object)

    def quotient(a, b):
        if b == 0:
            return -1
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)

    return _wrap(np.frompyfunc(quotient, 2, 1)(wide_x, wide_y), x.dtype)


def _remainder(x, y):
    if not kind_of(x.dtype) & INTEGER:
        return np.fmod(x, y)

    def remainder(a, b):
        return a if b == 0 else (abs(a) % abs(b)) * (-1 if a < 0 else 1)

    result = np.frompyfunc(remainder, 2, 1)(x.astype(object), y.astype(object))
    return _wrap(result, x.dtype)


def _wrap(integers, dtype):
    """Wraps Python integers around to the range of a fixed-width dtype."""
    bits = np.dtype(dtype).itemsize * 8
    unsigned = np.asarray(np.asarray(integers, object) % 2**bits, dtype=f"u{bits // 8}")
    return unsigned.view(dtype)


div_p, div = binary_op(
    "div",
    accepts=NUMBER,
    lower="divide",
    jvp=(
        lambda t, x, y: div(t, y),
        lambda t, x, y: mul(mul(neg(t), x), integer_pow(y, -2)),
    ),
    transpose=lambda ct, x, y: [unbroadcast_to(x, div(ct, y)), None],
    reference=_divide,
    tip="jnp.divide",
    doc="Divides; integers round towards zero, and give -1 for a divisor of zero.",
)


@declare("integer_pow", traits=Trait.ELEMENTWISE)
class integer_pow_p:
    """Raises to a fixed whole exponent."""

    def types(x, *, y):
        check_kind("integer_pow", x, NUMBER, "x")
        if y < 0 and kind_of(x.dtype) & INTEGER:
            raise type_error(
                "lax.integer_pow: Integers cannot be raised to negative powers.",
                [("x", x.str_short()), ("y", y)],
                "Negative powers of integers are fractions.",
                "For a fraction: convert x to a floating-point dtype first.",
            )
        return x

    sharding = splitting.like_first

    def lower(ctx, x, *, y):
        return emit.integer_pow(x, y, ctx.avals_in[0])

    jvp = (lambda t, x, *, y: mul(t, _power_slope(x, y)),)

    def batch(axis, args, dims, *, y):
        return integer_pow_p.bind(*args, y=y), dims[0]

    def reference(x, *, y):
        with np.errstate(all="ignore"):
            powers = ft.reduce(np.multiply, [x] * abs(y), np.ones_like(x))
            return powers if y >= 0 else (np.ones_like(x) / powers).astype(x.dtype)

    ulp = 8
    samples = [
        Sample((x,), {"y": y})
        for x, y in [
            (np.float32([-2.0, 0.5, 3.0]), 3),
            (np.float32([-2.0, 0.5, 3.0]), -2),
            (np.float32([-2.0, 0.0, 3.0]), 0),
            (np.float32([-2.0, 0.5, 3.0]), 1),
            (np.float32([-1.5, 0.5, 1.25]), 13),
            (np.int32([-2, 7, 3]), 5),
            (np.complex64([1 + 2j, -1j]), 4),
        ]
    ]


def _power_slope(x, y):
    if y in (0, 1):
        return full_like(x, y)
    rest = x if y == 2 else integer_pow(x, y - 1)
    return mul(scalar_like(x, y), rest)


def integer_pow(x, y):
    """Raises to a fixed whole exponent, by repeated multiplication.

    Args:
        x: array of numbers.
        y: an integer; not negative if `x` is of integers.

    Raises:
        TypeError: `y` is not an integer, or negative with integers.
    """
    return integer_pow_p.bind(x, y=operator.index(y))


def reciprocal(x):
    """The reciprocal ``1/x`` of floats and complex numbers.

    Args:
        x: array of any shape and floating-point or complex dtype.

    Returns:
        Array of the same shape and dtype.

    Raises:
        TypeError: `x` is of integers.
    """
    return integer_pow(x, -1)


square_p, square = unary_op(
    "square",
    accepts=NUMBER,
    lower=lambda ctx, x: emit.operation("multiply")(x, x),
    jvp=lambda t, x: mul(t, mul(scalar_like(x, 2), x)),
    reference=lambda x: _multiply(x, x),
    doc="The square of each element.",
)


def _one_minus_square_lowering(ctx, x):
    one = emit.full(1, ctx.avals_in[0])
    more, less = (emit.operation(name)(one, x) for name in ("add", "subtract"))
    return emit.operation("multiply")(more, less)


one_minus_square_p, one_minus_square = unary_op(
    "one_minus_square",
    accepts=NUMBER,
    lower=_one_minus_square_lowering,
    jvp=lambda t, x: mul(t, mul(scalar_like(x, -2), x)),
    reference=lambda x: _multiply(x.dtype.type(1) + x, x.dtype.type(1) - x),
    doc="``1 - x**2`` as ``(1 + x) (1 - x)``, accurate near 1 and -1.",
)


def share_of_ties(x, out, other):
    """Returns the derivative of an extreme by `x`: 1 where `x` is the extreme, 1/2 where both operands are."""
    one, two, zero = (full_like(out, value) for value in (1, 2, 0))
    chosen = select(eq(x, out), one, zero)
    return div(chosen, select(eq(other, out), two, one))


def _extreme(name, lower, reference, tip, doc):
    return binary_op(
        name,
        accepts=ANY,
        lower=lower,
        jvp=(
            lambda t, x, y, *, out: mul(t, share_of_ties(x, out, y)),
            lambda t, x, y, *, out: mul(t, share_of_ties(y, out, x)),
        ),
        reference=reference,
        tip=tip,
        doc=doc,
    )


max_p, max = _extreme(
    "max",
    lambda x, y: emit.extreme("maximum", "GT", x, y),
    np.maximum,
    "jnp.maximum",
    "The larger of two; NaN if either is NaN; complex numbers in lexicographic order.",
)
min_p, min = _extreme(
    "min",
    lambda x, y: emit.extreme("minimum", "LT", x, y),
    np.minimum,
    "jnp.minimum",
    "The smaller of two; NaN if either is NaN; complex numbers in lexicographic order.",
)


def _high_product(x, y):
    width = x.dtype.itemsize * 8
    return _wrap(x.astype(object) * y.astype(object) >> width, x.dtype)


mulhi_p, mulhi = binary_op(
    "mulhi",
    accepts=INTEGER,
    lower=lambda x, y: emit.high_product(x, y),
    reference=_high_product,
    doc="The upper half of the full product of two integers.",
)

remainder_reference = _remainder


traceback_filter.hide_frames(globals())
