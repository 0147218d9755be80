"""Meshes of devices, and how the axes of arrays lie on them."""

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors


class PartitionSpec(tuple):
    """For each axis of an array, the mesh axes over which it is split.

    An entry is the name of a mesh axis, a tuple of names, or None for an axis that is
    not split. Axes without an entry are not split.
    """

    __slots__ = ()

    def __new__(cls, *partitions: Any) -> "PartitionSpec":
        return super().__new__(cls, partitions)

    def __repr__(self) -> str:
        return f"PartitionSpec({', '.join(map(repr, self))})"

    def __reduce__(self):
        return PartitionSpec, tuple(self)

    def names_of(self, axis: int) -> tuple[Hashable, ...]:
        """The mesh axes over which one axis is split."""
        entry = self[axis] if axis < len(self) else None
        if entry is None:
            return ()
        return entry if isinstance(entry, tuple) else (entry,)


class Mesh:
    """Devices in an array whose axes have names."""

    __slots__ = ("_hash", "axis_names", "devices")

    def __init__(self, devices: Any, axis_names: Any):
        array = np.array(devices, dtype=object)
        names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
        if array.ndim != len(names) or len(set(names)) != len(names):
            raise ValueError(
                errors.explain(
                    "A mesh needs a name for each axis of its array of devices.",
                    [("devices", f"shape {array.shape}"), ("axis_names", repr(names))],
                    "The names must differ.",
                )
            )
        array.flags.writeable = False
        self.devices = array
        self.axis_names = names
        self._hash = hash((names, array.shape, tuple(d.id for d in array.flat)))

    @property
    def shape(self) -> dict[Hashable, int]:
        """The size of each axis, by name."""
        return dict(zip(self.axis_names, self.devices.shape, strict=True))

    @property
    def size(self) -> int:
        """The number of devices."""
        return self.devices.size

    @property
    def empty(self) -> bool:
        """Whether it has no device."""
        return self.devices.size == 0

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Mesh)
            and self._hash == other._hash
            and self.axis_names == other.axis_names
            and self.devices.shape == other.devices.shape
            and all(
                a is b
                for a, b in zip(self.devices.flat, other.devices.flat, strict=True)
            )
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        axes = ", ".join(f"{n!r}: {s}" for n, s in self.shape.items())
        return f"Mesh({axes})"


def make_mesh(
    axis_shapes: Sequence[int],
    axis_names: Sequence[Hashable],
    *,
    devices: Sequence[Any],
) -> Mesh:
    """A mesh of the first devices, in their order."""
    count = math.prod(axis_shapes)
    if count > len(devices):
        raise ValueError(
            errors.explain(
                f"A mesh of {count} devices was asked for.",
                [("axes", repr(tuple(axis_shapes))), ("devices", str(len(devices)))],
                ways="On the CPU, jax_num_cpu_devices sets their number.",
            )
        )
    return Mesh(np.array(devices[:count], object).reshape(axis_shapes), axis_names)
