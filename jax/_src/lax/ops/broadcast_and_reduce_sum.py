"""Repeating elements along new axes, and its transpose: summing them up again."""

import math
from collections.abc import Sequence

import numpy as np

from jax._src import dtypes
from jax._src.base import options, traceback_filter
from jax._src.core import shardings, slots, state
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.lax.ops import emit, splitting, splitting_shapes
from jax._src.lax.ops.checks import (
    NUMBER,
    canonical_axis,
    canonical_shape,
    check_kind,
    int_tuple,
    is_array,
)
from jax._src.lax.ops.extended import moves_elements
from jax._src.lax.ops.messages import type_error, value_error
from jax._src.lax.ops.reshaping import counting, move_axis, reshape, transpose


@moves_elements
@declare("broadcast_in_dim", traits=Trait.LINEAR)
class broadcast_in_dim_p:
    """Repeats an array along new axes and along axes of size 1."""

    def types(x, *, shape, broadcast_dimensions, sharding):
        _check_broadcast(x, shape, broadcast_dimensions)
        return x.update(shape=shape)

    def sharding(x, *, shape, broadcast_dimensions, sharding):
        if sharding is not None:
            return sharding
        out = [None] * len(shape)
        for entry, axis in zip(splitting.entries(x), broadcast_dimensions, strict=True):
            out[axis] = entry
        return out

    def lower(ctx, x, *, shape, broadcast_dimensions, sharding):
        return emit.broadcast_in_dim(x, shape, broadcast_dimensions)

    def transpose(ct, x, *, shape, broadcast_dimensions, sharding):
        operand_shape = x.aval.shape
        summed = [i for i in range(len(shape)) if i not in broadcast_dimensions]
        summed += [
            axis
            for size, axis in zip(operand_shape, broadcast_dimensions, strict=True)
            if size == 1 and shape[axis] != 1
        ]
        if summed:
            ct = _total(ct, sorted(summed))
        return [reshape(_order_axes(ct, broadcast_dimensions, summed), operand_shape)]

    def batch(axis, args, dims, *, shape, broadcast_dimensions, sharding):
        (x,), (dim,) = args, dims
        x = move_axis(x, dim, 0)
        moved = (0, *(i + 1 for i in broadcast_dimensions))
        wider = splitting.with_batch_axis(sharding, axis, 0)
        return (
            broadcast_in_dim(x, (x.shape[0], *shape), moved, out_sharding=wider),
            0,
        )

    def show(*, broadcast_dimensions, **params):
        if not broadcast_dimensions:
            return {}
        return {"broadcast_dimensions": broadcast_dimensions}

    def reference(x, *, shape, broadcast_dimensions, sharding):
        order = np.argsort(broadcast_dimensions)
        sizes = [1] * len(shape)
        for size, axis in zip(x.shape, broadcast_dimensions, strict=True):
            sizes[axis] = size
        return np.broadcast_to(
            np.transpose(x, order.astype(int)).reshape(sizes), shape
        ).copy()

    samples = [
        Sample(
            (counting(*operand),),
            {"shape": shape, "broadcast_dimensions": axes, "sharding": None},
        )
        for operand, shape, axes in [
            ((), (2, 3), ()),
            ((3,), (2, 3), (1,)),
            ((1, 3), (2, 3), (0, 1)),
            ((2, 3), (3, 4, 2), (2, 0)),
            ((3,), (0, 3), (1,)),
        ]
    ]


def _order_axes(ct, broadcast_dimensions, summed):
    """Transposes a summed cotangent to the operand's order of axes, where `broadcast_dimensions` do not increase."""
    kept = [axis for axis in broadcast_dimensions if axis not in summed]
    if kept == sorted(kept):
        return ct
    return transpose(ct, [sorted(kept).index(axis) for axis in kept])


def _check_broadcast(x, shape, broadcast_dimensions) -> None:
    facts = lambda: [
        ("operand", x.str_short()),
        ("shape", shape),
        ("broadcast_dimensions", broadcast_dimensions),
    ]

    def fail(what, rule, *ways_out):
        raise type_error(f"lax.broadcast_in_dim: {what}.", facts, rule, *ways_out)

    if len(broadcast_dimensions) != x.ndim:
        fail(
            "broadcast_in_dim broadcast_dimensions must have length equal to operand ndim; "
            f"got broadcast_dimensions {broadcast_dimensions} for operand ndim {x.ndim}",
            "It names, for each axis of the operand, the axis of the result.",
        )
    if any(not 0 <= axis < len(shape) for axis in broadcast_dimensions):
        fail(
            "broadcast_in_dim broadcast_dimensions must be a subset of output dimensions, "
            f"got {broadcast_dimensions} for operand ndim {x.ndim} and shape {shape}",
            f"The result has {len(shape)} axes, counted from 0.",
        )
    if len(set(broadcast_dimensions)) != len(broadcast_dimensions):
        fail("an axis is repeated", "Each axis of the operand has one of the result.")
    for size, axis in zip(x.shape, broadcast_dimensions, strict=True):
        if size not in (1, shape[axis]):
            fail(
                "broadcast_in_dim operand dimension sizes must either be 1, or be equal to "
                "their corresponding dimensions in the target broadcast shape; got operand "
                f"of shape {x.shape}, target broadcast shape {shape}, broadcast_dimensions "
                f"{broadcast_dimensions}",
                "A size is 1 or equal to the one it goes to.",
            )


