"""Meshes: devices, or none, along axes with names."""

import contextlib
import contextvars
import dataclasses
import enum
import math
import threading
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, options, releases
from jax._src.core import memory_kinds, mesh_usage


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

# Equal meshes are one object, so that comparing two is `is`.
_interned: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
_lock = threading.Lock()


class MeshAxes:
    """The named axes that meshes of devices and meshes of none have in common."""

    __slots__ = ("__weakref__", "axis_names", "axis_types")

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
        return tuple(zip(self.axis_names, self.axis_sizes, strict=True))

    @property
    def size(self) -> int:
        """The number of devices; 0 without axes."""
        return math.prod(self.axis_sizes) if self.axis_sizes else 0

    @property
    def empty(self) -> bool:
        """Whether it has no device."""
        return self.size == 0

    @property
    def name_to_type(self) -> dict[Hashable, AxisType]:
        """The type of each axis, by name."""
        return dict(zip(self.axis_names, self.axis_types, strict=True))

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
        """Whether the compiler decides about every axis; False without axes."""
        return self._are_all(AxisType.Auto)

    @property
    def are_all_axes_explicit(self) -> bool:
        """Whether the types decide about every axis; False without axes."""
        return self._are_all(AxisType.Explicit)

    @property
    def are_all_axes_manual(self) -> bool:
        """Whether the program decides about every axis; False without axes."""
        return self._are_all(AxisType.Manual)

    @property
    def are_all_axes_explicit_or_manual(self) -> bool:
        """Whether the compiler decides about no axis; False without axes."""
        return bool(self.axis_types) and AxisType.Auto not in self.axis_types

    def _text(self):
        axes = [f"'{n}': {s}" for n, s in self.shape_tuple] or ["()"]
        return f"{', '.join(axes)}, axis_types={self.axis_types}"

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"A mesh cannot be changed; use .update({name}=…).")

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


def _names(axis_names):
    return (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)


def _types_of_axes(names, axis_types, default):
    types = (default,) * len(names) if axis_types is None else axis_types
    types = (types,) if isinstance(types, AxisType) else types
    types = tuple(types) if isinstance(types, tuple | list) else (types,)
    for kind in types:
        if not isinstance(kind, AxisType):
            raise errors.type_error(
                "The axis_types of a mesh are members of jax.sharding.AxisType.",
                [("axis_types", repr(types)), ("type", type(kind).__name__)],
            )
    if len(types) != len(names):
        raise errors.value_error(
            "Number of axis names should match the number of axis_types: a mesh of "
            f"{len(names)} axes was given {len(types)}.",
            [("axis_names", repr(names)), ("axis_types", repr(types))],
            "Each axis has one type.",
        )
    return types


@dataclasses.dataclass(frozen=True, slots=True)
class AbstractDevice:
    """The kind of the devices of a mesh that names none."""

    device_kind: str
    num_cores: int | None
    platform: str

    def __repr__(self) -> str:
        return f"AbstractDevice({self.facts()})"

    def facts(self) -> str:
        """Its fields with their names."""
        return (
            f"device_kind={self.device_kind}, num_cores={self.num_cores}, "
            f"platform={self.platform}"
        )


def _intern(kind, key, fields):
    """Returns the mesh of class `cls` with this key; makes it of `fields` if it is new."""
    key = (kind, key)
    with _lock:
        found = _interned.get(key)
        if found is None:
            found = object.__new__(kind)
            for name, value in fields.items():
                object.__setattr__(found, name, value)
            _interned[key] = found
        return found


