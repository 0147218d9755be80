"""`jax.lax` in NumPy and SciPy, which tests compare it with: `jax._src.lax_reference`."""

import builtins
import functools as ft
import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes

neg, sign, floor, ceil = np.negative, np.sign, np.floor, np.ceil
nextafter, is_finite = np.nextafter, np.isfinite
exp, exp2, expm1, log, log1p = np.exp, np.exp2, np.expm1, np.log, np.log1p
sin, cos, tan, tanh, sinh, cosh = np.sin, np.cos, np.tan, np.tanh, np.sinh, np.cosh
asin, acos, atan, atan2 = np.arcsin, np.arccos, np.arctan, np.arctan2
asinh, acosh, atanh = np.arcsinh, np.arccosh, np.arctanh
sqrt, cbrt, square, reciprocal = np.sqrt, np.cbrt, np.square, np.reciprocal
real, imag, abs, pow = np.real, np.imag, np.absolute, np.power
bitwise_not, bitwise_and = np.bitwise_not, np.bitwise_and
bitwise_or, bitwise_xor = np.bitwise_or, np.bitwise_xor
add, sub, max, min = np.add, np.subtract, np.maximum, np.minimum
shift_left, shift_right_arithmetic = np.left_shift, np.right_shift
eq, ne, ge, gt = np.equal, np.not_equal, np.greater_equal, np.greater
le, lt = np.less_equal, np.less
dot, sum, squeeze, transpose, sort = np.dot, np.sum, np.squeeze, np.transpose, np.sort
select = np.where


def _of_scipy(name: str, keeps_dtype: bool = True) -> Callable:
    """A special function of SciPy's, which is slow to import."""

    def apply(*args):
        found = getattr(importlib.import_module("scipy.special"), name)(*args)
        return found.astype(args[-1].dtype) if keeps_dtype else found

    return apply


betainc, lgamma, digamma = map(_of_scipy, ("betainc", "gammaln", "digamma"))
igamma, igammac = _of_scipy("gammainc", False), _of_scipy("gammaincc", False)
erf, erfc, erf_inv = map(_of_scipy, ("erf", "erfc", "erfinv"))
bessel_i0e, bessel_i1e = map(_of_scipy, ("i0e", "i1e"))


def round(x: Any) -> Any:
    """To whole numbers, halves away from 0."""
    half = np.nextafter(x.dtype.type(0.5), x.dtype.type(0))
    return np.trunc(x + np.copysign(half, x)).astype(x.dtype)


def rsqrt(x: Any) -> Any:
    """One over the square root."""
    return np.ones_like(x) / np.sqrt(x)


def logistic(x: Any) -> Any:
    """The logistic function."""
    return (1 / (1 + np.exp(-x))).astype(x.dtype)


def conj(x: Any) -> Any:
    """The conjugate, complex for real numbers too."""
    return np.conj(x) + np.complex64(0)


def complex(x: Any, y: Any) -> Any:
    """A complex number of its parts."""
    return x + np.complex64(1j) * y


def mul(x: Any, y: Any, /, *, out_dtype: Any = None) -> Any:
    """The product, computed in `out_dtype` if there is one."""
    if out_dtype is not None:
        x, y = np.asarray(x).astype(out_dtype), np.asarray(y).astype(out_dtype)
    return np.multiply(x, y)


def mulhi(x: Any, y: Any) -> Any:
    """The upper half of the product of two integers.

    Raises:
        TypeError: they are not integers of one dtype.
    """
    x, y = np.asarray(x), np.asarray(y)
    if x.dtype.kind not in "iu" or x.dtype != y.dtype:
        raise TypeError(f"mulhi: {x.dtype} and {y.dtype} are not one dtype of integers")
    bits = 8 * x.dtype.itemsize
    whole = x.astype(object) * y.astype(object)
    return np.asarray(whole >> bits).astype(x.dtype)


def div(lhs: Any, rhs: Any) -> Any:
    """The quotient, of integers rounded to 0."""
    if not dtypes.issubdtype(dtypes.result_type(lhs), np.integer):
        return np.divide(lhs, rhs)
    below, rest = np.divmod(lhs, rhs)
    is_negative = np.sign(lhs) != np.sign(rhs)
    return np.where(is_negative & (rest != 0), below + 1, below)


def rem(lhs: Any, rhs: Any) -> Any:
    """The remainder, with the sign of the dividend."""
    return np.sign(lhs) * np.remainder(np.abs(lhs), np.abs(rhs))


