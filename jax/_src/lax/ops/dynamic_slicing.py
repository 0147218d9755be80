"""Slices with computed starts: dynamic_slice and dynamic_update_slice."""

import operator
from collections.abc import Sequence

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core import unreduced
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Sample, declare
from jax._src.core.symbols import expressions
from jax._src.interpreters import ad
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import add
from jax._src.lax.ops.broadcast_and_reduce_sum import batch_in_front
from jax._src.lax.ops.checks import (
    INTEGER,
    SIGNED,
    UNSIGNED,
    canonical_axis,
    check_same_dtypes,
    kind_of,
)
from jax._src.lax.ops.comparison import lt
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import scalar_like, zeros
from jax._src.lax.ops.extended import moves_elements
from jax._src.lax.ops.gather import (
    GatherDimensionNumbers,
    GatherScatterMode,
    batch_gather,
)
from jax._src.lax.ops.joining_splitting import stack
from jax._src.lax.ops.messages import type_error, value_error
from jax._src.lax.ops.reshaping import counting, move_axis, reshape, squeeze
from jax._src.lax.ops.scatter import ScatterDimensionNumbers, scatter_p
from jax._src.lax.ops.selection import select
from jax._src.lax.ops.slicing_padding import index_in_dim


def _check_starts(name, operand, starts) -> None:
    facts = lambda: [
        ("operand", operand.str_short()),
        *((f"start {i}", aval.str_short()) for i, aval in enumerate(starts)),
    ]
    if len(starts) != operand.ndim:
        raise value_error(
            f"lax.{name}: Length of slice indices must match number of operand dimensions "
            f"({len(starts)} vs {operand.shape})",
            facts,
            f"There is one for each of the {operand.ndim} axes.",
        )
    same = len({aval.dtype for aval in starts}) <= 1
    integers = all(kind_of(aval.dtype) & INTEGER for aval in starts)
    if not same or not integers or any(aval.shape for aval in starts):
        raise type_error(
            f"lax.{name}: start_indices arguments to {name} must be scalars."
            if any(aval.shape for aval in starts)
            else f"lax.{name}: index arguments to {name} must be integers of the same type, got: "
            f"{', '.join(str(aval.dtype) for aval in starts)}",
            facts,
            "They are scalar integers of one dtype.",
        )


def _clamped(starts, sizes, shape):
    limits = [size - n for n, size in zip(sizes, shape, strict=True)]
    return [
        min(max(int(start), 0), limit)
        for start, limit in zip(starts, limits, strict=True)
    ]


