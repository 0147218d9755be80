"""Arrays of indices: grids, flat and unravelled indices, indices of diagonals."""

from __future__ import annotations

import functools as ft
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import releases, traceback_filter
from jax._src.core import trace
from jax._src.numpy import (
    creation,
    indexing,
    joining_splitting,
    lax_api as lax,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    ranges,
    reductions,
    reshaping,
    selection,
    tiling,
)
from jax._src.numpy.jit_wrapper import jit

Array = Any
ArrayLike = Any

# What stands between brackets, as an object: jnp.s_[1:, ::2].
s_ = np.s_
index_exp = np.index_exp


def _counted(part):
    """A slice as numbers: an imaginary step is how many, the end included."""
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if isinstance(step, complex):
        return ranges.linspace(start, part.stop, int(abs(step)))
    return ranges.arange(start, part.stop, step)


class _Grid:
    """Coordinates of a grid, written as slices between brackets."""

    def __init__(self, name: str, is_dense: bool, doc: str):
        self._name, self._is_dense, self.__doc__ = name, is_dense, doc

    def __repr__(self) -> str:
        return f"jax.numpy.{self._name}"

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _counted(key)
        parts = operands.promote_dtypes(*(_counted(part) for part in key))
        if not self._is_dense:
            return [
                reshaping.reshape(
                    x, (1,) * i + (operands.size(x),) + (1,) * (len(parts) - i - 1)
                )
                for i, x in enumerate(parts)
            ]
        if not parts:
            return creation.zeros((0,), int)
        return joining_splitting.stack(meshgrid(*parts, indexing="ij"))


mgrid = _Grid(
    "mgrid",
    True,
    """The coordinates of a grid: ``jnp.mgrid[0:3, 0:1:5j]``, one array stacked per axis.

    An imaginary step is the number of points, the end included.
    """,
)
ogrid = _Grid(
    "ogrid",
    False,
    """The coordinates of `jax.numpy.mgrid`, with size 1 along the other axes: a list of arrays.""",
)


class Joiner:
    """Arrays, numbers and ranges joined between brackets."""

    def __init__(self, name: str, axis: int, ndmin: int, trans1d: int, doc: str):
        self._name, self.__doc__ = name, doc
        self._defaults = (axis, ndmin, trans1d)

    def __repr__(self) -> str:
        return f"jax.numpy.{self._name}"

    def __getitem__(self, key: Any) -> Array:
        items = key if isinstance(key, tuple) else (key,)
        axis, ndmin, trans1d = self._defaults
        as_matrix = None
        if items and isinstance(items[0], str):
            directive, *items = items
            if directive in ("r", "c"):
                as_matrix = directive
            else:
                axis, ndmin, trans1d = self._directive(directive)
        if not items:
            raise IndexError(f"jnp.{self._name}[]: there is nothing to join.")
        parts = [self._part(item, ndmin, trans1d) for item in items]
        joined = joining_splitting.concatenate(parts, axis)
        if as_matrix is None or operands.ndim(joined) > 1:
            return joined
        return joined[None, :] if as_matrix == "r" else joined[:, None]

    def _directive(self, text):
        axis, ndmin, trans1d = self._defaults
        numbers = text.split(",")
        try:
            given = [int(n) for n in numbers]
        except ValueError:
            given = []
        if not 1 <= len(given) <= 3:
            raise ValueError(
                f"jnp.{self._name}[]: could not understand directive {text!r}.\n"
                "It is 'axis', 'axis,ndmin', 'axis,ndmin,trans1d', 'r' or 'c'."
            )
        return (*given, *(axis, ndmin, trans1d)[len(given) :])

    def _part(self, item, ndmin, trans1d):
        part = _counted(item) if isinstance(item, slice) else item
        part = (
            creation.asarray(part)
            if not operands.is_arraylike(part)
            else operands.to_array(part)
        )
        rank = operands.ndim(part)
        part = reshaping.atleast_1d(part) if rank == 0 else part
        missing = ndmin - operands.ndim(part)
        if missing <= 0:
            return part
        part = reshaping.reshape(part, (1,) * missing + operands.shape(part))
        if rank and trans1d != -1:
            # The axes of the item move to the axis that the directive names.
            moved = list(range(missing, ndmin))
            start = trans1d if trans1d >= 0 else trans1d + ndmin - rank + 1
            part = reshaping.moveaxis(part, moved, list(range(start, start + rank)))
        return part


