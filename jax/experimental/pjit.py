"""The older name of `jax.jit` for several devices."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.jit.pjit import pjit as pjit

_doc_examples.attach(__name__)
