"""The implementation. Everything here is private: import from `jax` instead."""

# Doors that libraries reach as attributes, without importing them.
from jax._src.base import lazy as _lazy

_PARTS = (
    "ad_checkpoint",
    "ad_util",
    "api_util",
    "checkify",
    "compiler",
    "dispatch",
    "distributed",
    "earray",
    "effects",
    "export",
    "flatten_util",
    "literals",
    "pjit",
    "profiler",
    "public_test_util",
    "sharding_impls",
    "traceback_util",
    "tree_util",
    "util",
    "xla_bridge",
)
__getattr__ = _lazy.submodules(__name__, _PARTS)
__dir__ = _lazy.listing(__name__, _PARTS)
