"""Shardings of values, as attributes and operations of a module.

Everything here takes the context of a module (`ModuleContext`, a rule's
``ctx.module_context``) and a *placement*: a `NamedSharding` over a mesh with or without
devices, any other `Sharding`, or an `HloSharding`.

* `mesh_symbol(ctx, mesh)` names the `sdy.mesh` of a mesh in the module; each distinct
  mesh stands there once. Meshes hold positions in the device assignment, never ids.
* `sharding_text(ctx, placement, ndim, …)` and `sharding_attribute(…)` give
  ``<@mesh, [{"x"}, {?}]>`` and the attribute around it. An entry of the spec that is
  `UNCONSTRAINED` is open, as is every axis in `open_dims`: the partitioner may split
  it further over other mesh axes. An axis in `whole_dims` is not split, whatever the
  spec says: one of size 0 must not be. `replicated` lists axes that it must not take for
  that. Sums that a spec has as `unreduced` are told.
* `per_value_attribute(texts)` is what operations with several results carry.
* `constrain(ctx, value, placement, ndim, …)` builds `sdy.sharding_constraint`.
* `on_first_device(ctx)` is the placement text of what happens on one device alone.

For a value of an extended dtype, `ndim` counts the axes of the array behind it; the
last ones, of which the spec does not speak, are closed.
"""

import math
from collections.abc import Collection, Hashable, Sequence
from typing import Any

from jax._src.core import (
    hlo_sharding as hlo,
    mesh as mesh_lib,
    partition_spec,
    shardings,
)
from jax._src.interpreters.mlir import types
from jax._src.lib.mlir import ir

_NO_NAMES: tuple[Hashable, ...] = ()


def mesh_symbol(ctx: Any, mesh: mesh_lib.MeshAxes) -> str:
    """The name of a mesh in the module, which gets it where it lacks it."""
    axes = tuple((str(name), size) for name, size in mesh.shape_tuple)
    return _symbol(ctx, axes, ())


def _symbol(ctx, axes, device_ids):
    found = ctx.meshes.get((axes, device_ids))
    if found is not None:
        return found
    base = "mesh"
    if not axes:
        base = f"maximal_mesh_{device_ids[0]}" if device_ids else "empty_mesh"
    name, number = base, 0
    while name in ctx.names:
        name = f"{base}_{number}"
        number += 1
    ctx.meshes[axes, device_ids] = name
    ctx.names.add(name)
    listed = ", ".join(f"{quoted(axis)}={size}" for axis, size in axes)
    ids = f", device_ids=[{', '.join(map(str, device_ids))}]" if device_ids else ""
    # Those that read StableHLO alone find the same under a name of its own.
    plain = ", ".join(
        f"{{name = {quoted(axis)}, size = {size} : i64}}" for axis, size in axes
    )
    if device_ids:
        count = len(device_ids)
        plain_ids = f"dense<{list(device_ids)}> : tensor<{count}xi64>"
        twin = f"{{axes = [{plain}], device_ids = {plain_ids}}}"
    else:
        twin = f"{{axes = [{plain}]}}"
    _require_dialect(ctx)
    with ir.InsertionPoint.at_block_begin(ctx.module.body):
        # After the meshes that are there, so that they stand in order of use.
        operation = ir.Operation.create(
            "sdy.mesh",
            attributes={
                "sym_name": ir.StringAttr.get(name),
                "mesh": ir.Attribute.parse(f"#sdy.mesh<[{listed}]{ids}>"),
                "stablehlo.mesh": ir.Attribute.parse(twin),
            },
        )
    if ctx.last_mesh is not None:
        operation.move_after(ctx.last_mesh)
    ctx.last_mesh = operation
    return name


def _require_dialect(ctx):
    """Modules of native libraries that lack the dialect carry it unread."""
    if not ctx.context.is_registered_operation("sdy.mesh"):
        ctx.context.allow_unregistered_dialects = True


def quoted(name: Hashable) -> str:
    """The name of a mesh axis as the dialect writes it."""
    return '"' + str(name).replace("\\", "\\\\").replace('"', '\\"') + '"'


