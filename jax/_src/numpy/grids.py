"""Index tricks: open grids, coordinates, flat places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.numpy import (
    creation,
    elementwise,
    joining,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands as op,
    selecting,
    shaping,
)

Array = Any
ArrayLike = Any

# What stands between brackets, as an object: jnp.s_[1:, ::2].
s_ = np.s_
index_exp = np.index_exp


def indices(dimensions: Any, dtype: Any = None, sparse: bool = False) -> Any:
    """The places of an array of a shape: one array per axis.

    Args:
        dimensions: the shape.
        dtype: the dtype of the places, an integer by default.
        sparse: whether to return a tuple of arrays with size 1 along the other axes.
    """
    wanted = dtypes.check_and_canonicalize_user_dtype(
        int if dtype is None else dtype, "indices"
    )
    sizes = op.canonical_shape("indices", tuple(dimensions))
    parts = []
    for axis, size in enumerate(sizes):
        own = [1] * len(sizes)
        own[axis] = size
        places = shaping.reshape(creation.arange(size, dtype=wanted), tuple(own))
        parts.append(places if sparse else shaping.broadcast_to(places, sizes))
    if sparse:
        return tuple(parts)
    return joining.stack(parts) if parts else creation.zeros((0,), wanted)


def ix_(*args: ArrayLike) -> tuple[Array, ...]:
    """Vectors of places that index each axis on its own: ``x[jnp.ix_(rows, columns)]``."""
    results = []
    for axis, arg in enumerate(args):
        arg = op.ensure_arraylike("ix_", creation.asarray(arg))
        if op.ndim(arg) != 1:
            raise ValueError(
                op.explain(
                    "ix_",
                    "an argument is not a vector.",
                    [(f"argument {axis}", op.type_name(arg))],
                )
            )
        if op.kind_of(arg) == "b":
            (arg,) = selecting.nonzero(arg)
        own = (1,) * axis + (op.size(arg),) + (1,) * (len(args) - axis - 1)
        results.append(shaping.reshape(arg, own))
    return tuple(results)


def unravel_index(indices: ArrayLike, shape: Any) -> tuple[Array, ...]:
    """The places along each axis of places in the flattened array.

    Those out of bounds count as the nearest.
    """
    indices = op.ensure_arraylike("unravel_index", indices)
    sizes = op.canonical_shape("unravel_index", shape)
    total = int(np.prod(sizes, dtype=np.int64))
    rest = selecting.clip(
        selecting.where(indices < 0, indices + total, indices), 0, max(0, total - 1)
    )
    results = []
    for size in sizes[::-1]:
        results.append(rest % max(size, 1))
        rest = rest // max(size, 1)
    return tuple(results[::-1])


def fromfunction(
    function: Callable[..., Array], shape: Any, *, dtype: Any = float, **kwargs: Any
) -> Array:
    """What a function of the places along each axis gives.

    Args:
        function: takes one array of places per axis.
        shape: the shape.
        dtype: the dtype of the places.
        kwargs: further arguments of the function.
    """
    places = indices(op.canonical_shape("fromfunction", shape), dtype)
    return function(*places, **kwargs)


# ---------------------------------------------------------------- parts of vectors


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Array:
    """The powers of each element, one row each, the highest first."""
    x = op.ensure_arraylike("vander", x)
    if op.ndim(x) != 1:
        raise ValueError(
            op.explain("vander", "not a vector.", [("x", op.type_name(x))])
        )
    count = op.size(x) if N is None else N
    powers = creation.arange(count) if increasing else creation.arange(count)[::-1]
    return x[:, None] ** powers[None, :]


def unwrap(
    p: ArrayLike, discont: Any = None, axis: int = -1, period: Any = 2 * np.pi
) -> Array:
    """Angles without jumps: multiples of the period are added along an axis.

    Args:
        p: array.
        discont: how large a step must be to count as a jump; default: half a period.
        axis: the axis.
        period: the period.
    """
    p = op.ensure_arraylike("unwrap", p)
    p = (
        p
        if op.kind_of(p) in "iu" and isinstance(period, int)
        else op.promote_dtypes_inexact(p)[0]
    )
    axis = op.canonical_axis("unwrap", axis, op.ndim(p))
    moved = shaping.moveaxis(p, axis, -1)
    steps = moved[..., 1:] - moved[..., :-1]
    half = period / 2 if op.kind_of(moved) == "f" else period // 2
    wrapped = (steps + half) % period - half
    wrapped = selecting.where((wrapped == -half) & (steps > 0), half, wrapped)
    jumps = wrapped - steps
    limit = half if discont is None else discont
    jumps = selecting.where(elementwise.absolute(steps) < limit, 0, jumps)
    added = jumps.cumsum(-1)
    result = joining.concatenate((moved[..., :1], moved[..., 1:] + added), -1)
    return shaping.moveaxis(result, -1, axis)
