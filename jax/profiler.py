"""Traces of what the program did, and when; and the memory that arrays hold."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.profiler.annotations import (
    StepTraceAnnotation as StepTraceAnnotation,
    TraceAnnotation as TraceAnnotation,
    annotate_function as annotate_function,
)
from jax._src.profiler.data import (
    ProfileData as ProfileData,
    ProfileEvent as ProfileEvent,
    ProfileLine as ProfileLine,
    ProfilePlane as ProfilePlane,
)
from jax._src.profiler.memory import (
    device_memory_profile as device_memory_profile,
    save_device_memory_profile as save_device_memory_profile,
)
from jax._src.profiler.options import ProfileOptions as ProfileOptions
from jax._src.profiler.report import report as report
from jax._src.profiler.server import (
    register_subprocess as register_subprocess,
    start_server as start_server,
    stop_server as stop_server,
)
from jax._src.profiler.session import (
    ProfileSession as ProfileSession,
    export_profile_data as export_profile_data,
    trace as trace,
)
from jax._src.profiler.tracing import (
    start_trace as start_trace,
    stop_trace as stop_trace,
)

_doc_examples.attach(__name__)