def broadcast_in_dim(
    operand, shape, broadcast_dimensions: Sequence[int], *, out_sharding=None
):
    """Repeats an array along new axes, and along its axes of size 1.

    Args:
        operand: array of any shape and dtype.
        shape: the shape of the result.
        broadcast_dimensions: for each axis of `operand`, its axis in the result.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: a size is neither 1 nor that of the axis it goes to.
    """
    shape = canonical_shape(shape, "broadcast_in_dim")
    sharding = splitting.given_sharding("broadcast_in_dim", out_sharding, len(shape))
    broadcast_dimensions = int_tuple(broadcast_dimensions)
    if (
        np.shape(operand) == shape
        and broadcast_dimensions == tuple(range(len(shape)))
        and is_array(operand)
        and (sharding is None or sharding == get_aval(operand).sharding)
    ):
        return operand
    return broadcast_in_dim_p.bind(
        operand,
        shape=shape,
        broadcast_dimensions=broadcast_dimensions,
        sharding=sharding,
    )


@slots.broadcast_in_dim.fill
def _broadcast_slot(x, shape, dimensions):
    return broadcast_in_dim(x, shape, dimensions)


@slots.broadcast_axis.fill
def broadcast_axis(x, size: int, axis: int):
    """Repeats `x` along a new axis; in a batch rule, the axis is split over the mesh as the batch is."""
    shape = list(np.shape(x))
    shape.insert(axis, size)
    kept = [i for i in range(len(shape)) if i != axis]
    return broadcast_in_dim(x, shape, kept, out_sharding=_with_rows(x, axis))


def _with_rows(x, axis):
    """Returns the sharding of `x` with batch elements along a new axis; None if it does not change."""
    entry = state.mesh_axis_of_rows()
    if entry is None:
        return None
    aval = get_aval(x)
    mesh = splitting.explicit_mesh(aval)
    spec = aval.sharding.spec
    used = {*spec.names, *spec.unreduced, *spec.reduced}
    if mesh is None or used & set(splitting.names_in(entry)):
        return None
    partitions = [*spec.partitions]
    partitions.insert(axis, entry)
    return shardings.NamedSharding(mesh, spec.update(partitions=tuple(partitions)))


def broadcast(operand, sizes: Sequence[int], *, out_sharding=None):
    """Repeats an array along new leading axes of the given sizes.

    Args:
        operand: array of any shape and dtype.
        sizes: sizes of the new axes.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: a size is negative.
    """
    shape = np.shape(operand)
    new = tuple(sizes)
    if not new and out_sharding is None and is_array(operand):
        return operand
    axes = range(len(new), len(new) + len(shape))
    return broadcast_in_dim(operand, (*new, *shape), axes, out_sharding=out_sharding)


def broadcast_to_rank(x, rank: int):
    """`x` with leading axes of size 1, so that it has at least `rank` axes.

    Args:
        x: array of any shape and dtype.
        rank: the least number of axes.

    Raises:
        Nothing of its own: an array with more axes stays as it is.
        TypeError: `x` is no array or number.
    """
    missing = rank - np.ndim(x)
    return x if missing <= 0 else expand_dims(x, range(missing))


def broadcast_like(arr, like_arr):
    """`arr` repeated to the shape of `like_arr`, trailing axes aligned.

    Args:
        arr: array of any dtype, which stays.
        like_arr: array with as many axes or more, of any dtype.

    Raises:
        TypeError: a size is neither 1 nor that of its axis.
    """
    shape = get_aval(like_arr).shape
    ndim = get_aval(arr).ndim
    return broadcast_in_dim(arr, shape, range(len(shape) - ndim, len(shape)))


def expand_dims(array, dimensions: Sequence[int]):
    """Inserts axes of size 1.

    Args:
        array: array of any shape and dtype.
        dimensions: the indices of the new axes in the result.

    Raises:
        ValueError: a new axis is out of bounds or repeated.
        TypeError: `array` is no array or number.
    """
    ndim = np.ndim(array) + len(set(dimensions))
    axes = [canonical_axis(axis, ndim, "expand_dims") for axis in dimensions]
    if len(set(axes)) != len(list(dimensions)):
        raise value_error(
            f"lax.expand_dims: repeated axis in lax.expand_dims: {tuple(dimensions)}",
            [("dimensions", tuple(dimensions))],
            "Each new axis has an index of its own.",
        )
    shape = list(np.shape(array))
    for new_axis in sorted(axes):
        shape.insert(new_axis, 1)
    kept = [axis for axis in range(ndim) if axis not in axes]
    return broadcast_in_dim(array, shape, kept)


