"""Slices with static limits, and padding, which is the transpose of slicing."""

import operator

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core import trace, unreduced, vma
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.core.symbols import expressions
from jax._src.interpreters import ad
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import sub
from jax._src.lax.ops.broadcast_and_reduce_sum import (
    batch_in_front,
    broadcast_in_dim,
    reduce_sum,
)
from jax._src.lax.ops.checks import canonical_axis, int_tuple, is_array
from jax._src.lax.ops.creation import full_like, zero_like
from jax._src.lax.ops.extended import moves_elements
from jax._src.lax.ops.messages import explain, not_implemented, type_error, value_error
from jax._src.lax.ops.reshaping import counting, squeeze
from jax._src.lax.ops.selection import select


@moves_elements
@declare("slice", traits=Trait.LINEAR)
class slice_p:
    """Takes a regular part of an array."""

    def types(x, *, start_indices, limit_indices, strides):
        _check_slice(x, start_indices, limit_indices, strides)
        strides = strides or (1,) * x.ndim
        sizes = [
            expressions.stepped(limit - start, stride)
            for start, limit, stride in zip(
                start_indices, limit_indices, strides, strict=True
            )
        ]
        return x.update(shape=tuple(sizes))

    def sharding(x, *, out, **params):
        return splitting.resized("slice", x, out.shape)

    def lower(ctx, x, *, start_indices, limit_indices, strides):
        return emit.slice(x, start_indices, limit_indices, strides)

    def transpose(ct, x, *, start_indices, limit_indices, strides):
        strides = strides or (1,) * len(start_indices)
        config = []
        for start, stride, n, size in zip(
            start_indices, strides, np.shape(ct), x.aval.shape, strict=True
        ):
            end = start + (n - 1) * stride + 1 if n else start
            config.append((start, size - end, stride - 1))
        return [pad(ct, zero_like(ct), config)]

    def batch(axis, args, dims, *, start_indices, limit_indices, strides):
        (x,), (dim,) = args, dims

        def insert(values, value):
            return (*values[:dim], value, *values[dim:])

        out = slice_p.bind(
            x,
            start_indices=insert(start_indices, 0),
            limit_indices=insert(limit_indices, x.shape[dim]),
            strides=None if strides is None else insert(strides, 1),
        )
        return out, dim

    def reference(x, *, start_indices, limit_indices, strides):
        strides = strides or (1,) * x.ndim
        index = map(_slice, start_indices, limit_indices, strides)
        return x[tuple(index)].copy()

    samples = [
        Sample(
            (x,), {"start_indices": start, "limit_indices": stop, "strides": strides}
        )
        for x, start, stop, strides in [
            (counting(5), (1,), (4,), None),
            (counting(3, 5), (0, 1), (3, 5), (1, 2)),
            (counting(5, dtype=np.int32), (2,), (2,), None),
            (counting(7), (1,), (6,), (3,)),
        ]
    ]


_slice = slice


def _check_slice(x, start_indices, limit_indices, strides) -> None:
    facts = lambda: [
        ("operand", x.str_short()),
        ("start_indices", start_indices),
        ("limit_indices", limit_indices),
        ("strides", strides),
    ]

    def fail(what, rule, kind=TypeError):
        raise kind(
            explain(f"lax.slice: {what}.", facts, rule, "As Python slices: x[a:b:c].")
        )

    for values in (start_indices, limit_indices, strides):
        if values is not None and len(values) != x.ndim:
            fail(
                "the number of indices is wrong",
                f"There is one index for each of the {x.ndim} axes.",
                ValueError,
            )
    if strides is not None and any(stride <= 0 for stride in strides):
        fail("a stride is not positive", "Strides are at least 1.")
    for start, limit, size in zip(start_indices, limit_indices, x.shape, strict=True):
        if not 0 <= start <= limit <= size:
            fail(
                "an index is out of bounds",
                "On each axis, 0 <= start <= limit <= size.",
            )


