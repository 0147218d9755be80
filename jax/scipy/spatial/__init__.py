"""Spatial computations."""

from jax.scipy.spatial import transform as transform
