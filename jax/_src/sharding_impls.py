"""Shardings: re-exports for third-party libraries, which import this path."""

from jax._src.compat.contexts import (
    ShardingContext as ShardingContext,
    SPMDAxisContext as SPMDAxisContext,
)
from jax._src.compat.meshes import (
    ArrayMapping as ArrayMapping,
    are_hlo_shardings_equal as are_hlo_shardings_equal,
    array_mapping_to_axis_resources as array_mapping_to_axis_resources,
    is_hlo_sharding_replicated as is_hlo_sharding_replicated,
)
from jax._src.core.mesh import (
    AbstractMesh as AbstractMesh,
    AxisType as AxisType,
    Mesh as Mesh,
)
from jax._src.core.mesh_context import (
    get_abstract_mesh as get_abstract_mesh,
    get_mesh as get_mesh,
    set_mesh as set_mesh,
)
from jax._src.core.partition_spec import PartitionSpec as PartitionSpec
from jax._src.core.shardings import (
    GSPMDSharding as GSPMDSharding,
    NamedSharding as NamedSharding,
    SingleDeviceSharding as SingleDeviceSharding,
    make_single_device_sharding as make_single_device_sharding,
)
from jax._src.jit.primitive import (
    UNSPECIFIED as UNSPECIFIED,
    Unspecified as UnspecifiedValue,  # noqa: F401
)
from jax._src.runtime.make_mesh import make_mesh as make_mesh