class AbstractMesh(MeshAxes):
    """Named axes without devices: what a program needs to know of a mesh.

    Equal ones are one object.

    Args:
        axis_sizes: the size of each axis.
        axis_names: the name of each axis.
        axis_types: an `AxisType` per axis; None: all `Auto`, and `Explicit` from 0.12 on.
        abstract_device: the kind of the devices, where it is known.

    Raises:
        ValueError: the numbers of sizes, names and types differ.
        TypeError: a type is no `AxisType`.
    """

    __slots__ = ("_sizes", "abstract_device")

    _sizes: tuple[int, ...]
    abstract_device: AbstractDevice | None

    def __new__(
        cls,
        axis_sizes: Sequence[int],
        axis_names: Sequence[Hashable],
        axis_types: Any = None,
        *,
        abstract_device: AbstractDevice | None = None,
    ) -> "AbstractMesh":
        names = _names(axis_names)
        sizes = tuple(axis_sizes)
        if len(sizes) != len(names):
            raise errors.value_error(
                f"A mesh of {len(names)} names was given {len(sizes)} sizes.",
                [("axis_sizes", repr(sizes)), ("axis_names", repr(names))],
                "Each axis has a size and a name.",
            )
        default = AxisType[releases.rule("axes_of_abstract_meshes")]
        types = _types_of_axes(names, axis_types, default)
        fields = {
            "_sizes": sizes,
            "axis_names": names,
            "axis_types": types,
            "abstract_device": abstract_device,
        }
        if sizes:
            mesh_usage.mark_used()
        return _intern(cls, tuple(fields.values()), fields)

    @property
    def axis_sizes(self) -> tuple[int, ...]:
        return self._sizes

    @property
    def abstract_mesh(self) -> "AbstractMesh":
        """The mesh itself."""
        return self

    def _lacks(self, what):
        return ValueError(f"AbstractMesh does not implement {what}: it has no devices.")

    @property
    def devices(self) -> Any:
        """There are none: ValueError."""
        raise self._lacks("devices")

    @property
    def device_ids(self) -> Any:
        """There are no devices: ValueError."""
        raise self._lacks("device_ids")

    @property
    def local_devices(self) -> Any:
        """There are no devices: ValueError."""
        raise self._lacks("local_devices")

    @property
    def local_mesh(self) -> Any:
        """There are no devices: ValueError."""
        raise self._lacks("local_mesh")

    @property
    def is_multi_process(self) -> Any:
        """There are no devices: ValueError."""
        raise self._lacks("is_multi_process")

    def __enter__(self) -> Any:
        raise self._lacks("__enter__")

    def __exit__(self, *_: object) -> None:
        raise self._lacks("__exit__")

    def update(self, **changes: Any) -> "AbstractMesh":
        """Returns a copy with other `axis_sizes`, `axis_names` or `axis_types`."""
        known = {
            "axis_sizes": self._sizes,
            "axis_names": self.axis_names,
            "axis_types": self.axis_types,
            "abstract_device": self.abstract_device,
        }
        return AbstractMesh(**{**known, **changes})

    def update_axis_types(self, name_to_type: dict) -> "AbstractMesh":
        """Returns a copy in which some axes have other types."""
        pairs = zip(self.axis_names, self.axis_types, strict=True)
        return self.update(axis_types=tuple(name_to_type.get(n, t) for n, t in pairs))

    def __reduce__(self):
        fields = self._sizes, self.axis_names, self.axis_types, self.abstract_device
        return _unpickle_abstract, fields

    def __repr__(self) -> str:
        device = self.abstract_device
        kind = "" if device is None else f", {device.facts()}"
        return f"AbstractMesh({self._text()}{kind})"


AbstractMesh.__module__ = "jax.sharding"


def _unpickle_abstract(sizes, names, types, device):
    return AbstractMesh(sizes, names, types, abstract_device=device)


