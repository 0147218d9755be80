"""MLIR contexts for the modules of programs."""

from typing import Any

from jax._src.lib.mlir import dialects, ir


def make_ir_context() -> Any:
    """A fresh MLIR context with the dialects that rules use."""
    context = ir.Context()
    context.enable_multithreading(False)
    dialects.register(context)
    return context
