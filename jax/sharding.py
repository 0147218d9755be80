"""Shardings, meshes and partition specs."""

from jax._src.core.avals import ManualAxisType as ManualAxisType
from jax._src.core.mesh import (
    AbstractDevice as AbstractDevice,
    AbstractMesh as AbstractMesh,
    AxisType as AxisType,
    Mesh as Mesh,
)
from jax._src.core.mesh_context import (
    get_abstract_mesh as get_abstract_mesh,
    get_mesh as get_mesh,
    set_mesh as set_mesh,
    use_abstract_mesh as use_abstract_mesh,
)
from jax._src.core.no_collectives import no_collectives as no_collectives
from jax._src.core.partition_spec import (
    PartitionSpec as PartitionSpec,
    UnreducedKind as UnreducedKind,
)
from jax._src.core.shardings import (
    NamedSharding as NamedSharding,
    Sharding as Sharding,
    SingleDeviceSharding as SingleDeviceSharding,
    make_single_device_sharding as make_single_device_sharding,
)
from jax._src.lax.mesh_modes import (
    auto_axes as auto_axes,
    explicit_axes as explicit_axes,
    reshard as reshard,
)
from jax._src.shard_map.specs import Infer as Infer
