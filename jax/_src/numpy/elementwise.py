"""Functions of one array that act on each element."""

from __future__ import annotations

import functools as ft
import math
import operator

import numpy as np

from jax._src import dtypes
from jax._src.base import releases, traceback_filter
from jax._src.numpy import lax_api as lax, operands
from jax._src.numpy.jit_wrapper import jit
from jax._src.numpy.pointwise_docs import NO_COMPLEX, of_one
from jax._src.transforms.custom_jvp import custom_jvp

Array = operands.Array
Promotion = operands.Promotion
ArrayLike = operands.ArrayLike


_INEXACT_FROM = "numbers or booleans; integers and booleans become floats"


def _inexact(name: str, apply, doc: str, aka: str = ""):
    """A function that computes in a floating-point or complex dtype."""

    def function(x: ArrayLike, /) -> Array:
        return apply(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    told = of_one(_INEXACT_FROM, "the floating or complex dtype")
    return jit(told(function), promotes=Promotion.INEXACT)


exp = _inexact("exp", lax.exp, "e raised to each element.")
exp2 = _inexact("exp2", lax.exp2, "2 raised to each element.")
expm1 = _inexact("expm1", lax.expm1, "exp(x) - 1, accurate near 0.")
log = _inexact("log", lax.log, "The natural logarithm.")
log1p = _inexact("log1p", lax.log1p, "log(1 + x), accurate near 0.")
sqrt = _inexact("sqrt", lax.sqrt, "The square root; NaN for negative real numbers.")
cbrt = _inexact("cbrt", lax.cbrt, "The real cube root.")
sin = _inexact("sin", lax.sin, "The sine of angles in radians.")
cos = _inexact("cos", lax.cos, "The cosine of angles in radians.")
tan = _inexact("tan", lax.tan, "The tangent of angles in radians.")
arcsin = _inexact("arcsin", lax.asin, "The angle in radians with this sine.")
arccos = _inexact("arccos", lax.acos, "The angle in radians with this cosine.")
arctan = _inexact("arctan", lax.atan, "The angle in radians with this tangent.")
sinh = _inexact("sinh", lax.sinh, "The hyperbolic sine.")
cosh = _inexact("cosh", lax.cosh, "The hyperbolic cosine.")
tanh = _inexact("tanh", lax.tanh, "The hyperbolic tangent.")
arcsinh = _inexact("arcsinh", lax.asinh, "The inverse hyperbolic sine.")
arctanh = _inexact("arctanh", lax.atanh, "The inverse hyperbolic tangent.")
asin = _inexact("asin", lax.asin, "Alias of `jax.numpy.arcsin`.")
acos = _inexact("acos", lax.acos, "Alias of `jax.numpy.arccos`.")
atan = _inexact("atan", lax.atan, "Alias of `jax.numpy.arctan`.")
asinh = _inexact("asinh", lax.asinh, "Alias of `jax.numpy.arcsinh`.")
atanh = _inexact("atanh", lax.atanh, "Alias of `jax.numpy.arctanh`.")
arccosh = _inexact("arccosh", lax.acosh, "The inverse hyperbolic cosine.")
acosh = _inexact("acosh", lax.acosh, "Alias of `jax.numpy.arccosh`.")


def _scalar(x, value):
    """A constant of the dtype of `x`."""
    return np.asarray(value, operands.dtype_of(x))[()]


def _scaled(factor):
    """Multiplies by a constant that leaves a weak scalar weak."""

    def apply(x):
        weak = dtypes.is_weakly_typed(x) and not operands.ndim(x)
        return operands.convert(
            lax.mul(x, _scalar(x, factor)), operands.dtype_of(x), weak
        )

    return apply


def _logarithm(base):
    def apply(x):
        if operands.kind_of(x) == "c":
            log_of_base = lax.log(_scalar(lax.real(x), base))
            scaled = lax.log(x)
            return lax.complex(
                lax.div(lax.real(scaled), log_of_base),
                lax.div(lax.imag(scaled), log_of_base),
            )
        return lax.div(lax.log(x), lax.log(_scalar(x, base)))

    return apply


log2 = _inexact(
    "log2",
    lax.log2 if releases.rule("log2_is_a_primitive") else _logarithm(2),
    "The logarithm to the base 2.",
)
log10 = _inexact("log10", _logarithm(10), "The logarithm to the base 10.")
deg2rad = _inexact("deg2rad", _scaled(np.pi / 180), "Degrees as radians.")
rad2deg = _inexact("rad2deg", _scaled(180 / np.pi), "Radians as degrees.")
radians = _inexact(
    "radians",
    _scaled(np.pi / 180),
    "Alias of `jax.numpy.deg2rad`.",
)
degrees = _inexact(
    "degrees",
    _scaled(180 / np.pi),
    "Alias of `jax.numpy.rad2deg`.",
)
reciprocal = _inexact(
    "reciprocal", lambda x: lax.integer_pow(x, -1), "1 divided by each element."
)


def _sinc(x):
    # Near 0 the derivatives of the quotient are differences of large numbers.
    scaled = _scaled(np.pi)(x)
    size = lax.abs(scaled)
    is_near = lax.lt(size, lax.full_like(size, 1.5))
    if operands.kind_of(x) == "f" and releases.rule("sinc_vanishes_at_infinity"):
        is_infinite = lax.eq(size, lax.full_like(size, np.inf))
        found = _sinc_within(
            lax.select(is_infinite, lax.full_like(x, 1), x), scaled, is_near
        )
        return lax.select(is_infinite, lax.full_like(found, 0), found)
    return _sinc_within(x, scaled, is_near)


def _sinc_within(x, scaled, is_near):
    far = lax.select(is_near, lax.full_like(x, 1), x)
    near = lax.select(is_near, scaled, lax.full_like(scaled, 0))
    quotient = lax.div(_sine_of_half_turns(far), _scaled(np.pi)(far))
    result = lax.select(is_near, _sinc_near_zero(near), quotient)
    weak = dtypes.is_weakly_typed(scaled)
    return operands.convert(result, operands.dtype_of(x), weak)


def _sine_of_half_turns(x):
    """sin(πx), by the distance from the nearest whole number, which is exact."""
    part = lax.real(x) if operands.kind_of(x) == "c" else x
    whole = lax.round(part, lax.RoundingMethod.TO_NEAREST_EVEN)
    half = lax.mul(whole, _scalar(whole, 0.5))
    is_odd = lax.ne(half, lax.floor(half))
    whole = lax.complex(whole, lax.full_like(whole, 0)) if part is not x else whole
    distance = lax.select(is_odd, lax.sub(whole, x), lax.sub(x, whole))
    return lax.sin(_scaled(np.pi)(distance))


def _sinc_near_zero(x):
    """sin(x) / x up to 3/2 by its power series at 0."""
    square_ = lax.mul(x, x)
    result = lax.full_like(x, 0)
    for n in range(10, -1, -1):
        term = lax.full_like(x, (-1) ** n / math.factorial(2 * n + 1))
        result = lax.add(lax.mul(result, square_), term)
    return result


sinc = _inexact("sinc", _sinc, "sin(πx) / (πx), and 1 at 0.")


@jit
@of_one("numbers or booleans", "their dtype, or of the real one of complex numbers")
def absolute(x: ArrayLike, /) -> Array:
    """The absolute value, or the modulus of complex numbers."""
    x = operands.ensure_arraylike("absolute", x)
    return operands.strong_like(x) if operands.kind_of(x) in "bu" else lax.abs(x)


@jit
def abs(x: ArrayLike, /) -> Array:
    """Alias of `jax.numpy.absolute`, with the same shapes, dtypes and errors."""
    return absolute(x)


@ft.partial(jit, promotes=Promotion.INEXACT)
@of_one("real numbers", "floats", refuses="`x` is complex, or no array or number")
def fabs(x: ArrayLike, /) -> Array:
    """The absolute value of real numbers, as floats."""
    _refuse_complex("fabs", x)
    return lax.abs(x)


def _refuse_complex(name, x, error=TypeError):
    if operands.kind_of(x) == "c":
        raise error(
            operands.explain(
                name,
                "complex numbers are not supported.",
                [("x", operands.type_name(x))],
                "The function is defined for real numbers.",
            )
        )


@jit
@of_one("numbers", "their dtype", refuses="`x` is boolean, or no array or number")
def negative(x: ArrayLike, /) -> Array:
    """The opposite number; unsigned integers wrap around."""
    x = operands.ensure_arraylike("negative", x)
    return lax.neg(x)


@jit
@of_one("numbers or booleans", "their dtype")
def positive(x: ArrayLike, /) -> Array:
    """The numbers themselves."""
    return operands.strong_like(operands.ensure_arraylike("positive", x))


@jit
@of_one("numbers", "their dtype", refuses="`x` is boolean, or no array or number")
def sign(x: ArrayLike, /) -> Array:
    """-1, 0 or 1 by sign; x / |x| for complex numbers."""
    return lax.sign(operands.ensure_arraylike("sign", x))


def _rounding(name, apply, doc):
    def function(x: ArrayLike, /) -> Array:
        x = operands.ensure_arraylike(name, x)
        return operands.strong_like(x) if operands.kind_of(x) in "biu" else apply(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    told = of_one(
        "real numbers", "their dtype", "`x` is complex, or no array or number"
    )
    return jit(told(function))


floor = _rounding(
    "floor", lax.floor, "The largest whole number not above each element."
)
ceil = _rounding("ceil", lax.ceil, "The smallest whole number not below each element.")


@jit
@of_one("real numbers", "their dtype", refuses="`x` is complex, or no array or number")
def trunc(x: ArrayLike) -> Array:
    """Each element without its fraction; integers stay as they are."""
    x = operands.ensure_arraylike("trunc", x)
    if operands.kind_of(x) in "biu":
        return operands.strong_like(x)
    _refuse_complex("trunc", x)
    below = lax.lt(x, lax.full_like(x, 0))
    return lax.select(below, lax.ceil(x), lax.floor(x))


@jit
@of_one(
    "numbers; of complex ones both parts are rounded", "a floating or complex dtype"
)
def rint(x: ArrayLike, /) -> Array:
    """The nearest whole number; halves go to the even one."""
    x = operands.ensure_arraylike("rint", x)
    if operands.kind_of(x) in "biu":
        return operands.convert(x, dtypes.default_float_dtype())
    return _round_half_even(x)


def _round_half_even(x):
    if operands.kind_of(x) == "c":
        return lax.complex(_round_half_even(lax.real(x)), _round_half_even(lax.imag(x)))
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)


@ft.partial(jit, static_argnames=("decimals",))
def round(a: ArrayLike, decimals: int = 0, out: None = None) -> Array:
    """Each element rounded to some decimals; halves go to the even neighbour.

    Args:
        a: array of numbers.
        decimals: a whole number: of digits kept after the point; negative ones round
            before it.
        out: not supported.

    Raises:
        ValueError: `a` is boolean.
        NotImplementedError: `out` is given, or integers are rounded before the point.
        TypeError: `a` is no array or number, or `decimals` no whole number.

    Examples:
        >>> jnp.round(jnp.array([0.5, 1.5, 2.345]), 1)
        Array([0.5, 1.5, 2.3], dtype=float32)
    """
    operands.refuse_out("round", out)
    decimals = _whole_decimals(decimals)
    a = operands.ensure_arraylike("round", a)
    letter = operands.kind_of(a)
    if letter == "b":
        raise operands.value_error(
            "round", "booleans cannot be rounded.", [("a", operands.type_name(a))]
        )
    if letter in "iu":
        if decimals < 0:
            raise NotImplementedError(
                "jnp.round: integers cannot be rounded to negative decimals."
            )
        return operands.strong_like(a)
    if decimals == 0:
        return _round_half_even(a)
    wide = a if operands.dtype_of(a).itemsize > 2 else operands.convert(a, np.float32)
    if math.fabs(decimals) > dtypes.finfo(operands.dtype_of(wide)).maxexp * math.log10(
        2
    ):
        # The power of ten is beyond the dtype: every digit stays, or none.
        return a if decimals > 0 else lax.full_like(a, 0)
    factor = _scalar(wide, 10.0 ** math.fabs(decimals))
    if decimals > 0:
        rounded = lax.div(_round_half_even(lax.mul(wide, factor)), factor)
    else:
        rounded = lax.mul(_round_half_even(lax.div(wide, factor)), factor)
    return operands.convert(rounded, operands.dtype_of(a), dtypes.is_weakly_typed(a))


def _whole_decimals(decimals):
    try:
        return operator.index(decimals)
    except TypeError as error:
        raise operands.type_error(
            "round",
            f"{error}.",
            [("decimals", repr(decimals))],
            "The decimals are one whole number, known when the program is traced.",
        ) from None


def around(a: ArrayLike, decimals: int = 0, out: None = None) -> Array:
    """Alias of `jax.numpy.round`, with the same shapes, dtypes and errors."""
    return round(a, decimals, out)


@ft.partial(jit, promotes=Promotion.NUMERIC)
@of_one("numbers or booleans", "their dtype, whole numbers for booleans")
def square(x: ArrayLike, /) -> Array:
    """Each element times itself."""
    return lax.square(x)


@jit
@of_one("numbers or booleans", "their dtype")
def conjugate(x: ArrayLike, /) -> Array:
    """The complex conjugate; real arrays stay as they are."""
    x = operands.ensure_arraylike("conjugate", x)
    return lax.conj(x) if operands.kind_of(x) == "c" else operands.strong_like(x)


@jit
def conj(x: ArrayLike, /) -> Array:
    """Alias of `jax.numpy.conjugate`, with the same shapes, dtypes and errors."""
    return conjugate(x)


@jit
@of_one("numbers or booleans", "their dtype, floats for complex numbers")
def real(val: ArrayLike, /) -> Array:
    """The real part; real arrays stay as they are."""
    val = operands.ensure_arraylike("real", val)
    return lax.real(val) if operands.kind_of(val) == "c" else operands.strong_like(val)


@jit
@of_one("numbers or booleans", "their dtype, floats for complex numbers")
def imag(val: ArrayLike, /) -> Array:
    """The imaginary part, zero for real arrays."""
    val = operands.ensure_arraylike("imag", val)
    return lax.imag(val) if operands.kind_of(val) == "c" else lax.full_like(val, 0)


@ft.partial(jit, static_argnames=("deg",))
def angle(z: ArrayLike, deg: bool = False) -> Array:
    """The angle of complex numbers to the positive real axis.

    Args:
        z: array of numbers.
        deg: whether the result is in degrees instead of radians.

    Returns:
        Array of floats of the shape of `z`, from -pi to pi or from -180 to 180.

    Raises:
        TypeError: `z` is no array or number.
    """
    z = operands.ensure_arraylike("angle", z)
    weak = dtypes.is_weakly_typed(z) and operands.kind_of(z) in "fc"
    if operands.kind_of(z) not in "fc":
        z = operands.convert(z, dtypes.default_float_dtype())
    is_complex = operands.kind_of(z) == "c"
    real_part = lax.real(z) if is_complex else z
    imag_part = lax.imag(z) if is_complex else lax.full_like(z, 0)
    result = lax.atan2(imag_part, real_part)
    if deg:
        result = lax.mul(result, _scalar(result, 180 / np.pi))
    # Scalars stay weak if they are complex; arrays do in radians.
    weak = weak and (not deg if operands.ndim(z) else is_complex)
    return operands.convert(result, operands.dtype_of(result), weak)


@jit
@of_one("numbers or booleans", "booleans")
def isfinite(x: ArrayLike, /) -> Array:
    """Whether each element is neither infinite nor NaN."""
    x = operands.ensure_arraylike("isfinite", x)
    letter = operands.kind_of(x)
    if letter == "f":
        return lax.is_finite(x)
    if letter == "c":
        return lax.bitwise_and(lax.is_finite(lax.real(x)), lax.is_finite(lax.imag(x)))
    return lax.full_like(x, True, np.dtype(bool))


@jit
@of_one("numbers or booleans", "booleans")
def isinf(x: ArrayLike, /) -> Array:
    """Whether each element is infinite; one infinite part suffices."""
    x = operands.ensure_arraylike("isinf", x)
    letter = operands.kind_of(x)
    if letter == "f":
        size = lax.abs(x)
        return operands.strong(lax.eq(size, lax.full_like(size, np.inf)))
    if letter == "c":
        return operands.strong(lax.bitwise_or(isinf(lax.real(x)), isinf(lax.imag(x))))
    return lax.full_like(x, False, np.dtype(bool))


def _signed_infinity(name, value):
    def function(x, /, out=None):
        operands.refuse_out(name, out)
        x = operands.ensure_arraylike(name, x)
        _refuse_complex(name, x, ValueError)
        if operands.kind_of(x) == "f":
            return operands.strong(lax.eq(x, lax.full_like(x, value)))
        return lax.full_like(x, False, np.dtype(bool))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Whether each element is {'plus' if value > 0 else 'minus'} infinity.\n\n"
        "Args:\n    x: real array of any shape.\n    out: not supported.\n\n"
        "Returns:\n    Array of booleans of the shape of `x`.\n\n"
        "Raises:\n    ValueError: `x` is complex. TypeError: it is no array or number.\n"
        "    NotImplementedError: `out` is given."
    )
    return jit(function)


