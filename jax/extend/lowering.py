"""What lowering rules are given, and contexts of modules, for libraries."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.compat.modules import (
    JaxIrContext as JaxIrContext,
    upstream_dialects as upstream_dialects,
)
from jax._src.interpreters.mlir import LoweringRuleContext as LoweringRuleContext

_doc_examples.attach(__name__)
