"""`jax.numpy.pad`: values around an array, in every mode of NumPy."""

from __future__ import annotations

import functools as ft
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, traceback_filter
from jax._src.core.symbols import expressions
from jax._src.lax.ops.slicing_padding import padding_of_part
from jax._src.numpy import (
    arithmetic,
    creation,
    elementwise,
    joining_splitting,
    lax_api as lax,
    means_and_variances,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands as op,
    ranges,
    reductions,
    reshaping,
    selection,
    statistics,
    tiling,
    vectorizing,
)
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike

# The keyword arguments of each mode.
_OPTIONS = {
    "constant": {"constant_values": 0},
    "edge": {},
    "empty": {},
    "linear_ramp": {"end_values": 0},
    "maximum": {"stat_length": None},
    "mean": {"stat_length": None},
    "median": {"stat_length": None},
    "minimum": {"stat_length": None},
    "reflect": {"reflect_type": "even"},
    "symmetric": {"reflect_type": "even"},
    "wrap": {},
}
_STATISTICS = {
    "maximum": reductions.max,
    "mean": means_and_variances.mean,
    "median": statistics.median,
    "minimum": reductions.min,
}


def _pairs(name, values, rank, shown=None):
    """One pair (before, after) for each axis, from what broadcasts to that."""
    shown = values if shown is None else shown
    try:
        table = np.broadcast_to(np.asarray(values), (rank, 2))
    except ValueError:
        raise op.value_error(
            "pad",
            f"`{name}` does not fit the number of axes.",
            [(name, repr(shown)), ("number of axes", str(rank))],
            "It is one number, a pair (before, after), or such a pair for each axis.",
        ) from None
    return table


def _widths(pad_width, rank):
    """The numbers of elements to put before and after, as pairs of Python numbers."""
    if isinstance(pad_width, dict):
        whole = [(0, 0)] * rank
        for axis, width in pad_width.items():
            pair = width if isinstance(width, (tuple, list)) else (width, width)
            whole[op.canonical_axis("pad", axis, rank)] = tuple(pair)
        pad_width = whole
    if not rank and np.size(np.asarray(pad_width)) in (1, 2):
        return ()
    if type(pad_width) is int and pad_width >= 0:
        return ((pad_width, pad_width),) * rank
    table = _pairs("pad_width", pad_width, rank)
    if table.dtype == object and all(
        type(n) is int or expressions.is_dimension(n) for n in table.ravel()
    ):
        return tuple(map(tuple, table.tolist()))
    if table.size and table.dtype.kind not in "iu":
        raise op.type_error(
            "pad",
            "`pad_width` must be of integral type.",
            [("pad_width", repr(pad_width))],
        )
    if (table < 0).any():
        raise op.value_error(
            "pad",
            "`pad_width` cannot contain negative values.",
            [("pad_width", repr(pad_width))],
            ways="To take elements away, use a slice.",
        )
    return tuple((int(before), int(after)) for before, after in table)


