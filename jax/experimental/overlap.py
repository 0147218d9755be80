"""The order in which operations run beside each other."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.lax.program_order import program_order as program_order

_doc_examples.attach(__name__)
