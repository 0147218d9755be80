"""Sorting, and the largest elements."""

import operator

import numpy as np

from jax._src import dtypes
from jax._src.base import releases, traceback_filter
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, declare
from jax._src.interpreters import ad
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.broadcast_and_reduce_sum import batch_in_front, expand_dims
from jax._src.lax.ops.checks import (
    ORDERED,
    canonical_axis,
    canonical_shape,
    check_kind,
    is_complex,
    kind_of,
)
from jax._src.lax.ops.comparison import total_order_key
from jax._src.lax.ops.creation import broadcasted_iota
from jax._src.lax.ops.gather import (
    GatherDimensionNumbers,
    GatherScatterMode,
    gather,
)
from jax._src.lax.ops.messages import positions, type_error, value_error
from jax._src.lax.ops.reshaping import counting, move_axis
from jax._src.lax.ops.resharding import alike


def take_along(x, indices, axis: int):
    """Elements of `x` at `indices` along one axis; the other axes correspond."""
    ndim = np.ndim(x)
    others = tuple(i for i in range(ndim) if i != axis)
    numbers = GatherDimensionNumbers((), (axis,), (axis,), others, others)
    return gather(
        x,
        expand_dims(indices, (ndim,)),
        numbers,
        tuple(min(1, n) for n in np.shape(x)),
        mode=GatherScatterMode.PROMISE_IN_BOUNDS,
    )


def _moved_by(indices, tangents, axis):
    return [t if type(t) is ad.Zero else take_along(t, indices, axis) for t in tangents]


def _index_dtype(size):
    return np.dtype(np.uint32 if size < 2**32 else np.uint64)


@declare("sort", multiple_results=True)
class sort_p:
    """Sorts arrays along an axis by the first of them."""

    def types(*arrays, dimension, is_stable, num_keys):
        if len({x.shape for x in arrays}) > 1:
            raise type_error(
                "lax.sort: Arguments to sort must have equal shapes, got: "
                f"{' '.join(str(x.shape) for x in arrays)}",
                positions(x.str_short() for x in arrays),
                "Arrays that are sorted together have one shape.",
            )
        for x in arrays[num_keys:]:
            if dtypes.is_extended(x.dtype) and x.dtype.physical(())[0]:
                raise type_error(
                    "lax.sort: an element stands for several numbers.",
                    [("operand", x.str_short())],
                    "Numbers and truth values are sorted, and what stands for one.",
                    "To move others:  sort their indices, then x[indices].",
                )
        for x in arrays[:num_keys]:
            if dtypes.is_extended(x.dtype):
                raise type_error(
                    "lax.sort: the elements have no order.",
                    [("operand", x.str_short())],
                    "Numbers and truth values can be sorted.",
                )
        return list(arrays)

    def sharding(*arrays, dimension, **params):
        spec = splitting.all_alike("sort", arrays)
        for x in arrays:
            splitting.whole_along("sort", x, [dimension])
        return [spec] * len(arrays)

    def lower(ctx, *arrays, dimension, is_stable, num_keys):
        keys = [kind_of(aval.dtype) for aval in ctx.avals_in[:num_keys]]
        return emit.sort(arrays, dimension, is_stable, keys)

    def jvp_all(primals, tangents, *, dimension, is_stable, num_keys):
        params = {"dimension": dimension, "is_stable": is_stable, "num_keys": num_keys}
        shape = np.shape(primals[0])
        positions = broadcasted_iota(_index_dtype(shape[dimension]), shape, dimension)
        operands = alike("sort", *primals, positions)
        *outs, indices = sort_p.bind(*operands, **params)
        return outs, _moved_by(indices, tangents, dimension)

    def batch(axis, args, dims, *, dimension, is_stable, num_keys):
        moved = [
            batch_in_front(x, dim, axis.size) for x, dim in zip(args, dims, strict=True)
        ]
        moved = alike("sort", *moved)
        outs = sort_p.bind(
            *moved, dimension=dimension + 1, is_stable=is_stable, num_keys=num_keys
        )
        return outs, [0] * len(outs)

    def reference(*arrays, dimension, is_stable, num_keys):
        keys = [part for x in arrays[:num_keys] for part in _sort_keys(x)]
        order = np.lexsort([np.moveaxis(k, dimension, -1) for k in reversed(keys)])
        order = np.moveaxis(np.asarray(order), -1, dimension)
        return [np.take_along_axis(x, order, dimension) for x in arrays]

    samples = [
        Sample(arrays, {"dimension": axis, "is_stable": True, "num_keys": keys})
        for arrays, axis, keys in [
            ((np.float32([3.0, -1.0, 2.0, 7.0, -5.0]),), 0, 1),
            ((np.float32([[3.0, -1.0], [2.0, 7.0]]),), 0, 1),
            ((np.int32([3, -1, 3, 7]), np.float32([1, 2, 3, 4])), 0, 1),
            ((np.int32([1, 0, 1, 0]), np.float32([4, 3, 2, 1])), 0, 2),
            ((np.array([True, False, True]), np.int32([1, 2, 3])), 0, 1),
        ]
    ]


