"""The numbers of a report, out of a profile."""

import collections
import functools
import linecache
import os
import statistics
from collections.abc import Iterable
from typing import Any

from jax._src.profiler import data, planes, report_memory

_DEVICE = "/device:TPU:"
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The functions that move arrays, as spans of Python calls name them.
_MOVER = "$device_put_get.py:"
_TRANSFERS = {
    "device_put": "to devices",
    "put_on_device": "to devices",
    "device_get": "to the host",
}
_MOST_POINTS, _ROUNDED_NS = 2000, 0.01
_MOST_SOURCE_BYTES = 600_000


class Event:
    """A span of a profile, in nanoseconds."""

    def __init__(self, event: data.ProfileEvent):
        self.name = event.display_name
        self.start_ns = event.start_ps / 1e3
        self.end_ns = (event.start_ps + event.duration_ps) / 1e3
        self._event = event

    @functools.cached_property
    def stats(self) -> dict[str, Any]:
        """The stats of the event and of its kind."""
        return dict(self._event.all_stats)


# Lines of a profile: the name of the device plane or of the thread, and the events.
Lines = list[tuple[str, list[Event]]]


class Contents:
    """The events of a profile, which are read once."""

    def __init__(self, profile: data.ProfileData):
        self._profile = profile
        self._lines: dict[str, Lines] = {}

    @functools.cached_property
    def host(self) -> Lines:
        """Name and events of each thread of the host."""
        plane = self._profile.find_plane_with_name(planes.HOST)
        return [] if plane is None else [(n.name, events_of(n)) for n in plane.lines]

    def device(self, name: str) -> Lines:
        """Device plane and events of each line of this name."""
        found = self._lines.get(name)
        if found is None:
            found = self._lines[name] = [
                (plane.name, events_of(line))
                for plane in self._profile.planes
                if plane.name.startswith(_DEVICE)
                for line in plane.lines
                if line.name == name
            ]
        return found


def events_of(line: data.ProfileLine) -> list[Event]:
    """The events of a line in the order of their beginning; of equal ones the longer first."""
    return sorted(map(Event, line.events), key=lambda e: (e.start_ns, -e.end_ns))


def _own_times(events: list[Event]) -> list[float]:
    """How long each event lasts without the events within it."""
    own = [e.end_ns - e.start_ns for e in events]
    around: list[int] = []
    for i, event in enumerate(events):
        # What begins within an event and ends after it is beside it, by a rounded clock.
        while around and events[around[-1]].end_ns < event.end_ns - _ROUNDED_NS:
            around.pop()
        if around:
            own[around[-1]] -= event.end_ns - event.start_ns
        around.append(i)
    return [max(time, 0.0) for time in own]


def operations(
    profile: Contents, roof: Any, since_ns: float = 0.0
) -> list[dict[str, Any]]:
    """Each operation with its times and costs.

    Args:
        profile: the profile.
        roof: what the machine can do at best.
        since_ns: events before are left out.
    """
    names = {
        e.stats.get("program_id"): e.name.rpartition("(")[0]
        for _, events in profile.device("XLA Modules")
        for e in events
    }
    found: dict[Any, dict[str, Any]] = {}
    for _, events in profile.device("XLA Ops"):
        for event, own in zip(events, _own_times(events), strict=True):
            if event.start_ns < since_ns:
                continue
            key = event.stats.get("program_id"), event.stats.get("symbol_id")
            row = found.get(key)
            if row is None:
                row = found[key] = _operation(event, names.get(key[0], ""))
            row["times"].append(own)
    return [_finished(row, roof) for row in found.values()]


def raised(roof: Any, profile: Contents) -> Any:
    """The roof, not below what an operation of the profile attained: the machine may have been busy when it was measured."""
    rates = [
        e.stats.get("flops", 0) / (e.end_ns - e.start_ns) * 1e9
        for _, events in profile.device("XLA Ops")
        for e in events
        if e.end_ns > e.start_ns
    ]
    return roof._replace(flops_per_s=max([roof.flops_per_s, *rates]))


def _operation(event, program):
    stats = event.stats
    lines = str(stats.get("source_stack") or stats.get("source") or "")
    return {
        "name": event.name,
        "program": program,
        "text": event.name,
        "category": stats.get("hlo_category", ""),
        "path": str(stats.get("tf_op", "")),
        "lines": [line for line in lines.split(", ") if line],
        "flops": stats.get("flops", 0),
        "bytes": stats.get("bytes_accessed", 0),
        "times": [],
    }


def _finished(row, roof):
    times = row.pop("times")
    total = sum(times)
    limits = {
        "compute": row["flops"] / roof.flops_per_s,
        "memory": row["bytes"] / roof.bytes_per_s,
    }
    bound = max(limits, key=lambda name: limits[name])
    least_ns = limits[bound] * 1e9
    mean = total / len(times)
    return {
        **row,
        "count": len(times),
        "self_ns": round(total),
        "median_ns": round(statistics.median(times)),
        "rate": row["flops"] / (mean / 1e9) if mean else 0.0,
        "bound": bound if least_ns else "",
        # A core may do better than what was measured: what is in a cache is not read from memory.
        "of_roof": least_ns / mean if mean and least_ns else None,
    }


