"""Arrays whose layout is not row-major: making them, and converting them to row-major.

The memory of such an array is that of a dense array of permuted axes. It is copied by
way of the host, which on the CPU looks at it in place.
"""

from collections.abc import Callable
from typing import Any

from jax._src.core import shardings
from jax._src.lib import client, fastpath
from jax._src.runtime.arrays import layouts


def lay_out(array: Any, layout: layouts.Layout) -> Any:
    """The elements of an array, lying as a layout says: itself if it does."""
    layout.check_compatible_aval(array.shape)
    order = layouts.order_of(layout)
    if array._order == order:
        return array
    return _by_shards(array, lambda shard: _in_order(shard, order))


def to_row_major(array: Any) -> Any:
    """Returns an array in row-major layout: itself if it has it."""
    if array._order is None:
        return array
    return _by_shards(array, lambda shard: _in_order(shard, None))


def _by_shards(array, change: Callable[[Any], Any]):
    sharding = array.sharding
    if not sharding.has_addressable_devices:
        return array  # Other processes have its parts, and lay them out.
    if sharding.num_devices == 1:
        return change(array)
    here = [d for d in sharding.ordered_devices if d.is_addressable]
    kind = sharding.memory_kind
    shards = [
        change(
            client.shard_of(array, number, sharding=shardings.of_device(device, kind))
        )
        for number, device in enumerate(here)
    ]
    return client.array_from_shards(
        shape=array.shape,
        dtype=array.dtype,
        weak_type=array.weak_type,
        sharding=sharding,
        committed=array.committed,
        shards=shards,
    )


def _in_order(shard, order):
    (device,) = shard.sharding.ordered_devices
    value = shard._value
    memory = client.array_from_host(
        value if order is None else value.transpose(order),
        device,
        shard.sharding.memory_kind or "",
        sharding=shard.sharding,
        committed=shard.committed,
        weak_type=shard.weak_type,
    )
    return memory if order is None else client.with_order(memory, order)


fastpath.set_straightener(to_row_major)
