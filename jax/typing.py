"""Types for annotations."""

from jax._src.runtime.arrays.annotations import (
    ArrayLike as ArrayLike,
    DTypeLike as DTypeLike,
)
