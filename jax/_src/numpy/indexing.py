"""Reading and writing parts of arrays: ``x[...]`` and ``x.at[...]``."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import caches, errors, options as opts, records, traceback_filter
from jax._src.core import avals, state, trace
from jax._src.core.symbols import expressions
from jax._src.lib import client
from jax._src.numpy import (
    arithmetic,
    creation,
    index_expressions as ix,
    index_plans as ip,
    lax_api as lax,
    operands as op,
    placement,
)
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike

_MODES = {
    None: lax.GatherScatterMode.PROMISE_IN_BOUNDS,
    "fill": lax.GatherScatterMode.FILL_OR_DROP,
    "drop": lax.GatherScatterMode.FILL_OR_DROP,
    "clip": lax.GatherScatterMode.CLIP,
    "promise_in_bounds": lax.GatherScatterMode.PROMISE_IN_BOUNDS,
    "one_hot": lax.GatherScatterMode.FILL_OR_DROP,
}


def mode_of(mode: Any, default: Any = None) -> Any:
    """The mode for positions out of bounds.

    Raises:
        ValueError: there is no such mode.
    """
    if isinstance(mode, lax.GatherScatterMode):
        return mode
    if mode not in _MODES:
        names = ", ".join(repr(name) for name in _MODES)
        raise ValueError(f"x.at[...]: mode={mode!r} is unknown. There are {names}.")
    return default if mode is None and default is not None else _MODES[mode]


# ---------------------------------------------------------------- reading


def getitem(x: ArrayLike, index: Any) -> Array:
    """``x[index]``; indices out of bounds count as the nearest one inside."""
    if type(x) is client.Array and placement.is_plain_call():
        if _is_index_array(index) and x.ndim:
            return _at_array(x, index)
        key = None if opts.check_static_indices.value else _known_index(index)
        if key is not None:
            part = _part(_remembered_numbers(key, x.shape), x)
            if part is not None:
                return part
    return get(x, index)


def _is_index_array(index):
    """Whether an index is one array of integers, that is no scalar."""
    return type(index) is client.Array and index.ndim and index.dtype.kind in "iu"


@jit
def _at_array(x, index):
    return get(x, index)


def _known_index(index):
    """An index of integers and slices of integers, slices as tuples, or None; it has a hash."""
    kind = type(index)
    if kind is int:
        return index if -(2**31) <= index < 2**31 else None
    if kind is slice:
        parts = index.start, index.stop, index.step
        return parts if _BOUNDS.issuperset(map(type, parts)) else None
    if kind is not tuple:
        return None
    entries = [None if type(e) is tuple else _known_index(e) for e in index]
    return None if None in entries else (_SEVERAL, *entries)


_BOUNDS = frozenset((int, type(None)))
_SEVERAL = "several"


def _index_again(key):
    """The index of which `_known_index` made the key."""
    if type(key) is int:
        return key
    if key[:1] == (_SEVERAL,):
        return tuple(map(_index_again, key[1:]))
    return slice(*key)


@caches.memoize()
def _remembered_numbers(key, sizes):
    return _numbers(ix.parse(_index_again(key), sizes), sizes)


def _part(numbers, x):
    """A part of an array that is no traced value; None: it takes several steps."""
    starts, counts, steps, dropped, shape = numbers
    sizes = x.shape
    is_even = all(step == 1 for step in steps)
    if is_even and counts == sizes and shape == sizes:
        return x if not any(starts) else None
    if is_even:
        return _dynamic(x, starts, counts, dropped, shape)
    if all(type(start) is int for start in starts):
        return _strided(x, starts, counts, steps, shape)
    return None


def get(
    x: ArrayLike,
    index: Any,
    *,
    mode: Any = None,
    fill_value: Any = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    wrap_negative_indices: bool = True,
) -> Array:
    """The part of `x` that `index` names.

    Args:
        x: array.
        index: what stands between the brackets.
        mode: what positions out of bounds give: ``"fill"``, ``"clip"``, or by default
            the nearest position.
        fill_value: for ``"fill"``; default: NaN, or the extreme integer.
        indices_are_sorted: a promise that makes the program faster.
        unique_indices: likewise.
        wrap_negative_indices: whether negative positions count from the end.
    """
    if mode == "one_hot":
        raise NotImplementedError(
            "x.at[...].get: mode='one_hot' is for updates alone. Use mode='fill'."
        )
    x = op.to_array(x)
    sizes = op.shape(x)
    index, inserted = ix.scalar_masks_as_axes(index, len(sizes))
    if inserted:
        x = lax.expand_dims(x, inserted)
        sizes = op.shape(x)
    entries = ix.parse(index, sizes)
    mode = mode_of(mode)
    if mode is lax.GatherScatterMode.PROMISE_IN_BOUNDS:
        _check_that_integers_fit(entries)
        if opts.check_static_indices.value:
            _check_static(entries, sizes)
    fills = mode is lax.GatherScatterMode.FILL_OR_DROP
    kinds = {type(entry) for entry in entries}
    if not fills and ix.Window in kinds:
        x, entries = _windows_as_ranges(x, entries)
        sizes = op.shape(x)
        kinds = {type(entry) for entry in entries}
    is_basic = ix.IndexArray not in kinds
    if is_basic and not fills and wrap_negative_indices:
        if mode is lax.GatherScatterMode.CLIP:
            with state.scope(state.OUT_OF_BOUNDS_IS_DEFINED):
                return _basic(x, entries, sizes)
        return _basic(x, entries, sizes)
    if not any(isinstance(e, ix.Range) and not e.is_whole for e in entries):
        rest = entries
    else:
        x, rest = _ranges_first(x, entries)
        sizes = op.shape(x)
    plan, positions = ip.make_plan(rest, sizes)
    if not wrap_negative_indices:
        positions = _raw_positions(rest, plan, positions)
    return _gather(
        x,
        positions,
        _Gathering(
            plan, mode, hashable(fill_value), indices_are_sorted, unique_indices
        ),
    )


def get_along(
    x: Array,
    positions: Array,
    axis: int,
    *,
    mode: Any,
    fill_value: Any,
    wrap_negative_indices: bool,
) -> Array:
    """One element per position along an axis; the other axes of both go together.

    Args:
        x: array.
        positions: array of integers; its other axes have the sizes of those of `x`.
        axis: the axis.
        mode, fill_value, wrap_negative_indices: as for `get`.
    """
    rank = op.ndim(x)
    if wrap_negative_indices:
        positions = ip.wrap_negative(positions, op.shape(x)[axis])
    others = tuple(i for i in range(rank) if i != axis)
    numbers = lax.GatherDimensionNumbers(
        offset_dims=(),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
        operand_batching_dims=others,
        start_indices_batching_dims=others,
    )
    return lax.gather(
        x,
        lax.expand_dims(op.convert(positions, ix.index_dtype(positions)), (rank,)),
        numbers,
        (1,) * rank,
        mode=mode_of(mode),
        fill_value=fill_value,
    )


def hashable(value: Any) -> Any:
    """A fill value as a number that a static argument can be."""
    return value if value is None or not hasattr(value, "shape") else value.item()


def _windows_as_ranges(x, entries):
    """Slices instead of windows; what cannot be one slice is read first."""
    found = []
    for entry in entries:
        if isinstance(entry, ix.Window):
            size, start = op.shape(x)[entry.axis], entry.start
            last = size - (entry.step * (entry.count - 1) + 1 if entry.count else 0)
            if isinstance(start, int):
                start = min(max(start + (size if start < 0 else 0), 0), last)
            elif entry.step != 1:
                positions = ip.window_indices(entry, size)
                x = get(x, (*[slice(None)] * entry.axis, positions))
                start = 0
            step = entry.step if isinstance(entry.start, int) else 1
            entry = ix.Range(entry.axis, start, step, entry.count, False)
        found.append(entry)
    return x, found


def _ranges_first(x, entries):
    """Takes the slices, so that positions alone are left."""
    ranges = [
        e
        if isinstance(e, ix.Range)
        else ix.Range(e.axis, 0, 1, op.shape(x)[e.axis], True)
        for e in entries
        if not isinstance(e, ix.NewAxis)
    ]
    whole = [
        ix.Range(e.axis, 0, 1, e.count, True) if isinstance(e, ix.Range) else e
        for e in entries
    ]
    return _basic(x, ranges, op.shape(x)), whole


def _symbolic_steps_as_arrays(x, entries):
    """Reads slices with steps and a symbolic bound by indices: no slice is known to fit."""
    found = []
    for entry in entries:
        if isinstance(entry, ix.Range) and entry.step != 1:
            numbers = entry.start, entry.step, entry.count
            if any(map(expressions.is_dimension, numbers)):
                whole = [slice(None)] * entry.axis
                x = get(x, (*whole, ip.range_indices(entry)))
                entry = ix.Range(entry.axis, 0, 1, entry.count, True)
        found.append(entry)
    return x, found


def _basic(x, entries, sizes):
    """Slices and single positions: one slice, static or dynamic, and a new shape."""
    x, entries = _symbolic_steps_as_arrays(x, entries)
    sizes = op.shape(x)
    starts, counts, steps, dropped, shape = _numbers(entries, sizes)
    static = all(map(expressions.is_size, starts))
    if static and counts == tuple(sizes) and all(s == 1 for s in steps):
        return op.strong_like(x) if shape == counts else _reshaped(x, shape)
    if any(step != 1 for step in steps):
        if not static:
            part = _basic(x, _positions_as_ranges(entries, sizes), sizes)
            return _basic(part, _after_ranges(entries), op.shape(part))
        return _strided(x, starts, counts, steps, shape)
    if static and isinstance(x, trace.Tracer):
        limits = tuple(s + c for s, c in zip(starts, counts, strict=True))
        part = lax.slice(x, starts, limits)
        return _finish(part, dropped, shape)
    starts = [op.int32(s) if expressions.is_size(s) else s for s in starts]
    return _dynamic(x, starts, counts, dropped, shape)


def _numbers(entries, sizes):
    """Where a part begins, its sizes and steps, the axes to drop, and its new shape."""
    starts, counts, steps, dropped, shape = [], [], [], [], []
    for entry in entries:
        if isinstance(entry, ix.NewAxis):
            shape.append(1)
        elif isinstance(entry, ix.Range):
            is_known = expressions.is_size(entry.start)
            size = sizes[entry.axis]
            starts.append(entry.start if is_known else _start(entry.start, size))
            counts.append(entry.count)
            steps.append(entry.step)
            shape.append(entry.count)
        else:
            starts.append(_start(entry.index, sizes[entry.axis]))
            counts.append(1)
            steps.append(1)
            dropped.append(entry.axis)
    return tuple(map(tuple, (starts, counts, steps, dropped, shape)))


def _check_that_integers_fit(entries) -> None:
    """Refuses integers of Python that no index has room for: OverflowError."""
    for entry in entries:
        if isinstance(entry, ix.IntegerIndex) and type(entry.index) is int:
            if not -(2**31) <= entry.index < 2**31:
                avals.get_aval(entry.index)


def _check_static(entries, sizes) -> None:
    """Refuses integers of Python out of bounds: `jax_check_static_indices` is on."""
    for entry in entries:
        if not isinstance(entry, ix.IntegerIndex):
            continue
        index, size = entry.index, sizes[entry.axis]
        if isinstance(index, (int, np.integer)) and not -size <= index < size:
            raise IndexError(
                op.explain(
                    "ndarray",
                    "an index is out of bounds.",
                    [
                        ("index", str(index)),
                        ("axis", str(entry.axis)),
                        ("size", str(size)),
                    ],
                    "jax_check_static_indices is on: integers of Python are checked.",
                    "For a default value instead: x.at[...].get(mode='fill').",
                )
            )


def _positions_as_ranges(entries, sizes):
    return [
        ix.Range(e.axis, 0, 1, sizes[e.axis], True)
        if isinstance(e, ix.IntegerIndex)
        else e
        for e in entries
        if not isinstance(e, ix.NewAxis)
    ]


def _after_ranges(entries):
    return [
        ix.Range(e.axis, 0, 1, e.count, True) if isinstance(e, ix.Range) else e
        for e in entries
    ]


def _start(index, size):
    """Where a single position is, from the start.

    A known one is an integer of Python if it is inside. One outside stays an operand of
    the slice, which takes the nearest position inside, so that `checkify` sees it.
    """
    if isinstance(index, (int, np.integer)) or isinstance(index, np.ndarray):
        position = int(index)
        position += size if position < 0 else 0
        if expressions.is_certain(lambda: 0 <= position < size):
            return position
        if expressions.is_dimension(position):
            return op.int32(position)
        return np.int32(max(-(2**31), min(position, 2**31 - 1)))
    return ip.wrap_negative(index, size)


def _finish(part, dropped, shape):
    if dropped:
        part = lax.squeeze(part, dropped)
    return _reshaped(part, shape)


def _reshaped(x, shape):
    """Puts in axes of size 1."""
    if op.shape(x) == shape:
        return x
    kept, new = 0, []
    sizes = op.shape(x)
    for i, n in enumerate(shape):
        if kept < len(sizes) and n == sizes[kept]:
            kept += 1
        else:
            new.append(i)
    if kept < len(sizes):  # Axes of size 1 go as well.
        return lax.reshape(x, shape)
    return lax.expand_dims(x, tuple(new))


@ft.partial(jit, static_argnums=(2, 3, 4))
def _dynamic(x, starts, counts, dropped, shape):
    starts = [op.convert(s, ix.index_dtype(s)) for s in starts]
    if len({op.dtype_of(s) for s in starts}) > 1:
        starts = [op.convert(s, np.int64) for s in starts]
    part = lax.dynamic_slice(x, starts, counts, allow_negative_indices=False)
    return _finish(part, dropped, shape)


@ft.partial(jit, static_argnums=(1, 2, 3, 4))
def _strided(x, starts, counts, steps, shape):
    lows, highs, strides, flipped = [], [], [], []
    for axis, (start, count, step) in enumerate(
        zip(starts, counts, steps, strict=True)
    ):
        last = start + step * (count - 1)
        if step < 0:
            flipped.append(axis)
            start, last = last, start
        lows.append(start if count else 0)
        highs.append(last + 1 if count else 0)
        strides.append(abs(step))
    part = x
    if tuple(highs) != op.shape(x) or any(lows) or any(s != 1 for s in strides):
        part = lax.slice(x, tuple(lows), tuple(highs), tuple(strides))
    if flipped:
        part = lax.rev(part, tuple(flipped))
    return lax.reshape(part, shape) if op.shape(part) != shape else part


class _Gathering(tuple):
    """The static arguments of `_gather`, hashable by value."""

    def __new__(cls, plan, mode, fill_value, is_sorted, is_unique):
        return tuple.__new__(cls, (plan, mode, fill_value, is_sorted, is_unique))


@ft.partial(jit, static_argnums=(2,))
def _gather(x, positions, how):
    plan, mode, fill_value, is_sorted, is_unique = how
    if 0 in plan.shape:
        part = lax.full(plan.shape, 0, op.dtype_of(x))
    else:
        part = lax.gather(
            x,
            ip.index_array(plan, positions),
            ip.gather_numbers(plan),
            ip.slice_sizes(plan, op.shape(x)),
            unique_indices=is_unique,
            indices_are_sorted=is_sorted,
            mode=mode,
            fill_value=fill_value,
        )
    return lax.expand_dims(part, plan.new_axes) if plan.new_axes else part


# ---------------------------------------------------------------- writing


@records.record
class Options:
    """How an update reads its index, as the keywords of the methods of ``x.at[...]``."""

    indices_are_sorted: bool = False
    unique_indices: bool = False
    mode: Any = None
    wrap_negative_indices: bool = True


_USUAL = Options()


def _planned(x, index, options):
    """The plan of the part, its positions, and what positions out of bounds mean."""
    entries = ix.parse(index, op.shape(x))
    plan, positions = ip.make_plan(entries, op.shape(x))
    if not options.wrap_negative_indices:
        plan_entries = [e for e in entries if not isinstance(e, ix.NewAxis)]
        positions = _raw_positions(plan_entries, plan, positions)
    return plan, positions, mode_of(options.mode, lax.GatherScatterMode.FILL_OR_DROP)


def _write(name, x, index, values, scatter, options):
    """Scatters `values` into the part of `x` that `index` names."""
    if type(x) is client.Array and options == _USUAL and placement.is_plain_call():
        is_row = type(index) is int and x.ndim and -x.shape[0] <= index < x.shape[0]
        if (is_row or (_is_index_array(index) and x.ndim)) and _fits(x, values):
            return _written(x, index, values, name, scatter)
    return _write_part(name, x, index, values, scatter, options)


def _write_part(name, x, index, values, scatter, options):
    x = op.ensure_arraylike(name, x)
    if isinstance(values, (list, tuple)):
        values = creation.asarray(values)
    values = op.ensure_arraylike(name, values)
    if op.is_extended(x) and scatter is not lax.scatter:
        raise op.type_error(
            name,
            "the elements of an array, such as random keys, are no numbers.",
            [("array", op.type_name(x)), ("values", op.type_name(values))],
            ways="To replace some of them: x.at[...].set(others).",
        )
    if op.is_extended(x) and op.dtype_of(values) != op.dtype_of(x):
        raise op.value_error(
            name,
            f"arrays of dtype {op.dtype_of(x)} go with arrays of that dtype alone.",
            [("array", op.type_name(x)), ("values", op.type_name(values))],
        )
    plan, positions, mode = _planned(x, index, options)
    is_sorted = options.indices_are_sorted or plan.is_unique
    is_unique = options.unique_indices or plan.is_unique
    how = (name, plan, mode, bool(is_sorted), bool(is_unique), scatter)
    if not op.is_extended(x):
        dtypes.result_type(x, values)  # Raises what the promotion mode refuses.
    _warn_of_loss(name, x, values)
    return _scatter(x, values, positions, how)


def _fits(x, values):
    """Whether what is written into `x` is an array or number, and loses nothing there."""
    kind = type(values)
    if kind is not client.Array and (kind not in (int, float) or op.is_large(values)):
        return False
    return dtypes.safe_to_cast(values, x)


@ft.partial(jit, static_argnums=(3, 4))
def _written(x, index, values, name, scatter):
    return _write_part(name, x, index, values, scatter, _USUAL)


def _raw_positions(entries, plan, positions):
    by_axis = {
        e.axis: e.indices if isinstance(e, ix.IndexArray) else ip.raw_index(e.index)
        for e in entries
        if isinstance(e, (ix.IntegerIndex, ix.IndexArray))
    }
    return [
        by_axis.get(axis, position)
        for axis, position in zip(plan.indexed_axes, positions, strict=True)
    ]


def _warn_of_loss(name, x, values):
    if dtypes.is_extended(op.dtype_of(x)):
        return
    if not dtypes.safe_to_cast(values, x):
        traceback_filter.warn(
            errors.explain(
                "scatter inputs have incompatible types: cannot safely cast the values of "
                f"jnp.{name}.",
                [("array", op.type_name(x)), ("values", op.type_name(values))],
                "The array keeps its dtype. A later release will refuse this.",
                "Convert the values, or the array: x.astype(...).",
            ),
            FutureWarning,
        )


@ft.partial(jit, static_argnums=(3,))
def _scatter(x, values, positions, how):
    name, plan, mode, is_sorted, is_unique, scatter = how
    found, weak = op.dtype_of(x), dtypes.is_weakly_typed(x)
    inner = found
    if dtypes.is_extended(found):
        updates = values
    else:
        if scatter is not lax.scatter:
            # In the dtype of both, so that nothing is lost before the sum or product.
            inner = dtypes.result_type(x, values)
        updates = op.convert(values, inner)
    updates = op.broadcast_to(updates, plan.result_shape, "ndarray.at")
    if plan.new_axes:
        updates = lax.squeeze(updates, plan.new_axes)
    if 0 in plan.shape:
        return op.strong_like(x)
    numbers = ip.scatter_numbers(plan)
    result = scatter(
        op.convert(x, inner),
        ip.index_array(plan, positions),
        lax.windows_alike(name, x, updates, numbers),
        numbers,
        indices_are_sorted=is_sorted,
        unique_indices=is_unique,
        mode=mode,
    )
    return op.convert(result, found, weak) if weak or inner != found else result


def set(
    x: ArrayLike, index: Any, values: ArrayLike, options: Options = _USUAL
) -> Array:
    """`x` with a part replaced by `values`."""
    return _write("ndarray.at[].set", x, index, values, lax.scatter, options)


def add(
    x: ArrayLike, index: Any, values: ArrayLike, options: Options = _USUAL
) -> Array:
    """`x` with `values` added to a part; repeated positions add up."""
    return _write("ndarray.at[].add", x, index, values, lax.scatter_add, options)


def subtract(
    x: ArrayLike, index: Any, values: ArrayLike, options: Options = _USUAL
) -> Array:
    """`x` with `values` taken from a part."""
    return _write("ndarray.at[].subtract", x, index, values, lax.scatter_sub, options)


def multiply(
    x: ArrayLike, index: Any, values: ArrayLike, options: Options = _USUAL
) -> Array:
    """`x` with a part multiplied by `values`."""
    return _write("ndarray.at[].multiply", x, index, values, lax.scatter_mul, options)


def minimum(
    x: ArrayLike, index: Any, values: ArrayLike, options: Options = _USUAL
) -> Array:
    """`x` with each element of a part replaced by the smaller of it and `values`."""
    return _write("ndarray.at[].min", x, index, values, lax.scatter_min, options)


def maximum(
    x: ArrayLike, index: Any, values: ArrayLike, options: Options = _USUAL
) -> Array:
    """`x` with each element of a part replaced by the larger of it and `values`."""
    return _write("ndarray.at[].max", x, index, values, lax.scatter_max, options)


def apply(x: ArrayLike, index: Any, function: Any, options: Options = _USUAL) -> Array:
    """`x` with a function of one array applied to a part; repeated positions, repeatedly."""
    x = op.ensure_arraylike("ndarray.at[].apply", x)
    plan, positions, mode = _planned(x, index, options)
    if 0 in plan.shape:
        return op.strong_like(x)
    return lax.scatter_apply(
        x,
        ip.index_array(plan, positions),
        function,
        ip.scatter_numbers(plan),
        update_shape=plan.shape,
        indices_are_sorted=bool(options.indices_are_sorted),
        unique_indices=bool(options.unique_indices),
        mode=mode,
    )


def divide(
    x: ArrayLike, index: Any, values: ArrayLike, options: Options = _USUAL
) -> Array:
    """`x` with a part divided by `values`."""
    x = op.to_array(x)
    ones = lax.full_like(x, 1)
    return arithmetic.divide(x, multiply(ones, index, values, options))


def power(
    x: ArrayLike, index: Any, values: ArrayLike, options: Options = _USUAL
) -> Array:
    """`x` with a part raised to the power `values`."""
    x = op.to_array(x)
    ones = lax.full_like(x, 1)
    return arithmetic.power(x, multiply(ones, index, values, options))


traceback_filter.hide_frames(globals())
