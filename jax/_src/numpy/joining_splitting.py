"""Putting arrays together and taking them apart."""

from __future__ import annotations

import functools as ft
import itertools
from typing import Any

import numpy as np

from jax._src.base import releases, traceback_filter
from jax._src.core.symbols import expressions
from jax._src.numpy import lax_api as lax, operands as op, reshaping
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike


def _sequence(name, arrays):
    """The arrays of a sequence; an array counts as the sequence of its rows."""
    if isinstance(arrays, (np.ndarray, np.generic)) or op.is_arraylike(arrays):
        if not op.ndim(arrays):
            raise op.type_error(
                name, "a sequence of arrays is needed.", [("got", op.type_name(arrays))]
            )
        return list(reshaping.unstack(arrays))
    arrays = list(arrays)
    op.check_arraylike(name, *arrays)
    return [op.to_array(x) for x in arrays]


@ft.partial(jit, static_argnames=("axis", "dtype"))
def concatenate(arrays: Any, axis: int | None = 0, dtype: Any = None) -> Array:
    """Arrays one after the other along an existing axis.

    Args:
        arrays: a sequence of arrays, equal in shape but for that axis.
        axis: the axis; None joins flattened arrays.
        dtype: the dtype of the result; default: the promoted one.

    Raises:
        ValueError: there are no arrays, or they do not fit.
        TypeError: their shapes differ on another axis.

    Examples:
        >>> jnp.concatenate([jnp.arange(2), jnp.arange(3)])
        Array([0, 1, 0, 1, 2], dtype=int32)
    """
    return _joined("concatenate", _sequence("concatenate", arrays), axis, dtype)


def _joined(name, values, axis, dtype=None):
    """`concatenate`, in which errors name the function that was called."""
    if not values:
        raise ValueError(f"jnp.{name}: at least one array is needed.")
    if axis is None:
        return _joined(name, [reshaping.ravel(x) for x in values], 0, dtype)
    if not op.ndim(values[0]):
        raise op.value_error(
            name,
            "scalars have no axis to be joined along.",
            ways="To make an axis of them: jnp.stack.",
        )
    axis = op.canonical_axis(name, axis, op.ndim(values[0]))
    _refuse_misfits(name, values, axis)
    if any(map(op.is_extended, values)):
        _refuse_other_dtypes(name, values)
        return lax.concatenate(values, axis)
    if dtype is None:
        values = op.promote_dtypes(*values)
    else:
        wanted = op.user_dtype(name, dtype)
        values = [op.convert(x, wanted) for x in values]
    if len(values) == 1:
        return values[0]
    return lax.concatenate(values, axis)


def _refuse_misfits(name, values, axis):
    others = {op.shape(x)[:axis] + op.shape(x)[axis + 1 :] for x in values}
    ranks = {op.ndim(x) for x in values}
    if len(others) > 1 or len(ranks) > 1:
        raise op.type_error(
            name,
            "the shapes do not fit together."
            if len(ranks) == 1
            else "the arrays differ in their number of axes.",
            [(f"array {i}", op.type_name(x)) for i, x in enumerate(values[:6])]
            + [("axis", str(axis))],
            "All sizes are equal, except along that axis.",
        )


def _refuse_other_dtypes(name, values):
    """Extended dtypes are not promoted."""
    if len({op.dtype_of(x) for x in values}) > 1:
        raise op.value_error(
            name,
            "arrays of extended dtypes go with arrays of the same dtype alone.",
            [(f"array {i}", op.type_name(x)) for i, x in enumerate(values[:6])],
        )


def concat(arrays: Any, /, *, axis: int | None = 0) -> Array:
    """Arrays one after the other.

    The arguments are those of `jax.numpy.concatenate`, and so are shapes, dtypes and
    errors.
    """
    return concatenate(arrays, axis)


@ft.partial(jit, static_argnames=("axis", "out", "dtype"))
def stack(arrays: Any, axis: int = 0, out: None = None, dtype: Any = None) -> Array:
    """Arrays of one shape along a new axis.

    Args:
        arrays: a sequence of arrays.
        axis: where the new axis goes.
        out: not supported.
        dtype: the dtype of the result; default: the promoted one.

    Raises:
        ValueError: there are no arrays, or their shapes differ.
        TypeError: `arrays` is no array or number. NotImplementedError: `out` is given.
        TypeError: `arrays` is no sequence.

    Examples:
        >>> jnp.stack([jnp.arange(2), jnp.arange(2)], axis=1)
        Array([[0, 0],
               [1, 1]], dtype=int32)
    """
    op.refuse_out("stack", out)
    values = _sequence("stack", arrays)
    if not values:
        raise ValueError("jnp.stack: at least one array is needed.")
    shapes = {op.shape(x) for x in values}
    if len(shapes) > 1:
        raise op.value_error(
            "stack",
            "the shapes differ.",
            [(f"array {i}", op.type_name(x)) for i, x in enumerate(values[:6])],
            "All arrays have one shape.",
        )
    axis = op.canonical_axis("stack", axis, op.ndim(values[0]) + 1)
    wide = [reshaping.expand_dims(x, axis) for x in values]
    return _joined("stack", wide, axis, dtype)


