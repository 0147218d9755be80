"""Taking slices with computed starts: gather."""

import enum
import operator
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core import state
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, declare
from jax._src.core.symbols import expressions
from jax._src.lax.ops import emit, splitting_indexing
from jax._src.lax.ops.checks import (
    BOOL,
    INEXACT,
    INTEGER,
    SIGNED,
    canonical_shape,
    check_kind,
    int_tuple,
    kind_of,
)
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import full_like
from jax._src.lax.ops.extended import moves_elements
from jax._src.lax.ops.joining_splitting import concatenate
from jax._src.lax.ops.messages import explain, type_error, value_error
from jax._src.lax.ops.reshaping import counting, move_axis, reshape
from jax._src.lax.ops.rounding import rem


class GatherDimensionNumbers(NamedTuple):
    """Which axes of operand, indices and result correspond in a gather.

    The last axis of the indices holds one index vector. See `gather`.
    """

    offset_dims: tuple[int, ...]
    collapsed_slice_dims: tuple[int, ...]
    start_index_map: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()


class GatherScatterMode(enum.Enum):
    """What happens to slices that are not inside of the operand.

    `CLIP` moves them inside, `FILL_OR_DROP` fills in a value or drops the update,
    `PROMISE_IN_BOUNDS` says that there are none, `ONE_HOT` is not supported yet.
    """

    CLIP = 1
    FILL_OR_DROP = 2
    PROMISE_IN_BOUNDS = 3
    ONE_HOT = 4

    def __str__(self):
        return f"{type(self).__name__}.{self.name}"

    @staticmethod
    def from_any(mode):
        """The mode that a name, a mode or ``None`` stands for."""
        if isinstance(mode, GatherScatterMode):
            return mode
        if mode in _MODE_NAMES:
            return _MODE_NAMES[mode]
        raise value_error(
            f'Unknown gather mode "{mode}": this is no mode of indexing.',
            [("mode", repr(mode))],
            "A mode is 'clip', 'fill', 'drop', 'promise_in_bounds' or a "
            "lax.GatherScatterMode.",
        )


_MODE_NAMES = {
    None: GatherScatterMode.FILL_OR_DROP,
    "clip": GatherScatterMode.CLIP,
    "fill": GatherScatterMode.FILL_OR_DROP,
    "drop": GatherScatterMode.FILL_OR_DROP,
    "promise_in_bounds": GatherScatterMode.PROMISE_IN_BOUNDS,
    "one_hot": GatherScatterMode.ONE_HOT,
}


def shifted(axes: Sequence[int]) -> tuple[int, ...]:
    """Axes after another one was put in front."""
    return tuple(axis + 1 for axis in axes)


def fail_indexing(name, avals, numbers, what, rule, kind=TypeError):
    """Raises the error for arguments of a gather or scatter that do not fit."""
    facts = [(operand, aval.str_short()) for operand, aval in avals.items()]
    facts.append(("dimension_numbers", numbers))
    raise kind(explain(f"lax.{name}: {what}.", facts, rule, "Easier: x[i], x.at[i]."))


def check_indices(name, avals, numbers) -> None:
    """Raises ValueError unless indices are integers with a last axis."""
    indices = avals["indices"]
    if not kind_of(indices.dtype) & INTEGER:
        fail_indexing(
            name,
            avals,
            numbers,
            "indices must have an integer type",
            "Indices count.",
            ValueError,
        )
    if indices.ndim == 0:
        fail_indexing(
            name,
            avals,
            numbers,
            f"{_kind_of(name).capitalize()} index leaf dimension must be within [0, "
            "rank(indices)); the indices are a scalar",
            "Their last axis holds an index for each indexed axis.",
        )


def _kind_of(name):
    return "gather" if name == "gather" else "scatter"


def check_axis_lists(name, avals, numbers, lists) -> None:
    """Raises TypeError unless each list has distinct axes within its rank."""

    def fail(what, rule):
        fail_indexing(name, avals, numbers, what, rule)

    of_op = f"in {_kind_of(name)} op"
    for field, axes, rank, must_increase in lists:
        if len(set(axes)) != len(axes):
            fail(f"{field} {of_op} must not repeat; got: {axes}", "Axes are distinct.")
        for position, axis in enumerate(axes):
            if not 0 <= axis < rank:
                what = _out_of_bounds(field, of_op, rank, position, axis)
                fail(what, f"Its axes are between 0 and {rank - 1}.")
        if must_increase and list(axes) != sorted(axes):
            fail(f"{field} {of_op} must be sorted; got {axes}", "Its axes increase.")


