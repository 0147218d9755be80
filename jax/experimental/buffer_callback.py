"""Python functions that write their results in place."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.callbacks.buffers import (
    Buffer as Buffer,
    ExecutionContext as ExecutionContext,
    ExecutionStage as ExecutionStage,
    buffer_callback as buffer_callback,
)

_doc_examples.attach(__name__)
