"""Profiles for compilers that read them."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.profiler.instructions import (
    get_profiled_instructions_proto as get_profiled_instructions_proto,
)

_doc_examples.attach(__name__)
