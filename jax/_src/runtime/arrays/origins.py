"""Where arrays were made, and what holds them: `jax.live_arrays(origins=True)`."""

from collections.abc import Iterable, Sequence
from typing import Any

from jax._src.base import holders, records, source
from jax._src.lib import client
from jax._src.runtime import tokens

# How many arrays are in the table of an error.
_MOST_IN_ERRORS = 8


@records.identity_record
class LiveArray:
    """An array that is alive: what it takes, where it was made, and what holds it."""

    dtype: Any
    shape: tuple[int, ...]
    # Of all its pieces on devices of this process.
    nbytes: int
    # As `str(device)`, in order.
    devices: tuple[str, ...]
    # The user's line that made it, as "train.py:12 in `step`", and its text.
    made_at: str
    line: str
    # The user's frames, innermost first.
    frames: tuple[source.Frame, ...]
    # The names that keep it alive, as "`state['w']`, global of `__main__`".
    holders: tuple[str, ...]

    def __repr__(self) -> str:
        return " · ".join(filter(None, _row(self)))


class LiveArrays(Sequence):
    """Arrays that are alive, the largest first. Its `repr` is a table."""

    def __init__(self, arrays: Iterable[LiveArray]):
        self._arrays = tuple(arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __getitem__(self, index: Any) -> Any:
        found = self._arrays[index]
        return LiveArrays(found) if isinstance(index, slice) else found

    @property
    def nbytes(self) -> int:
        """The bytes of all."""
        return sum(one.nbytes for one in self)

    def __repr__(self) -> str:
        plural = "" if len(self) == 1 else "s"
        head = f"{len(self)} live array{plural}, {size_of(self.nbytes)}"
        if not self:
            return head
        rows = [("bytes", "array", "made at", "line", "held by"), *map(_row, self)]
        return "\n".join([head, *_table(rows)])


def size_of(count: float) -> str:
    """A number of bytes, as messages have it."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    raise AssertionError


def _row(one):
    kind = f"{one.dtype}[{','.join(map(str, one.shape))}]"
    if len(one.devices) > 1:
        kind += f" on {len(one.devices)} devices"
    line = one.line if len(one.line) <= 48 else one.line[:45] + "..."
    return size_of(one.nbytes), kind, one.made_at, line, "; ".join(one.holders)


def _table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    for row in rows:
        first = row[0].rjust(widths[0])
        rest = [cell.ljust(w) for cell, w in zip(row[1:], widths[1:], strict=False)]
        yield "  ".join([first, *rest, row[-1]]).rstrip()


def frames_of(array: Any) -> tuple[source.Frame, ...]:
    """The user's frames that made an array, innermost first, as many as locations have."""
    frames = [
        source.Frame(file, line, line, 0, 0, function)
        for file, function, line, _ in client.origin_of(array)
        if not source.is_internal(file)
    ]
    return tuple(frames[: source.FRAME_LIMIT])


def bytes_of(array: Any) -> int:
    """What an array takes on devices of this process."""
    if len(array.sharding.device_set) == 1:
        return array.nbytes
    return sum(shard.data.nbytes for shard in array.addressable_shards)


def describe(arrays: Sequence[Any], ignored: Sequence[Any] = ()) -> LiveArrays:
    """What is known about arrays, the largest first; who holds them but for `ignored`.

    The runtime's own are left out.
    """
    mine = [array for array in arrays if not tokens.is_token(array)]
    largest = sorted(mine, key=bytes_of, reverse=True)
    held = holders.holders_of(largest, [arrays, *ignored])
    return LiveArrays(map(_described, largest, held))


def _described(array, held):
    frames = frames_of(array)
    return LiveArray(
        dtype=array.dtype,
        shape=array.shape,
        nbytes=bytes_of(array),
        devices=tuple(sorted(map(str, array.sharding.device_set))),
        made_at=source.Location.text_of(frames[0]) if frames else "",
        line=source.source_line(frames[0]) if frames else "",
        frames=frames,
        holders=tuple(map(str, held)),
    )


def table_of_largest() -> str:
    """The largest arrays that are alive, for errors about memory that is used up."""
    arrays = client.live_arrays()
    largest = sorted(arrays, key=bytes_of, reverse=True)[:_MOST_IN_ERRORS]
    if not largest:
        return ""
    rows = [_row(one) for one in describe(largest, [arrays])]
    lines = [*_table([("bytes", "array", "made at", "line", "held by"), *rows])]
    if len(arrays) > len(largest):
        total = size_of(sum(map(bytes_of, arrays)))
        lines.append(f"in all {len(arrays)} arrays, {total}")
    return "\n".join(f"  {line}" for line in lines)
