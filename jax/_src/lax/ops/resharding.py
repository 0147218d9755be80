"""Moving values over the Explicit axes of a mesh, as their types say."""

from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core import (
    aval_shardings,
    mesh as mesh_lib,
    mesh_context,
    mesh_usage,
    no_collectives,
    partition_spec,
    sharding_rules,
    shardings,
    slots,
    trace,
)
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import BY_TYPES, Sample, Trait, declare
from jax._src.lax.ops import splitting
from jax._src.lax.ops.messages import value_error
from jax._src.lax.ops.reshaping import counting
from jax._src.runtime.transfers import device_put_get


@declare("reshard", traits=Trait.LINEAR)
class reshard_p:
    """Changes the sharding of an array to `dst_sharding`.

    The mesh may be the operand's with other types of axes.
    """

    def types(x, *, dst_sharding):
        if dst_sharding is None:
            return x.update(sharding=None)
        return x.update(sharding=dst_sharding)

    sharding = BY_TYPES

    def impl(x, *, dst_sharding):
        if no_collectives.forbidden.value:
            sharding_rules.infer(
                reshard_p, [get_aval(x)], {"dst_sharding": dst_sharding}
            )
        mesh = _concrete_mesh(x, dst_sharding)
        if mesh is None or dst_sharding is None:
            return x
        if dst_sharding.spec.unreduced or dst_sharding.spec.reduced:
            return slots.apply_primitive(
                reshard_p, (x,), {"dst_sharding": dst_sharding}
            )
        return device_put_get.device_put(x, _lying(x, mesh, dst_sharding))

    def lower(ctx, x, *, dst_sharding):
        return x  # What the result's type says is constrained after every operation.

    def transpose(ct, x, *, dst_sharding):
        return [to_type(ct, x.aval.to_cotangent_aval())]

    def batch(axis, args, dims, *, dst_sharding):
        (x,), (dim,) = args, dims
        wider = splitting.with_batch_axis(dst_sharding, axis, dim)
        return reshard_p.bind(x, dst_sharding=wider), dim

    def show(*, dst_sharding):
        return {}

    def reference(x, *, dst_sharding):
        return np.asarray(x)

    samples = [Sample((counting(2, 3),), {"dst_sharding": None})]


def _lying(x, mesh, target):
    """The sharding of `x` over a mesh of devices: axes that are Auto then stay as they are."""
    axes = target.mesh
    if mesh.shape_tuple != axes.shape_tuple and mesh.size == axes.size:
        # The same devices, along the axes of a block of `use_abstract_mesh`.
        grid = mesh.devices.reshape(axes.axis_sizes)
        mesh = mesh_lib.Mesh(grid, axes.axis_names, axes.axis_types)
    mesh = mesh.update(axis_types=target.mesh.axis_types)
    held = getattr(x, "sharding", None)
    if (
        isinstance(held, shardings.NamedSharding)
        and held.mesh.axis_names == mesh.axis_names
    ):
        kept = aval_shardings.normal_spec(target.mesh, held.spec, np.ndim(x))
        if kept == target.spec:
            return shardings.NamedSharding(mesh, held.spec)
    return shardings.NamedSharding(mesh, target.spec)


def _concrete_mesh(x, sharding):
    """The devices of a mesh: its own, those of the context, or those of `x`."""
    if sharding is not None and isinstance(sharding.mesh, mesh_lib.Mesh):
        return sharding.mesh
    known = mesh_context.concrete_mesh()
    if known is not None:
        return known
    held = getattr(getattr(x, "sharding", None), "mesh", None)
    if held is None or sharding is None:
        return None
    return held if held.axis_names == sharding.mesh.axis_names else None


def moved(x: Any, sharding: Any) -> Any:
    """`x` with the given sharding; `x` itself where it has that already."""
    if get_aval(x).sharding == sharding:
        return x
    return reshard_p.bind(x, dst_sharding=sharding)


