"""Shapes with symbols: what there is to say of them as long as there are none."""

from collections.abc import Sequence
from typing import Any

from jax._src.base import errors, traceback_filter


def _refuse(what):
    raise NotImplementedError(
        errors.explain(
            f"{what}: shapes with symbols are not implemented.",
            [],
            "Programs are exported for known shapes.",
            "Export the function once for each shape that you need.",
        )
    )


class SymbolicScope:
    """Constraints of symbols in shapes; none can be made yet."""

    def __init__(self, constraints_str: Sequence[str] = ()):
        """Raises NotImplementedError."""
        _refuse("SymbolicScope")


def is_symbolic_dim(p: Any) -> bool:
    """Whether a size of a shape is a symbol: never, as there are none yet.

    Args:
        p: a size.
    """
    return False


def symbolic_shape(
    shape_spec: str | None,
    *,
    constraints: Sequence[str] = (),
    scope: SymbolicScope | None = None,
    like: Sequence[int | None] | None = None,
) -> Sequence[Any]:
    """The shape that a text such as ``"batch, 2*n"`` means; not implemented.

    Args:
        shape_spec: the sizes, separated by commas.
        constraints: what is known of the symbols, such as ``"n >= 2"``.
        scope: where the symbols belong.
        like: sizes for places that the text leaves open.

    Raises:
        NotImplementedError: always.
    """
    _refuse("symbolic_shape")


def symbolic_args_specs(
    args: Any,
    shapes_specs: Any,
    constraints: Sequence[str] = (),
    scope: SymbolicScope | None = None,
) -> Any:
    """Types with symbolic shapes for a tree of arrays; not implemented.

    Args:
        args: a tree of arrays.
        shapes_specs: a tree of shapes as for `symbolic_shape`.
        constraints: what is known of the symbols.
        scope: where the symbols belong.

    Raises:
        NotImplementedError: always.
    """
    _refuse("symbolic_args_specs")


traceback_filter.hide_frames(globals())
