"""Products and rearrangements under the names of the array API's linear algebra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jax._src.base import traceback_filter
from jax._src.numpy import einsums, matrices, matrix_products, operands as op, reshaping
from jax._src.numpy.linalg import checks

Array = op.Array
ArrayLike = op.ArrayLike


def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Array:
    """The cross products of vectors in space.

    Args:
        x1: array of vectors with three components.
        x2: array of vectors with three components.
        axis: the axis of the components.

    Raises:
        ValueError: vectors have other numbers of components.
        IndexError: the axis is out of bounds. TypeError: `x1` or `x2` is no array or
            number.
    """
    x1, x2 = op.ensure_arraylike("linalg.cross", x1, x2)
    if not all(-op.ndim(x) <= axis < op.ndim(x) for x in (x1, x2)):
        raise IndexError(
            op.explain(
                "linalg.cross",
                "the axis is out of bounds.",
                [
                    ("x1", op.type_name(x1)),
                    ("x2", op.type_name(x2)),
                    ("axis", f"{axis}"),
                ],
                "It holds the components of the vectors of both arrays.",
            )
        )
    if op.shape(x1)[axis] != 3 or op.shape(x2)[axis] != 3:
        raise op.value_error(
            "linalg.cross",
            "these are no vectors in space.",
            [("x1", op.type_name(x1)), ("x2", op.type_name(x2))],
            "They have three components.",
            "For the plane: jnp.cross.",
        )
    return matrix_products.cross(x1, x2, axis=axis)


def outer(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """All products of an element of one vector with one of another.

    Args:
        x1: array of shape ``(m,)``.
        x2: array of shape ``(n,)``.

    Returns:
        Array of shape ``(m, n)`` and the promoted dtype.

    Raises:
        ValueError: they are no vectors.
        TypeError: `x1` or `x2` is no array or number.
    """
    x1, x2 = op.ensure_arraylike("linalg.outer", x1, x2)
    if op.ndim(x1) != 1 or op.ndim(x2) != 1:
        raise op.value_error(
            "linalg.outer",
            "these are no vectors.",
            [("x1", op.type_name(x1)), ("x2", op.type_name(x2))],
            "Vectors have one axis.",
            "To flatten arrays: jnp.outer.",
        )
    return matrix_products.outer(x1, x2)


def matmul(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """The product of matrices, of the promoted dtype.

    Args:
        x1, x2: arrays with an axis at least.
        precision, preferred_element_type: as for `jax.numpy.matmul`; so are shapes.

    Raises:
        TypeError: the contracted axes differ in size. ValueError: an operand is a
            scalar.
    """
    return matrix_products.matmul(
        x1, x2, precision=precision, preferred_element_type=preferred_element_type
    )


def matrix_transpose(x: ArrayLike, /) -> Array:
    """The last two axes exchanged.

    The arguments are those of `jax.numpy.matrix_transpose`, and so are the dtype and
    errors.
    """
    return reshaping.matrix_transpose(x)


def vecdot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    axis: int = -1,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """Dot products of vectors, conjugating the first, of the promoted dtype.

    The arguments are those of `jax.numpy.vecdot`.

    Raises:
        ValueError: the axes differ in size. TypeError: `x1` or `x2` is no array or
            number.
    """
    return matrix_products.vecdot(
        x1,
        x2,
        axis=axis,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def tensordot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    axes: int | tuple[Sequence[int], Sequence[int]] = 2,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Sums of products over several axes, of the promoted dtype.

    Args:
        x1, x2: arrays.
        axes, precision, preferred_element_type, out_sharding: as for
            `jax.numpy.tensordot`.

    Raises:
        TypeError: the axes do not fit.
        NotImplementedError: `out_sharding` is given.
    """
    return matrix_products.tensordot(
        x1,
        x2,
        axes=axes,
        precision=precision,
        preferred_element_type=preferred_element_type,
        out_sharding=out_sharding,
    )


def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Array:
    """The diagonals of matrices.

    Args:
        x: array of shape ``(..., m, n)``.
        offset: which diagonal: 0 the main one, positive above it.

    Returns:
        Array of the dtype of `x`, with the diagonals along its last axis.

    Raises:
        ValueError: `x` is no matrix.
        TypeError: `x` is no array or number.
    """
    x = op.ensure_arraylike("linalg.diagonal", x)
    checks.require_matrices("diagonal", x)
    return matrices.diagonal(x, offset=offset, axis1=-2, axis2=-1)


def trace(x: ArrayLike, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sums of diagonals of matrices.

    Args:
        x: array of shape ``(..., m, n)``.
        offset: which diagonal: 0 the main one, positive above it.
        dtype: the dtype in which to add up.

    Returns:
        Array of shape ``(...)``.

    Raises:
        ValueError: `x` is no matrix.
        TypeError: `x` is no array or number.
    """
    x = op.ensure_arraylike("linalg.trace", x)
    checks.require_matrices("trace", x)
    return matrices.trace(x, offset=offset, axis1=-2, axis2=-1, dtype=dtype)


def multi_dot(arrays: Sequence[ArrayLike], *, precision: Any = None) -> Array:
    """The product of several matrices, in the order that costs least.

    Args:
        arrays: two or more matrices; the first and the last may be vectors.
        precision: how exactly to multiply floats.

    Raises:
        ValueError: others than the first and last are no matrices, or sizes differ.
        TypeError: `arrays` is no array or number.
    """
    op.check_arraylike("linalg.multi_dot", *arrays)
    operands = [op.to_array(x) for x in arrays]
    ranks = [op.ndim(x) for x in operands]
    ends = {ranks[0], ranks[-1]} if ranks else set()
    if len(ranks) < 2 or not ends <= {1, 2} or set(ranks[1:-1]) - {2}:
        raise op.value_error(
            "linalg.multi_dot",
            "these are no matrices.",
            [(f"operand {i}", op.type_name(x)) for i, x in enumerate(operands)],
            "Two or more are multiplied; all but the first and last are matrices.",
        )
    letters = [chr(ord("a") + i) for i in range(len(operands) + 1)]
    if len(operands) > 25:
        return _from_left(operands, precision)
    terms = [letters[i : i + 2] for i in range(len(operands))]
    if ranks[0] == 1:
        terms[0] = terms[0][1:]
    if ranks[-1] == 1:
        terms[-1] = terms[-1][:1]
    result = (letters[0] if ranks[0] == 2 else "") + (
        letters[-1] if ranks[-1] == 2 else ""
    )
    subscripts = ",".join("".join(term) for term in terms) + "->" + result
    return einsums.einsum(subscripts, *operands, optimize="auto", precision=precision)


def _from_left(operands, precision):
    found = operands[0]
    for x in operands[1:]:
        found = matrix_products.matmul(found, x, precision=precision)
    return found


traceback_filter.hide_frames(globals())