def alike(name: str, *xs: Any) -> list[Any]:
    """Operands of one shape, those that are whole along an axis split as the others are.

    Raises:
        ShardingTypeError: two operands are split over different mesh axes.
    """
    if not mesh_usage.is_used:
        return list(xs)
    types = [get_aval(x) for x in xs]
    mesh = splitting.explicit_mesh(*types)
    if mesh is None or not any(aval.is_placed for aval in types):
        return list(xs)
    spec = splitting.elementwise(name)(*types)
    shaped = next(
        (aval.without_sharding() for aval in types if aval.shape),
        types[0].without_sharding(),
    )
    spec = sharding_rules.checked_spec(name, mesh, types, shaped, spec)
    wanted = shardings.NamedSharding(mesh, spec)
    if trace.is_evaluating():
        # Some operand has a mesh; others may be on one device alone.
        devices = (_concrete_mesh(x, wanted) for x in xs)
        mesh = next((known for known in devices if known is not None), mesh)
        wanted = shardings.NamedSharding(mesh, wanted.spec)
    return [_along(x, aval, wanted) for x, aval in zip(xs, types, strict=True)]


def _along(x, aval, wanted):
    """`x`, split as wanted; part of a sum as it was, because the sum was not requested."""
    if not aval.shape:
        return x
    known = aval.sharding.spec
    sums = {"unreduced": known.unreduced, "reduced": known.reduced}
    spec = wanted.spec.with_sums(**sums) if any(sums.values()) else wanted.spec
    return x if known is spec else moved(x, wanted.update(spec=spec))


def windows_alike(name: str, operand: Any, updates: Any, numbers: Any) -> Any:
    """The updates of a scatter, windows split as the axes of the operand that they fill.

    Raises:
        ValueError: an axis of the updates is split, and in another way.
    """
    aval, new = get_aval(operand), get_aval(updates)
    if not (aval.sharding.spec.names or new.sharding.spec.names):
        return updates
    if aval.sharding.mesh.empty:
        return updates
    dropped = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    kept = [axis for axis in range(aval.ndim) if axis not in dropped]
    spec: list[Any] = [None] * new.ndim
    for window, axis in zip(numbers.update_window_dims, kept, strict=True):
        spec[window] = aval.sharding.spec.partitions[axis]
    found = new.sharding.spec.partitions
    if any(entry not in (None, spec[axis]) for axis, entry in enumerate(found)):
        raise _unlike_windows(name, aval, new, spec)
    for window, axis in zip(numbers.update_window_dims, kept, strict=True):
        if new.shape[window] != aval.shape[axis]:
            spec[window] = found[window]  # The scatter says what is wrong with it.
    return moved(
        updates,
        shardings.NamedSharding(
            aval.sharding.mesh, partition_spec.PartitionSpec(*spec)
        ),
    )


def _unlike_windows(name, operand, updates, spec):
    return value_error(
        f"{name}: Incompatible types for broadcasting: the values are split in "
        "another way than the part that they replace.",
        [
            ("array", operand.str_short()),
            ("values", updates.str_short()),
            ("part", repr(partition_spec.PartitionSpec(*spec))),
        ],
        "Each axis of the values is whole, or split over the mesh axes of the part.",
        "Move the values first: jax.reshard(values, P(…)).",
        "Or give the sharding of the result: x.at[i].set(…, out_sharding=P(…)).",
    )


@slots.to_type.fill
def to_type(x: Any, aval: Any) -> Any:
    """`x`, lying as the type `aval` says, where that says anything of Explicit axes."""
    if not mesh_usage.is_used or not isinstance(aval, ShapedArray):
        return x
    wanted = aval.sharding
    found = get_aval(x).sharding
    if not wanted.mesh.explicit_axes:
        # Axes that are Auto there may be Explicit here: outside of `auto_axes`.
        is_other = found.mesh is not wanted.mesh and found.mesh.explicit_axes
        if not is_other or found.mesh.size != wanted.mesh.size:
            return x
        return reshard_p.bind(x, dst_sharding=wanted)
    if found is wanted or (found.spec is wanted.spec and found.mesh is wanted.mesh):
        return x
    if found.mesh.empty and not (wanted.spec.unreduced or wanted.spec.reduced):
        # A value without devices fits wherever it is replicated.
        if not wanted.spec.names:
            return x
    return reshard_p.bind(x, dst_sharding=wanted)


traceback_filter.hide_frames(globals())
