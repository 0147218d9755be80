"""Names of Python's library that few programs need: their modules are loaded when first used."""

from jax._src.base import lazy as _lazy

_LAZY_NAMES = {
    "Path": "pathlib",
    "TimeoutExpired": "subprocess",
    "run": "subprocess",
    "sha256": "hashlib",
}
__getattr__ = _lazy.names(__name__, _LAZY_NAMES)
__dir__ = _lazy.listing(__name__, _LAZY_NAMES)
