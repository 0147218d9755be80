"""Attributes for the compiler on operations."""

from jax._src.transforms.metadata import (
    set_xla_metadata as set_xla_metadata,
    xla_metadata_call as xla_metadata_call,
)
