"""Meshes of the devices of this process."""

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, traceback_filter
from jax._src.core import mesh
from jax._src.runtime import backends


@traceback_filter.hides_frames
def make_mesh(
    axis_shapes: Sequence[int],
    axis_names: Sequence[Hashable],
    axis_types: Sequence[mesh.AxisType] | None = None,
    *,
    devices: Sequence[Any] | None = None,
) -> mesh.Mesh:
    """A mesh of the first devices, in their order.

    Args:
        axis_shapes: the size of each axis.
        axis_names: the name of each axis.
        axis_types: an `AxisType` per axis; None: all `Explicit`.
        devices: the devices to take from; None: those of the default backend.

    Raises:
        ValueError: there are not that many devices, or not a name for each axis.
    """
    chosen = list(backends.devices() if devices is None else devices)
    count = math.prod(axis_shapes)
    if count < 1:
        raise ValueError(
            errors.explain(
                "make_mesh: a mesh has at least one device.",
                [("axis_shapes", repr(tuple(axis_shapes)))],
                "The size of each axis is 1 or more.",
            )
        )
    if count > len(chosen):
        raise ValueError(
            errors.explain(
                f"A mesh of {count} devices was requested.",
                [("axes", repr(tuple(axis_shapes))), ("devices", str(len(chosen)))],
                ways="On the CPU, jax_num_cpu_devices sets their number.",
            )
        )
    array = np.array(chosen[:count], object).reshape(axis_shapes)
    names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
    if axis_types is None:
        axis_types = (mesh.AxisType.Explicit,) * len(names)
    return mesh.Mesh(array, names, axis_types)
