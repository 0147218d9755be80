"""Indices of references in kernels: the elements of each dimension that they select.

An index becomes one entry per dimension of the array: an integer (of Python, or an array
without dimensions), a `Slice`, or an array of integers. Indices beyond the array are moved
inside, as `lax.dynamic_slice` does.
"""

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core import avals, reference_types
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.numpy.dynamic_slices import Slice
from jax._src.pallas import uninitialized


def entries_of(shape: Sequence[int], index: Any) -> tuple[Any, ...]:
    """One entry per dimension for an index.

    Raises:
        ValueError: the index does not fit.
        NonConcreteBooleanIndexError: it holds Boolean arrays.
    """
    given = list(index) if isinstance(index, tuple) else [index]
    if any(isinstance(e, list) or e is None for e in given):
        raise _unfit(shape, index, "Lists and None are no indices of references.")
    ellipses = [i for i, e in enumerate(given) if e is Ellipsis]
    if len(ellipses) > 1:
        raise _unfit(shape, index, "One `...` stands for all dimensions left out.")
    missing = len(shape) - (len(given) - len(ellipses))
    if missing < 0:
        raise _unfit(shape, index, "There are at most as many indices as dimensions.")
    at = ellipses[0] if ellipses else len(given)
    given[at : at + 1] = [slice(None)] * missing
    entries = tuple(
        _entry(entry, size, shape, index)
        for entry, size in zip(given, shape, strict=True)
    )
    _check_arrays_broadcast(entries, shape, index)
    return entries


def _entry(entry, size, shape, index):
    if isinstance(entry, slice):
        if entry.step is not None and entry.step < 1:
            raise _unfit(shape, index, "Slices ascend: a step is 1 or more.")
        return Slice.from_slice(entry, size)
    if isinstance(entry, Slice):
        return _checked_slice(entry, size, shape, index)
    if isinstance(entry, numbers.Integral) and not isinstance(entry, bool | np.bool_):
        entry = int(entry)
        if uninitialized.params_now() is not None:
            return entry + size if -size <= entry < 0 else entry  # Checked at its use.
        return min(max(entry + size if entry < 0 else entry, 0), size - 1)
    aval = avals.get_aval(entry)
    if isinstance(aval, reference_types.AbstractRef) or not hasattr(aval, "shape"):
        raise _unfit(shape, index, "Indices are integers, slices, and arrays of them.")
    if aval.dtype == bool:
        raise errors.NonConcreteBooleanIndexError(
            errors.explain(
                "A reference was indexed with Booleans.",
                [("index", aval.str_short())],
                "How much they choose would be known only while the kernel runs.",
                "Choose values instead:  jnp.where(mask, ref[...], 0).",
            )
        )
    if not np.issubdtype(aval.dtype, np.integer):
        raise _unfit(shape, index, "Index arrays hold integers.")
    return entry


def _checked_slice(entry, size, shape, index):
    if entry.is_dynamic_size or entry.is_dynamic_start:
        if entry.is_dynamic_size:
            raise _unfit(shape, index, "The size of a slice is an integer of Python.")
        return entry
    entry = Slice(int(entry.start), int(entry.size), entry.stride)
    last = entry.start + (entry.size - 1) * entry.stride
    # A slice from 0 on may be too long: masked loads and stores leave out what is beyond.
    if entry.start < 0 or (entry.start > 0 and last >= size):
        raise _unfit(
            shape,
            index,
            "A slice whose start is known, and not 0, is inside the array.",
        )
    return entry


def _check_arrays_broadcast(entries, shape, index):
    try:
        np.broadcast_shapes(*[e.shape for e in entries if is_array(e)])
    except ValueError:
        raise _unfit(
            shape, index, "Index arrays have shapes that broadcast together."
        ) from None


def _unfit(shape, index, rule):
    return errors.value_error(
        "An index of a reference does not fit.",
        [("reference", f"shape {tuple(shape)}"), ("index", _described(index))],
        rule,
    )


def _described(index):
    entries = index if isinstance(index, tuple) else (index,)
    return ", ".join(
        avals.get_aval(e).str_short() if hasattr(e, "dtype") else repr(e)
        for e in entries
    )


