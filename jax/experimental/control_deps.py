"""Control dependencies between operations."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.ffi.control_deps import (
    control_dep as control_dep,
    schedule as schedule,
)

_doc_examples.attach(__name__)
