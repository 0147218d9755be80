"""Comparisons of elements; the results are boolean."""

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core import slots
from jax._src.core.avals import get_aval
from jax._src.lax.ops.bitwise import bitwise_not
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_in_dim, reduce_sum
from jax._src.lax.ops.builders import broadcast_operands, comparison_op
from jax._src.lax.ops.checks import ANY, ORDERED
from jax._src.lax.ops.messages import type_error

eq_p, _eq = comparison_op(
    "eq",
    accepts=ANY,
    direction="EQ",
    reference=np.equal,
    tip="jnp.equal",
    doc="Whether elements are equal; NaN is not equal to itself.",
)
ne_p, _ne = comparison_op(
    "ne",
    accepts=ANY,
    direction="NE",
    reference=np.not_equal,
    tip="jnp.not_equal",
    doc="Whether elements differ; NaN differs from itself.",
)


def eq(x, y):
    """Whether elements are equal; NaN is not equal to itself.

    Args:
        x: array.
        y: array of the same dtype; sizes are equal or 1, or one of both is a scalar.

    Returns:
        An array of truth values. Of random keys: whether all words are equal.

    Raises:
        TypeError: the operands differ in dtype or shape.
    """
    if dtypes.is_extended(getattr(x, "dtype", None)):
        return _equal_elements("eq", x, y)
    return _eq(x, y)


def ne(x, y):
    """Whether elements differ; NaN differs from itself.

    Args:
        x: array.
        y: array of the same dtype; sizes are equal or 1, or one of both is a scalar.

    Returns:
        An array of truth values. Of random keys: whether some words differ.

    Raises:
        TypeError: the operands differ in dtype or shape.
    """
    if dtypes.is_extended(getattr(x, "dtype", None)):
        return bitwise_not(_equal_elements("ne", x, y))
    return _ne(x, y)


def _equal_elements(name, x, y):
    if x.dtype != getattr(y, "dtype", None):
        raise type_error(
            f"lax.{name}: values of an extended dtype compare with their like.",
            [("x", get_aval(x).str_short()), ("y", get_aval(y).str_short())],
            "Keys are equal to keys of the same generator, and to nothing else.",
            "For the raw words of keys: jax.random.key_data(keys).",
        )
    parts = x.dtype.physical(())[0]
    shape = broadcast_operands(name, [get_aval(x), get_aval(y)])
    full = (*shape, *parts)
    axes = tuple(range(len(shape), len(full)))
    a, b = (
        broadcast_in_dim(
            z.dtype.unwrap(z),
            full,
            tuple(range(len(shape) - z.ndim, len(full))),
        )
        for z in (x, y)
    )
    if not parts:
        return _eq(a, b)
    # Where parts differ are ones to be summed: booleans are reduced in a later file.
    differing = reduce_sum(slots.convert(_ne(a, b), np.int32, False), axes)
    return _eq(differing, np.int32(0))


ge_p, ge = comparison_op(
    "ge",
    accepts=ORDERED,
    direction="GE",
    reference=np.greater_equal,
    tip="jnp.greater_equal",
    doc="Whether x >= y.",
)
gt_p, gt = comparison_op(
    "gt",
    accepts=ORDERED,
    direction="GT",
    reference=np.greater,
    tip="jnp.greater",
    doc="Whether x > y.",
)
le_p, le = comparison_op(
    "le",
    accepts=ORDERED,
    direction="LE",
    reference=np.less_equal,
    tip="jnp.less_equal",
    doc="Whether x <= y.",
)
lt_p, lt = comparison_op(
    "lt",
    accepts=ORDERED,
    direction="LT",
    reference=np.less,
    tip="jnp.less",
    doc="Whether x < y.",
)


def total_order_key(x: np.ndarray) -> np.ndarray:
    """Integers that are ordered as IEEE 754's total order orders floats.

    From low to high: -NaN, -inf, …, -0, +0, …, +inf, +NaN.
    """
    if x.dtype.kind in "biu":
        return x
    bits = x.view(f"i{x.dtype.itemsize}")
    return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


def _in_total_order(compare):
    return lambda x, y: compare(total_order_key(x), total_order_key(y))


eq_to_p, eq_to = comparison_op(
    "eq_to",
    accepts=ORDERED,
    direction="EQ",
    total_order=True,
    reference=_in_total_order(np.equal),
    doc="Whether elements are equal in the total order: -0 and +0 differ.",
)
le_to_p, le_to = comparison_op(
    "le_to",
    accepts=ORDERED,
    direction="LE",
    total_order=True,
    reference=_in_total_order(np.less_equal),
    doc="Whether x <= y in the total order.",
)
lt_to_p, lt_to = comparison_op(
    "lt_to",
    accepts=ORDERED,
    direction="LT",
    total_order=True,
    reference=_in_total_order(np.less),
    doc="Whether x < y in the total order.",
)


traceback_filter.hide_frames(globals())
