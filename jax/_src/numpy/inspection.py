"""Queries about objects, shapes and dtypes, and arrays as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core import avals
from jax._src.numpy import operands

ArrayLike = Any


def isscalar(element: Any) -> bool:
    """Whether an object is a number, or an array without axes.

    Args:
        element: anything.

    Returns:
        A Python boolean; false for text and for lists.

    Raises:
        Nothing.
    """
    if hasattr(element, "__jax_array__"):
        element = element.__jax_array__()
    return (avals.is_value(element) and operands.ndim(element) == 0) or np.isscalar(
        element
    )


def iscomplexobj(x: Any) -> bool:
    """Whether an object is of complex dtype.

    Args:
        x: array, number, list or anything else; only its dtype counts.

    Returns:
        A Python boolean; false for what has no dtype.

    Raises:
        Nothing.
    """
    return _is_complex(x)


def _is_complex(x):
    if x is None:
        return False
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind == "c"
    return operands.kind_of(x) == "c" if avals.is_value(x) else bool(np.iscomplexobj(x))


def isrealobj(x: Any) -> bool:
    """Whether an object is not of complex dtype.

    Args:
        x: array, number, list or anything else; only its dtype counts.

    Returns:
        A Python boolean; true for what has no dtype.

    Raises:
        Nothing.
    """
    return not _is_complex(x)


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether dtype `arg1` is `arg2` or below it; see `jax.dtypes.issubdtype`.

    Args:
        arg1: a dtype or scalar class.
        arg2: a dtype, or an abstract class such as `jax.numpy.floating`.

    Raises:
        TypeError: one of them names no dtype.

    Examples:
        >>> jnp.issubdtype(jnp.float32, jnp.floating)
        True
    """
    return dtypes.issubdtype(arg1, arg2)


def can_cast(from_: Any, to: Any, casting: str = "safe") -> bool:
    """Whether NumPy's rules allow to convert one dtype to another.

    Args:
        from_: a dtype, or an array, of which the dtype counts; not a Python number.
        to: a dtype.
        casting: ``"no"``, ``"equiv"``, ``"safe"``, ``"same_kind"`` or ``"unsafe"``.

    Raises:
        TypeError: one of them names no dtype. ValueError: `casting` is unknown.
    """
    return bool(np.can_cast(from_, to, casting=casting))


_KINDS = {
    "bool": (np.bool_,),
    "signed integer": (np.signedinteger,),
    "unsigned integer": (np.unsignedinteger,),
    "integral": (np.integer,),
    "real floating": (np.floating,),
    "complex floating": (np.complexfloating,),
    "numeric": (np.integer, np.floating, np.complexfloating),
}


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is of a kind.

    Args:
        dtype: a dtype; values of arrays are not looked at.
        kind: a dtype; or ``"bool"``, ``"signed integer"``, ``"unsigned integer"``,
            ``"integral"``, ``"real floating"``, ``"complex floating"``, ``"numeric"``;
            or a tuple of such.

    Raises:
        ValueError: the kind is unknown.
    """
    found = np.dtype(dtype)
    for one in kind if isinstance(kind, tuple) else (kind,):
        if isinstance(one, str) and one in _KINDS:
            if any(dtypes.issubdtype(found, abstract) for abstract in _KINDS[one]):
                return True
            continue
        try:
            wanted = np.dtype(one)
        except TypeError:
            names = ", ".join(map(repr, _KINDS))
            raise ValueError(
                f"jnp.isdtype: kind={one!r} is unknown. There are {names}."
            ) from None
        if found == wanted:
            return True
    return False


def array_repr(
    arr: ArrayLike,
    max_line_width: Any = None,
    precision: Any = None,
    suppress_small: Any = None,
) -> str:
    """An array as text, with its dtype.

    Args:
        arr: array of any shape, not traced.
        max_line_width, precision, suppress_small: as for NumPy's ``array_repr``.

    Raises:
        TracerArrayConversionError: `arr` is traced.
    """
    named = arr if isinstance(arr, np.ndarray) else np.asarray(arr).view(ArrayImpl)
    return np.array_repr(named, max_line_width, precision, suppress_small)


class ArrayImpl(np.ndarray):
    """Gives `array_repr` the name that it prints in front of the elements."""


def set_printoptions(*args: Any, **kwargs: Any) -> None:
    """Sets how arrays of any dtype are printed, those of NumPy included.

    Args:
        args, kwargs: as for `numpy.set_printoptions`.

    Raises:
        TypeError: an option is unknown.
    """
    np.set_printoptions(*args, **kwargs)


def array_str(
    a: ArrayLike,
    max_line_width: Any = None,
    precision: Any = None,
    suppress_small: Any = None,
) -> str:
    """The elements as text, without the dtype.

    Args:
        a: array of any shape, not traced.
        max_line_width, precision, suppress_small: as for NumPy's ``array_str``.

    Raises:
        TracerArrayConversionError: `a` is traced.
    """
    return np.array_str(np.asarray(a), max_line_width, precision, suppress_small)


def shape(a: ArrayLike) -> tuple[int, ...]:
    """The size of each axis, a tuple of integers.

    Args:
        a: array, number, or anything that NumPy takes for one (deprecated).

    Raises:
        ValueError: it is a list whose rows differ in length.
    """
    return operands.shape(_with_shape("shape", a))


def ndim(a: ArrayLike) -> int:
    """The number of axes, an integer.

    Args:
        a: array, number, or anything that NumPy takes for one (deprecated).

    Raises:
        ValueError: it is a list whose rows differ in length.
    """
    return operands.ndim(_with_shape("ndim", a))


def size(a: ArrayLike, axis: int | Sequence[int] | None = None) -> int:
    """The number of elements, or the size along axes.

    Args:
        a: array, number, or anything that NumPy takes for one (deprecated).
        axis: axis or axes to count along; None means all.

    Returns:
        A Python integer.

    Raises:
        ValueError: an axis is out of bounds.
    """
    sizes = operands.shape(_with_shape("size", a))
    axes = operands.canonical_axes("size", axis, len(sizes))
    return math.prod(sizes[i] for i in axes)


def _with_shape(name, a):
    """These functions ask for sizes alone: an object with a shape will do."""
    if hasattr(a, "shape"):
        return a
    if not operands.is_arraylike(a):
        if np.isscalar(a):
            return np.False_
        traceback_filter.warn(
            operands.explain(
                name,
                "the argument is no array.",
                [("type", type(a).__name__)],
                "A later release will refuse this.",
                f"Ask NumPy: np.{name}(a).",
            ),
            DeprecationWarning,
        )
        return np.broadcast_to(False, np.shape(a))
    return operands.to_array(a)


traceback_filter.hide_frames(globals())