@moves_elements
@declare("dynamic_slice")
class dynamic_slice_p:
    """Takes a slice of fixed size; starts are moved so that it is in bounds."""

    def types(x, *starts, slice_sizes):
        _check_starts("dynamic_slice", x, starts)
        facts = lambda: [("operand", x.str_short()), ("slice_sizes", slice_sizes)]
        if len(slice_sizes) != x.ndim:
            raise value_error(
                "lax.dynamic_slice: the number of slice sizes is wrong.",
                facts,
                f"There is one for each of the {x.ndim} axes.",
            )
        if any(
            not 0 <= n <= size for n, size in zip(slice_sizes, x.shape, strict=True)
        ):
            raise type_error(
                "lax.dynamic_slice: slice slice_sizes must be greater than or equal to zero, got "
                f"slice_sizes of {slice_sizes}."
                if any(n < 0 for n in slice_sizes)
                else "lax.dynamic_slice: slice slice_sizes must be less than or equal to operand shape, got "
                f"slice_sizes {slice_sizes} for operand shape {x.shape}.",
                facts,
                "Sizes are at least 0 and at most those of the operand.",
            )
        return x.update(shape=slice_sizes)

    def sharding(x, *starts, out, **params):
        return splitting.resized("dynamic_slice", x, out.shape)

    sums = splitting.keeps_sums

    def lower(ctx, x, *starts, slice_sizes):
        return emit.dynamic_slice(x, starts, slice_sizes)

    def jvp_all(primals, tangents, *, slice_sizes):
        x, *starts = primals
        out = dynamic_slice_p.bind(x, *starts, slice_sizes=slice_sizes)
        if type(tangents[0]) is ad.Zero:
            return out, ad.Zero(get_aval(out).to_tangent_aval())
        return out, dynamic_slice_p.bind(tangents[0], *starts, slice_sizes=slice_sizes)

    def transpose(ct, x, *starts, slice_sizes):
        nothing = zeros(x.aval.to_cotangent_aval())
        result = dynamic_update_slice_p.bind(nothing, ct, *starts)
        return [result, *[None] * len(starts)]

    def batch(axis, args, dims, *, slice_sizes):
        (x, *starts), (dim, *start_dims) = args, dims
        if all(d is None for d in start_dims):
            starts.insert(dim, _zero_index(starts))
            sizes = (*slice_sizes[:dim], axis.size, *slice_sizes[dim:])
            return dynamic_slice_p.bind(x, *starts, slice_sizes=sizes), dim
        indices, indices_dim = _index_vector(starts, start_dims, axis.size)
        every = tuple(range(len(starts)))
        params = {
            "unique_indices": True,
            "indices_are_sorted": True,
            "mode": GatherScatterMode.CLIP,
            "fill_value": None,
        }
        numbers = GatherDimensionNumbers(every, (), every)
        return batch_gather(
            axis.size, (x, indices), (dim, indices_dim), numbers, slice_sizes, params
        )

    def reference(x, *starts, slice_sizes):
        indices = _clamped(starts, slice_sizes, x.shape)
        window = zip(indices, slice_sizes, strict=True)
        return x[tuple(slice(s, s + n) for s, n in window)].copy()

    samples = [
        Sample((x, *map(np.int32, starts)), {"slice_sizes": sizes})
        for x, starts, sizes in [
            (counting(5), (2,), (2,)),
            (counting(5), (9,), (2,)),
            (counting(3, 4), (-1, 2), (2, 1)),
            (counting(3, 4, dtype=np.int32), (1, 1), (1, 3)),
        ]
    ]


