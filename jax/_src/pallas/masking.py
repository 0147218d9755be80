"""Loads and stores of some elements, and updates that no other step sees half done."""

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core import reference_views
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.numpy.dynamic_slices import Slice
from jax._src.pallas import accesses, checking, indices, uninitialized


def load(ref: Any, mask: Any = None, other: Any = None) -> Any:
    """What a reference or view holds; a slice that passes the end reads unwritten memory.

    Args:
        ref: the reference or view.
        mask: Booleans that broadcast to its shape.
        other: what stands where `mask` is False; None: what is there.

    Raises:
        ValueError: the mask does not fit.
    """
    outer, entries = _last_part(ref)
    mask = _fitting(mask, indices.part_shape(entries))
    checking.accessed(outer, "read", _part(entries), mask)
    value = indices.read(_extended(outer.read(), entries), entries)
    if mask is None or other is None:
        return value
    return jnp.where(mask, value, jnp.asarray(other, value.dtype))


def store(ref: Any, value: Any, mask: Any = None) -> None:
    """Writes to a reference or view where `mask` is True; nothing beyond its end.

    Raises:
        ValueError: shape, dtype or mask do not fit.
    """
    outer, entries = _last_part(ref)
    array = outer.read()
    shape = indices.part_shape(entries)
    given = jnp.asarray(value)
    if given.shape != shape or given.dtype != array.dtype:
        raise errors.value_error(
            "A value that does not fit is stored.",
            [
                ("value", f"{given.dtype}{list(given.shape)}"),
                ("stored to", f"{array.dtype}{list(shape)}"),
            ],
            "Shape and dtype are those of the reference.",
        )
    mask = _fitting(mask, shape)
    checking.accessed(outer, "write", _part(entries), mask)
    extended = _extended(array, entries)
    if mask is None:
        changed = indices.put(extended, entries, given)
    else:
        changed = indices.put_where(extended, entries, given, mask)
    if changed.shape != array.shape:
        changed = lax.slice(changed, [0] * array.ndim, array.shape)
    outer.write(changed)


def _last_part(ref):
    """A reference or view, and the entries of the part of it that is meant."""
    steps = ref.transforms if isinstance(ref, reference_views.TransformedRef) else ()
    if steps and steps[-1].name == "index":
        outer = reference_views.TransformedRef(ref.ref, steps[:-1])
        return outer, steps[-1].argument
    return ref, indices.entries_of(ref.shape, ...)


def _part(entries):
    """From an array to the part that entries name, which may pass its end."""
    return lambda array: indices.read(_extended(array, entries), entries)


def _extended(array, entries):
    """The array with so much unwritten memory behind it that slices end inside."""
    if any(map(indices.is_array, entries)):
        return array
    sizes = [e.size * e.stride if isinstance(e, Slice) else 1 for e in entries]
    if indices.is_everything(entries, array.shape):
        return array
    return uninitialized.padded(array, [(0, size) for size in sizes])


def _fitting(mask, shape):
    if mask is None:
        return None
    mask = jnp.asarray(mask)
    try:
        fits = np.broadcast_shapes(mask.shape, shape) == tuple(shape)
    except ValueError:
        fits = False
    if not fits:
        raise errors.value_error(
            "A mask does not fit what it masks.",
            [("mask", str(mask.shape)), ("masked", str(tuple(shape)))],
            "A mask broadcasts to the shape of what is loaded or stored.",
        )
    return jnp.broadcast_to(mask, shape)


def atomic(
    operation: Callable[[Any, Any], Any], ref: Any, idx: Any, val: Any, mask: Any
) -> Any:
    """Puts the result of an operation in place of what is at an index; returns the latter.

    Where an index array has an index twice, one of the results stays.

    Raises:
        ValueError: the index or the value does not fit.
    """
    old = ref[idx]
    given = accesses.checked(val, old.shape, old.dtype)
    new = operation(old, given)
    mask = _fitting(mask, old.shape)
    ref[idx] = new if mask is None else jnp.where(mask, new, old)
    return old