@ft.partial(jit, static_argnames=("dtype",))
def vstack(tup: Any, dtype: Any = None) -> Array:
    """Arrays below each other; vectors count as rows.

    Args:
        tup: a sequence of arrays; they differ in size along the first axis alone.
        dtype: the dtype of the result; default: the promoted one.

    Raises:
        TypeError: `tup` is no sequence, or shapes do not fit. ValueError: it is empty.

    Examples:
        >>> jnp.vstack([jnp.array([1, 2]), jnp.array([3, 4])])
        Array([[1, 2],
               [3, 4]], dtype=int32)
    """
    values = reshaping.atleast_2d(*_sequence("vstack", tup))
    values = values if isinstance(values, list | tuple) else [values]
    return _joined("vstack", values, 0, dtype)


@ft.partial(jit, static_argnames=("dtype",))
def hstack(tup: Any, dtype: Any = None) -> Array:
    """Arrays beside each other; vectors are joined.

    Args:
        tup: a sequence of arrays; they differ in size along the second axis alone (of
            vectors: the first).
        dtype: the dtype of the result; default: the promoted one.

    Raises:
        TypeError: `tup` is no sequence, or shapes do not fit. IndexError: it is empty.

    Examples:
        >>> jnp.hstack([jnp.array([1, 2]), jnp.array([3, 4])])
        Array([1, 2, 3, 4], dtype=int32)
    """
    arrays = _sequence("hstack", tup)
    if not arrays:
        raise IndexError(
            op.explain(
                "hstack", "at least one array is needed.", [("arrays", repr(tup))]
            )
        )
    values = reshaping.atleast_1d(*arrays)
    values = values if isinstance(values, list | tuple) else [values]
    return _joined("hstack", values, 0 if op.ndim(values[0]) == 1 else 1, dtype)


@ft.partial(jit, static_argnames=("dtype",))
def dstack(tup: Any, dtype: Any = None) -> Array:
    """Arrays behind each other, along a third axis.

    Args:
        tup: a sequence of arrays; they differ in size along the third axis alone.
        dtype: the dtype of the result; default: the promoted one.

    Raises:
        TypeError: `tup` is no sequence, or shapes do not fit. ValueError: it is empty.
    """
    values = reshaping.atleast_3d(*_sequence("dstack", tup))
    values = values if isinstance(values, list | tuple) else [values]
    return _joined("dstack", values, 2, dtype)


@jit
def column_stack(tup: Any) -> Array:
    """Arrays beside each other; vectors count as columns.

    Args:
        tup: a sequence of vectors and matrices with as many rows.

    Returns:
        Matrix of the promoted dtype.

    Raises:
        TypeError: `tup` is no sequence, or shapes do not fit. ValueError: it is empty.
    """
    columns = [
        reshaping.atleast_2d(x).T if op.ndim(x) < 2 else x
        for x in _sequence("column_stack", tup)
    ]
    return _joined("column_stack", columns, 1)


@jit
def block(arrays: Any) -> Array:
    """One array from nested lists of blocks; the innermost lists join the last axis.

    Args:
        arrays: an array, or lists (not tuples) of such; the lists around join earlier
            axes.

    Returns:
        Array of the promoted dtype.

    Raises:
        ValueError: the lists are nested to different depths, or one is empty.
            TypeError: shapes do not fit, or a part is no array.
    """
    depth = _depth(arrays)
    leaves = _leaves(arrays)
    if any(isinstance(leaf, tuple) for leaf in leaves):
        raise op.value_error(
            "block",
            "a tuple stands where a list or an array is needed.",
            rule="Blocks are arranged by lists alone.",
            ways="Make it a list: list(blocks).",
        )
    op.check_arraylike("block", *leaves)
    rank = max(depth, max(op.ndim(x) for x in leaves))

    def join(item, level):
        if level == depth:
            x = op.strong_like(op.to_array(item))
            return lax.reshape(x, (1,) * (rank - op.ndim(x)) + op.shape(x))
        parts = [join(part, level + 1) for part in item]
        return _joined("block", parts, rank - depth + level)

    return join(arrays, 0)


def _leaves(item):
    return (
        [x for part in item for x in _leaves(part)]
        if isinstance(item, list)
        else [item]
    )


