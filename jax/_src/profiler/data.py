"""Profiles as objects: planes of a host or device, lines of a thread, events on them."""

import os
from collections.abc import Iterator
from typing import Any, NoReturn

from jax._src.base import errors, protobuf
from jax._src.profiler import xspace

# Numbers of the fields that may be long.
_SPACE_PLANES, _PLANE_LINES, _LINE_EVENTS, _EVENT_STATS = 1, 3, 4, 4


class _Names:
    """The names of a plane's events and stats, by number."""

    def __init__(self, plane: protobuf.Message):
        self.metadata = {
            e.get("key", 0): e.get("value", {}) for e in plane.get("event_metadata", [])
        }
        self.stats = _by_key(plane.get("stat_metadata", []))

    def values(self, stats: list[protobuf.Message]) -> Iterator[tuple[str, Any]]:
        """The name and value of each stat."""
        for stat in stats:
            yield self.stats.get(stat.get("metadata_id", 0), ""), self._value(stat)

    def _value(self, stat):
        if "ref_value" in stat:
            return self.stats.get(stat["ref_value"], "")
        for field in ("int64_value", "uint64_value", "double_value", "str_value"):
            if field in stat:
                return stat[field]
        return stat.get("bytes_value", b"").decode("utf-8", "replace")


def _require(function, name, value, kinds):
    if not isinstance(value, kinds):
        kinds = kinds if isinstance(kinds, tuple) else (kinds,)
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise errors.type_error(
            f"{function}: incompatible function arguments.",
            [(name, repr(value)[:80]), ("type", type(value).__name__)],
            f"It is a {wanted}.",
        )


def _parse(kind, content, field=0):
    """A message without one of its fields, and that field's values, not decoded."""
    try:
        rest, found = xspace.split(content, field) if field else (content, [])
        return xspace.decode(kind, rest), found
    except ValueError as error:
        raise RuntimeError(f"Failed to parse XSpace from array. {error}") from None


def _by_key(entries):
    return {e.get("key", 0): e.get("value", {}).get("name", "") for e in entries}


