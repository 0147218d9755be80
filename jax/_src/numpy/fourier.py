"""Fourier transforms of any number of axes, and the frequencies that belong to them."""

from __future__ import annotations

import functools as ft
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter, util
from jax._src.lax.ops import fourier
from jax._src.lax.ops.fourier import FftType
from jax._src.numpy import (
    creation,
    lax_api as lax,
    operands as op,
    placement,
    reshaping,
)
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike

# The axes that one operation of a program can transform.
_AXES_AT_ONCE = 3

_OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _check_norm(name: str, norm: str | None) -> str:
    norm = "backward" if norm is None else norm
    if not isinstance(norm, str) or norm not in _OPPOSITE:
        raise op.value_error(
            name,
            f"Invalid norm value {norm}.",
            [("norm", repr(norm))],
            'Normalizations are "backward", "ortho" and "forward".',
        )
    return norm


def _one_axis(name: str, axis: Any) -> tuple[int, ...]:
    if isinstance(axis, (tuple, list)):
        raise op.value_error(
            name,
            f"jax.numpy.{name} does not support multiple axes.",
            [("axis", str(axis))],
            "This function transforms one axis.",
            "For several axes, use the function that ends in n.",
        )
    return (-1,) if axis is None else (axis,)


def _two_axes(name: str, axes: Any) -> tuple[int, ...]:
    if len(axes) != 2:
        raise op.value_error(
            name,
            f"jax.numpy.{name} only supports 2 axes.",
            [("axes", str(axes))],
            "This function transforms two axes.",
            "For any number of axes, use the function that ends in n.",
        )
    return tuple(axes)


def _axes_and_lengths(name, x, s, axes, kind):
    """The axes to transform, non-negative, and the lengths of the real or whole side."""
    rank = op.ndim(x)
    if axes is None:
        axes = tuple(range(rank) if s is None else range(rank - len(s), rank))
        if len(axes) > rank:
            raise op.value_error(
                name,
                f"the input must have at least as many input dimensions as lengths, "
                f"here {len(axes)}.",
                [("a", op.type_name(x)), ("s", str(tuple(s)))],
                "There is at most one length for each axis.",
            )
    if len({axis % rank if rank else axis for axis in axes}) < len(axes):
        raise op.value_error(
            name,
            f"jax.numpy.{name} does not support repeated axes. Got axes {axes}.",
            [("a", op.type_name(x))],
            "Each axis counts once.",
        )
    axes = op.canonical_axes(name, tuple(axes), rank)
    if s is None:
        sizes = [op.shape(x)[axis] for axis in axes]
        if kind is FftType.IRFFT and sizes:
            sizes[-1] = max(0, 2 * (sizes[-1] - 1))
        return axes, tuple(sizes)
    sizes = tuple(operator.index(n) for n in s)
    facts = [("lengths", str(sizes)), ("axes", str(axes)), ("array", op.type_name(x))]
    if len(sizes) != len(axes):
        raise op.value_error(
            name,
            "Shape and axes have different lengths.",
            facts,
            "There is one length for each axis.",
        )
    if any(n < 1 for n in sizes):
        raise op.value_error(
            name, "Shape should be positive.", facts, "Lengths are 1 or more."
        )
    return axes, sizes


def _operand(name: str, a: ArrayLike, kind: FftType) -> Array:
    """The operand with a dtype that can be transformed."""
    (x,) = op.promote_dtypes_inexact(op.ensure_arraylike(name, a))
    if kind is FftType.RFFT:
        if op.kind_of(x) == "c":
            raise op.value_error(
                name,
                "the array is complex.",
                [("a", op.type_name(x))],
                "Transforms of real numbers take real arrays.",
                "For complex numbers: jnp.fft.fft.",
            )
        if op.dtype_of(x) not in (np.float32, np.float64):
            raise op.value_error(
                name,
                "this dtype cannot be transformed.",
                [("a", op.type_name(x))],
                "Transforms of real numbers take float32 and float64.",
                "Convert it: x.astype(jnp.float32).",
            )
        return x
    return op.convert(x, dtypes.to_complex_dtype(op.dtype_of(x)))


