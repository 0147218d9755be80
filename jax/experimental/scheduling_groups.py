"""Functions whose operations are scheduled together."""

from jax._src.transforms.metadata import (
    scheduling_group as scheduling_group,
    xla_metadata_call as xla_metadata_call,
)
