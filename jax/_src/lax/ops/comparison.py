"""Comparisons of elements; the results are boolean."""

import numpy as np

from jax._src.lax.ops.builders import comparison_op
from jax._src.lax.ops.checks import ANY, ORDERED

eq_p, eq = comparison_op(
    "eq",
    accepts=ANY,
    direction="EQ",
    reference=np.equal,
    tip="jnp.equal",
    doc="Whether elements are equal; NaN is not equal to itself.",
)
ne_p, ne = comparison_op(
    "ne",
    accepts=ANY,
    direction="NE",
    reference=np.not_equal,
    tip="jnp.not_equal",
    doc="Whether elements differ; NaN differs from itself.",
)
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
