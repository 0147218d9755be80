"""Python functions that compiled programs call."""

from jaxlib._native.callbacks import (
    TARGET as TARGET,
    Registration as Registration,
    handler as handler,
    register as register,
)
