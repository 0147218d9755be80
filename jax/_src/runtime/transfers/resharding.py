"""Arrays from one sharding to another, by way of the devices.

Over the same devices a program moves the parts: the compiler knows the cheapest
collectives. But what is in the memory of the host, as a CPU's arrays are, is copied at
once where it is small and moved so for the first time: compiling would take longer; and
where every device is to have all of it: one copy serves them all. Nothing is copied where
each part that is wanted is one piece of memory of a part that is there: both share it.
To other devices, whole shards are copied. Only what neither gives goes by way of the host.
"""

import dataclasses
import itertools
import math
from typing import Any

import numpy as np

from jax._src.base import caches, errors, options
from jax._src.core import avals, hlo_sharding as hlo, shardings as shardings_lib
from jax._src.interpreters import mlir
from jax._src.interpreters.partial_eval import staging
from jax._src.lib import client
from jax._src.runtime.compilation import (
    assignment as asg,
    causes,
    compilations,
    loading,
)
from jax._src.runtime.transfers import device_put_get

# What is written in less time than a program takes to compile.
_SMALL_BYTES = 64 << 20


def move(array: Any, sharding: shardings_lib.Sharding, committed: bool) -> Any:
    """The elements of an array under another sharding."""
    source = array.sharding
    if source.is_equivalent_to(sharding, array.ndim):
        return client.view_with(
            array, sharding=sharding, committed=committed, weak_type=array.weak_type
        )
    if not (source.is_fully_addressable and sharding.is_fully_addressable):
        return _over_processes(array, sharding, committed)
    if sharding.num_devices > 1 and _is_at_hand(array, sharding):
        shared = _by_shared_pieces(array, sharding, committed)
        if shared is not None:
            return shared
        if sharding.is_fully_replicated:  # one copy serves all devices
            value = array._value
            return device_put_get.split(value, array.weak_type, sharding, committed)
    is_same_number = source.num_devices == sharding.num_devices > 1
    if is_same_number and source.memory_kind == sharding.memory_kind:
        if source.ordered_devices == sharding.ordered_devices:
            return _by_program(array, sharding, committed)
        if not _are_there(array, sharding):
            # First into the same parts where it is, then these to the other devices.
            tiles = sharding.hlo_sharding(array.ndim)
            here = shardings_lib.GSPMDSharding(
                source.ordered_devices, tiles, memory_kind=source.memory_kind
            )
            moved = _by_program(array, here, committed)
            array = array if moved is None else moved
    return _by_parts(array, sharding, committed)


def _over_processes(array, sharding, committed):
    """To or from devices of other processes, whose parts only a program can reach."""
    source = array.sharding
    has, wants = source.has_addressable_devices, sharding.has_addressable_devices
    if not has and not wants:
        return device_put_get.of_shards(array, sharding, committed, [])
    if has and (source.is_fully_addressable or source.is_fully_replicated):
        return device_put_get.split(array._value, array.weak_type, sharding, committed)
    if has and _stays_in_processes(array, sharding):
        return _by_parts(array, sharding, committed)
    if source.memory_kind == sharding.memory_kind:
        target = _counted_as(sharding, source, array.ndim)
        moved = target and _by_program(array, target, committed)
        if moved is not None:
            return _in_order_of(sharding, moved, committed)
    return _by_whole_values(array, sharding, committed)


def _by_whole_values(array, sharding, committed):
    """Each process that has a part gets the whole; those that have none are sent it."""
    source = array.sharding
    holders, takers = map(device_put_get.processes_of, (source, sharding))
    if len(holders) == 1:
        # Its process sees an array of its own, such as each may have, and sends nothing.
        raise errors.value_error(
            "An array of another process cannot be moved to devices of this one.",
            [
                ("array", array.aval.str_short()),
                ("sharding", repr(source)),
                ("requested", repr(sharding)),
            ],
            "Only its process has it.",
            "Put it over all processes: jax.device_put(x, sharding) with a sharding "
            "over devices of all, called in all.",
        )
    value = None
    if source.has_addressable_devices:
        value = _by_program(array, source.replicated, committed)._value
    if not set(takers) <= set(holders):
        value = device_put_get.agreed(value, array, sorted({*holders, *takers}))
    return device_put_get.split(value, array.weak_type, sharding, committed)


