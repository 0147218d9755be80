"""Shardings as compilers write them: tiles, and a permutation of devices.

Three forms of the same: `HloSharding` here, the text that programs carry
(``{devices=[4,2]<=[8]}``), and the bytes of the message `OpSharding` in which
executables report what the compiler chose.

A tiled sharding lays devices over a grid. Its first axes cut the axes of the array;
those that follow have a kind of their own: devices along them hold the same
(`REPLICATED`), or see a part each of their own (`MANUAL`), or parts that have still to
be summed (`UNREDUCED`).
"""

import dataclasses
import enum
import math
import re
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from jax._src.base import caches, errors, protobuf


class Kind(enum.IntEnum):
    """What a sharding says; the numbers are those of the message."""

    REPLICATED = 0
    MAXIMAL = 1
    TUPLE = 2
    TILED = 3
    MANUAL = 4
    UNKNOWN = 5
    UNREDUCED = 6


@dataclasses.dataclass(frozen=True, slots=True)
class HloSharding:
    """One sharding. Equal shardings divide arrays in the same way (see `placed_alike`).

    Devices are counted in the order of a device assignment. In a grid, they are either
    ``arange(n).reshape(reshape).transpose(permutation)`` or listed one by one.
    """

    kind: Kind
    # Sizes of the grid, the axes of the array first.
    tiles: tuple[int, ...] = ()
    reshape: tuple[int, ...] = ()
    permutation: tuple[int, ...] = ()
    # Instead of these two; of a maximal sharding: the one device.
    devices: tuple[int, ...] | None = None
    # The kinds of the last axes of the grid.
    last_kinds: tuple[Kind, ...] = ()
    elements: tuple["HloSharding", ...] = ()

    @property
    def ndim(self) -> int:
        """How many axes of arrays the grid speaks of."""
        return len(self.tiles) - len(self.last_kinds)

    def grid(self) -> np.ndarray:
        """The devices, in the shape of the grid."""
        if self.devices is not None:
            return np.array(self.devices, np.int64).reshape(self.tiles)
        flat = np.arange(math.prod(self.reshape)).reshape(self.reshape)
        return flat.transpose(self.permutation).reshape(self.tiles)

    def __str__(self) -> str:
        return _text(self)

    __repr__ = __str__


REPLICATED = HloSharding(Kind.REPLICATED)
MANUAL = HloSharding(Kind.MANUAL)


def iota(
    tiles: Sequence[int],
    reshape: Sequence[int],
    permutation: Sequence[int],
    last_kinds: Sequence[Kind] = (),
) -> HloSharding:
    """A tiled sharding in its shortest form; a replicated one if nothing is cut."""
    count = len(tiles) - len(last_kinds)
    merged: dict[Kind, int] = {}
    for kind, size in zip(last_kinds, tiles[count:], strict=True):
        if size > 1:
            merged[kind] = merged.get(kind, 1) * size
    cuts = tuple(tiles[:count])
    if math.prod(cuts) == 1 and set(merged) <= {Kind.REPLICATED}:
        return REPLICATED
    if math.prod(cuts) == 1 and set(merged) in ({Kind.MANUAL}, {Kind.UNREDUCED}):
        return HloSharding(next(iter(merged)))
    sizes, order = _shortest(reshape, permutation)
    return HloSharding(
        Kind.TILED,
        tiles=(*cuts, *merged.values()),
        reshape=sizes,
        permutation=order,
        last_kinds=tuple(merged),
    )


def _shortest(reshape, permutation):
    """Joins axes that a permutation keeps together, and drops axes of size 1."""
    order = [axis for axis in permutation if reshape[axis] != 1]
    runs: list[list[int]] = []
    kept = [axis for axis, size in enumerate(reshape) if size != 1]
    rank = {axis: i for i, axis in enumerate(kept)}
    for axis in order:
        if runs and rank[axis] == rank[runs[-1][-1]] + 1:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    if not runs:
        return (1,), (0,)
    by_position = sorted(runs)
    sizes = tuple(math.prod(reshape[a] for a in run) for run in by_position)
    return sizes, tuple(by_position.index(run) for run in runs)


@caches.memoize(4096)
def of_axes(
    axes: tuple[tuple[Hashable, int], ...],
    entries: tuple[tuple[Hashable, ...], ...],
    manual: frozenset = frozenset(),
    unreduced: frozenset = frozenset(),
) -> HloSharding:
    """The sharding of an array over named axes of devices.

    Args:
        axes: names and sizes, the slowest first.
        entries: per axis of the array, the names over which it is cut.
        manual: names along which programs see a part each of their own.
        unreduced: names along which parts have still to be summed.
    """
    sizes = dict(axes)
    position = {name: i for i, (name, _) in enumerate(axes)}
    used = [name for entry in entries for name in entry]
    rest: dict[Kind, list[Hashable]] = {
        Kind.REPLICATED: [],
        Kind.MANUAL: [],
        Kind.UNREDUCED: [],
    }
    for name in sizes:
        if name in used:
            continue
        kind = Kind.MANUAL if name in manual else Kind.REPLICATED
        rest[Kind.UNREDUCED if name in unreduced else kind].append(name)
    cuts = [math.prod(sizes[name] for name in entry) for entry in entries]
    extents = [math.prod(sizes[n] for n in names) for names in rest.values()]
    order = used + [name for names in rest.values() for name in names]
    return iota(
        cuts + extents,
        tuple(sizes.values()),
        [position[name] for name in order],
        tuple(rest),
    )