def check_axes(name: str, x, axes) -> None:
    """Raises ValueError for axes of a reduction that are repeated or out of bounds."""
    if len(set(axes)) != len(axes):
        raise value_error(
            f"lax.{name}: duplicate value in 'axes' of reduction: {axes}",
            [("operand", x.str_short()), ("axes", axes)],
            "An axis is reduced at most once.",
        )
    if any(not 0 <= axis < x.ndim for axis in axes):
        raise value_error(
            f"lax.{name}: reduction axes {axes} contains out-of-bounds indices for "
            f"{x.str_short()}.",
            [("operation", f"lax.{name}")],
            f"The operand has {x.ndim} axes, counted from 0.",
            "Negative axes are counted by the functions of jnp.",
        )


def shape_without(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def batch_axes(axes: Sequence[int], dim: int) -> tuple[tuple[int, ...], int]:
    """Returns the axes of a reduction with a batch axis at `dim`, and the position of the batch axis in the result."""
    moved = tuple(axis + (axis >= dim) for axis in axes)
    return moved, dim - sum(axis < dim for axis in moved)


def _check_half_precision(x):
    if (
        x.dtype.name in ("float16", "bfloat16")
        and not options.allow_f16_reductions.value
    ):
        raise value_error(
            "lax.reduce_sum: sums of 16-bit floats are not allowed.",
            [("operand", x.str_short())],
            "jax_allow_f16_reductions is off.",
            "Convert the operand with x.astype(jnp.float32).",
        )


@declare("reduce_sum", traits=Trait.LINEAR)
class reduce_sum_p:
    """Sums along axes."""

    def types(x, *, axes, out_sharding):
        check_kind("reduce_sum", x, NUMBER)
        check_axes("reduce_sum", x, axes)
        _check_half_precision(x)
        return x.update(shape=shape_without(x.shape, axes))

    def sharding(x, *, axes, out_sharding):
        if out_sharding is None:
            return splitting.dropping(axes, x)
        splitting_shapes.check_pending_sums(x, axes, out_sharding)
        return out_sharding

    def lower(ctx, x, *, axes, out_sharding):
        return emit.reduce_with("add", x, 0, axes, ctx.avals_in[0].dtype)

    def transpose(ct, x, *, axes, out_sharding):
        shape = x.aval.shape
        kept = [axis for axis in range(len(shape)) if axis not in axes]
        wanted = splitting.cotangent_sharding(x.aval)
        return [broadcast_in_dim(ct, shape, kept, out_sharding=wanted)]

    def batch(axis, args, dims, *, axes, out_sharding):
        (x,), (dim,) = args, dims
        axes, dim_out = batch_axes(axes, dim)
        wider = splitting.with_batch_axis(out_sharding, axis, dim_out)
        return reduce_sum(x, axes, out_sharding=wider), dim_out

    def reference(x, *, axes, out_sharding):
        wide = x if x.dtype.kind in "iuc" else x.astype(np.float64)
        return np.sum(wide, axis=axes).astype(x.dtype)

    ulp = 8
    samples = [
        Sample((counting(*shape, dtype=dtype),), {"axes": axes, "out_sharding": None})
        for shape, dtype, axes in [
            ((2, 3), np.float32, (0,)),
            ((2, 3, 4), np.float32, (0, 2)),
            ((2, 3), np.int32, (1,)),
            ((), np.float32, ()),
            ((0, 3), np.float32, (0,)),
        ]
    ]


def reduce_sum(operand, axes: Sequence[int], *, out_sharding=None):
    """Sums an array along axes.

    Args:
        operand: array of numbers of any shape.
        axes: the axes to sum along, counted from 0, each at most once.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: the dtype is boolean. ValueError: an axis is repeated or out of
            bounds.
    """
    axes = int_tuple(axes)
    if out_sharding is not None:
        ndim = np.ndim(operand) - len(axes)
        out_sharding = splitting.given_sharding("reduce_sum", out_sharding, ndim)
    return reduce_sum_p.bind(operand, axes=axes, out_sharding=out_sharding)


def _total(ct, axes):
    """Sums cotangents along axes; extended dtypes have a sum of their own."""
    if not dtypes.is_extended(ct.dtype):
        return reduce_sum(ct, axes)
    for axis in sorted(axes, reverse=True):
        ct = slots.sum_axis(ct, axis)
    return ct


def unbroadcast(ct, aval):
    """The transpose of broadcasting an operand of type `aval` to the shape of `ct`."""
    shape, target = np.shape(ct), aval.shape
    if shape == target:
        return ct
    if not target:
        return reduce_sum(ct, range(len(shape)))
    stretched = [axis for axis, size in enumerate(target) if size != shape[axis]]
    return reshape(reduce_sum(ct, stretched), target)


def broadcast_to(x, shape: Sequence[int]):
    """A scalar, or an array of equal rank, repeated to `shape`."""
    ndim = np.ndim(x)
    return broadcast_in_dim(x, shape, range(ndim) if ndim else ())


def batch_in_front(x, dim: int | None, size: int):
    """Returns an operand of a batch rule with its batch axis first; one without a batch axis is repeated."""
    return broadcast_axis(x, size, 0) if dim is None else move_axis(x, dim, 0)


def element_count(shape: Sequence[int], axes: Sequence[int]) -> int:
    return math.prod(shape[axis] for axis in axes)


traceback_filter.hide_frames(globals())
