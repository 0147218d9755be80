"""Building matrices: diagonals, triangles, powers of a vector; the trace."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, traceback_filter
from jax._src.core import avals
from jax._src.core.symbols import expressions
from jax._src.numpy import (
    creation,
    indexing,
    lax_api as lax,
    operands,
    ranges,
    reductions,
    reshaping,
)
from jax._src.numpy.jit_wrapper import jit

Array = operands.Array
ArrayLike = operands.ArrayLike


def _matrices(name, x, axis1=-2, axis2=-1):
    if operands.ndim(x) < 2:
        raise operands.value_error(
            name, "there are fewer than two axes.", [("array", operands.type_name(x))]
        )
    first, second = operands.canonical_axes(name, (axis1, axis2), operands.ndim(x))
    return first, second


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Array:
    """A matrix with ones on and below a diagonal, zeros above it.

    Args:
        N: the number of rows.
        M: the number of columns; default: `N`.
        k: the last diagonal of ones: 0 the main one, positive above it.
        dtype: the dtype, float by default.

    Returns:
        Array of shape ``(N, M)``.

    Raises:
        TypeError: a size is negative or no whole number, or `k` is no whole number.
    """
    rows, columns = operands.canonical_shape("tri", (N, N if M is None else M))
    _check_diagonal("tri", k, "iu")
    wanted = dtypes.check_and_canonicalize_user_dtype(
        np.float32 if dtype is None else dtype, "tri"
    )
    return _tri(k, (rows, columns), wanted)


@ft.partial(jit, static_argnums=(1, 2))
def _tri(k, shape, dtype):
    return operands.convert(_below(shape, k), dtype)


def _check_diagonal(name, k, kinds="iub"):
    """Raises TypeError unless `k` is a whole number, which may be traced."""
    if (
        not operands.is_arraylike(k)
        or operands.ndim(k)
        or operands.kind_of(k) not in kinds
    ):
        raise errors.UnfitArgumentError(
            operands.explain(
                name,
                "the diagonal is not a whole number.",
                [("k", k if isinstance(k, str) else operands.type_name(k))],
                "0 is the main diagonal; positive numbers are above it.",
            )
        )


def _below(shape, k):
    """Whether each index of a matrix is on or below the k-th diagonal."""
    row = lax.broadcasted_iota(np.int32, shape, 0)
    column = lax.broadcasted_iota(np.int32, shape, 1)
    return lax.ge(lax.add(row, lax.full_like(row, k)), column)


@ft.partial(jit, static_argnames=("k",))
def tril(m: ArrayLike, k: int = 0) -> Array:
    """Matrices with zeros above a diagonal.

    Args:
        m: array of at least two axes; the last two hold matrices.
        k: which diagonal: 0 the main one, positive above it.

    Returns:
        Array of the shape and dtype of `m`.

    Raises:
        ValueError: `m` has fewer than two axes. TypeError: it is no array, or `k` no
            whole number.

    Examples:
        >>> jnp.tril(jnp.ones((3, 3)))
        Array([[1., 0., 0.],
               [1., 1., 0.],
               [1., 1., 1.]], dtype=float32)
    """
    m = operands.ensure_arraylike("tril", m)
    _check_diagonal("tril", k)
    _matrices("tril", m)
    mask = operands.broadcast_to(_below(operands.shape(m)[-2:], k), operands.shape(m))
    return lax.select(*lax.alike("where", mask, m, lax.full_like(m, 0)))


@ft.partial(jit, static_argnames=("k",))
def triu(m: ArrayLike, k: int = 0) -> Array:
    """Matrices with zeros below a diagonal.

    The arguments are those of `jax.numpy.tril`; the result has the shape and dtype of
    `m`.

    Examples:
        >>> jnp.triu(jnp.array([[1, 2], [3, 4]]))
        Array([[1, 2],
               [0, 4]], dtype=int32)
    """
    m = operands.ensure_arraylike("triu", m)
    _check_diagonal("triu", k)
    _matrices("triu", m)
    mask = operands.broadcast_to(
        _below(operands.shape(m)[-2:], k - 1), operands.shape(m)
    )
    return lax.select(*lax.alike("where", mask, lax.full_like(m, 0), m))


@ft.partial(jit, static_argnames=("offset", "axis1", "axis2"))
def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The diagonals of matrices, along a new last axis.

    Args:
        a: array.
        offset: which diagonal: 0 the main one, positive above it.
        axis1: the axis of rows.
        axis2: the axis of columns.

    Returns:
        Array of the dtype of `a`: its other axes, then the diagonals.

    Raises:
        ValueError: there are fewer than two axes, or one is out of bounds or named
            twice. TypeError: `a` is no array.
    """
    a = operands.ensure_arraylike("diagonal", a)
    first, second = _matrices("diagonal", a, axis1, axis2)
    a = reshaping.moveaxis(a, (first, second), (-2, -1))
    rows, columns = operands.shape(a)[-2:]
    length = expressions.min_dim(rows + min(offset, 0), columns - max(offset, 0))
    length = expressions.max_dim(0, length)
    indices = operands.counted(length)
    index = (Ellipsis, indices - min(offset, 0), indices + max(offset, 0))
    return indexing.get(operands.strong(a), index, mode="promise_in_bounds")


