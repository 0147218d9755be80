"""Traces: spans of time that the user names, and those of tracing and compiling.

A trace is written where TensorBoard and Perfetto look for it, twice: compressed in the Trace
Event Format of Chrome ("Trace Event Format", Google, 2016), and as an ``XSpace``, which
`ProfileData` reads: ``<log_dir>/plugins/profile/<time>/<host>.trace.json.gz`` and
``<host>.xplane.pb``.
"""

import contextlib
import functools as ft
import gzip
import json
import os
import pathlib
import platform
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from jax._src.base import errors, monitoring, util
from jax._src.profiler import xspace
from jax._src.profiler.options import ProfileOptions


class _Session:
    """A trace that is being taken."""

    def __init__(
        self, folder: pathlib.Path, for_perfetto: bool, options: ProfileOptions
    ):
        self.folder = folder
        self.for_perfetto = for_perfetto
        self.options = options
        self.start_ns = time.perf_counter_ns()
        self.events: list[dict[str, Any]] = []

    def add(self, name: str, start_ns: int, end_ns: int, details: dict) -> None:
        """Records a span of this thread; its beginning is cut off at that of the trace."""
        if not self.options.host_tracer_level:
            return
        start_ns = max(start_ns, self.start_ns)
        event = {
            "name": name,
            "ph": "X",
            "pid": os.getpid(),
            "tid": threading.get_native_id(),
            "ts": (start_ns - self.start_ns) / 1000,
            "dur": max(end_ns - start_ns, 0) / 1000,
        }
        if details:
            event["args"] = {key: str(value) for key, value in details.items()}
        self.events.append(event)

    def on_duration(self, event: str, duration: float, **details: Any) -> None:
        """Records what the package itself timed, when it is done."""
        end_ns = time.perf_counter_ns()
        self.add(event, end_ns - int(duration * 1e9), end_ns, details)


_lock = threading.Lock()
_sessions: list[_Session] = []


def start_trace(
    log_dir: os.PathLike | str,
    create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False,
    profiler_options: Any = None,
) -> None:
    """Starts a trace; `stop_trace` writes it.

    A trace holds the spans of `TraceAnnotation` and its kin, and those of tracing, lowering
    and compiling. What single operations take is not recorded.

    Args:
        log_dir: the folder below which the trace is written.
        create_perfetto_link: must be False: nothing is served.
        create_perfetto_trace: whether to write ``perfetto_trace.json.gz`` besides.
        profiler_options: a `ProfileOptions`; None: the defaults.

    Raises:
        RuntimeError: a trace is being taken.
        NotImplementedError: an option is not supported.
    """
    if create_perfetto_link:
        raise NotImplementedError(
            errors.explain(
                "start_trace: an option is not supported.",
                [("create_perfetto_link", str(create_perfetto_link))],
                ways="Leave it out. Open the trace in ui.perfetto.dev, or with "
                "TensorBoard.",
            )
        )
    with _lock:
        if _sessions:
            raise RuntimeError(
                errors.explain(
                    "Profile has already been started. "
                    "Only one profile may be run at a time.",
                    [("running, to", str(_sessions[0].folder))],
                    "Traces are taken one after the other.",
                    "Call jax.profiler.stop_trace() first.",
                )
            )
        options = profiler_options or ProfileOptions()
        session = _Session(pathlib.Path(log_dir), create_perfetto_trace, options)
        _sessions.append(session)
        monitoring.register_event_duration_secs_listener(session.on_duration)


def stop_trace() -> None:
    """Ends the trace and writes it.

    Raises:
        RuntimeError: no trace was started.
    """
    with _lock:
        if not _sessions:
            raise RuntimeError(
                "No profile started: call jax.profiler.start_trace first."
            )
        session = _sessions.pop()
        monitoring.unregister_event_duration_listener(session.on_duration)
    _write(session)


