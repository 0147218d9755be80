"""Interpolation between the elements of an array."""

from jax._src.scipy.ndimage_interpolation import map_coordinates as map_coordinates