def pad(
    array: ArrayLike,
    pad_width: Any,
    mode: str | Callable[..., Any] = "constant",
    **kwargs: Any,
) -> Array:
    """The array with values put around it.

    Args:
        array: array.
        pad_width: how many elements go before and after along each axis: a number, a
            pair, a pair for each axis, or a mapping from axes to these.
        mode: what is put there.

            - ``"constant"``: the numbers of `constant_values`;
            - ``"edge"``: the first and the last element;
            - ``"empty"``: zeros, on which nobody should rely;
            - ``"linear_ramp"``: a ramp from the edge to the numbers of `end_values`;
            - ``"maximum"``, ``"mean"``, ``"median"``, ``"minimum"``: of the
              `stat_length` outermost elements, or of all;
            - ``"reflect"``, ``"symmetric"``: mirrored, without and with the edge
              repeated; with ``reflect_type="odd"``, also turned around the edge;
            - ``"wrap"``: from the other end;
            - a function of (row, (before, after), axis, kwargs) that returns the row,
              padded with zeros before, with other values.
        kwargs: the options named above, or those of the function.

    Raises:
        TypeError: `pad_width` is not of whole numbers.
        ValueError: it does not fit, or an option does not belong to the mode.
        NotImplementedError: there is no such mode.

    Differs from NumPy: a function returns the row instead of changing it.

    Examples:
        >>> jnp.pad(jnp.array([1, 2]), (1, 2), constant_values=9)
        Array([9, 1, 2, 9, 9], dtype=int32)
    """
    array = op.ensure_arraylike("pad", array)
    widths = _widths(pad_width, op.ndim(array))
    if callable(mode):
        return _pad_by_function(array, widths, mode, kwargs)
    if mode not in _OPTIONS:
        raise op.not_implemented(
            "pad",
            f"there is no mode {mode!r}.",
            ways=f"The modes are {', '.join(map(repr, _OPTIONS))}, or a function.",
        )
    unknown = [name for name in kwargs if name not in _OPTIONS[mode]]
    if unknown:
        raise op.value_error(
            "pad",
            f"mode {mode!r} does not take these options.",
            [("options", ", ".join(unknown))],
            f"It takes: {', '.join(_OPTIONS[mode]) or 'none'}.",
        )
    return _apply(mode, array, widths, **(_OPTIONS[mode] | kwargs))


def _apply(mode, array, widths, **options):
    if not op.ndim(array):
        return op.strong_like(array)
    if mode in ("constant", "empty"):
        values = _values("constant_values", options.get("constant_values", 0), array)
        return _constants(array, padding_of_part(array, values), widths)
    if mode == "linear_ramp":
        return _ramps(
            array, _values("end_values", options["end_values"], array), widths
        )
    if mode in _STATISTICS:
        lengths = _stat_lengths(options["stat_length"], op.shape(array))
        return _with_statistics(array, widths, mode, lengths)
    kind = options.get("reflect_type", "even")
    if kind not in ("even", "odd"):
        raise ValueError(f"jnp.pad: reflect_type={kind!r} is neither 'even' nor 'odd'.")
    return _with_copies(array, widths, mode, kind)


def _values(name, values, array):
    """What broadcasts to the values before and after each axis."""
    if op.is_arraylike(values) and not op.ndim(values):
        return values
    values = creation.asarray(values)
    _pairs(name, np.broadcast_to(0, op.shape(values)), op.ndim(array), values)
    return values


@ft.partial(jit, static_argnums=(2,))
def _constants(array, values, widths):
    values = op.convert(values, op.dtype_of(array), dtypes.is_weakly_typed(values))
    if not op.ndim(values):
        edges = [(before, after, 0) for before, after in widths]
        return op.strong_like(lax.pad(array, values, edges))
    values = op.broadcast_to(values, (op.ndim(array), 2))
    for axis, (before, after) in enumerate(widths):
        for column, config in ((0, (before, 0, 0)), (1, (0, after, 0))):
            if not any(config):
                continue
            value = lax.squeeze(
                lax.slice(values, (axis, column), (axis + 1, column + 1)), (0, 1)
            )
            whole = [(0, 0, 0)] * op.ndim(array)
            whole[axis] = config
            array = lax.pad(op.strong(array), value, whole)
    return op.strong_like(array)


@ft.partial(jit, static_argnums=(2,))
def _ramps(array, ends, widths):
    dtype = op.dtype_of(array)
    ends = op.broadcast_to(ends, (op.ndim(array), 2))
    for axis, (before, after) in enumerate(widths):
        length = op.shape(array)[axis]
        if not length and (before or after):
            raise _empty_axis("linear_ramp", array, axis)
        parts = [array]
        for column, count in ((0, before), (1, after)):
            if not count:
                continue
            index = 0 if column == 0 else length - 1
            edge = lax.index_in_dim(array, index, axis, keepdims=False)
            end = ends[axis, column]
            ramp = ranges.linspace(
                end, edge, count, endpoint=False, dtype=dtype, axis=axis
            )
            if column == 0:
                parts.insert(0, ramp)
            else:
                parts.append(lax.rev(ramp, (axis,)))
        array = joining_splitting.concatenate(parts, axis)
    return array


