"""Messages in the wire format of protocol buffers: dataclasses whose fields say their numbers.

A reader trusts nothing: sizes, counts and depth have limits, unknown fields are skipped, and anything else
that does not fit is a `Malformed`, whatever the bytes are.
"""

import dataclasses
import functools
import struct
from typing import Any, NamedTuple

# A value of the key-value store may have 4 MiB; the rest is for keys and texts.
MAX_MESSAGE_BYTES = (4 << 20) + (64 << 10)
MAX_REPEATED = 1 << 16
MAX_DEPTH = 8
_MAX_FIELD_NUMBER = (1 << 29) - 1
_WORD = 1 << 64

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
# By the kind of a field, how its values are laid out.
_LAYOUT = {
    "int": _VARINT,
    "bool": _VARINT,
    "fixed64": _FIXED64,
    "text": _BYTES,
    "bytes": _BYTES,
}
_EMPTY = {"int": 0, "bool": False, "fixed64": 0, "text": "", "bytes": b""}


class Malformed(ValueError):
    """Bytes that are no message of the wanted kind."""


class _Field(NamedTuple):
    name: str
    number: int
    kind: Any
    is_repeated: bool

    @property
    def layout(self) -> int:
        return _LAYOUT.get(self.kind, _BYTES)


class Message:
    """A message: a dataclass whose fields are made by `field` and `repeated`.

    A class becomes one when it is first used, and shares these methods: fifty classes with methods made for
    each take 8 ms, and a program uses ten of them.
    """

    def __init__(self, *values: Any, **named: Any):
        names, lists = _names(type(self))
        state = self.__dict__
        for name in lists:
            state[name] = []
        if len(values) > len(names):
            raise TypeError(f"{type(self).__name__} has {len(names)} fields.")
        # What is not given is found in the class.
        state.update(zip(names, values, strict=False))
        for name, value in named.items():
            if name not in names or name in names[: len(values)]:
                text = f"{type(self).__name__} has no {name}, or has it twice."
                raise TypeError(text)
            state[name] = value

    def __eq__(self, other: object) -> Any:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, n) == getattr(other, n) for n in _names(type(self))[0])

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        said = (f"{n}={getattr(self, n)!r}" for n in _names(type(self))[0])
        return f"{type(self).__name__}({', '.join(said)})"


def fields(message: type) -> tuple[dataclasses.Field, ...]:
    """The fields of a message, in order."""
    if not dataclasses.is_dataclass(message):
        # With a text there, none is made from a signature.
        message.__doc__ = message.__doc__ or "A message."
        dataclasses.dataclass(init=False, repr=False, eq=False)(message)
    return dataclasses.fields(message)


