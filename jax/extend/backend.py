"""Backends and caches, for libraries."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.compat.backend import (
    backend_xla_version as backend_xla_version,
    clear_in_memory_compilation_cache as clear_in_memory_compilation_cache,
    get_compile_options as get_compile_options,
    get_default_device as get_default_device,
    register_backend_cache as register_backend_cache,
)
from jax._src.runtime.devices.backends import (
    backends as backends,
    clear_backends as clear_backends,
    get_backend as get_backend,
)
from jax._src.runtime.devices.plugins import (
    register_backend_factory as register_backend_factory,
)

_doc_examples.attach(__name__)
