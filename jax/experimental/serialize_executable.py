"""Compiled functions as bytes."""

from jax._src.export.executables import (
    deserialize_and_load as deserialize_and_load,
    serialize as serialize,
)
