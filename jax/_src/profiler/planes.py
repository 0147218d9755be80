"""Planes of a profile: those of the host, and what is added to those of plugins.

Planes of plugins may be long. They are not decoded: protocol buffers that follow each other are one message, in which the
last value of a field counts and repeated fields are joined. So a plane is extended by what is written behind it, with
numbers from `_FIRST` on for names, which are far above those that a plugin gave.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from jax._src.base import protobuf
from jax._src.profiler import annotations, xspace

_FIRST = 1 << 24
_MINUTE_NS = 60 * 10**9
HOST, METADATA = "/host:CPU", "/host:metadata"


class Clock(NamedTuple):
    """The beginning of a profile on two clocks, in nanoseconds."""

    wall_ns: int
    counter_ns: int

    def since(self, counter_ns: int) -> int:
        """How long after the beginning something was; 0 for what was before."""
        return max(counter_ns - self.counter_ns, 0)


class Names:
    """The names that a plane has for events and stats, by number."""

    def __init__(self, first: int = _FIRST) -> None:
        self._first = first
        self._events: dict[str, int] = {}
        self._stats: dict[str, int] = {}
        self._facts: dict[str, protobuf.Message] = {}

    def event(self, name: str, **facts: Any) -> int:
        """The number of a kind of events, with fields of its metadata."""
        self._facts.setdefault(name, facts)
        return self._events.setdefault(name, len(self._events) + self._first)

    def stat(self, name: str, value: Any) -> protobuf.Message:
        """A stat, in the field of the value's type."""
        number = self._stat(name)
        if isinstance(value, float):
            return {"metadata_id": number, "double_value": value}
        if isinstance(value, bytes):
            return {"metadata_id": number, "bytes_value": value}
        if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
            return {"metadata_id": number, "int64_value": int(value)}
        return {"metadata_id": number, "ref_value": self._stat(str(value))}

    def _stat(self, name):
        return self._stats.setdefault(name, len(self._stats) + self._first)

    def tables(self) -> protobuf.Message:
        """The fields of a plane that hold the names."""
        return {
            "event_metadata": [
                {"key": n, "value": {"id": n, "name": name, **self._facts[name]}}
                for name, n in self._events.items()
            ],
            "stat_metadata": [
                {"key": n, "value": {"id": n, "name": name}}
                for name, n in self._stats.items()
            ],
        }


# Lines of one thread are so far apart in number; those of plugins are between them.
_BETWEEN_LINES = 1 << 23


def of_spans(spans: annotations.SpanList, clock: Clock, process: int) -> bytes:
    """The plane of the host with what its threads did.

    The spans of a line nest: viewers drop others. A block that begins in one function and ends in another is on a second line
    of its thread, and so are phases that were timed from outside of the functions that they are in.
    """
    names = Names()
    lines: dict[tuple[int, int], list[protobuf.Message]] = {}
    open_ends: dict[int, list[list[int]]] = {}
    for span in sorted(spans.spans, key=lambda s: (s.start_ns, -s.end_ns)):
        start = clock.since(span.start_ns)
        end = max(clock.since(span.end_ns), start)
        event: protobuf.Message = {
            "metadata_id": names.event(span.name),
            "offset_ps": start * 1000,
            "duration_ps": (end - start) * 1000,
        }
        if span.details:
            event["stats"] = [names.stat(k, v) for k, v in span.details.items()]
        number = _line_for(open_ends.setdefault(span.thread, []), start, end)
        lines.setdefault((span.thread, number), []).append(event)
    plane: protobuf.Message = {
        "name": HOST,
        "lines": [
            {
                "id": thread + number * _BETWEEN_LINES,
                "name": _line_name(spans.names.get(thread, "python"), number),
                "timestamp_ns": clock.wall_ns,
                "events": events,
            }
            for (thread, number), events in lines.items()
        ],
        "stats": [names.stat("process_id", process)],
    }
    return xspace.encode("XPlane", {**plane, **names.tables()})


def _line_for(lines, start, end):
    """The first line in which a span is within another one, or follows all; each has the ends of those that are open."""
    for number, ends in enumerate(lines):
        while ends and ends[-1] <= start:
            ends.pop()
        if not ends or end <= ends[-1]:
            ends.append(end)
            return number
    lines.append([end])
    return len(lines) - 1


def _line_name(thread, number):
    return thread if not number else f"{thread} ({number + 1})"


def of_facts(name: str, facts: dict[str, Any]) -> bytes:
    """A plane, or the end of one, with these stats."""
    names = Names()
    stats = [names.stat(key, value) for key, value in facts.items()]
    plane: protobuf.Message = {"name": name, "stats": stats}
    return xspace.encode("XPlane", {**plane, **names.tables()})


def encoded_steps(
    name: str, steps: Iterable[tuple[int, int, int]], first: int
) -> bytes:
    """The line `Steps` of a device, written behind its plane.

    Args:
        name: the plane's name.
        steps: number, start and end of each step.
        first: how many names of `of_facts` the plane has already.
    """
    names = Names(_FIRST + first)
    events = [
        {
            "metadata_id": names.event(str(number)),
            "offset_ps": start * 1000,
            "duration_ps": (end - start) * 1000,
            "stats": [names.stat("step_num", number)],
        }
        for number, start, end in steps
    ]
    line = {"id": 1, "name": "Steps", "events": events}
    lines = [line] if events else []
    return xspace.encode("XPlane", {"name": name, "lines": lines, **names.tables()})


def planes_in(space: bytes) -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each plane of a serialized `XSpace`."""
    for number, value in protobuf.fields_of(space):
        if number == 1:
            yield _name_of(value), value


def _name_of(plane: bytes) -> str:
    for number, value in protobuf.fields_of(plane):
        if number == 2:
            return value.decode("utf-8", "replace")
    return ""


def messages_in(space: bytes) -> list[tuple[str, str]]:
    """The errors and warnings of a serialized `XSpace`: the field, and the text."""
    fields = {2: "errors", 3: "warnings"}
    return [
        (fields[number], value.decode("utf-8", "replace"))
        for number, value in protobuf.fields_of(space)
        if number in fields
    ]


def shifted(plane: bytes, start_ns: int) -> bytes:
    """A plane whose lines count from the start of the profile, not from 1970.

    Lines that count from another time, more than a minute before the start, are left as they are.
    """
    out = bytearray()
    for number, value in protobuf.fields_of(plane):
        if number == 3:
            start = next((v for n, v in protobuf.fields_of(value) if n == 3), 0)
            if start >= start_ns - _MINUTE_NS:
                since = max(start - start_ns, 0)
                value += protobuf.varint(3 << 3) + protobuf.varint(since)
        if isinstance(value, int):
            out += protobuf.varint(number << 3) + protobuf.varint(value)
        else:
            out += protobuf.varint(number << 3 | 2)
            out += protobuf.varint(len(value)) + value
    return bytes(out)


def join(parts: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    """Planes by name; those of one name are one."""
    found: dict[str, bytes] = {}
    for name, plane in parts:
        found[name] = found.get(name, b"") + plane
    return found


def space_of(
    found: dict[str, bytes], host: str, messages: Iterable[tuple[str, str]]
) -> bytes:
    """The bytes of an `XSpace` with these planes."""
    rest: protobuf.Message = {"hostnames": [host], "errors": [], "warnings": []}
    for field, text in messages:
        rest[field].append(text)
    planes = b"".join(
        protobuf.varint(1 << 3 | 2) + protobuf.varint(len(plane)) + plane
        for plane in found.values()
    )
    return planes + xspace.encode("XSpace", rest)
