"""Traces that are started and stopped by name: what the program did, and when, in files that viewers open."""

import os
from typing import Any

from jax._src.base import errors
from jax._src.profiler import recording
from jax._src.profiler.session import ProfileSession

# The session that `start_trace` began.
_traces: list[ProfileSession] = []


def start_trace(
    log_dir: os.PathLike | str,
    create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False,
    profiler_options: Any = None,
) -> None:
    """Starts a trace; `stop_trace` writes it.

    A trace holds the operations of compiled programs with their source lines, flops and bytes, the spans of
    `TraceAnnotation` and its kin, those of tracing, lowering and compiling, calls of Python functions, and
    allocations of memory.

    Args:
        log_dir: the folder below which the trace is written.
        create_perfetto_link: whether `stop_trace` prints a link to Perfetto's page and waits until that page
            has fetched the trace from this process.
        create_perfetto_trace: whether to write ``perfetto_trace.json.gz`` besides.
        profiler_options: a `ProfileOptions`; None: the defaults.

    Raises:
        RuntimeError: a trace is being taken.
        TypeError: an argument is of another type.
    """
    if not isinstance(log_dir, (str, os.PathLike)):
        raise errors.type_error(
            "start_trace: incompatible function arguments.",
            [("log_dir", repr(log_dir)), ("type", type(log_dir).__name__)],
            "It is the path of a folder: a str or an os.PathLike.",
        )
    session = ProfileSession(
        log_dir, create_perfetto_link, create_perfetto_trace, profiler_options
    )
    session.start()
    _traces[:] = [session]


def stop_trace() -> None:
    """Ends the trace and writes it.

    Raises:
        RuntimeError: no trace was started.
        JaxRuntimeError: the files cannot be written; the trace has ended.
    """
    session = _traces.pop() if _traces else None
    if session is not None and session.is_running:
        session.stop()
        return
    other = recording.end()
    if other is None:
        raise errors.runtime_error(
            "No profile started",
            rule="stop_trace ends the trace that start_trace began in this process.",
            ways="Call jax.profiler.start_trace(folder) first.",
        )
    other.stop()
