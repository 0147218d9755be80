"""Types for annotations."""

from jax._src.runtime.annotations import (
    ArrayLike as ArrayLike,
    DTypeLike as DTypeLike,
)
