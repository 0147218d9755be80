"""The folder of compiled programs."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.runtime.compilation.compilation_cache import (
    reset_cache as reset_cache,
    set_cache_dir as set_cache_dir,
)

_doc_examples.attach(__name__)
