"""The native half of jax: devices, arrays, pytrees, the jit call path, MLIR."""

import importlib

from jaxlib.version import __version__ as __version__

# Modules that libraries reach as attributes: `import jaxlib` alone loads none of them.
_PARTS = ("_jax", "mlir", "xla_client")


def __getattr__(name: str) -> object:
    if name in _PARTS:
        return importlib.import_module(f"jaxlib.{name}")
    raise AttributeError(f"module 'jaxlib' has no attribute {name!r}")
