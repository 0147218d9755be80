"""What `shard_map` refuses: meshes, specs and results that do not fit."""

from collections.abc import Hashable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors
from jax._src.core import (
    avals as avals_lib,
    effects as effects_lib,
    mesh as mesh_lib,
    mesh_context,
    partition_spec,
    shardings,
    vma,
)
from jax._src.shard_map import specs as specs_lib

P = partition_spec.PartitionSpec


def mesh_of(what: str, mesh: Any) -> Any:
    """The mesh to use: the given one, or that of the context.

    Raises:
        TypeError: it is no mesh.
        ValueError: there is none, or it differs from that of the context.
    """
    if mesh is not None and not isinstance(mesh, mesh_lib.Mesh | mesh_lib.AbstractMesh):
        raise TypeError(
            f"{what} requires a `jax.sharding.Mesh` or a `jax.sharding.AbstractMesh` instance "
            f"for its mesh, but got {mesh!r} of type {type(mesh).__name__}."
        )
    context = mesh_context.get_abstract_mesh()
    if mesh is None:
        found = mesh_context.mesh_for_specs()
        if found is None or found.empty:
            raise errors.value_error(
                f"{what}: The context mesh cannot be empty.",
                [("mesh", "not given"), ("context", "none is set here")],
                ways="Pass mesh=…, or set one with jax.set_mesh(mesh).",
            )
        return found
    if not context.empty and not _fits(mesh, context):
        raise errors.value_error(
            f"{what}: the mesh differs from that of the context.",
            [("mesh", repr(mesh.abstract_mesh)), ("context", repr(context))],
            "Inside of a context or of another shard_map, the mesh is that one, with "
            "axes of the same types.",
            "Leave mesh out.",
        )
    return mesh


def _fits(mesh, context):
    """Whether two meshes have the same axes, of which some may be Manual already."""
    if mesh.shape_tuple != context.shape_tuple:
        return False
    if context.are_all_axes_auto and mesh.are_all_axes_explicit:
        return True  # In the body they are Manual anyway.
    pairs = zip(mesh.axis_types, context.axis_types, strict=True)
    return all(a is b or b is mesh_lib.AxisType.Manual for a, b in pairs)


def axes_of(what: str, mesh: Any, axis_names: Any) -> frozenset[Hashable]:
    """The axes that become manual: those named, or all.

    Raises:
        TypeError: they are no set.
        ValueError: there is no such axis, or it is manual already.
    """
    if not isinstance(axis_names, set | frozenset):
        raise TypeError(
            f"{what}: axis_names must be a set of names, not {axis_names!r} of type "
            f"{type(axis_names).__name__}."
        )
    facts = [("axis_names", repr(set(axis_names))), ("mesh", repr(mesh))]
    if axis_names - set(mesh.axis_names):
        raise errors.value_error(
            f"{what}: axis_names has a name that is no axis of the mesh.", facts
        )
    axes = frozenset(axis_names) or frozenset(mesh.axis_names)
    already = axes & frozenset(mesh_context.get_abstract_mesh().manual_axes)
    if already:
        listed = ", ".join(map(repr, specs_lib.in_mesh_order(mesh, already)))
        raise errors.value_error(
            f"{what}: the axes {listed} belong to a shard_map around already.",
            facts,
            "Nested shard_maps are over different axes.",
            "Name the axes that are left: axis_names={…}.",
        )
    return axes


def check_spec_types(what: str, specs: Any, *, allows_none: bool) -> None:
    """Refuses leaves that are no specs.

    Raises:
        TypeError: one is not.
    """
    for spec in tree.tree_leaves(specs, is_leaf=is_spec):
        if not is_spec(spec) and not (allows_none and spec is None):
            none = " or None" if allows_none else ""
            raise errors.type_error(
                f"{what} holds what is no PartitionSpec.",
                [("got", repr(spec)), ("type", type(spec).__name__)],
                f"Its leaves are PartitionSpecs{none}.",
                "For an array of which every device has the whole: P().",
            )


def is_spec(x: Any) -> bool:
    """Whether a part of a tree of specs is a leaf."""
    return isinstance(x, P | partition_spec.HiPspec)


def is_spec_or_none(x: Any) -> bool:
    """Whether `x` is a spec, or None for an argument that is static."""
    return x is None or is_spec(x)


def refuse_ordered(effects: effects_lib.Effects, mesh: Any) -> None:
    """Refuses effects of a mapped function whose order over several devices is not told.

    Raises:
        ValueError: there are such effects, and more than one device.
    """
    ordered = frozenset(effects_lib.ordered_effects.filter_in(effects))
    wrong = effects_lib.shardable_ordered_effects.filter_not_in(ordered)
    if wrong and mesh.size > 1:
        raise errors.value_error(
            "The following ordered effects are not supported for more than 1 device: "
            f"{sorted(wrong, key=str)}",
            [("mapped by", "pmap"), ("devices", str(mesh.size))],
            "The entries of a pmap have no order among each other.",
            "Leave ordered=True out, or use jax.shard_map, where each device keeps "
            "its own order.",
        )


