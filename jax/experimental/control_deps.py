"""Orders of operations that no value tells."""

from jax._src.ffi.control_deps import (
    control_dep as control_dep,
    schedule as schedule,
)