isposinf = _signed_infinity("isposinf", np.inf)
isneginf = _signed_infinity("isneginf", -np.inf)


@jit
@of_one("numbers or booleans", "booleans")
def isnan(x: ArrayLike, /) -> Array:
    """Whether each element is NaN; one part suffices."""
    x = operands.ensure_arraylike("isnan", x)
    return lax.ne(x, x)


@jit
@of_one("numbers or booleans", "booleans")
def iscomplex(x: ArrayLike) -> Array:
    """Whether each element has an imaginary part other than zero."""
    part = operands.settled(imag(x))
    return lax.ne(part, lax.full_like(part, 0))


@jit
@of_one("numbers or booleans", "booleans")
def isreal(x: ArrayLike) -> Array:
    """Whether each element has no imaginary part."""
    part = operands.settled(imag(x))
    return lax.eq(part, lax.full_like(part, 0))


@jit
@of_one("real numbers or booleans", "booleans", NO_COMPLEX)
def signbit(x: ArrayLike, /) -> Array:
    """Whether the sign is minus, that of zeros and NaNs included."""
    x = operands.ensure_arraylike("signbit", x)
    if operands.is_extended(x):
        raise operands.value_error(
            "signbit", "random keys have no sign.", [("x", operands.type_name(x))]
        )
    letter = operands.kind_of(x)
    _refuse_complex("signbit", x, ValueError)
    if letter == "b":
        return lax.full_like(x, False)
    if letter in "iu":
        return operands.strong(lax.lt(x, lax.full_like(x, 0)))
    width = dtypes.finfo(operands.dtype_of(x)).bits
    bits = lax.bitcast_convert_type(x, np.dtype(f"int{width}"))
    return lax.lt(bits, lax.full_like(bits, 0))


