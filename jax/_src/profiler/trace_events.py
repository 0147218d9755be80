"""Profiles in the Trace Event Format, which Perfetto and Chrome open.

Source: "Trace Event Format", Google, 2016.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

from jax._src.profiler import data

_HOST_PROCESS, _FIRST_CUSTOM = 701, 501
_THREADS = 1 << 32
# As upstream: a viewer of more runs out of memory.
_MOST_EVENTS = 1_000_000


def json_of(
    profile: data.ProfileData, *, has_metadata: bool = True, late_ns: int = 0
) -> bytes:
    """The profile as JSON.

    Args:
        profile: the profile.
        has_metadata: whether the member ``metadata`` is there.
        late_ns: what is added to all times.
    """
    events = []
    for number, plane in enumerate(profile.planes):
        process = _process_of(plane.name, number)
        if process is not None:
            most = _MOST_EVENTS - len(events)
            events += _plane_events(plane, process, most, late_ns)
    whole: dict[str, Any] = {"displayTimeUnit": "ns"}
    if has_metadata:
        whole["metadata"] = {"highres-ticks": True}
    whole["traceEvents"] = events
    return json.dumps(whole, separators=(",", ":")).encode()


def _process_of(name: str, number: int) -> int | None:
    if name.startswith("/host:") and name != "/host:metadata":
        return _HOST_PROCESS
    if name.startswith(("/device:GPU", "/device:TPU")):
        return number + 1
    return _FIRST_CUSTOM + number if name.startswith("/device:CUSTOM") else None


def _plane_events(plane, process, most, late_ns):
    found = [
        _meta(process, "process_name", {"name": _shown(plane)}),
        _meta(process, "process_sort_index", {"sort_index": process}),
    ]
    for line in plane.lines:
        thread = line.id % _THREADS
        found.append(_meta(process, "thread_name", {"name": line.name}, thread))
        order = {"sort_index": thread}
        found.append(_meta(process, "thread_sort_index", order, thread))
        for event in _line_events(line, late_ns):
            if len(found) >= most:
                return found
            found.append({**event, "pid": process, "tid": thread})
    return found


def _shown(plane):
    """The name of a plane; one whose device is no TPU says what it is."""
    kind = dict(plane.stats).get("device_type_string", "")
    if kind and plane.name.startswith("/device:TPU:"):
        return f"/device:{kind}:{plane.name.rpartition(':')[2]}"
    return plane.name


def _meta(process, name, args, thread=None):
    event = {"ph": "M", "pid": process, "name": name, "args": args}
    return event if thread is None else {**event, "tid": thread}


def _line_events(line, late_ns) -> Iterator[dict[str, Any]]:
    for event in line.events:
        # Both ends are rounded, and not the duration: what is within a span stays so.
        # Perfetto drops a span that ends a nanosecond after the one around it.
        start_ns = event.start_ps // 1000
        end_ns = (event.start_ps + event.duration_ps) // 1000
        span: dict[str, Any] = {
            "ph": "X",
            "name": event.display_name,
            "ts": _microseconds(start_ns + late_ns),
            "dur": _microseconds(end_ns - start_ns),
        }
        args = {
            key: str(value)
            for key, value in event.all_stats
            if not key.startswith("_") or key == "_src"
        }
        if args:
            span["args"] = args
        yield span


def _microseconds(ns: int) -> float:
    """A number that is `ns` for who multiplies it by 1000 and drops the fraction."""
    found = ns / 1000
    return found if int(found * 1000) >= ns else math.nextafter(found, math.inf)
