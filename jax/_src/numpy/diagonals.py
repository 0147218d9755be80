"""Diagonals, triangles and cumulative sums."""

from __future__ import annotations

import functools as ft
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, traceback_filter
from jax._src.core import avals
from jax._src.core.symbols import expressions
from jax._src.numpy import (
    concatenation,
    creation,
    elementwise,
    indexing,
    lax_api as lax,
    operands as op,
    reductions,
    reshaping,
    selecting,
)
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike


def _matrices(name, x, axis1=-2, axis2=-1):
    if op.ndim(x) < 2:
        raise ValueError(
            op.explain(
                name, "there are fewer than two axes.", [("array", op.type_name(x))]
            )
        )
    first, second = op.canonical_axes(name, (axis1, axis2), op.ndim(x))
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
    rows, columns = op.canonical_shape("tri", (N, N if M is None else M))
    _check_diagonal("tri", k, "iu")
    wanted = dtypes.check_and_canonicalize_user_dtype(
        np.float32 if dtype is None else dtype, "tri"
    )
    return _tri(k, (rows, columns), wanted)


@ft.partial(jit, static_argnums=(1, 2))
def _tri(k, shape, dtype):
    return op.convert(_below(shape, k), dtype)


def _check_diagonal(name, k, kinds="iub"):
    """Raises TypeError unless `k` is a whole number, which may be traced."""
    if not op.is_arraylike(k) or op.ndim(k) or op.kind_of(k) not in kinds:
        raise errors.UnfitArgumentError(
            op.explain(
                name,
                "the diagonal is not a whole number.",
                [("k", k if isinstance(k, str) else op.type_name(k))],
                "0 is the main diagonal; positive numbers are above it.",
            )
        )


def _below(shape, k):
    """Whether each place of a matrix lies on or below the k-th diagonal."""
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
    """
    m = op.ensure_arraylike("tril", m)
    _check_diagonal("tril", k)
    _matrices("tril", m)
    mask = op.broadcast_to(_below(op.shape(m)[-2:], k), op.shape(m))
    return lax.select(*lax.alike("where", mask, m, lax.full_like(m, 0)))


@ft.partial(jit, static_argnames=("k",))
def triu(m: ArrayLike, k: int = 0) -> Array:
    """Matrices with zeros below a diagonal.

    The arguments are those of `jax.numpy.tril`; the result has the shape and dtype of
    `m`.
    """
    m = op.ensure_arraylike("triu", m)
    _check_diagonal("triu", k)
    _matrices("triu", m)
    mask = op.broadcast_to(_below(op.shape(m)[-2:], k - 1), op.shape(m))
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
    a = op.ensure_arraylike("diagonal", a)
    first, second = _matrices("diagonal", a, axis1, axis2)
    a = reshaping.moveaxis(a, (first, second), (-2, -1))
    rows, columns = op.shape(a)[-2:]
    length = expressions.min_dim(rows + min(offset, 0), columns - max(offset, 0))
    length = expressions.max_dim(0, length)
    places = op.counted(length)
    index = (Ellipsis, places - min(offset, 0), places + max(offset, 0))
    return indexing.get(op.strong(a), index, mode="promise_in_bounds")


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
    """
    op.refuse_out("trace", out)
    if op.is_arraylike(offset) and op.kind_of(offset) not in "iub":
        raise ValueError(
            op.explain(
                "trace",
                "the offset is not a whole number.",
                [("offset", op.type_name(offset))],
            )
        )
    if not _is_split(a):
        return reductions.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)
    rows, columns = _matrices("trace", a, axis1, axis2)
    a = reshaping.moveaxis(a, (rows, columns), (-2, -1))
    on_diagonal = tril(triu(op.strong(a), offset), offset)
    return reductions.sum(on_diagonal, axis=(-2, -1), dtype=dtype)


