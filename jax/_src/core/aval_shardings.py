"""The shardings of abstract values: their normal form and their text."""

import math
from collections.abc import Hashable, Iterable
from typing import Any

from jax._src.base import errors, options
from jax._src.core import (
    manual_axes,
    mesh as mesh_lib,
    partition_spec,
    shardings,
)

_nowhere: list[shardings.NamedSharding] = []


def replicated(ndim: int) -> shardings.NamedSharding:
    """The replicated sharding of types with `ndim` axes, over the empty mesh."""
    while len(_nowhere) <= ndim:
        spec = partition_spec.PartitionSpec(*(None,) * len(_nowhere))
        _nowhere.append(shardings.NamedSharding(mesh_lib.NO_ABSTRACT_MESH, spec))
    return _nowhere[ndim]


def normal_sharding(sharding: Any, shape: tuple[int, ...]) -> shardings.NamedSharding:
    """A sharding as types keep it: an entry per axis, of Explicit mesh axes alone.

    Raises:
        TypeError: it is no `NamedSharding`.
        ValueError: it names devices, a memory or too many axes, or does not divide a
            size.
    """
    if not isinstance(sharding, shardings.NamedSharding):
        raise TypeError(
            f"The sharding of a type is a NamedSharding of an AbstractMesh, "
            f"not {sharding!r}."
        )
    mesh, spec = sharding.mesh, sharding.spec
    if not isinstance(mesh, mesh_lib.AbstractMesh):
        raise ValueError(
            f"Mesh of an aval must be an AbstractMesh. Got {mesh} of type {type(mesh)}"
        )
    if mesh.empty:
        return replicated(len(shape))
    if sharding.memory_kind is not None:
        raise errors.value_error(
            "A type's sharding with memory_kind is not allowed.",
            [("sharding", repr(sharding))],
            ways="jax.device_put moves arrays between memories.",
        )
    normal = normal_spec(mesh, spec, len(shape))
    if normal != spec:
        sharding = shardings.NamedSharding(mesh, normal)
    _check_divides(mesh, normal, shape)
    return sharding


def normal_spec(
    mesh: mesh_lib.AbstractMesh, spec: partition_spec.PartitionSpec, ndim: int
) -> partition_spec.PartitionSpec:
    """`spec` with an entry for each of `ndim` axes, of Explicit mesh axes alone.

    Raises:
        ValueError: it has more entries than that.
    """
    partitions = spec.partitions
    if len(partitions) > ndim:
        raise errors.value_error(
            "A type's PartitionSpec has more entries than the array has axes.",
            [("spec", repr(spec)), ("axes", str(ndim))],
            "There is one entry per axis.",
        )
    told = mesh.explicit_axes
    if options.remove_size_one_mesh_axis_from_type.value:
        told = tuple(name for name in told if mesh.shape[name] > 1)
    entries = [_told_part(entry, told) for entry in partitions]
    entries += [None] * (ndim - len(entries))
    if tuple(entries) == tuple(partitions):
        return spec
    return partition_spec.PartitionSpec(
        *entries, unreduced=spec.unreduced, reduced=spec.reduced
    )


def names_in(entry: Any) -> tuple[Hashable, ...]:
    """The mesh axes in one entry of a spec."""
    if entry is None or entry is partition_spec.UNCONSTRAINED:
        return ()
    return entry if isinstance(entry, tuple) else (entry,)


def _told_part(entry, told):
    if entry is None:
        return None
    return tuple(name for name in names_in(entry) if name in told)


def _check_divides(mesh, spec, shape):
    sizes = mesh.shape
    for axis, (size, entry) in enumerate(zip(shape, spec.partitions, strict=True)):
        if entry is None:
            continue
        parts = math.prod(sizes[name] for name in names_in(entry))
        if size % parts != 0:
            raise errors.value_error(
                f"Axis {axis} of a type cannot be split evenly: the sharding does "
                f"not evenly divide the dimension size {size}.",
                [
                    ("shape", repr(tuple(shape))),
                    ("spec", repr(spec)),
                    ("mesh", repr(mesh)),
                ],
                f"{size} must be a multiple of {parts}.",
            )


def check_manual(
    mesh: mesh_lib.AbstractMesh, manual: manual_axes.ManualAxisType
) -> None:
    """Refuses manual axes that the mesh of the same type has otherwise.

    Raises:
        ValueError: an axis is not of type Manual.
    """
    if mesh.empty or manual.is_empty:
        return
    for name in (*manual.varying, *manual.unreduced, *manual.reduced):
        if name not in mesh.manual_axes:
            raise errors.value_error(
                "A type's manual_axis_type speaks of an axis that is not Manual.",
                [
                    ("axis", repr(name)),
                    ("manual_axis_type", repr(manual)),
                    ("mesh", repr(mesh)),
                ],
                "Axes mentioned in manual_axis_type should be of type Manual.",
            )


def dimensions_text(shape: Iterable[Any], sharding: shardings.NamedSharding) -> str:
    """The sizes, each with the mesh axes over which it is split: ``8@x,4``."""
    entries = sharding.spec.partitions
    return ",".join(
        str(size) if entry is None else f"{size}@{_axes_text(names_in(entry))}"
        for size, entry in zip(shape, entries, strict=True)
    )


def _axes_text(names):
    return str(names[0]) if len(names) == 1 else f"({','.join(map(str, names))})"


def sums_text(
    sharding: shardings.NamedSharding, manual: manual_axes.ManualAxisType
) -> str:
    """Along which axes values vary or are parts of sums: ``{V:x, U:(y,z)}``."""
    spec = sharding.spec
    kinds = {
        "V": manual.varying,
        "U": spec.unreduced | manual.unreduced,
        "R": spec.reduced | manual.reduced,
    }
    order = {name: i for i, name in enumerate(sharding.mesh.axis_names)}
    parts = [
        f"{kind}:{_axes_text(sorted(axes, key=lambda n: (order.get(n, -1), str(n))))}"
        for kind, axes in kinds.items()
        if axes
    ]
    return f"{{{', '.join(parts)}}}" if parts else ""


def axis_types_text(mesh: mesh_lib.AbstractMesh) -> str:
    """Who decides about which mesh axes: ``({Explicit: ('x', 'y')})``."""
    if mesh.empty:
        return ""
    by_type: dict[mesh_lib.AxisType, list] = {}
    for name, kind in zip(mesh.axis_names, mesh.axis_types, strict=True):
        by_type.setdefault(kind, []).append(name)
    listed = ", ".join(f"{kind!r}: {tuple(names)}" for kind, names in by_type.items())
    return f"({{{listed}}})"
