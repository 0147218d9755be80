"""Arrays shared with other libraries."""

from jax._src.runtime.arrays.dlpack import (
    from_dlpack as from_dlpack,
    is_supported_dtype as is_supported_dtype,
)
