"""Devices of machines, present or not."""

from collections.abc import Hashable, Sequence
from typing import Any

from jax._src.base import errors, records, traceback_filter
from jax._src.core import mesh as me
from jax._src.runtime import backends, device_meshes


@records.record
class TopologyDescription:
    """The devices of a machine."""

    devices: tuple[Any, ...]


@traceback_filter.hides_frames
def get_attached_topology(platform: str | None = None) -> TopologyDescription:
    """The devices that are there.

    Args:
        platform: of which platform; None: of the default one.
    """
    return TopologyDescription(tuple(backends.devices(platform)))


@traceback_filter.hides_frames
def get_topology_desc(
    topology_name: str = "", platform: str | None = None, **kwargs: Any
) -> TopologyDescription:
    """The devices of a machine that is described.

    Args:
        topology_name: what the plugin calls the machine.
        platform: the platform; None: the default one.
        **kwargs: settings of the plugin.

    Raises:
        NotImplementedError: always; machines that are not there cannot be described yet.
    """
    raise NotImplementedError(
        errors.explain(
            "get_topology_desc: descriptions of absent machines are not supported.",
            [("topology_name", repr(topology_name)), ("platform", repr(platform))],
            ways="For the devices that are there: get_attached_topology().\n"
            "To lower for any number of devices, use an AbstractMesh.",
        )
    )


@traceback_filter.hides_frames
def make_mesh(
    topo: TopologyDescription,
    mesh_shape: Sequence[int],
    axis_names: tuple[Hashable, ...],
    *,
    contiguous_submeshes: bool = False,
) -> me.Mesh:
    """A mesh of the devices of a machine.

    Args:
        topo: the machine.
        mesh_shape: the size of each axis.
        axis_names: the name of each axis.
        contiguous_submeshes: accepted for compatibility.

    Raises:
        ValueError: the shape needs another number of devices.
    """
    grid = device_meshes.create_device_mesh(mesh_shape, list(topo.devices))
    return me.Mesh(grid, axis_names)
