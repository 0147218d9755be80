"""Shardings of arguments and results of exported programs.

An exported program knows no devices, only how many there are: its placements are
shardings over meshes without devices, or None where nothing was said. Programs of older
versions have placements in compilers' terms instead, which name no axes.
"""

from collections.abc import Sequence
from typing import Any

from jax._src.base import errors
from jax._src.core import (
    avals as avals_lib,
    hlo_sharding as hlo,
    mesh as mesh_lib,
    partition_spec,
    shardings as shardings_lib,
)
from jax._src.runtime.compilation import assignment as asg

_NO_MESH = mesh_lib.AbstractMesh((), ())


def without_devices(
    shardings: Sequence[Any], avals: Sequence[Any], mesh: mesh_lib.AbstractMesh | None
) -> tuple[shardings_lib.NamedSharding | None, ...]:
    """Placements as an exported program keeps them.

    Args:
        shardings: a sharding per argument or result; None: the compiler chooses.
        avals: their types.
        mesh: the one to name placements on that name none themselves.
    """
    return tuple(
        _without_devices(sharding, aval, mesh)
        for sharding, aval in zip(shardings, avals, strict=True)
    )


def _without_devices(sharding, aval, mesh):
    if sharding is None:
        return None
    if isinstance(sharding, shardings_lib.NamedSharding):
        abstract = sharding.mesh.abstract_mesh
        return shardings_lib.NamedSharding(
            abstract, sharding.spec, memory_kind=sharding.memory_kind
        )
    if mesh is not None and isinstance(sharding, shardings_lib.GSPMDSharding):
        entries = hlo.entries_on(
            mesh.shape_tuple, sharding.hlo_sharding(aval.ndim), aval.ndim
        )
        spec = partition_spec.PartitionSpec(*entries)
        return shardings_lib.NamedSharding(mesh, spec, memory_kind=sharding.memory_kind)
    if not sharding.is_fully_replicated:
        return None  # No mesh says it; the module does.
    return shardings_lib.NamedSharding(
        _NO_MESH, partition_spec.PartitionSpec(*[None] * aval.ndim)
    )


def first_mesh(shardings: Sequence[Any]) -> mesh_lib.AbstractMesh | None:
    """The mesh of the first placement that has one."""
    for sharding in shardings:
        if (
            isinstance(sharding, shardings_lib.NamedSharding)
            and not sharding.mesh.empty
        ):
            return sharding.mesh.abstract_mesh
    return None


def on_mesh(
    placement: shardings_lib.NamedSharding | None, mesh: Any
) -> shardings_lib.NamedSharding | None:
    """Returns a placement on another mesh of the same axes; mesh None: the placement itself.

    Raises:
        ValueError: the axes differ.
    """
    if placement is None or mesh is None:
        return placement
    here, there = placement.mesh, mesh.abstract_mesh
    same_axes = here.shape_tuple == there.shape_tuple
    if not same_axes or here.axis_types != there.axis_types:
        raise errors.value_error(
            "This mesh does not match the mesh used for export.",
            [("exported", str(here)), ("mesh", str(mesh))]
            + [("spec", repr(placement.spec))],
            "Names, sizes and types of the axes are those of the exported program.",
            f"Make a mesh of these axes: jax.make_mesh({here.axis_sizes!r}, "
            f"{here.axis_names!r}, axis_types={here.axis_types!r}).",
        )
    return placement.update(mesh=mesh)


def named_on_mesh(
    placement: hlo.HloSharding | None, ndim: int, mesh: Any
) -> shardings_lib.NamedSharding | None:
    """What a program of an older version says of a value, named on a mesh.

    Raises:
        IndivisibleError: the axes of the mesh cannot say it.
    """
    if placement is None or mesh is None:
        return None
    return shardings_lib.named_on(mesh, placement, ndim)


def types_on_mesh(
    avals: Sequence[avals_lib.ShapedArray],
    placements: Sequence[shardings_lib.NamedSharding | None],
) -> tuple[avals_lib.ShapedArray, ...]:
    """The types, with what placements on Explicit axes say of them."""
    return tuple(
        aval
        if sharding is None or not sharding.mesh.explicit_axes
        else aval.update(sharding=_of_type(sharding, aval.ndim))
        for aval, sharding in zip(avals, placements, strict=True)
    )


def _of_type(sharding, ndim):
    explicit = set(sharding.mesh.explicit_axes)
    spec = sharding.spec
    names = [
        tuple(name for name in spec.names_of(axis) if name in explicit)
        for axis in range(ndim)
    ]
    spec = partition_spec.PartitionSpec(
        *names, unreduced=spec.unreduced, reduced=spec.reduced
    )
    return shardings_lib.NamedSharding(sharding.mesh, spec)


def on_absent_devices(
    count: int,
    platform: str,
    placements: Sequence[shardings_lib.NamedSharding | None],
    avals: Sequence[Any],
    kept: Sequence[int],
) -> asg.Assignment:
    """Where a program runs whose arguments have these placements."""
    inputs = [
        _of_type(aval.sharding, aval.ndim)
        if sharding is None and aval.is_placed and not aval.sharding.mesh.empty
        else sharding
        for sharding, aval in zip(placements, avals, strict=True)
    ]
    inputs = [None if p is None or p.mesh.empty else p for p in inputs]
    return asg.on_absent_devices(count, platform, inputs, avals, kept)


def check_device_count(exported: Any, count: int, is_manual: bool) -> None:
    """Refuses a call of a program for several devices on another number of them.

    Raises:
        ValueError: the numbers differ, or the call stands in `shard_map`.
    """
    if exported.nr_devices == 1:
        return
    name, wanted = exported.fun_name, exported.nr_devices
    if is_manual:
        raise errors.value_error(
            f"Function {name} was exported for {wanted} devices and is called in "
            "shard_map.",
            [],
            "There each device runs on its own, and the function needs them all.",
            "Call it outside, or export what one device does.",
        )
    if count != wanted:
        raise errors.value_error(
            f"Function {name} was exported for {wanted} devices and is called in a "
            f"context with {count} devices, which is not allowed.",
            [
                (f"{kind} {number}", repr(sharding))
                for kind, shardings in (
                    ("argument", exported._in_named_shardings),
                    ("result", exported._out_named_shardings),
                )
                for number, sharding in enumerate(shardings)
                if sharding is not None
            ],
            "An exported program runs on as many devices as it was exported for.",
            "Put the arguments on a mesh of so many, jax.device_put(x, "
            "exported.in_shardings_jax(mesh)[0]), or call it under jax.set_mesh.",
        )
