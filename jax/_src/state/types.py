"""The type of references, where other libraries look for it. A door."""

from jax._src.core.references import AbstractRef as AbstractRef
