"""Python functions that write their results in place."""

from jax._src.callbacks.buffers import (
    Buffer as Buffer,
    ExecutionContext as ExecutionContext,
    ExecutionStage as ExecutionStage,
    buffer_callback as buffer_callback,
)
