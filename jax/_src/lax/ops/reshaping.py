"""Operations that rearrange elements: transpose, reshape, squeeze, rev."""

import math
from collections.abc import Sequence

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core import slots
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.lax.ops import emit, splitting, splitting_shapes
from jax._src.lax.ops.checks import (
    canonical_axis,
    canonical_shape,
    int_tuple,
    is_array,
)
from jax._src.lax.ops.extended import moves_elements
from jax._src.lax.ops.messages import type_error, value_error


def counting(*shape: int, dtype=np.float32) -> np.ndarray:
    """An array with distinct elements, for samples."""
    return np.arange(1, math.prod(shape) + 1, dtype=dtype).reshape(shape)


@moves_elements
@declare("transpose", traits=Trait.LINEAR)
class transpose_p:
    """Permutes the axes of an array."""

    def types(x, *, permutation):
        if sorted(permutation) != list(range(x.ndim)):
            raise type_error(
                "lax.transpose: transpose permutation isn't a permutation of operand dimensions, got "
                f"permutation {permutation} for operand shape {x.shape}.",
                [("operand", x.str_short()), ("permutation", permutation)],
                f"Each of the axes 0 to {x.ndim - 1} appears once."
                if x.ndim
                else "A scalar has the empty permutation.",
                "Negative axes are counted by jnp.transpose, not by lax.transpose.",
            )
        return x.update(shape=tuple(x.shape[axis] for axis in permutation))

    def sharding(x, *, permutation):
        return [splitting.entries(x)[axis] for axis in permutation]

    def lower(ctx, x, *, permutation):
        return emit.transpose(x, permutation)

    def transpose(ct, x, *, permutation):
        return [transpose(ct, inverse_permutation(permutation))]

    def batch(axis, args, dims, *, permutation):
        (x,), (dim,) = args, dims
        return transpose(x, (dim, *(i + (i >= dim) for i in permutation))), 0

    def reference(x, *, permutation):
        return np.transpose(x, permutation)

    samples = [
        Sample((counting(2, 3),), {"permutation": (1, 0)}),
        Sample((counting(2, 3, 4),), {"permutation": (2, 0, 1)}),
        Sample((counting(0, 3, dtype=np.int32),), {"permutation": (1, 0)}),
    ]


def inverse_permutation(permutation: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argsort(permutation))


def transpose(operand, permutation: Sequence[int]):
    """Permutes the axes: axis `i` of the result is axis `permutation[i]` of `operand`.

    Args:
        operand: array of any shape and dtype.
        permutation: each axis of `operand` once.

    Raises:
        TypeError: `permutation` is not a permutation of the axes.
    """
    permutation = int_tuple(permutation)
    if permutation == tuple(range(np.ndim(operand))) and is_array(operand):
        return operand
    return transpose_p.bind(operand, permutation=permutation)


@slots.move_axis.fill
def move_axis(x, source: int, destination: int):
    """`x` with one axis moved; the others keep their order."""
    if source == destination:
        return x
    permutation = [i for i in range(np.ndim(x)) if i != source]
    permutation.insert(destination, source)
    return transpose(x, permutation)


