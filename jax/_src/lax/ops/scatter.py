"""Updating slices with computed starts: scatter, scatter_add and others."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from jax._src.base import caches, traceback_filter
from jax._src.core import mesh, mesh_context, slots
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, Unsupported, declare_table
from jax._src.interpreters import ad, partial_eval as pe
from jax._src.lax.ops import emit, gather as gather_ops, splitting_indexing
from jax._src.lax.ops.arithmetic import add, div, max, min, mul, neg, sub
from jax._src.lax.ops.broadcast_and_reduce_sum import batch_in_front, broadcast_to
from jax._src.lax.ops.checks import (
    ANY,
    NUMBER,
    check_kind,
    check_same_dtypes,
    int_tuple,
    size_of,
)
from jax._src.lax.ops.comparison import eq
from jax._src.lax.ops.creation import (
    broadcasted_iota,
    full,
    full_like,
    scalar_like,
    zeros,
)
from jax._src.lax.ops.extended import moves_elements
from jax._src.lax.ops.gather import (
    GatherDimensionNumbers,
    GatherScatterMode,
    bind_in_mode,
    check_axis_lists,
    check_batching,
    check_indices,
    fail_indexing,
    shifted,
)
from jax._src.lax.ops.reshaping import counting, move_axis, reshape
from jax._src.lax.ops.selection import select


class ScatterDimensionNumbers(NamedTuple):
    """Which axes of operand, indices and updates correspond in a scatter.

    The last axis of the indices holds one index vector. See `scatter`.
    """

    update_window_dims: tuple[int, ...]
    inserted_window_dims: tuple[int, ...]
    scatter_dims_to_operand_dims: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    scatter_indices_batching_dims: tuple[int, ...] = ()


def gather_numbers(numbers: ScatterDimensionNumbers) -> GatherDimensionNumbers:
    """The dimension numbers of the gather that reads what a scatter writes."""
    return GatherDimensionNumbers(*numbers)


def window_sizes(operand_shape, updates_shape, numbers) -> tuple[int, ...]:
    """The size of a window on each axis of the operand."""
    dropped = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    sizes = iter([updates_shape[axis] for axis in numbers.update_window_dims])
    return tuple(
        1 if axis in dropped else next(sizes) for axis in range(len(operand_shape))
    )


def read_back(x, indices, like, numbers, mode, is_exact=False):
    """The slices of `x` where a scatter writes updates of the shape of `like`."""
    sizes = window_sizes(np.shape(x), np.shape(like), numbers)
    fill = mode is GatherScatterMode.FILL_OR_DROP and is_exact
    return gather_ops.gather(
        x,
        indices,
        gather_numbers(numbers),
        tuple(min_int(n, size) for n, size in zip(sizes, np.shape(x), strict=True)),
        mode=mode if is_exact else GatherScatterMode.PROMISE_IN_BOUNDS,
        fill_value=0 if fill else None,
    )


def min_int(a: int, b: int) -> int:
    return a if a < b else b


def _scatter_types(name, accepts):
    def types(operand, indices, updates, *, dimension_numbers, mode, **params):
        avals = {"operand": operand, "indices": indices, "updates": updates}
        check_indices(name, avals, dimension_numbers)
        check_same_dtypes(name, (operand, updates))
        if accepts is not ANY:
            check_kind(name, operand, accepts)
        if mode is GatherScatterMode.ONE_HOT:
            raise NotImplementedError(f"lax.{name}: mode ONE_HOT is not supported.")
        _check_scatter(name, avals, dimension_numbers)
        return operand

    return types


_LISTS_BESIDE_BATCHING = (
    "scatter_indices_batching_dims",
    "inserted_window_dims",
    "scatter_dims_to_operand_dims",
)


def _check_scatter(name, avals, numbers) -> None:
    operand, indices, updates = avals.values()

    def fail(what, rule):
        fail_indexing(name, avals, numbers, what, rule)

    rank, batch_rank = operand.ndim, indices.ndim - 1
    windows = numbers.update_window_dims
    inserted, batching = numbers.inserted_window_dims, numbers.operand_batching_dims
    expected = batch_rank + len(windows)
    if updates.ndim != expected:
        fail(
            f"Updates tensor must be of rank {expected}; got {updates.ndim}",
            f"Those of the indices and of a window make {expected}.",
        )
    check_axis_lists(
        name,
        avals,
        numbers,
        [
            ("update_window_dims", windows, updates.ndim, True),
            ("inserted_window_dims", inserted, rank, True),
            ("operand_batching_dims", batching, rank, True),
            (
                "scatter_dims_to_operand_dims",
                numbers.scatter_dims_to_operand_dims,
                rank,
                False,
            ),
            (
                "scatter_indices_batching_dims",
                numbers.scatter_indices_batching_dims,
                indices.ndim,
                False,
            ),
        ],
    )
    check_batching(name, avals, numbers, _LISTS_BESIDE_BATCHING)
    if len(windows) + len(inserted) + len(batching) != rank:
        fail(
            f"Scatter op has window of size {len(windows)}; doesn't match operand of "
            f"rank {rank}",
            "Each axis of the operand is a window axis, inserted or batching.",
        )
    if len(numbers.scatter_dims_to_operand_dims) != indices.shape[-1]:
        fail(
            f"Scatter op has {len(numbers.scatter_dims_to_operand_dims)} elements in "
            "scatter_dims_to_operand_dims and the bound of dimension "
            f"index_vector_dim={batch_rank} of indices is {indices.shape[-1]}. These "
            "two numbers must be equal",
            f"The last axis of the indices has size {indices.shape[-1]}; both agree.",
        )
    sizes = window_sizes(operand.shape, updates.shape, numbers)
    for axis in range(rank):
        kept = axis not in (*inserted, *batching)
        if kept and sizes[axis] > operand.shape[axis]:
            fail(
                "Bounds of the window dimensions of updates must not exceed the bounds "
                "of the corresponding dimensions of operand; a window has "
                f"{sizes[axis]} on axis {axis} of size {operand.shape[axis]}",
                "A window fits into the operand.",
            )
    batch_sizes = [n for axis, n in enumerate(updates.shape) if axis not in windows]
    if tuple(batch_sizes) != indices.shape[:-1]:
        fail(
            "Bounds of the scatter dimensions of updates must be the same as the bounds "
            "of the corresponding dimensions of scatter indices",
            f"The updates have {tuple(batch_sizes)}, the indices {indices.shape[:-1]}.",
        )


def _scatter_batch(bind):
    def batch(axis, args, dims, *, dimension_numbers, **params):
        operand, indices, updates = args
        indices_dim = dims[1]
        operand = batch_in_front(operand, dims[0], axis.size)
        updates = batch_in_front(updates, dims[2], axis.size)
        numbers = ScatterDimensionNumbers(*map(shifted, dimension_numbers))
        if indices_dim is None:
            numbers = numbers._replace(
                update_window_dims=(0, *numbers.update_window_dims),
                scatter_indices_batching_dims=(
                    dimension_numbers.scatter_indices_batching_dims
                ),
            )
        else:
            indices = move_axis(indices, indices_dim, 0)
            numbers = numbers._replace(
                operand_batching_dims=(0, *numbers.operand_batching_dims),
                scatter_indices_batching_dims=(
                    0,
                    *numbers.scatter_indices_batching_dims,
                ),
            )
        return bind(operand, indices, updates, dimension_numbers=numbers, **params), 0

    return batch


def _scatter_reference(join):
    def reference(operand, indices, updates, *, dimension_numbers, mode, **params):
        numbers = dimension_numbers
        sizes = window_sizes(operand.shape, updates.shape, numbers)
        highest = np.subtract(operand.shape, sizes)
        out = operand.copy()
        starts = gather_ops._starts(operand.shape, indices, gather_numbers(numbers))
        for index, start in starts:
            if mode is GatherScatterMode.CLIP:
                start = np.clip(start, 0, highest).tolist()
            pairs = zip(start, highest.tolist(), strict=True)
            if any(not 0 <= s <= h for s, h in pairs):
                continue
            where = list(index)
            for axis in numbers.update_window_dims:
                where.insert(axis, slice(None))
            window = tuple(slice(s, s + n) for s, n in zip(start, sizes, strict=True))
            with np.errstate(all="ignore"):
                out[window] = join(
                    out[window], np.reshape(updates[tuple(where)], sizes)
                )
        return out

    return reference


_REPEATED = Unsupported(
    "the derivative in the updates is known only for unique_indices=True"
)


def _samples(name):
    def samples():
        rows = ScatterDimensionNumbers((1,), (0,), (0,))
        single = ScatterDimensionNumbers((), (0,), (0,))
        corner = ScatterDimensionNumbers((0, 1), (), (0, 1))
        batched = ScatterDimensionNumbers((), (1,), (1,), (0,), (0,))
        drop, clip = GatherScatterMode.FILL_OR_DROP, GatherScatterMode.CLIP
        cases = [
            (counting(4, 3), [[2], [0]], counting(2, 3) / 4, rows, drop),
            (counting(4, 3), [[2], [9]], counting(2, 3) / 4, rows, drop),
            (counting(4, 3), [[2], [9]], counting(2, 3) / 4, rows, clip),
            (counting(5), [[1], [3], [1]], counting(3) / 4, single, drop),
            (counting(4, 5), [1, 2], counting(2, 2) / 4, corner, drop),
            (counting(2, 4), [[1], [3]], counting(2) / 4, batched, drop),
        ]
        found = []
        for operand, indices, updates, numbers, mode in cases:
            index_array = np.array(indices, np.int32)
            is_unique = index_array.ndim == 1 or len(
                np.unique(index_array, axis=0)
            ) == len(index_array)
            params = {
                "update_jaxpr": update_program(name, np.dtype(np.float32)),
                "update_consts": (),
                "dimension_numbers": numbers,
                "indices_are_sorted": False,
                "unique_indices": is_unique,
                "mode": mode,
            }
            lacks = _REPEATED if name == "scatter-mul" and not is_unique else None
            found.append(Sample((operand, index_array, updates), params, lacks))
        return found

    return samples


_JOIN = {
    "scatter": None,
    "scatter-add": add,
    "scatter-sub": sub,
    "scatter-mul": mul,
    "scatter-min": min,
    "scatter-max": max,
}


@caches.memoize()
def update_program(name: str, dtype):
    """The program of two scalars that joins a value and its update."""
    join = _JOIN[name]
    if join is None:
        return None
    # It is kept for programs on all meshes, so its types name none.
    with mesh_context.use_abstract_mesh(mesh.NO_ABSTRACT_MESH):
        return _trace_scalars(lambda x, y: [join(x, y)], dtype)[0]


def _trace_scalars(fun, dtype):
    scalar = ShapedArray((), dtype)
    return pe.trace_to_jaxpr(fun, [scalar, scalar])


def _scatter_op(name, accepts, join, jvp_all, transpose=None, doc=""):
    def bind(*args, **params):
        return primitive.bind(*args, **params)

    def lower(ctx, operand, indices, updates, *, update_jaxpr, update_consts, **params):
        return emit.scatter(
            ctx,
            operand,
            indices,
            updates,
            window_sizes(
                ctx.avals_in[0].shape,
                ctx.avals_in[2].shape,
                params["dimension_numbers"],
            ),
            update_jaxpr,
            update_consts,
            is_clipped=params.pop("mode") is GatherScatterMode.CLIP,
            **params,
        )

    def sharding(operand, indices, updates, *, dimension_numbers, **params):
        return splitting_indexing.of_scatter(
            name, operand, indices, updates, dimension_numbers
        )

    table = {
        "types": _scatter_types(name.replace("-", "_"), accepts),
        "sharding": sharding,
        "batch": _scatter_batch(bind),
        "lower": lower,
        "reference": _scatter_reference(join),
        "jvp_all": jvp_all,
        "transpose": transpose,
        "samples": _samples(name),
    }
    primitive = declare_table(name, table, doc=doc)
    return primitive


def _nothing_moves(tangents):
    return type(tangents[0]) is ad.Zero and type(tangents[2]) is ad.Zero


def _zero_like(out):
    return ad.Zero(get_aval(out).to_tangent_aval())


def _linear_jvp(bind):
    def jvp_all(primals, tangents, **params):
        operand, indices, updates = primals
        out = bind(operand, indices, updates, **params)
        if _nothing_moves(tangents):
            return out, _zero_like(out)
        moved = [ad.instantiate_zeros(tangents[i]) for i in (0, 2)]
        return out, bind(moved[0], indices, moved[1], **params)

    return jvp_all


def _add_transpose(sign):
    def transpose(ct, operand, indices, updates, *, dimension_numbers, mode, **params):
        ct_updates = None
        if ad.is_undefined_primal(updates):
            ct_updates = sign(
                read_back(ct, indices, updates.aval, dimension_numbers, mode, True)
            )
        return [ct if ad.is_undefined_primal(operand) else None, None, ct_updates]

    return transpose


scatter_add_p = _scatter_op(
    "scatter-add",
    NUMBER,
    np.add,
    _linear_jvp(lambda *args, **params: scatter_add_p.bind(*args, **params)),
    _add_transpose(lambda ct: ct),
    "Adds updates to slices.",
)
scatter_sub_p = _scatter_op(
    "scatter-sub",
    NUMBER,
    np.subtract,
    _linear_jvp(lambda *args, **params: scatter_sub_p.bind(*args, **params)),
    _add_transpose(neg),
    "Subtracts updates from slices.",
)


def _mul_jvp(primals, tangents, **params):
    operand, indices, updates = primals
    out = scatter_mul_p.bind(operand, indices, updates, **params)
    if _nothing_moves(tangents):
        return out, _zero_like(out)
    moved = _zero_like(out)
    if type(tangents[0]) is not ad.Zero:
        moved = scatter_mul_p.bind(tangents[0], indices, updates, **params)
    if type(tangents[2]) is not ad.Zero:
        if not params["unique_indices"]:
            raise NotImplementedError(f"lax.scatter_mul: {_REPEATED.reason}.")
        params["update_jaxpr"] = update_program("scatter-add", out.dtype)
        spread = scatter_add_p.bind(
            full_like(operand, 0), indices, tangents[2], **params
        )
        moved = ad.add_tangents(moved, mul(operand, spread))
    return out, moved


def _mul_transpose(ct, operand, indices, updates, **params):
    if not ad.is_undefined_primal(operand):
        raise NotImplementedError("lax.scatter_mul is linear in its operand only.")
    return [scatter_mul_p.bind(ct, indices, updates, **params), None, None]


scatter_mul_p = _scatter_op(
    "scatter-mul", NUMBER, np.multiply, _mul_jvp, _mul_transpose, "Multiplies slices."
)


def _extreme_jvp(bind):
    """Every element shares its tangent among the values that tie for the extreme."""

    def jvp_all(primals, tangents, *, dimension_numbers, mode, **params):
        operand, indices, updates = primals
        both = {"dimension_numbers": dimension_numbers, "mode": mode}
        out = bind(operand, indices, updates, **both, **params)
        if _nothing_moves(tangents):
            return out, _zero_like(out)
        t_operand, t_updates = (ad.instantiate_zeros(tangents[i]) for i in (0, 2))
        params = {
            **both,
            **params,
            "update_jaxpr": update_program("scatter-add", out.dtype),
        }

        def read(x):
            return read_back(x, indices, updates, dimension_numbers, mode)

        def spread(values, onto):
            return scatter_add_p.bind(onto, indices, values, **params)

        nowhere = full_like(operand, 0)
        one, zero = full_like(updates, 1), full_like(updates, 0)
        result = read(out)
        won, kept = eq(updates, result), eq(read(operand), result)
        winners = read(spread(select(won, one, zero), nowhere))
        writers = read(spread(one, nowhere))
        alone = scalar_like(out, 1)
        share = select(kept, div(alone, add(winners, alone)), div(alone, winners))
        operand_share = select(kept, div(alone, add(winners, alone)), zero)
        loss = div(sub(operand_share, alone), writers)
        moved = add(
            mul(
                read_back(t_operand, indices, updates, dimension_numbers, mode, True),
                loss,
            ),
            mul(t_updates, select(won, share, zero)),
        )
        return out, spread(moved, t_operand)

    return jvp_all


scatter_min_p = _scatter_op(
    "scatter-min",
    ANY,
    np.minimum,
    _extreme_jvp(lambda *args, **params: scatter_min_p.bind(*args, **params)),
    doc="Takes the smaller of slices and updates.",
)
scatter_max_p = _scatter_op(
    "scatter-max",
    ANY,
    np.maximum,
    _extreme_jvp(lambda *args, **params: scatter_max_p.bind(*args, **params)),
    doc="Takes the larger of slices and updates.",
)


def _overwrite_jvp(primals, tangents, *, update_jaxpr, update_consts, **params):
    operand, indices, updates = primals
    whole = {"update_jaxpr": update_jaxpr, "update_consts": update_consts, **params}
    if _nothing_moves(tangents):
        out = scatter_p.bind(operand, indices, updates, **whole)
        return out, _zero_like(out)
    if update_jaxpr is not None:
        raise NotImplementedError("lax.scatter_apply has no derivative.")
    t_operand, t_updates = (ad.instantiate_zeros(tangents[i]) for i in (0, 2))
    if params["unique_indices"]:
        return (
            scatter_p.bind(operand, indices, updates, **whole),
            scatter_p.bind(t_operand, indices, t_updates, **whole),
        )
    kept, won = _last_writers(operand, indices, updates, whole)
    adding = {
        **whole,
        "update_jaxpr": update_program("scatter-add", get_aval(operand).dtype),
    }

    def overwrite(x, u):
        return scatter_add_p.bind(
            select(kept, x, full_like(x, 0)),
            indices,
            select(won, u, full_like(u, 0)),
            **adding,
        )

    # By the same masks for both, so that they agree which of several updates wins.
    return overwrite(operand, updates), overwrite(t_operand, t_updates)


def _last_writers(operand, indices, updates, params):
    """Which elements of the operand stay, and which of the updates win."""
    numbers = params["dimension_numbers"]
    windows, shape = numbers.update_window_dims, np.shape(updates)
    batch_sizes = [n for axis, n in enumerate(shape) if axis not in windows]
    count = size_of(batch_sizes)
    dtype = np.dtype(np.uint32 if count < 2**32 - 1 else np.uint64)
    ids = add(broadcasted_iota(dtype, (count,), 0), full((count,), 1, dtype))
    one_window = [1 if axis in windows else n for axis, n in enumerate(shape)]
    ids = broadcast_to(reshape(ids, one_window), shape)
    ids = slots.to_type(ids, get_aval(updates).update(dtype=dtype))
    written = scatter_p.bind(full_like(operand, 0, dtype), indices, ids, **params)
    found = read_back(written, indices, updates, numbers, params["mode"])
    return eq(written, full_like(written, 0)), eq(ids, found)


def _overwrite_transpose(
    ct, operand, indices, updates, *, dimension_numbers, mode, **params
):
    both = {"dimension_numbers": dimension_numbers, "mode": mode, **params}
    ct_operand = ct_updates = None
    is_linear = ad.is_undefined_primal(updates)
    aval = updates.aval if is_linear else get_aval(updates)
    if ad.is_undefined_primal(operand):
        nothing = zeros(aval.update(dtype=ct.dtype))
        ct_operand = scatter_p.bind(ct, indices, nothing, **both)
    if is_linear:
        ct_updates = read_back(ct, indices, aval, dimension_numbers, mode, True)
    return [ct_operand, None, ct_updates]


scatter_p = _scatter_op(
    "scatter",
    ANY,
    lambda old, new: new,
    _overwrite_jvp,
    _overwrite_transpose,
    "Replaces slices.",
)
moves_elements(scatter_p)


def _add_to_zeros(aval, indices, updates, numbers, **params):
    numbers = ScatterDimensionNumbers(**numbers)
    return scatter_add_p.bind(
        zeros(aval),
        indices,
        updates,
        dimension_numbers=numbers,
        update_jaxpr=update_program("scatter-add", aval.dtype),
        update_consts=(),
        **params,
    )


gather_ops._scatter_add.append(_add_to_zeros)

_ARGUMENTS = """
    Each vector along the last axis of `scatter_indices` says where a window of
    `operand` starts: its entry `k` counts along axis
    ``scatter_dims_to_operand_dims[k]``.

    Args:
        operand: array of any shape.
        scatter_indices: array of integers.
        updates: array of the dtype of `operand`.
        dimension_numbers: `update_window_dims` are the axes of the updates along which
            windows are, the others are those of the indices; `inserted_window_dims` are
            axes of `operand` on which a window has size 1 and which the updates lack;
            `operand_batching_dims` correspond to the axes
            `scatter_indices_batching_dims` of the indices.
        indices_are_sorted: a promise that the indices increase.
        unique_indices: a promise that no two windows overlap.
        mode: what happens to windows that are not inside of `operand`: ``"drop"``
            (default) leaves them out, ``"clip"`` moves them inside,
            ``"promise_in_bounds"`` says that there are none.

    Raises:
        TypeError: shapes, dtypes and dimension numbers do not fit. ValueError: the
            indices are not integers, or the mode is unknown.
    """


def _public(name: str, primitive, what: str) -> Callable:
    def function(
        operand,
        scatter_indices,
        updates,
        dimension_numbers: ScatterDimensionNumbers,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode=None,
    ):
        return bind_in_mode(
            primitive,
            operand,
            scatter_indices,
            updates,
            update_jaxpr=update_program(primitive.name, get_aval(operand).dtype),
            update_consts=(),
            dimension_numbers=ScatterDimensionNumbers(
                *map(int_tuple, dimension_numbers)
            ),
            indices_are_sorted=bool(indices_are_sorted),
            unique_indices=bool(unique_indices),
            mode=GatherScatterMode.from_any(mode),
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{what}\n{_ARGUMENTS}"
    return function


scatter = _public(
    "scatter", scatter_p, "Replaces slices; which of several for one index is open."
)
scatter_add = _public("scatter_add", scatter_add_p, "Adds updates to slices.")
scatter_sub = _public("scatter_sub", scatter_sub_p, "Subtracts updates from slices.")
scatter_mul = _public("scatter_mul", scatter_mul_p, "Multiplies slices by updates.")
scatter_min = _public(
    "scatter_min", scatter_min_p, "Takes the smaller of slices and updates."
)
scatter_max = _public(
    "scatter_max", scatter_max_p, "Takes the larger of slices and updates."
)


def scatter_apply(
    operand,
    scatter_indices,
    func: Callable,
    dimension_numbers: ScatterDimensionNumbers,
    *,
    update_shape=(),
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    mode=None,
):
    """Applies a function to the elements of slices.

    Args:
        operand: array of any shape.
        scatter_indices: array of integers; see `scatter`.
        func: a function from scalar to scalar.
        dimension_numbers: see `scatter`.
        update_shape: the shape that updates would have.
        indices_are_sorted: a promise that the indices increase.
        unique_indices: a promise that no two windows overlap; without it, how often
            `func` is applied to an element is open.
        mode: see `scatter`.

    Raises:
        TypeError: `func` changes the dtype, or see `scatter`.
    """
    dtype = get_aval(operand).dtype
    jaxpr, consts = _trace_scalars(lambda x, _: [func(x)], dtype)
    result = jaxpr.outvars[0].aval
    if result.shape or result.dtype != dtype:
        raise TypeError(
            f"lax.scatter_apply: the function returns {result.str_short()} for "
            f"{dtype.name}[].\nIt must keep shape and dtype."
        )
    return bind_in_mode(
        scatter_p,
        operand,
        scatter_indices,
        full(update_shape, 0, dtype),
        update_jaxpr=jaxpr,
        update_consts=tuple(consts),
        dimension_numbers=ScatterDimensionNumbers(*map(int_tuple, dimension_numbers)),
        indices_are_sorted=bool(indices_are_sorted),
        unique_indices=bool(unique_indices),
        mode=GatherScatterMode.from_any(mode),
    )


traceback_filter.hide_frames(globals())
