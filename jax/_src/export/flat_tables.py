"""FlatBuffers: tables of numbered fields in bytes, read with care and written.

Only what exported programs need, without a schema compiler and without the package
`flatbuffers`: that one trusts offsets, which is right for bytes of one's own, while
exported programs are files that come from anywhere. Here each offset is held against the
bytes that are there, and the whole work against their number, so that damage ends in a
`ValueError`, never in endless or enormous work.

Format: the page "FlatBuffers Internals" of its documentation.
"""

import struct
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors, records

_U16, _U32, _I32 = struct.Struct("<H"), struct.Struct("<I"), struct.Struct("<i")


def damaged(problem: str) -> ValueError:
    """The error for bytes that are no exported program."""
    return errors.value_error(
        "These bytes are no exported program, or a damaged one.",
        [("problem", problem)],
        ways="Pass what Exported.serialize() returned, whole and unchanged.",
    )


class Reader:
    """Bytes with bounds, and how much may still be read of them.

    Parts of a buffer may be referred to more than once; without a limit few bytes could
    stand for a tree of any size.
    """

    def __init__(self, data: bytes):
        self.data = data
        self.left = 4 * len(data) + 4096

    def need(self, position: int, count: int) -> int:
        """The position, after a check that so many bytes are there."""
        self.left -= count
        if position < 0 or position + count > len(self.data):
            raise damaged(f"{count} bytes at {position} are out of bounds")
        if self.left < 0:
            raise damaged("its parts are referred to too often")
        return position

    def number(self, layout: struct.Struct, position: int) -> Any:
        """A number at a position."""
        return layout.unpack_from(self.data, self.need(position, layout.size))[0]

    def target(self, position: int) -> int:
        """Where the offset at a position leads."""
        return position + self.number(_U32, position)

    def vector(self, position: int, size: int) -> tuple[int, int]:
        """The first element of a vector and how many there are, of `size` bytes each."""
        count = self.number(_U32, position)
        return self.need(position + 4, count * size), count

    def text(self, position: int) -> str:
        """The string at a position."""
        start, count = self.vector(position, 1)
        try:
            return self.data[start : start + count].decode()
        except UnicodeDecodeError:
            raise damaged(f"the text at {position} is not UTF-8") from None

    def root(self) -> "Table":
        """The table that all others hang on."""
        return Table(self, self.target(0))


class Table:
    """A table: its fields by number. Absent fields have their default."""

    __slots__ = ("_end", "_position", "_reader", "_slots")

    def __init__(self, reader: Reader, position: int):
        start = position - reader.number(_I32, position)
        size = reader.number(_U16, start)
        extent = reader.number(_U16, start + 2)
        if size < 4 or size % 2 or extent < 4:
            raise damaged(f"the table at {position} has no list of fields")
        reader.need(start, size)
        reader.need(position, extent)
        self._reader = reader
        self._position = position
        self._end = position + extent
        self._slots = struct.unpack_from(f"<{(size - 4) // 2}H", reader.data, start + 4)

    def _field(self, slot, size):
        offset = self._slots[slot] if slot < len(self._slots) else 0
        if not offset:
            return None
        position = self._position + offset
        if offset < 4 or position + size > self._end:
            raise damaged(f"a field of the table at {self._position} is out of bounds")
        return position

    def number(self, slot: int, code: str, default: Any = 0) -> Any:
        """A number, by its code in `struct`."""
        layout = struct.Struct("<" + code)
        position = self._field(slot, layout.size)
        return default if position is None else self._reader.number(layout, position)

    def _target(self, slot):
        position = self._field(slot, 4)
        return None if position is None else self._reader.target(position)

    def text(self, slot: int) -> str:
        """A string; empty where there is none."""
        position = self._target(slot)
        return "" if position is None else self._reader.text(position)

    def data(self, slot: int) -> bytes:
        """A vector of bytes."""
        return bytes(self.numbers(slot, "B"))

    def numbers(self, slot: int, code: str) -> Sequence[int]:
        """A vector of numbers."""
        position = self._target(slot)
        if position is None:
            return ()
        start, count = self._reader.vector(position, struct.calcsize("<" + code))
        if code == "B":
            return self._reader.data[start : start + count]
        return struct.unpack_from(f"<{count}{code}", self._reader.data, start)

    def _each(self, slot, read: Callable[[int], Any]) -> list[Any]:
        position = self._target(slot)
        if position is None:
            return []
        start, count = self._reader.vector(position, 4)
        return [read(self._reader.target(start + 4 * i)) for i in range(count)]

    def texts(self, slot: int) -> list[str]:
        """A vector of strings."""
        return self._each(slot, self._reader.text)

    def tables(self, slot: int) -> list["Table"]:
        """A vector of tables."""
        return self._each(slot, lambda position: Table(self._reader, position))

    def table(self, slot: int) -> "Table | None":
        """A table; None where there is none."""
        position = self._target(slot)
        return None if position is None else Table(self._reader, position)

    def has(self, slot: int) -> bool:
        """Whether the field is there."""
        return self._field(slot, 1) is not None


