"""Meshes as libraries ask about them."""

import collections
from collections.abc import Mapping, Sequence
from typing import Any

from jax._src.base import errors
from jax._src.core import (
    hlo_sharding as hlo,
    mesh as mesh_lib,
    mesh_context,
    partition_spec,
    shardings,
)

# From the names of mesh axes to the axes of an array.
ArrayMapping = collections.OrderedDict[Any, int]
# What stands for one axis in the index of a shard, or a tuple of those.
Index = int | slice | tuple[int | slice, ...]


def array_mapping_to_axis_resources(array_mapping: Mapping[Any, int]) -> Any:
    """The `PartitionSpec` of a mapping from mesh axes to axes of an array."""
    if not array_mapping:
        return partition_spec.PartitionSpec()
    by_axis: dict[int, list[Any]] = {}
    for name, axis in array_mapping.items():
        by_axis.setdefault(axis, []).append(name)
    entries = [by_axis.get(axis, []) for axis in range(max(by_axis) + 1)]
    parts = [tuple(e) if len(e) > 1 else (e[0] if e else None) for e in entries]
    return partition_spec.PartitionSpec(*parts)


def are_hlo_shardings_equal(hc1: hlo.HloSharding, hc2: hlo.HloSharding) -> bool:
    """Whether two shardings of a program divide arrays alike."""
    count = max(_device_count(hc1), _device_count(hc2))
    return hlo.placed_alike(hc1, hc2, count)


def is_hlo_sharding_replicated(hc: hlo.HloSharding) -> bool:
    """Whether every device has the whole array."""
    return are_hlo_shardings_equal(hc, hlo.REPLICATED)


def op_sharding_to_indices(
    op_sharding: hlo.HloSharding, shape: Sequence[int], num_devices: int
) -> tuple[tuple[slice, ...], ...]:
    """For each device, in order, which part of an array of that shape it has."""
    counts = hlo.cuts(op_sharding, len(shape))
    return tuple(
        tuple(
            slice(i * (size // n), (i + 1) * (size // n)) if n > 1 else slice(None)
            for i, n, size in zip(row, counts, shape, strict=True)
        )
        for row in hlo.coordinates(op_sharding, len(shape), num_devices)
    )


def _device_count(sharding):
    return sharding.grid().size if sharding.kind is hlo.Kind.TILED else 1


class ResourceEnv:
    """The meshes that were entered by ``with mesh:``."""

    __slots__ = ("physical_mesh",)

    def __init__(self, physical_mesh: Any):
        self.physical_mesh = physical_mesh

    @property
    def resource_axes(self) -> set[Any]:
        """The names of the mesh's axes."""
        return set(self.physical_mesh.axis_names)

    physical_resource_axes = resource_axes

    @property
    def shape(self) -> Any:
        """Sizes of the axes by name."""
        return self.physical_mesh.shape

    @property
    def local_shape(self) -> Any:
        """Sizes of the axes by name, of this process's part."""
        mesh = self.physical_mesh
        return mesh.shape if mesh.empty else mesh.local_mesh.shape

    def __repr__(self) -> str:
        return f"ResourceEnv(mesh={self.physical_mesh!r})"


class _ThreadResources:
    """The meshes of this thread."""

    @property
    def env(self) -> ResourceEnv:
        """The mesh that was entered last; an empty one outside of every block."""
        blocks = mesh_lib.entered.get()
        return ResourceEnv(blocks[-1] if blocks else _NO_MESH)


_NO_MESH = mesh_lib.Mesh(None, ())
thread_resources = _ThreadResources()


def get_concrete_mesh() -> Any:
    """The mesh of `jax.set_mesh` here; an empty one outside of every block."""
    found = mesh_context.concrete_mesh()
    return _NO_MESH if found is None else found


def canonicalize_sharding(
    sharding: Any, api_name: str, check_mesh_consistency: bool = True
) -> Any:
    """A sharding over the abstract mesh, from one that the user gave.

    Args:
        sharding: a `NamedSharding`, a `PartitionSpec` over the mesh of the context, or
            None.
        api_name: the function that was given it, for messages.
        check_mesh_consistency: accepted: meshes are compared where they are used.

    Raises:
        ValueError: a spec is given, and no mesh is set.
    """
    if sharding is None:
        return None
    if not isinstance(sharding, partition_spec.PartitionSpec):
        return shardings.NamedSharding(sharding.mesh.abstract_mesh, sharding.spec)
    mesh = mesh_context.get_abstract_mesh()
    if mesh.empty:
        raise errors.value_error(
            f"{api_name}: Using PartitionSpec when you are not under a mesh context is "
            "not allowed.",
            [("spec", str(sharding))],
            "A spec names axes of the mesh of the context.",
            "Pass a NamedSharding instance, or enter a mesh context by jax.set_mesh.",
        )
    return shardings.NamedSharding(mesh, sharding)
