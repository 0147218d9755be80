"""Reductions with a function that the user gives: reduce and reduce_window."""

from collections.abc import Callable, Sequence

import numpy as np

from jax._src import tree as trees
from jax._src.base import traceback_filter
from jax._src.core import evaluate
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.jaxpr import ClosedJaxpr
from jax._src.core.primitive import Sample, declare
from jax._src.core.trace import Tracer
from jax._src.interpreters import ad, batching, partial_eval as pe
from jax._src.lax.ops import (
    arithmetic,
    bitwise,
    emit,
    reductions,
    splitting,
)
from jax._src.lax.ops.broadcast_and_reduce_sum import (
    batch_axes,
    batch_in_front,
    broadcast,
    check_axes,
    element_count,
    reduce_sum,
    shape_without,
)
from jax._src.lax.ops.checks import (
    ANY,
    check_kind,
    int_tuple,
    is_array,
    refuse_sharding,
    size_of,
)
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.joining_splitting import concatenate
from jax._src.lax.ops.messages import positions, type_error, value_error
from jax._src.lax.ops.reference_programs import run_closed_by_reference
from jax._src.lax.ops.reshaping import move_axis, reshape, squeeze
from jax._src.lax.ops.scatter import update_program
from jax._src.lax.ops.slicing_padding import slice_in_dim