@jit
@of_one("numbers or booleans", "booleans")
def logical_not(x: ArrayLike, /) -> Array:
    """The opposite of each truth value; numbers count as true unless zero."""
    x = operands.ensure_arraylike("logical_not", x)
    return lax.bitwise_not(as_boolean(x))


def as_boolean(x):
    """The truth value of each element."""
    if operands.kind_of(x) == "b":
        return operands.strong_like(x)
    x = operands.settled(operands.ensure_numbers("bool", x))
    return lax.ne(x, lax.full_like(x, 0))


@jit
def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: ArrayLike = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> Array:
    """The array with NaNs and infinities replaced.

    Args:
        x: array of numbers.
        copy: has no effect.
        nan: the value that replaces NaN.
        posinf: that of plus infinity; default: the largest finite number.
        neginf: that of minus infinity; default: the lowest finite number.

    Returns:
        Array of the shape and dtype of `x`; of complex numbers both parts are replaced.

    Raises:
        TypeError: `x` is no array or number.

    Examples:
        >>> jnp.nan_to_num(jnp.array([1.0, jnp.nan, 3.0]), nan=-1.0)
        Array([ 1., -1.,  3.], dtype=float32)
    """
    del copy
    x = operands.ensure_arraylike("nan_to_num", x)
    letter = operands.kind_of(x)
    if letter not in "fc":
        return operands.strong_like(x)
    if letter == "c":
        parts = (lax.real(x), lax.imag(x))
        return lax.complex(*(_replace(part, nan, posinf, neginf) for part in parts))
    return _replace(x, nan, posinf, neginf)


