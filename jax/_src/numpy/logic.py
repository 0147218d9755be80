"""Comparisons and truth values of pairs of arrays."""

from __future__ import annotations

import functools as ft

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import (
    creation,
    elementwise,
    lax_api as lax,
    operands,
    reductions,
)
from jax._src.numpy.jit_wrapper import jit
from jax._src.numpy.pointwise_docs import of_two

Array = operands.Array
Promotion = operands.Promotion
ArrayLike = operands.ArrayLike


def _comparison(name, apply, doc):
    def function(x: ArrayLike, y: ArrayLike, /) -> Array:
        if operands.kind_of(x) == "c" and name not in ("equal", "not_equal"):
            return _complex_comparison(*operands.broadcast_arrays(name, x, y), apply)
        return apply(x, y)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    told = of_two("numbers; complex ones go by their real parts first", "booleans")
    return jit(told(function), promotes=Promotion.COMMON)


def _complex_comparison(x, y, apply):
    """Lexicographic order: real parts first, imaginary ones where those are equal."""
    real_x, real_y = lax.real(x), lax.real(y)
    return lax.select(
        lax.eq(real_x, real_y),
        apply(lax.imag(x), lax.imag(y)),
        apply(real_x, real_y),
    )


equal = _comparison("equal", lax.eq, "Whether the elements of each pair are equal.")
not_equal = _comparison(
    "not_equal", lax.ne, "Whether the elements of each pair differ."
)
greater = _comparison("greater", lax.gt, "Whether x is above y.")
greater_equal = _comparison(
    "greater_equal", lax.ge, "Whether x is above or equal to y."
)
less = _comparison("less", lax.lt, "Whether x is below y.")
less_equal = _comparison("less_equal", lax.le, "Whether x is below or equal to y.")


def _logical(name, apply, doc):
    def function(x: ArrayLike, y: ArrayLike, /) -> Array:
        operands.check_arraylike(name, x, y)
        values = (elementwise.as_boolean(operands.to_array(v)) for v in (x, y))
        values = operands.promote_shapes(name, *values)
        return apply(*values)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    told = of_two("any dtype; numbers are true unless zero", "booleans")
    return jit(told(function))


logical_and = _logical("logical_and", lax.bitwise_and, "Whether both are true.")
logical_or = _logical("logical_or", lax.bitwise_or, "Whether one or both are true.")
logical_xor = _logical("logical_xor", lax.bitwise_xor, "Whether exactly one is true.")


@ft.partial(jit, static_argnames=("equal_nan",))
def isclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> Array:
    """Whether ``|a - b| <= atol + rtol * |b|``, element by element.

    Args:
        a: array.
        b: array that broadcasts with `a`; its size scales `rtol`.
        rtol: relative tolerance.
        atol: absolute tolerance.
        equal_nan: whether two NaNs count as close.

    Returns:
        Array of booleans of the common shape.

    Raises:
        TypeError: `a` or `b` is no array or number. TypeError or ValueError: the shapes
            do not broadcast.

    Examples:
        >>> jnp.isclose(jnp.array([1.0, 2.0]), jnp.array([1.0, 2.1]))
        Array([ True, False], dtype=bool)
    """
    return _close("isclose", a, b, rtol, atol, equal_nan)


def _close(name, a, b, rtol, atol, equal_nan):
    a, b = operands.broadcast_arrays(name, *operands.promote_args(name, a, b))
    letter = operands.kind_of(a)
    if operands.is_extended(a):
        return lax.eq(a, b)
    if letter in "biu":
        a, b = (operands.convert(v, dtypes.default_float_dtype()) for v in (a, b))
    part = lax.abs(a)
    rtol, atol = (
        operands.broadcast_to(
            operands.convert(t, operands.dtype_of(part)), operands.shape(a)
        )
        for t in (rtol, atol)
    )
    near = lax.le(lax.abs(lax.sub(a, b)), lax.add(atol, lax.mul(rtol, lax.abs(b))))
    finite = lax.bitwise_and(elementwise.isfinite(a), elementwise.isfinite(b))
    close = lax.bitwise_or(lax.bitwise_and(near, finite), lax.eq(a, b))
    both_nan = lax.bitwise_and(elementwise.isnan(a), elementwise.isnan(b))
    counts = False if equal_nan is None else equal_nan
    counts = operands.broadcast_to(
        operands.convert(counts, np.dtype(bool)), operands.shape(a)
    )
    return operands.strong(lax.bitwise_or(close, lax.bitwise_and(both_nan, counts)))


@ft.partial(jit, static_argnames=("equal_nan",))
def allclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> Array:
    """Whether all elements are close; the arguments are those of `jax.numpy.isclose`.

    Returns:
        A boolean scalar.

    Raises:
        As `jax.numpy.isclose`: TypeError or ValueError.

    Examples:
        >>> jnp.allclose(jnp.array([1.0, 2.0]), jnp.array([1.0, 2.000001]))
        Array(True, dtype=bool)
    """
    return reductions.all(_close("allclose", a, b, rtol, atol, equal_nan))


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> Array:
    """Whether the arrays have one shape and equal elements.

    Args:
        a1: array.
        a2: array.
        equal_nan: whether NaN counts as equal to NaN.

    Returns:
        A boolean scalar; false where the shapes differ. Lists are taken too.

    Raises:
        TypeError: the elements are no numbers.
    """
    a1, a2 = _compared(a1, a2)
    if operands.shape(a1) != operands.shape(a2):
        return operands.convert(False, np.dtype(bool))
    same = equal(a1, a2)
    if equal_nan:
        both_nan = lax.bitwise_and(
            *operands.broadcast_arrays(
                "array_equal", elementwise.isnan(a1), elementwise.isnan(a2)
            )
        )
        same = lax.bitwise_or(same, both_nan)
    return reductions.all(same)


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> Array:
    """Whether the arrays broadcast to one shape and have equal elements there.

    Args:
        a1: array.
        a2: array.

    Returns:
        A boolean scalar; false where the axes differ in number and do not broadcast.

    Raises:
        TypeError: the elements are no numbers, or as many axes do not broadcast.
    """
    a1, a2 = _compared(a1, a2)
    try:
        same = equal(a1, a2)
    except ValueError:
        return operands.convert(False, np.dtype(bool))
    return reductions.all(same)


def _compared(*arrays):
    """Arrays to compare; lists are taken too, as NumPy does here."""
    return tuple(x if operands.is_arraylike(x) else creation.asarray(x) for x in arrays)


traceback_filter.hide_frames(globals())
