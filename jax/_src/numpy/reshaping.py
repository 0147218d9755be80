"""Changing the shape and order of arrays without computing."""

from __future__ import annotations

import functools as ft
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from jax._src.base import releases, traceback_filter, util
from jax._src.core import state
from jax._src.core.symbols import expressions
from jax._src.lib import client
from jax._src.numpy import lax_api as lax, operands as op
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike

# Classes that hold several results.
_SEVERAL = releases.rule("several_results")


def reshape(
    a: ArrayLike,
    shape: Any,
    order: str = "C",
    *,
    copy: bool | None = None,
    out_sharding: Any = None,
) -> Array:
    """The elements in another shape.

    Args:
        a: array.
        shape: the new shape; one size may be -1 and is then inferred.
        order: ``"C"``: the last axis changes fastest; ``"F"``: the first one does.
        copy: has no effect, since arrays are immutable.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Raises:
        TypeError: the numbers of elements differ.


    Examples:
        >>> jnp.reshape(jnp.arange(6), (2, -1))
        Array([[0, 1, 2],
               [3, 4, 5]], dtype=int32)
    """
    if type(a) is client.Array and order == "C" and out_sharding is None:
        sizes = _sizes_at_once(a.shape, shape)
        if sizes is not None:
            return a if sizes == a.shape else _reshape(a, sizes, order, None)
    a = op.ensure_arraylike("reshape", a)
    sizes = inferred_shape(a, shape)
    if sizes == op.shape(a) and order == "C" and out_sharding is None:
        if lax.is_array(a):
            return a
    return _reshape(a, sizes, order, out_sharding)


