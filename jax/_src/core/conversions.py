"""Classes of values that libraries bring, each with a function that makes an array of one.

`avals` knows the types of such values, which suffices to trace with them; where a
program runs, its operands go through here.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.core import avals

_conversions: dict[type, Callable[[Any], Any]] = {}


def _as_numpy(value):
    aval = avals.get_aval(value)
    return np.asarray(value).astype(aval.dtype, copy=False)


def _conversion_of(kind):
    return next((_conversions[k] for k in kind.__mro__ if k in _conversions), None)


def converted(value: Any) -> Any:
    """A value of a class that a library brought, as an array; else the value itself."""
    make = _conversion_of(type(value)) if _conversions else None
    return value if make is None else make(value)


def all_converted(values: Sequence[Any]) -> list[Any]:
    """A list of `values`, those of classes that libraries brought as arrays."""
    return [converted(v) for v in values] if _conversions else list(values)


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
