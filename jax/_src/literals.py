"""Numbers and arrays with their types: re-exports for third-party libraries, which import this path."""

from jax._src.transforms.literals import (
    TypedComplex as TypedComplex,
    TypedFloat as TypedFloat,
    TypedInt as TypedInt,
    TypedNdArray as TypedNdArray,
    typed_scalar_types as typed_scalar_types,
)
