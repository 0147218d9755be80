"""SciPy's LAPACK as FFI handlers. A door."""

from jaxlib._native.lapack import (
    initialize as initialize,
    registrations as registrations,
)
