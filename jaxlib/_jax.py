"""Classes of the native half, under the path that third-party libraries import. Re-exports."""

from jaxlib._native.client import (
    Array as Array,
    Client as Client,
    Device as Device,
    Executable as Executable,
    JaxRuntimeError as JaxRuntimeError,
    Memory as Memory,
)
from jaxlib._native.fastpath import Function as PjitFunction  # noqa: F401
from jaxlib._native.pytree import PyTreeDef as PyTreeDef
from jaxlib.compile_options import CompileOptions as CompileOptions

ArrayImpl = Array
LoadedExecutable = Executable
