"""Meshes of devices, and how the axes of arrays lie on them."""

import enum
import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.runtime import backends


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


class AxisType(enum.Enum):
    """Who decides how arrays are split over a mesh axis."""

    # The compiler.
    Auto = enum.auto()
    # The types of arrays.
    Explicit = enum.auto()
    # The program, which sees one part.
    Manual = enum.auto()

    def __repr__(self) -> str:
        return self.name


class Mesh:
    """Devices in an array whose axes have names.

    Args:
        devices: an array of devices, with as many axes as there are names.
        axis_names: the names.
        axis_types: an `AxisType` per axis; None: all `Auto`.
    """

    __slots__ = ("_hash", "axis_names", "axis_types", "devices")

    def __init__(self, devices: Any, axis_names: Any, axis_types: Any = None):
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
        self.axis_types = tuple(axis_types or (AxisType.Auto,) * len(names))
        if len(self.axis_types) != len(names):
            raise ValueError(
                f"A mesh of {len(names)} axes was given {len(self.axis_types)} axis_types."
            )
        ids = tuple(d.id for d in array.flat)
        self._hash = hash((names, self.axis_types, array.shape, ids))

    @property
    def shape(self) -> dict[Hashable, int]:
        """The size of each axis, by name."""
        return dict(zip(self.axis_names, self.devices.shape, strict=True))

    @property
    def axis_sizes(self) -> tuple[int, ...]:
        """The size of each axis."""
        return self.devices.shape

    @property
    def shape_tuple(self) -> tuple[tuple[Hashable, int], ...]:
        """Pairs of name and size."""
        return tuple(self.shape.items())

    @property
    def device_ids(self) -> np.ndarray:
        """The ids of the devices."""
        ids = [d.id for d in self.devices.flat]
        return np.array(ids, np.int64).reshape(self.devices.shape)

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
            and self.axis_types == other.axis_types
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
    axis_types: Sequence[AxisType] | None = None,
    *,
    devices: Sequence[Any] | None = None,
) -> Mesh:
    """A mesh of the first devices, in their order.

    Args:
        axis_shapes: the size of each axis.
        axis_names: the name of each axis.
        axis_types: an `AxisType` per axis; None: all `Auto`.
        devices: the devices to take from; None: those of the default backend.

    Raises:
        ValueError: there are not that many devices.
    """
    chosen = list(backends.devices() if devices is None else devices)
    count = math.prod(axis_shapes)
    if count > len(chosen):
        raise ValueError(
            errors.explain(
                f"A mesh of {count} devices was asked for.",
                [("axes", repr(tuple(axis_shapes))), ("devices", str(len(chosen)))],
                ways="On the CPU, jax_num_cpu_devices sets their number.",
            )
        )
    array = np.array(chosen[:count], object).reshape(axis_shapes)
    return Mesh(array, axis_names, axis_types)
