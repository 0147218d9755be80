"""Protocol buffers as dictionaries: bytes to and from the fields of messages.

A message is a dictionary from field names to values; a field at its default is absent.
Values are numbers, texts, bytes, dictionaries for messages, and lists of these for repeated
fields. Fields that a schema does not name are dropped when bytes are read.

Source: the page "Encoding" of the documentation of Protocol Buffers.
"""

import struct
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from jax._src.base import errors

Message = dict[str, Any]


def varint(value: int) -> bytes:
    """A whole number in groups of seven bits; negative ones are of 64 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The whole number that starts at a position, and the position behind it.

    Raises:
        IndexError: the bytes end before it does.
        ValueError: it has more than 64 bits.
    """
    value = data[at]
    if value < 128:
        return value, at + 1  # most numbers are of one byte
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & ((1 << 64) - 1), at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")


def fields_of(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a message: number and value, bytes unless it is a whole number.

    Raises:
        IndexError: the bytes end within a field's number.
        ValueError: the message is malformed.
    """
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 == 0:
            value, at = read_varint(data, at)
            yield tag >> 3, value
            continue
        if tag & 7 == 2:
            size, at = read_varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(tag & 7, -1)
        if size < 0:
            raise ValueError(f"a field of wire type {tag & 7}")
        if at + size > len(data):
            raise ValueError("a field ends after the message")
        yield tag >> 3, data[at : at + size]
        at += size


def packed_numbers(data: bytes) -> list[int]:
    """The whole numbers of a repeated field that stand side by side, without tags."""
    found, at = [], 0
    while at < len(data):
        number, at = read_varint(data, at)
        found.append(number)
    return found


class Field(NamedTuple):
    """How one field is written."""

    name: str
    number: int
    kind: str
    is_repeated: bool


def _fields(table):
    found = []
    for entry in table.split():
        name, _, rest = entry.partition("=")
        number, _, kind = rest.partition(":")
        found.append(
            Field(name, int(number), kind.removeprefix("*"), kind.startswith("*"))
        )
    return found


_PACKED = {"float": "<f", "double": "<d"}
_VARINTS = ("int", "uint", "bool")


class Schema:
    """The messages of a format.

    Args:
        tables: for each message the text of its fields, ``name=number:type``. Types are
            ``int``, ``uint``, ``bool``, ``float``, ``double``, ``text``, ``bytes`` and the
            names of messages; ``*`` marks a repeated field.
    """

    def __init__(self, tables: Mapping[str, str]):
        self._fields = {message: _fields(table) for message, table in tables.items()}
        self._by_number = {
            message: {field.number: field for field in fields}
            for message, fields in self._fields.items()
        }

    def fields(self, kind: str) -> list[Field]:
        """The fields of a message, in the order of its table."""
        return self._fields[kind]

    def encode(self, kind: str, message: Message) -> bytes:
        """The bytes of a message.

        Args:
            kind: the name of the message.
            message: its fields.
        """
        out = bytearray()
        known = 0
        for field in self._fields[kind]:
            value = message.get(field.name)
            if value is None:
                continue
            known += 1
            if field.is_repeated:
                self._encode_repeated(out, field, value)
            else:
                self._encode_one(out, field, value)
        if known != sum(v is not None for v in message.values()):
            raise ValueError(f"{kind} has not all of the fields {', '.join(message)}")
        return bytes(out)

    def _encode_repeated(self, out, field, values):
        if field.kind in _VARINTS:
            if values:
                _chunk(out, field.number, b"".join(varint(int(v)) for v in values))
        elif field.kind in _PACKED:
            if values:
                code = f"<{len(values)}{_PACKED[field.kind][1]}"
                _chunk(out, field.number, struct.pack(code, *values))
        else:
            for value in values:
                self._encode_one(out, field, value)

    def _encode_one(self, out, field, value):
        if field.kind in _VARINTS:
            out += varint(field.number << 3) + varint(int(value))
        elif field.kind in _PACKED:
            wire = 5 if field.kind == "float" else 1
            out += varint(field.number << 3 | wire)
            out += struct.pack(_PACKED[field.kind], value)
        elif field.kind == "text":
            _chunk(out, field.number, value.encode("utf-8", "surrogateescape"))
        elif field.kind == "bytes":
            _chunk(out, field.number, value)
        else:
            _chunk(out, field.number, self.encode(field.kind, value))

    def decode(self, kind: str, data: bytes) -> Message:
        """The fields of a message.

        Args:
            kind: the name of the message.
            data: its bytes.

        Raises:
            ValueError: the bytes are no such message.
        """
        try:
            return self._decode(kind, data)
        except (IndexError, struct.error, RecursionError, ValueError) as error:
            raise errors.value_error(
                f"The bytes are no {kind}.",
                [("size", f"{len(data)} bytes"), ("found", str(error))],
                "They are a protocol buffer of that type.",
            ) from error

    def _decode(self, kind, data):
        by_number = self._by_number[kind]
        message: Message = {}
        for number, value in fields_of(data):
            field = by_number.get(number)
            if field is None:
                continue
            if type(value) is int and field.kind in _VARINTS and not field.is_repeated:
                message[field.name] = _number(field.kind, value)
            elif field.is_repeated:
                message.setdefault(field.name, []).extend(self._values(field, value))
            else:
                *_, message[field.name] = self._values(field, value)
        return message

    def _values(self, field, value) -> Iterator[Any]:
        """The values of a field as one piece of the bytes states them."""
        if isinstance(value, int):
            if field.kind not in _VARINTS:
                raise ValueError(f"field {field.name} is no whole number")
            yield _number(field.kind, value)
        elif field.kind in _VARINTS:
            yield from (_number(field.kind, v) for v in packed_numbers(value))
        elif field.kind in _PACKED:
            yield from (v for (v,) in struct.iter_unpack(_PACKED[field.kind], value))
        elif field.kind == "text":
            yield bytes(value).decode("utf-8", "surrogateescape")
        elif field.kind == "bytes":
            yield bytes(value)
        else:
            yield self._decode(field.kind, value)


def _chunk(out, number, data):
    out += varint(number << 3 | 2) + varint(len(data)) + data


def _number(kind, value):
    if kind == "bool":
        return bool(value)
    return value - (1 << 64) if kind == "int" and value >> 63 else value
