"""The dialects: a module for each, with a class and a function for each operation."""

import importlib

from jaxlib.mlir import ir

_DIALECTS = (
    "arith",
    "builtin",
    "chlo",
    "func",
    "llvm",
    "math",
    "memref",
    "nvvm",
    "scf",
    "sdy",
    "stablehlo",
    "vector",
)


def __getattr__(name: str) -> object:
    if name in _DIALECTS:
        return importlib.import_module(f"jaxlib.mlir.dialects.{name}")
    raise AttributeError(f"module 'jaxlib.mlir.dialects' has no attribute {name!r}")


def register(context: ir.Context) -> None:
    """Loads all dialects that programs are written in into a context.

    A new context has them already; this is for callers who cannot know that.

    Args:
        context: the context.
    """
    context.load_all_available_dialects()