class ProfileEvent:
    """A span of time on a line."""

    def __init__(self, event: bytes, line_ns: int, names: _Names):
        # Most readers look at the stats of few events.
        self._event, self._stats = _parse("XEvent", event, _EVENT_STATS)
        self._line_ns = line_ns
        self._names = names

    @property
    def name(self) -> str:
        """The name of the event."""
        return self._metadata.get("name", "")

    @property
    def _metadata(self) -> protobuf.Message:
        return self._names.metadata.get(self._event.get("metadata_id", 0), {})

    @property
    def display_name(self) -> str:
        """The short name where there is one, else the name."""
        return self._metadata.get("display_name") or self.name

    @property
    def all_stats(self) -> Iterator[tuple[str, Any]]:
        """The stats of the event, and those of its kind."""
        yield from self.stats
        yield from self._names.values(self._metadata.get("stats", []))

    @property
    def start_ps(self) -> int:
        """The beginning, in picoseconds."""
        return self._line_ns * 1000 + self._event.get("offset_ps", 0)

    @property
    def duration_ps(self) -> int:
        """The duration, in picoseconds."""
        return self._event.get("duration_ps", 0)

    @property
    def start_ns(self) -> float:
        """The beginning, in nanoseconds; whole ones."""
        return float(self._line_ns + self._event.get("offset_ps", 0) // 1000)

    @property
    def duration_ns(self) -> float:
        """The duration, in nanoseconds; whole ones."""
        return float(self._event.get("duration_ps", 0) // 1000)

    @property
    def end_ns(self) -> float:
        """The end, in nanoseconds."""
        return self.start_ns + self.duration_ns

    @property
    def stats(self) -> Iterator[tuple[str, Any]]:
        """The name and value of each stat of the event itself."""
        return self._names.values([_parse("XStat", stat)[0] for stat in self._stats])


class ProfileLine:
    """The events of one thread, or of one part of a device."""

    def __init__(self, line: bytes, names: _Names):
        # Events are decoded when somebody looks at them: there may be millions.
        self._line, self._events = _parse("XLine", line, _LINE_EVENTS)
        self._names = names

    @property
    def id(self) -> int:
        """The number of the line, in most cases that of a thread."""
        return self._line.get("id", 0)

    @property
    def name(self) -> str:
        """The name of the line."""
        return self._line.get("name", "")

    @property
    def events(self) -> Iterator[ProfileEvent]:
        """The events, in the order of the file."""
        start = self._line.get("timestamp_ns", 0)
        for event in self._events:
            yield ProfileEvent(event, start, self._names)


class ProfilePlane:
    """What one host or device did."""

    def __init__(self, plane: bytes):
        self._plane, self._lines = _parse("XPlane", plane, _PLANE_LINES)
        self._names = _Names(self._plane)

    @property
    def name(self) -> str:
        """The name of the plane, such as ``/host:CPU``."""
        return self._plane.get("name", "")

    @property
    def lines(self) -> Iterator[ProfileLine]:
        """The lines, in the order of the file."""
        for line in self._lines:
            yield ProfileLine(line, self._names)

    @property
    def stats(self) -> Iterator[tuple[str, Any]]:
        """The name and value of each stat of the plane."""
        return self._names.values(self._plane.get("stats", []))


class ProfileData:
    """A profile: what hosts and devices did while it was taken.

    Args:
        serialized_xspace: the bytes of an ``XSpace``.

    Raises:
        RuntimeError: the bytes are none.
        TypeError: it is no bytes.
    """

    def __init__(self, serialized_xspace: bytes, /):
        _require("ProfileData", "serialized_xspace", serialized_xspace, bytes)
        _, found = _parse("XSpace", serialized_xspace, _SPACE_PLANES)
        self._planes = [ProfilePlane(plane) for plane in found]
        self.serialized = serialized_xspace

    @staticmethod
    def from_file(path: str | os.PathLike) -> "ProfileData":
        """The profile of a file ``….xplane.pb``.

        Raises:
            JaxRuntimeError: there is no such file, or it cannot be read.
            RuntimeError: it is no profile.
            TypeError: it is no path.
        """
        _require("ProfileData.from_file", "path", path, (str, os.PathLike))
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            code = "NOT_FOUND" if missing else "FAILED_PRECONDITION"
            raise errors.JaxRuntimeError(
                f"{code}: {os.fspath(path)}; {error.strerror}"
            ) from None
        return ProfileData.from_serialized_xspace(data)

    @staticmethod
    def from_serialized_xspace(serialized_xspace: bytes) -> "ProfileData":
        """The profile of the bytes of an ``XSpace``.

        Raises:
            RuntimeError: the bytes are none.
        """
        return ProfileData(serialized_xspace)

    @staticmethod
    def from_raw_cpp_ptr(capsule: Any, /) -> NoReturn:
        """Refuses a profile that another library holds in memory of its own.

        Args:
            capsule: a pointer to an ``XSpace`` of C++.

        Raises:
            TypeError: always; the message names what is read here.
        """
        raise errors.type_error(
            "ProfileData.from_raw_cpp_ptr: incompatible function arguments.",
            [("capsule", type(capsule).__name__)],
            "Objects of another library's C++ classes have no layout that is known.",
            "Serialize the XSpace there, and give from_serialized_xspace the bytes.",
        )

    @staticmethod
    def from_text_proto(text_proto: str) -> "ProfileData":
        """The profile of an ``XSpace`` in text form.

        Raises:
            ValueError: the text is none.
        """
        return ProfileData(ProfileData.text_proto_to_serialized_xspace(text_proto))

    @staticmethod
    def text_proto_to_serialized_xspace(text_proto: str) -> bytes:
        """The bytes of an ``XSpace`` in text form.

        Raises:
            ValueError: the text is none.
        """
        _require("ProfileData", "text_proto", text_proto, str)
        return xspace.encode("XSpace", xspace.from_text(text_proto))

    @property
    def planes(self) -> Iterator[ProfilePlane]:
        """The planes, in the order of the file."""
        return iter(self._planes)

    def find_plane_with_name(self, name: str) -> ProfilePlane | None:
        """The first plane of this name; None if there is none."""
        return next((plane for plane in self._planes if plane.name == name), None)
