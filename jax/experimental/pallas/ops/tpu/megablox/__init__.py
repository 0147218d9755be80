"""Matrix products of groups of rows. A re-export."""

from jax._src.base import doc_examples as _doc_examples
from jax.experimental.pallas.ops.tpu.megablox import common as common, ops as ops

# isort: split
# The function has the name of the module that it is not from: it comes last.
from jax._src.pallas.ops.grouped_products import differentiable_gmm as gmm  # noqa: F401

_doc_examples.attach(__name__)
