"""What the rules of this package share: transposes, products, triangles, checks."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.lax.ops.arithmetic import add, div, mul
from jax._src.lax.ops.broadcast_and_reduce_sum import (
    batch_in_front,
    broadcast_in_dim,
    expand_dims,
    reduce_sum,
)
from jax._src.lax.ops.checks import INEXACT, INTEGER, check_kind, is_complex, kind_of
from jax._src.lax.ops.comparison import eq, ge, gt
from jax._src.lax.ops.complex_parts import conj, real
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import broadcasted_iota, full_like
from jax._src.lax.ops.dot import dot_general
from jax._src.lax.ops.messages import type_error, value_error
from jax._src.lax.ops.precision import Precision
from jax._src.lax.ops.reductions import reduce_max
from jax._src.lax.ops.reshaping import transpose
from jax._src.lax.ops.resharding import alike
from jax._src.lax.ops.rounding import abs as absolute
from jax._src.lax.ops.selection import select

Array = Any


def turned(x: Array) -> Array:
    """The transposes of matrices."""
    ndim = np.ndim(x)
    return transpose(x, (*range(ndim - 2), ndim - 1, ndim - 2))


def conjugated(x: Array) -> Array:
    """The complex conjugate; real arrays as they are."""
    return conj(x) if is_complex(get_aval(x).dtype) else x


def real_part(x: Array) -> Array:
    """The real part; real arrays as they are."""
    return real(x) if is_complex(get_aval(x).dtype) else x


def adjoint(x: Array) -> Array:
    """The conjugate transposes of matrices."""
    return conjugated(turned(x))


def product(x: Array, y: Array) -> Array:
    """Products of corresponding matrices, as exact as can be."""
    batch = tuple(range(np.ndim(x) - 2))
    numbers = (((np.ndim(x) - 1,), (np.ndim(y) - 2,)), (batch, batch))
    return dot_general(x, y, numbers, precision=Precision.HIGHEST)


def symmetrized(x: Array) -> Array:
    """The mean of matrices and their conjugate transposes; of integers, floats."""
    if kind_of(get_aval(x).dtype) & INTEGER:
        x = convert(x, dtypes.to_inexact_dtype(get_aval(x).dtype))
    return div(add(x, adjoint(x)), full_scalar(x, 2))


def full_scalar(x: Array, value: float) -> Any:
    """A scalar of the dtype of `x`."""
    return np.asarray(value, get_aval(x).dtype)[()]


def below(shape: Sequence[int], offset: int = 0) -> Array:
    """Where the column of a matrix is at most its row plus `offset`: truth values."""
    rows = broadcasted_iota(np.int32, shape, 0)
    columns = broadcasted_iota(np.int32, shape, 1)
    return ge(add(rows, np.int32(offset)), columns)


def _chosen(mask: Array, x: Array, y: Array) -> Array:
    """Elements of `x` where the one matrix `mask` is true for each, else of `y`."""
    shape = np.shape(x)
    many = broadcast_in_dim(mask, shape, (len(shape) - 2, len(shape) - 1))
    return select(*alike("select", many, x, y))


def lower_triangle(x: Array, offset: int = 0) -> Array:
    """Matrices with zeros above the diagonal that `offset` names."""
    return _chosen(below(np.shape(x)[-2:], offset), x, full_like(x, 0))


def upper_triangle(x: Array, offset: int = 0) -> Array:
    """Matrices with zeros below the diagonal that `offset` names."""
    return _chosen(below(np.shape(x)[-2:], offset - 1), full_like(x, 0), x)


def identity(x: Array, rows: int, columns: int | None = None) -> Array:
    """One matrix with ones on its diagonal, of the dtype of `x`."""
    shape = (rows, rows if columns is None else columns)
    return convert(_on_diagonal(shape), get_aval(x).dtype)


def _on_diagonal(shape):
    return eq(
        broadcasted_iota(np.int32, shape, 0), broadcasted_iota(np.int32, shape, 1)
    )


def identities(x: Array, rows: int, columns: int | None = None) -> Array:
    """Returns an identity matrix for each matrix of the batch of `x`."""
    eye = identity(x, rows, columns)
    batch = np.shape(x)[:-2]
    shape = (*batch, *np.shape(eye))
    many = broadcast_in_dim(eye, shape, (len(batch), len(batch) + 1))
    return alike("identities", many, x)[0] if shape == np.shape(x) else many


def diagonal(x: Array) -> Array:
    """The diagonals of square matrices."""
    ndim = np.ndim(x)
    on_it = _on_diagonal(np.shape(x)[-2:])
    kept = _chosen(on_it, x, full_like(x, 0))
    return reduce_sum(kept, (ndim - 1,))


def as_diagonal(x: Array) -> Array:
    """Square matrices with the vectors `x` on their diagonals."""
    n = np.shape(x)[-1]
    ndim = np.ndim(x)
    shape = (*np.shape(x), n)
    wide = broadcast_in_dim(x, shape, range(ndim))
    on_it = _on_diagonal((n, n))
    return _chosen(on_it, wide, full_like(wide, 0))


def columns_scaled(x: Array, scales: Array) -> Array:
    """Matrices whose columns are multiplied by `scales`."""
    ndim = np.ndim(x)
    wide = broadcast_in_dim(
        convert(scales, get_aval(x).dtype),
        np.shape(x),
        (*range(ndim - 2), ndim - 1),
    )
    return mul(x, wide)


def without_diagonal(x: Array) -> Array:
    """Square matrices with zeros on their diagonals."""
    return _chosen(_on_diagonal(np.shape(x)[-2:]), full_like(x, 0), x)


def rounding_of(values: Array) -> Array:
    """How far apart computed values may be that are equal: of shape ``(..., 1)``.

    Args:
        values: the eigenvalues or singular values of matrices, of shape ``(..., n)``.
    """
    size = absolute(values)
    axis = np.ndim(size) - 1
    largest = expand_dims(reduce_max(size, (axis,)), (axis,))
    eps = float(dtypes.finfo(get_aval(size).dtype).eps)
    return mul(largest, full_scalar(size, 16 * eps))


def inverse_beyond(limit: Array, x: Array) -> Array:
    """The reciprocals of `x`, 0 where its magnitude is at most `limit`."""
    shape = np.shape(x)
    wide = broadcast_in_dim(limit, shape, range(len(shape)))
    is_beyond = gt(absolute(x), wide)
    one, zero = full_like(x, 1), full_like(x, 0)
    return select(is_beyond, div(one, select(is_beyond, x, one)), zero)


def check_matrices(name: str, x: ShapedArray, *, square: bool = False) -> None:
    """Raises for operands that are no matrices of numbers with fractions.

    Raises:
        TypeError: the dtype is not floating-point or complex, or there are too few axes.
        ValueError: the matrices must be square and are not.
    """
    check_kind(name, x, INEXACT)
    if x.ndim < 2:
        raise type_error(
            f"lax.linalg.{name}: the operand is no matrix.",
            [("operand", x.str_short())],
            "Matrices have two axes, a batch of them has more.",
            "As a column: x[:, None].",
        )
    if square and x.shape[-1] != x.shape[-2]:
        raise value_error(
            f"lax.linalg.{name}: the matrices are not square.",
            [("operand", x.str_short())],
            "The last two axes have one size.",
        )


def vectors_dropped(
    eqn: Any, used_outputs: Sequence[bool], flags: dict[str, Sequence[int]]
) -> tuple[list[bool], Any]:
    """The rule `dce` of a decomposition: values alone cost less than with vectors.

    Args:
        eqn: the decomposition.
        used_outputs: for each result, whether something uses it.
        flags: by name of a parameter that asks for vectors, which results these are.

    Returns:
        That the matrix is needed; and the decomposition without vectors nobody uses.
    """
    off = [
        name
        for name, numbers in flags.items()
        if eqn.params.get(name, True) and not any(used_outputs[i] for i in numbers)
    ]
    gone = {number for name in off for number in flags[name]}
    outvars = [v for i, v in enumerate(eqn.outvars) if i not in gone]
    params = {**eqn.params, **dict.fromkeys(off, False)}
    return [True], eqn.replace(outvars=outvars, params=params)


def batched_in_front(bind: Callable, count: int | None = None) -> Callable:
    """The batch rule of a primitive that takes any number of leading axes.

    Args:
        bind: applies the primitive.
        count: how many results it has; None: one that is not in a list.
    """

    def batch(axis, args, dims, **params):
        moved = [
            batch_in_front(x, dim, axis.size) for x, dim in zip(args, dims, strict=True)
        ]
        out = bind(*moved, **params)
        return out, 0 if count is None else [0] * len(out)

    return batch
