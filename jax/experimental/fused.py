"""Functions as one kernel, which no compiler here makes."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.transforms.fused import fused as fused, fused_p as fused_p

_doc_examples.attach(__name__)