class Mesh(MeshAxes, contextlib.ContextDecorator):
    """Devices in an array whose axes have names.

    Equal ones are one object.

    Args:
        devices: an array of devices, with as many axes as there are names.
        axis_names: the names: any hashable objects.
        axis_types: an `AxisType` per axis; None: all `Auto`.

    Raises:
        ValueError: the numbers of axes, names and types differ, or a name is None.
        TypeError: a type is no `AxisType`.
    """

    __slots__ = ("_abstract", "_memory_kind", "devices", "flat_devices")

    devices: np.ndarray
    # The devices in the order of the axes, the last one the fastest.
    flat_devices: tuple[Any, ...]
    _abstract: AbstractMesh
    _memory_kind: str | None

    def __new__(cls, devices: Any, axis_names: Any, axis_types: Any = None) -> "Mesh":
        array = np.array(devices, dtype=object)
        names = _names(axis_names)
        if array.ndim != len(names):
            raise errors.value_error(
                "Mesh requires the ndim of its first argument (`devices`) to equal the length "
                "of its second argument (`axis_names`).",
                [("devices", f"shape {array.shape}"), ("axis_names", repr(names))],
            )
        if None in names:
            raise errors.value_error(
                "The name of a mesh axis cannot be None.",
                [("axis_names", repr(names))],
                "In a PartitionSpec, None stands for an axis that is not split.",
            )
        types = _types_of_axes(names, axis_types, AxisType.Auto)
        array.flags.writeable = False
        flat = tuple(array.flat)
        first: Any = flat[0] if flat else None
        # Tests use objects in place of devices that have no kind.
        kind = getattr(first, "device_kind", None)
        device = kind and AbstractDevice(kind, None, first.platform)
        fields = {
            "devices": array,
            "flat_devices": flat,
            "axis_names": names,
            "axis_types": types,
            "_abstract": AbstractMesh(
                array.shape, names, types, abstract_device=device
            ),
            "_memory_kind": None,
        }
        return _intern(cls, (flat, array.shape, names, types), fields)

    @property
    def axis_sizes(self) -> tuple[int, ...]:
        """The size of each axis."""
        return self.devices.shape

    @property
    def is_scalar(self) -> bool:
        """Whether it is a single device, without axes."""
        return not self.axis_names and self.flat_devices != (None,)

    @property
    def size(self) -> int:
        """The number of devices."""
        return 1 if self.is_scalar else super().size

    @property
    def device_ids(self) -> np.ndarray:
        """The ids of the devices."""
        ids = [d.id for d in self.flat_devices]
        return np.array(ids, np.int64).reshape(self.devices.shape)

    @property
    def abstract_mesh(self) -> AbstractMesh:
        """The axes without the devices."""
        return self._abstract

    @property
    def local_devices(self) -> list[Any]:
        """The devices of this process."""
        return [d for d in self.flat_devices if d.is_addressable]

    @property
    def local_mesh(self) -> "Mesh":
        """The part of the mesh that belongs to this process.

        Raises:
            ValueError: its devices are no block of the mesh.
        """
        if not self.is_multi_process:
            return self
        here = np.array([d.is_addressable for d in self.flat_devices], bool)
        coordinates = np.argwhere(here.reshape(self.devices.shape))
        block = self.devices[np.ix_(*(np.unique(column) for column in coordinates.T))]
        if block.size != len(coordinates):
            raise errors.value_error(
                "The devices of this process are no block of the mesh.",
                [("mesh", repr(self)), ("devices here", str(self.local_devices))],
                "A process has all combinations of its coordinates along the axes.",
                "Order the devices by process: jax.make_mesh does.",
            )
        return Mesh(block, self.axis_names, self.axis_types)

    @property
    def is_multi_process(self) -> bool:
        """Whether some devices belong to other processes."""
        return not self.empty and len(self.local_devices) != self.devices.size

    @property
    def default_memory_kind(self) -> str | None:
        """The default memory kind of its devices."""
        kind = self._memory_kind
        if kind is None and not self.empty:
            kind = memory_kinds.default_of(self.flat_devices[0])
            object.__setattr__(self, "_memory_kind", kind)
        return kind

    def __enter__(self) -> "Mesh":
        if options.disallow_mesh_context_manager.value:
            raise errors.runtime_error(
                "`with mesh:` is disallowed.",
                rule="jax_disallow_mesh_context_manager is set.",
                ways="Write `with jax.set_mesh(mesh):`.",
            )
        warnings.warn(
            "`with mesh:` is deprecated. Use `with jax.set_mesh(mesh):` instead.",
            DeprecationWarning,
            stacklevel=2,
        )
        entered.set((*entered.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        entered.set(entered.get()[:-1])

    def update(self, **changes: Any) -> "Mesh":
        """Returns a copy with other `devices`, `axis_names` or `axis_types`."""
        known = {
            "devices": self.devices,
            "axis_names": self.axis_names,
            "axis_types": self.axis_types,
        }
        return Mesh(**{**known, **changes})

    def __reduce__(self):
        return Mesh, (self.devices, self.axis_names, self.axis_types)

    def __repr__(self) -> str:
        types = "" if self.empty else f", axis_types={self.axis_types}"
        sizes, names = self.axis_sizes, self.axis_names
        return f"Mesh(axis_sizes={sizes}, axis_names={names}{types})"

    def __str__(self) -> str:
        return f"Mesh({self._text()})"


Mesh.__module__ = "jax.sharding"


# The current mesh where none was set.
NO_ABSTRACT_MESH = AbstractMesh((), ())
NO_MESH = Mesh(np.empty((), object), ())
