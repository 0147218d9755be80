"""Tracing and splitting programs."""

from jax._src.interpreters.partial_eval import (
    dce_jaxpr as dce_jaxpr,
    partial_eval_jaxpr as partial_eval_jaxpr,
    trace_to_jaxpr as trace_to_jaxpr,
)