def cuts(sharding: HloSharding, ndim: int) -> tuple[int, ...]:
    """Into how many parts each axis of an array is cut."""
    if sharding.kind is not Kind.TILED:
        return (1,) * ndim
    found = sharding.tiles[: sharding.ndim]
    return (*found, *(1,) * (ndim - len(found)))


@caches.memoize(4096)
def coordinates(
    sharding: HloSharding, ndim: int, device_count: int
) -> tuple[tuple[int, ...], ...]:
    """Per device, which part along each axis of an array it holds."""
    if sharding.kind is not Kind.TILED:
        return ((0,) * ndim,) * device_count
    grid = sharding.grid()
    where = np.zeros((device_count, ndim), np.int64)
    found = np.indices(grid.shape)[: sharding.ndim].reshape(sharding.ndim, -1)
    where[grid.ravel(), : sharding.ndim] = found.T
    return tuple(map(tuple, where.tolist()))


def placed_alike(a: HloSharding, b: HloSharding, device_count: int) -> bool:
    """Whether each device holds the same under both."""
    if a == b:
        return True
    special = {Kind.REPLICATED, Kind.TILED}
    if a.kind not in special or b.kind not in special:
        return a.kind is b.kind and _same_special(a, b)
    ndim = max(a.ndim, b.ndim)
    kinds = [
        sorted((k, n) for k, n in _last(s) if k is not Kind.REPLICATED) for s in (a, b)
    ]
    return (
        kinds[0] == kinds[1]
        and cuts(a, ndim) == cuts(b, ndim)
        and coordinates(a, ndim, device_count) == coordinates(b, ndim, device_count)
    )


def _last(sharding):
    return zip(sharding.last_kinds, sharding.tiles[sharding.ndim :], strict=True)


def _same_special(a, b):
    return a.devices == b.devices and a.elements == b.elements


@caches.memoize(4096)
def entries_on(
    axes: tuple[tuple[Hashable, int], ...], sharding: HloSharding, ndim: int
) -> tuple[tuple[Hashable, ...], ...]:
    """Per axis of an array, the named axes over which a sharding cuts it.

    Axes of size 1 and entries that say nothing at the end are left out.

    Raises:
        IndivisibleError: no choice of names says the same.
    """
    if sharding.kind is Kind.REPLICATED:
        return ()
    count = math.prod(size for _, size in axes)
    found: list[list[tuple[int, Hashable]]] = [[] for _ in range(ndim)]
    if sharding.kind is Kind.TILED and sharding.ndim <= ndim:
        if set(sharding.last_kinds) <= {Kind.REPLICATED}:
            _find_strides(axes, coordinates(sharding, ndim, count), found)
    entries = tuple(
        tuple(name for _, name in sorted(pairs, key=lambda p: -p[0])) for pairs in found
    )
    if not placed_alike(of_axes(axes, entries), sharding, count):
        raise errors.IndivisibleError(
            errors.explain(
                "A sharding cannot be said with the axes of a mesh.",
                [("sharding", str(sharding)), ("mesh", repr(dict(axes)))],
                "Each part is a product of whole axes.",
            )
        )
    while entries and not entries[-1]:
        entries = entries[:-1]
    return entries


def _find_strides(axes, where, found):
    """Per axis of an array, the named axes along which the part changes, and how much."""
    stride = math.prod(size for _, size in axes)
    for name, size in axes:
        stride //= size
        if size == 1:
            continue
        for axis, step in enumerate(where[stride]):
            if step != where[0][axis]:
                found[axis].append((step, name))


# Text.


def _text(sharding):
    kind = sharding.kind
    if kind is Kind.TUPLE:
        return "{" + ", ".join(map(str, sharding.elements)) + "}"
    if kind is Kind.MAXIMAL:
        return f"{{maximal device={sharding.devices[0]}}}"
    if kind is not Kind.TILED:
        return f"{{{kind.name.lower()}}}"
    tiles = ",".join(map(str, sharding.tiles))
    if sharding.devices is not None:
        devices = ",".join(map(str, sharding.devices))
    else:
        devices = f"<=[{','.join(map(str, sharding.reshape))}]"
        if len(sharding.permutation) > 1:
            devices += f"T({','.join(map(str, sharding.permutation))})"
    last = ""
    if sharding.last_kinds == (Kind.REPLICATED,):
        last = " last_tile_dim_replicate"
    elif sharding.last_kinds:
        names = ", ".join(k.name.lower() for k in sharding.last_kinds)
        last = f" last_tile_dims={{{names}}}"
    return f"{{devices=[{tiles}]{devices}{last}}}"


