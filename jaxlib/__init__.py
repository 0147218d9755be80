"""The native half of jax: devices, arrays, pytrees, the jit call path, MLIR."""

from jaxlib.version import __version__ as __version__
