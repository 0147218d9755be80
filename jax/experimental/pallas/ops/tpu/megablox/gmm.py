"""Matrix products of groups of rows, and which tiles they visit. A re-export."""

from functools import partial as partial

from jax._src.pallas.ops.grouped_products import (
    GroupMetadata as GroupMetadata,
    LutFn as LutFn,
    gmm as gmm,
    make_group_metadata as make_group_metadata,
    tgmm as tgmm,
)
from jax.experimental.pallas.ops.tpu.megablox import common as common