_TILED = re.compile(
    r"devices=\[([\d,]+)\](?:<=\[([\d,]+)\](?:T\(([\d,]+)\))?|([\d,]+))"
    r"(?: (last_tile_dim_replicate)| last_tile_dims=\{([a-z, ]*)\})?"
)


def parse(text: str) -> HloSharding:
    """The sharding with this text.

    Raises:
        ValueError: there is none.
    """
    inner = text.strip()
    if inner.startswith("{{") or inner == "{}":
        parts = re.findall(r"\{(?:[^{}]|\{[^{}]*\})*\}", inner[1:-1])
        return HloSharding(Kind.TUPLE, elements=tuple(map(parse, parts)))
    inner = inner[1:-1] if inner.startswith("{") else inner
    for kind in (Kind.REPLICATED, Kind.MANUAL, Kind.UNREDUCED, Kind.UNKNOWN):
        if inner == kind.name.lower():
            return HloSharding(kind)
    if inner.startswith("maximal device="):
        return HloSharding(Kind.MAXIMAL, devices=(int(inner[15:]),))
    match = _TILED.fullmatch(inner)
    if match is None:
        raise errors.value_error(
            "A text is no sharding.",
            [("text", repr(text))],
            "Shardings look like {replicated} or {devices=[4,2]<=[8]}.",
        )
    tiles, reshape, permutation, devices, replicate, kinds = match.groups()
    last = (
        (Kind.REPLICATED,)
        if replicate
        else tuple(
            Kind[k.strip().upper()] for k in (kinds or "").split(",") if k.strip()
        )
    )
    sizes = _numbers(reshape)
    return HloSharding(
        Kind.TILED,
        tiles=_numbers(tiles),
        reshape=sizes,
        permutation=_numbers(permutation) or tuple(range(len(sizes))),
        devices=_numbers(devices) if devices else None,
        last_kinds=last,
    )


def _numbers(text):
    return tuple(int(n) for n in text.split(",")) if text else ()


# Bytes.


def to_bytes(sharding: HloSharding) -> bytes:
    """The message `OpSharding`."""
    out = bytearray()

    def number(field, value):
        out.extend(protobuf.varint(field << 3))
        out.extend(protobuf.varint(value))

    def chunk(field, data):
        out.extend(protobuf.varint(field << 3 | 2))
        out.extend(protobuf.varint(len(data)))
        out.extend(data)

    def numbers(field, values):
        if values:
            chunk(field, b"".join(map(protobuf.varint, values)))

    if sharding.kind is not Kind.REPLICATED:
        number(1, int(sharding.kind))
    if sharding.kind is Kind.MAXIMAL:
        numbers(3, (1,))
    numbers(3, sharding.tiles)
    numbers(4, sharding.devices or ())
    for element in sharding.elements:
        chunk(5, to_bytes(element))
    if sharding.last_kinds == (Kind.REPLICATED,):
        number(6, 1)
    else:
        numbers(8, [int(k) for k in sharding.last_kinds])
    if sharding.devices is None:
        numbers(9, sharding.reshape)
        numbers(10, sharding.permutation)
    return bytes(out)


def from_bytes(data: bytes) -> HloSharding:
    """The sharding of a message `OpSharding`; of no bytes, a replicated one.

    Raises:
        ValueError: the bytes are no such message.
    """
    fields: dict[int, list[Any]] = {}
    try:
        for field, value in protobuf.fields_of(data):
            fields.setdefault(field, []).append(value)
        return _of_fields(fields)
    except (IndexError, ValueError) as error:
        raise ValueError(f"The bytes of a sharding are malformed: {error}.") from error


def _of_fields(fields):
    kind = Kind(fields.get(1, [0])[-1])
    if kind is Kind.TUPLE:
        elements = tuple(from_bytes(bytes(part)) for part in fields.get(5, []))
        return HloSharding(kind, elements=elements)
    if kind is Kind.MAXIMAL:
        return HloSharding(kind, devices=_list(fields, 4))
    if kind is not Kind.TILED:
        return HloSharding(kind)
    last = tuple(Kind(k) for k in _list(fields, 8))
    if fields.get(6, [0])[-1]:
        last = (Kind.REPLICATED,)
    reshape = _list(fields, 9)
    return HloSharding(
        kind,
        tiles=_list(fields, 3),
        reshape=reshape,
        permutation=_list(fields, 10) or tuple(range(len(reshape))),
        devices=None if reshape else _list(fields, 4),
        last_kinds=last,
    )


def _list(fields, number):
    """The numbers of a repeated field, packed or not."""
    found: list[int] = []
    for value in fields.get(number, []):
        if isinstance(value, int):
            found.append(value)
            continue
        found += protobuf.packed_numbers(value)
    return tuple(found)


# The names of these two in `jax.extend.sharding`; messages have no form of their own.
get_serialized_proto_from_hlo_sharding = to_bytes


def get_hlo_sharding_from_serialized_proto(sharding: bytes) -> HloSharding:
    """`from_bytes` by its public name."""
    return from_bytes(sharding)


# Both kinds of objects of upstream are one here.
get_op_sharding_from_serialized_proto = get_hlo_sharding_from_serialized_proto
