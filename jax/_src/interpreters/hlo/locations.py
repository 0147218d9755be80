"""Source locations of MLIR operations as the metadata of HLO instructions."""

import re
from typing import Any, NamedTuple

from jax._src.interpreters.hlo.messages import Message


class _Frame(NamedTuple):
    """A line of a function."""

    function: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int


_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_POSITION = re.compile(r":(\d+):(\d+)(?: to (\d*):(\d+))?")


class _Parser:
    """Reads the text of a location.

    A location is a name with one inside, a file with a position, a call site, a list of
    locations that were fused, or unknown.
    """

    def __init__(self, text: str):
        self.text = text
        self.at = 0
        self.op_name = ""
        # From the innermost call to the outermost one.
        self.frames: list[_Frame] = []

    def read(self, function: str = "") -> None:
        """Reads one location."""
        if self.skip("callsite("):
            self.read(function)
            self.skip(" at ")
            self.read("")
            self.skip(")")
        elif self.skip("fused"):
            self.read_fused(function)
        elif match := _TEXT.match(self.text, self.at):
            self.at = match.end()
            self.read_named(match.group(1), function)
        else:
            self.at = len(self.text)

    def read_named(self, text: str, function: str) -> None:
        """Reads what follows a text: a position, if the text names a file, or a location."""
        if match := _POSITION.match(self.text, self.at):
            self.at = match.end()
            line, column, end_line, end_column = match.groups()
            span = (
                int(line),
                int(column),
                int(end_line or line),
                int(end_column or column),
            )
            self.frames.append(_Frame(function, text, *span))
            return
        has_inner = self.skip("(")
        # The first name is that of the operation, further ones are of functions.
        if not self.op_name and not self.frames:
            self.op_name = text
            text = ""
        if has_inner:
            self.read(text or function)
            self.skip(")")

    def read_fused(self, function: str) -> None:
        """Reads the first of several locations."""
        if self.skip("<"):
            while self.at < len(self.text) and not self.skip(">"):
                self.at += 1
        self.skip("[")
        self.read(function)
        self.at = len(self.text)

    def skip(self, text: str) -> bool:
        """Steps over `text` if it comes next."""
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False


class FrameTable:
    """The files, functions and calls that instructions of a module come from."""

    def __init__(self) -> None:
        self._known: dict[Any, Message] = {}
        self._files: dict[str, int] = {}
        self._functions: dict[str, int] = {}
        self._locations: dict[_Frame, int] = {}
        self._frames: dict[tuple[int, int], int] = {}

    @property
    def has_frames(self) -> bool:
        """Whether some instruction has a source line."""
        return bool(self._frames)

    def metadata(self, location: Any) -> Message:
        """The `OpMetadata` of an instruction.

        Args:
            location: of the operation that it comes from.
        """
        found = self._known.get(location)
        if found is None:
            found = self._known[location] = self._read(str(location))
        return found

    def _read(self, text):
        parser = _Parser(text.removeprefix("loc(").removesuffix(")"))
        parser.read()
        found: Message = {}
        if parser.op_name:
            found["op_name"] = parser.op_name
        parent = 0
        for frame in reversed(parser.frames):
            file = _number(self._files, frame.file)
            function = _number(self._functions, frame.function)
            assert file and function
            key = (_number(self._locations, frame), parent)
            parent = _number(self._frames, key)
        if parent:
            found["stack_frame_id"] = parent
        return found

    def message(self) -> Message:
        """The tables as a `StackFrameIndexProto`."""
        return {
            "file_names": list(self._files),
            "function_names": list(self._functions),
            "file_locations": [
                {
                    "file_name_id": self._files[f.file],
                    "function_name_id": self._functions[f.function],
                    "line": f.line,
                    "column": f.column,
                    "end_line": f.end_line,
                    "end_column": f.end_column,
                }
                for f in self._locations
            ],
            "stack_frames": [
                {"file_location_id": location, "parent_frame_id": parent}
                for location, parent in self._frames
            ],
        }


def _number(table: dict[Any, int], key: Any) -> int:
    """The number of a key, counted from 1 in the order of first use."""
    return table.setdefault(key, len(table) + 1)