def slice(operand, start_indices, limit_indices, strides=None):
    """Takes the part from `start_indices` up to, but not including, `limit_indices`.

    Args:
        operand: array of any shape.
        start_indices: an integer for each axis.
        limit_indices: an integer for each axis.
        strides: the step on each axis; default: 1.

    Raises:
        TypeError: an index is out of bounds or a stride not positive. ValueError: the
            number of indices is not the number of axes.
    """
    shape = np.shape(operand)
    start_indices, limit_indices = tuple(start_indices), tuple(limit_indices)
    if strides is None and is_array(operand):
        if limit_indices == shape and not any(start_indices):
            if len(start_indices) == len(shape):
                return operand
    return slice_p.bind(
        operand,
        start_indices=int_tuple(start_indices),
        limit_indices=int_tuple(limit_indices),
        strides=None if strides is None else int_tuple(strides),
    )


def slice_in_dim(operand, start_index, limit_index, stride=1, axis=0):
    """Takes part of one axis.

    Args:
        operand: array of any dtype with at least one axis.
        start_index: where to start; negative: from the end; ``None``: at the start.
        limit_index: where to stop; negative: from the end; ``None``: at the end.
        stride: the step.
        axis: the axis; negative ones count from the end.

    Raises:
        ValueError: the axis is out of bounds.
        TypeError: an index is out of bounds.
    """
    shape = np.shape(operand)
    axis = canonical_axis(axis, len(shape), "slice_in_dim")
    size = shape[axis]

    def count(index, default):
        if index is None:
            return default
        index = expressions.size_index(index)
        return index + size if index < 0 else index

    starts, limits, strides = [0] * len(shape), list(shape), [1] * len(shape)
    starts[axis] = count(start_index, 0)
    limits[axis] = count(limit_index, size)
    strides[axis] = operator.index(stride)
    return slice(operand, starts, limits, strides)


def index_in_dim(operand, index, axis=0, keepdims=True):
    """Takes the slice at one index of an axis.

    Args:
        operand: array of any dtype with at least one axis.
        index: an integer; negative: from the end.
        axis: the axis; negative ones count from the end.
        keepdims: whether the axis stays, with size 1.

    Raises:
        IndexError: the index is out of bounds. ValueError: the axis is.
    """
    shape = np.shape(operand)
    axis = canonical_axis(axis, len(shape), "index_in_dim")
    position = expressions.size_index(index)
    if not -shape[axis] <= position < shape[axis]:
        raise IndexError(
            explain(
                f"lax.index_in_dim: index {position} is out of bounds for axis {axis} with "
                f"size {shape[axis]}.",
                [("operand", f"shape {shape}"), ("axis", axis), ("index", position)],
                f"The axis has size {shape[axis]}.",
            )
        )
    position %= shape[axis]
    out = slice_in_dim(operand, position, position + 1, 1, axis)
    return out if keepdims else squeeze(out, (axis,))