def _sizes_at_once(sizes, wanted):
    """Returns the new shape if it consists of plain numbers that fit, else None."""
    wanted = (wanted,) if type(wanted) is int else wanted
    if type(wanted) is not tuple or {*map(type, wanted)} != {int}:
        return None
    total, rest = math.prod(sizes), math.prod(wanted)
    if rest < 0 and -1 in wanted and not total % rest:
        wanted = tuple(total // -rest if n == -1 else n for n in wanted)
        rest = total if math.prod(wanted) == total else -1
    return wanted if rest == total and min(wanted) >= 0 else None


def inferred_shape(a, wanted) -> tuple[int, ...]:
    """The wanted shape with -1 filled in; TypeError where the sizes do not fit."""
    entries = util.listed(wanted)
    wanted = (wanted,) if entries is None else entries
    sizes = []
    for entry in wanted:
        try:
            sizes.append(expressions.size_index(entry))
        except TypeError:
            op.canonical_shape("reshape", tuple(wanted))
            raise
    total = op.size(a)
    unknown = [i for i, n in enumerate(sizes) if n == -1]
    rest = math.prod(n for n in sizes if n != -1)
    fits = (
        len(unknown) <= 1
        and all(n >= -1 for n in sizes if type(n) is int)
        and (rest == total if not unknown else rest > 0 and total % rest == 0)
    )
    if not fits and unknown and rest > 0 and not expressions.is_static((total, rest)):
        raise expressions.InconclusiveDimensionOperation(
            f"jnp.reshape: {total} elements need not be a multiple of {rest}."
        )
    if not fits:
        wanted = f"{tuple(sizes)}"
        if len(unknown) > 1:
            text = f"can only specify one unknown axis size with a `-1` value, got {wanted}"
        else:
            text = (
                f"cannot reshape array of shape {op.shape(a)} (size {total}) into shape "
                f"{wanted} (size {rest})"
            )
            if unknown:
                text = (
                    f"cannot reshape array of shape {op.shape(a)} (size {total}) into shape "
                    f"{wanted} because the product of specified axis sizes ({rest}) does "
                    f"not evenly divide {total}"
                )
        raise op.type_error(
            "reshape",
            text,
            [("a", op.type_name(a))],
            "The number of elements stays; at most one size is -1.",
        )
    for i in unknown:
        sizes[i] = total // rest
    return tuple(sizes)


@ft.partial(jit, static_argnums=(1, 2, 3))
def _reshape(a, sizes, order, out_sharding=None):
    if order == "C":
        return lax.reshape(a, sizes, out_sharding=out_sharding)
    if order == "F":
        backwards = lax.reshape(_reversed_axes(a), sizes[::-1])
        result = _reversed_axes(backwards)
        return lax.reshape(result, sizes, out_sharding=out_sharding)
    if order == "A":
        raise NotImplementedError(
            "jnp.reshape: order='A' is not supported; use 'C' or 'F'."
        )
    raise ValueError(f"jnp.reshape: order={order!r} is none of 'C', 'F' and 'A'.")


@jit
def _reversed_axes(x):
    return lax.transpose(x, tuple(range(op.ndim(x)))[::-1])


def ravel(a: ArrayLike, order: str = "C", *, out_sharding: Any = None) -> Array:
    """The elements along one axis; arguments as for `jax.numpy.reshape`.

    Args:
        a: array.
        order: ``"C"``: the last axis varies first; ``"F"``: the first axis does.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Returns:
        Vector of the elements, of the dtype of `a`.

    Raises:
        TypeError: `a` is no array. ValueError: `order` is unknown. NotImplementedError:
            it is ``"K"``.
    """
    a = op.ensure_arraylike("ravel", a)
    if op.is_extended(a):
        return reshape(a, -1)
    if order == "K":
        raise NotImplementedError(
            "jnp.ravel: order='K' is not supported; use 'C' or 'F'."
        )
    return _reshape(a, (op.size(a),), order, out_sharding)


@ft.partial(jit, static_argnames=("axes",))
def _transpose(a, axes):
    return lax.transpose(a, axes)


def transpose(a: ArrayLike, axes: Sequence[int] | None = None) -> Array:
    """The axes in another order.

    Args:
        a: array.
        axes: for each new axis the old one; default: reversed.

    Returns:
        Array of the dtype of `a`.

    Raises:
        TypeError: `axes` is not a permutation. ValueError: an axis is out of bounds.

    Examples:
        >>> jnp.transpose(jnp.zeros((2, 3, 4)), (2, 0, 1)).shape
        (4, 2, 3)
    """
    if axes is None and type(a) is client.Array:
        return a if a.ndim < 2 else _reversed_axes(a)
    return _in_order("transpose", a, axes, TypeError)


def _in_order(name, a, axes, error):
    """The axes of `a` in another order; `error` is raised for those that are no permutation."""
    a = op.ensure_arraylike(name, a)
    if axes is None:
        order = tuple(range(op.ndim(a)))[::-1]
    else:
        axes = tuple(axes)
        order = tuple(op.canonical_axis(name, i, op.ndim(a)) for i in axes)
        if sorted(order) != list(range(op.ndim(a))):
            repeated = len(set(order)) < len(order)
            raise error(
                op.explain(
                    name,
                    "the axes are not a permutation"
                    + (": repeated axis." if repeated else "."),
                    [("a", op.type_name(a)), ("axes", str(axes))],
                    "Each axis is named once.",
                )
            )
    if order == tuple(range(op.ndim(a))) and lax.is_array(a):
        return a
    return _transpose(a, order)


def permute_dims(a: ArrayLike, /, axes: tuple[int, ...]) -> Array:
    """The axes in another order.

    The arguments are those of `jax.numpy.transpose`, but `axes` is needed; so are the
    dtype and errors. From 0.12 on, axes that are no permutation are a ValueError.
    """
    if axes is None:
        raise op.type_error(
            "permute_dims",
            "the axes are missing.",
            [("axes", "None")],
            ways="Name all in their new order; jnp.transpose(a) turns the order round.",
        )
    return _in_order("permute_dims", a, axes, releases.rule("wrong_axes"))


def matrix_transpose(x: ArrayLike, /) -> Array:
    """The last two axes exchanged.

    Args:
        x: array of shape ``(..., m, n)``.

    Returns:
        Array of shape ``(..., n, m)`` and the dtype of `x`.

    Raises:
        ValueError: there are fewer than two axes.
        TypeError: `x` is no array or number.
    """
    x = op.ensure_arraylike("matrix_transpose", x)
    if op.ndim(x) < 2:
        raise op.value_error(
            "matrix_transpose", "there are no matrices.", [("x", op.type_name(x))]
        )
    return swapaxes(x, -1, -2)


def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> Array:
    """Two axes exchanged.

    Args:
        a: array.
        axis1, axis2: the axes; negative ones count from the end.

    Returns:
        Array of the dtype of `a`.

    Raises:
        ValueError: an axis is out of bounds. TypeError: `a` is no array.

    Examples:
        >>> jnp.swapaxes(jnp.zeros((2, 3, 4)), 0, 2).shape
        (4, 3, 2)
    """
    a = op.ensure_arraylike("swapaxes", a)
    first, second = (
        op.canonical_axis("swapaxes", i, op.ndim(a)) for i in (axis1, axis2)
    )
    order = list(range(op.ndim(a)))
    order[first], order[second] = second, first
    return _transpose(a, tuple(order))


def moveaxis(
    a: ArrayLike, source: int | Sequence[int], destination: int | Sequence[int]
) -> Array:
    """Axes moved to other positions; the others keep their order.

    Args:
        a: array.
        source: the axis or axes to move.
        destination: where each of them goes.

    Raises:
        ValueError: the numbers of axes differ, or one is named twice.
        TypeError: `a` is no array or number.

    Examples:
        >>> jnp.moveaxis(jnp.zeros((2, 3, 4)), 0, -1).shape
        (3, 4, 2)
    """
    a = op.ensure_arraylike("moveaxis", a)
    if source is None or destination is None:
        raise op.type_error(
            "moveaxis",
            "an axis is missing.",
            [("source", str(source)), ("destination", str(destination))],
            ways="Give whole numbers, or a sequence of them.",
        )
    sources = op.canonical_axes("moveaxis", source, op.ndim(a))
    destinations = op.canonical_axes("moveaxis", destination, op.ndim(a))
    if len(sources) != len(destinations):
        raise op.value_error(
            "moveaxis",
            "the numbers of axes differ.",
            [("source", str(source)), ("destination", str(destination))],
        )
    order = [i for i in range(op.ndim(a)) if i not in sources]
    for to, axis in sorted(zip(destinations, sources, strict=True)):
        order.insert(to, axis)
    return _transpose(a, tuple(order))


@ft.partial(jit, static_argnames=("axis", "start"))
def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> Array:
    """One axis moved to before another; prefer `jax.numpy.moveaxis`.

    Args:
        a: array.
        axis: the axis to move.
        start: the axis before which it goes; ``a.ndim``: the end.

    Returns:
        Array of the dtype of `a`.

    Raises:
        ValueError: `axis` or `start` is out of bounds. TypeError: `a` is no array.
    """
    a = op.ensure_arraylike("rollaxis", a)
    axis = op.canonical_axis("rollaxis", axis, op.ndim(a))
    start = op.canonical_axis("rollaxis", start, op.ndim(a) + 1)
    return moveaxis(a, axis, start - (start > axis))


@ft.partial(jit, static_argnames=("axis",))
def expand_dims(a: ArrayLike, axis: int | Sequence[int]) -> Array:
    """New axes of size 1 at the given positions of the result.

    Args:
        a: array of any shape and dtype.
        axis: where each stands in the result, which keeps the dtype of `a`.

    Raises:
        TypeError: `axis` is None. ValueError: an axis is out of bounds, or named twice.

    Examples:
        >>> jnp.expand_dims(jnp.zeros((2, 3)), (0, -1)).shape
        (1, 2, 3, 1)
    """
    a = op.ensure_arraylike("expand_dims", a)
    if axis is None:
        raise TypeError("jnp.expand_dims: the argument `axis` is None.")
    named = util.listed(axis)
    named = (axis,) if named is None else named
    axes = op.canonical_axes("expand_dims", named, op.ndim(a) + len(named))
    return lax.expand_dims(a, axes)


def squeeze(a: ArrayLike, axis: int | Sequence[int] | None = None) -> Array:
    """Axes of size 1 taken away.

    Args:
        a: array.
        axis: the axis or axes; default: all of size 1.

    Returns:
        Array of the dtype of `a`.

    Raises:
        ValueError: an axis is out of bounds, or has another size. TypeError: `a` is no
            array.

    Examples:
        >>> jnp.squeeze(jnp.zeros((1, 3, 1)), axis=0).shape
        (3, 1)
    """
    if type(a) is client.Array:
        return a if axis is None and 1 not in a.shape else _squeeze(a, axis)
    return _squeeze(a, axis)


@ft.partial(jit, static_argnums=(1,))
def _squeeze(a, axis):
    a = op.ensure_arraylike("squeeze", a)
    if axis is None:
        axes = tuple(i for i, n in enumerate(op.shape(a)) if n == 1)
    else:
        axes = op.canonical_axes("squeeze", axis, op.ndim(a))
    if any(op.shape(a)[i] != 1 for i in axes):
        raise op.value_error(
            "squeeze",
            "an axis has a size other than 1.",
            [("a", op.type_name(a)), ("axis", str(axis))],
        )
    return lax.squeeze(a, axes)


def broadcast_to(array: ArrayLike, shape: Any, *, out_sharding: Any = None) -> Array:
    """The array repeated to a shape, by NumPy's rules.

    Args:
        array: array.
        shape: a whole number or a sequence of them.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Returns:
        Array of that shape and the dtype of `array`.

    Raises:
        ValueError: the shapes do not fit. TypeError: `array` is no array.


    Examples:
        >>> jnp.broadcast_to(jnp.array([1, 2]), (2, 2))
        Array([[1, 2],
               [1, 2]], dtype=int32)
    """
    sizes = op.canonical_shape("broadcast_to", shape)
    if getattr(array, "shape", None) == sizes and op.is_arraylike(array):
        if getattr(array, "weak_type", None) is False and out_sharding is None:
            return array
    return _spread(array, sizes, out_sharding)


@ft.partial(jit, static_argnums=(1, 2))
def _spread(array, sizes, out_sharding):
    array = op.ensure_arraylike("broadcast_to", array)
    result = op.broadcast_to(array, sizes)
    if out_sharding is not None:
        axes = range(len(sizes))
        result = lax.broadcast_in_dim(result, sizes, axes, out_sharding=out_sharding)
    return op.strong_like(result)


def broadcast_arrays(*args: ArrayLike) -> Sequence[Array]:
    """The arrays repeated to their common shape.

    Args:
        args: arrays and numbers of any dtype.

    Returns:
        A list of arrays of one shape, a tuple from 0.12 on; each keeps its dtype.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: an argument is no array or
            number.
    """
    op.check_arraylike("broadcast_arrays", *args)
    values = [op.strong_like(op.to_array(x)) for x in args]
    common = op.broadcast_shapes("broadcast_arrays", *map(op.shape, values))
    return _SEVERAL(op.broadcast_to(x, common, "broadcast_arrays") for x in values)


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The common shape of shapes, by NumPy's rules, as a tuple of integers.

    Args:
        shapes: shapes: sequences of whole numbers, or single ones.

    Raises:
        ValueError: there is none. TypeError: an argument is no shape.
    """
    return op.broadcast_shapes(
        "broadcast_shapes", *(op.canonical_shape("broadcast_shapes", s) for s in shapes)
    )


@ft.partial(jit, static_argnums=(1,))
def _reshaped(x, sizes):
    return lax.reshape(op.strong_like(x), sizes)


def _at_least(name, arrays, form):
    """Reshapes each array to the shape that `form` returns for its own."""
    op.check_arraylike(name, *arrays)
    results = []
    for x in map(op.to_array, arrays):
        sizes = op.shape(x)
        wanted = form(*sizes)
        results.append(op.strong_like(x) if wanted == sizes else _reshaped(x, wanted))
    return results[0] if len(results) == 1 else _SEVERAL(results)


def atleast_1d(*arys: ArrayLike) -> Array | Sequence[Array]:
    """Each array with one axis at least.

    Args:
        arys: arrays and numbers.

    Returns:
        An array of the same dtype; a list of them for several arguments, a tuple
        from 0.12 on.

    Raises:
        TypeError: an argument is no array or number.
    """
    return _at_least("atleast_1d", arys, lambda *sizes: sizes or (1,))


def atleast_2d(*arys: ArrayLike) -> Array | Sequence[Array]:
    """Each array with two axes at least; new ones come first.

    Args:
        arys: arrays and numbers.

    Returns:
        An array of the same dtype; a list of them for several arguments, a tuple
        from 0.12 on.

    Raises:
        TypeError: an argument is no array or number.
    """
    return _at_least("atleast_2d", arys, lambda *sizes: (1,) * (2 - len(sizes)) + sizes)


def atleast_3d(*arys: ArrayLike) -> Array | Sequence[Array]:
    """Each array with three axes at least; a matrix gets its new one at the end.

    Args:
        arys: arrays and numbers.

    Returns:
        An array of the same dtype; a list of them for several arguments, a tuple
        from 0.12 on.

    Raises:
        TypeError: an argument is no array or number.
    """
    return _at_least(
        "atleast_3d",
        arys,
        lambda *sizes: (1,) * (2 - len(sizes)) + sizes + (1,) * (len(sizes) < 3),
    )


@ft.partial(jit, static_argnames=("axis",))
def flip(m: ArrayLike, axis: int | Sequence[int] | None = None) -> Array:
    """The elements in reversed order along axes.

    Args:
        m: array.
        axis: axis or axes to reverse; None means all.

    Returns:
        Array of the shape and dtype of `m`.

    Raises:
        ValueError: an axis is out of bounds or named twice. TypeError: `m` is no array.

    Examples:
        >>> jnp.flip(jnp.array([[1, 2], [3, 4]]), axis=1)
        Array([[2, 1],
               [4, 3]], dtype=int32)
    """
    m = op.ensure_arraylike("flip", m)
    return lax.rev(m, op.canonical_axes("flip", axis, op.ndim(m)))


def fliplr(m: ArrayLike) -> Array:
    """The columns in reversed order.

    Args:
        m: array of at least two axes; the second one is reversed.

    Returns:
        Array of the shape and dtype of `m`.

    Raises:
        ValueError: `m` has fewer than two axes.
        TypeError: `m` is no array or number.
    """
    return flip(m, 1)


def flipud(m: ArrayLike) -> Array:
    """The rows in reversed order.

    Args:
        m: array of at least one axis; the first one is reversed.

    Returns:
        Array of the shape and dtype of `m`.

    Raises:
        ValueError: `m` is a scalar.
        TypeError: `m` is no array or number.
    """
    return flip(m, 0)


@ft.partial(jit, static_argnames=("k", "axes"))
def rot90(m: ArrayLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """A plane turned by quarter turns, from the first of two axes towards the second.

    Args:
        m: array.
        k: the number of quarter turns.
        axes: the two axes of the plane.

    Returns:
        Array of the dtype of `m`; odd `k` exchange the sizes of both axes.

    Raises:
        ValueError: the axes are equal or out of bounds. TypeError: `m` is no array.
    """
    m = op.ensure_arraylike("rot90", m)
    first, second = op.canonical_axes("rot90", tuple(axes), op.ndim(m))
    turns = k % 4
    if turns == 0:
        return op.strong_like(m)
    if turns == 2:
        return lax.rev(m, (first, second))
    if turns == 1:
        return swapaxes(lax.rev(m, (second,)), first, second)
    return lax.rev(swapaxes(m, first, second), (second,))


def roll(
    a: ArrayLike,
    shift: ArrayLike | Sequence[int],
    axis: int | Sequence[int] | None = None,
) -> Array:
    """The elements moved along axes; those that leave come in at the other end.

    Args:
        a: array.
        shift: by how many elements, for each axis.
        axis: axis or axes; None rolls the flattened array.

    Returns:
        Array of the shape and dtype of `a`.

    Raises:
        ValueError: an axis is out of bounds, or the numbers of shifts and axes differ.
            TypeError: `a` is no array.

    Examples:
        >>> jnp.roll(jnp.arange(4), 1)
        Array([3, 0, 1, 2], dtype=int32)
    """
    if isinstance(shift, Iterable) and not hasattr(shift, "ndim"):
        shift = tuple(shift)
    counts = shift if isinstance(shift, tuple) else (shift,)
    is_known = all(isinstance(by, (int, np.integer)) for by in counts)
    return (_roll_known if is_known else _roll_by)(a, shift, axis)


def _roll(a, shift, axis):
    a = op.ensure_arraylike("roll", a)
    if axis is None:
        return lax.reshape(_roll(ravel(a), shift, 0), op.shape(a))
    named = util.listed(axis)
    axes = tuple(
        op.canonical_axis("roll", i, op.ndim(a))
        for i in ((axis,) if named is None else named)
    )
    shifts = list(shift) if isinstance(shift, (tuple, list)) else shift
    if not isinstance(shifts, list):
        count = op.shape(shifts)[0] if op.ndim(shifts) else 1
        shifts = (
            [shifts] * len(axes)
            if not op.ndim(shifts)
            else [shifts[i] for i in range(count)]
        )
    if len(axes) == 1:
        axes = axes * len(shifts)
    elif len(shifts) == 1:
        shifts = shifts * len(axes)
    if len(axes) != len(shifts):
        raise op.value_error(
            "roll",
            "the numbers of shifts and axes differ.",
            [("shift", str(shift)), ("axis", str(axis))],
        )
    for by, along in zip(shifts, axes, strict=True):
        a = _roll_one(a, by, along)
    return op.strong_like(a)


_roll_known = jit(_roll, static_argnums=(1, 2))
_roll_by = jit(_roll, static_argnums=(2,))


def _roll_one(a, shift, axis):
    length = op.shape(a)[axis]
    if not length:
        return a
    if isinstance(shift, (int, np.integer)):
        start = -int(shift) % length
        parts = (
            lax.slice_in_dim(a, start, length, axis=axis),
            lax.slice_in_dim(a, 0, start, axis=axis),
        )
        return lax.concatenate(parts, axis)
    count = op.int32(length)
    start = lax.rem(lax.sub(count, lax.rem(op.convert(shift, np.int32), count)), count)
    doubled = lax.concatenate((a, a), axis)
    return lax.dynamic_slice_in_dim(doubled, start, length, axis)


def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The parts of an array along one axis, without that axis.

    Args:
        x: array with at least one axis.
        axis: the axis; negative ones count from the end.

    Returns:
        A tuple of arrays of the dtype of `x`, one for each index.

    Raises:
        ValueError: the axis is out of bounds. TypeError: `x` is no array.
    """
    x = op.ensure_arraylike("unstack", x)
    axis = op.canonical_axis("unstack", axis, op.ndim(x))
    if state.current().is_foreign:
        # Every trace has a rule for slices.
        return tuple(
            lax.index_in_dim(x, i, axis, keepdims=False)
            for i in range(op.shape(x)[axis])
        )
    return lax.unstack(x, axis)


traceback_filter.hide_frames(globals())