@moves_elements
@declare("reshape", traits=Trait.LINEAR)
class reshape_p:
    """Gives the elements, in row-major order, another shape."""

    def types(x, *, new_sizes, dimensions, sharding):
        if math.prod(new_sizes) != x.size:
            raise type_error(
                "lax.reshape: the number of elements would change.",
                [
                    ("operand", f"{x.str_short()}, {x.size} elements"),
                    ("new_sizes", f"{new_sizes}, {math.prod(new_sizes)} elements"),
                ],
                "The sizes before and after have the same product.",
            )
        if dimensions is not None and sorted(dimensions) != list(range(x.ndim)):
            raise type_error(
                "lax.reshape: reshape dimensions must be a permutation of operand dimensions, got "
                f"dimensions {dimensions} for shape {x.shape}.",
                [("operand", x.str_short()), ("dimensions", dimensions)],
                "Each axis of the operand appears once.",
            )
        return x.update(shape=new_sizes)

    def sharding(x, *, new_sizes, dimensions, sharding):
        if sharding is not None:
            return sharding
        return splitting_shapes.of_reshape(x, new_sizes, dimensions)

    def lower(ctx, x, *, new_sizes, dimensions, sharding):
        if dimensions is not None:
            x = emit.transpose(x, dimensions)
        return emit.reshape(x, new_sizes)

    def transpose(ct, x, *, new_sizes, dimensions, sharding):
        shape = x.aval.shape
        if dimensions is None:
            wanted = splitting.cotangent_sharding(x.aval)
            return [reshape(ct, shape, out_sharding=wanted)]
        moved = reshape(ct, tuple(shape[axis] for axis in dimensions))
        return [transpose(moved, inverse_permutation(dimensions))]

    def batch(axis, args, dims, *, new_sizes, dimensions, sharding):
        (x,), (dim,) = args, dims
        x = move_axis(x, dim, 0)
        if dimensions is not None:
            x = transpose(x, (0, *(i + 1 for i in dimensions)))
        wider = splitting.with_batch_axis(sharding, axis, 0)
        return reshape(x, (x.shape[0], *new_sizes), out_sharding=wider), 0

    def reference(x, *, new_sizes, dimensions, sharding):
        if dimensions is not None:
            x = np.transpose(x, dimensions)
        return np.reshape(x, new_sizes)

    samples = [
        Sample(
            (counting(2, 3),),
            {"new_sizes": (3, 2), "dimensions": None, "sharding": None},
        ),
        Sample(
            (counting(2, 3),),
            {"new_sizes": (6,), "dimensions": (1, 0), "sharding": None},
        ),
        Sample(
            (counting(),), {"new_sizes": (1, 1), "dimensions": None, "sharding": None}
        ),
        Sample(
            (counting(0, 3),),
            {"new_sizes": (5, 0), "dimensions": None, "sharding": None},
        ),
    ]


@slots.reshape.fill
def reshape(operand, new_sizes, dimensions=None, *, out_sharding=None):
    """The elements of an array in another shape, read in row-major order.

    Args:
        operand: array of any shape.
        new_sizes: the shape of the result.
        dimensions: the order of axes in which `operand` is read; default: their own.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: the number of elements would change, or a size is negative.

        ValueError: the number of elements would change.
    """
    new_sizes = _positive_sizes(new_sizes)
    sharding = splitting.given_sharding("reshape", out_sharding, len(new_sizes))
    shape = np.shape(operand)
    if dimensions is not None:
        dimensions = int_tuple(dimensions)
        if dimensions == tuple(range(len(shape))):
            dimensions = None
    if dimensions is None and shape == new_sizes and is_array(operand):
        if sharding is None or sharding == get_aval(operand).sharding:
            return operand
    if math.prod(new_sizes) != math.prod(shape):
        raise value_error(
            "lax.reshape: the number of elements would change.",
            [
                ("operand", f"shape {shape}, {math.prod(shape)} elements"),
                ("new_sizes", f"{new_sizes}, {math.prod(new_sizes)} elements"),
            ],
            "The sizes before and after have the same product.",
        )
    return reshape_p.bind(
        operand, new_sizes=new_sizes, dimensions=dimensions, sharding=sharding
    )


def _positive_sizes(new_sizes) -> tuple[int, ...]:
    try:
        return canonical_shape(new_sizes, "reshape")
    except TypeError as error:
        if np.ndim(new_sizes) == 1 and any(size == -1 for size in new_sizes):
            raise type_error(
                f"lax.reshape: reshape new_sizes must all be positive, got {new_sizes}.",
                [("new_sizes", tuple(new_sizes))],
                "lax.reshape does not infer sizes.",
                "To infer one: jnp.reshape(x, shape).",
            ) from error
        raise


@moves_elements
@declare("squeeze", traits=Trait.LINEAR)
class squeeze_p:
    """Drops axes of size 1."""

    def types(x, *, dimensions):
        if any(x.shape[axis] != 1 for axis in dimensions):
            raise value_error(
                "lax.squeeze: cannot select an axis to squeeze out which has size not equal to one, got "
                f"shape={x.shape} and dimensions={dimensions}",
                [("operand", x.str_short()), ("dimensions", dimensions)],
                "Only axes of size 1 can be dropped.",
                "To drop another: index it, or reduce over it.",
            )
        keep = [size for axis, size in enumerate(x.shape) if axis not in dimensions]
        return x.update(shape=tuple(keep))

    def sharding(x, *, dimensions):
        return splitting.dropping(dimensions, x)

    def lower(ctx, x, *, dimensions):
        return emit.reshape(x, ctx.avals_out[0].shape)

    def transpose(ct, x, *, dimensions):
        return [reshape(ct, x.aval.shape)]

    def batch(axis, args, dims, *, dimensions):
        (x,), (dim,) = args, dims
        return squeeze(move_axis(x, dim, 0), [i + 1 for i in dimensions]), 0

    def reference(x, *, dimensions):
        return np.squeeze(x, dimensions)

    samples = [
        Sample((counting(1, 3, 1),), {"dimensions": (0,)}),
        Sample((counting(1, 3, 1),), {"dimensions": (0, 2)}),
        Sample((counting(1, dtype=np.int32),), {"dimensions": (0,)}),
    ]


