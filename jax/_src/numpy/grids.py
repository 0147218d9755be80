"""Index tricks: open grids, coordinates, flat places."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.numpy import (
    concatenation,
    creation,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands as op,
    ranges,
    reductions,
    reshaping,
    selecting,
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
    return creation.arange(start, part.stop, step)


class _Grid:
    """Coordinates of a grid, written as slices between brackets."""

    def __init__(self, name: str, is_dense: bool, doc: str):
        self._name, self._is_dense, self.__doc__ = name, is_dense, doc

    def __repr__(self) -> str:
        return f"jax.numpy.{self._name}"

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _counted(key)
        parts = op.promote_dtypes(*(_counted(part) for part in key))
        if not self._is_dense:
            return [
                reshaping.reshape(
                    x, (1,) * i + (op.size(x),) + (1,) * (len(parts) - i - 1)
                )
                for i, x in enumerate(parts)
            ]
        if not parts:
            return creation.zeros((0,), int)
        return concatenation.stack(concatenation.meshgrid(*parts, indexing="ij"))


mgrid = _Grid(
    "mgrid",
    True,
    """The coordinates of a grid: ``jnp.mgrid[0:3, 0:1:5j]``, one array stacked per axis.

    An imaginary step says how many places there are, the end included.
    """,
)
ogrid = _Grid(
    "ogrid",
    False,
    """As `jax.numpy.mgrid`, with size 1 along the other axes: a list of arrays.""",
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
        joined = concatenation.concatenate(parts, axis)
        if as_matrix is None or op.ndim(joined) > 1:
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
                "It is 'axis', 'axis,ndmin', 'axis,ndmin,place', 'r' or 'c'."
            )
        return (*given, *(axis, ndmin, trans1d)[len(given) :])

    def _part(self, item, ndmin, trans1d):
        part = _counted(item) if isinstance(item, slice) else item
        part = (
            creation.asarray(part) if not op.is_arraylike(part) else op.to_array(part)
        )
        rank = op.ndim(part)
        part = reshaping.atleast_1d(part) if rank == 0 else part
        missing = ndmin - op.ndim(part)
        if missing <= 0:
            return part
        part = reshaping.reshape(part, (1,) * missing + op.shape(part))
        if rank and trans1d != -1:
            # The axes of the item move to the place that the directive names.
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

    A string in front directs: ``"axis"``, ``"axis,ndmin"``, ``"axis,ndmin,place"``
    (where the own axes go), or ``"r"`` and ``"c"`` for a matrix of one row or column.
    """,
)
c_ = Joiner(
    "c_",
    -1,
    2,
    0,
    """As `jax.numpy.r_`, with vectors as columns, side by side.""",
)


def indices(dimensions: Any, dtype: Any = None, sparse: bool = False) -> Any:
    """The places of an array of a shape: one array per axis.

    Args:
        dimensions: the shape.
        dtype: the dtype of the places, an integer by default.
        sparse: whether to return a tuple of arrays with size 1 along the other axes.

    Returns:
        Array of shape ``(len(dimensions), *dimensions)``, or a tuple.

    Raises:
        TypeError: a size is negative or no whole number.
    """
    wanted = dtypes.check_and_canonicalize_user_dtype(
        int if dtype is None else dtype, "indices"
    )
    sizes = op.canonical_shape("indices", tuple(dimensions))
    return _indices(sizes, wanted, bool(sparse))


@ft.partial(jit, static_argnums=(0, 1, 2))
def _indices(sizes, wanted, sparse):
    parts = []
    for axis, size in enumerate(sizes):
        own = [1] * len(sizes)
        own[axis] = size
        places = reshaping.reshape(creation.arange(size, dtype=wanted), tuple(own))
        parts.append(places if sparse else reshaping.broadcast_to(places, sizes))
    if sparse:
        return tuple(parts)
    return concatenation.stack(parts) if parts else creation.zeros((0,), wanted)


def ix_(*args: ArrayLike) -> tuple[Array, ...]:
    """Vectors of places that index each axis on its own: ``x[jnp.ix_(rows, columns)]``.

    Args:
        args: vectors of places; booleans stand for the places where they are true.

    Returns:
        A tuple of arrays; one keeps its dtype (booleans: integers), and has size 1
        along the axes of the others.

    Raises:
        ValueError: an argument is no vector. ConcretizationTypeError: booleans are
            traced.
    """
    results = []
    for axis, arg in enumerate(args):
        arg = op.ensure_arraylike("ix_", creation.asarray(arg))
        if op.ndim(arg) != 1:
            raise ValueError(
                op.explain(
                    "ix_",
                    "an argument is not a vector.",
                    [(f"argument {axis}", op.type_name(arg))],
                )
            )
        if not op.size(arg):
            # No places at all: whatever dtype an empty list has.
            arg = op.convert(arg, dtypes.default_int_dtype())
        if op.kind_of(arg) == "b":
            (arg,) = selecting.nonzero(arg)
        own = (1,) * axis + (op.size(arg),) + (1,) * (len(args) - axis - 1)
        results.append(reshaping.reshape(arg, own))
    return tuple(results)


