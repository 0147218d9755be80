"""Interpolation between the elements of an array. A door."""

from jax._src.scipy.interpolation import map_coordinates as map_coordinates