def fit(x: Array, axis: int, size: int) -> Array:
    """`x` cut off or filled up with zeros at the end of an axis."""
    change = size - op.shape(x)[axis]
    if change == 0:
        return x
    config = [(0, 0, 0)] * op.ndim(x)
    config[axis] = (0, change, 0)
    return lax.pad(x, np.zeros((), op.dtype_of(x))[()], config)


def _groups(count: int) -> list[tuple[int, int]]:
    """Splits the last `count` axes into runs that one operation can transform."""
    starts = range(0, count, _AXES_AT_ONCE)
    return [(start, min(start + _AXES_AT_ONCE, count)) for start in starts]


def _transform_last(x: Array, kind: FftType, lengths: tuple[int, ...]) -> Array:
    """Transforms the last ``len(lengths)`` axes, the very last one by the real kind."""
    if len(lengths) <= _AXES_AT_ONCE:
        return fourier.fft(x, kind, lengths)
    count, rank = len(lengths), op.ndim(x)
    inner, outer = count - _AXES_AT_ONCE, lengths[-_AXES_AT_ONCE:]
    whole = FftType.FFT if kind in (FftType.FFT, FftType.RFFT) else FftType.IFFT

    def rest(x):
        for start, stop in _groups(inner):
            axes = tuple(range(rank - count + start, rank - count + stop))
            last = tuple(range(rank - len(axes), rank))
            moved = reshaping.moveaxis(x, axes, last)
            moved = fourier.fft(moved, whole, lengths[start:stop])
            x = reshaping.moveaxis(moved, last, axes)
        return x

    if kind is FftType.RFFT:
        return rest(fourier.fft(x, kind, outer))
    return fourier.fft(rest(x), kind, outer)


def _transform(name, kind, a, s, axes, norm) -> Array:
    norm = _check_norm(name, norm)
    x = op.ensure_arraylike(name, a)
    s = util.reusable(s)
    axes, lengths = _axes_and_lengths(name, x, s, util.reusable(axes), kind)
    return _along(x, name, kind, axes, lengths, norm)


