"""Convolution and correlation of signals of any number of axes."""

from __future__ import annotations

import functools as ft
import operator
from typing import Any

from jax._src.base import traceback_filter
from jax._src.lax.ops.convolution import conv_general_dilated
from jax._src.numpy import fourier, lax_api as lax, numpy_api as jnp, operands
from jax._src.numpy.jit_wrapper import jit
from jax._src.transforms.vectorize import vmap

Array = Any
ArrayLike = Any


def _fail(name: str, what: str, x: Any, y: Any, rule: str = "") -> None:
    facts = [("in1", operands.type_name(x)), ("in2", operands.type_name(y))]
    raise operands.value_error(f"jax.scipy.signal.{name}", what, facts, rule)


def _operands(name: str, in1: ArrayLike, in2: ArrayLike, mode: str) -> list[Array]:
    x, y = operands.promote_dtypes_inexact(
        *operands.ensure_arraylike(f"jax.scipy.signal.{name}", in1, in2)
    )
    if mode not in ("full", "same", "valid"):
        _fail(name, f"there is no mode {mode!r}", x, y, "Modes: full, same, valid.")
    if jnp.ndim(x) != jnp.ndim(y):
        _fail(name, "the signals differ in their number of axes.", x, y)
    if not jnp.size(x) or not jnp.size(y):
        _fail(name, "a signal has no elements.", x, y)
    return [x, y]


def _cut(name: str, found: Array, x: Array, y: Array, mode: str) -> Array:
    """The middle of the full result, as large as the mode says."""
    if mode == "full":
        return found
    sizes = list(zip(jnp.shape(x), jnp.shape(y), strict=True))
    wanted = [a for a, _ in sizes]
    if mode == "valid":
        if not (all(a >= b for a, b in sizes) or all(a <= b for a, b in sizes)):
            _fail(name, "neither signal holds the other.", x, y, "For mode valid.")
        wanted = [abs(a - b) + 1 for a, b in sizes]
    # SciPy's middle of an odd rest is the later one in two-dimensional correlation.
    later = name == "correlate2d" and mode == "same"
    starts = [
        (n - w + later) // 2 for n, w in zip(jnp.shape(found), wanted, strict=True)
    ]
    return found[tuple(slice(s, s + w) for s, w in zip(starts, wanted, strict=True))]


def _direct(x: Array, y: Array, precision: Any) -> Array:
    """The full convolution, element by element."""
    if not jnp.ndim(x):
        return x * y
    if operands.kind_of(x) == "c":
        (a, b), (c, d) = ((lax.real(v), lax.imag(v)) for v in (x, y))
        both = [[_direct(p, q, precision) for q in (c, d)] for p in (a, b)]
        return lax.complex(both[0][0] - both[1][1], both[0][1] + both[1][0])
    found = conv_general_dilated(
        x[None, None],
        jnp.flip(y)[None, None],
        window_strides=(1,) * jnp.ndim(x),
        padding=[(n - 1, n - 1) for n in jnp.shape(y)],
        precision=precision,
    )
    return found[0, 0]


def _by_fourier(x: Array, y: Array) -> Array:
    """The full convolution, as the product of transforms."""
    shape = [a + b - 1 for a, b in zip(jnp.shape(x), jnp.shape(y), strict=True)]
    if operands.kind_of(x) == "c":
        return fourier.ifftn(fourier.fftn(x, shape) * fourier.fftn(y, shape))
    found = fourier.irfftn(fourier.rfftn(x, shape) * fourier.rfftn(y, shape), shape)
    return operands.convert(found, operands.dtype_of(x))


@ft.partial(jit, static_argnums=(0, 3, 4, 5))
def _convolve(name, in1, in2, mode, method, precision):
    x, y = _operands(name, in1, in2, mode)
    if method not in ("auto", "direct", "fft"):
        _fail(
            name, f"there is no method {method!r}", x, y, "Methods: auto, direct, fft."
        )
    by_fourier = method == "fft" and jnp.ndim(x)
    found = _by_fourier(x, y) if by_fourier else _direct(x, y, precision)
    return _cut(name, found, x, y, mode)