@moves_elements
@declare("dynamic_update_slice")
class dynamic_update_slice_p:
    """Replaces a slice; starts are moved so that it is in bounds."""

    def types(x, update, *starts):
        check_same_dtypes("dynamic_update_slice", (x, update))
        facts = lambda: [("operand", x.str_short()), ("update", update.str_short())]
        if x.ndim != update.ndim:
            raise type_error(
                "lax.dynamic_update_slice: dynamic_update_slice update must have the same rank as operand, got update "
                f"shape {update.shape} for operand shape {x.shape}.",
                facts,
                "Operand and update have the same number of dimensions.",
            )
        if any(n > size for n, size in zip(update.shape, x.shape, strict=True)):
            raise type_error(
                "lax.dynamic_update_slice: dynamic_update_slice update shape must be smaller than operand shape, got "
                f"update shape {update.shape} for operand shape {x.shape}.",
                facts,
                "On no axis is the update larger.",
            )
        _check_starts("dynamic_update_slice", x, starts)
        return x.update(weak_type=False)

    def sharding(x, update, *starts):
        return splitting.all_alike("dynamic_update_slice", [x, update])

    def sums(x, update, *starts):
        return unreduced.of_linear("dynamic_update_slice", (x, update), strict=True)

    def lower(ctx, x, update, *starts):
        return emit.dynamic_update_slice(x, update, starts)

    def jvp_all(primals, tangents):
        x, update, *starts = primals
        out = dynamic_update_slice_p.bind(x, update, *starts)
        if type(tangents[0]) is ad.Zero and type(tangents[1]) is ad.Zero:
            return out, ad.Zero(get_aval(out).to_tangent_aval())
        moved = [ad.instantiate_zeros(t) for t in tangents[:2]]
        return out, dynamic_update_slice_p.bind(*moved, *starts)

    def transpose(ct, x, update, *starts):
        is_linear = ad.is_undefined_primal
        aval = update.aval if is_linear(update) else get_aval(update)
        ct_x = ct_update = None
        if is_linear(x):
            nothing = zeros(aval.to_cotangent_aval().update(dtype=ct.dtype))
            ct_x = dynamic_update_slice_p.bind(ct, nothing, *starts)
        if is_linear(update):
            ct_update = dynamic_slice_p.bind(ct, *starts, slice_sizes=aval.shape)
        return [ct_x, ct_update, *[None] * len(starts)]

    def batch(axis, args, dims):
        x, update, *starts = args
        x_dim, update_dim, *start_dims = dims
        x = batch_in_front(x, x_dim, axis.size)
        update = batch_in_front(update, update_dim, axis.size)
        if all(d is None for d in start_dims):
            return dynamic_update_slice_p.bind(
                x, update, _zero_index(starts), *starts
            ), 0
        indices, indices_dim = _index_vector(starts, start_dims, axis.size)
        every = tuple(i + 1 for i in range(len(starts)))
        numbers = ScatterDimensionNumbers(every, (), every, (0,), (0,))
        out = scatter_p.bind(
            x,
            move_axis(indices, indices_dim, 0),
            update,
            update_jaxpr=None,
            update_consts=(),
            dimension_numbers=numbers,
            indices_are_sorted=True,
            unique_indices=True,
            mode=GatherScatterMode.CLIP,
        )
        return out, 0

    def reference(x, update, *starts):
        indices = _clamped(starts, update.shape, x.shape)
        window = zip(indices, update.shape, strict=True)
        out = x.copy()
        out[tuple(slice(s, s + n) for s, n in window)] = update
        return out

    samples = [
        Sample((x, update, *map(np.int32, starts)), {})
        for x, update, starts in [
            (counting(5), -counting(2), (2,)),
            (counting(5), -counting(2), (9,)),
            (counting(3, 4), -counting(2, 1), (-1, 2)),
            (counting(3, 4, dtype=np.int32), -counting(1, 3, dtype=np.int32), (1, 1)),
        ]
    ]


def _zero_index(starts):
    dtype = get_aval(starts[0]).dtype if starts else np.dtype(np.int32)
    return np.zeros((), dtype)[()]


def _index_vector(starts, start_dims, size):
    """Start indices, some of them batched, as index vectors along a last axis."""
    batched = [
        batch_in_front(x, dim, size) for x, dim in zip(starts, start_dims, strict=True)
    ]
    return stack(batched, 1), 0


def _start_indices(operand, start_indices, allow_negative) -> list:
    """Starts as scalars of one dtype, negative ones counted from the end."""
    if isinstance(start_indices, range):
        start_indices = tuple(start_indices)
    if not isinstance(start_indices, list | tuple):
        if np.ndim(start_indices) > 1:
            raise value_error(
                "lax.dynamic_slice, dynamic_update_slice: Slice indices must be a 1D sequence.",
                [("start_indices", get_aval(start_indices).str_short())],
                "There is one for each axis of the operand.",
            )
        count = len(start_indices)
        start_indices = [
            squeeze(index_in_dim(start_indices, i, 0), (0,)) for i in range(count)
        ]
    shape = np.shape(operand)
    if isinstance(allow_negative, int):
        allow_negative = (allow_negative,) * len(start_indices)
    known = [get_aval(i) for i in start_indices if not isinstance(i, int)]
    dtype = dtypes.result_type(*known) if known else np.dtype(np.int32)
    if len(shape) != len(start_indices) or kind_of(dtype) not in (SIGNED, UNSIGNED):
        return [i if not isinstance(i, int) else np.int32(i) for i in start_indices]
    dtype = _dtype_of_indices(dtype, shape, allow_negative)
    return [
        _start_index(i, size, dtype, negative)
        for i, size, negative in zip(start_indices, shape, allow_negative, strict=True)
    ]


