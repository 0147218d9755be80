"""Matrices that are made from a few numbers."""

from __future__ import annotations

import functools as ft
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter, util
from jax._src.core.symbols import expressions
from jax._src.lax.ops.complex_parts import complex_dtype
from jax._src.numpy import (
    jit_wrapper,
    numpy_api as jnp,
    operands as operands_lib,
    placement,
)
from jax._src.numpy.jit_wrapper import jit_as_call as jit
from jax._src.scipy.linalg import messages

Array = operands_lib.Array
ArrayLike = operands_lib.ArrayLike


def _vectors(name: str, *operands: ArrayLike) -> list[Array]:
    """Arrays of at least one axis."""
    operands_lib.check_arraylike(f"scipy.linalg.{name}", *operands)
    return [
        jnp.atleast_1d(operands_lib.strong_like(operands_lib.to_array(x)))
        for x in operands
    ]


def _taken(values: Array, indices: Any) -> Array:
    """Elements along the last axis, at indices known now but for symbolic sizes."""
    return jnp.take(values, indices.astype(np.int32), axis=-1)


def _grid(rows: int, columns: int) -> tuple[Any, Any]:
    count = (
        np.arange if expressions.is_static((rows, columns)) else operands_lib.counted
    )
    return count(rows)[:, None], count(columns)[None, :]


def _size(name: str, n: Any, least: int = 0) -> int:
    n = expressions.size_index(n)
    if n < least:
        # As in shapes, a negative size is a TypeError.
        raise (ValueError if least else TypeError)(
            messages.explain(
                name, "n is too small.", [("n", str(n))], f"It is at least {least}."
            )
        )
    return n


def _default(values: Any) -> Array:
    """Numbers known now, as an array of the default dtype."""
    return jnp.asarray(
        placement.own(np.asarray(values, dtypes.canonicalize_dtype(float)))
    )


# Larger matrices are made at each call: constants of programs stay in memory.
_LARGEST_KEPT = 64


def _kept(make: Callable) -> Callable:
    """Decorates functions of numbers known now: small matrices are made once."""
    names = ("n", "full", "scale", "dtype", "kind")
    once = jit_wrapper.jit(make, static_argnames=names)

    @util.wraps(make)
    def matrix(n, *args, **kwargs):
        is_small = isinstance(n, int) and n <= _LARGEST_KEPT
        return (once if is_small else make)(n, *args, **kwargs)

    return matrix


def block_diag(*arrs: ArrayLike) -> Array:
    """A matrix with the given ones along its diagonal.

    Args:
        *arrs: matrices; vectors count as rows.

    Returns:
        Array of their common dtype, zero outside the blocks.

    Raises:
        ValueError: one has more than two axes.
        TypeError: an argument is no array or number.
    """
    if not arrs:
        return jnp.zeros((1, 0))
    operands_lib.check_arraylike("scipy.linalg.block_diag", *arrs)
    wrong = [x for x in arrs if operands_lib.ndim(x) > 2]
    if wrong:
        raise messages.value_error(
            "block_diag",
            "an operand is no matrix.",
            [("operand", operands_lib.type_name(x)) for x in wrong],
            "Matrices have two axes, vectors count as rows.",
        )
    return _block_diag(*arrs)


@jit
def _block_diag(*arrs):
    blocks = [
        jnp.reshape(x, (1,) * (2 - operands_lib.ndim(x)) + operands_lib.shape(x))
        for x in operands_lib.promote_dtypes(*map(operands_lib.to_array, arrs))
    ]
    width = sum(operands_lib.shape(x)[1] for x in blocks)
    rows, start = [], 0
    for block in blocks:
        height, own = operands_lib.shape(block)
        parts = [
            jnp.zeros((height, start), operands_lib.dtype_of(block)),
            block,
            jnp.zeros((height, width - start - own), operands_lib.dtype_of(block)),
        ]
        rows.append(jnp.concatenate(parts, axis=1))
        start += own
    return jnp.concatenate(rows, axis=0)


@jit
def toeplitz(c: ArrayLike, r: ArrayLike | None = None) -> Array:
    """Matrices that are constant along diagonals.

    Args:
        c: array of shape ``(..., m)``, the first column.
        r: array of shape ``(..., n)``, the first row, whose first element is not used;
            default: the conjugate of `c`.

    Returns:
        Array of shape ``(..., m, n)`` and the promoted dtype.

    Raises:
        ValueError: the leading axes do not broadcast. TypeError: `c` is no array or
            number.
    """
    if r is None:
        (c,) = _vectors("toeplitz", c)
        r = jnp.conj(c)
    else:
        c, r = operands_lib.promote_dtypes(*_vectors("toeplitz", c, r))
    batch = operands_lib.broadcast_shapes(
        "toeplitz", operands_lib.shape(c)[:-1], operands_lib.shape(r)[:-1]
    )
    c, r = (
        operands_lib.broadcast_to(x, (*batch, operands_lib.shape(x)[-1]))
        for x in (c, r)
    )
    m, n = operands_lib.shape(c)[-1], operands_lib.shape(r)[-1]
    values = jnp.concatenate([jnp.flip(c, -1), r[..., 1:]], axis=-1)
    row, column = _grid(m, n)
    return _taken(values, m - 1 + column - row)