def _stays_in_processes(array, sharding):
    """Whether each part that is wanted is one that its process holds: as all processes see it."""
    held = {
        (device.process_index, _key(index))
        for device, index in array.sharding.devices_indices_map(array.shape).items()
    }
    wanted = sharding.devices_indices_map(array.shape).items()
    return all((device.process_index, _key(index)) in held for device, index in wanted)


def _counted_as(sharding, source, ndim):
    """Returns a sharding with the same shards that orders devices as another one does; None if there is none."""
    there = sharding.ordered_devices
    if source.ordered_devices == there:
        return sharding
    positions = {device: number for number, device in enumerate(source.ordered_devices)}
    if positions.keys() != set(there):
        return None
    tiles = sharding.hlo_sharding(ndim)
    if tiles.kind is hlo.Kind.TILED:
        listed = tuple(positions[there[i]] for i in tiles.grid().reshape(-1))
        tiles = dataclasses.replace(tiles, reshape=(), permutation=(), devices=listed)
    return shardings_lib.GSPMDSharding(
        source.ordered_devices, tiles, memory_kind=sharding.memory_kind
    )


def _in_order_of(sharding, array, committed):
    """An array whose parts are where `sharding` says, with its devices in that order."""
    shards = {shard.device: shard.data for shard in array.addressable_shards}
    here = [shards[d] for d in sharding.ordered_devices if d.is_addressable]
    return device_put_get.of_shards(array, sharding, committed, here)


def _by_program(array, sharding, committed):
    """Through an identity with two shardings; None where programs cannot be divided."""
    plain = avals.ShapedArray(array.shape, array.dtype, array.weak_type)
    if _is_host_quicker(array, sharding, plain):
        return device_put_get.split(array._value, array.weak_type, sharding, committed)
    try:
        data = _mover(plain, array.sharding, sharding)
    except errors.JaxRuntimeError as error:
        if error.error_code_string != "UNIMPLEMENTED":
            raise
        return None
    (moved,) = data.run([array])
    if moved.committed == committed:
        return moved
    return client.view_with(
        moved, sharding=sharding, committed=committed, weak_type=array.weak_type
    )


def _is_host_quicker(array, sharding, aval):
    """Whether to copy at once what has not been moved so before."""
    parts = math.prod(sharding.shard_shape(array.shape)) * sharding.num_devices
    return (
        parts * array.dtype.itemsize <= _SMALL_BYTES
        and _is_at_hand(array, sharding)
        and next(_moves(aval, array.sharding, sharding)) == 0
    )


def _is_at_hand(array, sharding):
    """Whether an array is there already, in the memory of the host, where it is wanted."""
    return (
        array.sharding.is_fully_addressable
        and not device_put_get.sums_of(array.sharding)
        and sharding.ordered_devices[0].platform == "cpu"
        and array.sharding.ordered_devices[0].platform == "cpu"
        and array.is_ready()  # who asks for a move does not wait for the array
    )


@caches.memoize(1024)
def _moves(aval, source, target):
    """Counts the moves of a kind."""
    return itertools.count()


@caches.memoize(1024)
def _mover(aval, source, target):
    closed = staging.trace_to_closed(lambda x: [x], [aval])
    assignment = asg.Assignment(
        source.ordered_devices, True, (source,), results=(target,)
    )

    def request():
        return causes.Request(
            "operation",
            "move",
            "",
            "",
            ("x", "target"),
            (aval,),
            devices=assignment.devices,
            shardings=(source, target),
        )

    with compilations.recorded(request) as made:
        lowered = mlir.lower_to_module(
            "move",
            closed,
            (assignment.platform,),
            mlir.Signature(in_shardings=[source], out_shardings=[target]),
            partition_count=len(assignment.devices),
        )
        loaded = loading.load(
            lowered,
            closed,
            assignment,
            "move",
            out_tree=None,
            tier=options.compile_tier.value,
        )
        made.append(loaded.executable)
    return loaded.data


