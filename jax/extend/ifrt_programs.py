"""Programs of a runtime that is not here."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.compat.ifrt import ifrt_programs as ifrt_programs

_doc_examples.attach(__name__)