def _replace(x, nan, posinf, neginf):
    x = operands.strong(x)
    limits = dtypes.finfo(operands.dtype_of(x))
    replacements = (
        (lax.ne(x, x), nan),
        (lax.eq(x, lax.full_like(x, np.inf)), limits.max if posinf is None else posinf),
        (
            lax.eq(x, lax.full_like(x, -np.inf)),
            limits.min if neginf is None else neginf,
        ),
    )
    result = x
    for which, value in replacements:
        value = operands.broadcast_to(
            operands.convert(value, operands.dtype_of(x)), operands.shape(x)
        )
        result = lax.select(*lax.alike("where", which, value, result))
    return result


@jit
def modf(x: ArrayLike, /, out: None = None) -> tuple[Array, Array]:
    """The fractional and the whole part of each element, both with its sign.

    Args:
        x: real array of any shape.
        out: not supported.

    Returns:
        A pair of arrays of floats of the shape of `x`.

    Raises:
        TypeError: `x` is complex, or no array or number. NotImplementedError: `out` is
            given.
    """
    operands.refuse_out("modf", out)
    (x,) = operands.promote_args_inexact("modf", x)
    _refuse_complex("modf", x)
    whole = trunc(x)
    infinite = lax.eq(lax.abs(x), lax.full_like(x, np.inf))
    fraction = lax.select(infinite, lax.full_like(x, 0), lax.sub(x, whole))
    return fraction, whole


