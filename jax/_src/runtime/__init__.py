"""Devices, arrays, compilation and dispatch. Other layers import from here or from the leaves."""

from jax._src.runtime import (
    context as context,
    multihost as multihost,
    resharding as resharding,
)
from jax._src.runtime.array import (
    Array as Array,
    Shard as Shard,
    make_array_from_callback as make_array_from_callback,
    make_array_from_single_device_arrays as make_array_from_single_device_arrays,
    register_array_type as register_array_type,
    register_extended_array_type as register_extended_array_type,
)
from jax._src.runtime.backends import (
    default_backend as default_backend,
    default_device as default_device,
    device_count as device_count,
    devices as devices,
    live_arrays as live_arrays,
    local_device_count as local_device_count,
    local_devices as local_devices,
    process_count as process_count,
    process_index as process_index,
    process_indices as process_indices,
)
from jax._src.runtime.device_put_get import device_put as device_put
from jax._src.runtime.device_put_get import (
    block_until_ready as block_until_ready,
    copy_to_host_async as copy_to_host_async,
    device_get as device_get,
)
