"""Resizing of images."""

from jax._src.image.resizing import (
    ResizeMethod as ResizeMethod,
    resize as resize,
    scale_and_translate as scale_and_translate,
)
