"""Discrete cosine transforms, computed with Fourier transforms of the same length.

Reference: Makhoul, A fast cosine transform in one and two dimensions, 1980.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import traceback_filter, util
from jax._src.numpy import fourier, lax_api as lax, numpy_api as jnp, operands

Array = Any
ArrayLike = Any


def _check(name: str, kind: int, norm: str | None) -> None:
    if kind != 2:
        raise operands.not_implemented(
            name,
            "this type of cosine transform is not supported.",
            [("type", repr(kind))],
            "Only type 2 is, and its inverse.",
        )
    if norm not in (None, "backward", "ortho", "forward"):
        raise operands.value_error(
            name,
            "this is not a normalization.",
            [("norm", repr(norm))],
            "Normalizations are None, 'backward', 'ortho' and 'forward'.",
        )


def _weights(size: int, norm: str | None) -> np.ndarray:
    """By how much each frequency of the plain transform is multiplied."""
    weights = np.ones(size)
    if norm == "ortho":
        weights[:] = 1 / math.sqrt(2 * size)
        weights[:1] = 1 / math.sqrt(4 * size)
    elif norm == "forward":
        weights[:] = 1 / (2 * size)
    return weights


def _quarter_turns(size: int) -> np.ndarray:
    return np.exp(-0.5j * math.pi * np.arange(size) / size)


def _along_last(factors: np.ndarray, x: Array) -> np.ndarray:
    """Factors of the last axis of `x`, with as many axes and of its dtype."""
    return np.broadcast_to(factors, (1,) * (jnp.ndim(x) - 1) + factors.shape).astype(
        operands.dtype_of(x)
    )


def _forward(x: Array, norm: str | None) -> Array:
    """The transform of the last axis: of the elements with even index, then those with odd index reversed."""
    size = jnp.shape(x)[-1]
    folded = jnp.concatenate([x[..., ::2], x[..., 1::2][..., ::-1]], axis=-1)
    found = fourier.fft(folded)
    factors = 2 * _quarter_turns(size)
    spectrum = lax.real(found * _along_last(factors, found))
    return spectrum * _along_last(_weights(size, norm), x)


def _inverse(x: Array, norm: str | None) -> Array:
    """The inverse along the last axis."""
    size = jnp.shape(x)[-1]
    x = x / _along_last(_weights(size, norm), x)
    mirrored = jnp.concatenate([jnp.zeros_like(x[..., :1]), x[..., :0:-1]], axis=-1)
    spectrum = lax.complex(x, -mirrored)
    factors = 0.5 / _quarter_turns(size)
    folded = lax.real(fourier.ifft(spectrum * _along_last(factors, spectrum)))
    half = (size + 1) // 2
    evens, odds = folded[..., :half], folded[..., half:][..., ::-1]
    if size % 2:
        odds = jnp.concatenate([odds, jnp.zeros_like(evens[..., :1])], axis=-1)
    pairs = jnp.stack([evens, odds], axis=-1)
    return pairs.reshape(*jnp.shape(x)[:-1], -1)[..., :size]


def _along(transform, name, x, n, axis, norm) -> Array:
    """Applies a transform of real numbers along one axis, cut or filled up to `n`."""
    if operands.kind_of(x) == "c":
        parts = [
            _along(transform, name, part, n, axis, norm)
            for part in (lax.real(x), lax.imag(x))
        ]
        return lax.complex(*parts)
    axis = operands.canonical_axis(name, axis, jnp.ndim(x))
    if n is not None:
        n = operator.index(n)
        if n < 1:
            raise operands.value_error(
                name,
                "a length is not positive.",
                [("n", str(n)), ("x", operands.type_name(x))],
                "Lengths are 1 or more.",
            )
        x = fourier.fit(x, axis, n)
    if 0 in jnp.shape(x):
        return x
    moved = jnp.moveaxis(x, axis, -1)
    return jnp.moveaxis(transform(moved, norm), -1, axis)


def _operand(name: str, x: ArrayLike) -> Array:
    (x,) = operands.promote_args_inexact(name, x)
    return (
        x
        if operands.dtype_of(x).itemsize > 2
        else operands.convert(x, np.dtype(np.float32))
    )


def _one(transform, name, x, kind, n, axis, norm) -> Array:
    _check(name, kind, norm)
    return _along(transform, name, _operand(name, x), n, axis, norm)


def _several(transform, name, x, kind, s, axes, norm) -> Array:
    _check(name, kind, norm)
    x = _operand(name, x)
    rank = jnp.ndim(x)
    lengths = s if s is None else util.listed(s) or (s,)
    if lengths is not None and len(lengths) > rank:
        raise operands.value_error(
            name,
            f"s must have at most x.ndim ({rank}) elements, got {len(lengths)}.",
            [("x", operands.type_name(x)), ("s", str(s))],
            "There is at most one length for each axis.",
        )
    if axes is None:
        axes = range(rank) if lengths is None else range(rank - len(lengths), rank)
    axes = operands.canonical_axes(name, axes, rank)
    if lengths is None:
        lengths = [None] * len(axes)
    if len(lengths) != len(axes):
        raise operands.value_error(
            name,
            "lengths and axes differ in number.",
            [("s", str(s)), ("axes", str(axes))],
            "There is one length for each axis.",
        )
    for axis, length in zip(axes, lengths, strict=True):
        x = _along(transform, name, x, length, axis, norm)
    return x


def dct(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
) -> Array:
    """The discrete cosine transform of type 2 along one axis.

    Computes ``y[k] = 2 * sum(x[j] * cos(pi * k * (2 * j + 1) / (2 * n)))``.

    Args:
        x: array.
        type: the type of the transform, 2.
        n: the length to which the axis is cut or filled with zeros; None keeps it.
        axis: the axis to transform.
        norm: None or 'backward' for the sum above, 'ortho' for an orthogonal
            transform, 'forward' to divide by ``2 * n``.

    Returns:
        Array of floats.

    Raises:
        NotImplementedError: another type.
        ValueError: an axis, a length or `norm` does not fit.
        TypeError: `x` is no array or number.
    """
    return _one(_forward, "jax.scipy.fft.dct", x, type, n, axis, norm)


def idct(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
) -> Array:
    """The inverse of `dct`.

    The arguments are those of `jax.scipy.fft.dct`, and so are dtypes and errors.
    """
    return _one(_inverse, "jax.scipy.fft.idct", x, type, n, axis, norm)


def dctn(
    x: ArrayLike,
    type: int = 2,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """The discrete cosine transform of type 2 along several axes.

    Args:
        x: array.
        type: the type of the transform, 2.
        s: length or lengths to which the axes are cut or filled with zeros; None keeps them.
        axes: the axis or axes; None: all, or the last ones if `s` is given.
        norm: as for `dct`.

    Returns:
        Array of floats.

    Raises:
        NotImplementedError: another type.
        ValueError: axes, lengths or `norm` do not fit.
        TypeError: `x` is no array or number.
    """
    return _several(_forward, "jax.scipy.fft.dctn", x, type, s, axes, norm)


def idctn(
    x: ArrayLike,
    type: int = 2,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """The inverse of `dctn`.

    The arguments are those of `jax.scipy.fft.dctn`, and so are dtypes and errors.
    """
    return _several(_inverse, "jax.scipy.fft.idctn", x, type, s, axes, norm)


traceback_filter.hide_frames(globals())
