"""Norms of vectors and matrices."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src.lax.linalg import matrices
from jax._src.numpy import (
    elementwise,
    lax_api as lax,
    operands,
    reductions,
    reshaping,
)
from jax._src.numpy.jit_wrapper import jit_as_call as jit
from jax._src.numpy.linalg import checks, decompositions

Array = operands.Array
ArrayLike = operands.ArrayLike


@ft.partial(jit, static_argnames=("ord", "axis", "keepdims"))
def norm(
    x: ArrayLike,
    ord: int | float | str | None = None,
    axis: None | int | tuple[int, ...] = None,
    keepdims: bool = False,
) -> Array:
    """The norm of vectors or matrices.

    Args:
        x: array.
        ord: which norm. None: the root of the sum of squares, of any array. Of vectors:
            any number for a p-norm, plus or minus infinity for the largest or smallest
            size, 0 for the number of elements that are not zero. Of matrices: 1 and
            infinity (with sign: the smallest) for column and row sums, 2 and -2 for
            the largest and smallest singular value, ``"nuc"`` for their sum, ``"fro"``
            for the root of the sum of squares.
        axis: one axis for vectors, two for matrices; None means all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        Array of real dtype.

    Raises:
        ValueError: there is no such norm, or a wrong number of axes.
        TypeError: `x` is no array or number.

    Examples:
        >>> jnp.linalg.norm(jnp.array([3.0, 4.0]))
        Array(5., dtype=float32)
    """
    x = checks.inexact("norm", x)
    rank = operands.ndim(x)
    if axis is None and ord is None:
        return _root_of_squares(x, None, keepdims)
    axes = operands.canonical_axes("linalg.norm", axis, rank)
    if len(axes) == 1:
        return _vector_norm(x, axes, ord, keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, axes, "fro" if ord is None else ord, keepdims)
    raise operands.value_error(
        "linalg.norm",
        "a wrong number of axes.",
        [("x", operands.type_name(x)), ("axis", str(axis)), ("ord", repr(ord))],
        "One axis is for norms of vectors, two are for norms of matrices.",
        "Of all elements: jnp.linalg.vector_norm.",
    )


def _root_of_squares(x: Array, axes: Any, keepdims: bool) -> Array:
    """The root of the sum of squares; floats of 16 bits are squared in 32, where nothing overflows."""
    dtype = operands.dtype_of(x)
    if dtype.itemsize < 4:
        wide = operands.convert(x, np.dtype(np.float32))
        return operands.convert(_root_of_squares(wide, axes, keepdims), dtype)
    squares = matrices.real_part(x * matrices.conjugated(x))
    return elementwise.sqrt(reductions.sum(squares, axis=axes, keepdims=keepdims))


def _unknown(kind: str, ord: Any) -> ValueError:
    way = "Infinity is a number: jnp.inf." if ord in ("inf", "-inf") else ""
    return operands.value_error(
        "linalg.norm",
        f"there is no such norm of a {kind}.",
        [("ord", repr(ord))],
        "Vectors have norms of every number; matrices have 1, 2, inf, their "
        "negatives, 'fro' and 'nuc'.",
        way,
    )


def _vector_norm(x: Array, axes: Any, ord: Any, keepdims: bool) -> Array:
    if isinstance(ord, str):
        raise _unknown("vector", ord)
    if ord is None or ord == 2:
        return _root_of_squares(x, axes, keepdims)
    sizes = elementwise.abs(x)
    if ord == np.inf:
        return reductions.max(sizes, axis=axes, keepdims=keepdims, initial=0)
    if ord == -np.inf:
        return reductions.min(sizes, axis=axes, keepdims=keepdims, initial=np.inf)
    if ord == 0:
        counted = x != lax.full_like(x, 0)
        return reductions.sum(
            counted, axis=axes, dtype=operands.dtype_of(sizes), keepdims=keepdims
        )
    if ord == 1:
        return reductions.sum(sizes, axis=axes, keepdims=keepdims)
    power = np.asarray(ord, operands.dtype_of(sizes))[()]
    total = reductions.sum(lax.pow(sizes, power), axis=axes, keepdims=keepdims)
    return lax.pow(total, np.asarray(1 / ord, operands.dtype_of(sizes))[()])


def _matrix_norm(x: Array, axes: Any, ord: Any, keepdims: bool) -> Array:
    rows, columns = axes
    if ord == "fro":
        return _root_of_squares(x, axes, keepdims)
    if ord in (1, -1, np.inf, -np.inf):
        summed, kept = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = reductions.sum(elementwise.abs(x), axis=summed, keepdims=True)
        return _extreme(sums, kept, ord > 0, (rows, columns), keepdims)
    if ord not in ("nuc", 2, -2):
        raise _unknown("matrix", ord)
    values = decompositions.svd(reshaping.moveaxis(x, axes, (-2, -1)), compute_uv=False)
    if ord == "nuc":
        found = reductions.sum(values, axis=-1)
    elif ord == 2:
        found = reductions.max(values, axis=-1, initial=0)
    else:
        found = reductions.min(values, axis=-1, initial=np.inf)
    return lax.expand_dims(found, sorted(axes)) if keepdims else found


def _extreme(sums: Array, axis: int, largest: bool, axes: Any, keepdims: bool) -> Array:
    if largest:
        found = reductions.max(sums, axis=axis, keepdims=True, initial=0)
    else:
        found = reductions.min(sums, axis=axis, keepdims=True, initial=np.inf)
    return found if keepdims else lax.squeeze(found, axes)


@ft.partial(jit, static_argnames=("keepdims", "ord"))
def matrix_norm(
    x: ArrayLike, /, *, keepdims: bool = False, ord: str | int | float = "fro"
) -> Array:
    """The norms of matrices.

    Args:
        x: array of shape ``(..., m, n)``.
        keepdims: whether the reduced axes stay, with size 1.
        ord: which norm, as in `jax.numpy.linalg.norm`.

    Returns:
        Array of floats of shape ``(...)``.

    Raises:
        ValueError: there is no such norm.
        TypeError: `x` is no array or number.

    Reference: Python array API standard, ``linalg.matrix_norm``.
    """
    x = checks.inexact("matrix_norm", x)
    return norm(x, ord=ord, keepdims=keepdims, axis=(-2, -1))


@ft.partial(jit, static_argnames=("axis", "keepdims", "ord"))
def vector_norm(
    x: ArrayLike,
    /,
    *,
    axis: None | int | tuple[int, ...] = None,
    keepdims: bool = False,
    ord: int | float = 2,
) -> Array:
    """The norms of vectors.

    Args:
        x: array.
        axis: axis or axes whose elements form a vector; None means all.
        keepdims: whether reduced axes stay, with size 1.
        ord: which norm, as in `jax.numpy.linalg.norm`.

    Returns:
        Array of floats without the axes.

    Raises:
        ValueError: there is no such norm.
        TypeError: `x` is no array or number.

    Reference: Python array API standard, ``linalg.vector_norm``.
    """
    x = checks.inexact("vector_norm", x)
    axes = operands.canonical_axes("linalg.vector_norm", axis, operands.ndim(x))
    return _vector_norm(x, axes, ord, keepdims)
