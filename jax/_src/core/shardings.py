"""Shardings: how an array is divided over devices."""

import abc
import functools as ft
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from jax._src.base import caches, errors, traceback_filter
from jax._src.core import (
    hlo_sharding as hlo,
    memory_kinds,
    mesh as mesh_lib,
    mesh_usage,
    partition_spec,
)

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
        """The devices of the sharding, in the order of shards and of device assignments."""

    @property
    @abc.abstractmethod
    def replicated(self) -> "Sharding":
        """The sharding with the whole array on each of the same devices."""

    @property
    @abc.abstractmethod
    def memory_kind(self) -> str | None:
        """The kind of memory on these devices, None for the default one."""

    @abc.abstractmethod
    def hlo_sharding(self, ndim: int) -> hlo.HloSharding:
        """Returns the `HloSharding` of arrays with `ndim` axes."""

    @abc.abstractmethod
    def with_memory_kind(self, kind: str) -> "Sharding":
        """Returns this sharding with another kind of memory."""

    @abc.abstractmethod
    def check_compatible_aval(self, aval_shape: tuple[int, ...]) -> None:
        """Refuses arrays of a shape that has too few axes.

        Raises:
            ValueError: the sharding speaks of axes that such an array lacks.
        """

    def shard_shape(self, global_shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the part on each device.

        Raises:
            ValueError: an axis cannot be split evenly, or there are too few axes.
        """
        return _shard_shape(self, tuple(global_shape))

    def devices_indices_map(self, global_shape: tuple[int, ...]) -> Mapping[Any, Index]:
        """For each device, the slices of the array that it holds.

        Raises:
            ValueError: an axis cannot be split evenly, or there are too few axes.
        """
        return _indices(self, tuple(global_shape))

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
        return any(d.is_addressable for d in self.ordered_devices)

    @property
    def is_fully_addressable(self) -> bool:
        """Whether all devices belong to this process."""
        return all(d.is_addressable for d in self.ordered_devices)

    @property
    def is_fully_replicated(self) -> bool:
        """Whether each device holds the whole array."""
        return self.num_devices == 1

    @property
    def is_concrete(self) -> bool:
        """Whether the devices are known."""
        return True

    def addressable_devices_indices_map(
        self, global_shape: tuple[int, ...]
    ) -> Mapping[Any, Index]:
        """`devices_indices_map` for the devices of this process."""
        found = self.devices_indices_map(global_shape)
        if self.is_fully_addressable:
            return found
        return {d: index for d, index in found.items() if d.is_addressable}

    def is_equivalent_to(self, other: "Sharding", ndim: int) -> bool:
        """Whether both divide arrays of `ndim` axes in the same way."""
        if self == other:
            return True
        if self.is_concrete is not other.is_concrete or (
            self.num_devices != other.num_devices
            or self.memory_kind != other.memory_kind
        ):
            return False
        if self.is_concrete and self.ordered_devices != other.ordered_devices:
            return False
        a, b = self.hlo_sharding(ndim), other.hlo_sharding(ndim)
        return hlo.placed_alike(a, b, self.num_devices)

    # Immutable, so a deep copy is the object itself.
    def __copy__(self) -> "Sharding":
        return self

    def __deepcopy__(self, memo: Any) -> "Sharding":
        return self


@caches.memoize(4096)
def _shard_shape(sharding, shape):
    sharding.check_compatible_aval(shape)
    counts = hlo.cuts(sharding.hlo_sharding(len(shape)), len(shape))
    for axis, (size, count) in enumerate(zip(shape, counts, strict=True)):
        if size % count:
            raise errors.IndivisibleError(
                errors.explain(
                    f"{sharding!r} implies that array axis {axis} is partitioned "
                    f"{count} times, but the dimension size is {size} (full shape: "
                    f"{shape}, per-dimension tiling factors: {tuple(counts)} should "
                    "evenly divide the shape).",
                    [("axis", f"{axis}, of size {size}"), ("parts", str(count))],
                    f"An axis is split evenly, and {size} is no multiple of {count}.",
                    "Pad the array, or split another axis.",
                )
            )
    return tuple(size // count for size, count in zip(shape, counts, strict=True))


@caches.memoize(4096)
def _indices(sharding, shape):
    part = sharding.shard_shape(shape)
    devices = sharding.ordered_devices
    rows = hlo.coordinates(sharding.hlo_sharding(len(shape)), len(shape), len(devices))
    counts = hlo.cuts(sharding.hlo_sharding(len(shape)), len(shape))
    axes = list(zip(part, counts, strict=True))
    return {
        device: tuple(
            slice(i * size, (i + 1) * size) if count > 1 else slice(None)
            for i, (size, count) in zip(row, axes, strict=True)
        )
        for device, row in zip(devices, rows, strict=True)
    }


class SingleDeviceSharding(Sharding):
    """The whole array on one device."""

    __slots__ = ("_device", "_memory_kind")

    def __init__(self, device: Any, *, memory_kind: str | None = None):
        if memory_kind is not None:
            _check_memory(device, memory_kind)
        self._device = device
        self._memory_kind = memory_kind or memory_kinds.default_of(device)

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

    def hlo_sharding(self, ndim: int) -> hlo.HloSharding:
        return hlo.REPLICATED

    def with_memory_kind(self, kind: str) -> "SingleDeviceSharding":
        """Returns the sharding of this device with another kind of memory."""
        return SingleDeviceSharding(self._device, memory_kind=kind)

    def check_compatible_aval(self, aval_shape: tuple[int, ...]) -> None:
        pass  # Every shape is compatible with a single device.

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

    # Devices belong to their process: only a pickler that handles devices can write them.
    def __reduce__(self):
        return of_device, (self._device, self._memory_kind)

    def __repr__(self) -> str:
        return (
            f"SingleDeviceSharding(device={self._device!r}, "
            f"memory_kind={self._memory_kind})"
        )


SingleDeviceSharding.__module__ = "jax.sharding"


def _check_memory(device, kind):
    known = [memory.kind for memory in device.addressable_memories()]
    if known and kind not in known:
        raise errors.value_error(
            f"Could not find memory addressable by device {device.platform}: it has no memory "
            f"of the kind {kind!r}.",
            [("device", repr(device)), ("its memories", ", ".join(known))],
            ways="Leave memory_kind out for the default one.",
        )
    default = memory_kinds.default_of(device)
    if default is not None and kind != default:
        mesh_usage.mark_used()  # Types record memory spaces as they record meshes.


class NamedSharding(Sharding):
    """An array whose axes are split over the axes of a mesh.

    Args:
        mesh: a `Mesh`, or an `AbstractMesh` where devices do not matter.
        spec: per axis of the array, the mesh axes over which it is split.
        memory_kind: the kind of memory; None: the default one of the mesh's devices.

    Raises:
        DuplicateSpecError: `spec` uses a mesh axis twice.
        ValueError: `spec` names an axis that `mesh` lacks, leaves an axis to the
            compiler where no mesh axis is of type `Auto`, or has sums over a mesh axis
            that is not `Explicit`; or there is no such memory.
        TypeError: `spec` is no `PartitionSpec`, or `mesh` no mesh.
    """

    __slots__ = (
        "__weakref__",
        "_hash",
        "_logical_device_ids",
        "_memory_kind",
        "mesh",
        "spec",
    )

    mesh: Any
    spec: partition_spec.PartitionSpec

    def __init__(
        self,
        mesh: Any,
        spec: partition_spec.PartitionSpec,
        *,
        memory_kind: str | None = None,
        _logical_device_ids: tuple[int, ...] | None = None,
    ):
        if not isinstance(spec, partition_spec.PartitionSpec):
            raise TypeError(
                f"{'Unexpected None. ' if spec is None else ''}NamedSharding takes a "
                f"PartitionSpec, not {spec!r}; write P('x', None)."
            )
        if not isinstance(mesh, mesh_lib.MeshAxes):
            raise TypeError(
                f"{'Unexpected None. ' if mesh is None else ''}NamedSharding takes a "
                f"jax.sharding.Mesh, not {mesh!r}."
            )
        _check_spec(mesh, spec)
        if isinstance(mesh, mesh_lib.Mesh):
            if memory_kind is None:
                memory_kind = mesh.default_memory_kind
            elif memory_kind != mesh.default_memory_kind and not mesh.empty:
                _check_memory(mesh.flat_devices[0], memory_kind)
        elif memory_kind is not None and memory_kind not in memory_kinds.KNOWN:
            known = ", ".join(memory_kinds.KNOWN)
            raise errors.value_error(
                f"Got invalid memory kind: {memory_kind}.",
                [("mesh", str(mesh))],
                f"Valid memory kinds are: {known}.",
                "Leave memory_kind out for the default one of the devices.",
            )
        self.mesh = mesh
        self.spec = spec
        self._memory_kind = memory_kind
        self._logical_device_ids = _logical_device_ids
        self._hash = hash((mesh, spec, memory_kind, _logical_device_ids))

    def _concrete_mesh(self, what):
        if isinstance(self.mesh, mesh_lib.Mesh):
            return self.mesh
        raise errors.value_error(
            f"{what} of a sharding over a mesh without devices.",
            [("sharding", repr(self))],
            "An AbstractMesh does not say which devices it has.",
            "Use a jax.sharding.Mesh.",
        )

    @property
    def device_set(self) -> set[Any]:
        return set(self._concrete_mesh("device_set").flat_devices)

    @property
    def ordered_devices(self) -> tuple[Any, ...]:
        return self._concrete_mesh("The devices").flat_devices

    @property
    def num_devices(self) -> int:
        return self.mesh.size

    @property
    def is_concrete(self) -> bool:
        return isinstance(self.mesh, mesh_lib.Mesh)

    @property
    def is_fully_addressable(self) -> bool:
        return not self._concrete_mesh("is_fully_addressable").is_multi_process

    @property
    def replicated(self) -> "NamedSharding":
        return self.update(spec=partition_spec.PartitionSpec())

    @property
    def memory_kind(self) -> str | None:
        return self._memory_kind

    def hlo_sharding(self, ndim: int) -> hlo.HloSharding:
        """Returns the `HloSharding` of arrays with `ndim` axes."""
        spec = self.spec
        entries = tuple(spec.names_of(axis) for axis in range(ndim))
        manual = frozenset(self.mesh.manual_axes)
        return hlo.of_axes(self.mesh.shape_tuple, entries, manual, spec.unreduced)

    @property
    def is_fully_replicated(self) -> bool:
        if self.spec.unreduced:
            return False
        sizes = self.mesh.shape
        return all(sizes[name] == 1 for name in self.spec.names)

    @property
    def summed(self) -> "NamedSharding":
        """Returns the sharding of an array after its pending sums: without unreduced or reduced axes."""
        spec = self.spec
        if not (spec.unreduced or spec.reduced):
            return self
        return self.update(spec=spec.with_sums(frozenset(), frozenset()))

    @property
    def first_summands(self) -> frozenset:
        """The devices that come first along all axes over which parts have to be summed.

        They have the parts of a value that is not a sum yet; others have zeros.
        """
        mesh = self.mesh
        first = tuple(
            slice(1) if name in self.spec.unreduced else slice(None)
            for name in mesh.axis_names
        )
        return frozenset(mesh.devices[first].flat)

    def check_compatible_aval(self, aval_shape: tuple[int, ...]) -> None:
        if len(aval_shape) < len(self.spec):
            raise errors.value_error(
                f"A sharding is only valid for values of rank at least {len(self.spec)}, but "
                f"was applied to a value of rank {len(aval_shape)}.",
                [("sharding", repr(self)), ("shape", str(tuple(aval_shape)))],
                "There is at most one entry of the PartitionSpec per axis.",
                "Leave the last entries out; of a scalar, all: P().",
            )

    def devices_indices_map(self, global_shape: tuple[int, ...]) -> Mapping[Any, Index]:
        if self.spec.unreduced:
            raise errors.not_implemented(
                "Parts that have still to be summed are no slices of an array.",
                [("sharding", repr(self))],
                ways="Sum them first: jax.reshard(x, P()).",
            )
        return _indices(self, tuple(global_shape))

    def with_memory_kind(self, kind: str) -> "NamedSharding":
        """Returns this sharding with another kind of memory."""
        return self.update(memory_kind=kind)

    def update(self, **changes: Any) -> "NamedSharding":
        """Returns a copy with another `mesh`, `spec` or `memory_kind`."""
        known = {
            "mesh": self.mesh,
            "spec": self.spec,
            "memory_kind": self._memory_kind,
            "_logical_device_ids": self._logical_device_ids,
        }
        return NamedSharding(**{**known, **changes})

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is NamedSharding
            and self.spec is other.spec
            and self.mesh is other.mesh
            and self._memory_kind == other._memory_kind
            and self._logical_device_ids == other._logical_device_ids
        )

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self):
        fields = self.mesh, self.spec, self._memory_kind, self._logical_device_ids
        return _unpickle_named, fields

    def __repr__(self) -> str:
        kind = f", memory_kind={self._memory_kind}" if self._memory_kind else ""
        return f"NamedSharding(mesh={self.mesh!s}, spec={self.spec!r}{kind})"


NamedSharding.__module__ = "jax.sharding"


def _unpickle_named(mesh, spec, memory_kind, ids):
    return NamedSharding(mesh, spec, memory_kind=memory_kind, _logical_device_ids=ids)


@caches.memoize(4096)
def _check_spec(mesh, spec):
    used = spec.names
    known = set(mesh.axis_names)
    facts = [("mesh", str(mesh)), ("spec", repr(spec))]
    for name in set(used):
        if used.count(name) > 1:
            raise errors.DuplicateSpecError(
                errors.explain(
                    f"A PartitionSpec uses the mesh axis {name!r} more than once.",
                    facts,
                    "A mesh axis splits at most one axis of an array.",
                )
            )
    for name in used:
        if name not in known:
            raise errors.value_error(
                f"Resource axis: {name} of {spec!r} is not found in mesh: "
                f"{mesh.axis_names!r}.",
                facts,
                "The entries of a spec are axes of its mesh.",
            )
    types = mesh.name_to_type
    if mesh.axis_types and mesh_lib.AxisType.Auto not in mesh.axis_types:
        if any(entry is partition_spec.UNCONSTRAINED for entry in spec.partitions):
            raise errors.value_error(
                "A PartitionSpec leaves an axis to the compiler.",
                facts,
                "P.UNCONSTRAINED needs a mesh axis of type Auto.",
                "Say None, or name mesh axes.",
            )
    for what in ("unreduced", "reduced"):
        for name in getattr(spec, what):
            if types.get(name) is not mesh_lib.AxisType.Explicit:
                raise errors.value_error(
                    f"A PartitionSpec has the axis {name!r} as {what}.",
                    [*facts, ("type", repr(types.get(name, "not in the mesh")))],
                    f"Axes that are {what} belong to the mesh and are Explicit.",
                )


class GSPMDSharding(Sharding):
    """The sharding that a compiler chose for an array, without a mesh whose axes describe it.

    Args:
        devices: in the order of the device assignment.
        sharding: an `HloSharding`, its text, or the bytes of its message.
        memory_kind: the kind of memory; None: the default one.
    """

    __slots__ = ("__weakref__", "_devices", "_memory_kind", "_sharding")

    def __init__(
        self,
        devices: Sequence[Any],
        sharding: hlo.HloSharding | str | bytes,
        *,
        memory_kind: str | None = None,
    ):
        if isinstance(sharding, str):
            sharding = hlo.parse(sharding)
        elif isinstance(sharding, bytes):
            sharding = hlo.from_bytes(sharding)
        self._devices = tuple(devices)
        self._sharding = sharding
        self._memory_kind = memory_kind or memory_kinds.default_of(self._devices[0])

    def __reduce__(self):
        make = ft.partial(GSPMDSharding, memory_kind=self._memory_kind)
        return make, (self._devices, self._sharding)

    @property
    def device_set(self) -> set[Any]:
        return set(self._devices)

    @property
    def ordered_devices(self) -> tuple[Any, ...]:
        return self._devices

    @property
    def replicated(self) -> "GSPMDSharding":
        return GSPMDSharding(
            self._devices, hlo.REPLICATED, memory_kind=self._memory_kind
        )

    @property
    def memory_kind(self) -> str | None:
        return self._memory_kind

    @property
    def is_fully_replicated(self) -> bool:
        return len(self._devices) == 1 or self._sharding.kind is hlo.Kind.REPLICATED

    def hlo_sharding(self, ndim: int) -> hlo.HloSharding:
        return self._sharding

    def with_memory_kind(self, kind: str) -> "GSPMDSharding":
        """Returns this sharding with another kind of memory."""
        return GSPMDSharding(self._devices, self._sharding, memory_kind=kind)

    def with_axis(self, position: int, ndim: int) -> "GSPMDSharding":
        """Returns the sharding of arrays with one more axis, `ndim` in all; the new axis is not split."""
        found = self.hlo_sharding(ndim - 1)
        if found.kind is not hlo.Kind.TILED:
            return self
        tiles = list(found.tiles)
        tiles.insert(position, 1)
        wider = hlo.HloSharding(
            found.kind,
            tuple(tiles),
            found.reshape,
            found.permutation,
            found.devices,
            found.last_kinds,
        )
        return GSPMDSharding(self._devices, wider, memory_kind=self._memory_kind)

    def check_compatible_aval(self, aval_shape: tuple[int, ...]) -> None:
        if len(aval_shape) < self._sharding.ndim:
            raise errors.value_error(
                f"A sharding is only valid for values of rank {self._sharding.ndim}, but was "
                f"applied to a value of rank {len(aval_shape)}.",
                [("sharding", repr(self)), ("shape", str(tuple(aval_shape)))],
            )

    def _key(self):
        return self._devices, self._sharding, self._memory_kind

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is GSPMDSharding and self._key() == other._key()
        )

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"GSPMDSharding({self._sharding}, memory_kind={self._memory_kind})"


def named_on(
    mesh: mesh_lib.Mesh,
    sharding: hlo.HloSharding,
    ndim: int,
    *,
    memory_kind: str | None = None,
) -> NamedSharding:
    """Returns the sharding that a compiler chose, as one by the axes of a mesh.

    Raises:
        IndivisibleError: the axes of the mesh cannot say it.
    """
    entries = hlo.entries_on(mesh.shape_tuple, sharding, ndim)
    return NamedSharding(
        mesh, partition_spec.PartitionSpec(*entries), memory_kind=memory_kind
    )


def part_count(mesh: mesh_lib.MeshAxes, names: Sequence[Hashable]) -> int:
    """Returns into how many parts an axis is cut that is split over the mesh axes `names`."""
    sizes = mesh.shape
    return math.prod(sizes[name] for name in names)


@traceback_filter.hides_frames
def make_single_device_sharding(
    device: Any, *, memory_kind: str | None = None
) -> SingleDeviceSharding:
    """The sharding of arrays on one device.

    Args:
        device: the device.
        memory_kind: the kind of its memory; None: the default one.
    """
    return of_device(device, memory_kind)


@caches.memoize(None)
def of_device(device: Any, memory_kind: str | None = None) -> SingleDeviceSharding:
    """Returns the sharding of a device, the same object each time, so that most comparisons are `is`."""
    return SingleDeviceSharding(device, memory_kind=memory_kind)