def _stat_lengths(given, sizes):
    """How many elements count at each end of each axis."""
    if given is None:
        return tuple((n, n) for n in sizes)
    table = _pairs("stat_length", given, len(sizes))
    if (table < 1).any():
        raise op.value_error(
            "pad",
            "stat_length of 0 yields no value for padding.",
            [("stat_length", repr(given))],
        )
    return tuple(
        (min(int(a), n), min(int(b), n)) for (a, b), n in zip(table, sizes, strict=True)
    )


@ft.partial(jit, static_argnums=(1, 2, 3))
def _with_statistics(array, widths, mode, lengths):
    for axis, ((before, after), (first, last)) in enumerate(
        zip(widths, lengths, strict=True)
    ):
        size = op.shape(array)[axis]
        if not size:
            raise _empty_axis(mode, array, axis)
        parts = [array]
        if before:
            parts.insert(0, _statistic(array, axis, 0, first, before, mode))
        if after:
            parts.append(_statistic(array, axis, size - last, size, after, mode))
        array = joining_splitting.concatenate(parts, axis)
    return op.strong_like(array)


def _statistic(array, axis, start, stop, count, mode):
    part = lax.slice_in_dim(array, start, stop, axis=axis)
    value = _STATISTICS[mode](part, axis=axis, keepdims=True)
    if op.kind_of(array) in "iu":
        value = elementwise.round(value)
    sizes = list(op.shape(value))
    sizes[axis] = count
    return op.broadcast_to(op.convert(value, op.dtype_of(array)), tuple(sizes))


def _empty_axis(mode, array, axis):
    return op.value_error(
        "pad",
        f"mode {mode!r} needs elements to pad with.",
        [("array", op.type_name(array)), ("axis", str(axis))],
        "That axis is empty.",
        "Use mode='constant'.",
    )


def _sources(mode, size, before, after):
    """Returns for each index of the padded axis the index it copies, and how many turns away.

    An odd number of turns is a mirror image.
    """
    indices = np.arange(-before, size + after)
    if mode == "edge" or (mode == "reflect" and size == 1):
        return np.clip(indices, 0, size - 1), np.zeros_like(indices)
    if mode == "wrap":
        return indices % size, np.zeros_like(indices)
    period = size - 1 if mode == "reflect" else size
    turns, within = np.divmod(indices, period)
    # The last element of the array itself belongs to it, not to its mirror image.
    at_end = indices == size - 1
    turns, within = np.where(at_end, 0, turns), np.where(at_end, size - 1, within)
    return np.where(turns % 2, size - 1 - within, within), turns


def _runs(indices, most):
    """Returns where runs of indices begin and end that are constant, or go up or down by one.

    None where there are more than `most`.
    """
    steps = np.diff(indices)
    turns = np.flatnonzero(steps[1:] != steps[:-1]) + 2
    jumps = np.flatnonzero(abs(steps) > 1) + 1
    if len(turns) + len(jumps) > 3 * most:
        return None
    bounds = [0]
    for n in sorted({*turns.tolist(), *jumps.tolist()}):
        start = bounds[-1]
        goes_on = n == start + 1 or steps[n - 1] == steps[start]
        if abs(steps[n - 1]) > 1 or not goes_on:
            bounds.append(n)
    runs = list(zip(bounds, [*bounds[1:], len(indices)], strict=True))
    return runs if len(runs) <= most else None


def _copies(array, indices, axis):
    """The elements at some indices along an axis.

    A few runs of them are pieces put together, of which compiled code is a copy; more
    would be a larger program for nothing, and are looked up.
    """
    runs = _runs(indices, most=8)
    if runs is None:
        return tiling.take_along(array, indices.astype(np.int32), axis)
    parts = []
    for start, stop in runs:
        low, high = sorted((int(indices[start]), int(indices[stop - 1])))
        part = lax.slice_in_dim(array, low, high + 1, axis=axis)
        if low == high:
            sizes = list(op.shape(part))
            sizes[axis] = stop - start
            part = op.broadcast_to(part, tuple(sizes))
        elif indices[start] > indices[stop - 1]:
            part = lax.rev(part, (axis,))
        parts.append(part)
    return joining_splitting.concatenate(parts, axis)


