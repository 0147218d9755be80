"""Bits of bytes, as arrays of zeros and ones."""

from __future__ import annotations

import functools as ft
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.numpy import (
    lax_api as lax,
    logic,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    reductions,
    reshaping,
)
from jax._src.numpy.jit_wrapper import jit

Array = Any
ArrayLike = Any


def _shifts(name, bitorder):
    if bitorder not in ("big", "little"):
        raise operands.value_error(
            name, f"bitorder={bitorder!r} is neither 'big' nor 'little'."
        )
    shifts = np.arange(8, dtype=np.uint8)
    return shifts[::-1] if bitorder == "big" else shifts


def _with_axis_last(name, a, axis):
    if axis is None:
        return reshaping.ravel(a), 0
    axis = operands.canonical_axis(name, axis, operands.ndim(a))
    return reshaping.moveaxis(a, axis, -1), axis


@ft.partial(jit, static_argnames=("axis", "bitorder"))
def packbits(a: ArrayLike, axis: int | None = None, bitorder: str = "big") -> Array:
    """Bytes whose bits say which elements are not zero, eight in each.

    Args:
        a: array of integers or booleans.
        axis: the axis to pack; None packs the flattened array.
        bitorder: whether the first element is the highest bit (``"big"``) or the lowest.

    Raises:
        TypeError: `a` holds neither. ValueError: the bit order is unknown.
    """
    a = operands.ensure_arraylike("packbits", a)
    if operands.kind_of(a) not in "biu":
        raise operands.type_error(
            "packbits",
            "the elements are neither integers nor booleans.",
            [("a", operands.type_name(a))],
        )
    shifts = _shifts("packbits", bitorder)
    x, axis = _with_axis_last(
        "packbits", logic.not_equal(a, np.zeros((), operands.dtype_of(a))), axis
    )
    *rest, count = operands.shape(x)
    missing = -count % 8
    bits = operands.convert(x, np.uint8)
    padding = [(0, 0, 0)] * len(rest) + [(0, missing, 0)]
    bits = lax.pad(bits, np.uint8(0), padding)
    groups = lax.reshape(bits, (*rest, (count + missing) // 8, 8))
    packed = reductions.sum(
        groups << operands.with_rank(shifts, operands.ndim(groups)),
        axis=-1,
        dtype=np.uint8,
    )
    return reshaping.moveaxis(packed, -1, axis)


@ft.partial(jit, static_argnames=("axis", "count", "bitorder"))
def unpackbits(
    a: ArrayLike,
    axis: int | None = None,
    count: int | None = None,
    bitorder: str = "big",
) -> Array:
    """The bits of bytes as zeros and ones.

    Args:
        a: array of uint8.
        axis: the axis to unpack; None unpacks the flattened array.
        count: how many bits to return, filled with zeros; a negative number leaves out
            that many at the end.
        bitorder: whether the highest bit comes first (``"big"``) or the lowest.

    Raises:
        TypeError: `a` is not of uint8. ValueError: the bit order is unknown.
    """
    a = operands.ensure_arraylike("unpackbits", a)
    if operands.dtype_of(a) != np.uint8:
        raise operands.type_error(
            "unpackbits", "the elements are not uint8.", [("a", operands.type_name(a))]
        )
    masks = np.uint8(1) << _shifts("unpackbits", bitorder)
    a = reshaping.ravel(a) if axis is None else a
    axis = operands.canonical_axis("unpackbits", axis or 0, operands.ndim(a))
    *outer, groups = operands.shape(a)[: axis + 1]
    inner = operands.shape(a)[axis + 1 :]
    masks = masks.reshape(*(1 for _ in (*outer, groups)), 8, *(1 for _ in inner))
    # A comparison needs no shifts, which few processors have for vectors of bytes.
    bits = logic.not_equal(lax.expand_dims(a, (axis + 1,)) & masks, 0)
    bits = lax.reshape(operands.convert(bits, np.uint8), (*outer, groups * 8, *inner))
    if count is not None:
        total = groups * 8
        wanted = count if count >= 0 else max(0, total + count)
        padding = [(0, 0, 0)] * operands.ndim(a)
        padding[axis] = (0, wanted - total, 0)
        bits = lax.pad(bits, np.uint8(0), padding)
    return bits


traceback_filter.hide_frames(globals())
