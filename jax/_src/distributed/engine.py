"""Loads gRPC's package without its half for asyncio, which a process of a job does not use.

That half, and asyncio for its sake, are three quarters of the time that `import grpc` takes. A program that
uses them gets them: then they are loaded at the first use.
"""

import importlib
import sys
import threading
from types import ModuleType
from typing import Any

_AIO = "grpc.aio"
_lock = threading.Lock()


class _Later(ModuleType):
    """Stands for a module while gRPC is loaded; whoever asks it for something loads the module."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def load() -> bool:
    """Loads the package `grpc`; returns whether nobody can have used it before.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    with _lock:
        if "grpc" in sys.modules:
            importlib.import_module("grpc")
            return False
        stands = {
            name: _Later(name) for name in ("asyncio", _AIO) if name not in sys.modules
        }
        sys.modules.update(stands)
        try:
            grpc = importlib.import_module("grpc")
        finally:
            for name, module in stands.items():
                if sys.modules.get(name) is module:
                    del sys.modules[name]
        if getattr(grpc, "aio", None) is stands.get(_AIO):
            del grpc.aio
            grpc.__getattr__ = _attribute  # type: ignore[method-assign]
        return True


def _attribute(name: str) -> Any:
    """What `grpc` does not have yet."""
    if name == "aio":
        return importlib.import_module(_AIO)
    raise AttributeError(f"module 'grpc' has no attribute {name!r}")
