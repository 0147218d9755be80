"""Questions about objects and dtypes, and arrays as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import traceback_filter
from jax._src.core import avals
from jax._src.numpy import operands as op

ArrayLike = Any


def isscalar(element: Any) -> bool:
    """Whether an object is a number, or an array without axes."""
    if hasattr(element, "__jax_array__"):
        element = element.__jax_array__()
    return (avals.is_value(element) and op.ndim(element) == 0) or np.isscalar(element)


def iscomplexobj(x: Any) -> bool:
    """Whether an object is of complex dtype."""
    if x is None:
        return False
    return op.kind_of(x) == "c" if avals.is_value(x) else bool(np.iscomplexobj(x))


def isrealobj(x: Any) -> bool:
    """Whether an object is not of complex dtype."""
    return not iscomplexobj(x)


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether dtype `arg1` is `arg2` or below it; see `jax.dtypes.issubdtype`."""
    return dtypes.issubdtype(arg1, arg2)


def can_cast(from_: Any, to: Any, casting: str = "safe") -> bool:
    """Whether NumPy's rules allow to convert one dtype to another."""
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
        dtype: a dtype.
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
    """An array as text, with its dtype, see `numpy.array_repr`."""
    named = arr if isinstance(arr, np.ndarray) else np.asarray(arr).view(ArrayImpl)
    return np.array_repr(named, max_line_width, precision, suppress_small)


class ArrayImpl(np.ndarray):
    """Gives `array_repr` the name that it prints in front of the elements."""


def set_printoptions(*args: Any, **kwargs: Any) -> None:
    """Sets how arrays are printed, those of NumPy included; see `numpy.set_printoptions`."""
    np.set_printoptions(*args, **kwargs)


def array_str(
    a: ArrayLike,
    max_line_width: Any = None,
    precision: Any = None,
    suppress_small: Any = None,
) -> str:
    """The elements as text, see `numpy.array_str`."""
    return np.array_str(np.asarray(a), max_line_width, precision, suppress_small)


traceback_filter.hide_frames(globals())