@jit
def hankel(c: ArrayLike, r: ArrayLike | None = None) -> Array:
    """Matrices that are constant along diagonals from bottom left to top right.

    Args:
        c: array of shape ``(..., m)``, the first column.
        r: array of shape ``(..., n)``, the last row, whose first element is not used;
            default: zeros.

    Returns:
        Array of shape ``(..., m, n)`` and the promoted dtype.

    Raises:
        ValueError: the leading axes do not broadcast. TypeError: `c` is no array or
            number.
    """
    if r is None:
        (c,) = _vectors("hankel", c)
        r = jnp.zeros_like(c)
    else:
        c, r = operands_lib.promote_dtypes(*_vectors("hankel", c, r))
    batch = operands_lib.broadcast_shapes(
        "hankel", operands_lib.shape(c)[:-1], operands_lib.shape(r)[:-1]
    )
    c, r = (
        operands_lib.broadcast_to(x, (*batch, operands_lib.shape(x)[-1]))
        for x in (c, r)
    )
    values = jnp.concatenate([c, r[..., 1:]], axis=-1)
    row, column = _grid(operands_lib.shape(c)[-1], operands_lib.shape(r)[-1])
    return _taken(values, row + column)


@jit
def circulant(c: ArrayLike) -> Array:
    """Matrices whose columns are the first one, rolled on.

    Args:
        c: array of shape ``(..., n)``, the first column.

    Returns:
        Array of shape ``(..., n, n)`` and the dtype of `c`.

    Raises:
        TypeError: `c` is no array or number.
    """
    (c,) = _vectors("circulant", c)
    n = operands_lib.shape(c)[-1]
    row, column = _grid(n, n)
    return _taken(c, (row - column) % expressions.max_dim(n, 1))


@jit
def companion(a: ArrayLike) -> Array:
    """Matrices whose eigenvalues are the roots of polynomials.

    Args:
        a: array of shape ``(..., n)`` with ``n >= 2``, the coefficients from the
            highest power; the first is not zero.

    Returns:
        Array of floats or complex numbers, of shape ``(..., n - 1, n - 1)``.

    Raises:
        ValueError: there are fewer than two coefficients.
        TypeError: `a` is no array or number.
    """
    (a,) = operands_lib.promote_dtypes_inexact(*_vectors("companion", a))
    n = operands_lib.shape(a)[-1]
    if n < 2:
        raise messages.value_error(
            "companion",
            "the polynomial has no roots.",
            [("a", operands_lib.type_name(a))],
            "There are at least two coefficients.",
        )
    first = -a[..., None, 1:] / a[..., None, :1]
    rest = np.eye(n - 2, n - 1, dtype=operands_lib.dtype_of(a))
    rest = operands_lib.broadcast_to(rest, (*operands_lib.shape(a)[:-1], n - 2, n - 1))
    return jnp.concatenate([first, rest], axis=-2)


