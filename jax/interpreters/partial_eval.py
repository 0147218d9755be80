"""Tracing and splitting programs."""

from jax._src.interpreters.partial_eval import dce_jaxpr as dce_jaxpr
from jax._src.interpreters.partial_eval import partial_eval_jaxpr as partial_eval_jaxpr
from jax._src.interpreters.partial_eval import trace_to_jaxpr as trace_to_jaxpr
