"""The primitive `jit` and what is about it: re-exports for third-party libraries, which import this path."""

from jax._src.jit.pjit import pjit as pjit
from jax._src.jit.primitive import (
    UNSPECIFIED as UNSPECIFIED,
    Unspecified as UnspecifiedValue,  # noqa: F401
    jit_p as jit_p,
)
from jax._src.lax.mesh_modes import (
    auto_axes as auto_axes,
    explicit_axes as explicit_axes,
    reshard as reshard,
)
from jax._src.lax.ops.resharding import reshard_p as reshard_p
from jax._src.transforms.layout_constraint import (
    with_layout_constraint as with_layout_constraint,
)
from jax._src.transforms.sharding_constraint import (
    sharding_constraint_p as sharding_constraint_p,
    with_sharding_constraint as with_sharding_constraint,
)