def _sort_keys(x):
    """Keys in which -0 is 0 and every NaN the last."""
    if is_complex(x.dtype):
        return [*_sort_keys(x.real), *_sort_keys(x.imag)]
    if x.dtype.kind not in "biu":
        x = np.where(x == 0, np.zeros((), x.dtype), x).astype(x.dtype)
        x = np.where(np.isnan(x), np.array(np.nan, x.dtype), x).astype(x.dtype)
    return [total_order_key(x)]


def sort(operand, dimension: int = -1, is_stable: bool = True, num_keys: int = 1):
    """Sorts an array, or several by the first of them, along an axis.

    Zeros of both signs are equal, NaN comes last, and complex numbers are ordered by
    their real, then their imaginary parts.

    Args:
        operand: array, or a sequence of arrays of one shape.
        dimension: the axis; negative ones count from the end.
        is_stable: whether elements that are equal keep their order.
        num_keys: how many of the arrays decide the order, one after the other.

    Returns:
        An array, or a tuple of them.

    Raises:
        TypeError: the shapes differ, or there is no array. ValueError: the axis or
            `num_keys` is out of bounds.
    """
    if isinstance(operand, list | tuple):
        arrays = tuple(operand)
        if not arrays:
            raise type_error(
                "lax.sort: Sort requires at least one operand.",
                [("operand", "an empty sequence")],
                "At least one array is sorted.",
            )
        if not 1 <= num_keys <= len(arrays):
            raise value_error(
                f"lax.sort: num_keys={num_keys} must be between 1 and len(operand)={len(arrays)}.",
                [("num_keys", num_keys), ("arrays", len(arrays))],
                "At least one and at most all arrays are keys.",
            )
        return tuple(_bind_sort(arrays, dimension, is_stable, num_keys))
    return _bind_sort((operand,), dimension, is_stable, 1)[0]


def _bind_sort(arrays, dimension, is_stable, num_keys):
    axis = canonical_axis(dimension, np.ndim(arrays[0]), "sort")
    return sort_p.bind(
        *arrays,
        dimension=axis,
        is_stable=bool(is_stable),
        num_keys=operator.index(num_keys),
    )


def sort_key_val(keys, values, dimension: int = -1, is_stable: bool = True):
    """Sorts `values` by `keys` along an axis; returns both sorted.

    Args:
        keys: array of numbers.
        values: array of the same shape and any dtype.
        dimension: the axis; negative ones count from the end.
        is_stable: whether values with equal keys keep their order.

    Raises:
        TypeError: the shapes differ. ValueError: the axis is out of bounds.
    """
    return sort((keys, values), dimension, is_stable, 1)


