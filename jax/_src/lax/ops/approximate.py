"""The largest or smallest elements where an approximation would do; found exactly."""

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Sample, declare
from jax._src.interpreters import ad
from jax._src.lax.ops import splitting
from jax._src.lax.ops.arithmetic import neg
from jax._src.lax.ops.checks import FLOATING, canonical_axis, check_kind
from jax._src.lax.ops.messages import value_error
from jax._src.lax.ops.reshaping import counting
from jax._src.lax.ops.sorting import top_k


def _exact(operand, *, k, reduction_dimension, is_max_k, **_):
    if is_max_k:
        return top_k(operand, k, axis=reduction_dimension)
    values, indices = top_k(neg(operand), k, axis=reduction_dimension)
    return [neg(values), indices]


@declare("approx_top_k", multiple_results=True)
class approx_top_k_p:
    """The largest or smallest elements along an axis, and their indices."""

    def types(x, *, k, reduction_dimension, **params):
        size = x.shape[reduction_dimension]
        if not 1 <= k <= size:
            raise value_error(
                f"lax.approx_max_k, approx_min_k: k must be smaller than the size of reduction_dim {size}, got {k}"
                if k > size
                else f"lax.approx_max_k, approx_min_k: k must be positive, got {k}.",
                [
                    ("operand", x.str_short()),
                    ("k", k),
                    ("axis", reduction_dimension),
                ],
                f"k is between 1 and {size}.",
            )
        shape = [k if i == reduction_dimension else n for i, n in enumerate(x.shape)]
        return [
            x.update(shape=tuple(shape)),
            x.update(shape=tuple(shape), dtype=np.dtype(np.int32)),
        ]

    def sharding(x, *, reduction_dimension, **params):
        splitting.whole_along("approx_top_k", x, [reduction_dimension])
        return [splitting.entries(x)] * 2

    decompose = _exact

    def jvp_all(primals, tangents, **params):
        return ad.jvp(lambda x: _exact(x, **params), primals, tangents)

    def batch(axis, args, dims, *, reduction_dimension, **params):
        moved = reduction_dimension + (reduction_dimension >= dims[0])
        outs = approx_top_k_p.bind(*args, reduction_dimension=moved, **params)
        return outs, [dims[0], dims[0]]

    def reference(x, *, k, reduction_dimension, is_max_k, **params):
        order = np.argsort(-x if is_max_k else x, reduction_dimension, kind="stable")
        indices = np.take(order, np.arange(k), reduction_dimension)
        values = np.take_along_axis(x, indices, reduction_dimension)
        return [values, indices.astype(np.int32)]

    def samples():
        given = np.sin(counting(3, 5) * 3 + 1)
        rest = {
            "recall_target": 0.95,
            "reduction_input_size_override": -1,
            "aggregate_to_topk": True,
        }
        return [
            Sample(
                (given,), {"k": k, "reduction_dimension": axis, "is_max_k": m, **rest}
            )
            for k, axis, m in [(2, 1, True), (1, 0, False)]
        ]


def _bind(name, operand, k, axis, is_max_k, recall_target, size_override, aggregate):
    aval = get_aval(operand)
    check_kind(name, aval, FLOATING)
    values, indices = approx_top_k_p.bind(
        operand,
        k=int(k),
        reduction_dimension=canonical_axis(axis, np.ndim(operand), name),
        recall_target=float(recall_target),
        is_max_k=is_max_k,
        reduction_input_size_override=int(size_override),
        aggregate_to_topk=bool(aggregate),
    )
    return [values, indices]


def approx_max_k(
    operand,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
):
    """The largest elements along an axis and their indices; here they are exact.

    Args:
        operand: array of floating-point dtype.
        k: how many.
        reduction_dimension: the axis; negative ones count from the end.
        recall_target: the wanted share of true results; always met.
        reduction_input_size_override: accepted, and without effect here.
        aggregate_to_topk: accepted, and without effect here.

    Returns:
        A list of arrays: the elements, in order, and their indices (int32).

    Raises:
        TypeError: the dtype is another. ValueError: there are fewer than `k` elements,
            or the axis is out of bounds.
    """
    return _bind(
        "approx_max_k", operand, k, reduction_dimension, True, recall_target,
        reduction_input_size_override, aggregate_to_topk,
    )  # fmt: skip


def approx_min_k(
    operand,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
):
    """The smallest elements along an axis and their indices; here they are exact.

    Args:
        operand: array of floating-point dtype.
        k: how many.
        reduction_dimension: the axis; negative ones count from the end.
        recall_target: the wanted share of true results; always met.
        reduction_input_size_override: accepted, and without effect here.
        aggregate_to_topk: accepted, and without effect here.

    Returns:
        A list of arrays: the elements, in order, and their indices (int32).

    Raises:
        TypeError: the dtype is another. ValueError: there are fewer than `k` elements,
            or the axis is out of bounds.
    """
    return _bind(
        "approx_min_k", operand, k, reduction_dimension, False, recall_target,
        reduction_input_size_override, aggregate_to_topk,
    )  # fmt: skip


traceback_filter.hide_frames(globals())