def _bits(x):
    """The bits of integers along a new last axis, the greatest first."""
    assert np.issubdtype(x.dtype, np.integer)
    count = 8 * x.dtype.itemsize
    shifts = np.arange(count - 1, -1, -1).astype(f"u{x.dtype.itemsize}")
    unsigned = np.asarray(x).view(f"u{x.dtype.itemsize}")
    return (unsigned[..., None] >> shifts) & shifts.dtype.type(1)


def population_count(x: Any) -> Any:
    """How many bits of an integer are 1."""
    return _bits(x).sum(-1).astype(x.dtype)


def clz(x: Any) -> Any:
    """How many zeros an integer's bits begin with."""
    return np.logical_and.accumulate(_bits(x) == 0, -1).sum(-1).astype(x.dtype)


def convert_element_type(operand: Any, dtype: Any) -> Any:
    """The elements in another dtype."""
    return np.asarray(operand, dtype=dtype)


def _as_bytes_of_pairs(x):
    """Numbers of four bits, two in each byte, the first in the lower half."""
    low, high = x[..., ::2].astype(np.uint8), x[..., 1::2].astype(np.uint8)
    return low | high << 4


def _as_pairs(x, dtype):
    halves = np.stack([x & 15, x >> 4], -1)
    return halves.reshape(*x.shape[:-1], -1).astype(dtype)


