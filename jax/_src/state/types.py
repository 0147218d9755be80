"""The type of references: re-exports for third-party libraries, which import this path."""

from jax._src.core.references import AbstractRef as AbstractRef
