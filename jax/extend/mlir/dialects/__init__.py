"""The dialects whose operations programs are built of, each loaded at its first use."""

from jax._src.base import lazy as _lazy

_PARTS = (
    "arith",
    "builtin",
    "chlo",
    "func",
    "math",
    "memref",
    "scf",
    "sdy",
    "stablehlo",
    "vector",
)
__getattr__ = _lazy.submodules(__name__, _PARTS)
__dir__ = _lazy.listing(__name__, _PARTS)