@ft.partial(jit, promotes=Promotion.INEXACT)
def frexp(x: ArrayLike, /) -> tuple[Array, Array]:
    """Mantissas in ±[0.5, 1) and whole exponents with ``x = mantissa * 2**exponent``.

    Args:
        x: real array of any shape.

    Returns:
        A pair of arrays of the shape of `x`: floats, and integers (int32).

    Raises:
        TypeError: `x` is complex, or no array or number.
    """
    _refuse_complex("frexp", x)
    x = operands.strong(x)
    if dtypes.finfo(operands.dtype_of(x)).bits < 32:
        mantissa, exponent = frexp(operands.convert(x, np.float32))
        return operands.convert(mantissa, operands.dtype_of(x)), exponent
    limits = dtypes.finfo(operands.dtype_of(x))
    # A subnormal is scaled up first, so that its exponent field is meaningful.
    scale = limits.nmant + 2
    tiny = lax.lt(lax.abs(x), _filled(x, limits.smallest_normal))
    scaled = lax.select(tiny, lax.mul(x, _filled(x, 2.0**scale)), x)
    exponent = _exponent(scaled, limits)
    exponent = lax.sub(
        exponent,
        lax.select(tiny, lax.full_like(exponent, scale), lax.full_like(exponent, 0)),
    )
    special = lax.bitwise_or(
        lax.bitwise_not(lax.is_finite(x)), lax.eq(x, lax.full_like(x, 0))
    )
    exponent = lax.select(special, lax.full_like(exponent, 0), exponent)
    return scaled_by_power(x, lax.neg(exponent)), exponent