@ft.partial(jit, static_argnums=(1, 2, 3, 4, 5))
def _along(x, name, kind, axes, lengths, norm):
    """The transform along axes, each of which gets one of the lengths."""
    x = op.strong(_operand(name, x, kind))
    if not axes:
        return x
    for axis, length in zip(axes, lengths, strict=True):
        is_half = kind is FftType.IRFFT and axis == axes[-1]
        x = fit(x, axis, length // 2 + 1 if is_half and length else length)
    if 0 in (*op.shape(x), *lengths):
        return _nothing(x, kind, axes, lengths)
    last = tuple(range(op.ndim(x) - len(axes), op.ndim(x)))
    result = _transform_last(reshaping.moveaxis(x, axes, last), kind, lengths)
    return _scaled(
        reshaping.moveaxis(result, last, axes), kind, math.prod(lengths), norm
    )


def _nothing(x, kind, axes, lengths):
    """The transform of an array without elements."""
    shape = list(op.shape(x))
    for axis, length in zip(axes, lengths, strict=True):
        shape[axis] = length
    dtype = dtypes.to_complex_dtype(op.dtype_of(x))
    if kind is FftType.RFFT:
        shape[axes[-1]] = lengths[-1] // 2 + 1 if lengths[-1] else 0
    if kind is FftType.IRFFT:
        dtype = np.finfo(dtype).dtype
    return creation.zeros(tuple(shape), dtype)


def _scaled(x: Array, kind: FftType, count: int, norm: str) -> Array:
    """The factor by which the wanted normalization differs from the operation's."""
    is_inverse = kind in (FftType.IFFT, FftType.IRFFT)
    factor = {
        "backward": 1.0,
        "ortho": math.sqrt(count) if is_inverse else 1 / math.sqrt(count),
        "forward": count if is_inverse else 1 / count,
    }[norm]
    if factor == 1.0:
        return x
    return lax.mul(x, np.asarray(factor, op.dtype_of(x))[()])


def _length(n: int | None) -> tuple[int, ...] | None:
    return None if n is None else (operator.index(n),)


def _family(kind: FftType, prefix: str, what: str, count: str):
    """The functions of one, two and any number of axes for one kind of transform."""
    lines = (
        f"{count}\n\n"
        "Raises:\n"
        "    TypeError: `a` is no array, or a length is no whole number.\n"
        "    ValueError: an axis, a length or `norm` does not fit.\n"
    )

    def one(
        a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None
    ) -> Array:
        name = f"fft.{prefix}"
        return _transform(name, kind, a, _length(n), _one_axis(name, axis), norm)

    def two(
        a: ArrayLike,
        s: Sequence[int] | None = None,
        axes: Sequence[int] = (-2, -1),
        norm: str | None = None,
    ) -> Array:
        name = f"fft.{prefix}2"
        return _transform(name, kind, a, s, _two_axes(name, axes), norm)

    def many(
        a: ArrayLike,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: str | None = None,
    ) -> Array:
        return _transform(f"fft.{prefix}n", kind, a, s, axes, norm)

    one.__name__, two.__name__, many.__name__ = prefix, f"{prefix}2", f"{prefix}n"
    one.__doc__ = (
        f"{what} along one axis.\n\nArgs:\n"
        "    a: array.\n"
        "    n: the length to which the axis is cut or filled with zeros; None keeps it.\n"
        "    axis: the axis to transform.\n"
        "    norm: 'backward' divides inverse transforms by the length, 'forward' the\n"
        "        others, 'ortho' both by its root.\n\n" + lines
    )
    several = (
        "Args:\n"
        "    a: array.\n"
        "    s: lengths to which the axes are cut or filled with zeros; None keeps them.\n"
        "    axes: the axes to transform{default}.\n"
        "    norm: as for the transform of one axis.\n\n"
    ) + lines
    two.__doc__ = f"{what} along two axes.\n\n" + several.format(default="")
    many.__doc__ = f"{what} along several axes.\n\n" + several.format(
        default="; None: all, or the last ones if `s` is given"
    )
    for function in (one, two, many):
        function.__qualname__ = function.__name__
    return one, two, many


fft, fft2, fftn = _family(
    FftType.FFT,
    "fft",
    "The discrete Fourier transform",
    "Returns:\n    Complex array; the transformed axes have the given lengths.",
)
ifft, ifft2, ifftn = _family(
    FftType.IFFT,
    "ifft",
    "The inverse discrete Fourier transform",
    "Returns:\n    Complex array; the transformed axes have the given lengths.",
)
rfft, rfft2, rfftn = _family(
    FftType.RFFT,
    "rfft",
    "The non-negative frequencies of the discrete Fourier transform of real numbers",
    "Returns:\n    Complex array; the last transformed axis has the size n // 2 + 1.",
)
irfft, irfft2, irfftn = _family(
    FftType.IRFFT,
    "irfft",
    "The real inverse of a discrete Fourier transform given by its non-negative "
    "frequencies,",
    "Returns:\n    Real array; without lengths the last axis has the size 2 * (m - 1).",
)


def hfft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Array:
    """The real spectrum of a signal with Hermitian symmetry, given by its first half.

    Args:
        a: array; along `axis` the first ``n // 2 + 1`` values of the signal.
        n: the length of the result; None: ``2 * (m - 1)``.
        axis: the axis to transform.
        norm: as for `fft`.

    Returns:
        Array of floats, of size `n` along the axis.

    Raises:
        ValueError: `n` is not positive, the axis is out of bounds, or `norm` is
            unknown.
    """
    norm = _OPPOSITE[_check_norm("fft.hfft", norm)]
    x = op.ensure_arraylike("fft.hfft", a)
    x = lax.conj(_operand("fft.hfft", x, FftType.IRFFT))
    axes = _one_axis("fft.hfft", axis)
    return _transform("fft.hfft", FftType.IRFFT, x, _length(n), axes, norm)


def ihfft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Array:
    """The inverse of `hfft`: the first half of the signal with this real spectrum.

    Args:
        a: real array.
        n: the length to which the axis is cut or filled with zeros; None keeps it.
        axis: the axis to transform.
        norm: as for `fft`.

    Returns:
        Complex array, with size ``n // 2 + 1`` along the axis.

    Raises:
        ValueError: `a` is complex, `n` is not positive, the axis is out of bounds, or
            `norm` is unknown.
    """
    norm = _OPPOSITE[_check_norm("fft.ihfft", norm)]
    axes = _one_axis("fft.ihfft", axis)
    return lax.conj(_transform("fft.ihfft", FftType.RFFT, a, _length(n), axes, norm))


def _frequencies(name, n, d, dtype, device, is_half) -> Array:
    if isinstance(n, (list, tuple)) or isinstance(d, (list, tuple)):
        raise op.value_error(
            name,
            "lengths and spacings are single numbers.",
            [("n", repr(n)[:60]), ("d", repr(d)[:60])],
            "One length and one spacing are taken.",
        )
    n = int(n)
    dtype = op.user_dtype(name, dtype) or dtypes.canonicalize_dtype(np.float64)
    steps = np.arange(n // 2 + 1) if is_half else np.arange(n) - n // 2
    if not is_half:
        steps = np.roll(steps, -(n // 2))
    if isinstance(d, (int, float, np.number)):
        found = steps / (n * float(d)) if n > 0 else steps.astype(float)
        return placement.put(creation.asarray(found.astype(dtype)), device)
    spacing = op.convert(op.ensure_arraylike(name, d), dtype)
    counts = lax.mul(spacing, np.asarray(n, dtype)[()])
    found = lax.div(creation.asarray(steps.astype(dtype)), op.strong(counts))
    return placement.put(found, device)


def fftfreq(
    n: int, d: ArrayLike = 1.0, *, dtype: Any = None, device: Any = None
) -> Array:
    """The frequencies of `fft`, in cycles per unit of the spacing.

    Args:
        n: the length of the transform.
        d: the distance between two samples.
        dtype: dtype of the result; None: the default floating-point dtype.
        device: device or sharding of the result.

    Returns:
        Array of shape ``(n,)``: 0, then positive, then negative frequencies.

    Raises:
        ValueError: `n` or `d` is a sequence.
    """
    return _frequencies("fft.fftfreq", n, d, dtype, device, False)


def rfftfreq(
    n: int, d: ArrayLike = 1.0, *, dtype: Any = None, device: Any = None
) -> Array:
    """The frequencies of `rfft`; the arguments are those of `jax.numpy.fft.fftfreq`.

    Returns:
        Array of floats of shape ``(n // 2 + 1,)``.

    Raises:
        ValueError: `n` or `d` is a sequence.
    """
    return _frequencies("fft.rfftfreq", n, d, dtype, device, True)


def _shifted(name, x, axes, sign) -> Array:
    x = op.ensure_arraylike(name, x)
    given = util.listed(range(op.ndim(x)) if axes is None else axes)
    given = (axes,) if given is None else given
    # An axis named twice is rolled twice, as NumPy has it.
    axes = tuple(op.canonical_axis(name, axis, op.ndim(x)) for axis in given)
    sizes = [op.shape(x)[axis] for axis in axes]
    shifts = tuple(n // 2 if sign > 0 else -(n // 2) for n in sizes)
    return reshaping.roll(x, shifts, axes)


def fftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> Array:
    """Moves the frequency 0 to the middle of each axis.

    Args:
        x: array.
        axes: axis or axes; None means all.

    Returns:
        Array of the shape and dtype of `x`.

    Raises:
        ValueError: an axis is out of bounds. TypeError: `x` is no array or number.
    """
    return _shifted("fft.fftshift", x, axes, 1)


def ifftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> Array:
    """The inverse of `fftshift`.

    The arguments are those of `jax.numpy.fft.fftshift`, and so are shape, dtype and
    errors.
    """
    return _shifted("fft.ifftshift", x, axes, -1)


traceback_filter.hide_frames(globals())
