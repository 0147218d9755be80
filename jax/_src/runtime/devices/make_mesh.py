"""Meshes of the devices of this process."""

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, releases, traceback_filter
from jax._src.core import mesh
from jax._src.runtime.devices import backends

# What the argument of the sizes is called.
_SIZES = releases.rule("make_mesh_takes")


@traceback_filter.hides_frames
@releases.renames(axis_sizes=_SIZES)
def make_mesh(
    axis_sizes: Sequence[int],
    axis_names: Sequence[Hashable],
    axis_types: Sequence[mesh.AxisType] | None = None,
    *,
    devices: Sequence[Any] | None = None,
) -> mesh.Mesh:
    """A mesh of the first devices, in their order.

    Args:
        axis_sizes: the size of each axis; `axis_shapes` before 0.12.
        axis_names: the name of each axis.
        axis_types: an `AxisType` per axis; None: all `Explicit`.
        devices: the devices to take from; None: those of the default backend.

    Raises:
        ValueError: there are not that many devices, or not a name for each axis.
    """
    chosen = list(backends.devices() if devices is None else devices)
    count = math.prod(axis_sizes)
    if count < 1:
        raise errors.value_error(
            "make_mesh: a mesh has at least one device.",
            [(_SIZES, repr(tuple(axis_sizes)))],
            "The size of each axis is 1 or more.",
        )
    if count > len(chosen):
        raise errors.value_error(
            f"Number of devices {len(chosen)} must be >= the product of mesh_shape "
            f"{tuple(axis_sizes)}.",
            [("axes", repr(tuple(axis_sizes))), ("devices", str(len(chosen)))],
            ways="On the CPU, jax_num_cpu_devices sets their number.",
        )
    array = np.array(chosen[:count], object).reshape(axis_sizes)
    names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
    if axis_types is None:
        axis_types = (mesh.AxisType.Explicit,) * len(names)
    return mesh.Mesh(array, names, axis_types)