def convolve(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    method: str = "auto",
    precision: Any = None,
) -> Array:
    """The convolution of two signals.

    Args:
        in1: array.
        in2: array with as many axes.
        mode: 'full'; 'same' for its middle, as large as `in1`; 'valid' for where one
            signal is as long as the other.
        method: 'direct' (also for 'auto'), or 'fft' by way of Fourier transforms.
        precision: of the direct method.

    Returns:
        Array of floats or complex numbers.

    Raises:
        ValueError: shapes, mode or method do not fit.
        TypeError: `in1` or `in2` is no array or number.
    """
    return _convolve("convolve", in1, in2, mode, method, precision)


def correlate(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    method: str = "auto",
    precision: Any = None,
) -> Array:
    """The correlation of two signals, the second conjugated.

    The arguments are those of `jax.scipy.signal.convolve`, and so are shape, dtype and
    errors.
    """
    turned = jnp.conj(
        jnp.flip(operands.ensure_arraylike("jax.scipy.signal.correlate", in2))
    )
    return _convolve("correlate", in1, turned, mode, method, precision)


def fftconvolve(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", axes: Any = None
) -> Array:
    """The convolution by way of Fourier transforms.

    Args:
        in1, in2, mode: as for `jax.scipy.signal.convolve`; so is the dtype.
        axes: the axes to convolve along, by default all; along the others, the signals
            have the same sizes.

    Raises:
        ValueError: the shapes, the axes or the mode do not fit.
        TypeError: `in1` or `in2` is no array or number.
    """
    x, y = operands.ensure_arraylike("jax.scipy.signal.fftconvolve", in1, in2)
    call = lambda a, b: _convolve("fftconvolve", a, b, mode, "fft", None)
    if axes is None or jnp.ndim(x) != jnp.ndim(y):
        return call(x, y)
    given = (axes,) if isinstance(axes, int) else tuple(map(operator.index, axes))
    along = operands.canonical_axes("fftconvolve", given, jnp.ndim(x))
    others = [i for i in range(jnp.ndim(x)) if i not in along]
    if any(jnp.shape(x)[i] != jnp.shape(y)[i] for i in others):
        _fail("fftconvolve", "the signals differ along an axis not in `axes`.", x, y)
    front = list(range(len(others)))
    for _ in others:
        call = vmap(call)
    found = call(jnp.moveaxis(x, others, front), jnp.moveaxis(y, others, front))
    return jnp.moveaxis(found, front, others)


def _two_axes(name, in1, in2, boundary, fillvalue):
    x, y = operands.ensure_arraylike(f"jax.scipy.signal.{name}", in1, in2)
    if boundary != "fill" or fillvalue != 0:
        raise NotImplementedError(
            f"jax.scipy.signal.{name}: only zeros are outside.\n"
            f"  boundary  {boundary!r}\n  fillvalue {fillvalue!r}\n"
            "Pad the first signal with jnp.pad, and take mode='valid'."
        )
    if jnp.ndim(x) != 2 or jnp.ndim(y) != 2:
        _fail(name, "the signals do not have two axes.", x, y)
    return x, y


def convolve2d(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: float = 0,
    precision: Any = None,
) -> Array:
    """The convolution of two matrices.

    Args:
        in1, in2, mode, precision: as for `jax.scipy.signal.convolve`; so is the dtype.
        boundary: ``"fill"`` alone: the signal continues with zeros.
        fillvalue: 0.

    Raises:
        ValueError: an argument is no matrix, or the mode unknown. NotImplementedError:
            something else than zeros is requested.
        TypeError: `in1` or `in2` is no array or number.
    """
    x, y = _two_axes("convolve2d", in1, in2, boundary, fillvalue)
    return _convolve("convolve2d", x, y, mode, "direct", precision)


def correlate2d(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: float = 0,
    precision: Any = None,
) -> Array:
    """The correlation of two matrices, the second conjugated.

    The arguments are those of `jax.scipy.signal.convolve2d`, and so are shape, dtype
    and errors.
    """
    x, y = _two_axes("correlate2d", in1, in2, boundary, fillvalue)
    turned = jnp.conj(jnp.flip(y))
    return _convolve("correlate2d", x, turned, mode, "direct", precision)


traceback_filter.hide_frames(globals())
