"""The message `XSpace`, in which profiles are stored, as bytes and as text.

Source: TensorFlow's `xplane.proto`, and the text format of Protocol Buffers.
"""

import ast
import re
from typing import Any

from jax._src.base import errors, protobuf

_TABLES = {
    "XSpace": "planes=1:*XPlane errors=2:*text warnings=3:*text hostnames=4:*text",
    "XPlane": """
        id=1:int name=2:text lines=3:*XLine event_metadata=4:*EventMetadataEntry
        stat_metadata=5:*StatMetadataEntry stats=6:*XStat
    """,
    "XLine": """
        id=1:int name=2:text timestamp_ns=3:int events=4:*XEvent duration_ps=9:int
        display_id=10:int display_name=11:text
    """,
    "XEvent": """
        metadata_id=1:int offset_ps=2:int duration_ps=3:int stats=4:*XStat
        num_occurrences=5:int
    """,
    "XStat": """
        metadata_id=1:int double_value=2:double uint64_value=3:uint int64_value=4:int
        str_value=5:text bytes_value=6:bytes ref_value=7:uint
    """,
    "EventMetadataEntry": "key=1:int value=2:XEventMetadata",
    "StatMetadataEntry": "key=1:int value=2:XStatMetadata",
    "XEventMetadata": """
        id=1:int name=2:text metadata=3:bytes display_name=4:text stats=5:*XStat
        child_id=6:*int
    """,
    "XStatMetadata": "id=1:int name=2:text description=3:text",
}
_SCHEMA = protobuf.Schema(_TABLES)
encode = _SCHEMA.encode
decode = _SCHEMA.decode


def split(data: bytes, field: int) -> tuple[bytes, list[bytes]]:
    """A message without one of its repeated fields, and that field's values, not decoded.

    Raises:
        ValueError: the bytes are no message, or the field has no bytes.
    """
    rest, found, at = bytearray(), [], 0
    try:
        while at < len(data):
            start = at
            tag, at = protobuf.read_varint(data, at)
            if tag & 7 == 0:
                _, at = protobuf.read_varint(data, at)
            elif tag & 7 == 2:
                size, at = protobuf.read_varint(data, at)
                if at + size > len(data):
                    raise ValueError("a field ends after the message")
                at += size
                if tag >> 3 == field:
                    found.append(data[at - size : at])
                    continue
            elif tag & 7 in _FIXED:
                at += _FIXED[tag & 7]
            else:
                raise ValueError(f"a field of wire type {tag & 7}")
            if tag >> 3 == field or at > len(data):
                raise ValueError(f"field {field} is damaged")
            rest += data[start:at]
    except IndexError:
        raise ValueError("the bytes end within a field") from None
    return bytes(rest), found


_FIXED = {1: 8, 5: 4}  # bytes of a wire type
_TOKEN = re.compile(
    r"""\s*(?:\#[^\n]*\n\s*)*([A-Za-z_]\w*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
    r"""|[-+]?[\w.]+(?:[eE][-+]?\d+)?|[{}<>:;,\[\]])"""
)


class _Text:
    """Reads messages in the text format."""

    def __init__(self, text: str):
        self.tokens: list[str] = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise _unreadable(f"{text[at : at + 20]!r} at character {at}")
            self.tokens.append(match.group(1))
            at = match.end()
        self.at = 0

    def next(self) -> str:
        """The next token, which is stepped over; empty at the end."""
        token = self.peek()
        self.at += 1
        return token

    def peek(self) -> str:
        """The next token; empty at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def message(self, kind: str, end: str = "") -> protobuf.Message:
        """The fields up to the token `end`."""
        fields = {field.name: field for field in _SCHEMA.fields(kind)}
        found: protobuf.Message = {}
        while (name := self.next()) != end:
            if name not in fields:
                raise _unreadable(f"a field {name!r} in {kind}")
            field = fields[name]
            if self.peek() == ":":
                self.next()
            for value in self.values(field.kind):
                if field.is_repeated:
                    found.setdefault(name, []).append(value)
                else:
                    found[name] = value
            if self.peek() in (";", ","):
                self.next()
        return found

    def values(self, kind: str) -> list[Any]:
        """The value of a field, or the values of a list in brackets."""
        if self.peek() != "[":
            return [self.value(kind)]
        self.next()
        found = []
        while self.peek() != "]":
            found.append(self.value(kind))
            if self.peek() == ",":
                self.next()
        self.next()
        return found

    def value(self, kind: str) -> Any:
        """One value."""
        token = self.next()
        if kind in _TABLES:
            if token not in ("{", "<"):
                raise _unreadable(f"{token!r} where a message starts")
            return self.message(kind, "}" if token == "{" else ">")
        try:
            if kind in ("text", "bytes"):
                found = ast.literal_eval("b" + token)
                return found.decode() if kind == "text" else found
            return float(token) if kind == "double" else int(token, 0)
        except (ValueError, SyntaxError):
            raise _unreadable(f"{token!r} where a value of type {kind} is") from None


def _unreadable(found):
    return errors.value_error(
        "The text is no profile.",
        [("found", found)],
        "It is an XSpace in the text format of Protocol Buffers.",
    )


def from_text(text: str) -> protobuf.Message:
    """The `XSpace` of its text form.

    Raises:
        ValueError: the text is none.
    """
    return _Text(text).message("XSpace")
