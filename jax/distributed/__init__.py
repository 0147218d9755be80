"""Programs of several processes."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.distributed.initialization import (
    initialize as initialize,
    is_initialized as is_initialized,
    shutdown as shutdown,
    status as status,
)

_doc_examples.attach(__name__)