def _dtype_of_indices(dtype, shape, allow_negative):
    """`dtype`, or a wider one where it cannot hold an index counted from the end."""
    if kind_of(dtype) is UNSIGNED:
        return dtype
    sizes = [
        n
        for n, wraps in zip(shape, allow_negative, strict=True)
        if wraps and type(n) is int
    ]
    wider = [np.dtype(np.int32), dtypes.canonicalize_dtype(np.int64)]
    fitting = [
        d for d in (dtype, *wider) if max(sizes, default=0) <= dtypes.iinfo(d).max
    ]
    return fitting[0] if fitting else dtype


def _start_index(index, size, dtype, allow_negative):
    if isinstance(index, int | np.integer):
        start = operator.index(index)
        if start < 0 and isinstance(index, int) and not allow_negative:
            raise value_error(
                "lax.dynamic_slice: a start is negative.",
                [("start", start), ("size of the axis", size)],
                "With allow_negative_indices=False, no start counts from the end.",
            )
        start = start + size if start < 0 and allow_negative else start
        return convert(start, dtype) if type(start) is not int else dtype.type(start)
    aval = get_aval(index)
    if aval.dtype != dtype:
        index = convert(index, dtype)
    if not allow_negative or kind_of(dtype) is not kind_of(np.int32):
        return index
    is_negative = lt(index, scalar_like(index, 0))
    if aval.weak_type:
        index = convert(index, dtype)
    if expressions.is_dimension(size):
        length = convert(size, dtype)
    else:
        length = np.array(size, dtype)[()]
    return select(is_negative, add(index, length), index)


def dynamic_slice(
    operand,
    start_indices,
    slice_sizes: Sequence[int],
    *,
    allow_negative_indices: bool | Sequence[bool] = True,
):
    """Takes a slice of fixed size from a start that may be computed.

    Args:
        operand: array of any shape.
        start_indices: a scalar integer for each axis, or one array of them. They are
            moved so that the slice is inside of `operand`.
        slice_sizes: the size of the slice on each axis.
        allow_negative_indices: whether negative starts count from the end, for all axes
            or each.

    Raises:
        TypeError: the slice is larger than the operand. ValueError: the number of
            indices or sizes is not the number of axes.

    Examples:
        >>> jax.lax.dynamic_slice(jnp.arange(5), (2,), (2,))
        Array([2, 3], dtype=int32)
    """
    starts = _start_indices(operand, start_indices, allow_negative_indices)
    sizes = tuple(map(expressions.size_index, slice_sizes))
    return dynamic_slice_p.bind(operand, *starts, slice_sizes=sizes)


def dynamic_update_slice(
    operand,
    update,
    start_indices,
    *,
    allow_negative_indices: bool | Sequence[bool] = True,
):
    """Replaces a slice at a start that may be computed.

    Args:
        operand: array of any shape.
        update: array of the same dtype and number of axes, not larger.
        start_indices: a scalar integer for each axis, or one array of them. They are
            moved so that the update is inside of `operand`.
        allow_negative_indices: whether negative starts count from the end, for all axes
            or each.

    Raises:
        TypeError: shapes or dtypes do not fit.

    Examples:
        >>> jax.lax.dynamic_update_slice(jnp.zeros(4), jnp.ones(2), (1,))
        Array([0., 1., 1., 0.], dtype=float32)
    """
    starts = _start_indices(operand, start_indices, allow_negative_indices)
    return dynamic_update_slice_p.bind(operand, update, *starts)