def squeeze(array, dimensions: Sequence[int]):
    """Drops axes of size 1.

    Args:
        array: array of any shape and dtype.
        dimensions: the axes to drop, each of size 1; negative ones count from the end.

    Raises:
        ValueError: an axis is out of bounds, repeated or of another size.
    """
    ndim = np.ndim(array)
    axes = tuple(sorted(canonical_axis(axis, ndim, "squeeze") for axis in dimensions))
    if len(set(axes)) != len(axes):
        raise value_error(
            f"lax.squeeze: dimensions are not unique: {tuple(dimensions)}",
            [],
            "Each axis can be dropped once.",
        )
    if not axes and is_array(array):
        return array
    return squeeze_p.bind(array, dimensions=axes)


@moves_elements
@declare("rev", traits=Trait.LINEAR)
class rev_p:
    """Reverses an array along some axes."""

    def types(x, *, dimensions):
        facts = lambda: [("operand", x.str_short()), ("dimensions", dimensions)]
        if len(set(dimensions)) != len(dimensions):
            raise type_error(
                f"lax.rev: rev dimensions must be unique, got {dimensions}.",
                facts,
                "An axis is reversed once.",
            )
        if any(not 0 <= axis < x.ndim for axis in dimensions):
            raise type_error(
                "lax.rev: rev dimensions must all be less than operand ndim, got dimensions "
                f"{dimensions} for operand ndim {x.ndim}.",
                facts,
                f"The operand has {x.ndim} axes, counted from 0.",
                "Negative axes are counted by jnp.flip, not by lax.rev.",
            )
        return x.update()

    sharding = splitting.like_first

    def lower(ctx, x, *, dimensions):
        return emit.reverse(x, dimensions)

    def transpose(ct, x, *, dimensions):
        return [rev(ct, dimensions)]  # its own transpose; the jvp follows

    def batch(axis, args, dims, *, dimensions):
        (x,), (dim,) = args, dims
        return rev(x, [i + (i >= dim) for i in dimensions]), dim

    def reference(x, *, dimensions):
        return np.flip(x, dimensions)

    samples = [
        Sample((counting(2, 3),), {"dimensions": (0,)}),
        Sample((counting(2, 3),), {"dimensions": (0, 1)}),
        Sample((counting(4, dtype=np.int8),), {"dimensions": (0,)}),
        Sample((counting(0),), {"dimensions": (0,)}),
    ]


def rev(operand, dimensions: Sequence[int]):
    """Reverses an array along some axes.

    Args:
        operand: array of any shape and dtype.
        dimensions: the axes to reverse, counted from 0, each at most once.

    Raises:
        TypeError: an axis is repeated or out of bounds.
    """
    return rev_p.bind(operand, dimensions=int_tuple(dimensions))


def collapse(operand, start_dimension: int, stop_dimension: int | None = None):
    """Joins neighbouring axes into one.

    Args:
        operand: array of any shape and dtype.
        start_dimension: the first axis to join.
        stop_dimension: the axis after the last to join; default: the end.

    Raises:
        ValueError: the range of axes is empty backwards or out of bounds.
        TypeError: `operand` is no array or number.
    """
    shape = np.shape(operand)
    start, stop, _ = slice(start_dimension, stop_dimension).indices(len(shape))
    if stop < start:
        raise value_error(
            f"lax.collapse: Invalid dimension range passed to collapse: {shape}"
            f"[{start_dimension}:{stop_dimension}]",
            [
                ("shape", shape),
                ("axes", f"{start_dimension} to {stop_dimension}"),
            ],
            "The first axis comes before the last.",
        )
    return reshape(
        operand, (*shape[:start], math.prod(shape[start:stop]), *shape[stop:])
    )


traceback_filter.hide_frames(globals())
