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
    def serialize(self) -> bytes:
        """The machine as bytes, for `deserialize` in a process with the same plugin.

        Raises:
            ValueError: there are no devices. JaxRuntimeError: the plugin cannot do it.
        """
        if not self.devices:
            raise errors.value_error(
                "A topology without devices cannot be serialized.",
                rule="What the plugin knows of a machine comes with its devices.",
            )
        machine = self.devices[0].client
        return b"\0".join(
            [_SIGN, machine.platform.encode(), machine.serialized_machine()]
        )

    @classmethod
    @traceback_filter.hides_frames
    def deserialize(cls, serialized: bytes) -> "TopologyDescription":
        """The machine that `serialize` made bytes of, present or not.

        Args:
            serialized: the bytes.

        Raises:
            ValueError: they are no such bytes. RuntimeError: its plugin is not there.
            JaxRuntimeError: the plugin does not know such a machine.

        Examples:
            >>> from jax.experimental import topologies
            >>> machine = topologies.get_topology_desc("4x2", platform="cpu")
            >>> same = topologies.TopologyDescription.deserialize(machine.serialize())
            >>> len(same.devices)
            8
        """
        parts = serialized.split(b"\0", 2) if isinstance(serialized, bytes) else []
        if len(parts) != 3 or parts[0] != _SIGN:
            raise errors.value_error(
                "Failed to parse a topology from serialized bytes.",
                [("given", f"{serialized!r:.60}")],
                "They come from TopologyDescription.serialize.",
            )
        _, platform, message = parts
        _, plugin = _plugin_of(platform.decode("utf-8", "replace"))
        return _description(client.Client.restore_machine(plugin, message))


# What serialized machines begin with.
_SIGN = b"jax topology 1"


def _plugin_of(platform):
    """What is registered of a plugin, and the plugin, loaded."""
    known = plugins.registered()
    names = [platform] if platform else [next(iter(backends.backends()))]
    spec = known.get(plugins.expand(names, known)[0])
    if spec is None:
        raise RuntimeError(plugin_failures.unknown_platform(names[0], known))
    try:
        return spec, backends.load_plugin(spec)
    except errors.JaxRuntimeError as error:
        raise RuntimeError(plugin_failures.cannot_start(spec, error)) from None


def _description(machine):
    backends.announce(machine)
    ffi.remember_machine(machine)
    return TopologyDescription(tuple(machine.devices()))


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
    spec, plugin = _plugin_of(platform)
    if spec.library_path is None:
        topology_name, kwargs = _counted(topology_name, kwargs)
    return _description(client.describe_machine(plugin, topology_name, kwargs))


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
