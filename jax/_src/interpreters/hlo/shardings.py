"""Shardings of StableHLO programs as the bytes that HLO instructions hold."""

from collections.abc import Mapping, Sequence
from typing import Any

from jax._src.core import hlo_sharding


def bytes_of_text(text: str) -> bytes:
    """The `OpSharding` of a sharding's text, such as ``{devices=[2,1]<=[2]}``."""
    return hlo_sharding.to_bytes(hlo_sharding.parse(text))


def bytes_of_attribute(attribute: Any, meshes: Mapping[str, Any]) -> bytes | None:
    """The `OpSharding` of a sharding over named axes.

    Args:
        attribute: an ``sdy.sharding``, or a list of one.
        meshes: the meshes of the module, by name.

    Returns:
        None where HLO cannot state it: on a part of an axis, or on devices in an order of
        their own.
    """
    listed = getattr(attribute, "shardings", None)
    if listed is not None:
        if len(listed) != 1:
            return None
        (attribute,) = listed
    reference = attribute.mesh_or_ref
    mesh = meshes.get(getattr(reference, "value", ""), reference)
    if not hasattr(mesh, "axes") or list(mesh.device_ids):
        return None
    axes = tuple((axis.name, int(axis.size)) for axis in mesh.axes)
    entries = [d.axes for d in attribute.dimension_shardings]
    unreduced = list(attribute.unreduced_axes)
    used = [axis for entry in [*entries, unreduced] for axis in entry]
    if any(axis.sub_axis_info is not None for axis in used):
        return None
    found = hlo_sharding.of_axes(
        axes,
        tuple(tuple(axis.name for axis in entry) for entry in entries),
        unreduced=frozenset(axis.name for axis in unreduced),
    )
    return hlo_sharding.to_bytes(found)


def of_results(found: Sequence[bytes | None]) -> bytes:
    """The sharding of the value that a program returns.

    Args:
        found: the sharding of each result; None where it is not stated.
    """
    parts = [
        hlo_sharding.from_bytes(data)
        if data is not None
        else hlo_sharding.HloSharding(hlo_sharding.Kind.UNKNOWN)
        for data in found
    ]
    if len(parts) == 1:
        return hlo_sharding.to_bytes(parts[0])
    whole = hlo_sharding.HloSharding(hlo_sharding.Kind.TUPLE, elements=tuple(parts))
    return hlo_sharding.to_bytes(whole)
