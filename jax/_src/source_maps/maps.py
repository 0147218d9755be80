"""Source maps: the third revision of the format that browsers read.

A line of generated code has segments: the column, the number of the source, its line and
its column, all from 0, each as the difference from the segment before; columns of the
generated code start anew on each line.
"""

import json
from collections.abc import Sequence

from jax._src.base import errors, records

Segment = tuple[int, ...]
Mappings = Sequence[Sequence[Segment]]

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def _encoded(number):
    """A number in digits of five bits, the sign in the lowest of the first."""
    rest = (-number << 1) | 1 if number < 0 else number << 1
    text = ""
    while True:
        digit, rest = rest & 31, rest >> 5
        text += _DIGITS[digit | (32 if rest else 0)]
        if not rest:
            return text


def _decoded(text):
    numbers, value, shift = [], 0, 0
    for letter in text:
        digit = _DIGITS.find(letter)
        if digit < 0:
            raise errors.value_error(
                "SourceMap.from_json: the mappings hold what is no digit.",
                [("segment", repr(text))],
            )
        value |= (digit & 31) << shift
        shift += 5
        if not digit & 32:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return tuple(numbers)


@records.record
class SourceMap:
    """Where the lines of generated code come from."""

    version: int
    sources: Sequence[str]
    sources_content: Sequence[str]
    names: Sequence[str]
    # Per line of the generated code, its segments.
    mappings: Mappings

    def to_json(self) -> str:
        """The map as JSON."""
        lines = [
            ",".join("".join(map(_encoded, segment)) for segment in line)
            for line in self.mappings
        ]
        return json.dumps(
            {
                "version": self.version,
                "sources": self.sources,
                "sourcesContent": self.sources_content,
                "names": self.names,
                "mappings": ";".join(lines),
            }
        )

    @classmethod
    def from_json(cls, json_data: str) -> "SourceMap":
        """The map of JSON.

        Raises:
            ValueError: it is of another version, or its mappings are damaged.
        """
        data = json.loads(json_data)
        if data.get("version") != 3:
            raise errors.value_error(
                "SourceMap.from_json: another version of the format.",
                [("version", str(data.get("version")))],
                "Version 3 is read.",
            )
        lines = data["mappings"].split(";")
        mappings = [[_decoded(s) for s in line.split(",") if s] for line in lines]
        content = data.get("sourcesContent", [])
        return cls(3, data["sources"], content, data["names"], mappings)


class MappingsGenerator:
    """Collects segments, which are given as they are, line by line."""

    def __init__(self) -> None:
        self._groups: list[list[Segment]] = []
        self._last = [0, 0, 0, 0, 0]

    def new_group(self) -> None:
        """Begins a line of the generated code."""
        self._groups.append([])
        self._last[0] = 0

    def new_segment(self, *seg: int) -> None:
        """Adds a segment to the line: column, source, line, column, name.

        Raises:
            ValueError: no line was begun.
        """
        if not self._groups:
            raise ValueError("MappingsGenerator: call new_group before new_segment.")
        pairs = zip(seg, self._last, strict=False)
        self._groups[-1].append(tuple(new - old for new, old in pairs))
        self._last[: len(seg)] = seg

    def mappings(self) -> Mappings:
        """What was collected."""
        return self._groups