@records.record
class Number:
    """A number of up to 4 bytes, by its code in `struct`; zeros are left out."""

    code: str
    value: int


@records.record
class Numbers:
    """A vector of numbers."""

    code: str
    values: tuple[int, ...]


def write(root: dict[int, Any]) -> bytes:
    """The bytes of a table.

    Args:
        root: values by the number of their field: `Number`, `Numbers`, strings, bytes,
            dictionaries (tables), or lists of strings or of dictionaries. None: absent.
    """
    out = bytearray(4)
    # Offsets lead forwards, so what is referred to is written later.
    waiting: list[tuple[int, Any]] = [(0, root)]
    for offset, value in waiting:
        start = _WRITERS[type(value)](out, value, waiting)
        _U32.pack_into(out, offset, start - offset)
    return bytes(out)


def _align(out, size, ahead=0):
    """Pads so that what stands `ahead` bytes further on is aligned."""
    out += bytes(-(len(out) + ahead) % size)


def _write_table(out, fields, waiting):
    sized = []
    for slot, value in fields.items():
        if value is None or (isinstance(value, Number) and not value.value):
            continue
        code = value.code if isinstance(value, Number) else "I"
        sized.append((struct.calcsize("<" + code), slot, code, value))
    # Larger ones first: then each is aligned if the first one is.
    sized.sort(key=lambda entry: (-entry[0], entry[1]))
    count = max([slot + 1 for _, slot, _, _ in sized], default=0)
    extent = 4 + sum(entry[0] for entry in sized)
    slots = [0] * count
    offset = 4
    for size, slot, _, _ in sized:
        slots[slot] = offset
        offset += size
    _align(out, 4, 4 + 2 * count)
    start = len(out)
    out += struct.pack(f"<HH{count}H", 4 + 2 * count, extent, *slots)
    table = len(out)
    out += _I32.pack(table - start)
    for _, _, code, value in sized:
        if isinstance(value, Number):
            out += struct.pack("<" + code, value.value)
        else:
            waiting.append((len(out), value))
            out += bytes(4)
    return table


def _write_bytes(out, value, waiting):
    _align(out, 4)
    start = len(out)
    out += _U32.pack(len(value)) + value + b"\0"
    return start


def _write_numbers(out, value, waiting):
    _align(out, 4)
    start = len(out)
    out += struct.pack(
        f"<I{len(value.values)}{value.code}", len(value.values), *value.values
    )
    return start


def _write_list(out, value, waiting):
    _align(out, 4)
    start = len(out)
    out += _U32.pack(len(value))
    for item in value:
        waiting.append((len(out), item))
        out += bytes(4)
    return start


_WRITERS: dict[type, Callable[[bytearray, Any, list], int]] = {
    dict: _write_table,
    list: _write_list,
    bytes: _write_bytes,
    str: lambda out, value, waiting: _write_bytes(out, value.encode(), waiting),
    Numbers: _write_numbers,
}