@ft.partial(jit, static_argnames=("offset", "axis1", "axis2", "dtype"))
def trace(
    a: ArrayLike,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: Any = None,
    out: None = None,
) -> Array:
    """The sums of diagonals.

    Args:
        a: array.
        offset, axis1, axis2: which diagonals, as for `jax.numpy.diagonal`.
        dtype: the dtype to add in; default: that of `a`, small integers widened.
        out: not supported.

    Returns:
        Array of the other axes of `a`.

    Raises:
        ValueError: there are fewer than two axes, or one is out of bounds or named
            twice, or `offset` is no whole number. NotImplementedError: `out` is given.

    Examples:
        >>> jnp.trace(jnp.array([[1, 2], [3, 4]]))
        Array(5, dtype=int32)
    """
    operands.refuse_out("trace", out)
    if operands.is_arraylike(offset) and operands.kind_of(offset) not in "iub":
        raise operands.value_error(
            "trace",
            "the offset is not a whole number.",
            [("offset", operands.type_name(offset))],
        )
    if not _is_split(a):
        return reductions.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)
    rows, columns = _matrices("trace", a, axis1, axis2)
    a = reshaping.moveaxis(a, (rows, columns), (-2, -1))
    on_diagonal = tril(triu(operands.strong(a), offset), offset)
    return reductions.sum(on_diagonal, axis=(-2, -1), dtype=dtype)


def _is_split(x):
    """Whether a type says that an array is split along an axis, which no gather may index."""
    aval = avals.get_aval(x)
    return aval.is_placed and any(aval.sharding.spec)


@ft.partial(jit, static_argnames=("k",))
def diag(v: ArrayLike, k: int = 0) -> Array:
    """A matrix with a vector as diagonal, or the diagonal of a matrix.

    Args:
        v: vector or matrix.
        k: which diagonal: 0 the main one, positive above it.

    Returns:
        Square matrix or vector of the dtype of `v`.

    Raises:
        ValueError: `v` is neither vector nor matrix.
        TypeError: `v` is no array or number.

    Examples:
        >>> jnp.diag(jnp.array([1, 2]))
        Array([[1, 0],
               [0, 2]], dtype=int32)
        >>> jnp.diag(jnp.array([[1, 2], [3, 4]]))
        Array([1, 4], dtype=int32)
    """
    v = operands.ensure_arraylike("diag", v)
    if operands.ndim(v) == 2:
        return diagonal(v, k)
    if operands.ndim(v) != 1:
        raise operands.value_error(
            "diag", "neither a vector nor a matrix.", [("v", operands.type_name(v))]
        )
    size = operands.size(v) + abs(k)
    row = lax.broadcasted_iota(np.int32, (size, size), 0)
    column = lax.broadcasted_iota(np.int32, (size, size), 1)
    on_it = lax.eq(lax.add(row, lax.full_like(row, k)), column)
    ends = (max(-k, 0), max(k, 0), 0)
    padded = lax.pad(v, operands.convert(0, operands.dtype_of(v)), (ends,))
    rows = lax.broadcast_in_dim(padded, (size, size), (0,))
    on_it, rows = lax.alike("diag", on_it, rows)
    found = lax.select(on_it, rows, lax.full_like(rows, 0))
    return operands.convert(found, operands.dtype_of(v), dtypes.is_weakly_typed(v))


