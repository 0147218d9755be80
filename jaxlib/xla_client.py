"""Devices, arrays and compile options, under the path that third-party libraries import. Re-exports."""

from jaxlib._native.client import (
    Array as Array,
    Client as Client,
    Device as Device,
    Executable as Executable,
    JaxRuntimeError as XlaRuntimeError,  # noqa: F401
    Memory as Memory,
)
from jaxlib.compile_options import CompileOptions as CompileOptions

ArrayImpl = Array
LoadedExecutable = Executable
