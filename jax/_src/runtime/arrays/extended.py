"""Values that stand for other arrays: random keys and such, tangents of integers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import scalars
from jax._src.core import avals as avals_lib
from jax._src.lib import client


def is_extended(aval: Any) -> bool:
    """Whether values of this type stand for other arrays."""
    dtype = getattr(aval, "dtype", None)
    if isinstance(dtype, np.dtype):
        return dtype == scalars.float0
    return isinstance(dtype, scalars.ExtendedDType)


def physical_value(x: Any) -> Any:
    """The array behind a value with an extended dtype; any other value itself."""
    if isinstance(x, client.Array):  # is what it is
        return x
    aval = avals_lib.get_aval(x)
    if not is_extended(aval):
        return x
    return (
        np.zeros(x.shape, np.bool_)
        if aval.dtype == scalars.float0
        else aval.dtype.unwrap(x)
    )


def logical_value(array: Any, aval: Any) -> Any:
    """The inverse of `physical_value` for values of type `aval`."""
    return _wrapper(aval)(array) if is_extended(aval) else array


def wrappers(avals: Sequence[Any]) -> list[Any] | None:
    """What makes values of extended dtypes of arrays, per result; None for none at all."""
    found = [_wrapper(a) if is_extended(a) else None for a in avals]
    return found if any(found) else None


def _wrapper(aval):
    return _nothing if aval.dtype == scalars.float0 else aval.dtype.wrap


def _nothing(array):
    return np.zeros(array.shape, scalars.float0)
