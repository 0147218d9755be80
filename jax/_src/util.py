"""Small helpers: re-exports for third-party libraries, which import this path."""

from jax._src.base.util import (
    merge_lists as merge_lists,
    partition_list as partition_list,
    safe_map as safe_map,
    wraps as wraps,
)
from jax._src.compat.hashable_partial import HashablePartial as HashablePartial