@functools.cache
def _names(message: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the fields, and of those that hold lists."""
    rows = fields(message)
    lists = tuple(f.name for f in rows if f.metadata["repeated"])
    return tuple(f.name for f in rows), lists


def field(number: int, kind: Any) -> Any:
    """A field of a message.

    Args:
        number: its number on the wire.
        kind: ``"int"`` (64 bits, signed), ``"bool"``, ``"fixed64"`` (unsigned), ``"text"``, ``"bytes"``, or
            the class of a message.
    """
    meta = {"number": number, "kind": kind, "repeated": False}
    if isinstance(kind, str):
        return dataclasses.field(default=_EMPTY[kind], metadata=meta)
    return dataclasses.field(default=None, metadata=meta)


def repeated(number: int, kind: Any) -> Any:
    """A field that holds a list. Kinds as for `field`."""
    meta = {"number": number, "kind": kind, "repeated": True}
    return dataclasses.field(default_factory=list, metadata=meta)


@functools.cache
def _fields(message: type) -> dict[int, _Field]:
    rows = [
        _Field(f.name, f.metadata["number"], f.metadata["kind"], f.metadata["repeated"])
        for f in fields(message)
    ]
    return {row.number: row for row in rows}


def encode(message: Any) -> bytes:
    """The bytes of a message. Fields that hold the empty value are left out."""
    out = bytearray()
    for row in _fields(type(message)).values():
        value = getattr(message, row.name)
        if row.is_repeated:
            for item in value:
                _put(out, row, item)
        elif value or (value is not None and not isinstance(row.kind, str)):
            _put(out, row, value)
    return bytes(out)


def _put(out: bytearray, row: _Field, value: Any) -> None:
    _put_varint(out, row.number << 3 | row.layout)
    if row.layout == _VARINT:
        _put_varint(out, int(value) % _WORD)
    elif row.layout == _FIXED64:
        out += struct.pack("<Q", value)
    else:
        if row.kind == "text":
            value = value.encode()
        elif row.kind != "bytes":
            value = encode(value)
        _put_varint(out, len(value))
        out += value


def _put_varint(out: bytearray, value: int) -> None:
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def decode(message: type, data: bytes) -> Any:
    """The message that the bytes hold.

    Raises:
        Malformed: they hold none, or one beyond the limits.
    """
    if len(data) > MAX_MESSAGE_BYTES:
        raise Malformed(f"a message of {len(data)} bytes; {MAX_MESSAGE_BYTES} may be")
    return _decode(message, memoryview(data), MAX_DEPTH)


def _decode(message: type, data: memoryview, depth: int) -> Any:
    if depth == 0:
        raise Malformed(f"messages are nested more than {MAX_DEPTH} deep")
    rows = _fields(message)
    result = message()
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, layout = key >> 3, key & 7
        if not 0 < number <= _MAX_FIELD_NUMBER:
            raise Malformed(f"field number {number}")
        row = rows.get(number)
        raw, at = _raw(data, at, layout)
        if row is None:
            continue
        if row.is_repeated:
            _extend(getattr(result, row.name), row, layout, raw, depth)
        else:
            setattr(result, row.name, _value(row, layout, raw, depth))
    return result


def _extend(items: list, row: _Field, layout: int, raw: Any, depth: int) -> None:
    if layout == _BYTES and row.layout != _BYTES:
        # Numbers may come packed into one run of bytes.
        at = 0
        while at < len(raw) and len(items) < MAX_REPEATED:
            value, at = _raw(raw, at, row.layout)
            items.append(_value(row, row.layout, value, depth))
        if at < len(raw):
            raise Malformed(f"{row.name} has more than {MAX_REPEATED} items")
        return
    if len(items) >= MAX_REPEATED:
        raise Malformed(f"{row.name} has more than {MAX_REPEATED} items")
    items.append(_value(row, layout, raw, depth))


def _value(row: _Field, layout: int, raw: Any, depth: int) -> Any:
    if layout != row.layout:
        raise Malformed(f"{row.name} has layout {layout} instead of {row.layout}")
    if row.kind == "int":
        return raw - _WORD if raw >> 63 else raw
    if row.kind == "bool":
        return raw != 0
    if row.kind == "fixed64":
        return raw
    if row.kind == "bytes":
        return bytes(raw)
    if row.kind == "text":
        try:
            return str(raw, "utf-8")
        except UnicodeDecodeError:
            raise Malformed(f"{row.name} is no UTF-8 text") from None
    return _decode(row.kind, raw, depth - 1)


def _raw(data: memoryview, at: int, layout: int) -> tuple[Any, int]:
    """The value of this layout at an offset, and the offset behind it."""
    if layout == _VARINT:
        return _varint(data, at)
    if layout == _FIXED64:
        end = at + 8
        _within(data, end)
        return struct.unpack_from("<Q", data, at)[0], end
    if layout == _FIXED32:
        end = at + 4
        _within(data, end)
        return struct.unpack_from("<I", data, at)[0], end
    if layout == _BYTES:
        size, at = _varint(data, at)
        _within(data, at + size)
        return data[at : at + size], at + size
    raise Malformed(f"layout {layout}")


def _within(data: memoryview, end: int) -> None:
    if end > len(data):
        raise Malformed(f"{end - len(data)} bytes are missing")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise Malformed("a number is cut off")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >= _WORD:
                break
            return value, at
    raise Malformed("a number of more than 64 bits")
