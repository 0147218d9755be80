"""Control dependencies between operations."""

from jax._src.ffi.control_deps import (
    control_dep as control_dep,
    schedule as schedule,
)
