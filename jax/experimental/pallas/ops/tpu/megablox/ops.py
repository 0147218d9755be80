"""Matrix products of groups of rows, with derivatives. A re-export."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.pallas.ops.grouped_products import differentiable_gmm as gmm  # noqa: F401
from jax.experimental.pallas.ops.tpu.megablox import gmm as backend  # noqa: F401

_doc_examples.attach(__name__)