def dynamic_slice_in_dim(
    operand, start_index, slice_size, axis=0, *, allow_negative_indices=True
):
    """Takes a slice along one axis from a start that may be computed.

    Args:
        operand: array with at least one axis.
        start_index: scalar integer.
        slice_size: the size of the slice.
        axis: the axis; negative ones count from the end.
        allow_negative_indices: whether a negative start counts from the end.

    Returns:
        Array of the dtype of `operand`; a slice that would leave it is moved inside.

    Raises:
        ValueError: the axis is out of bounds. TypeError: `start_index` is no scalar
            integer, or the slice larger than the axis.
    """
    shape = list(np.shape(operand))
    axis = canonical_axis(axis, len(shape), "dynamic_slice_in_dim")
    starts = [0] * len(shape)
    starts[axis], shape[axis] = start_index, expressions.size_index(slice_size)
    return dynamic_slice(
        operand, starts, shape, allow_negative_indices=allow_negative_indices
    )


def dynamic_index_in_dim(
    operand, index, axis=0, keepdims=True, *, allow_negative_indices=True
):
    """Takes the slice at one index of an axis, which may be computed.

    Args:
        operand: array with at least one axis.
        index: scalar integer.
        axis: the axis; negative ones count from the end.
        keepdims: whether the axis stays, with size 1.
        allow_negative_indices: whether a negative index counts from the end.

    Returns:
        Array of the dtype of `operand`; an index out of bounds counts as the nearest.

    Raises:
        ValueError: the axis is out of bounds. TypeError: `index` is no scalar integer.
    """
    axis = canonical_axis(axis, np.ndim(operand), "dynamic_index_in_dim")
    out = dynamic_slice_in_dim(
        operand, index, 1, axis, allow_negative_indices=allow_negative_indices
    )
    return out if keepdims else squeeze(out, (axis,))


def dynamic_update_slice_in_dim(
    operand, update, start_index, axis, *, allow_negative_indices=True
):
    """Replaces a slice along one axis at a start that may be computed.

    Args:
        operand: array with at least one axis.
        update: array of the same shape, except along `axis`.
        start_index: scalar integer.
        axis: the axis; negative ones count from the end.
        allow_negative_indices: whether a negative start counts from the end.

    Returns:
        Array of the shape and dtype of `operand`; a slice that would leave it is moved
        inside.

    Raises:
        ValueError: the axis is out of bounds. TypeError: `update` has another dtype or
            does not fit, or `start_index` is no scalar integer.
    """
    ndim = np.ndim(operand)
    axis = canonical_axis(axis, ndim, "dynamic_update_slice_in_dim")
    starts = [0] * ndim
    starts[axis] = start_index
    return dynamic_update_slice(
        operand, update, starts, allow_negative_indices=allow_negative_indices
    )


def dynamic_update_index_in_dim(
    operand, update, index, axis, *, allow_negative_indices=True
):
    """Replaces the slice at one index of an axis, which may be computed.

    Args:
        operand: array with at least one axis.
        update: array of the shape of `operand`, with or without `axis`.
        index: scalar integer.
        axis: the axis; negative ones count from the end.
        allow_negative_indices: whether a negative index counts from the end.

    Returns:
        Array of the shape and dtype of `operand`; an index out of bounds counts as the
        nearest.

    Raises:
        ValueError: the axis is out of bounds. TypeError: `update` has another dtype or
            does not fit, or `index` is no scalar integer.
    """
    ndim = np.ndim(operand)
    axis = canonical_axis(axis, ndim, "dynamic_update_index_in_dim")
    if np.ndim(update) != ndim:
        shape = np.shape(update)
        if len(shape) != ndim - 1:
            raise type_error(
                "lax.dynamic_update_index_in_dim: the update does not fit.",
                [
                    ("operand", get_aval(operand).str_short()),
                    ("update", get_aval(update).str_short()),
                ],
                "It has the axes of the operand, with or without the indexed one.",
            )
        update = reshape(update, (*shape[:axis], 1, *shape[axis:]))
    return dynamic_update_slice_in_dim(
        operand, update, index, axis, allow_negative_indices=allow_negative_indices
    )


traceback_filter.hide_frames(globals())
