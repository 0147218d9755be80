"""What compilers of kernels build on."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.pallas.grid_mapping import GridMapping as GridMapping
from jax._src.pallas.lowering_rules import (
    register_lowering_rule as register_lowering_rule,
)

_doc_examples.attach(__name__)
