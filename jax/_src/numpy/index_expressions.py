"""From what stands between brackets to one entry per axis.

`parse` turns ``x[...]`` of every kind into `Entry` objects: whole axes, slices,
single positions, arrays of positions, new axes. Nothing here computes on devices.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes, tree as trees
from jax._src.base import errors, records
from jax._src.core import avals
from jax._src.core.symbols import expressions
from jax._src.numpy import creation, dynamic_slices as dynamic, operands as op


@records.record
class NewAxis:
    """An axis of size 1 in the result, of no axis of the array."""


@records.record
class Range:
    """A slice of an axis: `count` positions from `start` on, `step` apart."""

    axis: int
    start: int
    step: int
    count: int
    is_whole: bool


@records.record
class Window:
    """`count` positions of an axis from `start` on, `step` apart; `start` may be traced."""

    axis: int
    start: Any
    step: int
    count: int


@records.record
class IntegerIndex:
    """One position of an axis, which the result lacks; known, or a traced scalar."""

    axis: int
    index: Any


@records.record
class IndexArray:
    """An array of positions of an axis, negative ones counting from the end."""

    axis: int
    indices: Any


Entry = NewAxis | Range | Window | IntegerIndex | IndexArray


def fail_type(entry: Any, why: str, way: str = "") -> TypeError:
    """The error for an index of a type that means nothing."""
    return errors.type_error(
        why,
        [("index", repr(entry)[:60])],
        "Indices are integers, slices, None, ..., and arrays of integers or booleans.",
        way,
    )


def _as_tuple(index: Any) -> tuple:
    if isinstance(index, tuple):
        return index
    if isinstance(index, list | range | bytes):
        raise fail_type(
            index,
            "Using a non-tuple sequence for multidimensional indexing is not allowed; use "
            "`arr[array(seq)]` instead of `arr[seq]`.",
            "Use a tuple for axes, jnp.array(...) for positions.",
        )
    return (index,)


def _consumed(entry: Any) -> int:
    """How many axes of the array an entry takes."""
    if entry is None or entry is Ellipsis:
        return 0
    if is_mask(entry):
        return op.ndim(entry)
    return 1


def is_mask(entry: Any) -> bool:
    """Whether an entry is a boolean scalar or array."""
    if isinstance(entry, (bool, np.bool_)):
        return True
    return hasattr(entry, "dtype") and entry.dtype == np.bool_


# Entries without arrays: a bool is an array here, and its type is not int.
_PLAIN = (int, slice, type(None), type(Ellipsis))


def scalar_masks_as_axes(index: Any, rank: int) -> tuple[Any, tuple[int, ...]]:
    """An index without boolean scalars, and the axes to insert into the array for it.

    A boolean scalar takes no axis. Beside other integers and arrays it is an array of as
    many positions as it is true, 1 or 0, along an axis of size 1. True alone is a new axis.

    Args:
        index: what stands between the brackets.
        rank: the number of axes of the array.
    """
    if type(index) in _PLAIN:
        return index, ()
    given = _as_tuple(index)
    masks = [is_mask(e) and not op.ndim(e) and op.known(e) for e in given]
    kinds = type(None), type(Ellipsis), slice, dynamic.Slice
    chosen = sum(not isinstance(entry, kinds) for entry in given)
    if not any(masks) or (chosen == 1 and bool(np.asarray(given[masks.index(True)]))):
        return index, ()
    entries, inserted, axis = [], [], 0
    rest = rank - sum(map(_consumed, map(_normalized, given)))
    for entry, mask in zip(given, masks, strict=True):
        if mask:
            inserted.append(axis)
            entries.append(np.zeros(int(np.asarray(entry)), np.int32))
            axis += 1
        else:
            entries.append(entry)
            axis += rest if entry is Ellipsis else _consumed(_normalized(entry))
    return tuple(entries), tuple(inserted)


def parse(index: Any, sizes: Sequence[int]) -> list[Entry]:
    """The entries of an index into an array of shape `sizes`, in order.

    Raises:
        TypeError: an entry is no index.
        IndexError: there are too many, or a mask does not fit.
        NonConcreteBooleanIndexError: a mask is traced.
    """
    given = [_normalized(entry) for entry in _as_tuple(index)]
    taken = sum(map(_consumed, given))
    if taken > len(sizes):
        raise errors.index_error(
            f"Too many indices: array is {len(sizes)}-dimensional, but {taken} were "
            "indexed.",
            [("array", f"shape {tuple(sizes)}")],
            "There is one index per axis at most.",
        )
    dots = [i for i, entry in enumerate(given) if entry is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    at = dots[0] if dots else len(given)
    whole = [slice(None)] * (len(sizes) - taken)
    given = given[:at] + whole + given[at + len(dots) :]
    entries: list[Entry] = []
    axis = 0
    for position, entry in enumerate(given):
        entries += _entries(entry, axis, sizes, position)
        axis += _consumed(entry)
    return entries


def _normalized(entry: Any) -> Any:
    """Lists become arrays; what cannot be an index is refused."""
    if entry is None or entry is Ellipsis or isinstance(entry, slice | dynamic.Slice):
        return entry
    if isinstance(entry, str):
        raise fail_type(entry, "JAX does not support string indexing.")
    if isinstance(entry, (list, tuple)):
        if any(map(_is_traced, trees.tree_leaves(entry))):
            return _normalized(creation.asarray(entry))
        array = np.asarray(entry)
        return array if array.size else array.astype(np.int32)
    if not op.is_arraylike(entry):
        try:
            return operator.index(entry)
        except TypeError:
            text = (
                "only integers, slices (`:`), ellipsis (`...`), newaxis (`None`) and integer "
                f"or boolean arrays are valid indices. Got {repr(entry)[:60]}"
            )
            raise IndexError(str(fail_type(entry, text))) from None
    entry = op.to_array(entry)
    found = op.dtype_of(entry)
    if op.kind(found) not in "biu":
        raise fail_type(
            entry,
            f"Indexer must have integer or boolean type, got indexer with type {found}.",
            "Convert it: x.astype(int).",
        )
    return entry


def _is_traced(x):
    return avals.is_value(x) and not op.known(x)


def _entries(entry, axis, sizes, position) -> list[Entry]:
    if entry is None:
        return [NewAxis()]
    if isinstance(entry, slice):
        return [_range(entry, axis, sizes[axis], position)]
    if isinstance(entry, dynamic.Slice):
        return [_window(entry, axis, sizes[axis], position)]
    if is_mask(entry):
        return _mask_entries(entry, axis, sizes, position)
    if op.ndim(entry):
        return [IndexArray(axis, entry)]
    if sizes[axis] == 0:
        raise errors.index_error(
            "An index is out of bounds: the axis is empty.",
            [("axis", str(axis)), ("array", f"shape {tuple(sizes)}")],
        )
    return [IntegerIndex(axis, entry)]


def _symbolic_range(entry, axis, size) -> Range:
    """Resolves a slice where the size of the axis, or a bound, is a symbolic dimension."""
    step = 1 if entry.step is None else expressions.size_index(entry.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    length = step if step > 0 else -step
    least, most = (0, size) if step > 0 else (-1, size - 1)

    def bound(part, default):
        if part is None:
            return default
        part = expressions.size_index(part)
        if part < 0:
            return expressions.max_dim(least, size + part)
        return expressions.min_dim(most, part)

    start = bound(entry.start, least if step > 0 else most)
    stop = bound(entry.stop, most if step > 0 else least)
    distance = stop - start if step > 0 else start - stop
    count = expressions.max_dim(0, (distance + length - 1) // length)
    whole = step == 1 and start == 0 and count == size
    return Range(axis, start, step, count, whole)


def _range(entry, axis, size, position) -> Range:
    parts = (entry.start, entry.stop, entry.step, size)
    if any(map(expressions.is_dimension, parts)):
        return _symbolic_range(entry, axis, size)
    try:
        bounds = [
            None if part is None else operator.index(part)
            for part in (entry.start, entry.stop, entry.step)
        ]
    except TypeError as error:
        parts = (entry.start, entry.stop, entry.step)
        are_arrays = any(op.ndim(part) or not op.known(part) for part in parts)
        raise (IndexError if are_arrays else TypeError)(
            errors.explain(
                "A slice has bounds that are no concrete whole numbers.",
                [("slice", repr(entry)[:70]), ("position", str(position))],
                "The bounds of a slice give the result its shape.",
                "A slice of known length at a traced position: lax.dynamic_slice_in_dim.\n"
                "A mask instead of a slice: jnp.where(jnp.arange(n) < stop, x, 0).",
            )
        ) from error
    start, stop, step = slice(*bounds).indices(size)
    count = len(range(start, stop, step))
    whole = (start, step, count) == (0, 1, size)
    return Range(axis, start if count else 0, step, count, whole)


def _window(entry, axis, size, position) -> Window:
    facts = [("index", repr(entry)[:70]), ("position", str(position))]
    if entry.is_dynamic_size:
        raise errors.index_error(
            "jax.ds: the size is no concrete whole number.",
            facts,
            "The size of a slice gives the result its shape.",
            "A mask instead of a slice: jnp.where(jnp.arange(n) < size, x, 0).",
        )
    count = operator.index(entry.size)
    span = entry.stride * max(count - 1, 0) + min(count, 1)
    if count < 0 or span > size:
        raise errors.type_error(
            "jax.ds: the slice does not fit the axis.",
            [*facts, ("axis", f"{axis}, of size {size}")],
            "The size is 0 or more, and all positions fit in the axis.",
        )
    start = entry.start
    if not isinstance(start, int):
        start = _normalized(start)
        if op.ndim(start):
            raise fail_type(start, "The start of jax.ds is no scalar.")
    return Window(axis, start, entry.stride, count)


def _mask_entries(entry, axis, sizes, position) -> list[Entry]:
    if not op.known(entry):
        raise errors.NonConcreteBooleanIndexError(
            errors.explain(
                f"Array boolean indices must be concrete; got {op.type_name(entry)}.",
                [("position", str(position))],
                "The number of true values gives the result its shape.",
                "To compute with all elements: jnp.where(mask, x, y).\n"
                "With a known bound on the count: jnp.nonzero(mask, size=n).",
            )
        )
    mask = np.asarray(entry)
    if mask.ndim == 0:
        return (
            [NewAxis()] if mask else [NewAxis(), IndexArray(-1, np.zeros(0, np.int32))]
        )
    wanted = tuple(sizes[axis : axis + mask.ndim])
    if mask.shape != wanted and mask.size:
        raise errors.index_error(
            "boolean index did not match shape of indexed array in index "
            f"{position}: got {mask.shape}, expected {list(wanted)}.",
            [],
            "A mask has the shape of the axes that it indexes.",
        )
    return [
        IndexArray(axis + i, indices.astype(np.int32))
        for i, indices in enumerate(mask.nonzero())
    ]


def index_dtype(indices: Any) -> np.dtype:
    """The dtype in which positions are computed: 32 bits unless they came with 64."""
    found = dtypes.dtype(indices)
    return found if found.itemsize == 8 else np.dtype(np.int32)
