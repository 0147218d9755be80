"""The dialects: a module for each, with a class and a function for each operation."""

from jaxlib.mlir import ir


def register(context: ir.Context) -> None:
    """Loads all dialects that programs are written in into a context.

    A new context has them already; this is for callers who cannot know that.

    Args:
        context: the context.
    """
    context.load_all_available_dialects()
