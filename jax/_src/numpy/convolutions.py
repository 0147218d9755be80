"""Convolution and correlation of vectors."""

from __future__ import annotations

import functools as ft
from typing import Any

from jax._src.base import traceback_filter
from jax._src.lax.ops import convolution
from jax._src.numpy import elementwise, lax_api as lax, operands as op
from jax._src.numpy.jit_wrapper import jit

Array = Any
ArrayLike = Any
_static = ft.partial(
    jit, static_argnames=("mode", "precision", "preferred_element_type")
)
_MODES = ("full", "same", "valid")


def _vectors(name, a, v, mode, preferred):
    """Returns the operands at one dtype; integers become floats if no other dtype is given."""
    if mode not in _MODES:
        raise op.value_error(
            name, f"mode={mode!r} is unknown.", ways=f"mode is one of {_MODES}."
        )
    promote = op.promote_dtypes_inexact if preferred is None else op.promote_dtypes
    a, v = promote(*op.ensure_arraylike(name, a, v))
    if preferred is not None and op.kind_of(a) == "b":
        a, v = op.convert(a, preferred), op.convert(v, preferred)
    facts = [("a", op.type_name(a)), ("v", op.type_name(v))]
    if op.ndim(a) != 1 or op.ndim(v) != 1:
        raise op.value_error(
            name,
            "the operands are not vectors.",
            facts,
            "Only vectors are supported.",
            "For more axes: jax.scipy.signal.convolve.",
        )
    if not op.size(a) or not op.size(v):
        raise op.value_error(name, "an operand is empty.", facts)
    return a, v


def _slide(a, v, mode, precision, preferred):
    """The sums of products of `a` with a shorter `v` that slides along it."""
    count = op.size(v)
    before, after = {
        "valid": (0, 0),
        "same": (count // 2, (count - 1) // 2),
        "full": (count - 1, count - 1),
    }[mode]
    result = convolution.conv_general_dilated(
        lax.reshape(a, (1, 1, op.size(a))),
        lax.reshape(v, (1, 1, count)),
        window_strides=(1,),
        padding=[(before, after)],
        precision=precision,
        preferred_element_type=op.dtype_of(a) if preferred is None else preferred,
    )
    return lax.reshape(result, (op.shape(result)[-1],))


@_static
def convolve(
    a: ArrayLike,
    v: ArrayLike,
    mode: str = "full",
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """The convolution of two vectors: ``sum(a[i] * v[n - i])`` for each n.

    Args:
        a: vector.
        v: vector.
        mode: ``"full"``: wherever they overlap; ``"same"``: as many as the longer one
            has, from the middle; ``"valid"``: where they overlap completely.
        precision: see `jax.lax.Precision`.
        preferred_element_type: the dtype to add up in.

    Raises:
        ValueError: an operand is no vector, or is empty, or the mode is unknown.
        TypeError: `a` or `v` is no array or number.

    Examples:
        >>> jnp.convolve(jnp.array([1, 2, 3]), jnp.array([1, 1]))
        Array([1., 3., 5., 3.], dtype=float32)
    """
    preferred = op.user_dtype("convolve", preferred_element_type)
    a, v = _vectors("convolve", a, v, mode, preferred)
    if op.size(a) < op.size(v):
        a, v = v, a
    return _slide(a, lax.rev(v, (0,)), mode, precision, preferred)


@_static
def correlate(
    a: ArrayLike,
    v: ArrayLike,
    mode: str = "valid",
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """The correlation of two vectors: ``sum(a[n + i] * conj(v[i]))`` for each n.

    Args:
        a: vector.
        v: vector.
        mode: see `jax.numpy.convolve`.
        precision: see `jax.lax.Precision`.
        preferred_element_type: the dtype to add up in.

    Raises:
        ValueError: an operand is no vector, or is empty, or the mode is unknown.
        TypeError: `a` or `v` is no array or number.
    """
    preferred = op.user_dtype("correlate", preferred_element_type)
    a, v = _vectors("correlate", a, v, mode, preferred)
    v = elementwise.conj(v)
    if op.size(a) >= op.size(v):
        return _slide(a, v, mode, precision, preferred)
    swapped = _slide(v, a, mode, precision, preferred)
    return lax.rev(swapped, (0,))


traceback_filter.hide_frames(globals())