r_ = Joiner(
    "r_",
    0,
    1,
    -1,
    """Numbers, arrays and ranges joined along the first axis: ``jnp.r_[1:4, 0, x]``.

    A string in front directs: ``"axis"``, ``"axis,ndmin"``, ``"axis,ndmin,trans1d"``
    (where the own axes go), or ``"r"`` and ``"c"`` for a matrix of one row or column.
    """,
)
c_ = Joiner(
    "c_",
    -1,
    2,
    0,
    """Joins vectors as columns, side by side; brackets mean what they mean to `jax.numpy.r_`.""",
)


def indices(dimensions: Any, dtype: Any = None, sparse: bool = False) -> Any:
    """The indices of an array of a shape: one array per axis.

    Args:
        dimensions: the shape.
        dtype: the dtype of the indices, an integer by default.
        sparse: whether to return a tuple of arrays with size 1 along the other axes.

    Returns:
        Array of shape ``(len(dimensions), *dimensions)``, or a tuple.

    Raises:
        TypeError: a size is negative or no whole number.
    """
    wanted = dtypes.check_and_canonicalize_user_dtype(
        int if dtype is None else dtype, "indices"
    )
    sizes = operands.canonical_shape("indices", tuple(dimensions))
    return _indices(sizes, wanted, bool(sparse))


@ft.partial(jit, static_argnums=(0, 1, 2))
def _indices(sizes, wanted, sparse):
    parts = []
    for axis, size in enumerate(sizes):
        own = [1] * len(sizes)
        own[axis] = size
        indices = reshaping.reshape(ranges.arange(size, dtype=wanted), tuple(own))
        parts.append(indices if sparse else reshaping.broadcast_to(indices, sizes))
    if sparse:
        return tuple(parts)
    return joining_splitting.stack(parts) if parts else creation.zeros((0,), wanted)


def ix_(*args: ArrayLike) -> tuple[Array, ...]:
    """Vectors of indices that index each axis on its own: ``x[jnp.ix_(rows, columns)]``.

    Args:
        args: vectors of indices; booleans stand for the indices where they are true.

    Returns:
        A tuple of arrays; one keeps its dtype (booleans: integers), and has size 1
        along the axes of the other arrays.

    Raises:
        ValueError: an argument is no vector. ConcretizationTypeError: booleans are
            traced.
    """
    results = []
    for axis, arg in enumerate(args):
        arg = operands.ensure_arraylike("ix_", creation.asarray(arg))
        if operands.ndim(arg) != 1:
            raise operands.value_error(
                "ix_",
                "an argument is not a vector.",
                [(f"argument {axis}", operands.type_name(arg))],
            )
        if not operands.size(arg):
            # No indices at all: whatever dtype an empty list has.
            arg = operands.convert(arg, dtypes.default_int_dtype())
        if operands.kind_of(arg) == "b":
            (arg,) = selection.nonzero(arg)
        own = (1,) * axis + (operands.size(arg),) + (1,) * (len(args) - axis - 1)
        results.append(reshaping.reshape(arg, own))
    return tuple(results)


def unravel_index(indices: ArrayLike, shape: Any) -> tuple[Array, ...]:
    """The indices along each axis of indices in the flattened array.

    Those out of bounds count as the nearest.

    Args:
        indices: array of integers.
        shape: the shape of the array, which may itself be a traced array or have traced
            sizes, or the size of its only axis.

    Returns:
        A tuple of arrays of the shape and dtype of `indices`, one per axis.

    Raises:
        TypeError: `shape` is no shape, or `indices` no array or number.
        ValueError: `indices` is complex.
    """
    indices = operands.ensure_arraylike("unravel_index", indices)
    if isinstance(shape, (int, np.integer)):
        shape = (int(shape),)
    if isinstance(shape, list | tuple) and trace.find_tracer(shape) is not None:
        shape = joining_splitting.stack(shape)
    if operands.is_arraylike(shape):
        return _unravelled(indices, shape)
    sizes = operands.canonical_shape("unravel_index", shape)
    total = int(np.prod(sizes, dtype=np.int64))
    rest = selection.clip(
        selection.where(indices < 0, indices + total, indices), 0, max(0, total - 1)
    )
    results = []
    for size in sizes[::-1]:
        results.append(rest % max(size, 1))
        rest = rest // max(size, 1)
    return tuple(results[::-1])


