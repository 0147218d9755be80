"""Moving and reinterpreting the elements of arrays, as kernels for TPUs do."""

import re
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors
from jax._src.numpy import lax_api as lax, numpy_api as jnp


def roll(
    x: Any,
    shift: Any,
    axis: int,
    *,
    stride: int | None = None,
    stride_axis: int | None = None,
) -> Any:
    """Moves elements along an axis, from its end back to its start.

    Args:
        x: array.
        shift: by how much; int32 scalar, not negative.
        axis: the axis.
        stride: how much further each line along `stride_axis` is moved than the one before.
        stride_axis: another axis.

    Returns:
        Array of the same shape and dtype.

    Raises:
        ValueError: an axis does not exist, shift or stride is negative, or stride and
            stride_axis are not given together.
    """
    _check_roll(x, shift, axis, stride, stride_axis)
    axis %= x.ndim
    if stride is None:
        return jnp.roll(x, shift, axis)
    lines = lax.broadcasted_iota(np.int32, x.shape, stride_axis % x.ndim)
    indices = lax.broadcasted_iota(np.int32, x.shape, axis)
    source = (indices - shift - lines * stride) % x.shape[axis]
    return jnp.take_along_axis(x, source, axis)


def _check_roll(x, shift, axis, stride, stride_axis):
    def refuse(why):
        raise errors.value_error(
            f"pltpu.roll: {why}",
            [
                ("shape", str(x.shape)),
                ("shift, axis", f"{shift}, {axis}"),
                ("stride, stride_axis", f"{stride}, {stride_axis}"),
            ],
        )

    if isinstance(shift, int) and shift < 0:
        refuse("the shift is negative.")
    if not -x.ndim <= axis < x.ndim:
        refuse("there is no such axis.")
    if (stride is None) != (stride_axis is None):
        refuse("stride and stride_axis are given together, or not at all.")
    if stride is not None:
        if stride < 0:
            refuse("the stride is negative.")
        if not -x.ndim <= stride_axis < x.ndim or stride_axis % x.ndim == axis % x.ndim:
            refuse("stride_axis is no other axis.")


def bitcast(x: Any, ty: Any) -> Any:
    """The bits of an array as another dtype.

    Where it differs in width, the last axis but one grows or shrinks accordingly; the
    lowest bits come first.

    Args:
        x: array with two axes or more.
        ty: the dtype.

    Raises:
        ValueError: `x` has fewer axes, or elements do not fit together.
    """
    dtype = dtypes.canonicalize_dtype(ty)
    old, new = dtypes.itemsize_bits(x.dtype), dtypes.itemsize_bits(dtype)
    if x.ndim < 2 or x.shape[-2] * old % new:
        raise errors.value_error(
            "pltpu.bitcast: the elements do not fit.",
            [("array", f"{x.dtype}{list(x.shape)}"), ("dtype", str(dtype))],
            "Bits of the last axis but one are put together, or taken apart.",
        )
    if old == new:
        return lax.bitcast_convert_type(x, dtype)
    *outer, rows, columns = x.shape
    wanted = (*outer, rows * old // new, columns)
    if old > new:
        parts = lax.bitcast_convert_type(x, dtype)
        return jnp.moveaxis(parts, -1, -2).reshape(wanted)
    split = x.reshape(*outer, rows * old // new, new // old, columns)
    return lax.bitcast_convert_type(jnp.moveaxis(split, -2, -1), dtype)


def einshape(
    equation: str, x: Any, assert_is_tile_preserving: bool = False, **sizes: int
) -> Any:
    """Splits, moves and merges axes as an equation of letters says.

    Args:
        equation: such as ``"a(bc)->abc"``: letters name axes, parentheses one that is made
            of several.
        x: array.
        assert_is_tile_preserving: accepted: there are no tiles.
        **sizes: sizes of letters that the shape does not determine.

    Returns:
        Array of the same elements.

    Raises:
        ValueError: the equation does not fit, or leaves a size open.

    Examples:
        >>> pltpu.einshape("a(bc)->cab", jnp.zeros((2, 12)), b=3).shape
        (4, 2, 3)
    """
    left, arrow, right = equation.partition("->")
    source, target = _groups(left), _groups(right)
    letters = [name for group in source for name in group]
    moved = [name for group in target for name in group]
    is_right = arrow and sorted(letters) == sorted(moved)
    if not is_right or len(set(letters)) != len(letters) or len(source) != x.ndim:
        raise _unfit(equation, x)
    known = dict(sizes)
    for group, size in zip(source, x.shape, strict=True):
        _fill(group, size, known, equation, x)
    split = x.reshape([known[name] for name in letters])
    turned = split.transpose([letters.index(name) for name in moved])
    return turned.reshape([_product(known, group) for group in target])


def _groups(text):
    found = re.findall(r"\(([a-zA-Z]*)\)|([a-zA-Z])", text.replace(" ", ""))
    return [list(group or name) for group, name in found]


def _product(known, names):
    return int(np.prod([known[name] for name in names], dtype=int))


def _fill(group, size, known, equation, x):
    """Adds the one size of a group that is not known yet."""
    missing = [name for name in group if name not in known]
    if len(missing) > 1:
        raise _unfit(equation, x)
    rest = _product(known, [name for name in group if name in known])
    if missing:
        known[missing[0]] = size // rest if rest else 0
    if _product(known, group) != size:
        raise _unfit(equation, x)


def _unfit(equation: str, x: Any) -> ValueError:
    return errors.value_error(
        "pltpu.einshape: the equation does not fit, or leaves a size open.",
        [("equation", equation), ("shape", str(x.shape))],
        "Both sides have the same letters, each once; the left one names the axes.",
        'Give sizes by name: einshape("a(bc)->abc", x, b=3).',
    )
