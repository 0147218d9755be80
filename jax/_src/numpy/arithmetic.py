"""Functions of two arrays that compute with each pair of elements."""

from __future__ import annotations

import functools as ft

import numpy as np

from jax._src import dtypes
from jax._src.base import releases, traceback_filter
from jax._src.core import wide_values
from jax._src.lib import client
from jax._src.numpy import elementwise, lax_api as lax, operands
from jax._src.numpy.jit_wrapper import jit
from jax._src.numpy.pointwise_docs import COMMON, of_two
from jax._src.transforms.custom_jvp import custom_jvp

Array = operands.Array
Promotion = operands.Promotion
ArrayLike = operands.ArrayLike


@ft.partial(jit, promotes=Promotion.COMMON)
@of_two("numbers or booleans")
def add(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The sum; the logical or of booleans."""
    return lax.bitwise_or(x, y) if operands.kind_of(x) == "b" else lax.add(x, y)


@ft.partial(jit, promotes=Promotion.COMMON)
@of_two("numbers", COMMON, "TypeError: both are boolean.")
def subtract(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The difference."""
    return lax.sub(x, y)


@jit
@of_two("numbers or booleans")
def multiply(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The product; the logical and of booleans.

    A boolean beside a number is a mask: where it is false there is 0, also for infinity
    and NaN.
    """
    x, y = operands.ensure_arraylike("multiply", x, y)
    masks = [v for v in (x, y) if operands.kind_of(v) == "b"]
    first_is_mask = operands.kind_of(x) == "b"
    x, y = operands.promote_args("multiply", x, y)
    if len(masks) == 2:
        return lax.bitwise_and(x, y)
    if not masks:
        return lax.mul(x, y)
    number = y if first_is_mask else x
    mask, number = operands.broadcast_arrays("multiply", masks[0], number)
    return lax.select(mask, number, lax.full_like(number, 0))


@ft.partial(jit, promotes=Promotion.INEXACT)
@of_two("numbers", "a floating or complex dtype")
def true_divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The quotient as a float or complex number."""
    return lax.div(x1, x2)


@jit
def divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Alias of `jax.numpy.true_divide`, with the same shapes, dtypes and errors."""
    return true_divide(x1, x2)


def _zeros(x):
    return lax.full_like(x, 0)


def _aligned(name, *args):
    """Promoted operands at one shape, for functions with several steps."""
    return operands.broadcast_arrays(name, *operands.promote_args_numeric(name, *args))


@jit
@of_two("real numbers")
def floor_divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The quotient rounded down; integers stay integers.

    Differs from NumPy: dividing an integer by zero raises nothing and gives -1.
    """
    x1, x2 = _aligned("floor_divide", x1, x2)
    letter = operands.kind_of(x1)
    if letter == "u":
        return lax.div(x1, x2)
    if letter == "i":
        quotient = lax.div(x1, x2)
        signs_differ = lax.ne(lax.sign(x1), lax.sign(x2))
        inexact = lax.ne(lax.rem(x1, x2), _zeros(x1))
        below = lax.bitwise_and(signs_differ, inexact)
        return lax.select(
            below, lax.sub(quotient, lax.full_like(quotient, 1)), quotient
        )
    if letter == "c":
        raise _no_complex("floor_divide", x1)
    # It is constant between its steps.
    return lax.stop_gradient(_float_divmod(x1, x2)[0])


def _no_complex(name, x):
    return operands.type_error(
        name,
        "complex numbers are not supported.",
        [("x1", operands.type_name(x))],
        "The function is defined for real numbers.",
    )


def _float_divmod(x1, x2):
    rest = lax.rem(x1, x2)
    quotient = lax.div(lax.sub(x1, rest), x2)
    # The remainder of `rem` has the sign of x1; moving it to that of x2 costs one.
    signs_differ = lax.ne(lax.lt(rest, _zeros(rest)), lax.lt(x2, _zeros(x2)))
    moves = lax.bitwise_and(lax.ne(rest, _zeros(rest)), signs_differ)
    quotient = lax.select(
        moves, lax.sub(quotient, lax.full_like(quotient, 1)), quotient
    )
    rest = lax.select(moves, lax.add(rest, x2), rest)
    whole = lax.round(quotient, lax.RoundingMethod.TO_NEAREST_EVEN)
    divides_by_zero = lax.eq(x2, _zeros(x2))
    return lax.select(divides_by_zero, lax.div(x1, x2), whole), rest


@jit
@of_two("real numbers")
def remainder(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """What division leaves, with the sign of the divisor; 0 of integers divided by 0."""
    x1, x2 = _aligned("remainder", x1, x2)
    if operands.kind_of(x1) == "u":
        return _integer_rest(x1, x2)
    rest = _integer_rest(x1, x2) if operands.kind_of(x1) == "i" else lax.rem(x1, x2)
    signs_differ = lax.ne(lax.lt(rest, _zeros(rest)), lax.lt(x2, _zeros(x2)))
    moves = lax.bitwise_and(signs_differ, lax.ne(rest, _zeros(rest)))
    return lax.select(moves, lax.add(rest, x2), rest)


def _integer_rest(x1, x2):
    """What division of integers leaves; 0 where the divisor is 0, as NumPy has it."""
    divides_by_zero = lax.eq(x2, _zeros(x2))
    safe = lax.select(divides_by_zero, lax.full_like(x2, 1), x2)
    return lax.select(divides_by_zero, _zeros(x1), lax.rem(x1, safe))


@jit
def mod(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Alias of `jax.numpy.remainder`, with the same shapes, dtypes and errors."""
    return remainder(x1, x2)


@ft.partial(jit, promotes=Promotion.NUMERIC)
@of_two("real numbers")
def fmod(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """What division leaves, with the sign of the dividend."""
    x1, x2 = operands.ensure_arraylike("fmod", x1, x2)
    if operands.kind(dtypes.result_type(x1, x2)) in "iu":
        return _integer_rest(*_aligned("fmod", x1, x2))
    return lax.rem(x1, x2)


@jit
def divmod(x1: ArrayLike, x2: ArrayLike, /) -> tuple[Array, Array]:
    """The quotient rounded down, and what it leaves.

    Args:
        x1: array of real numbers.
        x2: array that broadcasts with `x1`.

    Returns:
        A pair of arrays of the shape of both and their common dtype.

    Raises:
        TypeError: no array or number. TypeError or ValueError: shapes do not broadcast.
    """
    x1, x2 = _aligned("divmod", x1, x2)
    if operands.kind_of(x1) in "iu":
        return floor_divide(x1, x2), remainder(x1, x2)
    quotient, rest = _float_divmod(x1, x2)
    return lax.stop_gradient(quotient), rest


@ft.partial(jit, promotes=Promotion.INEXACT)
@of_two("numbers", "a floating or complex dtype")
def float_power(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x to the power y, computed in a floating-point or complex dtype."""
    return lax.pow(x, y)


@jit
def _power(x1, x2):
    if operands.kind_of(x1) in "fc" and operands.kind_of(x2) in "iu":
        # A whole exponent does not take part in promotion, also when that is strict.
        weak = dtypes.is_weakly_typed(x1) and dtypes.is_weakly_typed(x2)
        x2 = operands.convert(operands.to_array(x2), operands.dtype_of(x1), weak)
    x1, x2 = operands.promote_args_numeric("power", x1, x2)
    if operands.kind_of(x1) in "iu":
        x1, x2 = operands.settled_arrays("power", x1, x2)
        # Weak types end here: what the exponent is, nobody knows before the loop runs.
        return lax.convert(_integer_power(x1, x2), operands.dtype_of(x1))
    return lax.pow(x1, x2)


def _integer_power(x, exponent):
    """By squaring. Negative exponents give the true value cut to an integer.

    The loop runs once per bit of the exponent's dtype, so that it can be unrolled.
    """
    one, zero = lax.full_like(x, 1), _zeros(x)
    base, result, rest = x, one, exponent
    is_signed = operands.kind_of(exponent) == "i"
    if is_signed:
        # The powers of 1 and -1 depend on the parity alone.
        is_unit = lax.eq(lax.abs(base), one)
        is_negative = lax.lt(exponent, zero)
        rest = lax.select(is_negative, lax.bitwise_and(exponent, one), exponent)
    bits = dtypes.iinfo(operands.dtype_of(exponent)).bits
    for _ in range(bits):
        is_odd = lax.ne(lax.bitwise_and(rest, one), zero)
        result = lax.select(is_odd, lax.mul(result, x), result)
        x = lax.mul(x, x)
        rest = lax.shift_right_logical(rest, one)
    if is_signed:
        vanishes = lax.bitwise_and(is_negative, lax.bitwise_not(is_unit))
        result = lax.select(vanishes, zero, result)
    return result


def power(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """`x1` to the power `x2`.

    One whole number that is known as the exponent becomes a chain of products, and has
    no part in the dtype; booleans count as integers.

    Args:
        x1, x2: arrays that broadcast together.

    Raises:
        TypeError: integers are raised to a negative integer that is known.
        TypeError or ValueError: the shapes do not broadcast.

    Differs from NumPy: integers to arrays of negative powers are cut, to 0 but for the
    powers of 1 and -1; that is no error.

    Examples:
        >>> jnp.power(jnp.array([1.0, 2.0, 3.0]), 2)
        Array([1., 4., 9.], dtype=float32)
    """
    if type(x2) is int and type(x1) is client.Array:
        return _power_of_array(x1, x2)
    operands.check_arraylike("power", x1, x2)
    exponent = _known_whole(x2)
    return _power(x1, x2) if exponent is None else integer_power(x1, exponent)


def _known_whole(x):
    """The value of one integer that is not traced; else None."""
    if isinstance(x, int):
        return int(x)
    if operands.kind_of(x) in "iu" and not operands.ndim(x) and operands.known(x):
        return int(np.asarray(x))
    return None


def integer_power(x, exponent: int):
    """A product of `exponent` factors, or of its reciprocals for floats."""
    x = operands.to_array(x)
    if operands.kind_of(x) == "b":
        x = operands.convert(x, np.int32)
    if operands.kind_of(x) in "iu" and exponent < 0:
        raise operands.type_error(
            "power",
            "integers cannot be raised to negative powers.",
            [("x1", operands.type_name(x)), ("x2", str(exponent))],
            "The result is no integer.",
            "Convert first: x.astype(float) ** n.",
        )
    return lax.integer_pow(x, exponent)


_power_of_array = jit(integer_power, static_argnums=(1,))


def pow(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Alias of `jax.numpy.power`, with the same shapes, dtypes and errors."""
    return power(x1, x2)


@ft.partial(jit, promotes=Promotion.COMMON)
@of_two("numbers or booleans")
def maximum(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The larger of each pair; NaN if one is NaN."""
    return lax.max(x, y)


@ft.partial(jit, promotes=Promotion.COMMON)
@of_two("numbers or booleans")
def minimum(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The smaller of each pair; NaN if one is NaN."""
    return lax.min(x, y)


def _above(x, y):
    """x > y; complex numbers in lexicographic order."""
    if operands.kind_of(x) != "c":
        return lax.gt(x, y)
    return lax.select(
        lax.eq(lax.real(x), lax.real(y)),
        lax.gt(lax.imag(x), lax.imag(y)),
        lax.gt(lax.real(x), lax.real(y)),
    )


@jit
@of_two("numbers or booleans")
def fmax(x1: ArrayLike, x2: ArrayLike) -> Array:
    """The larger of each pair; a NaN loses to a number."""
    x1, x2 = operands.broadcast_arrays("fmax", *operands.promote_args("fmax", x1, x2))
    takes_first = lax.bitwise_or(_above(x1, x2), lax.ne(x2, x2))
    return lax.select(takes_first, x1, x2)


@jit
@of_two("numbers or booleans")
def fmin(x1: ArrayLike, x2: ArrayLike) -> Array:
    """The smaller of each pair; a NaN loses to a number."""
    x1, x2 = operands.broadcast_arrays("fmin", *operands.promote_args("fmin", x1, x2))
    takes_first = lax.bitwise_or(_above(x2, x1), lax.ne(x2, x2))
    return lax.select(takes_first, x1, x2)


@ft.partial(jit, promotes=Promotion.INEXACT)
@of_two("real numbers", "their common floating dtype")
def arctan2(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The angle in radians of the points (x2, x1), from -π to π."""
    return lax.atan2(x1, x2)


@jit
def atan2(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Alias of `jax.numpy.arctan2`, with the same shapes, dtypes and errors."""
    return arctan2(x1, x2)


@ft.partial(jit, promotes=Promotion.INEXACT)
@of_two(
    "real numbers",
    "their common floating dtype",
    "ValueError: an operand is complex.",
)
def hypot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The length of the hypotenuse, without overflow on the way."""
    x1, x2 = operands.settled_arrays("hypot", x1, x2)
    if operands.kind_of(x1) == "c":
        raise operands.value_error(
            "hypot",
            "complex numbers are not supported.",
            [("x1", operands.type_name(x1))],
        )
    return _hypotenuse(x1, x2)


@custom_jvp
def _hypotenuse(x1, x2):
    x1, x2 = lax.abs(x1), lax.abs(x2)
    longer, shorter = lax.max(x1, x2), lax.min(x1, x2)
    is_zero = lax.eq(longer, _zeros(longer))
    safe = lax.select(is_zero, lax.full_like(longer, 1), longer)
    ratio = lax.div(shorter, safe)
    length = lax.mul(
        longer, lax.sqrt(lax.add(lax.full_like(ratio, 1), lax.square(ratio)))
    )
    infinite = lax.bitwise_or(
        lax.eq(x1, lax.full_like(x1, np.inf)), lax.eq(x2, lax.full_like(x2, np.inf))
    )
    length = lax.select(is_zero, longer, length)
    return lax.select(infinite, lax.full_like(length, np.inf), length)


@_hypotenuse.defjvp
def _hypotenuse_jvp(primals, tangents):
    """Each operand over the length, also where the length is infinite or very small."""
    length = _hypotenuse(*primals)
    moved = [
        lax.mul(_direction(x, other, length), t)
        for x, other, t in zip(primals, reversed(primals), tangents, strict=True)
    ]
    return length, lax.add(*moved)


def _direction(x, other, length):
    is_infinite = lax.eq(length, lax.full_like(length, np.inf))
    is_zero = lax.eq(length, _zeros(length))
    is_plain = lax.bitwise_not(lax.bitwise_or(is_infinite, is_zero))
    ratio = lax.div(x, lax.select(is_plain, length, lax.full_like(length, 1)))
    # Between two infinite operands it is the diagonal, as in arctan2.
    sides, others = (lax.eq(lax.abs(v), lax.full_like(v, np.inf)) for v in (x, other))
    far = lax.select(sides, lax.sign(x), _zeros(x))
    diagonal = lax.mul(far, lax.full_like(far, np.sqrt(0.5)))
    far = lax.select(lax.bitwise_and(sides, others), diagonal, far)
    # At the origin half a turn to either side, or none: JAX's choice.
    origin = lax.full_like(x, releases.rule("slope_of_hypot_at_zero"))
    ends = lax.select(is_zero, origin, far)
    return lax.select(is_plain, ratio, ends)


@ft.partial(jit, promotes=Promotion.INEXACT)
@of_two(
    "real numbers",
    "their common floating dtype",
    "TypeError: an operand is complex.",
)
def copysign(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The size of x1 with the sign of x2."""
    x1, x2 = operands.broadcast_arrays("copysign", x1, x2)
    if operands.kind_of(x1) == "c":
        raise operands.type_error(
            "copysign",
            "complex numbers have no sign.",
            [("x1", operands.type_name(x1))],
        )
    size = lax.abs(x1)
    return lax.select(elementwise.signbit(x2), lax.neg(size), size)


@ft.partial(jit, promotes=Promotion.INEXACT)
@of_two("real numbers", "their common floating dtype")
def nextafter(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The next representable number after x in the direction of y."""
    return lax.nextafter(x, y)


@ft.partial(jit, promotes=Promotion.INEXACT)
@of_two(
    "real numbers",
    "their common floating dtype",
    "TypeError: an operand is complex.",
)
def heaviside(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """0 below zero, 1 above it, and x2 at zero."""
    x1, x2 = operands.broadcast_arrays("heaviside", operands.settled(x1), x2)
    if operands.kind_of(x1) == "c":
        raise _no_complex("heaviside", x1)
    zero, one = _zeros(x1), lax.full_like(x1, 1)
    outside = lax.select(lax.lt(x1, zero), zero, lax.select(lax.gt(x1, zero), one, x2))
    return lax.select(lax.ne(x1, x1), x1, outside)


@ft.partial(jit, promotes=Promotion.INEXACT)
@of_two("numbers", "a floating or complex dtype")
def logaddexp(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """log(exp(x1) + exp(x2)), without overflow on the way."""
    return _logaddexp(*operands.broadcast_arrays("logaddexp", x1, x2))


@custom_jvp
def _logaddexp(x1, x2):
    if operands.kind_of(x1) == "c":
        x1, x2 = operands.settled(x1), operands.settled(x2)
    return lax.log_of_sum(x1, x2)


@_logaddexp.defjvp
def _logaddexp_jvp(primals, tangents):
    """The share of each term in the sum, smooth where the terms are equal."""
    out = _logaddexp(*primals)
    return out, _sum_of_shares(primals, tangents, out, lax.exp)


def _sum_of_shares(primals, tangents, out, exp):
    terms = [
        lax.mul(tangent, exp(_less(x, out)))
        for x, tangent in zip(primals, tangents, strict=True)
    ]
    return lax.add(*terms)


def _less(x, out):
    """x - out, where an infinite term makes the whole of an infinite sum."""
    difference = lax.sub(x, out)
    if operands.kind_of(x) == "c":
        return difference
    infinity = lax.full_like(x, np.inf)
    is_all = lax.bitwise_and(lax.eq(x, infinity), lax.eq(out, infinity))
    return lax.select(is_all, _zeros(x), difference)


@ft.partial(jit, promotes=Promotion.INEXACT)
@of_two("numbers", "a floating or complex dtype")
def logaddexp2(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """log2(2**x1 + 2**x2), without overflow on the way."""
    x1, x2 = operands.settled_arrays("logaddexp2", x1, x2)
    dtype = operands.dtype_of(x1)
    if dtype.itemsize > 2:
        return _logaddexp2(x1, x2)
    # Halves would lose digits in the sum of a large and a small term.
    wide = (operands.convert(x, np.dtype(np.float32)) for x in (x1, x2))
    return operands.convert(_logaddexp2(*wide), dtype)


@custom_jvp
def _logaddexp2(x1, x2):
    base = lax.full_like(x1, np.asarray(np.log(2), operands.dtype_of(x1))[()])
    if operands.kind_of(x1) == "c":
        return lax.div(lax.log_of_sum(lax.mul(x1, base), lax.mul(x2, base)), base)
    return lax.log_of_sum(x1, x2, lambda d: lax.div(lax.log1p(lax.exp2(d)), base))


@_logaddexp2.defjvp
def _logaddexp2_jvp(primals, tangents):
    out = _logaddexp2(*primals)
    return out, _sum_of_shares(primals, tangents, out, lax.exp2)


@jit
def ldexp(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """`x1` times 2 to the whole power `x2`: floats of the common shape.

    Args:
        x1: real array.
        x2: array of integers.

    Raises:
        ValueError: `x1` is complex, or `x2` no array of integers.
        TypeError: `x1` or `x2` is no array or number.
        TypeError or ValueError: the shapes do not broadcast.
    """
    x1, x2 = operands.ensure_arraylike("ldexp", x1, x2)
    if operands.kind_of(x1) == "c" or operands.kind_of(x2) not in "iub":
        raise operands.value_error(
            "ldexp",
            "the dtypes are not supported.",
            [("x1", operands.type_name(x1)), ("x2", operands.type_name(x2))],
            "x1 is real, and x2 an array of integers.",
        )
    (mantissa,) = operands.promote_dtypes_inexact(x1)
    x1, x2 = operands.broadcast_arrays(
        "ldexp", *operands.promote_shapes("ldexp", mantissa, x2)
    )
    x1, x2 = operands.strong(x1), operands.convert(x2, np.int32)
    # Integers of NumPy have no 64 bits outside the setting, and the floats may have them.
    with wide_values.dtype_scope([x1]):
        return elementwise.scaled_by_power(x1, x2)


def _gcd_operands(name, x1, x2):
    x1, x2 = operands.settled_arrays(name, *operands.promote_args(name, x1, x2))
    if operands.kind_of(x1) not in "iu":
        raise operands.value_error(
            name,
            "the operands are not integers.",
            [("x1", operands.type_name(x1)), ("x2", operands.type_name(x2))],
        )
    return x1, x2


_of_integers = of_two(
    "whole numbers", COMMON, "ValueError: an operand is no array of integers."
)


@jit
@_of_integers
def gcd(x1: ArrayLike, x2: ArrayLike) -> Array:
    """The greatest common divisor of integers.

    Reference: Euclid's algorithm, all elements together until each remainder is 0.
    """
    x1, x2 = _gcd_operands("gcd", x1, x2)

    def is_unfinished(state):
        return lax.reduce_or(
            lax.ne(state[1], _zeros(state[1])), tuple(range(operands.ndim(state[1])))
        )

    def step(state):
        a, b = state
        finished = lax.eq(b, _zeros(b))
        divisor = lax.select(finished, lax.full_like(b, 1), b)
        return lax.select(finished, a, b), lax.select(finished, b, lax.rem(a, divisor))

    absolute = elementwise.absolute
    result, _ = lax.while_loop(is_unfinished, step, (absolute(x1), absolute(x2)))
    return result


@jit
@_of_integers
def lcm(x1: ArrayLike, x2: ArrayLike) -> Array:
    """The least common multiple of integers."""
    x1, x2 = _gcd_operands("lcm", x1, x2)
    x1, x2 = elementwise.absolute(x1), elementwise.absolute(x2)
    divisor = gcd(x1, x2)
    is_zero = lax.eq(divisor, _zeros(divisor))
    safe = lax.select(is_zero, lax.full_like(divisor, 1), divisor)
    return lax.select(is_zero, divisor, lax.mul(x1, lax.div(x2, safe)))


traceback_filter.hide_frames(globals())