def _unravelled(indices, sizes):
    """`unravel_index` of a shape that is an array, and need not be known."""
    if operands.ndim(sizes) != 1 or operands.kind_of(sizes) not in "iu":
        raise operands.type_error(
            "unravel_index",
            "the shape is no vector of whole numbers.",
            [("shape", operands.type_name(sizes))],
        )
    sizes = operands.strong(sizes)
    total = reductions.prod(sizes)
    rest = selection.where(indices < 0, indices + total, indices)
    rest = selection.clip(rest, 0, selection.clip(total - 1, 0))
    results = []
    for axis in reversed(range(operands.size(sizes))):
        size = selection.clip(sizes[axis], 1)
        results.append(rest % size)
        rest = rest // size
    return tuple(results[::-1])


def ravel_multi_index(
    multi_index: Any,
    dims: Any,
    mode: str = "raise",
    order: str = "C",
    *,
    dtype: Any = None,
) -> Array:
    """The indices in the flattened array of indices along each axis.

    Args:
        multi_index: one array of indices for each axis.
        dims: the shape of the array.
        mode: what indices out of bounds do: ``"raise"`` (needs known values),
            ``"wrap"``, ``"clip"``, or ``"ignore"``.
        order: ``"C"``: the last axis runs fastest; ``"F"``: the first.
        dtype: the dtype of the result; default: that of the indices.

    Raises:
        ValueError: an index is out of bounds, no integer, or an option is unknown.
    """
    parts = operands.ensure_arraylike("ravel_multi_index", *multi_index)
    parts = operands.promote_dtypes(*(parts if isinstance(parts, tuple) else (parts,)))
    sizes = operands.canonical_shape("ravel_multi_index", dims)
    facts = [("multi_index", str(len(parts))), ("dims", str(sizes))]
    if len(parts) != len(sizes):
        raise AssertionError(
            operands.explain(
                "ravel_multi_index", "there is not one array per axis.", facts
            )
        )
    if any(operands.kind_of(p) not in "iu" for p in parts):
        raise operands.value_error(
            "ravel_multi_index",
            "the indices are not integers.",
            [("multi_index", ", ".join(operands.type_name(p) for p in parts))],
        )
    if mode not in ("raise", "wrap", "clip", "ignore"):
        raise ValueError(
            f"jnp.ravel_multi_index: mode={mode!r} is none of 'raise', 'wrap', 'clip', "
            "'ignore'."
        )
    if order not in ("C", "F"):
        raise ValueError(
            f"jnp.ravel_multi_index: order={order!r} is neither 'C' nor 'F'."
        )
    if dtype is not None:
        parts = [
            operands.convert(p, operands.user_dtype("ravel_multi_index", dtype))
            for p in parts
        ]
    parts = [_within(p, n, mode) for p, n in zip(parts, sizes, strict=True)]
    steps = np.cumprod((1, *(sizes[:0:-1] if order == "C" else sizes[:-1])))
    steps = steps[::-1] if order == "C" else steps
    result = creation.zeros((), operands.dtype_of(parts[0]) if parts else int)
    for part, step in zip(parts, steps, strict=False):
        result = result + part * int(step)
    return result


def _within(indices, size, mode):
    """Indices brought into bounds, as the mode has it."""
    if mode == "wrap":
        return indices % size
    if mode == "clip":
        return selection.clip(indices, 0, size - 1)
    if mode == "raise":
        values = operands.concrete("ravel_multi_index", "multi_index", indices)
        if ((values < 0) | (values >= size)).any():
            raise operands.value_error(
                "ravel_multi_index",
                "an index is out of bounds.",
                [("indices", str(values)[:60]), ("size", str(size))],
                ways="mode='wrap' or mode='clip' bring it back.",
            )
    return indices


# ---------------------------------------------------------------- parts of vectors