def _write(session):
    name = {"ph": "M", "name": "process_name", "pid": os.getpid()}
    trace = {
        "displayTimeUnit": "ns",
        "traceEvents": [{**name, "args": {"name": "host"}}, *session.events],
    }
    stamp = session.options.session_id or time.strftime("%Y_%m_%d_%H_%M_%S")
    folder = session.folder / "plugins" / "profile" / stamp
    folder.mkdir(parents=True, exist_ok=True)
    data = gzip.compress(json.dumps(trace).encode())
    host = platform.node().partition(".")[0] or "host"
    (folder / f"{host}.trace.json.gz").write_bytes(data)
    space = {"planes": [_plane_of(session.events)], "hostnames": [host]}
    (folder / f"{host}.xplane.pb").write_bytes(xspace.encode("XSpace", space))
    if session.for_perfetto:
        (folder / "perfetto_trace.json.gz").write_bytes(data)


def _plane_of(events):
    """The plane of the host: a line for each thread, times from the start of the trace."""
    names: dict[str, int] = {}
    lines: dict[int, list[dict[str, Any]]] = {}
    for event in events:
        # Names of events and of stats are numbered together.
        stats = [
            {"metadata_id": _number(names, key), "str_value": value}
            for key, value in event.get("args", {}).items()
        ]
        span = {
            "metadata_id": _number(names, event["name"]),
            "offset_ps": round(event["ts"] * 1e6),
            "duration_ps": round(event["dur"] * 1e6),
            "stats": stats,
        }
        lines.setdefault(event["tid"], []).append(span)
    entries = [
        {"key": number, "value": {"id": number, "name": name}}
        for name, number in names.items()
    ]
    return {
        "id": 1,
        "name": "/host:CPU",
        "lines": [
            {"id": thread, "name": f"thread/{thread}", "events": spans}
            for thread, spans in lines.items()
        ],
        "event_metadata": entries,
        "stat_metadata": entries,
    }


def _number(names, name):
    return names.setdefault(name, len(names) + 1)


@contextlib.contextmanager
def trace(
    log_dir: os.PathLike | str,
    create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False,
    profiler_options: Any = None,
) -> Iterator[None]:
    """Takes a trace of a block; arguments as of `start_trace`.

    Examples:
        >>> with jax.profiler.trace("/tmp/logs"):
        ...     step(x).block_until_ready()
    """
    start_trace(log_dir, create_perfetto_link, create_perfetto_trace, profiler_options)
    try:
        yield
    finally:
        stop_trace()


class TraceAnnotation:
    """A block that shows in traces as a span.

    Args:
        name: the span's name.
        **kwargs: details that are shown with it.
    """

    def __init__(self, name: str, **kwargs: Any):
        self._name = name
        self._details = kwargs
        self._starts: list[int] = []

    @staticmethod
    def is_enabled() -> bool:
        """Whether a trace is being taken."""
        return bool(_sessions)

    def set_metadata(self, **kwargs: Any) -> None:
        """Adds details that are shown with the span."""
        self._details.update(kwargs)

    def __enter__(self) -> "TraceAnnotation":
        self._starts.append(time.perf_counter_ns())
        return self

    def __exit__(self, *_: object) -> None:
        start = self._starts.pop()
        for session in _sessions[:1]:
            session.add(self._name, start, time.perf_counter_ns(), self._details)


class StepTraceAnnotation(TraceAnnotation):
    """A block that is one step of a training loop.

    Args:
        name: the span's name, such as ``"train"``.
        **kwargs: details; `step_num` is the number of the step.
    """

    def __init__(self, name: str, **kwargs: Any):
        super().__init__(name, _r=1, **kwargs)


def annotate_function(
    func: Callable, name: str | None = None, **decorator_kwargs: Any
) -> Callable:
    """A function whose calls show in traces.

    Args:
        func: the function.
        name: the span's name; None: the function's.
        **decorator_kwargs: details that are shown with it.
    """
    label = name or util.function_name(func)

    @ft.wraps(func)
    def annotated(*args, **kwargs):
        with TraceAnnotation(label, **decorator_kwargs):
            return func(*args, **kwargs)

    return annotated
