"""Resizing of images: every method is a matrix of weights for each changed axis.

A pixel is a cell of size 1, so cell j has its centre at ``j + 0.5``. The centre of each
cell of the result is taken back into the input; a kernel around that coordinate weighs the
cells of the input. When the image shrinks, antialiasing widens the kernel by as much.

References: Turkowski, Filters for common resampling tasks, 1990 (triangle, Lanczos);
Keys, Cubic convolution interpolation for digital image processing, 1981.
"""

from __future__ import annotations

import enum
import functools as ft
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.symbols.expressions import is_static, max_dim
from jax._src.lax.ops.precision import Precision
from jax._src.numpy import (
    lax_api as lax,
    numpy_api as jnp,
    operands,
    placement,
)
from jax._src.numpy.jit_wrapper import jit

Array = Any
ArrayLike = Any


class ResizeMethod(enum.Enum):
    """Ways to find the colours of a resized image.

    NEAREST takes the pixel below the centre of the new one, LINEAR weighs by a triangle,
    CUBIC by Keys' kernel with a = -0.5, CUBIC_PYTORCH the same, with a = -0.75 where
    there is no antialiasing, LANCZOS3 and LANCZOS5 by windowed sinc functions of that
    radius, AREA by how much of the new pixel each old one covers.
    """

    NEAREST = 0
    LINEAR = 1
    LANCZOS3 = 2
    LANCZOS5 = 3
    CUBIC = 4
    CUBIC_PYTORCH = 5
    AREA = 6

    @staticmethod
    def from_string(s: str) -> ResizeMethod:
        """The method with this name, such as 'nearest', 'bilinear' or 'lanczos3'.

        Raises:
            ValueError: there is none.
        """
        if s not in _NAMES:
            raise operands.value_error(
                "jax.image.resize",
                "there is no such method.",
                [("method", repr(s))],
                f"Methods are {', '.join(_NAMES)}.",
            )
        return _NAMES[s]


_NAMES = {
    "nearest": ResizeMethod.NEAREST,
    **dict.fromkeys(
        ["linear", "bilinear", "trilinear", "triangle"], ResizeMethod.LINEAR
    ),
    "lanczos3": ResizeMethod.LANCZOS3,
    "lanczos5": ResizeMethod.LANCZOS5,
    **dict.fromkeys(["cubic", "bicubic", "tricubic"], ResizeMethod.CUBIC),
    **dict.fromkeys(["cubic-pytorch", "bicubic-pytorch"], ResizeMethod.CUBIC_PYTORCH),
    "area": ResizeMethod.AREA,
}


def _method(method: str | ResizeMethod) -> ResizeMethod:
    if isinstance(method, ResizeMethod):
        return method
    if isinstance(method, str):
        return ResizeMethod.from_string(method)
    raise operands.value_error(
        "jax.image.resize",
        "this is not a method.",
        [("method", repr(method))],
        "A method is a jax.image.ResizeMethod or its name.",
    )


def triangle(x):
    return jnp.maximum(0, 1 - x)


def cubic(a: float) -> Callable:
    """Keys' piecewise cubic kernel, of radius 2."""

    def kernel(x):
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return jnp.where(x >= 2, 0, jnp.where(x >= 1, far, near))

    return kernel


def lanczos(radius: float) -> Callable:
    """The sinc function under a window that is the middle of a wider one."""

    def kernel(x):
        is_far = x > radius
        is_middle = x <= 1e-3
        safe = jnp.where(is_middle, 1, x) * np.pi
        value = radius * jnp.sin(safe) * jnp.sin(safe / radius) / (safe * safe)
        # The first terms of the series, so that the slope at 0 is right too.
        curve = 1 - jnp.square(x * np.pi) * (1 + 1 / radius**2) / 6
        return jnp.where(is_far, 0, jnp.where(is_middle, curve, value))

    return kernel


def _kernel(method: ResizeMethod, antialias: bool) -> Callable:
    return {
        ResizeMethod.LINEAR: triangle,
        ResizeMethod.CUBIC: cubic(-0.5),
        ResizeMethod.CUBIC_PYTORCH: cubic(-0.5 if antialias else -0.75),
        ResizeMethod.LANCZOS3: lanczos(3.0),
        ResizeMethod.LANCZOS5: lanczos(5.0),
    }[method]


