"""Meshes: devices, or none, along axes with names."""

import contextvars
import enum
import math
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors


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


# The meshes of the `with` blocks that are open, innermost last.
entered: contextvars.ContextVar[tuple["Mesh", ...]] = contextvars.ContextVar(
    "jax_entered_meshes", default=()
)


class MeshAxes:
    """The named axes that meshes of devices and meshes of none have in common."""

    __slots__ = ()

    axis_names: tuple[Hashable, ...]
    axis_types: tuple[AxisType, ...]

    @property
    def axis_sizes(self) -> tuple[int, ...]:
        """The size of each axis."""
        raise NotImplementedError

    @property
    def shape(self) -> OrderedDict[Hashable, int]:
        """The size of each axis, by name."""
        return OrderedDict(zip(self.axis_names, self.axis_sizes, strict=True))

    @property
    def shape_tuple(self) -> tuple[tuple[Hashable, int], ...]:
        """Pairs of name and size."""
        return tuple(self.shape.items())

    @property
    def size(self) -> int:
        """The number of devices."""
        return math.prod(self.axis_sizes) if self.axis_sizes else 0

    @property
    def empty(self) -> bool:
        """Whether it has no axis."""
        return self.size == 0

    def _of_type(self, kind):
        pairs = zip(self.axis_names, self.axis_types, strict=True)
        return tuple(name for name, of in pairs if of is kind)

    @property
    def auto_axes(self) -> tuple[Hashable, ...]:
        """The names of the axes about which the compiler decides."""
        return self._of_type(AxisType.Auto)

    @property
    def explicit_axes(self) -> tuple[Hashable, ...]:
        """The names of the axes about which the types decide."""
        return self._of_type(AxisType.Explicit)

    @property
    def manual_axes(self) -> tuple[Hashable, ...]:
        """The names of the axes about which the program decides."""
        return self._of_type(AxisType.Manual)

    def _are_all(self, kind):
        return bool(self.axis_types) and all(t is kind for t in self.axis_types)

    @property
    def are_all_axes_auto(self) -> bool:
        """Whether the compiler decides about every axis."""
        return self._are_all(AxisType.Auto)

    @property
    def are_all_axes_explicit(self) -> bool:
        """Whether the types decide about every axis."""
        return self._are_all(AxisType.Explicit)

    @property
    def are_all_axes_manual(self) -> bool:
        """Whether the program decides about every axis."""
        return self._are_all(AxisType.Manual)

    def _text(self):
        axes = [f"{n!r}: {s}" for n, s in self.shape.items()] or ["()"]
        kinds = ", ".join(map(repr, self.axis_types))
        comma = "," if len(self.axis_types) == 1 else ""
        return f"{', '.join(axes)}, axis_types=({kinds}{comma})"

    def __deepcopy__(self, memo: Any) -> Any:
        return self


def _types_of_axes(names, axis_types):
    types = (AxisType.Auto,) * len(names) if axis_types is None else axis_types
    types = (types,) if isinstance(types, AxisType) else tuple(types)
    if len(types) != len(names):
        raise ValueError(
            f"A mesh of {len(names)} axes was given {len(types)} axis_types."
        )
    return types


class AbstractDevice:
    """The kind of the devices of a mesh that names none."""

    __slots__ = ("device_kind", "num_cores", "platform")

    def __init__(self, device_kind: str, num_cores: int | None, platform: str):
        self.device_kind = device_kind
        self.num_cores = num_cores
        self.platform = platform

    def _key(self):
        return self.device_kind, self.num_cores, self.platform

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbstractDevice) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        kind, cores, platform = self._key()
        return f"AbstractDevice(device_kind={kind}, num_cores={cores}, platform={platform})"