def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    """The indices of the main diagonal of an array of `ndim` axes of size `n`.

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
    return (ranges.arange(n),) * ndim


def diag_indices_from(arr: ArrayLike) -> tuple[Array, ...]:
    """The indices of the main diagonal of an array with equal sizes.

    Args:
        arr: array of at least two axes, all of one size ``n``.

    Returns:
        A tuple of vectors of shape ``(n,)``, one per axis, of the default integer
        dtype.

    Raises:
        ValueError: `arr` has fewer than two axes, or sizes differ.
        TypeError: `arr` is no array or number.
    """
    arr = operands.ensure_arraylike("diag_indices_from", arr)
    if operands.ndim(arr) < 2 or len(set(operands.shape(arr))) > 1:
        raise operands.value_error(
            "diag_indices_from",
            "the array has no main diagonal.",
            [("arr", operands.type_name(arr))],
            "It has two axes at least, all of one size.",
        )
    return diag_indices(operands.shape(arr)[0], operands.ndim(arr))


def mask_indices(
    n: int, mask_func: Callable, k: int = 0, *, size: int | None = None
) -> tuple[Array, ...]:
    """The indices that a function such as `jax.numpy.triu` keeps of a square matrix.

    Args:
        n: the size of the square matrix.
        mask_func: a function such as `jax.numpy.triu`, of a matrix of ones and `k`.
        k: the second argument of `mask_func`.
        size: how many indices to return; the rest is filled with 0.

    Returns:
        Vectors of rows and of columns, of the default integer dtype.

    Raises:
        What `mask_func` and `jax.numpy.nonzero` raise, such as TypeError where
            it is traced.
    """
    return selection.nonzero(mask_func(creation.ones((n, n)), k), size=size)


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
    a, val = operands.ensure_arraylike("fill_diagonal", a, val)
    if operands.ndim(a) < 2:
        raise ValueError("jnp.fill_diagonal: the array has two axes at least.")
    if operands.ndim(a) > 2 and len(set(operands.shape(a))) > 1:
        raise ValueError("jnp.fill_diagonal: all axes have one size.")
    length = min(operands.shape(a))
    indices = np.arange(length, dtype=np.int32)
    if operands.ndim(val):
        val = reshaping.ravel(val)
        val = tiling.tile(val, -(-length // max(operands.size(val), 1)))[:length]
    return indexing.set(a, (indices,) * operands.ndim(a), val)


def meshgrid(
    *xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> Sequence[Array]:
    """Coordinate arrays from coordinate vectors.

    Args:
        xi: vectors.
        copy: has no effect; False is refused.
        sparse: whether the results keep size 1 along the other axes.
        indexing: ``"xy"``: the second vector runs along the first axis; ``"ij"``: each
            vector runs along its own.

    Returns:
        A list of arrays with one axis per vector, each of the dtype of its vector; a
        tuple from 0.12 on.

    Raises:
        ValueError: an argument has more than one axis, `indexing` is unknown, or `copy`
            is False. TypeError: an argument is no array or number.

    Examples:
        >>> rows, columns = jnp.meshgrid(jnp.arange(2), jnp.arange(3), indexing="ij")
        >>> columns
        Array([[0, 1, 2],
               [0, 1, 2]], dtype=int32)
    """
    operands.check_arraylike("meshgrid", *xi)
    if not copy:
        raise ValueError("jnp.meshgrid: copy=False is not supported.")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"jnp.meshgrid: indexing={indexing!r} is neither 'xy' nor 'ij'."
        )
    vectors = [operands.strong_like(operands.to_array(x)) for x in xi]
    if any(operands.ndim(x) > 1 for x in vectors):
        raise operands.value_error(
            "meshgrid",
            "the arguments are not vectors.",
            [(f"x{i}", operands.type_name(x)) for i, x in enumerate(vectors)],
        )
    axes = list(range(len(vectors)))
    if indexing == "xy" and len(axes) >= 2:
        axes[:2] = [1, 0]
    sizes = [1] * len(axes)
    for axis, x in zip(axes, vectors, strict=True):
        sizes[axis] = operands.size(x)
    results = []
    for axis, x in zip(axes, vectors, strict=True):
        own = [1] * len(axes)
        own[axis] = operands.size(x)
        x = lax.reshape(x, tuple(own))
        results.append(x if sparse else operands.broadcast_to(x, tuple(sizes)))
    return releases.rule("several_results")(results)


traceback_filter.hide_frames(globals())
