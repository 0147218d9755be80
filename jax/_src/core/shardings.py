"""On which devices which parts of an array lie."""

import abc
import math
from collections.abc import Mapping
from typing import Any

from jax._src.base import caches, errors, traceback_filter
from jax._src.core import mesh as me, partition_spec as ps

Index = tuple[slice, ...]


class Sharding(metaclass=abc.ABCMeta):
    """Describes how an array is laid out over devices. Immutable and hashable."""

    __slots__ = ()

    @property
    @abc.abstractmethod
    def device_set(self) -> set[Any]:
        """The devices that hold a part."""

    @property
    @abc.abstractmethod
    def ordered_devices(self) -> tuple[Any, ...]:
        """The same devices, in the order of shards and of device assignments."""

    @property
    @abc.abstractmethod
    def replicated(self) -> "Sharding":
        """The sharding with the whole array on each of the same devices."""

    @property
    @abc.abstractmethod
    def memory_kind(self) -> str | None:
        """The kind of memory on these devices, None for the default one."""

    @abc.abstractmethod
    def shard_shape(self, global_shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the part on each device.

        Raises:
            ValueError: an axis cannot be split evenly.
        """

    @abc.abstractmethod
    def devices_indices_map(self, global_shape: tuple[int, ...]) -> Mapping[Any, Index]:
        """For each device, the slices of the array that it holds."""

    @property
    def addressable_devices(self) -> set[Any]:
        """The devices that belong to this process."""
        return {d for d in self.device_set if d.is_addressable}

    @property
    def num_devices(self) -> int:
        """The number of devices."""
        return len(self.ordered_devices)

    @property
    def has_addressable_devices(self) -> bool:
        """Whether a device belongs to this process."""
        return bool(self.addressable_devices)

    @abc.abstractmethod
    def with_memory_kind(self, kind: str) -> "Sharding":
        """The same layout in another kind of memory."""

    @abc.abstractmethod
    def check_compatible_aval(self, aval_shape: tuple[int, ...]) -> None:
        """Refuses arrays of a shape that has too few axes.

        Raises:
            ValueError: the sharding speaks of axes that such an array lacks.
        """

    @property
    def is_fully_addressable(self) -> bool:
        """Whether all devices belong to this process."""
        return all(d.is_addressable for d in self.ordered_devices)

    @property
    def is_fully_replicated(self) -> bool:
        """Whether each device holds the whole array."""
        return self.num_devices == 1

    def addressable_devices_indices_map(
        self, global_shape: tuple[int, ...]
    ) -> Mapping[Any, Index]:
        """`devices_indices_map` for the devices of this process."""
        found = self.devices_indices_map(global_shape)
        return {d: index for d, index in found.items() if d.is_addressable}

    def is_equivalent_to(self, other: "Sharding", ndim: int) -> bool:
        """Whether arrays of `ndim` axes lie the same way under both."""
        if self == other:
            return True
        shape = (math.lcm(*_factors(self, ndim), *_factors(other, ndim)),) * ndim
        return (
            self.ordered_devices == other.ordered_devices
            and self.memory_kind == other.memory_kind
            and self.devices_indices_map(shape) == other.devices_indices_map(shape)
        )


def _factors(sharding, ndim):
    return [sharding.num_devices] * max(ndim, 1)


class SingleDeviceSharding(Sharding):
    """The whole array on one device."""

    __slots__ = ("_device", "_memory_kind")

    def __init__(self, device: Any, *, memory_kind: str | None = None):
        default = device.default_memory()
        if memory_kind is not None:
            device.memory(memory_kind)
        self._device = device
        self._memory_kind = memory_kind or (default.kind if default else None)

    @property
    def device_set(self) -> set[Any]:
        return {self._device}

    @property
    def ordered_devices(self) -> tuple[Any, ...]:
        return (self._device,)

    @property
    def replicated(self) -> "SingleDeviceSharding":
        return self

    @property
    def memory_kind(self) -> str | None:
        return self._memory_kind

    def with_memory_kind(self, kind: str) -> "SingleDeviceSharding":
        """The same device with another kind of memory."""
        return SingleDeviceSharding(self._device, memory_kind=kind)

    def check_compatible_aval(self, aval_shape: tuple[int, ...]) -> None:
        pass  # Every array fits on one device.

    def shard_shape(self, global_shape: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(global_shape)

    def devices_indices_map(self, global_shape: tuple[int, ...]) -> Mapping[Any, Index]:
        return {self._device: (slice(None),) * len(global_shape)}

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is SingleDeviceSharding
            and self._device is other._device
            and self._memory_kind == other._memory_kind
        )

    def __hash__(self) -> int:
        return hash((id(self._device), self._memory_kind))

    def __repr__(self) -> str:
        return (
            f"SingleDeviceSharding(device={self._device!r}, "
            f"memory_kind={self._memory_kind})"
        )

    def __reduce__(self):
        raise TypeError("A sharding names devices of this process: it is not pickled.")


class NamedSharding(Sharding):
    """An array whose axes are split over the axes of a mesh."""

    __slots__ = ("_memory_kind", "mesh", "spec")

    def __init__(
        self, mesh: me.Mesh, spec: ps.PartitionSpec, *, memory_kind: str | None = None
    ):
        if not isinstance(spec, ps.PartitionSpec):
            raise TypeError(
                f"NamedSharding takes a PartitionSpec, not {spec!r}; write P('x', None)."
            )
        used = [n for axis in range(len(spec)) for n in spec.names_of(axis)]
        for name in used:
            if name not in mesh.axis_names or used.count(name) > 1:
                raise ValueError(
                    errors.explain(
                        f"The mesh axis {name!r} cannot be used so.",
                        [("mesh", repr(mesh)), ("spec", repr(spec))],
                        "A spec names axes of its mesh, each at most once.",
                    )
                )
        self.mesh = mesh
        self.spec = spec
        self._memory_kind = memory_kind

    @property
    def device_set(self) -> set[Any]:
        return set(self.mesh.devices.flat)

    @property
    def ordered_devices(self) -> tuple[Any, ...]:
        return tuple(self.mesh.devices.flat)

    @property
    def replicated(self) -> "NamedSharding":
        return self.update(spec=ps.PartitionSpec())

    @property
    def memory_kind(self) -> str | None:
        if self._memory_kind is not None:
            return self._memory_kind
        default = self.mesh.devices.flat[0].default_memory()
        return default.kind if default else None

    @property
    def is_fully_replicated(self) -> bool:
        sizes = self.mesh.shape
        return all(
            math.prod(sizes[n] for n in self.spec.names_of(axis)) == 1
            for axis in range(len(self.spec))
        )

    @property
    def replicated_axes(self) -> frozenset:
        """The mesh axes along which devices hold the same, as far as it is said."""
        return self.spec.reduced

    def check_compatible_aval(self, aval_shape: tuple[int, ...]) -> None:
        if len(aval_shape) < len(self.spec):
            raise ValueError(
                errors.explain(
                    "A sharding speaks of more axes than the array has.",
                    [("sharding", repr(self)), ("shape", str(tuple(aval_shape)))],
                    "There is at most one entry of the PartitionSpec per axis.",
                    "Leave the last entries out.",
                )
            )

    def with_memory_kind(self, kind: str) -> "NamedSharding":
        """The same layout in another kind of memory."""
        return NamedSharding(self.mesh, self.spec, memory_kind=kind)

    def update(self, **changes: Any) -> "NamedSharding":
        """The same with another `mesh`, `spec` or `memory_kind`."""
        return NamedSharding(
            changes.get("mesh", self.mesh),
            changes.get("spec", self.spec),
            memory_kind=changes.get("memory_kind", self._memory_kind),
        )

    def shard_shape(self, global_shape: tuple[int, ...]) -> tuple[int, ...]:
        if len(self.spec) > len(global_shape):
            raise ValueError(
                errors.explain(
                    "The sharding speaks of more axes than the array has.",
                    [("shape", repr(tuple(global_shape))), ("spec", repr(self.spec))],
                )
            )
        sizes = self.mesh.shape
        out = []
        for axis, size in enumerate(global_shape):
            parts = math.prod(sizes[n] for n in self.spec.names_of(axis))
            if size % parts:
                raise ValueError(
                    errors.explain(
                        f"Axis {axis} cannot be split evenly.",
                        [
                            ("shape", repr(tuple(global_shape))),
                            ("spec", repr(self.spec)),
                            ("mesh", repr(self.mesh)),
                        ],
                        f"{size} must be a multiple of {parts}.",
                    )
                )
            out.append(size // parts)
        return tuple(out)

    def devices_indices_map(self, global_shape: tuple[int, ...]) -> Mapping[Any, Index]:
        return _named_indices(self, tuple(global_shape))

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is NamedSharding
            and self.spec == other.spec
            and self.memory_kind == other.memory_kind
            and self.mesh == other.mesh
        )

    def __hash__(self) -> int:
        return hash((self.mesh, self.spec, self.memory_kind))

    def __repr__(self) -> str:
        kind = f", memory_kind={self.memory_kind}" if self.memory_kind else ""
        return f"NamedSharding(mesh={self.mesh!r}, spec={self.spec!r}{kind})"


@caches.memoize(4096)
def _named_indices(sharding, shape):
    sizes = sharding.mesh.shape
    shard = sharding.shard_shape(shape)
    out = {}
    for position, device in _positions(sharding.mesh):
        index = []
        for axis, (size, part) in enumerate(zip(shape, shard, strict=True)):
            names = sharding.spec.names_of(axis)
            number = 0
            for name in names:
                number = number * sizes[name] + position[name]
            whole = part == size
            index.append(
                slice(None) if whole else slice(number * part, (number + 1) * part)
            )
        out[device] = tuple(index)
    return out


def _positions(mesh):
    shape = mesh.devices.shape
    for flat, device in enumerate(mesh.devices.flat):
        position = {}
        for name, size in zip(reversed(mesh.axis_names), reversed(shape), strict=True):
            position[name] = flat % size
            flat //= size
        yield position, device


@traceback_filter.hides_frames
def make_single_device_sharding(
    device: Any, *, memory_kind: str | None = None
) -> SingleDeviceSharding:
    """The sharding of arrays that lie on one device.

    Args:
        device: the device.
        memory_kind: the kind of its memory; None: the default one.
    """
    return of_device(device, memory_kind)


@caches.memoize(None)
def of_device(device: Any, memory_kind: str | None = None) -> SingleDeviceSharding:
    """The one sharding object for a device, so that most comparisons are `is`."""
    return SingleDeviceSharding(device, memory_kind=memory_kind)
