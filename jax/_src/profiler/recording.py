"""A profile that is being taken: of the host, and of every plugin that can."""

import os
import platform
import threading
import time
from collections.abc import Iterable
from typing import Any

from jax._src.base import errors, monitoring, version
from jax._src.profiler import (
    annotations,
    lazy_modules,
    options as profile_options,
    planes,
    python_calls,
)
from jax._src.runtime.devices import backends

_DEVICE_PLANE = "/device:TPU:"


class Session:
    """Takes a profile from its making until `stop`.

    Args:
        options: what is recorded.
        target: where it will go, for messages.

    Raises:
        JaxRuntimeError: a plugin cannot begin.
    """

    def __init__(self, options: profile_options.ProfileOptions, target: str):
        self.options = options
        self.target = target
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._profile: bytes | None = None
        self._timer: threading.Timer | None = None
        self._spans = annotations.SpanList()
        self._calls = python_calls.CallRecorder(self._spans)
        self._plugins: list[Any] = []
        self._clock = planes.Clock(time.time_ns(), time.perf_counter_ns())
        serialized = profile_options.serialize(options)
        # Plugins may be shared by clients: each takes one profile.
        by_plugin = {client.plugin: client for client in clients()}
        for client in by_plugin.values():
            profiler = client.start_profiler(serialized)
            if profiler is not None:
                self._plugins.append(profiler)
        for number, other in enumerate(subprocesses.values()):
            other.start(serialized, f"{self._process}-{id(self)}-{number}")
            self._plugins.append(other)
        if options.host_tracer_level:
            annotations.record_into(self._spans)
        if options.host_tracer_level > 1:
            monitoring.register_event_duration_secs_listener(self._on_duration)
        if options.python_tracer_level:
            self._calls.start()
        if options.duration_ms:
            self._timer = threading.Timer(options.duration_ms / 1e3, self.stop)
            self._timer.daemon = True
            self._timer.start()

    def _on_duration(self, event: str, duration: float, **details: Any) -> None:
        """Records what the package itself timed, when it is done."""
        end_ns = time.perf_counter_ns()
        self._spans.add(event, end_ns - int(duration * 1e9), end_ns, details)

    def stop(self) -> bytes:
        """Ends the profile, unless its time is over already: an `XSpace`."""
        with self._lock:
            if self._profile is None:
                if self._timer is not None:
                    self._timer.cancel()
                self._profile = self._stop()
            return self._profile

    def _stop(self) -> bytes:
        self.quiet()
        end_ns = time.perf_counter_ns()
        parts: list[tuple[str, bytes]] = []
        messages: list[tuple[str, str]] = []
        if not self.is_of_parent():
            for profiler in reversed(self._plugins):
                try:
                    space = profiler.stop()
                    parts += planes.planes_in(space)
                    messages += planes.messages_in(space)
                except (errors.JaxRuntimeError, RuntimeError, ValueError) as error:
                    messages.append(("errors", str(error)))
        if self._spans.lost:
            text = f"{self._spans.lost} spans of the host beyond the first million are left out."
            messages.append(("warnings", text))
        found = planes.join(self._finished(parts, end_ns))
        return planes.space_of(found, host_name(), messages)

    def is_of_parent(self) -> bool:
        """Whether the process was forked since it began."""
        return os.getpid() != self._process

    def quiet(self) -> None:
        """Records nothing of the host any more."""
        self._calls.stop()
        annotations.record_into(None)
        if self.options.host_tracer_level > 1:
            monitoring.unregister_event_duration_listener(self._on_duration)

    def _finished(
        self, parts: list[tuple[str, bytes]], end_ns: int
    ) -> Iterable[tuple[str, bytes]]:
        """The planes of plugins in the profile's own time, with what the host adds."""
        start_ns = self._clock.wall_ns
        has_tables = self.options.advanced_configuration.get("cpu_device_planes", True)
        facts = {
            "cpu_version": "cpu",
            "jax_version": version.__version__,
            "jaxlib_version": version.__version__,
            "process_id": self._process,
        }
        yield planes.METADATA, planes.of_facts(planes.METADATA, facts)
        own = planes.Clock(0, self._clock.counter_ns)
        yield planes.HOST, planes.of_spans(self._spans, own, self._process)
        for name, plane in parts:
            if name == planes.METADATA:
                if self.options.enable_hlo_proto:
                    yield name, lazy_modules.load("programs").with_hlo(plane)
            elif not name.startswith(_DEVICE_PLANE):
                yield name, planes.shifted(plane, start_ns)
            elif has_tables:
                yield name, planes.shifted(plane, start_ns) + self._device_facts(name)
        task = {
            "profile_start_time": start_ns,
            "profile_stop_time": start_ns + end_ns - self._clock.counter_ns,
            "profile_options": profile_options.serialize(self.options),
        }
        yield "Task Environment", planes.of_facts("Task Environment", task)

    def _device_facts(self, name: str) -> bytes:
        """What viewers want of a device beside its operations: its roof, and steps."""
        roof = lazy_modules.load("floors").measured()
        facts = {
            "peak_teraflops_per_second": roof.flops_per_s / 1e12,
            "peak_hbm_bw_gigabytes_per_second": roof.bytes_per_s / 1e9,
        }
        steps = [
            (
                int(span.details.get("step_num", number)),
                self._clock.since(span.start_ns),
                self._clock.since(span.end_ns),
            )
            for number, span in enumerate(
                s for s in self._spans.spans if s.details.get("_r") == 1
            )
        ]
        found = planes.of_facts(name, facts)
        return found + planes.encoded_steps(name, steps, first=len(facts))


def host_name() -> str:
    """The name of this machine, as files of profiles have it."""
    return platform.node().partition(".")[0] or "host"


def clients() -> list[Any]:
    """The clients that run, started if none does."""
    return list(dict.fromkeys(backends.backends().values()))


# Other processes whose profiles are taken with this one's, by their numbers.
subprocesses: dict[int, Any] = {}
_lock = threading.Lock()
_sessions: list[Session] = []


def start(options: profile_options.ProfileOptions | None, target: str) -> Session:
    """Begins the profile of this process; there is one at a time.

    Args:
        options: what is recorded; None: the defaults.
        target: where it will go, for the message to whoever wants a second one.

    Raises:
        RuntimeError: one is being taken.
    """
    with _lock:
        _drop_of_parent()
        if _sessions:
            raise errors.runtime_error(
                "Profile has already been started. "
                "Only one profile may be run at a time.",
                [("running, to", _sessions[0].target)],
                "Traces are taken one after the other.",
                "Call jax.profiler.stop_trace(), or stop() of its session, first.",
            )
        session = Session(options or profile_options.ProfileOptions(), target)
        _sessions.append(session)
        return session


def end(session: Session | None = None) -> Session | None:
    """Takes the profile that is being taken off the list; None: there is none, or another."""
    with _lock:
        _drop_of_parent()
        if not _sessions or session not in (None, _sessions[0]):
            return None
        return _sessions.pop()


def is_any_running() -> bool:
    """Whether a profile is being taken."""
    return bool(_sessions)


def is_running(session: Session | None) -> bool:
    """Whether this profile is being taken."""
    return session is not None and session in _sessions


def _drop_of_parent():
    """A fork in a profile leaves the profile to the parent."""
    for session in [s for s in _sessions if s.is_of_parent()]:
        session.quiet()
        _sessions.remove(session)
