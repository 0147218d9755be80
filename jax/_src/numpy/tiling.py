"""Repeating arrays and their elements."""

import functools as ft
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.symbols import expressions
from jax._src.lax import mesh_modes
from jax._src.numpy import lax_api as lax, operands, reshaping
from jax._src.numpy.jit_wrapper import jit

Array = Any
ArrayLike = Any


@ft.partial(jit, static_argnames=("reps",))
def _tile(a, reps):
    rank = max(operands.ndim(a), len(reps))
    sizes = (1,) * (rank - operands.ndim(a)) + operands.shape(a)
    reps = (1,) * (rank - len(reps)) + reps
    spread = [n for pair in zip(reps, sizes, strict=True) for n in pair]
    a = lax.broadcast_in_dim(
        lax.reshape(a, sizes), tuple(spread), tuple(range(1, 2 * rank, 2))
    )
    return lax.reshape(a, tuple(r * n for r, n in zip(reps, sizes, strict=True)))


def tile(A: ArrayLike, reps: int | Sequence[int]) -> Array:
    """The array repeated as a whole along axes.

    Args:
        A: array.
        reps: how often, for each axis, counted from the last one.

    Returns:
        Array of the dtype of `A`, whose sizes are multiplied by `reps`.

    Raises:
        TypeError: `A` is no array, or a number in `reps` is negative or not whole.

    Examples:
        >>> jnp.tile(jnp.array([1, 2]), (2, 2))
        Array([[1, 2, 1, 2],
               [1, 2, 1, 2]], dtype=int32)
    """
    A = operands.ensure_arraylike("tile", A)
    return _tile(A, operands.canonical_shape("tile", reps))


def repeat(
    a: ArrayLike,
    repeats: ArrayLike,
    axis: int | None = None,
    *,
    total_repeat_length: int | None = None,
    out_sharding: Any = None,
) -> Array:
    """Each element repeated.

    Args:
        a: array.
        repeats: how often, one number or one for each index of the axis.
        axis: the axis; None repeats the flattened array.
        total_repeat_length: the length of the result, needed when `repeats` is traced;
            what is missing is filled with the last element.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Returns:
        Array of the dtype of `a`.

    Raises:
        TypeError: `repeats` is no array of integers, or traced without
            `total_repeat_length`; a number is negative. ValueError: the axis is out of
            bounds, or has another size than `repeats`.

    Examples:
        >>> jnp.repeat(jnp.array([1, 2]), 2)
        Array([1, 1, 2, 2], dtype=int32)
    """
    a = operands.ensure_arraylike("repeat", a)
    if out_sharding is not None:
        run = mesh_modes.placed_by_compiler(
            lambda x: repeat(x, repeats, axis, total_repeat_length=total_repeat_length),
            out_sharding=out_sharding,
        )
        return run(a)
    if axis is None:
        a, axis = reshaping.ravel(a), 0
    if not operands.ndim(a):
        a = lax.reshape(a, (1,))
    axis = operands.canonical_axis("repeat", axis, operands.ndim(a))
    length = operands.shape(a)[axis]
    if expressions.is_dimension(repeats):
        return _repeat_evenly(a, repeats, axis)
    if total_repeat_length is None:
        if not operands.known(repeats):
            operands.concrete("repeat", "repeats", repeats)  # Raises: it is traced.
        counts = np.asarray(repeats)
        if counts.dtype.kind not in "iub":
            raise operands.type_error(
                "repeat",
                "the numbers of repetitions are no integers.",
                [("repeats", operands.type_name(repeats))],
            )
        is_negative = (counts < 0).any()
        if is_negative or counts.size not in (1, length):
            raise (TypeError if is_negative else ValueError)(
                operands.explain(
                    "repeat",
                    "the numbers of repetitions do not fit.",
                    [
                        ("least of them", str(counts.min()) if counts.size else "none"),
                        ("how many", str(counts.size)),
                        ("size of the axis", str(length)),
                    ],
                    "There is one for all indices or one for each; none is negative.",
                )
            )
        if counts.size == 1:
            return _repeat_evenly(a, int(counts.item()), axis)
        counts = counts.ravel()
        source = np.repeat(np.arange(length, dtype=np.int32), counts)
    elif not length:
        return operands.strong_like(a)  # what is not there is not repeated
    else:
        counts = operands.broadcast_to(operands.convert(repeats, np.int32), (length,))
        ends = lax.cumsum(counts)
        indices = lax.iota(np.int32, expressions.size_index(total_repeat_length))
        later = lax.ge(
            lax.broadcast_in_dim(indices, (operands.size(indices), length), (0,)),
            lax.broadcast_in_dim(ends, (operands.size(indices), length), (1,)),
        )
        source = lax.reduce_sum(operands.convert(later, np.int32), (1,))
        source = lax.min(source, lax.full_like(source, max(0, length - 1)))
    return take_along(a, source, axis)


def take_along(a, indices, axis):
    """The rows of `a` at known, valid indices along one axis."""
    sizes = list(operands.shape(a))
    if not sizes[axis]:  # nothing to take: no index is valid, and there may be none
        sizes[axis] = operands.size(indices)
        return lax.full(sizes, 0, operands.dtype_of(a))
    sizes[axis] = 1
    offset_axes = tuple(i for i in range(operands.ndim(a)) if i != axis)
    return lax.gather(
        a,
        lax.reshape(operands.convert(indices, np.int32), (operands.size(indices), 1)),
        lax.GatherDimensionNumbers(
            offset_dims=offset_axes,
            collapsed_slice_dims=(axis,),
            start_index_map=(axis,),
        ),
        tuple(sizes),
        mode=lax.GatherScatterMode.PROMISE_IN_BOUNDS,
    )


@ft.partial(jit, static_argnums=(1, 2))
def _repeat_evenly(a, count, axis):
    sizes = operands.shape(a)
    spread = (*sizes[: axis + 1], count, *sizes[axis + 1 :])
    kept = tuple(i for i in range(len(spread)) if i != axis + 1)
    result = (*sizes[:axis], sizes[axis] * count, *sizes[axis + 1 :])
    return lax.reshape(lax.broadcast_in_dim(a, spread, kept), result)


traceback_filter.hide_frames(globals())
