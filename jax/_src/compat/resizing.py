"""The kernels and the inner function of image resizing, under their names in upstream's module."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.image import resizing
from jax._src.numpy import operands

ResizeMethod = resizing.ResizeMethod
# Stands for weights that are overlaps, not functions of distances.
area_kernel: Any = object()
# Method -> (radius, weights by distance): weights are 0 from the radius on.
kernels: dict[ResizeMethod, tuple[int, Callable]] = {
    ResizeMethod.LINEAR: (1, resizing.triangle),
    ResizeMethod.CUBIC: (2, resizing.cubic(-0.5)),
    ResizeMethod.CUBIC_PYTORCH: (2, resizing.cubic(-0.75)),
    ResizeMethod.LANCZOS3: (3, resizing.lanczos(3.0)),
    ResizeMethod.LANCZOS5: (5, resizing.lanczos(5.0)),
    ResizeMethod.AREA: (1, area_kernel),
}


def compute_weight_mat(
    input_size: int,
    output_size: int,
    scale: Any,
    translation: Any,
    kernel: Callable,
    antialias: bool,
    edge_padding: bool = False,
    radius: int | None = None,
) -> Any:
    """The matrix of shape ``(input_size, output_size)`` that resizes one axis.

    Args:
        input_size: the number of pixels along the axis.
        output_size: that of the result.
        scale: pixels of the result per pixel, an array.
        translation: pixels of the result, an array.
        kernel: weights by distance in pixels.
        antialias: whether the kernel widens where the image shrinks.
        edge_padding: must be false.
        radius: accepted.

    Raises:
        NotImplementedError: `edge_padding` is true.
    """
    if edge_padding:
        raise NotImplementedError("compute_weight_mat: edge_padding must be False.")
    return resizing.weights_of(
        kernel,
        antialias,
        input_size,
        output_size,
        scale,
        translation,
        operands.dtype_of(scale),
    )


def resize(
    image: Any,
    shape: Sequence[int],
    method: str | ResizeMethod,
    antialias: bool,
    precision: Any,
) -> Any:
    """`jax.image.resize` with positional arguments only."""
    return resizing.resize(image, shape, method, antialias, precision)
