"""How functions of `jax.numpy.linalg` check their operands."""

from __future__ import annotations

from typing import Any

from jax._src.numpy import operands as op

Array = op.Array
ArrayLike = op.ArrayLike


def inexact(name: str, *operands: ArrayLike) -> Any:
    """The operands at their common floating-point or complex dtype; one alone as such."""
    values = op.ensure_arraylike(f"linalg.{name}", *operands)
    found = op.promote_dtypes_inexact(
        *(values if isinstance(values, tuple) else (values,))
    )
    return found if len(operands) > 1 else found[0]


def require_matrices(name: str, x: Array, error: type[Exception] = ValueError) -> None:
    """Raises `error` unless `x` has two axes or more."""
    if op.ndim(x) < 2:
        raise error(
            op.explain(
                f"linalg.{name}",
                "the operand is no matrix.",
                [("operand", op.type_name(x))],
                "Matrices have two axes, a batch of them has more.",
            )
        )


def require_square(name: str, x: Array, error: type[Exception] = ValueError) -> None:
    """Raises `error` unless `x` is a batch of square matrices."""
    if op.ndim(x) < 2 or op.shape(x)[-1] != op.shape(x)[-2]:
        raise error(
            op.explain(
                f"linalg.{name}",
                "the operand is no square matrix.",
                [("operand", op.type_name(x))],
                "The last two axes have one size.",
            )
        )
