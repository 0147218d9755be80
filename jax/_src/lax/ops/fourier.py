"""Fourier transforms along the last axes."""

import enum
import math

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import mul
from jax._src.lax.ops.checks import (
    BOOL,
    FLOATING,
    INTEGER,
    int_tuple,
    is_complex,
    kind_of,
)
from jax._src.lax.ops.complex_parts import complex_dtype, conj, real, real_dtype
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.messages import value_error
from jax._src.lax.ops.reshaping import counting, move_axis
from jax._src.lax.ops.slicing_padding import pad


class FftType(enum.IntEnum):
    """Kinds of Fourier transforms: of complex numbers, or to or from real ones."""

    FFT = 0
    IFFT = 1
    RFFT = 2
    IRFFT = 3


def _check(x, fft_type, fft_lengths) -> None:
    facts = [
        ("x", x.str_short()),
        ("fft_type", fft_type.name),
        ("fft_lengths", fft_lengths),
    ]

    def fail(what, rule):
        raise value_error(f"lax.fft: {what}.", facts, rule, "See jnp.fft.")

    if not 1 <= len(fft_lengths) <= 3:
        fail(
            "the number of axes is not supported", "One to three axes are transformed."
        )
    if x.ndim < len(fft_lengths):
        fail("there are too few axes", "There is a length for each transformed axis.")
    if fft_type is FftType.RFFT:
        if x.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
            fail("the operand is not real", "RFFT takes float32 and float64.")
    elif not is_complex(x.dtype):
        fail("the operand is not complex", f"{fft_type.name} takes complex numbers.")
    expected = list(fft_lengths)
    if fft_type is FftType.IRFFT:
        expected[-1] = fft_lengths[-1] // 2 + 1
    if list(x.shape[x.ndim - len(fft_lengths) :]) != expected:
        fail(
            "the last axes do not have the given lengths",
            f"They have the sizes {tuple(expected)}.",
        )


@declare("fft", traits=Trait.LINEAR)
class fft_p:
    """The discrete Fourier transform along the last axes."""

    def types(x, *, fft_type, fft_lengths):
        _check(x, fft_type, fft_lengths)
        batch = x.shape[: x.ndim - len(fft_lengths)]
        if fft_type is FftType.RFFT:
            shape = (*batch, *fft_lengths[:-1], fft_lengths[-1] // 2 + 1)
            return x.update(shape=shape, dtype=complex_dtype(x.dtype))
        if fft_type is FftType.IRFFT:
            return x.update(shape=(*batch, *fft_lengths), dtype=real_dtype(x.dtype))
        return x

    sharding = splitting.like_first
    sums = splitting.keeps_sums

    def lower(ctx, x, *, fft_type, fft_lengths):
        return emit.fft(ctx, x, fft_type.name, fft_lengths)

    def transpose(ct, x, *, fft_type, fft_lengths):
        if fft_type is FftType.RFFT:
            return [_rfft_transpose(ct, fft_lengths)]
        if fft_type is FftType.IRFFT:
            return [_irfft_transpose(ct, fft_lengths)]
        return [fft_p.bind(ct, fft_type=fft_type, fft_lengths=fft_lengths)]

    def batch(axis, args, dims, **params):
        (x,), (dim,) = args, dims
        return fft_p.bind(move_axis(x, dim, 0), **params), 0

    def show(*, fft_type, fft_lengths):
        return {"fft_lengths": fft_lengths, "fft_type": int(fft_type)}

    def reference(x, *, fft_type, fft_lengths):
        axes = tuple(range(x.ndim - len(fft_lengths), x.ndim))
        run = getattr(np.fft, fft_type.name.lower() + "n")
        found = run(x, fft_lengths, axes) if 0 not in x.shape else None
        kind = complex_dtype(x.dtype) if not is_complex(x.dtype) else x.dtype
        kind = real_dtype(kind) if fft_type is FftType.IRFFT else kind
        return found.astype(kind)

    ulp = 4096

    def samples():
        x = np.cos(counting(2, 8))
        z = (np.sin(counting(3, 5)) + 1j * np.cos(counting(3, 5))).astype(np.complex64)
        return [
            Sample((z,), {"fft_type": FftType.FFT, "fft_lengths": (5,)}),
            Sample((z,), {"fft_type": FftType.IFFT, "fft_lengths": (3, 5)}),
            Sample((x,), {"fft_type": FftType.RFFT, "fft_lengths": (8,)}),
            Sample((x[:, :7],), {"fft_type": FftType.RFFT, "fft_lengths": (2, 7)}),
            Sample((z,), {"fft_type": FftType.IRFFT, "fft_lengths": (8,)}),
            Sample((z,), {"fft_type": FftType.IRFFT, "fft_lengths": (3, 9)}),
        ]


def _rfft_transpose(ct, fft_lengths):
    """The real part of a whole transform of the cotangent, filled up with zeros."""
    missing = fft_lengths[-1] - np.shape(ct)[-1]
    config = [(0, 0, 0)] * (np.ndim(ct) - 1) + [(0, missing, 0)]
    whole = pad(ct, np.zeros((), ct.dtype)[()], config)
    return real(fft_p.bind(whole, fft_type=FftType.FFT, fft_lengths=fft_lengths))


def _irfft_transpose(ct, fft_lengths):
    """Frequencies that stand for two of the whole transform count twice."""
    found = conj(fft_p.bind(ct, fft_type=FftType.RFFT, fft_lengths=fft_lengths))
    size = fft_lengths[-1]
    weights = np.full(size // 2 + 1, 2.0)
    weights[0] = 1.0
    if size % 2 == 0:
        weights[-1] = 1.0
    weights = (weights / math.prod(fft_lengths)).astype(real_dtype(found.dtype))
    shape = [1] * (np.ndim(found) - 1) + [weights.size]
    return mul(found, weights.astype(found.dtype).reshape(shape))


def _kind(fft_type) -> FftType:
    if isinstance(fft_type, str):
        if fft_type.upper() in FftType.__members__:
            return FftType[fft_type.upper()]
    elif fft_type in tuple(FftType):
        return FftType(fft_type)
    raise value_error(
        "lax.fft: this is not a kind of Fourier transform.",
        [("fft_type", repr(fft_type))],
        "Kinds are FFT, IFFT, RFFT and IRFFT.",
    )


def fft(x, fft_type, fft_lengths):
    """The discrete Fourier transform along the last axes.

    FFT and RFFT have no factor, IFFT and IRFFT divide by the product of the lengths.

    Args:
        x: array of numbers or booleans. Whole numbers become floats; they become
            complex, except for RFFT, which takes float32 and float64.
        fft_type: an `FftType` or its name.
        fft_lengths: the lengths of up to three axes; without any, nothing is transformed.

    Raises:
        ValueError: lengths or dtype do not fit.
        TypeError: `x` is no array or number.
    """
    kind, lengths = _kind(fft_type), int_tuple(fft_lengths)
    aval = get_aval(x)
    if kind_of(aval.dtype) & (BOOL | INTEGER):
        x = convert(x, dtypes.to_inexact_dtype(aval.dtype))
    if kind is not FftType.RFFT and kind_of(get_aval(x).dtype) & FLOATING:
        x = convert(x, complex_dtype(get_aval(x).dtype))
    x = convert(x, get_aval(x).dtype)
    return fft_p.bind(x, fft_type=kind, fft_lengths=lengths) if lengths else x


traceback_filter.hide_frames(globals())