def _is_split(x):
    """Whether a type says that an array lies in pieces, which no gather may index."""
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
    """
    v = op.ensure_arraylike("diag", v)
    if op.ndim(v) == 2:
        return diagonal(v, k)
    if op.ndim(v) != 1:
        raise ValueError(
            op.explain(
                "diag", "neither a vector nor a matrix.", [("v", op.type_name(v))]
            )
        )
    size = op.size(v) + abs(k)
    row = lax.broadcasted_iota(np.int32, (size, size), 0)
    column = lax.broadcasted_iota(np.int32, (size, size), 1)
    on_it = lax.eq(lax.add(row, lax.full_like(row, k)), column)
    ends = (max(-k, 0), max(k, 0), 0)
    padded = lax.pad(v, op.convert(0, op.dtype_of(v)), (ends,))
    rows = lax.broadcast_in_dim(padded, (size, size), (0,))
    on_it, rows = lax.alike("diag", on_it, rows)
    found = lax.select(on_it, rows, lax.full_like(rows, 0))
    return op.convert(found, op.dtype_of(v), dtypes.is_weakly_typed(v))


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
    return diag(op.strong(reshaping.ravel(v)), k)


def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    """The places of the main diagonal of an array of `ndim` axes of size `n`.

    Args:
        n: the size of each axis.
        ndim: the number of axes.

    Returns:
        A tuple of `ndim` equal vectors of shape ``(n,)``, of the default integer dtype.

    Raises:
        ValueError: `n` or `ndim` is negative.
    """
    n, ndim = operator.index(n), operator.index(ndim)
    if n < 0 or ndim < 0:
        raise ValueError("jnp.diag_indices: `n` and `ndim` are not negative.")
    return (creation.arange(n),) * ndim


def diag_indices_from(arr: ArrayLike) -> tuple[Array, ...]:
    """The places of the main diagonal of an array with equal sizes.

    Args:
        arr: array of at least two axes, all of one size ``n``.

    Returns:
        A tuple of vectors of shape ``(n,)``, one per axis, of the default integer
        dtype.

    Raises:
        ValueError: `arr` has fewer than two axes, or sizes differ.
        TypeError: `arr` is no array or number.
    """
    arr = op.ensure_arraylike("diag_indices_from", arr)
    if op.ndim(arr) < 2 or len(set(op.shape(arr))) > 1:
        raise ValueError(
            op.explain(
                "diag_indices_from",
                "the array has no main diagonal.",
                [("arr", op.type_name(arr))],
                "It has two axes at least, all of one size.",
            )
        )
    return diag_indices(op.shape(arr)[0], op.ndim(arr))


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
    """The places on and below a diagonal of an ``n`` by ``m`` matrix.

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
    """The places on and above a diagonal of an ``n`` by ``m`` matrix.

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
    rows, columns = op.canonical_shape(name, (n, n if m is None else m))
    _check_diagonal(name, k)
    return _host_indices(find(rows, k, columns))


def _host_indices(indices):
    return tuple(creation.asarray(i, dtypes.default_int_dtype()) for i in indices)


def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Array, Array]:
    """The places on and below a diagonal of the matrix `arr`.

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
    """The places on and above a diagonal of the matrix `arr`.

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
    shape = op.shape(op.ensure_arraylike(name, arr))
    if len(shape) != 2:
        raise ValueError(op.explain(name, "not a matrix.", [("arr", f"shape {shape}")]))
    return shape


def mask_indices(
    n: int, mask_func: Callable, k: int = 0, *, size: int | None = None
) -> tuple[Array, ...]:
    """The places that a function such as `jax.numpy.triu` keeps of a square matrix.

    Args:
        n: the size of the square matrix.
        mask_func: a function such as `jax.numpy.triu`, of a matrix of ones and `k`.
        k: the second argument of `mask_func`.
        size: how many places to return; the rest is filled with 0.

    Returns:
        Vectors of rows and of columns, of the default integer dtype.

    Raises:
        What `mask_func` and `jax.numpy.nonzero` raise, such as TypeError where
            it is traced.
    """
    return selecting.nonzero(mask_func(creation.ones((n, n)), k), size=size)


def fill_diagonal(
    a: ArrayLike, val: ArrayLike, wrap: bool = False, *, inplace: bool = True
) -> Array:
    """`a` with values on the main diagonal; pass ``inplace=False``.

    Args:
        a: array of at least two axes; more than two have one size.
        val: number or array; its elements are repeated as needed.
        wrap: must be False.
        inplace: must be False.

    Returns:
        Array of the shape and dtype of `a`.

    Raises:
        NotImplementedError: `inplace` or `wrap` is true. ValueError: `a` has too few
            axes, or sizes differ.
    """
    if inplace:
        raise NotImplementedError(
            "jnp.fill_diagonal: arrays do not change. Pass inplace=False and use the result."
        )
    if wrap:
        raise NotImplementedError("jnp.fill_diagonal: wrap=True is not supported.")
    a, val = op.ensure_arraylike("fill_diagonal", a, val)
    if op.ndim(a) < 2:
        raise ValueError("jnp.fill_diagonal: the array has two axes at least.")
    if op.ndim(a) > 2 and len(set(op.shape(a))) > 1:
        raise ValueError("jnp.fill_diagonal: all axes have one size.")
    length = min(op.shape(a))
    places = np.arange(length, dtype=np.int32)
    if op.ndim(val):
        val = reshaping.ravel(val)
        val = reshaping.tile(val, -(-length // max(op.size(val), 1)))[:length]
    return indexing.set(a, (places,) * op.ndim(a), val)


# ---------------------------------------------------------------- cumulative


def _cumulative(name, apply, doc, instead_of_nan=None):
    def function(a, axis=None, dtype=None, out=None):
        op.refuse_out(name, out)
        a = op.ensure_arraylike(name, a)
        if instead_of_nan is not None and op.kind_of(a) in "fc":
            a = lax.select(lax.ne(a, a), lax.full_like(a, instead_of_nan), a)
        return _accumulated(name, a, axis, dtype, apply)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{doc}\n\nArgs:\n    a: array.\n    axis: the axis; None means the flattened "
        "array.\n    dtype: the dtype of the result; default: that of `a`, for booleans "
        "the default integer dtype.\n    out: not supported.\n\n"
        "Returns:\n    Array of the shape of `a`, or of the flattened one.\n\nRaises:\n"
        "    ValueError: the axis is out of bounds. TypeError: `a` is no array or number.\n"
        "    NotImplementedError: `out` is given."
    )
    return jit(function, static_argnames=("axis", "dtype"))


def _accumulated(name, a, axis, dtype, apply):
    if axis is None or not op.ndim(a):
        # A number is a vector of one, as NumPy has it.
        a, axis = reshaping.ravel(a), axis or 0
    axis = op.canonical_axis(name, axis, op.ndim(a))
    wanted = op.user_dtype(name, dtype)
    if wanted is None:
        wanted = op.dtype_of(a)
    if op.kind(wanted) == "b":
        truths = elementwise.as_boolean(a)
        counted = apply(op.convert(truths, dtypes.default_int_dtype()), axis)
        return counted if dtype is None else elementwise.as_boolean(counted)
    return apply(op.convert(a, wanted), axis)


def _sum_along(x, axis):
    return lax.cumsum(x, axis=axis)


def _product_along(x, axis):
    return lax.cumprod(x, axis=axis)


cumsum = _cumulative("cumsum", _sum_along, "Sums of all elements up to each one.")
cumprod = _cumulative(
    "cumprod", _product_along, "Products of all elements up to each one."
)
nancumsum = _cumulative(
    "nancumsum", _sum_along, "As `cumsum`; NaN counts as 0.", instead_of_nan=0
)
nancumprod = _cumulative(
    "nancumprod", _product_along, "As `cumprod`; NaN counts as 1.", instead_of_nan=1
)


def _with_initial(name, x, axis, dtype, include_initial, accumulate, neutral):
    x = op.ensure_arraylike(name, x)
    if not op.ndim(x):
        kind = "product" if name == "cumulative_prod" else "sum"
        raise ValueError(
            op.explain(
                name,
                f"The input must be non-scalar to take a cumulative {kind}.",
                [("x", op.type_name(x))],
                "A scalar has no axis.",
            )
        )
    if axis is None:
        if op.ndim(x) > 1:
            raise ValueError(
                op.explain(
                    name,
                    f"The input array has rank {op.ndim(x)}, however axis was not set to "
                    "an explicit value.",
                    [("x", op.type_name(x))],
                    "With more than one axis, say which.",
                )
            )
        axis = 0
    axis = op.canonical_axis(name, axis, op.ndim(x))
    result = accumulate(x, axis, dtype)
    if not include_initial:
        return result
    sizes = list(op.shape(result))
    sizes[axis] = 1
    return concatenation.concatenate(
        [lax.full(tuple(sizes), neutral, op.dtype_of(result)), result], axis
    )


def _widened_sum(x, axis, dtype):
    """`cumsum`, of whole numbers in the default integer at least: the standard asks for that."""
    if dtype is None and op.kind_of(x) in "biu":
        dtype = reductions.sum_dtype("cumulative_sum", x)
    return cumsum(x, axis, dtype)


def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> Array:
    """Sums of all elements up to each one.

    Args:
        x: array with at least one axis.
        axis: the axis; needed where there is more than one.
        dtype: the dtype of the result; default: that of `x`, small integers widened.
        include_initial: whether 0 comes first, which makes the axis longer by one.

    Returns:
        Array of the shape of `x`.

    Raises:
        ValueError: `x` is a scalar, or the axis is missing or out of bounds.
        TypeError: `x` is no array or number.

    Reference: Python array API standard, ``cumulative_sum``.
    """
    return _with_initial(
        "cumulative_sum", x, axis, dtype, include_initial, _widened_sum, 0
    )


def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> Array:
    """Products of all elements up to each one.

    The arguments are those of `jax.numpy.cumulative_sum`, with its shapes and errors;
    small integers keep their dtype. `include_initial` puts 1 first.
    """
    return _with_initial("cumulative_prod", x, axis, dtype, include_initial, cumprod, 1)


traceback_filter.hide_frames(globals())