def _weights(
    method: ResizeMethod,
    antialias: bool,
    before: int,
    after: int,
    scale: Array,
    translation: Array,
    dtype: Any,
) -> Array:
    """The matrix of shape ``(before, after)`` that resizes one axis."""
    if method is not ResizeMethod.AREA:
        kernel = _kernel(method, antialias)
        return weights_of(kernel, antialias, before, after, scale, translation, dtype)
    pixels = jnp.arange(after, dtype=dtype)[None, :]
    cells = jnp.arange(before, dtype=dtype)[:, None]
    inverse = 1 / scale
    shift = translation * inverse
    low, high = pixels * inverse - shift, (pixels + 1) * inverse - shift
    overlap = jnp.minimum(high, cells + 1) - jnp.maximum(low, cells)
    return _normalized(jnp.maximum(0, overlap))


def _normalized(weights):
    """Weights whose sum for each pixel of the result is 1, or 0 where there are none."""
    total = jnp.sum(weights, axis=0, keepdims=True)
    has_some = jnp.abs(total) > 1000 * float(np.finfo(np.float32).eps)
    return jnp.where(has_some, weights / jnp.where(has_some, total, 1), 0)


def weights_of(
    kernel: Callable,
    antialias: bool,
    before: int,
    after: int,
    scale: Array,
    translation: Array,
    dtype: Any,
) -> Array:
    """The matrix of shape ``(before, after)`` of weights that a kernel gives to distances."""
    pixels = jnp.arange(after, dtype=dtype)[None, :]
    cells = jnp.arange(before, dtype=dtype)[:, None]
    inverse = 1 / scale
    centres = (pixels + 0.5) * inverse - translation * inverse - 0.5
    width = jnp.maximum(inverse, 1) if antialias else 1
    weights = _normalized(kernel(jnp.abs(centres - cells) / width))
    is_inside = (centres >= -0.5) & (centres <= before - 0.5)
    return jnp.where(is_inside, weights, 0)


def _apply(x: Array, matrices: dict[int, Array], precision: Any) -> Array:
    """Multiplies each given axis with its matrix."""
    for axis, matrix in matrices.items():
        x = jnp.tensordot(x, matrix, axes=((axis,), (0,)), precision=precision)
        x = jnp.moveaxis(x, -1, axis)
    return x


@ft.partial(jit, static_argnames=("shape", "axes", "method", "antialias", "precision"))
def _resize(x, shape, axes, scale, translation, method, antialias, precision) -> Array:
    (x,) = operands.promote_args_inexact("jax.image.scale_and_translate", x)
    dtype = operands.dtype_of(x)
    # Half precision is too coarse for coordinates and weights.
    wide = np.dtype(np.float32) if dtype.itemsize < 4 else np.finfo(dtype).dtype
    matrices = {
        axis: _weights(
            method,
            antialias,
            x.shape[axis],
            shape[axis],
            lax.convert(scale[i], wide),
            lax.convert(translation[i], wide),
            wide,
        )
        for i, axis in enumerate(axes)
    }
    computed = operands.convert(x, wide) if operands.kind_of(x) != "c" else x
    return operands.convert(_apply(computed, matrices, precision), dtype)


def _ratio(after, before) -> Any:
    """Pixels per pixel; of sizes that are not known, a number of the program."""
    ratio = after / before
    return placement.own(np.float64(ratio)) if is_static((after, before)) else ratio


def _check_shape(name: str, image: Array, shape: Sequence[int]) -> tuple[int, ...]:
    shape = operands.canonical_shape(name, shape)
    facts = [("image", operands.type_name(image)), ("shape", str(shape))]
    if len(shape) != jnp.ndim(image):
        raise operands.value_error(
            name,
            "image and new shape differ in their number of axes.",
            facts,
            "Each axis has a new size, the batch and the colours too.",
        )
    if any(a == 0 and b for a, b in zip(jnp.shape(image), shape, strict=True)):
        raise operands.value_error(
            name,
            "an axis without pixels cannot be enlarged.",
            facts,
            "There is nothing to take colours from.",
        )
    return shape