def scaled_by_power(x, exponent):
    """x times 2 to a whole power, exactly; in steps, so that no factor overflows."""
    limits = dtypes.finfo(operands.dtype_of(x))
    reach = -limits.minexp
    whole = np.dtype(f"int{limits.bits}")
    for _ in range(3):
        step = lax.clamp(np.int32(-reach), exponent, np.int32(reach))
        exponent = lax.sub(exponent, step)
        # The bits of a power of 2 are its exponent field alone.
        field = lax.add(step, lax.full_like(step, -limits.minexp + 1))
        bits = operands.convert(field, whole)
        bits = lax.shift_left(bits, lax.full_like(bits, limits.nmant))
        x = lax.mul(x, lax.bitcast_convert_type(bits, operands.dtype_of(x)))
    return x


def _filled(x, value):
    return lax.full_like(x, np.asarray(value, operands.dtype_of(x))[()])


def _exponent(x, limits):
    """The exponent of normal numbers with a mantissa in [0.5, 1), from their bits."""
    width, kept = limits.bits, limits.nmant
    whole = np.dtype(f"int{width}")
    bits = lax.bitcast_convert_type(x, whole)
    bias = -limits.minexp + 1
    field = (1 << limits.nexp) - 1
    exponent = lax.bitwise_and(
        lax.shift_right_logical(bits, lax.full_like(bits, kept)),
        lax.full_like(bits, field),
    )
    exponent = lax.sub(exponent, lax.full_like(exponent, bias - 1))
    return operands.convert(exponent, np.int32)


