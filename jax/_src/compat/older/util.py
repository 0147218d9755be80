"""Helpers of `jax.util`, which upstream made private."""

from jax._src.base.util import safe_map as safe_map, safe_zip as safe_zip
from jax._src.compat.sequences import (
    HashableFunction as HashableFunction,
    as_hashable_function as as_hashable_function,
    cache as cache,
    split_list as split_list,
    split_list_checked as split_list_checked,
    subvals as subvals,
    unzip2 as unzip2,
    unzip3 as unzip3,
    wrap_name as wrap_name,
    wraps as wraps,
)
