"""Custom calls that stand for operations with unknown sizes."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.interpreters import mlir

ir = mlir.ir


class ShapeAssertionError(ValueError):
    """A check of the sizes of arguments, written into a program, does not hold."""


def check(op: Any, known: Sequence[Any]) -> None:
    """Evaluates a ``shape_assertion``.

    Raises:
        ShapeAssertionError: it does not hold, or does not follow from sizes.
    """
    if known[0] is None:
        raise ShapeAssertionError(
            "Error refining shapes: a shape_assertion does not follow from sizes."
        )
    if not bool(known[0]):
        values = [None if x is None else int(x) for x in known[1:]]
        message = op.attributes["error_message"].value
        found = re.sub(r"\{(\d+)\}", lambda m: str(values[int(m[1])]), message)
        raise ShapeAssertionError(f"Error refining shapes: {found}")


def shapes_by_operands(op: Any, known: Sequence[Any]) -> list[list[int]] | None:
    """The shapes of results, where operands say them; and how many operands are left."""
    if "indices_of_shape_operands" not in op.attributes:
        return None
    indices = [int(i) for i in np.array(op.attributes["indices_of_shape_operands"])]
    if any(known[i] is None for i in indices):
        return None
    return [[int(n) for n in known[i]] for i in indices]


# Targets whose result has the shape of the first operand.
KEEP_SHAPE = ("Sharding", "annotate_device_placement")


def without_shape_operands(op: Any, items: Sequence[Any]) -> list[Any]:
    """The operands of a call that are no shapes of its results."""
    indices = {int(i) for i in np.array(op.attributes["indices_of_shape_operands"])}
    return [item for i, item in enumerate(items) if i not in indices]


def without_shape_layouts(op: Any, layouts: Any) -> Any:
    """The layouts of the operands that are left."""
    indices = {int(i) for i in np.array(op.attributes["indices_of_shape_operands"])}
    return ir.ArrayAttr.get([x for i, x in enumerate(layouts) if i not in indices])
