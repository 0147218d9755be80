"""Meshes and compiled programs, for libraries."""

from jax._src.guests.contexts import MeshAxisName as MeshAxisName
from jax._src.guests.meshes import (
    ArrayMapping as ArrayMapping,
    Index as Index,
    are_hlo_shardings_equal as are_hlo_shardings_equal,
    array_mapping_to_axis_resources as array_mapping_to_axis_resources,
    is_hlo_sharding_replicated as is_hlo_sharding_replicated,
    op_sharding_to_indices as op_sharding_to_indices,
    thread_resources as thread_resources,
)
