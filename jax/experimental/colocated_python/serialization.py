"""What functions beside devices take along: devices, by their numbers."""

from jax._src import xla_bridge
from jax._src.colocated.functions import DeviceList as DeviceList
from jax._src.colocated.pickling import (
    deserialize as _deserialize,  # noqa: F401
    serialize as _serialize,  # noqa: F401
)
from jax._src.colocated.reducing import (
    cpu_device_map as _get_cpu_device_map,  # noqa: F401
    reduce_device_list as _reduce_device_list,  # noqa: F401
    reduce_mesh as _reduce_mesh,  # noqa: F401
    reduce_single_device_sharding as _reduce_single_device_sharding,  # noqa: F401
)

xb = xla_bridge  # what libraries call it