def _out_of_bounds(field, of_op, rank, position, axis):
    if field == "offset_dims":
        where = f"but should have been in [0, {rank})"
        return (
            f"Offset dimension {position} {of_op} is out of bounds; got {axis}, {where}"
        )
    if field in ("start_index_map", "scatter_dims_to_operand_dims"):
        kind = " mapping" if field.startswith("scatter") else ""
        return f"Invalid {field}{kind}; domain is [0, {rank}), got: {position}->{axis}"
    return f"Invalid {field} set {of_op}; valid range is [0, {rank}); got: {axis}"


def check_batching(name, avals, numbers, fields) -> None:
    """Raises TypeError unless the batching axes of operand and indices correspond.

    Args:
        name: of the operation.
        avals: the types of its operands, by name.
        numbers: its dimension numbers.
        fields: the names of the lists of batching axes of the indices, of axes that are
            dropped and of axes that are indexed.
    """

    def fail(what, rule):
        fail_indexing(name, avals, numbers, what, rule)

    kind, batching = _kind_of(name), numbers.operand_batching_dims
    indices, of_indices = avals["indices"], getattr(numbers, fields[0])
    for field in fields[1:]:
        axes = getattr(numbers, field)
        if set(batching) & {*axes}:
            fail(
                f"{field} and operand_batching_dims in {kind} op must be disjoint; got: "
                f"{axes} and {batching}",
                "Batching axes are not indexed.",
            )
    if indices.ndim - 1 in of_indices:
        fail(
            f"{kind.capitalize()} op cannot have the index vector dimension as a "
            f"batching dimension; got {of_indices}",
            "The last axis of the indices holds an index for each indexed axis.",
        )
    if len(batching) != len(of_indices):
        fail(
            f"{kind.capitalize()} op requires equal numbers of operand_batching_dims "
            f"and {fields[0]}, got {batching} and {of_indices}",
            "They correspond to each other.",
        )
    sizes = tuple(avals["operand"].shape[axis] for axis in batching)
    other = tuple(indices.shape[axis] for axis in of_indices)
    if sizes != other:
        fail(
            f"{kind.capitalize()} op requires operand batching dimensions and indices "
            f"batching dimensions to have the same shape, got {sizes} and {other}",
            "They correspond to each other.",
        )


@moves_elements
@declare("gather")
class gather_p:
    """Takes slices of one size, whose starts are given by indices."""

    def types(operand, indices, *, dimension_numbers, slice_sizes, mode, **params):
        _check_gather(operand, indices, dimension_numbers, slice_sizes)
        if mode is GatherScatterMode.ONE_HOT:
            raise NotImplementedError("lax.gather: mode ONE_HOT is not supported yet.")
        shape = _gather_shape(indices.shape, dimension_numbers, slice_sizes)
        return ShapedArray(shape, operand.dtype, operand.weak_type)

    def sharding(operand, indices, *, dimension_numbers, slice_sizes, **params):
        return splitting_indexing.of_gather(
            operand, indices, dimension_numbers, slice_sizes
        )

    def lower(ctx, operand, indices, *, slice_sizes, mode, fill_value, **params):
        return emit.gather(
            ctx,
            operand,
            indices,
            slice_sizes=slice_sizes,
            is_filled=mode is GatherScatterMode.FILL_OR_DROP,
            fill_value=fill_for(ctx.avals_in[0].dtype, fill_value),
            **params,
        )

    jvp = (
        lambda t, operand, indices, **params: gather_p.bind(
            t, indices, **_for_tangents(params)
        ),
    )

    def transpose(ct, operand, indices, *, dimension_numbers, mode, **params):
        kept = ("indices_are_sorted", "unique_indices")
        # A scatter-add takes back what a gather gives; the two share the file below.
        result = add_back(
            operand.aval,
            indices,
            ct,
            transposed_numbers(dimension_numbers),
            mode=mode,
            **{name: params[name] for name in kept},
        )
        return [result, None]

    def batch(axis, args, dims, *, dimension_numbers, slice_sizes, **params):
        return batch_gather(
            axis.size, args, dims, dimension_numbers, slice_sizes, params
        )

    def reference(
        operand, indices, *, dimension_numbers, slice_sizes, mode, fill_value, **_
    ):
        shape = _gather_shape(indices.shape, dimension_numbers, slice_sizes)
        out = np.full(shape, fill_for(operand.dtype, fill_value), operand.dtype)
        for index, start in _starts(operand.shape, indices, dimension_numbers):
            highest = np.subtract(operand.shape, slice_sizes)
            outside = any(
                not 0 <= s <= h for s, h in zip(start, highest.tolist(), strict=True)
            )
            if outside and mode is GatherScatterMode.FILL_OR_DROP:
                continue
            start = np.clip(start, 0, highest).tolist()
            window = operand[
                tuple(slice(s, s + n) for s, n in zip(start, slice_sizes, strict=True))
            ]
            dropped = (
                *dimension_numbers.collapsed_slice_dims,
                *dimension_numbers.operand_batching_dims,
            )
            where = list(index)
            for axis in dimension_numbers.offset_dims:
                where.insert(axis, slice(None))
            out[tuple(where)] = np.squeeze(window, dropped)
        return out

    def samples():
        fill, clip = GatherScatterMode.FILL_OR_DROP, GatherScatterMode.CLIP
        rows = GatherDimensionNumbers((1,), (0,), (0,))
        corners = GatherDimensionNumbers((0, 2), (), (1, 0))
        batched = GatherDimensionNumbers((1,), (1,), (1,), (0,), (0,))
        return [
            _gather_sample(counting(4, 3), [[1], [3], [0]], rows, (1, 3), clip),
            _gather_sample(counting(4, 3), [[1], [9], [-1]], rows, (1, 3), clip),
            _gather_sample(counting(4, 3), [[1], [9], [-1]], rows, (1, 3), fill),
            _gather_sample(counting(4, 5), [[1, 0], [9, 2]], corners, (2, 3), fill),
            _gather_sample(counting(2, 4, 3), [[1], [3]], batched, (1, 1, 3), clip),
            _gather_sample(
                counting(4, dtype=np.int32),
                [2],
                GatherDimensionNumbers((), (0,), (0,)),
                (1,),
                GatherScatterMode.PROMISE_IN_BOUNDS,
            ),
        ]


