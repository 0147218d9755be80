"""Operations on bits: logic, shifts, counts."""

import numpy as np

from jax._src.lax.ops.builders import binary_op, unary_op
from jax._src.lax.ops.checks import BOOL, INTEGER

not_p, bitwise_not = unary_op(
    "not",
    accepts=BOOL | INTEGER,
    lower="not",
    reference=np.invert,
    doc="Flips each bit, or each truth value.",
)
and_p, bitwise_and = binary_op(
    "and",
    accepts=BOOL | INTEGER,
    lower="and",
    reference=np.bitwise_and,
    tip="jnp.bitwise_and",
    doc="The bits that both have.",
)
or_p, bitwise_or = binary_op(
    "or",
    accepts=BOOL | INTEGER,
    lower="or",
    reference=np.bitwise_or,
    tip="jnp.bitwise_or",
    doc="The bits that one or both have.",
)
xor_p, bitwise_xor = binary_op(
    "xor",
    accepts=BOOL | INTEGER,
    lower="xor",
    reference=np.bitwise_xor,
    tip="jnp.bitwise_xor",
    doc="The bits that exactly one has.",
)
for _function, _name in [
    (bitwise_not, "bitwise_not"),
    (bitwise_and, "bitwise_and"),
    (bitwise_or, "bitwise_or"),
    (bitwise_xor, "bitwise_xor"),
]:
    _function.__name__ = _function.__qualname__ = _name


def _width(x):
    return x.dtype.itemsize * 8


def _as_unsigned(x):
    return x.view(f"u{x.dtype.itemsize}")


def _shift_left(x, y):
    amount = _as_unsigned(y)
    inside = amount < _width(x)
    return np.where(inside, np.left_shift(x, np.where(inside, y, 0)), 0).astype(x.dtype)


def _shift_right_logical(x, y):
    amount = _as_unsigned(y)
    inside = amount < _width(x)
    shifted = np.right_shift(_as_unsigned(x), np.where(inside, amount, 0))
    return np.where(inside, shifted, 0).astype(amount.dtype).view(x.dtype)


def _shift_right_arithmetic(x, y):
    amount = np.minimum(_as_unsigned(y), _width(x) - 1)
    signed = x.view(f"i{x.dtype.itemsize}")
    return np.right_shift(signed, amount.view(signed.dtype)).view(x.dtype)


shift_left_p, shift_left = binary_op(
    "shift_left",
    accepts=INTEGER,
    lower="shift_left",
    reference=_shift_left,
    tip="jnp.left_shift",
    doc="Shifts bits up by y bits; 0 where y, read as unsigned, is the width or more.",
)
shift_right_logical_p, shift_right_logical = binary_op(
    "shift_right_logical",
    accepts=INTEGER,
    lower="shift_right_logical",
    reference=_shift_right_logical,
    doc="Shifts bits down by y bits and fills with zeros.",
)
shift_right_arithmetic_p, shift_right_arithmetic = binary_op(
    "shift_right_arithmetic",
    accepts=INTEGER,
    lower="shift_right_arithmetic",
    reference=_shift_right_arithmetic,
    tip="jnp.right_shift",
    doc="Shifts bits down by y bits and fills with the sign.",
)


def _count_bits(x):
    bits = np.unpackbits(_as_unsigned(x)[..., None].view(np.uint8), axis=-1)
    return bits.sum(-1).astype(x.dtype)


def _leading_zeros(x):
    wide = _as_unsigned(x).astype(object)
    lengths = np.vectorize(lambda value: int(value).bit_length(), otypes=[np.int64])
    return (_width(x) - lengths(wide)).astype(x.dtype)


population_count_p, population_count = unary_op(
    "population_count",
    accepts=INTEGER,
    lower="popcnt",
    reference=_count_bits,
    doc="The number of bits that are set.",
)
clz_p, clz = unary_op(
    "clz",
    accepts=INTEGER,
    lower="count_leading_zeros",
    reference=_leading_zeros,
    doc="The number of leading zero bits; the width for 0.",
)
