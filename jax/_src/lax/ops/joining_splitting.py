"""Joining arrays along an axis and splitting them: concatenate, split, stack, unstack, tile."""

import operator
from collections.abc import Sequence

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.core.symbols import expressions
from jax._src.interpreters import ad
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.broadcast_and_reduce_sum import (
    batch_in_front,
    reduce_sum,
)
from jax._src.lax.ops.checks import (
    canonical_axis,
    check_same_dtypes,
    int_tuple,
    is_array,
)
from jax._src.lax.ops.extended import moves_elements
from jax._src.lax.ops.messages import positions, type_error, value_error
from jax._src.lax.ops.reshaping import counting, move_axis, reshape


@moves_elements
@declare("concatenate", traits=Trait.LINEAR)
class concatenate_p:
    """Joins arrays along an axis."""

    def types(*arrays, dimension):
        check_same_dtypes("concatenate", arrays, "jnp.concatenate")
        facts = lambda: [
            *positions(x.str_short() for x in arrays),
            ("dimension", dimension),
        ]
        if len({x.ndim for x in arrays}) > 1:
            raise type_error(
                "lax.concatenate: Cannot concatenate arrays with different numbers of dimensions: got "
                f"{', '.join(str(x.shape) for x in arrays)}.",
                facts,
                "All arrays have the same number of dimensions.",
            )
        if not 0 <= dimension < arrays[0].ndim:
            raise type_error(
                "lax.concatenate: concatenate dimension out of bounds: dimension "
                f"{dimension} for shapes {', '.join(str(x.shape) for x in arrays)}.",
                facts,
                f"The arrays have {arrays[0].ndim} axes, counted from 0.",
                "To join scalars: lax.stack or jnp.stack.",
            )
        rests = {x.shape[:dimension] + x.shape[dimension + 1 :] for x in arrays}
        if len(rests) > 1:
            raise type_error(
                "lax.concatenate: Cannot concatenate arrays with shapes that differ in dimensions other than "
                f"the one being concatenated: concatenating along dimension {dimension} "
                f"for shapes {', '.join(str(x.shape) for x in arrays)}.",
                facts,
                f"All sizes are equal, except along dimension {dimension}.",
            )
        shape = list(arrays[0].shape)
        shape[dimension] = sum(x.shape[dimension] for x in arrays)
        weak = all(x.weak_type for x in arrays)
        return arrays[0].update(shape=tuple(shape), weak_type=weak)

    def sharding(*arrays, dimension, out):
        splitting.all_alike("concatenate", arrays)
        placed = (x for x in arrays if not x.sharding.mesh.empty)
        return splitting.resized("concatenate", next(placed, arrays[0]), out.shape)

    def lower(ctx, *arrays, dimension):
        return emit.concatenate(arrays, dimension, ctx.avals_out[0].shape)

    def transpose(ct, *arrays, dimension):
        shapes = [
            x.aval.shape if ad.is_undefined_primal(x) else np.shape(x) for x in arrays
        ]
        parts = split(ct, [shape[dimension] for shape in shapes], dimension)
        return [
            part if ad.is_undefined_primal(x) else None
            for part, x in zip(parts, arrays, strict=True)
        ]

    def batch(axis, args, dims, *, dimension):
        moved = [
            batch_in_front(x, dim, axis.size) for x, dim in zip(args, dims, strict=True)
        ]
        return concatenate(moved, dimension + 1), 0

    def reference(*arrays, dimension):
        return np.concatenate(arrays, dimension)

    samples = [
        Sample(arrays, {"dimension": axis})
        for arrays, axis in [
            ((counting(2), counting(3)), 0),
            ((counting(2, 3), counting(2, 1), counting(2, 0)), 1),
            ((counting(2, dtype=np.int32),), 0),
        ]
    ]


def concatenate(operands, dimension: int):
    """Joins arrays along an axis.

    Args:
        operands: arrays of one dtype, whose shapes differ at most along `dimension`.
        dimension: the axis, counted from 0.

    Raises:
        TypeError: shapes or dtypes do not fit. ValueError: there are no arrays.
    """
    operands = list(operands)
    if not operands:
        raise value_error(
            "lax.concatenate: concatenate requires a non-empty sequences of arrays.",
            [("operands", "no arrays")],
            "At least one array is joined.",
        )
    dimension = operator.index(dimension)
    if len(operands) == 1 and is_array(operands[0]):
        if 0 <= dimension < np.ndim(operands[0]):
            return operands[0]
    return concatenate_p.bind(*operands, dimension=dimension)


