"""The memories of devices."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.core.avals import MemorySpace as Space  # noqa: F401

_doc_examples.attach(__name__)
