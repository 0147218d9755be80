"""What `device_put` means for traced values.

Evaluated outside of a program that is compiled (under `grad` or `vmap`), it moves the
values, and their cotangents back. Within such a program, the sharding of a value is the
compiler's choice: a sharding only counts among those that say on which devices the program
runs, and its memory. Over Explicit axes of a mesh it is the type's choice: the value moves.
"""

from typing import Any

from jax._src.base import errors, records
from jax._src.core import (
    avals,
    mesh_context,
    primitive,
    shardings,
    slots,
    trace,
)
from jax._src.lib import client

_MEMORY_KINDS = {
    avals.MemorySpace.Device: "device",
    avals.MemorySpace.Host: "pinned_host",
}


@records.record
class Target:
    """Where values are put: a sharding, or another memory of the devices they are on.

    As a parameter of an equation, it does not constrain the devices of the program.
    """

    of: shardings.Sharding | avals.MemorySpace

    @property
    def space(self) -> avals.MemorySpace:
        """The memory."""
        if isinstance(self.of, avals.MemorySpace):
            return self.of
        return avals.space_of_kind(self.of.memory_kind)


@primitive.declare("device_put", traits=primitive.Trait.LINEAR)
class device_put_p:
    """Moves an array to another device, sharding or memory.

    `target` is the destination, `source` the origin if that is known, and `sharding` the
    one that names the devices of the program, if one does.
    """

    sharding = primitive.BY_TYPES

    def types(x, *, target, source, sharding):
        return x.update(memory_space=target.space)

    def transpose(ct, x, *, target, source, sharding):
        # Where nobody knows from where the value came, its cotangent stays.
        back = target if source is None else source
        if isinstance(target.of, avals.MemorySpace):
            back = Target(x.aval.memory_space)
        return [_bind(ct, back, target)]

    def batch(axis, args, dims, *, target, source, sharding):
        (x,), (d,) = args, dims
        return _bind(x, _of_batch(target, d, x), _of_batch(source, d, x)), d

    def lower(ctx, x, *, target, source, sharding):
        return x

    def reference(x, *, target, source, sharding):
        return x

    samples = ()


def put(value: Any, target: Any) -> Any:
    """A traced value, where a user asks for it with `device_put`."""
    if target is None:
        return value
    if isinstance(target, shardings.Sharding):
        target.check_compatible_aval(value.aval.shape)
    if isinstance(target, shardings.NamedSharding):
        target.shard_shape(value.aval.shape)  # Raises where it does not divide.
        if target.mesh.explicit_axes:
            found = avals.get_aval(value)
            if found.sharding.mesh.empty and mesh_context.get_abstract_mesh().empty:
                value = _bind(value, Target(target), None)  # Says on which devices.
            return slots.to_type(value, avals.placed(found.without_sharding(), target))
    if isinstance(target, shardings.SingleDeviceSharding):
        _refuse_in_shard_map(target)
    known = value.known_value() if isinstance(value, trace.Tracer) else value
    source = Target(known.sharding) if isinstance(known, client.Array) else None
    return _bind(value, Target(target), source)


def _refuse_in_shard_map(target):
    mesh = mesh_context.get_abstract_mesh()
    if mesh.manual_axes:
        raise errors.value_error(
            "device_put: a device is named in shard_map.",
            [("device", repr(target)), ("mesh", str(mesh))],
            "There each device keeps its own values.",
            "To send them to another one: jax.lax.ppermute. To move them to another "
            "memory: jax.device_put(x, jax.memory.Space.Host).",
        )


def _bind(value, target, source):
    speaks = isinstance(target.of, shardings.NamedSharding | shardings.GSPMDSharding)
    sharding = target.of if speaks else None
    return device_put_p.bind(value, target=target, source=source, sharding=sharding)


def _of_batch(target, position, x):
    """Returns the target of a batch: that of one element with one more axis if that fits, else replicated."""
    if target is None or not isinstance(
        target.of, shardings.NamedSharding | shardings.GSPMDSharding
    ):
        return target
    try:
        target.of.shard_shape(x.shape)
    except ValueError:
        pass
    else:
        return target
    if isinstance(target.of, shardings.GSPMDSharding):
        return Target(target.of.with_axis(position, x.ndim))
    spec = target.of.spec.padded(x.ndim - 1)
    entries = list(spec.partitions)
    entries.insert(position, None)
    return Target(target.of.update(spec=spec.update(partitions=entries)))


def in_memory(
    sharding: shardings.Sharding, space: avals.MemorySpace
) -> shardings.Sharding:
    """Returns a sharding on the same devices in another memory."""
    return sharding.with_memory_kind(_MEMORY_KINDS[space])