class AbstractMesh(MeshAxes):
    """Named axes without devices: what a program needs to know of a mesh.

    Args:
        axis_sizes: the size of each axis.
        axis_names: the name of each axis.
        axis_types: an `AxisType` per axis; None: all `Auto`.
        abstract_device: the kind of the devices, where it is known.
    """

    __slots__ = ("_sizes", "abstract_device", "axis_names", "axis_types")

    def __init__(
        self,
        axis_sizes: Sequence[int],
        axis_names: Sequence[Hashable],
        axis_types: Any = None,
        *,
        abstract_device: AbstractDevice | None = None,
    ):
        names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
        if len(tuple(axis_sizes)) != len(names):
            raise ValueError(
                f"A mesh of {len(names)} names was given {len(tuple(axis_sizes))} sizes."
            )
        self._sizes = tuple(axis_sizes)
        self.axis_names = names
        self.axis_types = _types_of_axes(names, axis_types)
        self.abstract_device = abstract_device

    @property
    def axis_sizes(self) -> tuple[int, ...]:
        return self._sizes

    @property
    def abstract_mesh(self) -> "AbstractMesh":
        """The mesh itself."""
        return self

    @property
    def devices(self) -> Any:
        """There are none: ValueError."""
        raise ValueError("AbstractMesh does not implement devices")

    def update(self, **changes: Any) -> "AbstractMesh":
        """The same with other `axis_sizes`, `axis_names` or `axis_types`."""
        return AbstractMesh(
            changes.get("axis_sizes", self._sizes),
            changes.get("axis_names", self.axis_names),
            changes.get("axis_types", self.axis_types),
            abstract_device=changes.get("abstract_device", self.abstract_device),
        )

    def update_axis_types(self, name_to_type: dict) -> "AbstractMesh":
        """The same with the types of some axes changed."""
        pairs = zip(self.axis_names, self.axis_types, strict=True)
        return self.update(axis_types=tuple(name_to_type.get(n, t) for n, t in pairs))

    def _key(self):
        return self._sizes, self.axis_names, self.axis_types, self.abstract_device

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbstractMesh) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        device = self.abstract_device
        kind = "" if device is None else ", " + repr(device)[15:-1]
        return f"AbstractMesh({self._text()}{kind})"


class Mesh(MeshAxes):
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
        self.axis_types = _types_of_axes(names, axis_types)
        ids = tuple(d.id for d in array.flat)
        self._hash = hash((names, self.axis_types, array.shape, ids))

    @property
    def axis_sizes(self) -> tuple[int, ...]:
        """The size of each axis."""
        return self.devices.shape

    @property
    def device_ids(self) -> np.ndarray:
        """The ids of the devices."""
        ids = [d.id for d in self.devices.flat]
        return np.array(ids, np.int64).reshape(self.devices.shape)

    @property
    def abstract_mesh(self) -> AbstractMesh:
        """The axes without the devices."""
        first = self.devices.flat[0] if self.size else None
        kind = first and AbstractDevice(first.device_kind, None, first.platform)
        return AbstractMesh(
            self.axis_sizes, self.axis_names, self.axis_types, abstract_device=kind
        )

    @property
    def local_devices(self) -> list[Any]:
        """The devices of this process."""
        return [d for d in self.devices.flat if d.is_addressable]

    @property
    def local_mesh(self) -> "Mesh":
        """The part of the mesh that belongs to this process.

        Raises:
            NotImplementedError: some devices belong to others.
        """
        if self.is_multi_process:
            raise NotImplementedError("local_mesh of a mesh of several processes.")
        return self

    @property
    def is_multi_process(self) -> bool:
        """Whether some devices belong to other processes."""
        return len(self.local_devices) != self.devices.size

    def __enter__(self) -> "Mesh":
        entered.set((*entered.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        entered.set(entered.get()[:-1])

    def update(self, **changes: Any) -> "Mesh":
        """The same with other `devices`, `axis_names` or `axis_types`."""
        return Mesh(
            changes.get("devices", self.devices),
            changes.get("axis_names", self.axis_names),
            changes.get("axis_types", self.axis_types),
        )

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
        return f"Mesh({self._text()})"