def _depth(item):
    if not isinstance(item, list):
        return 0
    depths = {_depth(part) for part in item}
    if len(depths) != 1:
        raise op.value_error(
            "block",
            "the lists are empty or nested to different depths.",
            rule="All blocks are at one depth.",
        )
    return depths.pop() + 1


def _in_slice(index, length):
    """An index as the bound of a slice: negative ones count from the end, and none is beyond the ends."""
    if expressions.is_dimension(index) or expressions.is_dimension(length):
        return index
    return min(max(index + length if index < 0 else index, 0), length)


def _boundaries(name, length, indices_or_sections, uneven):
    """The indices at which to cut an axis, its ends included."""
    if (
        isinstance(indices_or_sections, (tuple, list))
        or np.ndim(indices_or_sections) > 0
    ):
        given = np.asarray(indices_or_sections)
        cuts = [expressions.size_index(i) for i in given.tolist()]
        if releases.rule("split_indices_as_in_slices"):
            cuts = [_in_slice(i, length) for i in cuts]
        indices = [0, *cuts, length]
        if not all(a <= b for a, b in itertools.pairwise(indices)):
            raise op.value_error(
                name,
                "the axis cannot be cut at these indices.",
                [("size", str(length)), ("indices", str(cuts))],
                "Indices ascend from 0 to the size of the axis; none is negative.",
            )
        return indices
    sections = indices_or_sections
    if not expressions.is_dimension(sections):
        sections = int(sections)
    is_unknown = expressions.is_dimension(sections)
    if is_unknown or sections <= 0 or (length % sections and not uneven):
        way = (
            "For parts of unequal size: jnp.array_split."
            if is_unknown or sections > 0
            else ""
        )
        raise op.value_error(
            name,
            "the axis cannot be cut into this number of equal parts.",
            [("size", str(length)), ("sections", str(sections))],
            "There is at least one part, and all have one size."
            if not uneven
            else "There is at least one part.",
            way,
        )
    part, longer = divmod(length, sections)
    sizes = [part + (i < longer) for i in range(sections)]
    return [0, *np.cumsum(sizes).tolist()]


def _cut(name, ary, indices_or_sections, axis, uneven=False):
    ary = op.ensure_arraylike(name, ary)
    axis = op.canonical_axis(name, axis, op.ndim(ary))
    indices = _boundaries(name, op.shape(ary)[axis], indices_or_sections, uneven)
    return [
        lax.slice_in_dim(ary, start, stop, axis=axis)
        for start, stop in zip(indices, indices[1:], strict=False)
    ]


@ft.partial(jit, static_argnames=("indices_or_sections", "axis"))
def split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """An array cut along an axis.

    Args:
        ary: array.
        indices_or_sections: the number of equal parts, or the indices to cut at.
        axis: the axis.

    Raises:
        ValueError: the axis cannot be cut into equal parts, or not at these indices.
        TypeError: `ary` is no array or number.
        TypeError: `indices_or_sections` holds no integers.

    Examples:
        >>> jnp.split(jnp.arange(4), [1])
        [Array([0], dtype=int32), Array([1, 2, 3], dtype=int32)]
    """
    return _cut("split", ary, indices_or_sections, axis)


@ft.partial(jit, static_argnames=("indices_or_sections", "axis"))
def array_split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Splits an array into parts as `jax.numpy.split` does; the first are longer where sizes do not divide.

    The arguments are those of `jax.numpy.split`; parts keep the dtype and the other
    axes.

    Raises:
        ValueError: there are no parts, or the axis is out of bounds.
        TypeError: `indices_or_sections` holds no integers.
    """
    return _cut("array_split", ary, indices_or_sections, axis, uneven=True)


def vsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """An array cut along its first axis.

    The arguments are those of `jax.numpy.split`, without `axis`; parts keep the dtype.

    Raises:
        ValueError: the axis is missing, or not divisible.
        TypeError: `indices_or_sections` holds no integers.
    """
    return _cut("vsplit", ary, indices_or_sections, 0)


def hsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """An array cut along its second axis; a vector along its only one.

    The arguments are those of `jax.numpy.split`, without `axis`; parts keep the dtype.

    Raises:
        ValueError: the axis is missing, or not divisible.
        TypeError: `indices_or_sections` holds no integers.
    """
    ary = op.ensure_arraylike("hsplit", ary)
    return _cut("hsplit", ary, indices_or_sections, 0 if op.ndim(ary) == 1 else 1)


def dsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """An array cut along its third axis.

    The arguments are those of `jax.numpy.split`, without `axis`; parts keep the dtype.

    Raises:
        ValueError: the axis is missing, or not divisible.
        TypeError: `indices_or_sections` holds no integers.
    """
    return _cut("dsplit", ary, indices_or_sections, 2)


traceback_filter.hide_frames(globals())
