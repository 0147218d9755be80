"""Programs of several processes."""

from jax._src.distributed.state import (
    initialize as initialize,
    is_initialized as is_initialized,
    shutdown as shutdown,
    status as status,
)
