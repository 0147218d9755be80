"""What `device_put` means for traced values.

Evaluated outside of a program that is compiled (under `grad` or `vmap`), it moves the
values, and their cotangents back. Within such a program, where a value lies is the
compiler's choice: a sharding only counts among those that say on which devices the program
runs, and its memory. Over Explicit axes of a mesh it is the type's choice: the value moves.
"""

from typing import Any

from jax._src.base import errors, records
from jax._src.core import (
    avals as av,
    mesh_context,
    primitive as pr,
    shardings as sh,
    slots,
    trace as tr,
)
from jax._src.lib import client

_MEMORY_KINDS = {av.MemorySpace.Device: "device", av.MemorySpace.Host: "pinned_host"}


@records.record
class Place:
    """Where values are put: a sharding, or another memory of the devices they are on.

    In a parameter of an equation, it is no wish for the devices of the program.
    """

    of: sh.Sharding | av.MemorySpace

    @property
    def space(self) -> av.MemorySpace:
        """The memory."""
        if isinstance(self.of, av.MemorySpace):
            return self.of
        return av.space_of_kind(self.of.memory_kind)


@pr.declare("device_put", traits=pr.Trait.LINEAR)
class device_put_p:
    """Moves an array to another device, sharding or memory.

    `place` is where, `source` where they were if that is known, and `sharding` tells for
    which devices the program is, if it says so.
    """

    sharding = pr.BY_TYPES

    def types(x, *, place, source, sharding):
        return x.update(memory_space=place.space)

    def transpose(ct, x, *, place, source, sharding):
        # Where nobody knows from where the value came, its cotangent stays.
        back = place if source is None else source
        if isinstance(place.of, av.MemorySpace):
            back = Place(x.aval.memory_space)
        return [_bind(ct, back, place)]

    def batch(axis, args, dims, *, place, source, sharding):
        (x,), (d,) = args, dims
        return _bind(x, _of_rows(place, d, x), _of_rows(source, d, x)), d

    def lower(ctx, x, *, place, source, sharding):
        return x

    def reference(x, *, place, source, sharding):
        return x

    samples = ()


def put(value: Any, place: Any) -> Any:
    """A traced value, where a user asks for it with `device_put`."""
    if place is None:
        return value
    if isinstance(place, sh.Sharding):
        place.check_compatible_aval(value.aval.shape)
    if isinstance(place, sh.NamedSharding):
        place.shard_shape(value.aval.shape)  # Raises where it does not divide.
        if place.mesh.explicit_axes:
            found = av.get_aval(value)
            if found.sharding.mesh.empty and mesh_context.get_abstract_mesh().empty:
                value = _bind(value, Place(place), None)  # Says on which devices.
            return slots.to_type(value, av.placed(found.without_sharding(), place))
    if isinstance(place, sh.SingleDeviceSharding):
        _refuse_in_shard_map(place)
    known = value.known_value() if isinstance(value, tr.Tracer) else value
    source = Place(known.sharding) if isinstance(known, client.Array) else None
    return _bind(value, Place(place), source)


def _refuse_in_shard_map(place):
    mesh = mesh_context.get_abstract_mesh()
    if mesh.manual_axes:
        raise ValueError(
            errors.explain(
                "device_put: a device is named in shard_map.",
                [("device", repr(place)), ("mesh", str(mesh))],
                "There each device keeps its own values.",
                "To send them to another one: jax.lax.ppermute. To move them to another "
                "memory: jax.device_put(x, jax.memory.Space.Host).",
            )
        )


def _bind(value, place, source):
    speaks = isinstance(place.of, sh.NamedSharding | sh.GSPMDSharding)
    sharding = place.of if speaks else None
    return device_put_p.bind(value, place=place, source=source, sharding=sharding)


def _of_rows(place, position, x):
    """Where all rows lie: as was said of one if that fits, else each on its own."""
    if place is None or not isinstance(place.of, sh.NamedSharding | sh.GSPMDSharding):
        return place
    try:
        place.of.shard_shape(x.shape)
    except ValueError:
        pass
    else:
        return place
    if isinstance(place.of, sh.GSPMDSharding):
        return Place(place.of.with_axis(position, x.ndim))
    spec = place.of.spec.padded(x.ndim - 1)
    entries = list(spec.partitions)
    entries.insert(position, None)
    return Place(place.of.update(spec=spec.update(partitions=entries)))


def in_memory(sharding: sh.Sharding, space: av.MemorySpace) -> sh.Sharding:
    """Returns a sharding on the same devices in another memory."""
    return sharding.with_memory_kind(_MEMORY_KINDS[space])
