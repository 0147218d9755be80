"""Traces of what the program did, and when."""

from jax._src.profiler.tracing import (
    StepTraceAnnotation as StepTraceAnnotation,
    TraceAnnotation as TraceAnnotation,
    annotate_function as annotate_function,
    start_trace as start_trace,
    stop_trace as stop_trace,
    trace as trace,
)