def memory(profile: Contents) -> dict[str, Any]:
    """Bytes in use over time, and what holds them where they are most."""
    changes = []
    spans = []
    for thread, events in profile.host:
        kept = [e for e in events if not e.name.startswith("Memory")]
        spans.append((thread, kept))
        changes += [
            (e.start_ns, e.name == "MemoryAllocation", e.stats)
            for e in events
            if e.name.startswith("Memory")
        ]
    changes.sort(key=lambda change: change[0])
    used: dict[int, int] = {}
    points, most, peak_ns = [], -1, 0.0
    for at, gives, stats in changes:
        size = stats["requested_bytes"]
        device = stats["device_ordinal"]
        if device not in used:
            before = stats["bytes_allocated"] - (size if gives else -size)
            used[device] = before
        used[device] += size if gives else -size
        total = sum(used.values())
        points.append((round(at), total))
        if total > most:
            most, peak_ns = total, at
    return {
        "points": report_memory.thinned(points, 1, _MOST_POINTS),
        "peak_bytes": max(most, 0),
        "peak_ns": round(peak_ns),
        "holders": _holders(changes, peak_ns, max(most, 0), spans),
        "plan": None,
    }


def _holders(changes, peak_ns, peak_bytes, spans):
    held: dict[Any, tuple[float, int]] = {}
    for at, gives, stats in changes:
        if at > peak_ns:
            break
        key = stats["device_ordinal"], stats["addr"]
        if gives:
            held[key] = at, stats["requested_bytes"]
        else:
            held.pop(key, None)
    groups: dict[tuple[str, str], list[int]] = collections.defaultdict(list)
    for at, size in held.values():
        groups[_where(at, spans)].append(size)
    rows = [
        {"where": where, "kind": kind, "bytes": sum(sizes), "count": len(sizes)}
        for (where, kind), sizes in groups.items()
    ]
    before = peak_bytes - sum(row["bytes"] for row in rows)
    if before > 0:
        rows.append({"where": "before", "kind": "arrays", "bytes": before, "count": 1})
    return sorted(rows, key=lambda row: -row["bytes"])


def _where(at, spans):
    """The innermost span of the user around a time, or the program that ran."""
    program, best = "", None
    for _, events in spans:
        for event in events:
            if event.start_ns > at:
                break
            if event.end_ns < at:
                continue
            if event.name.startswith("ThunkExecutor"):
                program = str(event.stats.get("hlo_module", ""))
            elif "hlo_op" not in event.stats and (
                best is None or event.start_ns >= best.start_ns
            ):
                best = event
    if best is not None:
        kind = f"while {program} ran" if program else "arrays"
        return best.name.removeprefix("$"), kind
    return program or "outside of spans", "temporary or results"


def program_runs(profile: Contents, since_ns: float = 0.0) -> dict[str, list[float]]:
    """By program: how long each run took on its device, in nanoseconds."""
    found: dict[str, list[float]] = collections.defaultdict(list)
    for _, events in profile.device("XLA Modules"):
        for event in events:
            if event.start_ns >= since_ns:
                name = event.name.rpartition("(")[0]
                found[name].append(event.end_ns - event.start_ns)
    return found


def transfers(profile: Contents) -> list[dict[str, Any]]:
    """Calls that move arrays between the host and devices, and the time that they took.

    What a call of a compiled function takes from the host is in the time of that call.
    """
    found = {name: [0, 0.0] for name in _TRANSFERS.values()}
    for _, events in profile.host:
        end = -1.0
        for event in events:
            way = _TRANSFERS.get(event.name.rpartition(" ")[2])
            if way is None or event.end_ns <= end or _MOVER not in event.name:
                continue
            end = event.end_ns  # those within it are part of it
            found[way][0] += 1
            found[way][1] += event.end_ns - event.start_ns
    return [
        {"way": way, "count": count, "ns": round(time)}
        for way, (count, time) in found.items()
        if count
    ]


def sources(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The user's files with the time of each line; that of fused lines is divided evenly."""
    times: dict[str, dict[int, float]] = collections.defaultdict(
        lambda: collections.defaultdict(float)
    )
    for row in rows:
        for line in row["lines"]:
            file, _, number = line.rpartition(":")
            if number.isdigit():
                times[file][int(number)] += row["self_ns"] / len(row["lines"])
    found: dict[str, Any] = {}
    left = _MOST_SOURCE_BYTES
    for file in sorted(times, key=lambda name: -sum(times[name].values())):
        if os.path.abspath(file).startswith(_PACKAGE + os.sep):
            continue
        text = [line.rstrip("\n") for line in linecache.getlines(file)]
        left -= sum(len(line) for line in text)
        if not text or left < 0:
            continue
        found[file] = {
            "text": text,
            "ns": {number: round(time) for number, time in times[file].items()},
            "total_ns": round(sum(times[file].values())),
        }
    return found
