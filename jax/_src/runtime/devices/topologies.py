"""Devices of machines, present or not."""

import math
from collections.abc import Hashable, Sequence
from typing import Any

from jax._src.base import errors, records, traceback_filter
from jax._src.core import mesh
from jax._src.lib import client
from jax._src.runtime import ffi
from jax._src.runtime.devices import backends, device_meshes, plugin_failures, plugins


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
    """The devices of a machine that is described, to compile programs for it.

    The machine need not be there: nothing can be put on its devices, and what is
    compiled for them cannot be called. Such programs are made by
    ``jax.jit(f).lower(...)`` of `jax.ShapeDtypeStruct` with shardings on the devices.

    Args:
        topology_name: what the plugin calls the machine, such as ``"v5e:2x2"``. Of our
            CPU plugin: how many devices there are, as a number or as sizes whose product
            it is, ``"8"`` or ``"4x2"``; empty: as many as are attached.
        platform: the plugin's name; None: that of the default devices.
        **kwargs: what else the plugin wants to know. Those of XLA for GPUs take
            ``target_config`` and ``topology="slices x hosts x devices"``.

    Raises:
        RuntimeError: there is no such plugin, or it cannot be loaded.
        JaxRuntimeError: the plugin does not know the machine.

    Examples:
        >>> from jax.experimental import topologies
        >>> machine = topologies.get_topology_desc("16x4", platform="cpu")
        >>> mesh = topologies.make_mesh(machine, (16, 4), ("data", "model"))
        >>> types = jax.ShapeDtypeStruct(
        ...     (64, 8), "float32", sharding=jax.NamedSharding(mesh, jax.P("data")))
        >>> compiled = jax.jit(lambda x: x @ x.T).lower(types).compile()
        >>> compiled.memory_analysis().argument_size_in_bytes
        128
    """
    known = plugins.registered()
    names = [platform] if platform else [next(iter(backends.backends()))]
    spec = known.get(plugins.expand(names, known)[0])
    if spec is None:
        raise RuntimeError(plugin_failures.unknown_platform(names[0], known))
    try:
        plugin = backends.load_plugin(spec)
    except errors.JaxRuntimeError as error:
        raise RuntimeError(plugin_failures.cannot_start(spec, error)) from None
    if spec.library_path is None:
        topology_name, kwargs = _counted(topology_name, kwargs)
    machine = client.describe_machine(plugin, topology_name, kwargs)
    backends.announce(machine)
    ffi.remember_machine(machine)
    return TopologyDescription(tuple(machine.devices()))


def _counted(name, options):
    """The name and options of a machine that is named by its number of devices."""
    sizes = name.removeprefix("cpu:").split("x")
    if all(size.isascii() and size.isdecimal() for size in sizes):
        return "cpu", {"cpu_device_count": math.prod(map(int, sizes)), **options}
    if not name:
        return "cpu", {"cpu_device_count": len(backends.devices("cpu")), **options}
    return name, options


@traceback_filter.hides_frames
def make_mesh(
    topo: TopologyDescription,
    mesh_shape: Sequence[int],
    axis_names: tuple[Hashable, ...],
    *,
    contiguous_submeshes: bool = False,
) -> mesh.Mesh:
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
    return mesh.Mesh(grid, axis_names)