def check_specs(
    what: str, specs: Sequence[P], mesh: Any, axes: frozenset[Hashable]
) -> None:
    """Refuses specs that name other axes than those that become manual.

    Raises:
        ValueError: one does, or a name is unknown.
        DuplicateSpecError: an axis is named twice.
    """
    for spec in specs:
        if isinstance(spec, partition_spec.HiPspec):
            check_specs(what, spec.to_lo(), mesh, axes)
            continue
        # Its checks of names are those wanted here.
        bare = P(*spec.partitions)
        shardings.NamedSharding(mesh.abstract_mesh, bare)
        other = specs_lib.names_of(spec) - axes
        if other or partition_spec.UNCONSTRAINED in spec.partitions:
            raise errors.value_error(
                f"{what} names an axis that is not manual.",
                [("spec", repr(spec)), ("manual", repr(set(axes)))]
                + [("mesh", repr(mesh))],
                "Specs say how arrays are split over the axes in axis_names.",
                "Add the axis to axis_names, or leave it out of the spec.",
            )
        sums = spec.unreduced | spec.reduced
        if sums and axes != frozenset(mesh.axis_names):
            raise NotImplementedError(
                f"{what}: {spec!r} with axis_names; unreduced and reduced are for "
                "shard_map over all axes of the mesh."
            )
        if sums - frozenset(mesh.explicit_axes):
            raise errors.value_error(
                f"{what} has unreduced or reduced axes that are not Explicit.",
                [("spec", repr(spec)), ("mesh", repr(mesh))],
            )


def check_fit(
    what: str,
    leaves: Sequence[tuple[str, Any, P]],
    mesh: Any,
) -> None:
    """Refuses specs that do not fit the shapes of arrays.

    Args:
        what: what has the specs.
        leaves: for each array its name, its type and its spec.
        mesh: the mesh.

    Raises:
        ValueError: a spec is too long, or does not divide an axis.
    """
    for name, aval, spec in leaves:
        if aval.is_high:
            lows = zip(aval.lo_ty(), specs_lib.low_specs([aval], [spec]), strict=True)
            check_fit(what, [(name, low, own) for low, own in lows], mesh)
            continue
        shape = getattr(aval, "shape", ())
        if len(spec) > len(shape):
            raise errors.value_error(
                f"{what} entry is too long to be compatible with its array, which has rank "
                f"{len(shape)}.",
                [("array", f"{name}: {aval.str_short()}"), ("spec", repr(spec))],
                "An entry stands for one axis, from the first on.",
                *(_way_to_rank(shape, spec)),
            )
        for axis, size in enumerate(shape):
            count = specs_lib.part_count(mesh, spec.names_of(axis))
            if size % count:
                raise errors.value_error(
                    f"{what}: axis sizes are not evenly divisible by the corresponding mesh "
                    "axis sizes.",
                    [
                        ("array", f"{name}: {aval.str_short()}"),
                        ("spec", repr(spec)),
                        ("axis", f"{axis} of size {size}, into {count} parts"),
                        ("mesh", repr(mesh)),
                    ],
                    "Every device gets a part of the same shape.",
                    "Pad the array to a multiple.",
                )


def _way_to_rank(shape, spec):
    if shape or not spec.names:
        return ()
    return ("A scalar of each device becomes one row with x[None] in the body.",)


def check_varying(
    fun_name: str, leaves: Sequence[tuple[str, Any, P]], mesh: Any, axes: frozenset
) -> None:
    """Refuses results that may differ along axes that their specs do not name.

    Raises:
        ValueError: one may.
    """
    for name, aval, spec in leaves:
        if aval.is_high:
            continue  # What it is made of is looked at when it is compiled.
        manual = getattr(aval, "manual_axis_type", vma.NONE)
        over = (manual.varying & axes) - specs_lib.names_of(spec)
        over |= (manual.unreduced & axes) - spec.unreduced
        over |= (manual.reduced & axes) - spec.reduced
        if over:
            said, varies, listed = (
                f"{{{','.join(map(str, specs_lib.in_mesh_order(mesh, names)))}}}"
                for names in (
                    specs_lib.names_of(spec) & axes,
                    manual.varying & axes,
                    over,
                )
            )
            raise errors.value_error(
                f"shard_map of {fun_name} was given out_specs which require "
                "replication which can't be statically inferred.",
                [
                    ("result", f"{name}: {aval.str_short()}"),
                    ("spec", repr(spec)),
                    ("may differ along", listed),
                    ("mesh", repr(mesh)),
                ],
                f"out_specs is {spec!r} which implies that the corresponding output "
                f"value is only varying across mesh axes {said} and not {listed}, "
                f"but it was inferred to be possibly varying over {varies}.",
                "To join the devices' results, name the axis in the spec.\n"
                "To make them one: jax.lax.psum, pmax or all_gather(to='invarying')."
                "\nIf you know that they are equal: check_vma=False.",
            )


def check_shards(avals: Sequence[Any]) -> None:
    """Raises an error for values that cannot be split."""
    for aval in avals:
        if not (
            aval.is_high
            or isinstance(aval, avals_lib.ShapedArray | avals_lib.AbstractToken)
        ):
            raise NotImplementedError(
                f"shard_map: arguments of type {aval.str_short()} are not supported."
            )