def _gather_sample(operand, indices, numbers, slice_sizes, mode):
    params = {
        "dimension_numbers": numbers,
        "slice_sizes": slice_sizes,
        "unique_indices": False,
        "indices_are_sorted": False,
        "mode": mode,
        "fill_value": 7 if mode is GatherScatterMode.FILL_OR_DROP else None,
    }
    return Sample((operand, np.array(indices, np.int32)), params)


# Set by the file about scatters, which imports this one; gathers and scatters are each
# other's transposes, and too long for one file.
_scatter_add = []


def add_back(aval, *args, **params):
    """Adds slices to zeros of the type `aval`."""
    return _scatter_add[0](aval, *args, **params)


def _for_tangents(params):
    filled = params["mode"] is GatherScatterMode.FILL_OR_DROP
    return {**params, "fill_value": 0 if filled else None}


def fill_for(dtype, fill_value):
    """The value for slices outside: NaN, the least or greatest integer, or true."""
    if fill_value is not None:
        return fill_value
    if dtypes.is_extended(dtype):
        dtype = dtype.physical(())[1]
    kind = kind_of(dtype)
    if kind & INEXACT:
        return np.array(np.nan, dtype)
    if kind is BOOL:
        return True
    if not kind & INTEGER:
        return 0
    info = dtypes.iinfo(dtype)
    return info.min if kind is SIGNED else info.max


def transposed_numbers(numbers):
    """The fields of the scatter whose updates are the slices of a gather."""
    return dict(
        update_window_dims=numbers.offset_dims,
        inserted_window_dims=numbers.collapsed_slice_dims,
        scatter_dims_to_operand_dims=numbers.start_index_map,
        operand_batching_dims=numbers.operand_batching_dims,
        scatter_indices_batching_dims=numbers.start_indices_batching_dims,
    )


def _gather_shape(indices_shape, numbers, slice_sizes):
    dropped = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    window = [n for axis, n in enumerate(slice_sizes) if axis not in dropped]
    shape = list(indices_shape[:-1])
    for axis, size in zip(numbers.offset_dims, window, strict=True):
        shape.insert(axis, size)
    return tuple(shape)


def _starts(operand_shape, indices, numbers):
    """For each index of the indices, where in the operand its slice starts."""
    for index in np.ndindex(*indices.shape[:-1]):
        start = [0] * len(operand_shape)
        for component, axis in enumerate(numbers.start_index_map):
            start[axis] = int(indices[(*index, component)])
        for axis, source in zip(
            numbers.operand_batching_dims,
            numbers.start_indices_batching_dims,
            strict=True,
        ):
            start[axis] = index[source]
        yield index, start


