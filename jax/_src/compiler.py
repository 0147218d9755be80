"""Compilation, where other libraries look for it. A door."""

from jax._src.runtime.compile import (
    compile_module as backend_compile_and_load,  # noqa: F401
)
