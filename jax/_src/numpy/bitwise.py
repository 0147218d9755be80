"""Operations on the bits of whole numbers: and, or, xor, not, shifts, counts."""

from __future__ import annotations

import functools as ft

import numpy as np

from jax._src.base import traceback_filter
from jax._src.numpy import (
    lax_api as lax,
    operands,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.numpy.pointwise_docs import of_one, of_two

Array = operands.Array
Promotion = operands.Promotion
ArrayLike = operands.ArrayLike


def _bitwise(name, apply, doc):
    def function(x: ArrayLike, y: ArrayLike, /) -> Array:
        return apply(x, y)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    told = of_two("whole numbers or booleans")
    return jit(told(function), promotes=Promotion.COMMON)


bitwise_and = _bitwise("bitwise_and", lax.bitwise_and, "The bits that are set in both.")


bitwise_or = _bitwise("bitwise_or", lax.bitwise_or, "The bits that are set in either.")


bitwise_xor = _bitwise("bitwise_xor", lax.bitwise_xor, "The bits that are set in one.")


_shift = of_two(
    "integers or booleans",
    "their common integer dtype; booleans become integers",
    "TypeError: an argument is of floats.",
)


@ft.partial(jit, promotes=Promotion.NUMERIC)
@_shift
def left_shift(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Shifts the bits of `x` up by `y`; zeros come in."""
    return lax.shift_left(x, y)


@jit
def bitwise_left_shift(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Alias of `jax.numpy.left_shift`, with the same shapes, dtypes and errors."""
    return left_shift(x, y)


@ft.partial(jit, promotes=Promotion.NUMERIC)
@_shift
def right_shift(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Shifts the bits of `x1` down by `x2`; copies of the sign come in."""
    shift = (
        lax.shift_right_logical
        if operands.kind_of(x1) == "u"
        else lax.shift_right_arithmetic
    )
    return shift(x1, x2)


@jit
def bitwise_right_shift(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Alias of `jax.numpy.right_shift`, with the same shapes, dtypes and errors."""
    return right_shift(x1, x2)


@jit
@of_one(
    "integers or booleans",
    "their dtype",
    refuses="`x` is of floats or complex numbers, or no array",
)
def bitwise_not(x: ArrayLike, /) -> Array:
    """Each bit flipped; the logical opposite of booleans."""
    return lax.bitwise_not(operands.ensure_arraylike("bitwise_not", x))


@jit
def bitwise_invert(x: ArrayLike, /) -> Array:
    """Alias of `jax.numpy.bitwise_not`, with the same shapes, dtypes and errors."""
    return bitwise_not(x)


@jit
def invert(x: ArrayLike, /) -> Array:
    """Alias of `jax.numpy.bitwise_not`, with the same shapes, dtypes and errors."""
    return bitwise_not(x)


@jit
@of_one(
    "integers or booleans",
    "uint8",
    refuses="`x` is of floats or complex numbers, or no array",
)
def bitwise_count(x: ArrayLike, /) -> Array:
    """The number of bits set in the absolute value of each integer, as uint8."""
    x = operands.ensure_arraylike("bitwise_count", x)
    if operands.kind_of(x) == "b":
        return operands.convert(x, np.uint8)
    return operands.convert(
        lax.population_count(lax.abs(x) if operands.kind_of(x) == "i" else x), np.uint8
    )


traceback_filter.hide_frames(globals())
