"""Where arrays lie."""

from jax._src.runtime.mesh import (
    AxisType as AxisType,
    Mesh as Mesh,
    PartitionSpec as PartitionSpec,
)
from jax._src.runtime.shardings import (
    NamedSharding as NamedSharding,
    Sharding as Sharding,
    SingleDeviceSharding as SingleDeviceSharding,
)
