"""Interpolation between the elements of an array. A door."""

from jax._src.scipy.ndimage_interpolation import map_coordinates as map_coordinates
