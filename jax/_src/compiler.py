"""Compilation: re-exports for third-party libraries, which import this path."""

from jax._src.runtime.compile import (
    compile_module as backend_compile_and_load,  # noqa: F401
)
