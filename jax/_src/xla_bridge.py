"""Backends and plugins: re-exports for third-party libraries, which import this path."""

from jax._src.runtime.backends import (
    _started as _started,
    backends as backends,
    default_backend as default_backend,
    device_count as device_count,
    devices as devices,
    get_backend as get_backend,
    local_device_count as local_device_count,
    local_devices as local_devices,
    process_count as process_count,
    process_index as process_index,
    process_indices as process_indices,
)
from jax._src.runtime.plugins import (
    register_backend_factory as register_backend_factory,
    register_plugin as register_plugin,
)

# Plugin packages empty it.
_backends = _started