@declare("reduce", multiple_results=True)
class reduce_p:
    """Folds arrays along axes with a program of scalars."""

    def types(*operands, computation, jaxpr, dimensions):
        arrays, inits = _halves(operands)
        _check_reduce(arrays, inits, dimensions)
        return [
            ShapedArray(
                shape_without(x.shape, dimensions),
                x.dtype,
                x.weak_type and init.weak_type,
            )
            for x, init in zip(arrays, inits, strict=True)
        ]

    def sharding(*operands, dimensions, **params):
        arrays = operands[: len(operands) // 2]
        splitting.all_alike("reduce", arrays)
        return [splitting.dropping(dimensions, x) for x in arrays]

    def lower(ctx, *operands, computation, jaxpr, dimensions):
        arrays, inits = _halves(operands)
        return emit.reduce(
            arrays,
            inits,
            dimensions,
            lambda *args: emit.program(ctx, jaxpr.jaxpr, jaxpr.consts, *args),
        )

    def jvp_all(primals, tangents, *, computation, jaxpr, dimensions):
        # As a tree of joins, whose derivative can also run backwards.
        return ad.jvp(
            lambda *args: _fold_in_pairs(jaxpr, dimensions, *_halves(args)),
            primals,
            tangents,
        )

    def batch(axis, args, dims, *, computation, jaxpr, dimensions):
        arrays, inits = _halves(args)
        array_dims, init_dims = _halves(dims)
        if any(dim is not None for dim in init_dims):
            found, out_dims = batching.batch(
                lambda *xs: _fold_in_pairs(jaxpr, dimensions, *_halves(xs)),
                axis,
                args,
                dims,
            )
            return found, out_dims
        moved = [
            batch_in_front(x, dim, axis.size)
            for x, dim in zip(arrays, array_dims, strict=True)
        ]
        axes, out_index = batch_axes(dimensions, 0)
        outs = reduce_p.bind(
            *moved, *inits, computation=computation, jaxpr=jaxpr, dimensions=axes
        )
        return outs, [out_index] * len(outs)

    def reference(*operands, computation, jaxpr, dimensions):
        arrays, inits = _halves(operands)
        shape = shape_without(arrays[0].shape, dimensions)
        outs = [np.full(shape, i, x.dtype) for x, i in zip(arrays, inits, strict=True)]
        for index in np.ndindex(*arrays[0].shape):
            out_index = shape_without(index, dimensions)
            joined = run_closed_by_reference(
                jaxpr, *(out[out_index] for out in outs), *(x[index] for x in arrays)
            )
            for out, value in zip(outs, joined, strict=True):
                out[out_index] = value
        return outs

    exempt = {"jvp": "the program of a sample joins float32"}

    def samples():
        program = ClosedJaxpr(update_program("scatter-mul", np.dtype(np.float32)), [])
        params = {"computation": arithmetic.mul, "jaxpr": program}
        x = np.float32([[0.5, 1.5, -2.0], [3.0, 0.25, 1.0]])
        return [
            Sample((x, np.float32(1)), {**params, "dimensions": (0,)}),
            Sample((x, np.float32(1)), {**params, "dimensions": (0, 1)}),
        ]


def _halves(values):
    half = len(values) // 2
    return values[:half], values[half:]


def _check_reduce(arrays, inits, dimensions) -> None:
    for x in arrays:
        check_kind("reduce", x, ANY)
        check_axes("reduce", x, dimensions)
    if len({x.shape for x in arrays}) > 1:
        raise type_error(
            "lax.reduce: the operands differ in shape.",
            positions(x.str_short() for x in arrays),
            "Arrays that are reduced together have one shape.",
        )
    for x, init in zip(arrays, inits, strict=True):
        if init.shape or init.dtype != x.dtype:
            raise type_error(
                "lax.reduce: an initial value does not fit its operand.",
                [("operand", x.str_short()), ("initial value", init.str_short())],
                "It is a scalar of the dtype of its operand.",
            )


def _elementwise(program, arrays):
    """Applies a program of scalars to arrays of one shape."""
    shape = np.shape(arrays[0])
    if not shape:
        return evaluate.eval_closed(program, *arrays)
    size = size_of(shape)
    flat = [reshape(x, (size,)) for x in arrays]
    outs, dims = batching.batch(
        lambda *xs: evaluate.eval_closed(program, *xs),
        batching.Axis(size),
        flat,
        [0] * len(flat),
    )
    return [
        reshape(batch_in_front(out, dim, size), shape)
        for out, dim in zip(outs, dims, strict=True)
    ]


def _fold_in_pairs(program, dimensions, arrays, inits):
    """Evaluates a reduction as a tree that joins halves."""
    shape = np.shape(arrays[0])
    rest = shape_without(shape, dimensions)
    size = element_count(shape, dimensions)
    flat = []
    for x in arrays:
        for i, axis in enumerate(sorted(dimensions)):
            x = move_axis(x, axis, i)
        flat.append(reshape(x, (size, *rest)))
    starts = [broadcast(init, (1, *rest)) for init in inits]
    while size > 1:
        half = size // 2
        left = [slice_in_dim(x, 0, half) for x in flat]
        right = [slice_in_dim(x, half, 2 * half) for x in flat]
        joined = _elementwise(program, [*left, *right])
        if size % 2:
            last = [slice_in_dim(x, size - 1, size) for x in flat]
            joined = [concatenate([a, b], 0) for a, b in zip(joined, last, strict=True)]
        flat, size = joined, size - half
    if size == 1:
        starts = _elementwise(program, [*starts, *flat])
    return [squeeze(x, (0,)) for x in starts]


_MONOIDS = {
    arithmetic.add: (reduce_sum, lambda dtype: np.zeros((), dtype)),
    arithmetic.mul: (reductions.reduce_prod, lambda dtype: np.ones((), dtype)),
    arithmetic.max: (reductions.reduce_max, reductions.least),
    arithmetic.min: (reductions.reduce_min, reductions.greatest),
    bitwise.bitwise_or: (reductions.reduce_or, lambda dtype: np.zeros((), dtype)),
    bitwise.bitwise_and: (
        reductions.reduce_and,
        lambda dtype: np.array(-1).astype(dtype),
    ),
    bitwise.bitwise_xor: (reductions.reduce_xor, lambda dtype: np.zeros((), dtype)),
}


def _is_known_equal(init, wanted) -> bool:
    """Whether an initial value is one that we can see, and equals `wanted`."""
    if isinstance(init, Tracer):
        return False
    value = np.asarray(init).astype(wanted.dtype)
    return value.shape == () and bool(value == wanted)


def _trace_join(name, computation, arrays, inits, structure):
    """The program that joins two trees of scalars."""
    scalars = [ShapedArray((), get_aval(x).dtype) for x in arrays]
    count = len(scalars)

    def join(*args):
        left = trees.tree_unflatten(structure, args[:count])
        right = trees.tree_unflatten(structure, args[count:])
        outs, found = trees.tree_flatten(computation(left, right))
        if found.num_leaves != structure.num_leaves:
            raise type_error(
                f"lax.{name}: the function returns another structure.",
                [("operands", structure), ("result", found)],
                "It joins two trees of scalars to one of as many.",
            )
        return outs

    program = pe.trace_to_closed(join, [*scalars, *scalars])
    for want, got in zip(scalars, program.out_avals, strict=True):
        if got.shape or got.dtype != want.dtype:
            raise type_error(
                f"lax.{name}: the function returns another type.",
                [("takes", want.str_short()), ("returns", got.str_short())],
                "It joins two scalars to one of their dtype.",
            )
    return program


def _with_dtype(init, dtype):
    """An initial value of that dtype; one of the host stays one that we can see."""
    if get_aval(init).dtype == dtype:
        return init
    return convert(init, dtype) if is_array(init) else np.asarray(init).astype(dtype)


def _initial_values(name, arrays, structure, init_values) -> list:
    """The scalars from which to start, one for each array and of its dtype."""
    inits, inits_structure = trees.tree_flatten(init_values)
    if structure != inits_structure or not arrays:
        raise value_error(
            f"lax.{name}: Operands must have the same tree structure as init_values: "
            f"{structure} vs. {inits_structure}",
            [
                ("operands", f"{structure}, {len(arrays)} arrays"),
                ("initial values", f"{inits_structure}, {len(inits)} numbers"),
            ],
            "There is an array, and an initial value for each.",
        )
    for x, init in zip(arrays, inits, strict=True):
        if np.ndim(init):
            raise type_error(
                f"lax.{name}: {name} expected init_values to be scalars: found non-scalar initial "
                "value.",
                [
                    ("operand", get_aval(x).str_short()),
                    ("initial value", get_aval(init).str_short()),
                ],
                "Every fold of an array starts from one number.",
            )
    return [
        _with_dtype(init, get_aval(x).dtype)
        for x, init in zip(arrays, inits, strict=True)
    ]


def reduce(
    operands,
    init_values,
    computation: Callable,
    dimensions: Sequence[int],
    out_sharding=None,
):
    """Folds arrays along axes with a function.

    Args:
        operands: a tree of arrays of one shape.
        init_values: a tree of scalars from which to start, neutral in `computation`:
            how often they enter is open.
        computation: joins two trees of scalars to one; associative and commutative.
        dimensions: the axes, counted from 0.
        out_sharding: not supported yet.

    Returns:
        A tree of arrays without the axes.

    Raises:
        TypeError: shapes, dtypes or structures differ. ValueError: an axis is repeated
            or out of bounds.
    """
    refuse_sharding("reduce", out_sharding)
    arrays, structure = trees.tree_flatten(operands)
    inits = _initial_values("reduce", arrays, structure, init_values)
    axes = int_tuple(dimensions)
    monoid = _MONOIDS.get(computation) if len(arrays) == 1 else None
    if monoid is not None:
        fold, identity = monoid
        if _is_known_equal(inits[0], identity(get_aval(arrays[0]).dtype)):
            folded = fold(arrays[0], axes)
            is_weak = get_aval(folded).weak_type and get_aval(inits[0]).weak_type
            if get_aval(folded).weak_type != is_weak:
                folded = convert(folded, get_aval(folded).dtype)
            return trees.tree_unflatten(structure, [folded])
    for x in arrays:
        check_axes("reduce", get_aval(x), axes)
    program = _trace_join("reduce", computation, arrays, inits, structure)
    outs = reduce_p.bind(
        *arrays, *inits, computation=computation, jaxpr=program, dimensions=axes
    )
    return trees.tree_unflatten(structure, outs)


traceback_filter.hide_frames(globals())
