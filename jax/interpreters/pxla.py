"""Meshes and compiled programs, for libraries."""

from jax._src.guests.contexts import MeshAxisName as MeshAxisName
from jax._src.guests.meshes import (
    ArrayMapping as ArrayMapping,
    Index as Index,
    array_mapping_to_axis_resources as array_mapping_to_axis_resources,
    thread_resources as thread_resources,
)