def _check_gather(operand, indices, numbers, slice_sizes) -> None:
    avals = {"operand": operand, "indices": indices}
    check_indices("gather", avals, numbers)

    def fail(what, rule):
        fail_indexing("gather", avals, numbers, what, rule)

    rank, batch_rank = operand.ndim, indices.ndim - 1
    check_axis_lists(
        "gather",
        avals,
        numbers,
        [
            (
                "offset_dims",
                numbers.offset_dims,
                batch_rank + len(numbers.offset_dims),
                True,
            ),
            ("collapsed_slice_dims", numbers.collapsed_slice_dims, rank, True),
            ("operand_batching_dims", numbers.operand_batching_dims, rank, True),
            ("start_index_map", numbers.start_index_map, rank, False),
            (
                "start_indices_batching_dims",
                numbers.start_indices_batching_dims,
                indices.ndim,
                False,
            ),
        ],
    )
    fields = "start_indices_batching_dims", "collapsed_slice_dims", "start_index_map"
    check_batching("gather", avals, numbers, fields)
    collapsed, batching = numbers.collapsed_slice_dims, numbers.operand_batching_dims
    if len(slice_sizes) != rank:
        fail(
            "Gather op must have one slice size for every input dimension; got: "
            f"len(slice_sizes)={len(slice_sizes)}, input_shape.rank={rank}",
            "There is a slice size for each axis of the operand.",
        )
    for axis, (size, available) in enumerate(
        zip(slice_sizes, operand.shape, strict=True)
    ):
        if not 0 <= size <= available:
            fail(
                f"Slice size at index {axis} in gather op is out of range, must be "
                f"within [0, {available} + 1), got {size}",
                "A slice fits into the operand.",
            )
        if axis in collapsed and size > 1:
            fail(
                "Gather op can only collapse slice dims with bound 1, but bound is "
                f"{size} for index {axis} at position {collapsed.index(axis)}",
                "Dropped axes have slice size 1.",
            )
        if axis in batching and size > 1:
            fail(
                "Gather op can only have operand batching dims with bound 0/1, but "
                f"bound is {size} for index {axis} at position {batching.index(axis)}",
                "Dropped axes have slice size 1.",
            )
    if len(numbers.start_index_map) != indices.shape[-1]:
        fail(
            f"Gather op has {len(numbers.start_index_map)} elements in start_index_map "
            f"and the bound of dimension index_vector_dim={batch_rank} of indices is "
            f"{indices.shape[-1]}. These two numbers must be equal",
            f"The last axis of the indices has size {indices.shape[-1]}; both agree.",
        )
    if len(numbers.offset_dims) != rank - len(collapsed) - len(batching):
        fail(
            "All components of the offset index in a gather op must either be a offset "
            "dimension or explicitly collapsed/batching; got "
            f"len(slice_sizes)={rank}, offset_dims={numbers.offset_dims}, "
            f"collapsed_slice_dims={collapsed}, operand_batching_dims={batching}",
            "offset_dims names an axis of the result for each axis of a slice that is kept.",
        )


def batch_gather(size, args, dims, numbers, slice_sizes, params):
    """The batch rule of a gather, also for the operations that become one."""
    operand, indices = args
    operand_dim, indices_dim = dims
    if operand_dim is not None:
        operand = move_axis(operand, operand_dim, 0)
    if indices_dim is not None:
        indices = move_axis(indices, indices_dim, 0)
    offset = shifted(numbers.offset_dims)
    of_indices = numbers.start_indices_batching_dims
    if operand_dim is None:
        moved = numbers._replace(
            offset_dims=offset, start_indices_batching_dims=shifted(of_indices)
        )
        return bind_gather(operand, indices, moved, slice_sizes, params), 0
    batching = shifted(numbers.operand_batching_dims)
    if indices_dim is None:
        offset, sizes = (0, *offset), (size, *slice_sizes)
    else:
        batching, of_indices = (0, *batching), (0, *shifted(of_indices))
        sizes = (expressions.min_dim(size, 1), *slice_sizes)
    moved = GatherDimensionNumbers(
        offset,
        shifted(numbers.collapsed_slice_dims),
        shifted(numbers.start_index_map),
        batching,
        of_indices,
    )
    return bind_gather(operand, indices, moved, sizes, params), 0


def bind_gather(operand, indices, numbers, slice_sizes, params):
    """Applies the primitive."""
    return gather_p.bind(
        operand, indices, dimension_numbers=numbers, slice_sizes=slice_sizes, **params
    )


