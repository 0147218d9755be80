"""Arrays over the devices of several processes, made of what each process has."""

import itertools
import math
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.core import hlo_sharding as hlo, shardings as shardings_lib
from jax._src.lib import client
from jax._src.runtime.transfers import device_put_get

_WHAT = "make_array_from_process_local_data"


@traceback_filter.hides_frames
def make_array_from_process_local_data(
    sharding: Any, local_data: Any, global_shape: Any = None
) -> Any:
    """An array of which each process gives its part.

    Args:
        sharding: the sharding of the array, or a tree of shardings that is a prefix of the data.
        local_data: an array, or a tree of arrays: this process's part. Along an axis it has
            what the devices of this process hold, or all elements.
        global_shape: the shape of the whole, or a tree of shapes. None: made up of the
            parts. None for a size: likewise.

    Raises:
        ValueError: the shapes do not fit, the array cannot be split as requested, or the
            processes hold parts of different sizes and `global_shape` is not given.
    """
    is_placement = lambda p: isinstance(p, shardings_lib.Sharding)  # noqa: E731
    is_shape = lambda x: x is None or isinstance(x, tuple)  # noqa: E731
    leaves, structure = tree.tree_flatten(local_data)
    what = "make_array_from_process_local_data sharding"
    shardings = tree.spread_over(what, sharding, structure, is_placement)
    shapes: list[Any] = [global_shape] * len(leaves)
    if not is_shape(global_shape):
        shapes = tree.tree_leaves(global_shape, is_leaf=is_shape)
    return tree.tree_unflatten(
        structure,
        [of_parts(*each) for each in zip(shardings, leaves, shapes, strict=True)],
    )


def of_parts(sharding: Any, data: Any, global_shape: Any = None) -> Any:
    """One array of the parts that the processes give: see `make_array_from_process_local_data`."""
    resolved = device_put_get.as_sharding(sharding)
    data = data if isinstance(data, client.Array) else device_put_get.to_numpy(data)[0]
    shape = _whole_shape(resolved, np.shape(data), global_shape)
    if resolved.is_fully_addressable:
        return device_put_get.device_put(data, resolved)
    values = np.asarray(data)
    part = resolved.shard_shape(shape)
    blocks = _blocks(resolved, len(shape))
    # An axis that is given whole is cut where the device's part begins; otherwise it has
    # the blocks of this process, one after the other.
    orders = [
        None if values.shape[axis] == shape[axis] else sorted({b[axis] for b in blocks})
        for axis in range(len(shape))
    ]
    local = [d for d in resolved.ordered_devices if d.is_addressable]
    shards = []
    for device, block in zip(local, blocks, strict=True):
        starts = [
            size * (number if order is None else order.index(number))
            for size, number, order in zip(part, block, orders, strict=True)
        ]
        index = tuple(slice(a, a + n) for a, n in zip(starts, part, strict=True))
        there = shardings_lib.of_device(device, resolved.memory_kind)
        shards.append(device_put_get.put(np.asarray(values[index], order="C"), there))
    return client.array_from_shards(
        shape=shape,
        dtype=values.dtype,
        sharding=resolved,
        committed=True,
        shards=shards,
    )


def _blocks(sharding, ndim, process=None):
    """Per device of a process (None: this one), the number of its block along each axis."""
    devices = sharding.ordered_devices
    rows = hlo.coordinates(sharding.hlo_sharding(ndim), ndim, len(devices))
    return [
        row
        for device, row in zip(devices, rows, strict=True)
        if (
            device.is_addressable
            if process is None
            else device.process_index == process
        )
    ]


def _whole_shape(sharding, local, global_shape):
    """The shape of the whole array, of which a process gives `local`."""
    ndim = len(local)
    given = (None,) * ndim if global_shape is None else tuple(global_shape)
    sharding.check_compatible_aval(local)
    cuts = hlo.cuts(sharding.hlo_sharding(ndim), ndim)
    blocks = _blocks(sharding, ndim)
    held = [len({b[axis] for b in blocks}) for axis in range(ndim)]
    if len(given) != ndim:
        raise _misfit(sharding, local, global_shape, "The ranks differ.")
    shape = []
    for axis, (size, wanted) in enumerate(zip(local, given, strict=True)):
        if wanted is None:
            _check_even(sharding, ndim, axis, held[axis], local)
            wanted, rest = divmod(size * cuts[axis], held[axis] or 1)
            if rest:
                raise _misfit(
                    sharding,
                    local,
                    global_shape,
                    f"Axis {axis} has {held[axis]} equal parts here.",
                )
        elif size not in (wanted, wanted // cuts[axis] * held[axis]):
            raise _misfit(
                sharding,
                local,
                global_shape,
                f"Axis {axis} has all {wanted} elements, or the "
                f"{wanted // cuts[axis] * held[axis]} that this process's devices hold.",
            )
        shape.append(wanted)
    return tuple(shape)


def _check_even(sharding, ndim, axis, held, local):
    """Refuses to make up the size of an axis of which processes hold different shares."""
    processes = {d.process_index for d in sharding.ordered_devices}
    shares = {
        k: len({b[axis] for b in _blocks(sharding, ndim, k)}) for k in sorted(processes)
    }
    if len(set(shares.values())) > 1:
        raise _misfit(
            sharding,
            local,
            None,
            f"Along axis {axis} the processes hold different numbers of parts: {shares}; "
            "so global_shape must say its size.",
        )


def _misfit(sharding, local, global_shape, rule):
    return errors.value_error(
        f"{_WHAT}: the shapes do not fit.",
        [
            ("local data", str(tuple(local))),
            ("global_shape", str(global_shape)),
            ("sharding", repr(sharding)),
        ],
        rule,
    )


def whole_shape(sharding: Any, local: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of an array of which each process gives a part of the shape `local`."""
    return _whole_shape(sharding, local, None)


def local_shape(sharding: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of what this process has of an array, as a block of its own.

    Raises:
        ValueError: the devices of this process hold no block.
    """
    ndim = len(shape)
    blocks = _blocks(sharding, ndim)
    orders = [sorted({b[axis] for b in blocks}) for axis in range(ndim)]
    grid = set(itertools.product(*orders))
    if {tuple(b) for b in blocks} != grid or math.prod(map(len, orders)) != len(grid):
        raise errors.value_error(
            "What this process holds of an array is no block of it.",
            [("array", str(tuple(shape))), ("sharding", repr(sharding))],
            "The devices of a process hold all combinations of parts along the axes.",
        )
    part = sharding.shard_shape(shape)
    return tuple(n * len(order) for n, order in zip(part, orders, strict=True))


def local_part(array: Any) -> tuple[tuple[int, ...], list[Any]]:
    """What this process has of an array, as a block of its own.

    Returns:
        The shape of the block, and the parts, in the order of this process's devices.

    Raises:
        ValueError: the devices of this process hold no block.
    """
    shape = local_shape(array.sharding, array.shape)
    return shape, [shard.data for shard in array.addressable_shards]
