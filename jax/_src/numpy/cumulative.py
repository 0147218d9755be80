"""Running sums and products along an axis."""

from typing import Any

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import (
    elementwise,
    joining_splitting,
    lax_api as lax,
    operands,
    reductions,
    reshaping,
)
from jax._src.numpy.jit_wrapper import jit

Array = Any
ArrayLike = Any


def _cumulative(name, apply, doc, instead_of_nan=None):
    def function(a, axis=None, dtype=None, out=None):
        operands.refuse_out(name, out)
        a = operands.ensure_arraylike(name, a)
        if instead_of_nan is not None and operands.kind_of(a) in "fc":
            a = lax.select(lax.ne(a, a), lax.full_like(a, instead_of_nan), a)
        return _accumulated(name, a, axis, dtype, apply)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{doc}\n\nArgs:\n    a: array.\n    axis: the axis; None means the flattened "
        "array.\n    dtype: the dtype of the result; default: that of `a`, for booleans "
        "the default integer dtype.\n    out: not supported.\n\n"
        "Returns:\n    Array of the shape of `a`, or of the flattened one.\n\nRaises:\n"
        "    ValueError: the axis is out of bounds. TypeError: `a` is no array or number.\n"
        "    NotImplementedError: `out` is given."
    )
    return jit(function, static_argnames=("axis", "dtype"))


def _accumulated(name, a, axis, dtype, apply):
    if axis is None or not operands.ndim(a):
        # A number is a vector of one, as NumPy has it.
        a, axis = reshaping.ravel(a), axis or 0
    axis = operands.canonical_axis(name, axis, operands.ndim(a))
    wanted = operands.user_dtype(name, dtype)
    if wanted is None:
        wanted = operands.dtype_of(a)
    if operands.kind(wanted) == "b":
        truths = elementwise.as_boolean(a)
        counted = apply(operands.convert(truths, dtypes.default_int_dtype()), axis)
        return counted if dtype is None else elementwise.as_boolean(counted)
    return apply(operands.convert(a, wanted), axis)


def _sum_along(x, axis):
    return lax.cumsum(x, axis=axis)


def _product_along(x, axis):
    return lax.cumprod(x, axis=axis)


cumsum = _cumulative("cumsum", _sum_along, "Sums of all elements up to each one.")


cumprod = _cumulative(
    "cumprod", _product_along, "Products of all elements up to each one."
)


nancumsum = _cumulative(
    "nancumsum", _sum_along, "As `cumsum`; NaN counts as 0.", instead_of_nan=0
)


nancumprod = _cumulative(
    "nancumprod", _product_along, "As `cumprod`; NaN counts as 1.", instead_of_nan=1
)


def _with_initial(name, x, axis, dtype, include_initial, accumulate, neutral):
    x = operands.ensure_arraylike(name, x)
    if not operands.ndim(x):
        kind = "product" if name == "cumulative_prod" else "sum"
        raise operands.value_error(
            name,
            f"The input must be non-scalar to take a cumulative {kind}.",
            [("x", operands.type_name(x))],
            "A scalar has no axis.",
        )
    if axis is None:
        if operands.ndim(x) > 1:
            raise operands.value_error(
                name,
                f"The input array has rank {operands.ndim(x)}, however axis was not set to "
                "an explicit value.",
                [("x", operands.type_name(x))],
                "With more than one axis, say which.",
            )
        axis = 0
    axis = operands.canonical_axis(name, axis, operands.ndim(x))
    result = accumulate(x, axis, dtype)
    if not include_initial:
        return result
    sizes = list(operands.shape(result))
    sizes[axis] = 1
    return joining_splitting.concatenate(
        [lax.full(tuple(sizes), neutral, operands.dtype_of(result)), result], axis
    )


def _widened_sum(x, axis, dtype):
    """`cumsum`, of whole numbers in the default integer at least: the standard asks for that."""
    if dtype is None and operands.kind_of(x) in "biu":
        dtype = reductions.sum_dtype("cumulative_sum", x)
    return cumsum(x, axis, dtype)


def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> Array:
    """Sums of all elements up to each one.

    Args:
        x: array with at least one axis.
        axis: the axis; needed where there is more than one.
        dtype: the dtype of the result; default: that of `x`, small integers widened.
        include_initial: whether 0 comes first, which makes the axis longer by one.

    Returns:
        Array of the shape of `x`.

    Raises:
        ValueError: `x` is a scalar, or the axis is missing or out of bounds.
        TypeError: `x` is no array or number.

    Reference: Python array API standard, ``cumulative_sum``.
    """
    return _with_initial(
        "cumulative_sum", x, axis, dtype, include_initial, _widened_sum, 0
    )


def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> Array:
    """Products of all elements up to each one.

    The arguments are those of `jax.numpy.cumulative_sum`, with its shapes and errors;
    small integers keep their dtype. `include_initial` puts 1 first.
    """
    return _with_initial("cumulative_prod", x, axis, dtype, include_initial, cumprod, 1)


traceback_filter.hide_frames(globals())
