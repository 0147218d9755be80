"""The smallest and the largest elements."""

from __future__ import annotations

import functools as ft
import operator
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.numpy import lax_api as lax, operands, reductions
from jax._src.numpy.jit_wrapper import jit

Array = operands.Array
ArrayLike = operands.ArrayLike


@ft.partial(jit, static_argnames=("axis", "keepdims"))
def minmax(
    a: ArrayLike,
    axis: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """The smallest and the largest element along axes; NaN where there is one.

    The arguments are those of `jax.numpy.max`, with `initial` also a pair: the largest
    result of the first, and the least of the second.

    Returns:
        Two arrays, of the dtype of `a`.
    """
    operands.refuse_out("minmax", out)
    least, most = initial if isinstance(initial, tuple | list) else (initial, initial)
    return (
        reductions.min(a, axis, None, keepdims, least, where),
        reductions.max(a, axis, None, keepdims, most, where),
    )


def _refuse_k(k, message, rule):
    raise operands.value_error("top_k", message, [("k", repr(k))], rule)


@ft.partial(jit, static_argnames=("k", "axis", "mode"))
def _top_k(a, k, axis, mode):
    a = operands.ensure_arraylike("top_k", a)
    if operands.kind_of(a) == "c":
        raise operands.value_error(
            "top_k",
            "top_k is not compatible with complex inputs.",
            [("a", operands.type_name(a))],
            "Only ordered dtypes are accepted.",
        )
    if not operands.ndim(a):
        raise operands.value_error(
            "top_k", "the operand is a scalar.", rule="It has an axis."
        )
    axis = operands.canonical_axis("top_k", axis, operands.ndim(a))
    if k > operands.shape(a)[axis]:
        _refuse_k(
            k, "k is larger than the axis.", f"k is at most {operands.shape(a)[axis]}."
        )
    if mode == "largest":
        return lax.top_k(a, k, axis=axis)
    _, indices = lax.top_k(_falling(a), k, axis=axis)
    return lax.take_along(a, indices, axis), indices


def _falling(a):
    """Numbers that fall where those of `a` rise, and that are lowest where it is NaN."""
    if operands.kind_of(a) in "biu":
        return lax.bitwise_not(a)
    dtype = operands.dtype_of(a)
    signed = np.dtype(f"int{8 * dtype.itemsize}")
    a = lax.select(lax.ne(a, a), lax.full_like(a, np.nan), a)
    bits = lax.bitcast_convert_type(a, signed)
    # Negative floats have their magnitude in ascending order: turn it round.
    ones = np.array(np.iinfo(signed).max, signed)
    rising = lax.select(
        bits < 0, lax.bitwise_xor(bits, lax.full_like(bits, ones)), bits
    )
    return lax.bitwise_not(rising)


def top_k(
    a: ArrayLike,
    k: int,
    /,
    *,
    axis: int = -1,
    mode: str = "largest",
    sorted: bool = True,
) -> Any:
    """The largest or smallest elements along an axis, and their indices.

    NaN counts as the largest number, and 0 is above -0; of equal elements the first
    comes first.

    Args:
        a: array of an ordered dtype.
        k: how many, a number that is known while tracing.
        axis: the axis.
        mode: ``"largest"`` or ``"smallest"``.
        sorted: accepted; the elements are sorted in any case.

    Returns:
        The elements, and their indices of dtype int32: a list for the largest, a tuple
        for the smallest.

    Raises:
        ValueError: `k` is negative, traced or larger than the axis, the mode is unknown,
            or `a` is complex or a scalar. TypeError: `a` is no array or number.

    Examples:
        >>> values, indices = jnp.top_k(jnp.array([3, 9, 4]), 2, mode="smallest")
        >>> values, indices
        (Array([3, 4], dtype=int32), Array([0, 2], dtype=int32))
    """
    del sorted
    if mode not in ("largest", "smallest"):
        raise operands.value_error(
            "top_k", f"mode={mode!r} is unknown.", rule="It is 'largest' or 'smallest'."
        )
    if not operands.known(k):
        _refuse_k(k, "k is traced.", "It is known: with jax.jit, a static argument.")
    k = operator.index(k)
    if k < 0:
        _refuse_k(k, "k is negative.", "k is at least 0.")
    return _top_k(a, k, axis, mode)


traceback_filter.hide_frames(globals())
