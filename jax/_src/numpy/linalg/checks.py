"""How functions of `jax.numpy.linalg` check their operands."""

from __future__ import annotations

from typing import Any

from jax._src.numpy import operands as operands_lib

Array = operands_lib.Array
ArrayLike = operands_lib.ArrayLike


def inexact(name: str, *operands: ArrayLike) -> Any:
    """The operands at their common floating-point or complex dtype; one alone as such."""
    values = operands_lib.ensure_arraylike(f"linalg.{name}", *operands)
    found = operands_lib.promote_dtypes_inexact(
        *(values if isinstance(values, tuple) else (values,))
    )
    return found if len(operands) > 1 else found[0]


def require_matrices(name: str, x: Array, error: type[Exception] = ValueError) -> None:
    """Raises `error` unless `x` has two axes or more."""
    if operands_lib.ndim(x) < 2:
        raise error(
            operands_lib.explain(
                f"linalg.{name}",
                "the operand is no matrix.",
                [("operand", operands_lib.type_name(x))],
                "Matrices have two axes, a batch of them has more.",
            )
        )


def require_square(name: str, x: Array, error: type[Exception] = ValueError) -> None:
    """Raises `error` unless `x` is a batch of square matrices."""
    if (
        operands_lib.ndim(x) < 2
        or operands_lib.shape(x)[-1] != operands_lib.shape(x)[-2]
    ):
        raise error(
            operands_lib.explain(
                f"linalg.{name}",
                "the operand is no square matrix.",
                [("operand", operands_lib.type_name(x))],
                "The last two axes have one size.",
            )
        )