@ft.partial(jit, static_argnames=("n", "mode"))
def convolution_matrix(a: ArrayLike, n: int, mode: str = "full") -> Array:
    """Matrices whose product with a vector is its convolution with another one.

    Args:
        a: array of shape ``(..., m)``.
        n: the length of the vector.
        mode: ``"full"`` for all ``m + n - 1`` rows, ``"same"`` for the ``max(m, n)`` in
            the middle, ``"valid"`` for those where the vectors overlap fully.

    Returns:
        Array of shape ``(..., k, n)`` and the dtype of `a`.

    Raises:
        ValueError: `n` is not positive, `a` is empty, or there is no such mode.
        TypeError: `a` is no array or number.
    """
    (a,) = _vectors("convolution_matrix", a)
    n = _size("convolution_matrix", n, 1)
    m = _size("convolution_matrix", operands_lib.shape(a)[-1], 1)
    messages.one_of("convolution_matrix", "mode", mode, ("full", "valid", "same"))
    short, long = expressions.min_dim(m, n), expressions.max_dim(m, n)
    start = {"full": 0, "same": (short - 1) // 2, "valid": short - 1}[mode]
    count = {"full": m + n - 1, "same": long, "valid": long - short + 1}[mode]
    padded = jnp.concatenate([a, jnp.zeros_like(a[..., :1])], axis=-1)
    row, column = _grid(count, n)
    index = row + start - column
    where = np.where if expressions.is_static((m, n)) else jnp.where
    return _taken(padded, where((index >= 0) & (index < m), index, m))


@_kept
def dft(n: int, scale: str | None = None, *, dtype: Any = None) -> Array:
    """The matrix of the discrete Fourier transform.

    Args:
        n: the length of vectors.
        scale: None, ``"sqrtn"`` to divide by the root of `n`, or ``"n"`` by `n`.
        dtype: a complex dtype; default: the default one.

    Returns:
        Array of shape ``(n, n)``.

    Raises:
        ValueError: `scale` is something else, or `dtype` is not complex. TypeError: `n`
            is negative.
    """
    messages.one_of("dft", "scale", scale, (None, "sqrtn", "n"))
    n = _size("dft", n)
    row, column = _grid(n, n)
    found = np.exp(-2j * np.pi * (row * column % max(n, 1)) / max(n, 1))
    found = found / {None: 1, "sqrtn": math.sqrt(max(n, 1)), "n": max(n, 1)}[scale]
    wanted = operands_lib.user_dtype("scipy.linalg.dft", dtype)
    if wanted is not None and operands_lib.kind(wanted) != "c":
        raise ValueError(f"jax.scipy.linalg.dft: dtype {wanted} is not complex.")
    if wanted is None:
        wanted = complex_dtype(dtypes.canonicalize_dtype(float))
    return jnp.asarray(placement.own(found.astype(wanted)))


@jit
def fiedler(a: ArrayLike) -> Array:
    """Matrices of the distances of numbers.

    Args:
        a: array of shape ``(..., n)``.

    Returns:
        Array of shape ``(..., n, n)`` and the dtype of `a`.

    Raises:
        TypeError: `a` is no array or number.
    """
    (a,) = _vectors("fiedler", a)
    return jnp.abs(a[..., :, None] - a[..., None, :])


@jit
def fiedler_companion(a: ArrayLike) -> Array:
    """Matrices with five diagonals whose eigenvalues are the roots of polynomials.

    Args:
        a: array of shape ``(..., n)``, the coefficients from the highest power; the
            first is not zero.

    Returns:
        Array of floats or complex numbers, of shape ``(..., n - 1, n - 1)``.

    Raises:
        ValueError: there is no coefficient.
        TypeError: `a` is no array or number.

    Reference: Fiedler, A note on companion matrices, 2003, section 2.
    """
    (a,) = operands_lib.promote_dtypes_inexact(*_vectors("fiedler_companion", a))
    if not operands_lib.shape(a)[-1]:
        raise messages.value_error(
            "fiedler_companion",
            "there is no polynomial.",
            [("a", operands_lib.type_name(a))],
            "There is at least one coefficient.",
        )
    n = operands_lib.shape(a)[-1] - 1
    # Entries: zero, one, then the coefficients 1, 2, … with their signs turned.
    values = jnp.concatenate(
        [
            jnp.zeros_like(a[..., :1]),
            jnp.ones_like(a[..., :1]),
            -a[..., 1:] / a[..., :1],
        ],
        axis=-1,
    )
    indices = np.zeros((n, n), int)
    for row in range(n):
        if row == 0:
            entries = {0: 2, 1: 3, 2: 1}
        elif row % 2:
            entries = {max(row - 2, 0): 1}
        else:
            entries = {row - 1: row + 2, row + 1: row + 3, row + 2: 1}
        for column, index in entries.items():
            if column < n:
                indices[row, column] = index
    return _taken(values, indices)


def hadamard(n: int, dtype: Any = int) -> Array:
    """A matrix of ones and minus ones whose rows are orthogonal.

    Args:
        n: a power of 2.
        dtype: the dtype of the result.

    Returns:
        Array of shape ``(n, n)``.

    Raises:
        ValueError: `n` is no power of 2.

    Reference: Sylvester's construction.
    """
    n = operator.index(n)
    if n < 1 or n & (n - 1):
        raise messages.value_error(
            "hadamard", "n is no power of 2.", [("n", str(n))], "It is 1, 2, 4, …"
        )
    row, column = _grid(n, n)
    odd = np.bitwise_count((row & column).astype(np.uint64)) & 1
    wanted = operands_lib.user_dtype("scipy.linalg.hadamard", dtype)
    values = (1 - 2 * odd.astype(np.int64)).astype(wanted)
    return jnp.asarray(placement.own(values))


@_kept
def helmert(n: int, full: bool = False) -> Array:
    """A matrix with orthonormal rows, each the difference of an element to those before.

    Args:
        n: the length of rows.
        full: whether to return the first row too, which is constant.

    Returns:
        Array of floats of shape ``(n - 1, n)``, or ``(n, n)``.

    Raises:
        ValueError: `n` is not positive.
    """
    n = _size("helmert", n, 1)
    row, column = _grid(n, n)
    found = np.where(column < row, 1.0, np.where(column == row, -1.0 * row, 0.0))
    found[0] = 1
    sizes = np.sqrt(np.arange(n) * np.arange(1, n + 1.0))
    sizes[0] = math.sqrt(n)
    return _default((found / sizes[:, None])[0 if full else 1 :])


@_kept
def hilbert(n: int) -> Array:
    """Hilbert's matrix, with elements ``1 / (i + j + 1)``.

    Args:
        n: the size.

    Returns:
        Array of floats of shape ``(n, n)``.

    Raises:
        TypeError: `n` is negative, or no whole number.
    """
    row, column = _grid(*[_size("hilbert", n)] * 2)
    return _default(1.0 / (row + column + 1))


def _exact(n: int, element: Any) -> np.ndarray:
    """A matrix of whole numbers of any size, rounded once."""
    rows = [[float(element(i, j)) for j in range(n)] for i in range(n)]
    return np.asarray(rows, np.float64).reshape(n, n)


@_kept
def invhilbert(n: int) -> Array:
    """The inverse of Hilbert's matrix, which has whole elements.

    Args:
        n: the size.

    Returns:
        Array of floats of shape ``(n, n)``, rounded where it must be.

    Raises:
        TypeError: `n` is negative, or no whole number.
    """
    n = _size("invhilbert", n)

    def element(i, j):
        size = (i + j + 1) * math.comb(n + i, n - j - 1) * math.comb(n + j, n - i - 1)
        return (-1) ** (i + j) * size * math.comb(i + j, i) ** 2

    return _default(_exact(n, element))


def _triangle_kind(name: str, kind: str | None) -> str:
    kind = "symmetric" if kind is None else kind
    messages.one_of(name, "kind", kind, ("symmetric", "lower", "upper"))
    return kind


@_kept
def pascal(n: int, kind: str | None = None) -> Array:
    """Pascal's matrix of binomial coefficients.

    Args:
        n: the size.
        kind: ``"symmetric"`` (the default), ``"lower"`` or ``"upper"``.

    Returns:
        Array of shape ``(n, n)`` and dtype float32.

    Raises:
        ValueError: there is no such kind. TypeError: `n` is negative.
    """
    kind = _triangle_kind("pascal", kind)
    n = _size("pascal", n)
    elements = {
        "symmetric": lambda i, j: math.comb(i + j, i),
        "lower": math.comb,
        "upper": lambda i, j: math.comb(j, i),
    }
    return jnp.asarray(placement.own(_exact(n, elements[kind]).astype(np.float32)))


@_kept
def invpascal(n: int, kind: str | None = None) -> Array:
    """The inverse of Pascal's matrix.

    Args:
        n: the size.
        kind: ``"symmetric"`` (the default), ``"lower"`` or ``"upper"``.

    Returns:
        Array of shape ``(n, n)`` of the default dtype.

    Raises:
        ValueError: there is no such kind. TypeError: `n` is negative.
    """
    kind = _triangle_kind("invpascal", kind)
    n = _size("invpascal", n)

    def lower(i, j):
        return (-1) ** (i + j) * math.comb(i, j)

    elements = {
        "symmetric": lambda i, j: sum(lower(k, i) * lower(k, j) for k in range(n)),
        "lower": lower,
        "upper": lambda i, j: lower(j, i),
    }
    return _default(_exact(n, elements[kind]))


@jit
def leslie(f: ArrayLike, s: ArrayLike) -> Array:
    """Leslie's matrix of a population by age.

    Args:
        f: array of shape ``(..., n)``, how many are born to each age.
        s: array of shape ``(..., n - 1)``, the part that grows older.

    Returns:
        Array of shape ``(..., n, n)`` and the promoted dtype.

    Raises:
        ValueError: `s` is not one shorter than `f`.
    """
    f, s = operands_lib.promote_dtypes(*_vectors("leslie", f, s))
    n = operands_lib.shape(f)[-1]
    if operands_lib.shape(s)[-1] != n - 1:
        raise messages.value_error(
            "leslie",
            "s is not one shorter than f.",
            [("f", operands_lib.type_name(f)), ("s", operands_lib.type_name(s))],
            "The oldest do not grow older.",
        )
    batch = operands_lib.broadcast_shapes(
        "leslie", operands_lib.shape(f)[:-1], operands_lib.shape(s)[:-1]
    )
    f = operands_lib.broadcast_to(f, (*batch, n))[..., None, :]
    s = operands_lib.broadcast_to(s, (*batch, n - 1))
    below = s[..., :, None] * np.eye(n - 1, n, dtype=operands_lib.dtype_of(s))
    return jnp.concatenate([f, below], axis=-2)


traceback_filter.hide_frames(globals())