def diagflat(v: ArrayLike, k: int = 0) -> Array:
    """A matrix with the flattened array as diagonal.

    Args:
        v: array, which is flattened.
        k: which diagonal: 0 the main one, positive above it.

    Returns:
        Square matrix of the dtype of `v`.

    Raises:
        TypeError: `v` is no array or number.
    """
    return diag(operands.strong(reshaping.ravel(v)), k)


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
    """The indices on and below a diagonal of an ``n`` by ``m`` matrix.

    Args:
        n: the number of rows.
        k: the last diagonal to include: 0 the main one, positive above it.
        m: the number of columns; default: `n`.

    Returns:
        Vectors of rows and of columns, of the default integer dtype.

    Raises:
        TypeError: a size is negative or no whole number, or `k` is no whole number.
    """
    return _triangle_indices("tril_indices", np.tril_indices, n, k, m)


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
    """The indices on and above a diagonal of an ``n`` by ``m`` matrix.

    Args:
        n: the number of rows.
        k: the first diagonal to include: 0 the main one, positive above it.
        m: the number of columns; default: `n`.

    Returns:
        Vectors of rows and of columns, of the default integer dtype.

    Raises:
        TypeError: a size is negative or no whole number, or `k` is no whole number.
    """
    return _triangle_indices("triu_indices", np.triu_indices, n, k, m)


def _triangle_indices(name, find, n, k, m):
    rows, columns = operands.canonical_shape(name, (n, n if m is None else m))
    _check_diagonal(name, k)
    return _host_indices(find(rows, k, columns))


def _host_indices(indices):
    return tuple(creation.asarray(i, dtypes.default_int_dtype()) for i in indices)


def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Array, Array]:
    """The indices on and below a diagonal of the matrix `arr`.

    Args:
        arr: matrix, of which the shape is used.
        k: the last diagonal to include: 0 the main one, positive above it.

    Returns:
        Vectors of rows and of columns, of the default integer dtype.

    Raises:
        ValueError: `arr` is no matrix.
        TypeError: `arr` is no array or number.
    """
    shape = _matrix_shape("tril_indices_from", arr)
    return tril_indices(shape[0], k, shape[1])


def triu_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Array, Array]:
    """The indices on and above a diagonal of the matrix `arr`.

    Args:
        arr: matrix, of which the shape is used.
        k: the first diagonal to include: 0 the main one, positive above it.

    Returns:
        Vectors of rows and of columns, of the default integer dtype.

    Raises:
        ValueError: `arr` is no matrix.
        TypeError: `arr` is no array or number.
    """
    shape = _matrix_shape("triu_indices_from", arr)
    return triu_indices(shape[0], k, shape[1])


def _matrix_shape(name, arr):
    shape = operands.shape(operands.ensure_arraylike(name, arr))
    if len(shape) != 2:
        raise operands.value_error(name, "not a matrix.", [("arr", f"shape {shape}")])
    return shape


# ---------------------------------------------------------------- cumulative


@ft.partial(jit, static_argnames=("N", "increasing"))
def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Array:
    """The powers of each element, one row each, the highest first.

    Args:
        x: vector of numbers.
        N: the number of powers; default: as many as elements.
        increasing: whether the lowest power comes first.

    Returns:
        Array of shape ``(len(x), N)`` and the dtype of `x`; for booleans that of whole
        numbers.

    Raises:
        ValueError: `x` is no vector, or `N` negative.
        TypeError: `x` is no array or number, or `N` no whole number.
    """
    x = operands.ensure_arraylike("vander", x)
    if operands.ndim(x) != 1:
        raise operands.value_error(
            "vander", "not a vector.", [("x", operands.type_name(x))]
        )
    operands.refuse_negative("vander", N=N)
    (count,) = operands.canonical_shape("vander", operands.size(x) if N is None else N)
    powers = ranges.arange(count) if increasing else ranges.arange(count)[::-1]
    if not dtypes.issubdtype(x.dtype, np.integer):
        return operands.strong(x[:, None] ** powers[None, :])
    # Exponents wrap in narrow integers, and mixed signs widen: powers modulo
    # 2 to the number of bits are those of any wider type.
    wide = x.dtype if x.dtype.itemsize >= 4 else np.dtype(np.int32)
    found = x[:, None].astype(wide) ** powers[None, :].astype(wide)
    return operands.strong(found.astype(x.dtype))


traceback_filter.hide_frames(globals())
