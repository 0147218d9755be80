"""The largest or smallest elements where an approximation would do; found exactly."""

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import get_aval
from jax._src.lax.ops.arithmetic import neg
from jax._src.lax.ops.checks import FLOATING, canonical_axis, check_kind
from jax._src.lax.ops.sorting import top_k


def approx_max_k(
    operand,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
):
    """The largest elements along an axis and their places; here they are exact.

    Args:
        operand: array of floating-point dtype.
        k: how many.
        reduction_dimension: the axis; negative ones count from the end.
        recall_target: the wanted share of true results; always met.
        reduction_input_size_override: accepted, and without effect here.
        aggregate_to_topk: accepted, and without effect here.
    """
    aval = get_aval(operand)
    check_kind("approx_max_k", aval, FLOATING)
    axis = canonical_axis(reduction_dimension, np.ndim(operand), "approx_max_k")
    return top_k(operand, k, axis=axis)


def approx_min_k(
    operand,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
):
    """The smallest elements along an axis and their places; here they are exact.

    Args:
        operand: array of floating-point dtype.
        k: how many.
        reduction_dimension: the axis; negative ones count from the end.
        recall_target: the wanted share of true results; always met.
        reduction_input_size_override: accepted, and without effect here.
        aggregate_to_topk: accepted, and without effect here.
    """
    values, places = approx_max_k(neg(operand), k, reduction_dimension)
    return [neg(values), places]


traceback_filter.hide_frames(globals())
