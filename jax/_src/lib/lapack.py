"""SciPy's LAPACK as FFI handlers."""

from jaxlib._native.lapack import (
    initialize as initialize,
    load as load,
    registrations as registrations,
)
