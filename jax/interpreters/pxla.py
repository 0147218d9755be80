"""Meshes and compiled programs, for libraries."""

from jax._src.base import lazy as _lazy
from jax._src.compat.contexts import MeshAxisName as MeshAxisName
from jax._src.compat.meshes import (
    ArrayMapping as ArrayMapping,
    Index as Index,
    are_hlo_shardings_equal as are_hlo_shardings_equal,
    array_mapping_to_axis_resources as array_mapping_to_axis_resources,
    is_hlo_sharding_replicated as is_hlo_sharding_replicated,
    op_sharding_to_indices as op_sharding_to_indices,
    thread_resources as thread_resources,
)

# What few libraries ask for is loaded when they do.
_LAZY_NAMES = {
    "global_aval_to_result_handler": "jax._src.compat.results",
    "global_avals_to_results_handler": "jax._src.compat.results",
    "global_result_handlers": "jax._src.compat.results",
}
__getattr__ = _lazy.names(__name__, _LAZY_NAMES)
__dir__ = _lazy.listing(__name__, _LAZY_NAMES)
