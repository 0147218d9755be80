"""Spatial computations. A door."""

from jax.scipy.spatial import transform as transform