def index_take(src, idxs, axes: Sequence[int]):
    """The parts of `src` at indices along some axes; indices count modulo the sizes.

    Args:
        src: array of any shape.
        idxs: one integer array for each of the axes, all of one shape, not scalars.
        axes: the axes that are indexed.

    Returns:
        Array with the axes of the indices first, then those of `src` that are left.

    Raises:
        TypeError: the indices are not integers, or `axes` no sequence of them.
        ValueError: they do not fit the axes. IndexError: an axis is out of bounds.
    """
    shape, axes = np.shape(src), _axes_taken(axes)
    facts = [("src", get_aval(src).str_short()), ("axes", axes)]
    if len(idxs) != len(axes) or len({np.shape(index) for index in idxs}) != 1:
        raise value_error(
            "lax.index_take: there is not one array of one shape for each axis.",
            [*facts, ("idxs", [np.shape(index) for index in idxs])],
            "Each array names indices along one axis.",
        )
    if any(not -len(shape) <= axis < len(shape) for axis in axes):
        raise IndexError(
            explain(
                "lax.index_take: an axis is out of bounds.",
                facts,
                f"src has {len(shape)} axes.",
            )
        )
    columns = []
    for index, axis in zip(idxs, axes, strict=True):
        check_kind("index_take", get_aval(index), INTEGER)
        size = full_like(index, np.asarray(shape[axis], get_aval(index).dtype)[()])
        columns.append(convert(rem(index, size), np.dtype(np.int32)))
    rank = np.ndim(idxs[0])
    kept = len(shape) - len(axes)
    numbers = GatherDimensionNumbers(
        offset_dims=tuple(range(rank, rank + kept)),
        collapsed_slice_dims=axes,
        start_index_map=axes,
    )
    sizes = tuple(1 if i in axes else n for i, n in enumerate(shape))
    indices = [reshape(column, (*np.shape(column), 1)) for column in columns]
    return gather(src, concatenate(indices, rank), numbers, sizes)


def _axes_taken(axes) -> tuple[int, ...]:
    try:
        return tuple(operator.index(axis) for axis in axes)
    except TypeError as error:
        raise type_error(
            "lax.index_take: `axes` is no sequence of whole numbers.",
            [("axes", repr(axes))],
            "Each axis has its own array of indices.",
            "For one axis: lax.index_take(src, (index,), (axis,)).",
        ) from error


def gather(
    operand,
    start_indices,
    dimension_numbers: GatherDimensionNumbers,
    slice_sizes,
    *,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    mode=None,
    fill_value=None,
):
    """Takes slices of one size, whose starts are given by indices.

    Each vector along the last axis of `start_indices` says where a slice of `operand`
    starts: its entry `k` counts along axis ``start_index_map[k]``.

    Args:
        operand: array of any shape and dtype.
        start_indices: array of integers.
        dimension_numbers: `offset_dims` are the axes of the result along which slices
            are, the others are those of the indices; `collapsed_slice_dims` are axes of
            a slice, of size 1, that are dropped; `operand_batching_dims` correspond to
            the axes `start_indices_batching_dims` of the indices.
        slice_sizes: the size of a slice on each axis of `operand`.
        unique_indices: a promise that no two slices overlap.
        indices_are_sorted: a promise that the indices increase.
        mode: what happens to slices that are not inside of `operand`; default: that
            they are is promised, and those that are not are moved inside.
        fill_value: the value for mode ``"fill"``; default: NaN, or the least integer.

    Raises:
        TypeError: shapes and dimension numbers do not fit. ValueError: the indices are
            not integers, or the mode is unknown.
    """
    mode = GatherScatterMode.PROMISE_IN_BOUNDS if mode is None else mode
    mode = GatherScatterMode.from_any(mode)
    if mode is GatherScatterMode.FILL_OR_DROP:
        dtype = get_aval(operand).dtype
        fill_value = fill_for(dtype, fill_value)
        if isinstance(fill_value, np.ndarray):
            fill_value = fill_value.item()
    else:
        fill_value = None
    return bind_in_mode(
        gather_p,
        operand,
        start_indices,
        dimension_numbers=GatherDimensionNumbers(*map(int_tuple, dimension_numbers)),
        slice_sizes=canonical_shape(slice_sizes, "gather"),
        unique_indices=bool(unique_indices),
        indices_are_sorted=bool(indices_are_sorted),
        mode=mode,
        fill_value=fill_value,
    )


def bind_in_mode(primitive, *operands, mode: GatherScatterMode, **params):
    """Binds a primitive; where clipping is requested, no index is a mistake."""
    if mode is not GatherScatterMode.CLIP:
        return primitive.bind(*operands, mode=mode, **params)
    with state.scope(state.OUT_OF_BOUNDS_IS_DEFINED):
        return primitive.bind(*operands, mode=mode, **params)


traceback_filter.hide_frames(globals())