def _by_shared_pieces(array, sharding, committed):
    """Parts that show the memory of those that are there; None where one is not in one piece."""
    here, there = array.sharding, sharding
    for one in (here, there):
        if not device_put_get.can_share(array, one):
            return None
    there.shard_shape(array.shape)  # Raises where the shape cannot be split.
    cut = _pieces(array.shape, here, there)
    if cut is None:
        return None
    parts: dict[int, Any] = {}
    shards = []
    for device, number, start, shape in cut:
        if number not in parts:
            on_device = shardings_lib.of_device(here.ordered_devices[number])
            parts[number] = client.shard_of(array, number, sharding=on_device)
        shard = client.shared_on(
            parts[number],
            device,
            sharding=shardings_lib.of_device(device),
            committed=True,
            start=start,
            shape=shape,
        )
        if shard is None:
            return None
        shards.append(shard)
    return device_put_get.of_shards(array, sharding, committed, shards)


@caches.memoize(1024)
def _pieces(shape, source, target):
    """Where in the parts of one sharding those of another one are.

    Devices that hold the same are represented by the first of them, so that memory which
    nobody shows is free as soon as the array is.

    Returns:
        For each device its number's part, the first element in it and the shape of the
        piece; None where a part is not in one piece in what its device holds, or in the
        first device's part.
    """
    first: dict[tuple, int] = {}
    holders = {}
    for number, (device, index) in enumerate(source.devices_indices_map(shape).items()):
        holders[device] = first.setdefault(_key(index), number)
    parts = {number: key for key, number in first.items()}
    pieces = []
    for device, index in target.devices_indices_map(shape).items():
        wanted = _bounds(_key(index), shape)
        for number in (holders.get(device, 0), 0):
            held = _bounds(parts[number], shape)
            start = _start_of_piece(wanted, held)
            if start is not None:
                sizes = tuple([stop - begin for begin, stop in wanted])
                pieces.append((device, number, start, sizes))
                break
        else:
            return None
    return tuple(pieces)


def _bounds(key, shape):
    return [
        (start or 0, size if stop is None else stop)
        for (start, stop), size in zip(key, shape, strict=True)
    ]


def _start_of_piece(wanted, held):
    """The number of the first wanted element among those held; None if not in one piece."""
    start, is_cut = 0, False
    for (begin, stop), (lower, upper) in zip(wanted, held, strict=True):
        if begin < lower or stop > upper:
            return None
        if is_cut and stop - begin < upper - lower:
            return None
        is_cut |= stop - begin > 1
        start = start * (upper - lower) + begin - lower
    return start


def _are_there(array, sharding):
    """Whether each part that is wanted is one that some device holds."""
    held = array.sharding.devices_indices_map(array.shape).values()
    wanted = sharding.devices_indices_map(array.shape).values()
    return set(map(_key, wanted)) <= set(map(_key, held))


def _key(index):
    return tuple((s.start, s.stop) for s in index)


def _by_parts(array, sharding, committed):
    """Copies of the parts that devices hold; the rest from the host."""
    sharding.shard_shape(array.shape)  # Raises where the shape cannot be split.
    held: dict[tuple, dict[Any, int]] = {}
    source = array.sharding.addressable_devices_indices_map(array.shape)
    for number, (device, index) in enumerate(source.items()):
        held.setdefault(_key(index), {})[device] = number
    same_memory = array.sharding.memory_kind == sharding.memory_kind
    kind = sharding.memory_kind or ""
    shards = []
    for device, index in sharding.addressable_devices_indices_map(array.shape).items():
        on_device = shardings_lib.of_device(device, sharding.memory_kind)
        numbers = held.get(_key(index), {})
        if device in numbers and same_memory:
            shards.append(client.shard_of(array, numbers[device], sharding=on_device))
        elif numbers:
            first, number = next(iter(numbers.items()))
            part = client.shard_of(
                array, number, sharding=shardings_lib.of_device(first)
            )
            shards.append(
                client.copy_to_device(
                    part, device, kind, sharding=on_device, committed=True
                )
            )
        else:
            shards.append(
                client.array_from_host(
                    np.asarray(array._value[index]),
                    device,
                    kind,
                    sharding=on_device,
                    committed=True,
                    weak_type=array.weak_type,
                )
            )
    return device_put_get.of_shards(array, sharding, committed, shards)


device_put_get.install_mover(move)
