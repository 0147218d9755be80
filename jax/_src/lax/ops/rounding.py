"""Rounding to whole numbers, signs, absolute values, remainders."""

import enum

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import div, mul, neg, remainder_reference
from jax._src.lax.ops.builders import binary_op, unary_op
from jax._src.lax.ops.checks import (
    COMPLEX,
    FLOATING,
    INTEGER,
    NUMBER,
    SIGNED,
    check_kind,
    is_complex,
)
from jax._src.lax.ops.comparison import eq, ge
from jax._src.lax.ops.complex_parts import conj, real, real_dtype
from jax._src.lax.ops.creation import full_like, scalar_like
from jax._src.lax.ops.selection import select


class RoundingMethod(enum.IntEnum):
    """Where halves go when rounding."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


floor_p, floor = unary_op(
    "floor",
    accepts=FLOATING,
    lower="floor",
    reference=np.floor,
    doc="The largest whole number not above each element.",
)
ceil_p, ceil = unary_op(
    "ceil",
    accepts=FLOATING,
    lower="ceil",
    reference=np.ceil,
    doc="The smallest whole number not below each element.",
)
is_finite_p, is_finite = unary_op(
    "is_finite",
    accepts=FLOATING,
    lower="is_finite",
    reference=np.isfinite,
    result=lambda dtype: np.dtype(np.bool_),
    doc="Whether elements are neither infinite nor NaN.",
)


@declare("round", traits=Trait.NOT_DIFFERENTIABLE)
class round_p:
    """Rounds to the nearest whole number."""

    def types(x, *, rounding_method):
        check_kind("round", x, FLOATING, "x")
        return x

    sharding = splitting.like_first

    def lower(ctx, x, *, rounding_method):
        away = rounding_method is RoundingMethod.AWAY_FROM_ZERO
        return emit.unary("round_nearest_afz" if away else "round_nearest_even", x)

    def batch(axis, args, dims, **params):
        return round_p.bind(*args, **params), dims[0]

    def reference(x, *, rounding_method):
        if rounding_method is RoundingMethod.TO_NEAREST_EVEN:
            return np.round(x)
        whole = np.trunc(x)
        away = whole + np.copysign(1, x)
        return np.where(np.abs(x - whole) >= 0.5, away, whole).astype(x.dtype)

    samples = [
        Sample(
            (np.float32([-2.5, -1.5, -0.4, 0.5, 0.49999997, 1.5, 2.5, 7.1]),),
            {"rounding_method": method},
        )
        for method in RoundingMethod
    ]


def round(x, rounding_method=RoundingMethod.AWAY_FROM_ZERO):
    """Rounds to the nearest whole number.

    Args:
        x: array of floating-point dtype.
        rounding_method: where halves go: away from zero, or to the even neighbour.

    Returns:
        Array of the same shape and dtype.

    Raises:
        TypeError: `x` is not of floats. ValueError: the method is unknown.
    """
    return round_p.bind(x, rounding_method=RoundingMethod(rounding_method))


def _sign(x):
    if not is_complex(x.dtype):
        return np.sign(x)
    return np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x))).astype(x.dtype)


sign_p, sign = unary_op(
    "sign",
    accepts=NUMBER,
    lower=lambda ctx, x: emit.sign(x, ctx.avals_in[0]),
    reference=_sign,
    doc="-1, 0 or 1; NaN and signed zeros are kept; complex x is divided by its modulus.",
)


def _abs_jvp(t, x, *, out):
    if not is_complex(get_aval(x).dtype):
        return select(ge(x, scalar_like(x, 0)), t, neg(t))
    safe = select(eq(out, scalar_like(out, 0)), full_like(out, 1), out)
    return div(real(mul(t, conj(x))), safe)


abs_p, abs = unary_op(
    "abs",
    accepts=SIGNED | FLOATING | COMPLEX,
    lower="abs",
    jvp=_abs_jvp,
    result=real_dtype,
    reference=np.abs,
    doc="The absolute value, or modulus; the least integer is its own.",
)

rem_p, rem = binary_op(
    "rem",
    accepts=INTEGER | FLOATING,
    lower="remainder",
    jvp=(
        lambda t, x, y: t,
        lambda t, x, y: mul(neg(t), _whole_quotient(x, y)),
    ),
    reference=remainder_reference,
    samples=[
        Sample((np.float32([7.3, -7.3, 2.0]), np.float32([2.0, 2.0, -3.0])), {}),
        Sample((np.float32([[7.3], [-7.3]]), np.float32(2.0)), {}),
        Sample((np.int32([7, -7, 7, 5]), np.int32([-2, 2, 3, 0])), {}),
        Sample((np.uint8([200, 7, 5]), np.uint8([7, 8, 0])), {}),
    ],
    tip="jnp.remainder",
    doc="The remainder of a division, with the sign of the dividend x.",
)


def _whole_quotient(x, y):
    return mul(sign(div(x, y)), floor(abs(div(x, y))))


traceback_filter.hide_frames(globals())
