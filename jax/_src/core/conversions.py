"""Values of other classes than arrays and numbers, made into these where a program runs.

`avals` knows the types of such values, which suffices to trace with them. There are those of classes that libraries
bring, each with a function that makes an array of one, and those of classes derived from NumPy's array and Python's
numbers, such as `numpy.memmap` and `enum.IntEnum`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.core import avals

_conversions: dict[type, Callable[[Any], Any]] = {}
_NUMBERS: tuple[type[Any], ...] = (int, float, complex)


def _as_numpy(value):
    aval = avals.get_aval(value)
    return np.asarray(value).astype(aval.dtype, copy=False)


def _conversion_of(kind):
    return next((_conversions[k] for k in kind.__mro__ if k in _conversions), None)


def plain(value: Any) -> Any:
    """A value of a class derived from NumPy's array or a number of Python as one of these."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, np.ndarray):
        return value.view(np.ndarray)
    if isinstance(value, _NUMBERS) and not isinstance(value, np.generic):
        return next(k for k in _NUMBERS if isinstance(value, k))(value)
    return value


_PLAIN = frozenset((bool, *_NUMBERS, np.ndarray))


def converted(value: Any) -> Any:
    """A value of another class than arrays and numbers as one of these; else itself."""
    make = _conversion_of(type(value)) if _conversions else None
    return plain(value) if make is None else make(value)


def all_converted(values: Sequence[Any]) -> list[Any]:
    """A list of `values`, those of other classes than arrays and numbers as one of these."""
    return [converted(v) for v in values]


class Handlers:
    """The table of conversions, by class; assign a function to have values of a class accepted.

    A class that has none, such as `numpy.ndarray`, has the general one: a NumPy array
    of the dtype that its type says. Subclasses have the conversion of their class.
    """

    __slots__ = ()

    def __getitem__(self, kind: type) -> Callable[[Any], Any]:
        return _conversion_of(kind) or _as_numpy

    def __setitem__(self, kind: type, make: Callable[[Any], Any]) -> None:
        _conversions[kind] = make

    def __delitem__(self, kind: type) -> None:
        del _conversions[kind]


canonicalize_dtype_handlers = Handlers()