@declare("top_k", multiple_results=True)
class top_k_p:
    """The largest elements along an axis, and where they are."""

    def types(x, *, k, axis, is_stable=True):
        facts = [("operand", x.str_short()), ("k", k), ("axis", axis)]
        if is_complex(x.dtype):
            raise value_error(
                "lax.top_k: top_k is not compatible with complex inputs.",
                facts,
                "Only ordered dtypes are accepted.",
                "By modulus: lax.top_k(abs(x), k).",
            )
        check_kind("top_k", x, ORDERED)
        if k > x.shape[axis]:
            raise value_error(
                "lax.top_k: k argument to top_k must be no larger than size along axis; got "
                f"k={k} with shape={list(x.shape)} and axis={axis}",
                facts,
                f"k is at most {x.shape[axis]}.",
            )
        shape = (*x.shape[:axis], k, *x.shape[axis + 1 :])
        # The indices are as weak as the values, as upstream's.
        positions = ShapedArray(shape, np.dtype(np.int32), x.weak_type)
        return [x.update(shape=shape), positions]

    def sharding(x, *, k, axis, is_stable=True):
        splitting.whole_along("top_k", x, [axis])
        return [splitting.entries(x)] * 2

    def lower(ctx, x, *, k, axis, is_stable=True):
        return emit.top_k(ctx, x, k, axis)

    def jvp_all(primals, tangents, *, axis, **params):
        values, indices = top_k_p.bind(*primals, axis=axis, **params)
        no_tangent = ad.Zero(get_aval(indices).to_tangent_aval())
        if type(tangents[0]) is ad.Zero:
            zero = ad.Zero(get_aval(values).to_tangent_aval())
            return [values, indices], [zero, no_tangent]
        moved = take_along(tangents[0], indices, axis)
        return [values, indices], [moved, no_tangent]

    def batch(axis_data, args, dims, *, axis, **params):
        (x,), (dim,) = args, dims
        out = top_k_p.bind(move_axis(x, dim, 0), axis=axis + 1, **params)
        return out, [0, 0]

    def reference(x, *, k, axis, is_stable=True):
        keys = total_order_key(x)
        if keys.dtype.kind == "u":
            order = np.argsort(~keys, axis, kind="stable")
        else:
            order = np.argsort(-keys.astype(np.int64), axis, kind="stable")
        order = np.take(order, np.arange(k), axis)
        return [np.take_along_axis(x, order, axis), order.astype(np.int32)]

    samples = [
        Sample((x,), {"k": k, "axis": axis})
        for x, k, axis in [
            (np.float32([3.0, -1.0, 2.0, 7.0, -5.0]), 2, 0),
            (np.float32([[3.0, -1.0, 4.0], [2.0, 7.0, 0.5]]), 2, 1),
            (np.float32([[3.0, -1.0, 4.0], [2.0, 7.0, 0.5]]), 1, 0),
            (np.int32([3, 7, 7, -1]), 3, 0),
            (counting(3), 0, 0),
        ]
    ]


def top_k(operand, k: int, *, axis: int = -1, is_stable: bool = True):
    """The largest elements along an axis, in decreasing order, and their indices.

    NaN counts as largest; of equal elements the first comes first.

    Args:
        operand: array of ordered dtype with at least one axis.
        k: how many.
        axis: the axis; negative ones count from the end.
        is_stable: whether the first of equal elements must come first; it does anyway.

    Returns:
        A list of the elements and of their indices, of dtype int32.

    Raises:
        ValueError: the operand is a scalar or complex, or `k` is out of bounds.

    Examples:
        >>> values, indices = jax.lax.top_k(jnp.array([3, 9, 4]), 2)
        >>> values, indices
        (Array([9, 4], dtype=int32), Array([1, 2], dtype=int32))
    """
    axis = canonical_axis(axis, np.ndim(operand), "top_k")
    if isinstance(k, int) and k < 0:
        raise value_error(
            f"lax.top_k: k argument to top_k must be nonnegative, got {k}.",
            [("k", k)],
            "k is at least 0.",
        )
    (k,) = canonical_shape((k,), "top_k")
    named = not is_stable or releases.rule("top_k_says_whether_stable")
    stable = {"is_stable": is_stable} if named else {}
    return top_k_p.bind(operand, k=k, axis=axis, **stable)


traceback_filter.hide_frames(globals())