def scale_and_translate(
    image: ArrayLike,
    shape: Sequence[int],
    spatial_dims: Sequence[int],
    scale: ArrayLike,
    translation: ArrayLike,
    method: str | ResizeMethod,
    antialias: bool = True,
    precision: Any = Precision.HIGHEST,
) -> Array:
    """An image enlarged or shrunk, then moved, in a frame of another size.

    A point x of the input goes to ``scale * x + translation``. What comes from outside
    of the input is 0. Derivatives in `scale` and `translation` exist.

    Args:
        image: array.
        shape: the shape of the result; axes that are not in `spatial_dims` keep theirs.
        spatial_dims: the axes to change.
        scale: array of shape ``(len(spatial_dims),)``, in pixels per pixel.
        translation: array of the same shape, in pixels of the result.
        method: how colours are found, a `ResizeMethod` or its name; not NEAREST.
        antialias: whether the kernel widens where the image shrinks.
        precision: of the matrix products.

    Returns:
        Array of `shape`; integers become floats.

    Raises:
        ValueError: method, axes or shapes do not fit.
    """
    name = "jax.image.scale_and_translate"
    image, scale, translation = operands.ensure_arraylike(
        name, image, scale, translation
    )
    shape = _check_shape(name, image, shape)
    axes = operands.canonical_axes(name, tuple(spatial_dims), jnp.ndim(image))
    method = _method(method)
    if method is ResizeMethod.NEAREST:
        raise operands.value_error(
            name,
            "the method NEAREST is not supported.",
            rule="It has no weights that follow scale and translation.",
            ways="Take another method, or jax.image.resize.",
        )
    for label, value in (("scale", scale), ("translation", translation)):
        if jnp.shape(value) != (len(axes),):
            raise operands.value_error(
                name,
                f"`{label}` does not fit the axes.",
                [(label, operands.type_name(value)), ("spatial_dims", str(axes))],
                "It has one number for each axis.",
            )
    return _resize(image, shape, axes, scale, translation, method, antialias, precision)


@ft.partial(jit, static_argnames=("shape",))
def _nearest(image: Array, shape: tuple[int, ...]) -> Array:
    image = lax.convert(image, operands.dtype_of(image))
    for axis, after in enumerate(shape):
        before = jnp.shape(image)[axis]
        if before == after:
            continue
        known = is_static((before, after)) and before > 0 and after > 0
        if known and after % before == 0:
            image = jnp.repeat(image, after // before, axis)
        elif known and before % after == 0:
            step = before // after
            image = lax.slice_in_dim(image, step // 2, None, step, axis)
        else:
            # The cell below the centre (i + 1/2) * before / after, exactly.
            numpy = np if known else jnp
            cells = (2 * numpy.arange(after) + 1) * before // (2 * max_dim(after, 1))
            mode = "clip" if known else "fill"  # all are in bounds
            image = jnp.take(image, cells, axis=axis, mode=mode)
    return image


def resize(
    image: ArrayLike,
    shape: Sequence[int],
    method: str | ResizeMethod,
    antialias: bool = True,
    precision: Any = Precision.HIGHEST,
) -> Array:
    """An image with another number of pixels.

    Args:
        image: array.
        shape: the new shape, with as many axes; axes of the same size stay as they are.
        method: how colours are found, a `ResizeMethod` or its name.
        antialias: whether the kernel widens where the image shrinks.
        precision: of the matrix products.

    Returns:
        Array of `shape`; integers become floats, except for NEAREST.

    Raises:
        ValueError: method or shape do not fit.

    Examples:
        >>> jax.image.resize(jnp.array([0.0, 1.0]), (4,), "nearest")
        Array([0., 0., 1., 1.], dtype=float32)
    """
    name = "jax.image.resize"
    image = operands.ensure_arraylike(name, image)
    shape = _check_shape(name, image, shape)
    method = _method(method)
    if method is ResizeMethod.NEAREST:
        return _nearest(image, shape=shape)
    before = jnp.shape(image)
    axes = tuple(i for i, n in enumerate(before) if n != shape[i])
    scale = [_ratio(shape[i], before[i]) for i in axes]
    zeros = [placement.own(np.float64(0))] * len(axes)
    return _resize(image, shape, axes, scale, zeros, method, antialias, precision)


traceback_filter.hide_frames(globals())