def bitcast_convert_type(operand: Any, dtype: Any) -> Any:
    """Reads the bits as another dtype: of wider elements the last axis is taken, of narrower ones one is added."""
    operand = np.asarray(operand)
    before, after = dtypes.itemsize_bits(operand.dtype), dtypes.itemsize_bits(dtype)
    shape = operand.shape
    if after > before:
        assert shape[-1] == after // before
        shape = shape[:-1]
    elif after < before:
        shape = (*shape, before // after)
    if before == after:
        return operand.view(dtype)
    if before == 4:
        operand = _as_bytes_of_pairs(operand.view(np.dtype("uint4")))
    if after == 4:
        narrow = np.ascontiguousarray(operand[..., None]).view(np.uint8)
        return _as_pairs(narrow, np.dtype("uint4")).view(dtype).reshape(shape)
    return np.ascontiguousarray(operand).view(dtype).reshape(shape)


def clamp(min: Any, operand: Any, max: Any) -> Any:
    """Numbers between two bounds, of which the upper one counts where they cross."""
    low = np.minimum(min, max)
    return np.minimum(np.maximum(operand, low), max).astype(operand.dtype)


def concatenate(operands: Sequence[Any], dimension: int) -> Any:
    """Arrays one after another."""
    return np.concatenate(operands, axis=dimension)


def broadcast(operand: Any, sizes: Sequence[int]) -> Any:
    """An array repeated along new axes in front."""
    return np.broadcast_to(operand, (*sizes, *np.shape(operand)))


def broadcast_in_dim(
    operand: Any, shape: Sequence[int], broadcast_dimensions: Sequence[int]
) -> Any:
    """An array repeated to a shape, of which it has the named axes."""
    sizes = np.ones(len(shape), int)
    sizes[list(broadcast_dimensions)] = np.shape(operand)
    return np.broadcast_to(np.reshape(operand, sizes), shape)


def reshape(operand: Any, new_sizes: Any, dimensions: Any = None) -> Any:
    """The elements in another shape, read in the order of `dimensions`."""
    ordered = operand if dimensions is None else np.transpose(operand, dimensions)
    return np.reshape(ordered, new_sizes)


def pad(operand: Any, padding_value: Any, padding_config: Sequence[Any]) -> Any:
    """Elements around and between those of an array; negative ones before and after take away."""
    inner, cuts, shape = [], [], []
    for size, (low, high, between) in zip(operand.shape, padding_config, strict=True):
        first, last = builtins.max(low, 0), builtins.max(high, 0)
        spread = builtins.max((size - 1) * (between + 1) + 1, 0)
        shape.append(first + spread + last)
        inner.append(slice_(first, first + spread, between + 1))
        cuts.append(slice_(builtins.max(-low, 0), shape[-1] - builtins.max(-high, 0)))
    out = np.full(shape, padding_value, operand.dtype)
    out[tuple(inner)] = operand
    return out[tuple(cuts)]


slice_ = builtins.slice


def rev(operand: Any, dimensions: Any) -> Any:
    """The elements backwards along some axes."""
    return np.flip(operand, tuple(dimensions))


def slice(
    operand: Any, start_indices: Any, limit_indices: Any, strides: Any = None
) -> Any:
    """A part of an array."""
    steps = [None] * len(start_indices) if strides is None else strides
    return operand[tuple(map(slice_, start_indices, limit_indices, steps))]


def dynamic_slice(operand: Any, start_indices: Any, slice_sizes: Sequence[int]) -> Any:
    """A part of an array of given sizes; elements outside are 0."""
    part = operand[
        tuple(slice_(i, i + n) for i, n in zip(start_indices, slice_sizes, strict=True))
    ]
    missing = [(0, n - m) for n, m in zip(slice_sizes, part.shape, strict=True)]
    return np.pad(part, missing)


def dynamic_update_slice(operand: Any, update: Any, start_indices: Any) -> Any:
    """An array with one part of it replaced."""
    out = np.copy(operand)
    region = [
        slice_(i, i + n) for i, n in zip(start_indices, update.shape, strict=True)
    ]
    out[tuple(region)] = update
    return out


def dot_general(lhs: Any, rhs: Any, dimension_numbers: Any) -> Any:
    """The product of arrays over some axes, for each index of others."""
    (l_contract, r_contract), (l_batch, r_batch) = dimension_numbers
    assert lhs.dtype == rhs.dtype
    l_ids = list(range(lhs.ndim))
    r_ids = list(range(lhs.ndim, lhs.ndim + rhs.ndim))
    for i, j in zip((*l_contract, *l_batch), (*r_contract, *r_batch), strict=True):
        r_ids[j] = l_ids[i]
    batch = [l_ids[i] for i in l_batch]
    gone = {*batch, *(l_ids[i] for i in l_contract)}
    out = batch + [i for i in (*l_ids, *r_ids) if i not in gone]
    wide = np.float32 if lhs.dtype.name == "bfloat16" else None
    return np.einsum(lhs, l_ids, rhs, r_ids, out, dtype=wide).astype(lhs.dtype)


def ragged_dot(lhs: Any, rhs: Any, group_sizes: Any) -> Any:
    """The product of groups of rows, each with a matrix of its own; rows that are in no group give 0."""
    assert lhs.dtype == rhs.dtype and rhs.shape[0] == group_sizes.shape[0]
    out = np.zeros((lhs.shape[0], rhs.shape[2]), lhs.dtype)
    ends = np.cumsum(group_sizes)
    for matrix, end, size in zip(rhs, ends, group_sizes, strict=True):
        rows = slice_(int(end - size), int(end))
        out[rows] = dot_general(lhs[rows], matrix, (((1,), (0,)), ((), ())))
    return out


def padtype_to_pads(
    in_shape: Sequence[int],
    filter_shape: Sequence[int],
    window_strides: Sequence[int],
    padding: str,
) -> list[tuple[int, int]]:
    """The elements before and after each axis that a name of a padding stands for."""
    kind = padding.upper()
    if kind not in ("SAME", "SAME_LOWER"):
        return [(0, 0)] * len(in_shape)
    pads = []
    for size, width, step in zip(in_shape, filter_shape, window_strides, strict=True):
        whole = (math.ceil(size / step) - 1) * step + width - size
        less, more = builtins.max(whole, 0) // 2, -(-builtins.max(whole, 0) // 2)
        pads.append((less, more) if kind == "SAME" else (more, less))
    return pads


def _windows(x, sizes, strides):
    """The windows of the last axes: their positions, then their elements."""
    axes = tuple(range(x.ndim - len(sizes), x.ndim))
    found = np.lib.stride_tricks.sliding_window_view(x, tuple(sizes), axis=axes)
    steps = [slice_(None)] * (x.ndim - len(sizes))
    return found[tuple([*steps, *(slice_(None, None, s) for s in strides)])]


def _spread(x, pads, dilation, value=0):
    """Padded and dilated along the last axes."""
    others = [(0, 0, 0)] * (x.ndim - len(pads))
    ends = [(low, high, d - 1) for (low, high), d in zip(pads, dilation, strict=True)]
    return pad(x, value, [*others, *ends])


def conv_with_general_padding(
    lhs: Any,
    rhs: Any,
    window_strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
    lhs_dilation: Sequence[int],
    rhs_dilation: Sequence[int],
) -> Any:
    """The convolution of (batch, channels, …) with (channels, channels, …)."""
    pads = list(padding)
    ones = (1,) * len(pads)
    kernel = _spread(rhs, [(0, 0)] * len(pads), rhs_dilation or ones)
    spread = _spread(lhs, pads, lhs_dilation or ones)
    windows = _windows(spread, kernel.shape[2:], window_strides)
    count = len(pads)
    inner = list(range(2 + count, 2 + 2 * count))
    left = [0, 1, *range(2, 2 + count), *inner]
    right = [2 + 2 * count, 1, *inner]
    out = [0, 2 + 2 * count, *range(2, 2 + count)]
    return np.einsum(windows, left, kernel, right, out)


def conv(lhs: Any, rhs: Any, window_strides: Sequence[int], padding: str) -> Any:
    """The convolution with a padding that has a name."""
    sizes = lhs.shape[2:], rhs.shape[2:]
    pads = padtype_to_pads(*sizes, window_strides, padding)
    ones = (1,) * len(pads)
    return conv_with_general_padding(lhs, rhs, window_strides, pads, ones, ones)


def conv_general_dilated(
    lhs: Any,
    rhs: Any,
    window_strides: Sequence[int],
    padding: Any,
    lhs_dilation: Sequence[int],
    rhs_dilation: Sequence[int],
    dimension_numbers: Sequence[str],
) -> Any:
    """The convolution of arrays whose axes are named, as in ``("NHWC", "HWIO", "NHWC")``."""
    of_lhs, of_rhs, of_out = dimension_numbers
    spatial = [axis for axis in of_rhs if axis not in "OI"]
    lhs = np.transpose(lhs, [of_lhs.index(axis) for axis in ("N", "C", *spatial)])
    rhs = np.transpose(rhs, [of_rhs.index(axis) for axis in ("O", "I", *spatial)])
    if isinstance(padding, str):
        sizes = lhs.shape[2:], rhs.shape[2:]
        padding = padtype_to_pads(*sizes, window_strides, padding)
    out = conv_with_general_padding(
        lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation
    )
    order = ["N", "C", *spatial]
    return np.transpose(out, [order.index(axis) for axis in of_out])


_FOLDS = {
    "max": np.maximum,
    "min": np.minimum,
    "add": np.add,
    "mul": np.multiply,
    "multiply": np.multiply,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
}


def _folded(x, init_value, computation, axes):
    """The elements along some axes joined one after another, after a first value."""
    fold = _FOLDS.get(getattr(computation, "__name__", ""))
    if fold is not None:
        return fold(fold.reduce(x, axis=axes), np.asarray(init_value).astype(x.dtype))
    rest = np.moveaxis(x, axes, range(len(axes)))
    rest = rest.reshape(-1, *rest.shape[len(axes) :])
    out = np.empty(rest.shape[1:], x.dtype)
    for index in np.ndindex(out.shape):
        elements = rest[(slice_(None), *index)]
        out[index] = ft.reduce(computation, elements, x.dtype.type(init_value))
    return out


def reduce(
    operand: Any, init_value: Any, computation: Callable, dimensions: Any
) -> Any:
    """The elements along some axes joined to one."""
    x = np.asarray(operand)
    return _folded(x, init_value, computation, tuple(dimensions)).astype(x.dtype)


def reduce_window(
    operand: Any,
    init_value: Any,
    computation: Callable,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: Any,
    base_dilation: Sequence[int] | None,
) -> Any:
    """The elements of each window joined to one."""
    if isinstance(padding, str):
        padding = padtype_to_pads(
            operand.shape, window_dimensions, window_strides, padding
        )
    dilation = base_dilation or (1,) * operand.ndim
    spread = _spread(operand, list(padding), dilation, init_value)
    windows = _windows(spread, window_dimensions, window_strides)
    axes = tuple(range(operand.ndim, 2 * operand.ndim))
    return _folded(windows, init_value, computation, axes)


def sort_key_val(keys: Any, values: Any, dimension: int = -1) -> tuple[Any, Any]:
    """Keys in order, and values in the order of their keys."""
    order = np.argsort(keys, axis=dimension, kind="stable")
    in_order = (np.take_along_axis(x, order, dimension) for x in (keys, values))
    first, second = in_order
    return first, second


def top_k(operand: Any, k: int, axis: int = -1) -> tuple[Any, Any]:
    """The greatest elements along an axis and their indices; of equal ones the first come first."""
    size = operand.shape[axis]
    backwards = np.argsort(np.flip(operand, axis), axis=axis, kind="stable")
    order = size - 1 - np.flip(backwards, axis)
    chosen = np.take(order, np.arange(k), axis=axis).astype(np.int32)
    return np.take_along_axis(operand, chosen, axis), chosen
