"""Matrix products of groups of rows, with derivatives. A re-export."""

from jax._src.pallas.ops.grouped_products import differentiable_gmm as gmm  # noqa: F401
from jax.experimental.pallas.ops.tpu.megablox import gmm as backend  # noqa: F401
