"""Traces: spans of time that the user names, and those of tracing and compiling.

A trace is written where TensorBoard and Perfetto look for it, twice: compressed in the Trace
Event Format of Chrome ("Trace Event Format", Google, 2016), and as an ``XSpace``, which
`ProfileData` reads: ``<log_dir>/plugins/profile/<time>/<host>.trace.json.gz`` and
``<host>.xplane.pb``.
"""

import functools as ft
import gzip
import json
import os
import pathlib
import platform
import threading
import time
from collections.abc import Callable
from typing import Any

from jax._src.base import errors, monitoring, util
from jax._src.profiler import xspace
from jax._src.profiler.options import ProfileOptions


class Session:
    """A trace that is being taken."""

    def __init__(
        self, folder: pathlib.Path | None, for_perfetto: bool, options: ProfileOptions
    ):
        self.folder = folder  # None: the trace stays in memory.
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
_sessions: list[Session] = []


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
    refuse_link("start_trace", create_perfetto_link)
    begin(pathlib.Path(log_dir), create_perfetto_trace, profiler_options)


def refuse_link(name: str, create_perfetto_link: bool) -> None:
    """Raises `NotImplementedError` where a function is to serve its trace."""
    if create_perfetto_link:
        raise NotImplementedError(
            errors.explain(
                f"{name}: an option is not supported.",
                [("create_perfetto_link", str(create_perfetto_link))],
                ways="Leave it out. Open the trace in ui.perfetto.dev, or with "
                "TensorBoard.",
            )
        )


def begin(
    folder: pathlib.Path | None, for_perfetto: bool, options: Any = None
) -> Session:
    """Starts a trace.

    Args:
        folder: below which it is to be written; None: nowhere.
        for_perfetto: whether to write a file for Perfetto besides.
        options: a `ProfileOptions`; None: the defaults.

    Raises:
        RuntimeError: a trace is being taken.
    """
    with _lock:
        if _sessions:
            raise RuntimeError(
                errors.explain(
                    "Profile has already been started. "
                    "Only one profile may be run at a time.",
                    [("running, to", str(_sessions[0].folder or "memory"))],
                    "Traces are taken one after the other.",
                    "Call jax.profiler.stop_trace(), or stop() of its session, first.",
                )
            )
        session = Session(folder, for_perfetto, options or ProfileOptions())
        _sessions.append(session)
        monitoring.register_event_duration_secs_listener(session.on_duration)
    return session


def end(session: Session | None = None) -> Session:
    """Ends the trace that is being taken, without writing it.

    Args:
        session: which it has to be; None: any.

    Raises:
        RuntimeError: no trace was started, or another one is being taken.
    """
    with _lock:
        if not _sessions or session not in (None, _sessions[0]):
            raise RuntimeError(
                "No profile started: call jax.profiler.start_trace first."
            )
        ended = _sessions.pop()
        monitoring.unregister_event_duration_listener(ended.on_duration)
    return ended


def is_running(session: Session | None) -> bool:
    """Whether this trace is being taken."""
    return session is not None and session in _sessions


def stop_trace() -> None:
    """Ends the trace and writes it.

    Raises:
        RuntimeError: no trace was started.
    """
    session = end()
    if session.folder is not None:
        write(
            session.events,
            session.folder,
            session.for_perfetto,
            session.options.session_id,
        )


def host_name() -> str:
    """The name of this machine, as files of traces have it."""
    return platform.node().partition(".")[0] or "host"


def space_of(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The ``XSpace`` of events of a trace."""
    return {"planes": [_plane_of(events)], "hostnames": [host_name()]}


def write(
    events: list[dict[str, Any]],
    log_dir: pathlib.Path,
    for_perfetto: bool,
    session_id: str | None,
    space: dict[str, Any] | None = None,
) -> None:
    """Writes the files of a trace.

    Args:
        events: its events, as Chrome's format has them.
        log_dir: the folder below which they are written.
        for_perfetto: whether to write a file for Perfetto besides.
        session_id: the name of the folder of the run; None or empty: the time.
        space: the ``XSpace``; None: that of the events.
    """
    name = {"ph": "M", "name": "process_name", "pid": os.getpid()}
    trace = {
        "displayTimeUnit": "ns",
        "traceEvents": [{**name, "args": {"name": "host"}}, *events],
    }
    stamp = session_id or time.strftime("%Y_%m_%d_%H_%M_%S")
    folder = log_dir / "plugins" / "profile" / stamp
    folder.mkdir(parents=True, exist_ok=True)
    data = gzip.compress(json.dumps(trace).encode())
    host = host_name()
    (folder / f"{host}.trace.json.gz").write_bytes(data)
    encoded = xspace.encode("XSpace", space or space_of(events))
    (folder / f"{host}.xplane.pb").write_bytes(encoded)
    if for_perfetto:
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
