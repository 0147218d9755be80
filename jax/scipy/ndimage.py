"""Interpolation between the elements of an array."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.scipy.ndimage_interpolation import map_coordinates as map_coordinates

_doc_examples.attach(__name__)
