"""Interpolation. A door."""

from jax._src.scipy.interpolate import (
    RegularGridInterpolator as RegularGridInterpolator,
)
