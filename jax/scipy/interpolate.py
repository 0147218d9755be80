"""Interpolation."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.scipy.interpolate import (
    RegularGridInterpolator as RegularGridInterpolator,
)

_doc_examples.attach(__name__)