@ft.partial(jit, static_argnums=(1, 2, 3))
def _with_copies(array, widths, mode, kind):
    for axis, (before, after) in enumerate(widths):
        if not (before or after):
            continue
        size = op.shape(array)[axis]
        if not size:
            raise _empty_axis(mode, array, axis)
        if any(map(expressions.is_dimension, (size, before, after))):
            array = _with_symbols(array, axis, before, after, mode, kind)
            continue
        indices, turns = _sources(mode, size, before, after)
        copied = _copies(array, indices, axis)
        array = copied if kind == "even" else _turned(array, copied, turns, axis)
    return op.strong_like(array)


def _with_symbols(array, axis, before, after, mode, kind):
    """Copies around an axis where the size or the widths are not known.

    Mirrored ends that fit into the array are slices of it; all else is looked up.
    """
    size = op.shape(array)[axis]
    ends = (before, 0), (after, 1)
    is_edge = mode == "edge"
    if is_edge or (mode != "wrap" and kind == "even" and _fit(size, before, after)):
        lead, trail = (_end(array, axis, size, n, mode, at) for n, at in ends)
        return joining_splitting.concatenate([lead, array, trail], axis)
    indices = lax.iota(np.int32, before + size + after) - before
    if mode == "wrap":
        return tiling.take_along(array, indices % size, axis)
    period = expressions.max_dim(size - 1, 1) if mode == "reflect" else size
    turns, within = arithmetic.divmod(indices, period)
    at_end = indices == size - 1
    turns = selection.where(at_end, 0, turns)
    within = selection.where(at_end, size - 1, within)
    sources = selection.where(turns % 2 == 1, size - 1 - within, within)
    copied = tiling.take_along(array, sources, axis)
    return copied if kind == "even" else _turned(array, copied, turns, axis)


def _fit(size, before, after):
    """Whether an axis is known to be longer than what its ends are mirrored to."""
    try:
        return bool(size - 1 >= before and size - 1 >= after)
    except errors.InconclusiveDimensionOperation:
        return False


def _end(array, axis, size, count, mode, is_last):
    if mode == "edge":
        index = size - 1 if is_last else 0
        part = lax.slice_in_dim(array, index, index + 1, axis=axis)
        sizes = list(op.shape(array))
        sizes[axis] = count
        return op.broadcast_to(part, tuple(sizes))
    skip = 1 if mode == "reflect" else 0
    start = size - skip - count if is_last else skip
    part = lax.slice_in_dim(array, start, start + count, axis=axis)
    return lax.rev(part, (axis,))


def _turned(array, copied, turns, axis):
    """Point reflections at the edges: f(-i) = 2 f(0) - f(i), and so on outwards."""
    first = lax.index_in_dim(array, 0, axis)
    last = lax.index_in_dim(array, op.shape(array)[axis] - 1, axis)
    sizes = [1] * op.ndim(array)
    sizes[axis] = op.size(turns)
    odd = (turns % 2).reshape(sizes)
    even_turns = (turns - turns % 2).reshape(sizes).astype(op.dtype_of(array))
    signed = copied * (1 - 2 * odd).astype(op.dtype_of(array))
    mirrored = signed + 2 * last * odd.astype(op.dtype_of(array))
    return mirrored + even_turns * (last - first)


def _pad_by_function(array, widths, function, kwargs):
    """Pads with zeros, then lets the function change each row along each axis."""
    zero = creation.zeros((), op.dtype_of(array))
    padded = _constants(array, zero, widths) if widths else array
    for axis, pair in enumerate(widths):

        def on_row(row, pair=pair, axis=axis):
            return function(row, pair, axis, kwargs)

        padded = vectorizing.apply_along_axis(on_row, axis, padded)
    return reshaping.reshape(padded, op.shape(padded))


traceback_filter.hide_frames(globals())
