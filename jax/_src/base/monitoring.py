"""Events that the package records, and the functions that listen to them.

An event is a name such as ``/jax/core/compile/backend_compile_duration`` with, for
some kinds, a number. Recording costs next to nothing while nobody listens.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

_lock = threading.Lock()
_KINDS = ("event", "duration", "span", "scalar")
# Kind of event -> its listeners. The tuples are replaced, never changed.
_listeners: dict[str, tuple[Callable, ...]] = {kind: () for kind in _KINDS}


def _notify(kind, /, *args, **kwargs):
    for listener in _listeners[kind]:
        listener(*args, **kwargs)


def _add(kind, callback):
    with _lock:
        _listeners[kind] = (*_listeners[kind], callback)


def _remove(kind, callback):
    with _lock:
        if callback not in _listeners[kind]:
            raise ValueError(f"{callback} is not registered as a listener.")
        left = list(_listeners[kind])
        left.remove(callback)
        _listeners[kind] = tuple(left)


def record_event(event: str, **kwargs: str | int) -> None:
    """Notifies the listeners that something happened."""
    _notify("event", event, **kwargs)


def record_event_duration_secs(
    event: str, duration: float, **kwargs: str | int
) -> None:
    """Notifies the listeners how long something took, in seconds."""
    _notify("duration", event, duration, **kwargs)


def record_event_time_span(
    event: str, start_time: float, end_time: float, **kwargs: str | int
) -> None:
    """Notifies the listeners when something began and ended, in seconds of `time.time`."""
    _notify("span", event, start_time, end_time, **kwargs)


def record_scalar(event: str, value: float | int, **kwargs: str | int) -> None:
    """Notifies the listeners of a number."""
    _notify("scalar", event, value, **kwargs)


def register_event_listener(callback: Callable[..., Any]) -> None:
    """Calls ``callback(event, **kwargs)`` for each event from now on."""
    _add("event", callback)


def register_event_duration_secs_listener(callback: Callable[..., Any]) -> None:
    """Calls ``callback(event, seconds, **kwargs)`` for each duration from now on."""
    _add("duration", callback)


def register_event_time_span_listener(callback: Callable[..., Any]) -> None:
    """Calls ``callback(event, start, end, **kwargs)`` for each span from now on."""
    _add("span", callback)


def register_scalar_listener(callback: Callable[..., Any]) -> None:
    """Calls ``callback(event, value, **kwargs)`` for each number from now on."""
    _add("scalar", callback)


def unregister_event_listener(callback: Callable[..., Any]) -> None:
    """Ends what `register_event_listener` began; ValueError if it did not."""
    _remove("event", callback)


def unregister_event_duration_listener(callback: Callable[..., Any]) -> None:
    """Ends what `register_event_duration_secs_listener` began; ValueError if it did not."""
    _remove("duration", callback)


def unregister_event_time_span_listener(callback: Callable[..., Any]) -> None:
    """Ends what `register_event_time_span_listener` began; ValueError if it did not."""
    _remove("span", callback)


def unregister_scalar_listener(callback: Callable[..., Any]) -> None:
    """Ends what `register_scalar_listener` began; ValueError if it did not."""
    _remove("scalar", callback)


def clear_event_listeners() -> None:
    """Ends all listening."""
    with _lock:
        for kind in _KINDS:
            _listeners[kind] = ()


@contextlib.contextmanager
def timed(event: str, **kwargs: str | int) -> Iterator[None]:
    """Records how long a block took."""
    start = time.time()
    yield
    end = time.time()
    record_event_duration_secs(event, end - start, **kwargs)
    record_event_time_span(event, start, end, **kwargs)
