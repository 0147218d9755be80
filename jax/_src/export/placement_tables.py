"""Placements of exported programs as tables of upstream's schema.

Meshes and shardings stand in lists of their own, and arguments and results refer to them
by number; beside that, in the form of earlier versions, each has its own copy.
"""

from collections.abc import Sequence
from typing import Any

from jax._src.base import errors
from jax._src.core import (
    hlo_sharding as hlo,
    mesh as mesh_lib,
    partition_spec,
    shardings as shardings_lib,
)
from jax._src.export import flat_tables as ft

_HLO_KIND = 1
_GREATEST_RANK = 64


def write_mesh(mesh: mesh_lib.AbstractMesh) -> dict[int, Any]:
    """The table of a mesh.

    Raises:
        NotImplementedError: the name of an axis is no string.
    """
    for name in mesh.axis_names:
        if not isinstance(name, str):
            raise errors.not_implemented(
                "The name of a mesh axis has no form in exported programs.",
                [("mesh", str(mesh)), ("name", repr(name))],
                "Only strings have one.",
                "Make the mesh with names that are strings.",
            )
    device = mesh.abstract_device
    return {
        0: ft.Numbers("I", tuple(mesh.axis_sizes)),
        1: list(mesh.axis_names),
        2: ft.Numbers("b", tuple(kind.value for kind in mesh.axis_types)),
        3: None if device is None else _write_device(device),
    }


def _write_device(device):
    cores = device.num_cores
    return {
        0: device.device_kind,
        1: None if cores is None else ft.Number("I", cores),
        2: device.platform,
    }


class Written:
    """The tables of all meshes and shardings of a program, each once."""

    def __init__(self, placements: Sequence[shardings_lib.NamedSharding | None]):
        shardings = list(dict.fromkeys(p for p in placements if p is not None))
        meshes = list(dict.fromkeys(p.mesh for p in shardings))
        self.meshes = [write_mesh(mesh) for mesh in meshes]
        self.shardings = [
            {
                0: self.meshes[meshes.index(p.mesh)],
                1: _write_spec(p.spec),
                2: p.memory_kind,
                3: ft.Number("I", meshes.index(p.mesh)),
            }
            for p in shardings
        ]
        self._numbers = {p: number for number, p in enumerate(shardings, 1)}

    def numbers(
        self, placements: Sequence[shardings_lib.NamedSharding | None]
    ) -> ft.Numbers:
        """Which of the shardings these are, from 1 on; 0: none."""
        found = tuple(0 if p is None else self._numbers[p] for p in placements)
        return ft.Numbers("I", found)

    def copies(
        self,
        placements: Sequence[shardings_lib.NamedSharding | None],
        older: Sequence[hlo.HloSharding | None],
    ) -> list[dict[int, Any]]:
        """The tables that earlier versions have: one for each argument or result."""
        found: list[dict[int, Any]] = []
        for placement, tiles in zip(placements, older, strict=True):
            if placement is not None:
                found.append({2: self.shardings[self._numbers[placement] - 1]})
            elif tiles is not None:
                kind = ft.Number("b", _HLO_KIND)
                found.append({0: kind, 1: hlo.to_bytes(tiles)})
            else:
                found.append({})
        return found


def _write_spec(spec):
    entries = [spec.names_of(axis) for axis in range(len(spec))]
    return {
        0: [{0: list(names)} for names in entries],
        1: sorted(spec.reduced),
        2: sorted(spec.unreduced),
    }


# Reading.


def read_mesh(table: ft.Table) -> mesh_lib.AbstractMesh:
    """A mesh without devices."""
    sizes, names = tuple(table.numbers(0, "I")), tuple(table.texts(1))
    codes = table.numbers(2, "b")
    known = {kind.value: kind for kind in mesh_lib.AxisType}
    if not len(sizes) == len(names) == len(codes) or len(set(names)) != len(names):
        raise ft.damaged("the axes of a mesh do not fit together")
    if not all(sizes) or any(code not in known for code in codes):
        raise ft.damaged(f"a mesh has the sizes {sizes[:9]} and types {codes[:9]}")
    device = table.table(3)
    if device is not None:
        cores = device.number(1, "I") if device.has(1) else None
        device = mesh_lib.AbstractDevice(device.text(0), cores, device.text(2))
    kinds = tuple(known[code] for code in codes)
    return mesh_lib.AbstractMesh(sizes, names, kinds, abstract_device=device)


def read_meshes(tables: Sequence[ft.Table]) -> list[mesh_lib.AbstractMesh]:
    """The meshes that shardings refer to by number."""
    return [read_mesh(table) for table in tables]


def read_sharding(
    table: ft.Table, meshes: Sequence[mesh_lib.AbstractMesh]
) -> shardings_lib.NamedSharding:
    """A sharding over one of the meshes, or over its own."""
    spec = table.table(1)
    if spec is None:
        raise ft.damaged("a sharding has no spec")
    own = table.table(0)
    number = table.number(3, "I")
    if own is None and number >= len(meshes):
        raise ft.damaged("a sharding has no mesh")
    mesh = meshes[number] if number < len(meshes) else read_mesh(own)
    entries = [tuple(entry.texts(0)) for entry in spec.tables(0)]
    if len(entries) > _GREATEST_RANK:
        raise ft.damaged("a sharding speaks of too many axes")
    kind = table.text(2) if table.has(2) else None
    try:
        return shardings_lib.NamedSharding(
            mesh,
            partition_spec.PartitionSpec(
                *entries,
                reduced=frozenset(spec.texts(1)),
                unreduced=frozenset(spec.texts(2)),
            ),
            memory_kind=kind,
        )
    except (ValueError, errors.DuplicateSpecError) as error:
        raise ft.damaged(f"a sharding is none: {error}") from None


def read_placements(
    table: ft.Table,
    fields: tuple[int, int],
    count: int,
    shardings: Sequence[shardings_lib.NamedSharding],
    meshes: Sequence[mesh_lib.AbstractMesh],
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Shardings of arguments or results: by names, and in the form of older versions.

    Args:
        table: the exported program.
        fields: that with numbers of shardings, and that with copies.
        count: how many arguments or results there are.
        shardings: those that are referred to.
        meshes: those that are referred to.
    """
    nothing = (None,) * count
    if table.has(fields[0]):
        numbers = table.numbers(fields[0], "I")
        if len(numbers) != count or any(n > len(shardings) for n in numbers):
            raise ft.damaged("the placements do not fit the types")
        return tuple(shardings[n - 1] if n else None for n in numbers), nothing
    tables = table.tables(fields[1])
    if not tables:
        return nothing, nothing
    if len(tables) != count:
        raise ft.damaged("the placements do not fit the types")
    named = [entry.table(2) for entry in tables]
    if any(entry is not None for entry in named):
        read = [None if t is None else read_sharding(t, meshes) for t in named]
        return tuple(read), nothing
    return nothing, tuple(map(_read_tiles, tables))


def _read_tiles(table):
    if table.number(0, "b") != _HLO_KIND:
        return None
    try:
        return hlo.from_bytes(table.data(1))
    except ValueError as error:
        raise ft.damaged(f"a placement is none: {error}") from None