def unravel_index(indices: ArrayLike, shape: Any) -> tuple[Array, ...]:
    """The places along each axis of places in the flattened array.

    Those out of bounds count as the nearest.

    Args:
        indices: array of integers.
        shape: the shape of the array, which may itself be a traced array.

    Returns:
        A tuple of arrays of the shape and dtype of `indices`, one per axis.

    Raises:
        TypeError: `shape` is no shape, or `indices` no array or number.
        ValueError: `indices` is complex.
    """
    indices = op.ensure_arraylike("unravel_index", indices)
    if op.is_arraylike(shape):
        return _unravelled(indices, shape)
    sizes = op.canonical_shape("unravel_index", shape)
    total = int(np.prod(sizes, dtype=np.int64))
    rest = selecting.clip(
        selecting.where(indices < 0, indices + total, indices), 0, max(0, total - 1)
    )
    results = []
    for size in sizes[::-1]:
        results.append(rest % max(size, 1))
        rest = rest // max(size, 1)
    return tuple(results[::-1])


def _unravelled(indices, sizes):
    """`unravel_index` of a shape that is an array, and need not be known."""
    if op.ndim(sizes) != 1 or op.kind_of(sizes) not in "iu":
        raise TypeError(
            op.explain(
                "unravel_index",
                "the shape is no vector of whole numbers.",
                [("shape", op.type_name(sizes))],
            )
        )
    sizes = op.strong(sizes)
    total = reductions.prod(sizes)
    rest = selecting.where(indices < 0, indices + total, indices)
    rest = selecting.clip(rest, 0, selecting.clip(total - 1, 0))
    results = []
    for axis in reversed(range(op.size(sizes))):
        size = selecting.clip(sizes[axis], 1)
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
    """The places in the flattened array of places along each axis.

    Args:
        multi_index: one array of places for each axis.
        dims: the shape of the array.
        mode: what places out of bounds do: ``"raise"`` (needs known values),
            ``"wrap"``, ``"clip"``, or ``"ignore"``.
        order: ``"C"``: the last axis runs fastest; ``"F"``: the first.
        dtype: the dtype of the result; default: that of the places.

    Raises:
        ValueError: a place is out of bounds, no integer, or an option is unknown.
    """
    parts = op.ensure_arraylike("ravel_multi_index", *multi_index)
    parts = op.promote_dtypes(*(parts if isinstance(parts, tuple) else (parts,)))
    sizes = op.canonical_shape("ravel_multi_index", dims)
    facts = [("multi_index", str(len(parts))), ("dims", str(sizes))]
    if len(parts) != len(sizes):
        raise AssertionError(
            op.explain("ravel_multi_index", "there is not one array per axis.", facts)
        )
    if any(op.kind_of(p) not in "iu" for p in parts):
        raise ValueError(
            op.explain(
                "ravel_multi_index",
                "the places are not integers.",
                [("multi_index", ", ".join(op.type_name(p) for p in parts))],
            )
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
            op.convert(p, op.user_dtype("ravel_multi_index", dtype)) for p in parts
        ]
    parts = [_within(p, n, mode) for p, n in zip(parts, sizes, strict=True)]
    steps = np.cumprod((1, *(sizes[:0:-1] if order == "C" else sizes[:-1])))
    steps = steps[::-1] if order == "C" else steps
    result = creation.zeros((), op.dtype_of(parts[0]) if parts else int)
    for part, step in zip(parts, steps, strict=False):
        result = result + part * int(step)
    return result


def _within(places, size, mode):
    """Places brought into bounds, as the mode has it."""
    if mode == "wrap":
        return places % size
    if mode == "clip":
        return selecting.clip(places, 0, size - 1)
    if mode == "raise":
        values = op.concrete("ravel_multi_index", "multi_index", places)
        if ((values < 0) | (values >= size)).any():
            raise ValueError(
                op.explain(
                    "ravel_multi_index",
                    "a place is out of bounds.",
                    [("places", str(values)[:60]), ("size", str(size))],
                    ways="mode='wrap' or mode='clip' bring it back.",
                )
            )
    return places


# ---------------------------------------------------------------- parts of vectors


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
    x = op.ensure_arraylike("vander", x)
    if op.ndim(x) != 1:
        raise ValueError(
            op.explain("vander", "not a vector.", [("x", op.type_name(x))])
        )
    op.refuse_negative("vander", N=N)
    (count,) = op.canonical_shape("vander", op.size(x) if N is None else N)
    powers = creation.arange(count) if increasing else creation.arange(count)[::-1]
    if not dtypes.issubdtype(x.dtype, np.integer):
        return op.strong(x[:, None] ** powers[None, :])
    # Exponents wrap in narrow integers, and mixed signs widen: powers modulo
    # 2 to the number of bits are those of any wider type.
    wide = x.dtype if x.dtype.itemsize >= 4 else np.dtype(np.int32)
    found = x[:, None].astype(wide) ** powers[None, :].astype(wide)
    return op.strong(found.astype(x.dtype))


traceback_filter.hide_frames(globals())