@jit
@of_one("real numbers", "floats", NO_COMPLEX)
def spacing(x: ArrayLike, /) -> Array:
    """The distance from each element to the next representable one away from zero."""
    x = operands.ensure_arraylike("spacing", x)
    _refuse_complex("spacing", x, ValueError)
    (x,) = operands.promote_dtypes_inexact(x)
    x = operands.strong(x)
    away = _filled(x, np.inf)
    if operands.dtype_of(x) != np.float16:  # NumPy steps upwards in this dtype alone.
        below = lax.lt(x, lax.full_like(x, 0))
        away = lax.select(below, _filled(x, -np.inf), away)
    return lax.sub(lax.nextafter(x, away), x)


@jit
@of_one("real numbers", "floats", NO_COMPLEX)
def i0(x: ArrayLike) -> Array:
    """The modified Bessel function of the first kind and order 0."""
    x = operands.ensure_arraylike("i0", x)
    _refuse_complex("i0", x, ValueError)
    return _i0(*operands.promote_dtypes_inexact(x))


@custom_jvp
def _i0(x):
    size = lax.abs(x)
    return lax.mul(lax.exp(size), lax.bessel_i0e(size))


@_i0.defjvp
def _i0_jvp(primals, tangents):
    """The derivative is the Bessel function of order 1, which is 0 at 0."""
    (x,), (tangent,) = primals, tangents
    return _i0(x), lax.mul(tangent, lax.mul(lax.exp(lax.abs(x)), lax.bessel_i1e(x)))


traceback_filter.hide_frames(globals())
