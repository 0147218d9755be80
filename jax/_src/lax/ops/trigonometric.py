"""Trigonometric and hyperbolic functions and their inverses. Angles are in radians."""

import functools as ft

import numpy as np

from jax._src.base import releases
from jax._src.core import avals
from jax._src.core.primitive import Sample
from jax._src.lax.ops import emit
from jax._src.lax.ops.arithmetic import (
    add,
    div,
    mul,
    neg,
    one_minus_square,
    square,
    sub,
)
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_to
from jax._src.lax.ops.builders import binary_op, unary_op
from jax._src.lax.ops.checks import INEXACT, is_complex
from jax._src.lax.ops.comparison import le
from jax._src.lax.ops.creation import full_like, scalar_like
from jax._src.lax.ops.exponential import rsqrt
from jax._src.lax.ops.rounding import abs as absolute
from jax._src.lax.ops.selection import select

_UNIT = (-1.0, 1.0)

sin_p, sin = unary_op(
    "sin",
    accepts=INEXACT,
    lower="sine",
    jvp=lambda t, x: mul(t, cos(x)),
    has_accuracy=True,
    reference=np.sin,
    ulp=4,
    doc="The sine.",
)
cos_p, cos = unary_op(
    "cos",
    accepts=INEXACT,
    lower="cosine",
    jvp=lambda t, x: neg(mul(t, sin(x))),
    has_accuracy=True,
    reference=np.cos,
    ulp=4,
    doc="The cosine.",
)
tan_p, tan = unary_op(
    "tan",
    accepts=INEXACT,
    lower="tan",
    jvp=lambda t, x, *, out: mul(t, add(scalar_like(out, 1), square(out))),
    has_accuracy=True,
    reference=np.tan,
    ulp=8,
    doc="The tangent.",
)


def _tanh_jvp(t, x, *, out):
    if releases.rule("derivative_of_tanh_in_one_step"):
        return mul(t, one_minus_square(out))
    # (1 + y) (1 - y) keeps digits that 1 - y**2 loses near 1.
    return mul(add(t, mul(t, out)), sub(scalar_like(out, 1), out))


tanh_p, tanh = unary_op(
    "tanh",
    accepts=INEXACT,
    lower="tanh",
    jvp=_tanh_jvp,
    has_accuracy=True,
    reference=np.tanh,
    ulp=8,
    doc="The hyperbolic tangent.",
)


def _chlo(name):
    return lambda ctx, x: emit.chlo(name, x)


_chlo_op = ft.partial(unary_op, accepts=INEXACT, ulp=8)

asin_p, asin = _chlo_op(
    "asin",
    lower=_chlo("asin"),
    jvp=lambda t, x: mul(t, rsqrt(sub(scalar_like(x, 1), square(x)))),
    reference=np.arcsin,
    domain=_UNIT,
    doc="The inverse sine, between -pi/2 and pi/2.",
)
acos_p, acos = _chlo_op(
    "acos",
    lower=_chlo("acos"),
    jvp=lambda t, x: mul(t, neg(rsqrt(sub(scalar_like(x, 1), square(x))))),
    reference=np.arccos,
    domain=_UNIT,
    doc="The inverse cosine, between 0 and pi.",
)
atan_p, atan = _chlo_op(
    "atan",
    lower=_chlo("atan"),
    jvp=lambda t, x: div(t, add(scalar_like(x, 1), square(x))),
    reference=np.arctan,
    doc="The inverse tangent, between -pi/2 and pi/2.",
)
sinh_p, sinh = _chlo_op(
    "sinh",
    lower=_chlo("sinh"),
    jvp=lambda t, x: mul(t, cosh(x)),
    reference=np.sinh,
    doc="The hyperbolic sine.",
)
cosh_p, cosh = _chlo_op(
    "cosh",
    lower=_chlo("cosh"),
    jvp=lambda t, x: mul(t, sinh(x)),
    reference=np.cosh,
    doc="The hyperbolic cosine.",
)
asinh_p, asinh = _chlo_op(
    "asinh",
    lower=_chlo("asinh"),
    jvp=lambda t, x: mul(t, rsqrt(add(square(x), scalar_like(x, 1)))),
    reference=np.arcsinh,
    doc="The inverse hyperbolic sine.",
)
acosh_p, acosh = _chlo_op(
    "acosh",
    lower=_chlo("acosh"),
    jvp=lambda t, x: mul(t, _acosh_slope(x)),
    reference=np.arccosh,
    domain=(1.0, 30.0),
    doc="The inverse hyperbolic cosine.",
)
atanh_p, atanh = _chlo_op(
    "atanh",
    lower=_chlo("atanh"),
    jvp=lambda t, x: mul(
        t, _reciprocal(mul(sub(scalar_like(x, 1), x), add(scalar_like(x, 1), x)))
    ),
    reference=np.arctanh,
    domain=_UNIT,
    doc="The inverse hyperbolic tangent.",
)


def _acosh_slope(x):
    if is_complex(avals.get_aval(x).dtype) or releases.rule(
        "slope_of_arccosh_below_one"
    ):
        # The root of the product has another branch cut.
        below, above = sub(x, scalar_like(x, 1)), add(x, scalar_like(x, 1))
        return mul(rsqrt(below), rsqrt(above))
    # The product of both would be -0 at -1, and the slope minus infinity.
    size = absolute(x)
    return rsqrt(mul(sub(size, scalar_like(x, 1)), add(size, scalar_like(x, 1))))


def _reciprocal(x):
    return div(scalar_like(x, 1), x)


def _angle_slopes(y, x):
    """The derivatives of the angle in `y` and in `x`, without squares that overflow."""
    if is_complex(avals.get_aval(x).dtype):
        total = add(square(x), square(y))
        return div(x, total), div(neg(y), total)
    is_flat = le(absolute(y), absolute(x))
    if np.shape(y) != np.shape(x):
        x, y = (broadcast_to(v, np.shape(is_flat)) for v in (x, y))
    larger, smaller = select(is_flat, x, y), select(is_flat, y, x)
    ratio = div(smaller, larger)
    main = div(
        full_like(larger, 1), mul(larger, add(full_like(ratio, 1), square(ratio)))
    )
    other = mul(ratio, main)
    return select(is_flat, main, other), neg(select(is_flat, other, main))


def _complex_atan2(y, x):
    if np.iscomplexobj(y):
        root = np.sqrt(x * x + y * y)
        return (-1j * np.log((x + 1j * y) / root)).astype(y.dtype)
    return np.arctan2(y, x)


atan2_p, atan2 = binary_op(
    "atan2",
    accepts=INEXACT,
    lower="atan2",
    jvp=(
        lambda t, y, x: mul(t, _angle_slopes(y, x)[0]),
        lambda t, y, x: mul(t, _angle_slopes(y, x)[1]),
    ),
    reference=_complex_atan2,
    samples=[
        Sample((np.float32([1, -2, 0.5, 0.3]), np.float32([-1, 3, 0.25, -2])), {}),
        Sample((np.float32([[1.0], [-2.0]]), np.float32([[0.5, -3.0]])), {}),
        Sample((np.complex64([1 + 2j, 0.5]), np.complex64([0.3 - 1j, 2 + 1j])), {}),
    ],
    tip="jnp.arctan2",
    ulp=8,
    doc="The angle of the point (y, x), between -pi and pi.",
)