@moves_elements
@declare("split", traits=Trait.LINEAR, multiple_results=True)
class split_p:
    """Cuts an array into pieces along an axis."""

    def types(x, *, sizes, axis):
        facts = lambda: [
            ("operand", x.str_short()),
            ("sizes", sizes),
            ("axis", axis),
        ]
        if any(size < 0 for size in sizes):
            raise value_error(
                f"lax.split: Sizes passed to split must be nonnegative, got {list(sizes)}",
                facts,
                "Sizes are at least 0.",
            )
        if sum(sizes) != x.shape[axis]:
            raise value_error(
                f"lax.split: Sum of sizes {sum(sizes)} must be equal to dimension {axis} of the "
                f"operand shape {list(x.shape)}",
                facts,
                "The pieces make up the whole.",
            )
        before, after = x.shape[:axis], x.shape[axis + 1 :]
        return [x.update(shape=(*before, size, *after)) for size in sizes]

    def sharding(x, *, axis, out, **params):
        return [splitting.resized("split", x, one.shape) for one in out]

    def lower(ctx, x, *, sizes, axis):
        pieces, start = [], 0
        shape = ctx.avals_in[0].shape
        for size in sizes:
            starts, limits = [0] * len(shape), list(shape)
            starts[axis], limits[axis] = start, start + size
            pieces.append(emit.slice(x, starts, limits, None))
            start += size
        return pieces

    def transpose(cts, x, *, sizes, axis):
        return [concatenate([ad.instantiate_zeros(ct) for ct in cts], axis)]

    def batch(axis_data, args, dims, *, sizes, axis):
        (x,), (dim,) = args, dims
        pieces = split(x, sizes, axis + (axis >= dim))
        return pieces, [dim] * len(pieces)

    def reference(x, *, sizes, axis):
        return np.split(x, np.cumsum(sizes)[:-1], axis)

    samples = [
        Sample((counting(5),), {"sizes": (2, 3), "axis": 0}),
        Sample((counting(2, 6),), {"sizes": (1, 0, 5), "axis": 1}),
    ]


def split(operand, sizes: Sequence[int], axis: int = 0):
    """Cuts an array into pieces along an axis.

    Args:
        operand: array with at least one axis.
        sizes: the sizes of the pieces; their sum is that of the axis.
        axis: the axis; negative ones count from the end.

    Returns:
        A list of arrays of the dtype of `operand`.

    Raises:
        ValueError: the sizes do not add up.
    """
    axis = canonical_axis(axis, np.ndim(operand), "split")
    return split_p.bind(operand, sizes=int_tuple(sizes), axis=axis)


@moves_elements
@declare("stack", traits=Trait.LINEAR)
class stack_p:
    """Joins arrays along a new axis."""

    def types(*arrays, axis):
        check_same_dtypes("stack", arrays, "jnp.stack")
        if len({x.shape for x in arrays}) > 1:
            raise value_error(
                "lax.stack: the arrays differ in shape.",
                positions(x.str_short() for x in arrays),
                "All arrays have one shape.",
            )
        shape = list(arrays[0].shape)
        shape.insert(axis, len(arrays))
        weak = all(x.weak_type for x in arrays)
        return arrays[0].update(shape=tuple(shape), weak_type=weak)

    def sharding(*arrays, axis):
        spec = splitting.all_alike("stack", arrays)
        return (*spec[:axis], None, *spec[axis:])

    def lower(ctx, *arrays, axis):
        shape = ctx.avals_out[0].shape
        one = (*shape[:axis], 1, *shape[axis + 1 :])
        return emit.concatenate([emit.reshape(x, one) for x in arrays], axis, shape)

    def transpose(ct, *arrays, axis):
        parts = unstack(ct, axis)
        return [
            part if ad.is_undefined_primal(x) else None
            for part, x in zip(parts, arrays, strict=True)
        ]

    def batch(axis_data, args, dims, *, axis):
        moved = [
            batch_in_front(x, dim, axis_data.size)
            for x, dim in zip(args, dims, strict=True)
        ]
        return stack(moved, axis + 1), 0

    def reference(*arrays, axis):
        return np.stack(arrays, axis)

    samples = [
        Sample((counting(2), counting(2)), {"axis": 0}),
        Sample((counting(2, 3), -counting(2, 3), counting(2, 3)), {"axis": 1}),
        Sample((np.float32(1), np.float32(2)), {"axis": 0}),
    ]