def sharding_text(
    ctx: Any,
    placement: Any,
    ndim: int,
    *,
    open_dims: Collection[int] = (),
    whole_dims: Collection[int] = (),
    replicated: Collection[Hashable] = (),
) -> str:
    """A placement of a value of `ndim` axes, between angle brackets."""
    if isinstance(placement, shardings.NamedSharding):
        spec, mesh = placement.spec, placement.mesh
        symbol = mesh_symbol(ctx, mesh)
        entries = [
            _NO_NAMES if axis in whole_dims else spec.names_of(axis)
            for axis in range(ndim)
        ]
        is_open = [
            axis in open_dims
            or (
                axis < len(spec)
                and spec.partitions[axis] is partition_spec.UNCONSTRAINED
            )
            for axis in range(ndim)
        ]
        spec.refuse_other_kinds()
        unreduced = _listed(mesh, "unreduced", spec.unreduced)
        kept = _listed(mesh, "replicated", replicated)
        return f"<@{symbol}, [{_dims(entries, is_open)}]{kept}{unreduced}>"
    if isinstance(placement, shardings.Sharding):
        placement = placement.hlo_sharding(ndim)
    return _text_of_tiles(ctx, placement, ndim, open_dims)


def _dims(entries, is_open):
    return ", ".join(
        "{" + ", ".join([*map(quoted, names), *["?"] * may]) + "}"
        for names, may in zip(entries, is_open, strict=True)
    )


def _listed(mesh, what, names):
    """A list of axes, in the order of the mesh."""
    ordered = [quoted(name) for name in mesh.axis_names if name in names]
    return f", {what}={{{', '.join(ordered)}}}" if ordered else ""


def _text_of_tiles(ctx, sharding, ndim, open_dims):
    """A placement that no mesh of the user's names: over a mesh made for it."""
    is_open = [axis in open_dims for axis in range(ndim)]
    if sharding.kind is hlo.Kind.MAXIMAL:
        return f"<@{_symbol(ctx, (), sharding.devices)}, []>"
    if sharding.kind is not hlo.Kind.TILED:
        symbol = _symbol(ctx, (), ())
        return f"<@{symbol}, [{_dims([_NO_NAMES] * ndim, is_open)}]>"
    axes = tuple((f"_axis_{i}", size) for i, size in enumerate(sharding.tiles))
    devices = tuple(sharding.grid().ravel().tolist())
    in_order = devices == tuple(range(math.prod(sharding.tiles)))
    symbol = _symbol(ctx, axes, () if in_order else devices)
    entries = [
        (axes[axis][0],) if axis < sharding.ndim and axes[axis][1] > 1 else _NO_NAMES
        for axis in range(ndim)
    ]
    return f"<@{symbol}, [{_dims(entries, is_open)}]>"


def sharding_attribute(ctx: Any, placement: Any, ndim: int, **options: Any) -> Any:
    """A placement as an attribute; the arguments are those of `sharding_text`."""
    text = sharding_text(ctx, placement, ndim, **options)
    found = ctx.sharding_attributes.get(text)
    if found is None:
        _require_dialect(ctx)
        found = ir.Attribute.parse(f"#sdy.sharding{text}")
        ctx.sharding_attributes[text] = found
    return found


def per_value_attribute(ctx: Any, texts: Sequence[str]) -> Any:
    """The placements of the results of one operation, as an attribute."""
    _require_dialect(ctx)
    return ir.Attribute.parse(f"#sdy.sharding_per_value<[{', '.join(texts)}]>")


def on_first_device(ctx: Any) -> str:
    """The placement of what happens on the first device alone."""
    return f"<@{_symbol(ctx, (), (0,))}, []>"


def constrain(ctx: Any, value: Any, placement: Any, ndim: int, **options: Any) -> Any:
    """The value, constrained to a placement."""
    return ir.Operation.create(
        "sdy.sharding_constraint",
        results=[value.type],
        operands=[value],
        attributes={"sharding": sharding_attribute(ctx, placement, ndim, **options)},
    ).result


def group_shardings(ctx: Any, values: Sequence[Any], number: int) -> None:
    """Requests one sharding for several values; groups have different numbers."""
    _require_dialect(ctx)
    for value in values:
        ir.Operation.create(
            "sdy.sharding_group",
            operands=[value],
            attributes={"group_id": types.i64_attr(number)},
        )


def constrain_to_type(ctx: Any, value: Any, aval: Any, ndim: int) -> Any:
    """A value of the type `aval`, constrained to what that says of Explicit axes.

    Along other axes the partitioner may split it further, but over no Explicit one.
    """
    mesh = aval.sharding.mesh
    if not (mesh.explicit_axes or mesh.manual_axes) or mesh.are_all_axes_manual:
        return value
    if ctx.partition_count == 1:
        return value
    if mesh.are_all_axes_explicit:
        return constrain(ctx, value, aval.sharding, ndim)
    dims = range(aval.ndim)
    spec = aval.sharding.spec
    taken = {*spec.names, *spec.unreduced}
    kept = [n for n in mesh.explicit_axes if n not in taken] if dims else ()
    return constrain(ctx, value, aval.sharding, ndim, open_dims=dims, replicated=kept)
