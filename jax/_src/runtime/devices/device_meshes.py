"""Arrays of devices for meshes, in an order that suits them."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, traceback_filter
from jax._src.runtime.devices import backends

# Neighbours along the ring through the eight cores of a tray of four TPUs.
_TRAY_RING = (0, 1, 2, 3, 6, 7, 4, 5)


def _along_trays(mesh_shape: Sequence[int], devices: list[Any]) -> np.ndarray | None:
    """The devices in the order of the rings of their trays, where an axis is one tray."""
    if len(devices) != len(_TRAY_RING) and tuple(mesh_shape)[-1:] != (len(_TRAY_RING),):
        return None
    trays = np.array(devices, object).reshape(-1, len(_TRAY_RING))
    return trays[:, _TRAY_RING].reshape(tuple(mesh_shape))


# From kinds of devices to functions (mesh_shape, devices) that order them, or None.
device_kind_handler_dict: dict[str, Callable[..., np.ndarray | None]] = {
    "TPU v2": _along_trays,
    "TPU v3": _along_trays,
}


@traceback_filter.hides_frames
def create_device_mesh(
    mesh_shape: Sequence[int],
    devices: Sequence[Any] | None = None,
    *,
    contiguous_submeshes: bool = False,
    allow_split_physical_axes: bool = False,
) -> np.ndarray:
    """All devices in an array, for a `jax.sharding.Mesh`.

    Args:
        mesh_shape: the shape of the array.
        devices: the devices; None: those of the default backend.
        contiguous_submeshes: accepted for compatibility.
        allow_split_physical_axes: accepted for compatibility.

    Returns:
        An array of objects. Devices of a kind without an order of its own keep theirs.

    Raises:
        ValueError: the shape needs another number of devices.
    """
    chosen = list(backends.devices() if devices is None else devices)
    count = math.prod(mesh_shape)
    if len(chosen) != count:
        raise errors.value_error(
            "create_device_mesh: the shape does not fit the devices.",
            [("mesh_shape", str(tuple(mesh_shape))), ("devices", str(len(chosen)))],
            f"A mesh of this shape has {count} devices.",
            "Pass as many with devices=, or use jax.make_mesh, which takes the first.",
        )
    handler = device_kind_handler_dict.get(chosen[0].device_kind) if chosen else None
    ordered = handler(mesh_shape, chosen) if handler is not None else None
    if ordered is not None:
        return ordered
    return np.array(chosen, object).reshape(tuple(mesh_shape))


@traceback_filter.hides_frames
def create_hybrid_device_mesh(
    mesh_shape: Sequence[int],
    dcn_mesh_shape: Sequence[int],
    devices: Sequence[Any] | None = None,
    *,
    process_is_granule: bool = False,
    should_sort_granules_by_key: bool = True,
    allow_split_physical_axes: bool = False,
) -> np.ndarray:
    """Arranges devices in an array, some of whose axes cross slow connections.

    Args:
        mesh_shape: the shape within a group.
        dcn_mesh_shape: the shape of the array of groups, with as many axes.
        devices: the devices; None: those of the default backend.
        process_is_granule: whether a group is a process instead of a slice.
        should_sort_granules_by_key: whether groups are in the order of their numbers.
        allow_split_physical_axes: accepted for compatibility.

    Returns:
        An array of objects; its shape is the product of both, axis by axis.

    Raises:
        ValueError: devices do not report their group, or the shapes do not fit them.
    """
    chosen = list(backends.devices() if devices is None else devices)
    key = "process_index" if process_is_granule else "slice_index"
    groups: dict[int, list[Any]] = {}
    for device in chosen:
        number = getattr(device, key, None)
        if number is None:
            raise errors.value_error(
                f"create_hybrid_device_mesh: a device has no {key}.",
                [("device", repr(device)), ("kind", device.device_kind)],
                "Groups of devices are told apart by it.",
                "If a process is a group: process_is_granule=True.",
            )
        groups.setdefault(number, []).append(device)
    if math.prod(dcn_mesh_shape) != len(groups) or (
        len(mesh_shape) != len(dcn_mesh_shape)
    ):
        raise errors.value_error(
            "create_hybrid_device_mesh: the shapes do not fit the groups.",
            [
                ("mesh_shape", str(tuple(mesh_shape))),
                ("dcn_mesh_shape", str(tuple(dcn_mesh_shape))),
                ("groups", str(len(groups))),
            ],
            "The product of dcn_mesh_shape is the number of groups, and both shapes "
            "have the same number of axes.",
        )
    numbers = sorted(groups) if should_sort_granules_by_key else list(groups)
    parts = np.empty(len(groups), object)
    parts[:] = [create_device_mesh(mesh_shape, groups[n]) for n in numbers]
    return np.block(parts.reshape(tuple(dcn_mesh_shape)).tolist())