def stack(operands, axis: int = 0):
    """Joins arrays of one shape along a new axis.

    Args:
        operands: arrays of one shape and dtype.
        axis: the index of the new axis in the result; negative ones count from the end.

    Raises:
        ValueError: the shapes differ, or there are no arrays.
        TypeError: `operands` is no array or number.
    """
    operands = list(operands)
    if not operands:
        raise value_error(
            "lax.stack: there are no arrays.",
            [("operands", "no arrays")],
            "At least one array is joined.",
        )
    axis = canonical_axis(axis, np.ndim(operands[0]) + 1, "stack")
    return stack_p.bind(*operands, axis=axis)


@moves_elements
@declare("unstack", traits=Trait.LINEAR, multiple_results=True)
class unstack_p:
    """Splits an array into its slices along one axis."""

    def types(x, *, axis):
        shape = x.shape[:axis] + x.shape[axis + 1 :]
        expressions.require_constant(x.shape[axis], "the number of results")
        return [x.update(shape=shape)] * x.shape[axis]

    def sharding(x, *, axis, out):
        splitting.whole_along("unstack", x, [axis])
        return [splitting.dropping([axis], x)] * len(out)

    def lower(ctx, x, *, axis):
        shape = ctx.avals_in[0].shape
        pieces = []
        for position, aval in enumerate(ctx.avals_out):
            starts, limits = [0] * len(shape), list(shape)
            starts[axis], limits[axis] = position, position + 1
            piece = emit.slice(x, starts, limits, None)
            pieces.append(emit.reshape(piece, aval.shape))
        return pieces

    def transpose(cts, x, *, axis):
        return [stack([ad.instantiate_zeros(ct) for ct in cts], axis)]

    def batch(axis_data, args, dims, *, axis):
        (x,), (dim,) = args, dims
        pieces = unstack(move_axis(x, dim, 0), axis + 1)
        return pieces, [0] * len(pieces)

    def reference(x, *, axis):
        return [x.take(i, axis) for i in range(x.shape[axis])]

    samples = [
        Sample((counting(2),), {"axis": 0}),
        Sample((counting(2, 3),), {"axis": 1}),
    ]


def unstack(x, axis: int = 0):
    """Splits an array into its slices along one axis, which disappears.

    Args:
        x: array with at least one axis.
        axis: the axis; negative ones count from the end.

    Returns:
        A tuple of arrays of the dtype of `x`.

    Raises:
        ValueError: the axis is out of bounds.
    """
    axis = canonical_axis(axis, np.ndim(x), "unstack")
    return tuple(unstack_p.bind(x, axis=axis))


@moves_elements
@declare("tile", traits=Trait.LINEAR)
class tile_p:
    """Repeats a whole array along its axes."""

    def types(x, *, reps):
        if len(reps) != x.ndim or any(n < 0 for n in reps):
            raise type_error(
                "lax.tile: the repetitions do not fit.",
                [("operand", x.str_short()), ("reps", reps)],
                "There is a number, at least 0, for each axis.",
                "To add axes: jnp.tile.",
            )
        shape = tuple(n * size for n, size in zip(reps, x.shape, strict=True))
        return x.update(shape=shape)

    def sharding(x, *, reps):
        spec = splitting.entries(x)
        splitting.whole_along(
            "tile", x, [i for i, n in enumerate(reps) if n != 1 and spec[i] is not None]
        )
        return spec

    def lower(ctx, x, *, reps):
        spread, dims = _spread_shape(ctx.avals_in[0].shape, reps)
        wide = emit.broadcast_in_dim(x, spread, dims)
        return emit.reshape(wide, ctx.avals_out[0].shape)

    def transpose(ct, x, *, reps):
        spread, dims = _spread_shape(x.aval.shape, reps)
        repeated = [i for i in range(len(spread)) if i not in dims]
        return [reduce_sum(reshape(ct, spread), repeated)]

    def batch(axis, args, dims, *, reps):
        (x,), (dim,) = args, dims
        return tile_p.bind(x, reps=(*reps[:dim], 1, *reps[dim:])), dim

    def reference(x, *, reps):
        return np.tile(x, reps)

    samples = [
        Sample((counting(3),), {"reps": (2,)}),
        Sample((counting(2, 3),), {"reps": (3, 2)}),
        Sample((counting(2, 3),), {"reps": (0, 2)}),
    ]


def _spread_shape(shape, reps):
    spread = [n for pair in zip(reps, shape, strict=True) for n in pair]
    return tuple(spread), tuple(range(1, len(spread), 2))


def tile(operand, reps: Sequence[int]):
    """Repeats a whole array along its axes.

    Args:
        operand: array of any shape.
        reps: how often, for each axis.

    Raises:
        TypeError: there is not one number for each axis.
    """
    return tile_p.bind(operand, reps=int_tuple(reps))


traceback_filter.hide_frames(globals())