@moves_elements
@declare("pad", traits=Trait.LINEAR)
class pad_p:
    """Surrounds and spaces out elements with a value; negative padding cuts."""

    def types(x, value, *, padding_config):
        _check_pad(x, value, padding_config)
        shape = tuple(map(_padded_size, x.shape, padding_config))
        if any(size < 0 for size in shape):
            raise value_error(
                "lax.pad: Dimension size after padding is not at least 0.",
                [
                    ("operand", x.str_short()),
                    ("padding_config", padding_config),
                    ("result", shape),
                ],
                "Sizes after padding are at least 0.",
            )
        return x.update(shape=shape, weak_type=x.weak_type and value.weak_type)

    def sharding(x, value, *, padding_config, out):
        return splitting.resized("pad", x, out.shape)

    def sums(x, value, *, padding_config):
        return unreduced.of_linear("pad", (x, value), strict=x.is_seen)

    def lower(ctx, x, value, *, padding_config):
        return emit.pad(x, value, padding_config, ctx.avals_out[0].shape)

    def transpose(ct, x, value, *, padding_config):
        low, high, interior = (
            zip(*padding_config, strict=True) if padding_config else [()] * 3
        )
        cut = pad(
            ct,
            zero_like(ct),
            [(-before, -after, 0) for before, after in zip(low, high, strict=True)],
        )
        shape = np.shape(cut)
        kept = slice(cut, (0,) * len(shape), shape, [step + 1 for step in interior])
        if not ad.is_undefined_primal(value):
            return [kept, None]
        every = range(len(shape))
        if dtypes.is_extended(ct.dtype):
            raise not_implemented(
                "lax.pad: there is no derivative in a value of an extended dtype.",
                [("value", value.aval.str_short())],
                "It is what is summed less what is kept: such dtypes do not subtract.",
            )
        ct_value = sub(reduce_sum(ct, every), reduce_sum(kept, every))
        return [kept if ad.is_undefined_primal(x) else None, ct_value]

    def batch(axis, args, dims, *, padding_config):
        x, value = args
        if dims[1] is None and dims[0] is not None:
            config = list(padding_config)
            config.insert(dims[0], (0, 0, 0))
            return pad(x, value, config), dims[0]
        x = batch_in_front(x, dims[0], axis.size)
        config = [(0, 0, 0), *padding_config]
        padded = pad(x, zero_like(x), config)
        inside = pad(full_like(x, True, dtype=np.dtype(bool)), False, config)
        outside = broadcast_in_dim(value, np.shape(padded), (0,))
        return select(inside, padded, outside), 0

    def reference(x, value, *, padding_config):
        shape = tuple(map(_padded_size, x.shape, padding_config))
        out = np.full(shape, value, x.dtype)
        for index in np.ndindex(*x.shape):
            position = tuple(
                low + i * (interior + 1)
                for i, (low, _, interior) in zip(index, padding_config, strict=True)
            )
            if all(0 <= p < size for p, size in zip(position, shape, strict=True)):
                out[position] = x[index]
        return out

    samples = [
        Sample((x, value), {"padding_config": config})
        for x, value, config in [
            (counting(3), np.float32(9), ((1, 2, 0),)),
            (counting(2, 3), np.float32(0.5), ((0, 1, 2), (1, 0, 1))),
            (counting(6), np.float32(0), ((-2, -3, 1),)),
            (counting(3, dtype=np.int32), np.int32(7), ((-1, 2, 0),)),
            (counting(0), np.float32(7), ((1, 1, 3),)),
        ]
    ]


def _padded_size(size, config):
    low, high, interior = config
    if type(interior) is int and interior == 0:
        return low + high + size
    return low + high + size + (size - 1) * interior * (size > 0)


def _check_pad(x, value, padding_config) -> None:
    facts = lambda: [
        ("operand", x.str_short()),
        ("padding_value", value.str_short()),
        ("padding_config", padding_config),
    ]
    if x.dtype != value.dtype:
        raise type_error(
            "lax.pad: pad operand and padding_value must be same dtype: got "
            f"{x.dtype} and {value.dtype}.",
            facts,
            "The value has the dtype of the operand.",
            f"lax.convert_element_type(padding_value, {x.dtype.name!r})",
        )
    if value.shape:
        raise value_error(
            f"lax.pad: padding_value must be a scalar; got np.shape(padding_value)={value.shape}",
            facts,
            "One value fills all of the padding.",
        )
    if len(padding_config) != x.ndim or any(len(c) != 3 for c in padding_config):
        raise value_error(
            "lax.pad: length of padding_config must equal the number of axes of operand, got "
            f"padding_config {padding_config} for operand shape {x.shape}",
            facts,
            "It has, for each axis, a triple: before, after, between.",
        )
    if any(interior < 0 for _, _, interior in padding_config):
        raise value_error(
            "lax.pad: interior padding in padding_config must be nonnegative.",
            facts,
            "Only padding before and after may be negative.",
        )


def pad(operand, padding_value, padding_config):
    """Surrounds and spaces out the elements with a value.

    Args:
        operand: array of any shape.
        padding_value: scalar of the same dtype.
        padding_config: for each axis how many values come before the first element,
            after the last, and between two. The first two cut off where negative.

    Raises:
        TypeError: the dtypes differ. ValueError: the configuration does not fit.
    """
    config = tuple(int_tuple(triple) for triple in padding_config)
    value = padding_of_part(operand, padding_value)
    return pad_p.bind(operand, value, padding_config=config)


def padding_of_part(x, value):
    """The padding of what is part of a sum over Manual axes: of zero, each part is zero."""
    manual = vma.of_type(get_aval(x)) if is_array(x) else vma.NONE
    if not manual.unreduced or isinstance(value, trace.Tracer) or np.any(value):
        return value
    return vma.like(value, get_aval(x))


traceback_filter.hide_frames(globals())
