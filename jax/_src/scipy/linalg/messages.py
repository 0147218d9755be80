"""How errors of `jax.scipy.linalg` are worded, and its checks of shapes."""

from __future__ import annotations

from typing import Any

from jax._src.base import errors
from jax._src.numpy import operands as operands_lib
from jax._src.scipy.elementwise import of_list


def explain(name: str, what: str, facts=(), rule: str = "", ways: str = "") -> str:
    """A four-part message that starts with the user's name for the function."""
    return errors.explain(f"jax.scipy.linalg.{name}: {what}", list(facts), rule, ways)


type_error = errors.maker(TypeError, explain)
value_error = errors.maker(ValueError, explain)
not_implemented = errors.maker(NotImplementedError, explain)


# These take lists of numbers too, as in JAX 0.10.2.
_TAKES_LISTS = frozenset(
    "cho_factor cholesky eigh eigh_tridiagonal funm lu lu_factor polar qr rsf2csf "
    "solve_triangular svd".split()
)


def operands_of(name: str, *operands: Any) -> tuple[Any, ...]:
    """The operands, lists as arrays where the function takes them.

    Raises:
        TypeError: an operand is no array or number.
    """
    if name in _TAKES_LISTS:
        operands = tuple(map(of_list, operands))
    operands_lib.check_arraylike(f"scipy.linalg.{name}", *operands)
    return tuple(map(operands_lib.to_array, operands))


def inexact(name: str, *operands: Any) -> Any:
    """The operands at their common floating-point or complex dtype; one alone as such."""
    found = operands_lib.promote_dtypes_inexact(*operands_of(name, *operands))
    return found if len(operands) > 1 else found[0]


def require_square(name: str, x: Any, operand: str = "a") -> None:
    """Raises ValueError unless `x` is a batch of square matrices."""
    is_matrix = operands_lib.ndim(x) >= 2
    if not is_matrix or operands_lib.shape(x)[-1] != operands_lib.shape(x)[-2]:
        raise (ValueError if is_matrix else errors.UnfitArgumentError)(
            explain(
                name,
                f"{operand} is no square matrix.",
                [(operand, operands_lib.type_name(x))],
                "The last two axes have one size.",
            )
        )


def one_of(name: str, option: str, value: Any, allowed: tuple) -> None:
    """Raises ValueError unless an option has one of its values."""
    if value not in allowed:
        words = ", ".join(map(repr, allowed))
        raise value_error(
            name,
            f"{option} has no such value.",
            [(option, repr(value))],
            f"It is one of {words}.",
        )


def columns(name: str, a: Any, b: Any) -> tuple[Any, bool]:
    """The right side of equations as a matrix, and whether it was a vector.

    Raises:
        ValueError: it does not fit the matrices `a`.
    """
    is_vector = (
        operands_lib.ndim(b) == 1 or operands_lib.ndim(b) == operands_lib.ndim(a) - 1
    )
    right = b[..., None] if is_vector else b
    if (
        operands_lib.ndim(right) < 2
        or operands_lib.shape(right)[-2] != operands_lib.shape(a)[-1]
    ):
        raise value_error(
            name,
            "the right side does not fit.",
            [("a", operands_lib.type_name(a)), ("b", operands_lib.type_name(b))],
            "b has as many rows as the matrices.",
        )
    return right, is_vector


def same_batch(name: str, a: Any, b: Any) -> tuple[Any, Any]:
    """Matrices with leading axes broadcast."""
    batch = operands_lib.broadcast_shapes(
        name, operands_lib.shape(a)[:-2], operands_lib.shape(b)[:-2]
    )
    return tuple(
        operands_lib.broadcast_to(x, (*batch, *operands_lib.shape(x)[-2:]))
        for x in (a, b)
    )
