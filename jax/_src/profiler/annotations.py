"""Spans of time that users name, and the profile that they go to."""

import functools as ft
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from jax._src.base import errors, util


class Span(NamedTuple):
    """What a thread did for some time, in nanoseconds of `time.perf_counter_ns`."""

    thread: int
    name: str
    start_ns: int
    end_ns: int
    details: dict[str, Any]


class SpanList:
    """The spans of one profile, as many as are kept.

    Args:
        most: how many are kept; the number of others is `lost`.
    """

    def __init__(self, most: int = 1_000_000):
        self.spans: list[Span] = []
        self.names: dict[int, str] = {}  # of threads
        self.lost = 0
        self._most = most

    def add(self, name: str, start_ns: int, end_ns: int, details: dict) -> None:
        """Records a span of this thread."""
        thread = threading.get_native_id()
        if thread not in self.names:
            is_main = threading.current_thread() is threading.main_thread()
            self.names[thread] = (
                "python" if is_main else threading.current_thread().name
            )
        if len(self.spans) < self._most:
            self.spans.append(Span(thread, name, start_ns, end_ns, details))
        else:
            self.lost += 1


# The list of the profile that is being taken, if it records spans of users.
_current: list[SpanList] = []


def record_into(spans: SpanList | None) -> None:
    """Sends the spans of users to a list from now on; None: to nobody."""
    _current[:] = [] if spans is None else [spans]


class TraceAnnotation:
    """A block that shows in traces as a span.

    Args:
        name: the span's name.
        **kwargs: details that are shown with it: whole numbers, floats and texts; others
            as text.

    Raises:
        TypeError: the name is no text.
    """

    def __init__(self, name: str, **kwargs: Any):
        if not isinstance(name, str):
            raise errors.type_error(
                f"{type(self).__name__}: the name is no text.",
                [("name", repr(name)), ("type", type(name).__name__)],
                "Spans are named by a str.",
                "Give other values as details: TraceAnnotation('name', value=3).",
            )
        self._name = name
        self._details = kwargs
        self._starts: list[int] = []

    @staticmethod
    def is_enabled() -> bool:
        """Whether a trace is being taken."""
        return bool(_current)

    def set_metadata(self, **kwargs: Any) -> None:
        """Adds details that are shown with the span."""
        self._details = {**self._details, **kwargs}

    def __enter__(self) -> "TraceAnnotation":
        self._starts.append(time.perf_counter_ns())
        return self

    def __exit__(self, *_: object) -> None:
        start = self._starts.pop() if self._starts else None
        if start is not None:
            for spans in _current[:1]:
                spans.add(self._name, start, time.perf_counter_ns(), self._details)


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
    label = name or getattr(func, "__qualname__", None) or util.function_name(func)

    @ft.wraps(func)
    def annotated(*args, **kwargs):
        with TraceAnnotation(label, **decorator_kwargs):
            return func(*args, **kwargs)

    return annotated
