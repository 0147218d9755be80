"""Convolution: the primitive, its derivatives and its batching."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jax._src.core import slots
from jax._src.core.avals import ShapedArray
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.interpreters import ad
from jax._src.lax.ops import emit, splitting, splitting_shapes
from jax._src.lax.ops.checks import ANY, check_kind, check_same_dtypes
from jax._src.lax.ops.messages import explain
from jax._src.lax.ops.reshaping import counting, move_axis, reshape, rev
from jax._src.lax.ops.windows import dilated_size, transposed_padding, window_count


class ConvDimensionNumbers(NamedTuple):
    """The axes of batch, features and space in operand, kernel and result.

    Each is a tuple of axes: batch, feature, then space; for the kernel: output feature,
    input feature, then space.
    """

    lhs_spec: tuple[int, ...]
    rhs_spec: tuple[int, ...]
    out_spec: tuple[int, ...]


ConvGeneralDilatedDimensionNumbers = None | ConvDimensionNumbers | tuple[str, str, str]


def sizes_at(shape: Sequence[int], axes: Sequence[int]) -> list[int]:
    return [shape[axis] for axis in axes]


def result_shape(lhs_shape, rhs_shape, dimension_numbers, params) -> tuple[int, ...]:
    """The shape of the result of a convolution."""
    lhs_spec, rhs_spec, out_spec = dimension_numbers
    shape = [0] * len(lhs_shape)
    shape[out_spec[0]] = lhs_shape[lhs_spec[0]] // params["batch_group_count"]
    shape[out_spec[1]] = rhs_shape[rhs_spec[0]]
    for axis, size, n, stride, (low, high), gap, reach in zip(
        out_spec[2:],
        sizes_at(lhs_shape, lhs_spec[2:]),
        sizes_at(rhs_shape, rhs_spec[2:]),
        params["window_strides"],
        params["padding"],
        params["lhs_dilation"],
        params["rhs_dilation"],
        strict=True,
    ):
        padded = low + dilated_size(size, gap) + high
        shape[axis] = window_count(padded, dilated_size(n, reach), stride)
    return tuple(shape)


@declare("conv_general_dilated", traits=Trait.MULTILINEAR)
class conv_general_dilated_p:
    """Slides a kernel over space and sums products."""

    def types(lhs, rhs, *, dimension_numbers, preferred_element_type, **params):
        check_same_dtypes("conv_general_dilated", (lhs, rhs))
        check_kind("conv_general_dilated", lhs, ANY, "lhs")
        _check_convolution(lhs, rhs, dimension_numbers, params)
        shape = result_shape(lhs.shape, rhs.shape, dimension_numbers, params)
        dtype = preferred_element_type or lhs.dtype
        return ShapedArray(shape, dtype, lhs.weak_type and rhs.weak_type)

    def sharding(lhs, rhs, *, dimension_numbers, out, out_sharding, **params):
        if out_sharding is not None:
            return out_sharding
        return splitting_shapes.of_convolution(lhs, rhs, dimension_numbers, out)

    def lower(ctx, lhs, rhs, **params):
        return emit.convolution(ctx, lhs, rhs, **params)

    def transpose(ct, lhs, rhs, **params):
        if ad.is_undefined_primal(lhs):
            return [_lhs_cotangent(ct, lhs.aval, rhs, params), None]
        return [None, _rhs_cotangent(ct, lhs, rhs.aval, params)]

    def batch(axis, args, dims, **params):
        return _batch(axis.size, args, dims, params)

    def reference(lhs, rhs, **params):
        return _reference(lhs, rhs, **params)

    ulp = 64

    def samples():
        plain = {
            "window_strides": (1,),
            "padding": ((0, 0),),
            "lhs_dilation": (1,),
            "rhs_dilation": (1,),
            "feature_group_count": 1,
            "batch_group_count": 1,
        }
        cases = [
            ((1, 2, 5), (3, 2, 3), {}),
            ((2, 2, 5), (3, 2, 2), {"window_strides": (2,), "padding": ((1, 2),)}),
            ((1, 2, 4), (1, 2, 2), {"lhs_dilation": (2,), "rhs_dilation": (3,)}),
            ((1, 4, 5), (6, 2, 3), {"feature_group_count": 2}),
            ((4, 2, 5), (6, 2, 3), {"batch_group_count": 2, "padding": ((-1, 1),)}),
        ]
        spec = ConvDimensionNumbers((0, 1, 2), (0, 1, 2), (0, 1, 2))
        rest = {"precision": None, "preferred_element_type": None, "out_sharding": None}
        found = [
            Sample(
                (np.sin(counting(*lhs)), np.cos(counting(*rhs))),
                {**plain, **changes, **rest, "dimension_numbers": spec},
            )
            for lhs, rhs, changes in cases
        ]
        last = ConvDimensionNumbers((0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2))
        square = {
            "window_strides": (1, 2),
            "padding": ((1, 1), (0, 1)),
            "lhs_dilation": (1, 1),
            "rhs_dilation": (1, 1),
            "feature_group_count": 1,
            "batch_group_count": 1,
            "dimension_numbers": last,
            **rest,
        }
        operands = np.sin(counting(2, 4, 3, 2)), np.cos(counting(3, 2, 2, 3))
        return [*found, Sample(operands, square)]


def _check_convolution(lhs, rhs, numbers, params) -> None:
    facts = [("lhs", lhs.str_short()), ("rhs", rhs.str_short())]
    facts += [("dimension_numbers", numbers)]

    def fail(what, rule, kind=ValueError):
        raise kind(explain(f"lax.conv_general_dilated: {what}.", facts, rule))

    groups, batches = params["feature_group_count"], params["batch_group_count"]
    if groups < 1 or batches < 1:
        name, count = (
            ("feature_group_count", groups)
            if groups < 1
            else ("batch_group_count", batches)
        )
        fail(
            f"conv_general_dilated {name} must be a positive integer, got {count}",
            "Group counts are at least 1.",
        )
    features, channels = (
        lhs.shape[numbers.lhs_spec[1]],
        rhs.shape[numbers.rhs_spec[1]],
    )
    outputs, rows = rhs.shape[numbers.rhs_spec[0]], lhs.shape[numbers.lhs_spec[0]]
    whole = "Groups are equal parts."
    if features % groups:
        fail(
            "conv_general_dilated feature_group_count must divide lhs feature dimension "
            f"size, but {groups} does not divide {features}",
            whole,
        )
    if features // groups != channels:
        fail(
            "conv_general_dilated lhs feature dimension size divided by "
            "feature_group_count must equal the rhs input feature dimension size, but "
            f"{features} // {groups} != {channels}",
            "The kernel has the features of one group.",
        )
    if outputs % groups:
        fail(
            "conv_general_dilated rhs output feature dimension size must be a multiple of "
            f"feature_group_count, but {outputs} is not a multiple of {groups}",
            whole,
        )
    if groups > 1 and batches > 1:
        fail(
            "At most one of batch_group_count and feature_group_count may be > 1, got "
            f"batch_group_count={batches} and feature_group_count={groups}",
            "Groups are of features or of batch elements.",
        )
    if rows % batches:
        fail(
            "conv_general_dilated batch_group_count must divide lhs batch dimension size, "
            f"but {batches} does not divide {rows}",
            whole,
        )
    if outputs % batches:
        fail(
            "conv_general_dilated rhs output feature dimension size must be a multiple of "
            f"batch_group_count, but {outputs} is not a multiple of {batches}",
            whole,
        )
    spatial = lhs.ndim - 2
    for name in ("window_strides", "padding", "lhs_dilation", "rhs_dilation"):
        if len(params[name]) != spatial:
            fail(
                "Wrong number of explicit pads for convolution: expected "
                f"{spatial}, got {len(params[name])}"
                if name == "padding"
                else f"{name} has the wrong length",
                f"There are {spatial} axes of space, and {len(params[name])} entries.",
                kind=TypeError if name == "padding" else ValueError,
            )
    for name in ("window_strides", "lhs_dilation", "rhs_dilation"):
        if any(n < 1 for n in params[name]):
            fail(f"{name} is not positive", "Strides and dilations are at least 1.")


def _split_axis(x, axis: int, count: int):
    """`x` with one axis cut into `count` blocks, along a new axis before it."""
    shape = list(np.shape(x))
    shape[axis : axis + 1] = [count, shape[axis] // count]
    return reshape(x, shape)


def _merge_into(x, source: int, target: int):
    """`x` with axis `source` joined, as the slower one, with axis `target`.

    `target` counts without `source`.
    """
    x = move_axis(x, source, target)
    shape = list(np.shape(x))
    shape[target : target + 2] = [shape[target] * shape[target + 1]]
    return reshape(x, shape)


def _regroup(rhs, numbers, groups: int):
    """A kernel whose groups of output features have become groups of input features."""
    if groups == 1:
        return rhs
    out_axis, in_axis = numbers.rhs_spec[:2]
    return _merge_into(_split_axis(rhs, out_axis, groups), out_axis, in_axis)


def _lhs_cotangent(ct, aval, rhs, params):
    """A convolution of the cotangent with the kernel, turned round."""
    numbers = params["dimension_numbers"]
    lhs_spec, rhs_spec, out_spec = numbers
    batches = params["batch_group_count"]
    groups = max(params["feature_group_count"], batches)
    padding = transposed_padding(
        sizes_at(aval.shape, lhs_spec[2:]),
        sizes_at(np.shape(rhs), rhs_spec[2:]),
        params["window_strides"],
        sizes_at(np.shape(ct), out_spec[2:]),
        params["padding"],
        params["lhs_dilation"],
        params["rhs_dilation"],
    )
    kernel = rev(_regroup(rhs, numbers, groups), rhs_spec[2:])
    turned = (rhs_spec[1], rhs_spec[0], *rhs_spec[2:])
    out = conv_general_dilated_p.bind(
        ct,
        kernel,
        window_strides=params["lhs_dilation"],
        padding=tuple(padding),
        lhs_dilation=params["window_strides"],
        rhs_dilation=params["rhs_dilation"],
        dimension_numbers=ConvDimensionNumbers(out_spec, turned, lhs_spec),
        feature_group_count=groups,
        batch_group_count=1,
        **_same_precision(params, aval),
        out_sharding=splitting.cotangent_sharding(aval) if batches == 1 else None,
    )
    if batches > 1:
        batch, feature = lhs_spec[:2]
        out = _merge_into(_split_axis(out, feature, batches), feature, batch)
    return _as(out, aval.dtype)


def _rhs_cotangent(ct, lhs, aval, params):
    """A convolution of the operand with the cotangent, batch and features exchanged."""
    lhs_spec, rhs_spec, out_spec = params["dimension_numbers"]
    lhs_spread = [
        dilated_size(n, d)
        for n, d in zip(
            sizes_at(np.shape(lhs), lhs_spec[2:]), params["lhs_dilation"], strict=True
        )
    ]
    padding = []
    for size, n, reach, count, stride, (low, _) in zip(
        lhs_spread,
        sizes_at(aval.shape, rhs_spec[2:]),
        params["rhs_dilation"],
        sizes_at(np.shape(ct), out_spec[2:]),
        params["window_strides"],
        params["padding"],
        strict=True,
    ):
        high = dilated_size(count, stride) + dilated_size(n, reach) - 1 - size - low
        padding.append((low, high))
    numbers = ConvDimensionNumbers(
        (lhs_spec[1], lhs_spec[0], *lhs_spec[2:]),
        (out_spec[1], out_spec[0], *out_spec[2:]),
        (rhs_spec[1], rhs_spec[0], *rhs_spec[2:]),
    )
    out = conv_general_dilated_p.bind(
        lhs,
        ct,
        window_strides=params["rhs_dilation"],
        padding=tuple(padding),
        lhs_dilation=params["lhs_dilation"],
        rhs_dilation=params["window_strides"],
        dimension_numbers=numbers,
        feature_group_count=params["batch_group_count"],
        batch_group_count=params["feature_group_count"],
        **_same_precision(params, aval),
        out_sharding=splitting.cotangent_sharding(aval),
    )
    return _as(out, aval.dtype)


def _same_precision(params, aval):
    precision = params["precision"]
    if isinstance(precision, tuple) and len(precision) == 2:
        precision = precision[::-1] if precision[0] != precision[1] else precision
    preferred = params["preferred_element_type"]
    return {
        "precision": precision,
        "preferred_element_type": None if preferred is None else aval.dtype,
    }


def _as(x, dtype):
    return x if x.dtype == dtype else slots.convert(x, dtype, False)


def _batch(size, args, dims, params):
    lhs, rhs = args
    lhs_dim, rhs_dim = dims
    numbers = params["dimension_numbers"]
    lhs_spec, rhs_spec, out_spec = numbers
    groups, batches = params["feature_group_count"], params["batch_group_count"]
    if lhs_dim is not None and rhs_dim is not None:
        # A group for each row: of the batch where it has groups, else of features.
        if batches > 1:
            lhs, batches = _merge_into(lhs, lhs_dim, lhs_spec[0]), batches * size
        else:
            lhs, groups = _merge_into(lhs, lhs_dim, lhs_spec[1]), groups * size
        rhs = _merge_into(rhs, rhs_dim, rhs_spec[0])
        out = _bind(lhs, rhs, params, groups, batches)
        return _split_axis(out, out_spec[1], size), out_spec[1]
    if lhs_dim is not None:
        return _batch_lhs(size, lhs, rhs, lhs_dim, params)
    count = max(groups, batches)
    axis = rhs_spec[0]
    if count == 1:
        out = _bind(lhs, _merge_into(rhs, rhs_dim, axis), params, 1, 1)
        return _split_axis(out, out_spec[1], size), out_spec[1]
    # Rows go inside of groups: output features are (group, row, feature).
    rhs = _split_axis(move_axis(rhs, rhs_dim, 0), axis + 1, count)
    rhs = _merge_into(rhs, 0, axis + 1)
    rhs = _merge_into(rhs, axis, axis)
    out = _bind(lhs, rhs, params, groups, batches)
    feature = out_spec[1]
    out = _split_axis(_split_axis(out, feature, count), feature + 1, size)
    out = move_axis(out, feature + 1, 0)
    return _merge_into(out, feature + 1, feature + 1), 0


def _batch_lhs(size, lhs, rhs, dim, params):
    lhs_spec, _, out_spec = params["dimension_numbers"]
    groups, batches = params["feature_group_count"], params["batch_group_count"]
    axis = lhs_spec[0]
    if batches == 1:
        lhs = _merge_into(lhs, dim, axis)
    else:
        # Rows go inside of groups: the batch is (group, row, item).
        lhs = _split_axis(move_axis(lhs, dim, 0), axis + 1, batches)
        lhs = _merge_into(lhs, 0, axis + 1)
        lhs = _merge_into(lhs, axis, axis)
    out = _bind(lhs, rhs, params, groups, batches)
    return _split_axis(out, out_spec[0], size), out_spec[0]


def _bind(lhs, rhs, params, groups, batches):
    counts = {"feature_group_count": groups, "batch_group_count": batches}
    return conv_general_dilated_p.bind(lhs, rhs, **{**params, **counts})


def _reference(lhs, rhs, *, dimension_numbers, preferred_element_type, **params):
    lhs_spec, rhs_spec, out_spec = dimension_numbers
    shape = result_shape(lhs.shape, rhs.shape, dimension_numbers, params)
    dtype = np.dtype(preferred_element_type or lhs.dtype)
    wide = np.result_type(dtype, np.float64) if dtype.kind in "fcV" else dtype
    x = np.transpose(lhs, lhs_spec).astype(wide)
    kernel = np.transpose(rhs, rhs_spec).astype(wide)
    out = np.zeros([shape[axis] for axis in out_spec], wide)
    groups, batches = params["feature_group_count"], params["batch_group_count"]
    per_output = kernel.shape[0] // max(groups, batches)
    for index in np.ndindex(*out.shape):
        row, feature, *space = index
        group = feature // per_output
        if batches > 1:
            row += group * out.shape[0]
        start = group * kernel.shape[1] if groups > 1 else 0
        total = wide.type(0)
        for offset in np.ndindex(*kernel.shape[2:]):
            position = [
                s * stride + o * reach - low
                for s, stride, o, reach, (low, _) in zip(
                    space,
                    params["window_strides"],
                    offset,
                    params["rhs_dilation"],
                    params["padding"],
                    strict=True,
                )
            ]
            gaps = params["lhs_dilation"]
            at = [p // gap for p, gap in zip(position, gaps, strict=True)]
            if any(p % gap for p, gap in zip(position, gaps, strict=True)):
                continue
            if any(not 0 <= p < n for p, n in zip(at, x.shape[2:], strict=True)):
                continue
            features = x[(row, slice(start, start + kernel.shape[1]), *at)]
            total += np.sum(features * kernel[(feature, slice(None), *offset)])
        out[index] = total
    return np.transpose(out, np.argsort(out_spec)).astype(dtype)