def is_array(entry: Any) -> bool:
    """Whether an entry is an array with dimensions."""
    return not isinstance(entry, Slice | int) and bool(np.ndim(entry))


def is_everything(entries: Sequence[Any], shape: Sequence[int]) -> bool:
    """Whether the entries name the whole array."""
    return all(
        isinstance(e, Slice)
        and not e.is_dynamic_start
        and (e.start, e.size, e.stride) == (0, size, 1)
        for e, size in zip(entries, shape, strict=True)
    )


def _is_window(entries):
    """Whether they name a contiguous part."""
    return all(
        e.stride == 1 if isinstance(e, Slice) else not is_array(e) for e in entries
    )


def part_shape(entries: Sequence[Any]) -> tuple[int, ...]:
    """The shape of what the entries name."""
    if any(map(is_array, entries)):
        return np.broadcast_shapes(*[np.shape(x) for x in index_arrays(entries)])
    return tuple(e.size for e in entries if isinstance(e, Slice))


def read(array: Any, entries: Sequence[Any]) -> Any:
    """What the entries name of an array."""
    if is_everything(entries, array.shape):
        return array
    if _is_window(entries):
        starts, sizes = _window(entries)
        return lax.dynamic_slice(array, starts, sizes).reshape(part_shape(entries))
    return array.at[index_arrays(entries)].get(mode="clip")


def put(array: Any, entries: Sequence[Any], value: Any) -> Any:
    """The array with a value where the entries name it."""
    if is_everything(entries, array.shape):
        return value
    if _is_window(entries):
        starts, sizes = _window(entries)
        return lax.dynamic_update_slice(array, value.reshape(sizes), starts)
    return array.at[index_arrays(entries)].set(value)


def put_where(array: Any, entries: Sequence[Any], value: Any, mask: Any) -> Any:
    """The array with a value where the entries name it and the mask is True."""
    if not any(map(is_array, entries)):
        return put(array, entries, jnp.where(mask, value, read(array, entries)))
    first, *others = index_arrays(entries)
    # What is masked out goes beyond the end: another element may have the same index.
    kept = jnp.where(mask, first.astype(np.int32), array.shape[0])
    return array.at[(kept, *others)].set(value, mode="drop")


def add(array: Any, entries: Sequence[Any], value: Any) -> Any:
    """The array with a value added; an index that occurs often gets every addend."""
    if not any(map(is_array, entries)):
        return put(array, entries, read(array, entries) + value)
    return array.at[index_arrays(entries)].add(value)


def _window(entries):
    starts = [e.start if isinstance(e, Slice) else e for e in entries]
    sizes = [e.size if isinstance(e, Slice) else 1 for e in entries]
    return [jnp.asarray(s, np.int32) for s in starts], sizes


def index_arrays(entries: Sequence[Any]) -> tuple[Any, ...]:
    """An index array for each dimension, which broadcast to the shape of the part.

    Arrays and integers go together, where the first of them stands, or in front if slices
    stand between them, as in NumPy.
    """
    together = [i for i, e in enumerate(entries) if not isinstance(e, Slice)]
    shared = np.broadcast_shapes(*[np.shape(entries[i]) for i in together])
    slices = [i for i, e in enumerate(entries) if isinstance(e, Slice)]
    rank = len(shared) + len(slices)
    is_split = together and together[-1] - together[0] >= len(together)
    before = 0 if is_split or not together else together[0]
    arrays: list[Any] = [None] * len(entries)
    for number, i in enumerate(slices):
        axis = number if number < before else number + len(shared)
        e = entries[i]
        steps = lax.iota(np.int32, e.size) * np.int32(e.stride)
        arrays[i] = _along(jnp.asarray(e.start, np.int32) + steps, axis, rank)
    for i in together:
        x = jnp.asarray(entries[i])
        behind = rank - before - len(shared)
        arrays[i] = x.reshape(*x.shape, *[1] * behind)
    return tuple(arrays)


def _along(x, axis, rank):
    return x.reshape(*[1] * axis, x.shape[0], *[1] * (rank - axis - 1))
