"""Interpolation."""

from jax._src.scipy.interpolate import (
    RegularGridInterpolator as RegularGridInterpolator,
)
