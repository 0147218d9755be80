"""Matrix products of groups of rows, and which tiles they visit. A re-export."""

from jax._src.pallas.ops.grouped_products import (
    gmm as gmm,
    make_group_metadata as make_group_metadata,
    tgmm as tgmm,
)
from jax.experimental.pallas.ops.tpu.megablox import common as common
