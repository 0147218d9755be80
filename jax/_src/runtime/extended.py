"""Values of extended dtypes, such as random keys: the arrays behind them."""

from collections.abc import Sequence
from typing import Any

from jax._src.base import scalars
from jax._src.core import avals as av


def is_extended(aval: Any) -> bool:
    """Whether values of this type stand for other arrays."""
    return isinstance(getattr(aval, "dtype", None), scalars.ExtendedDType)


def physical_value(x: Any) -> Any:
    """The array behind a value with an extended dtype; any other value itself."""
    aval = av.get_aval(x)
    return aval.dtype.unwrap(x) if is_extended(aval) else x


def logical_value(array: Any, aval: Any) -> Any:
    """The inverse of `physical_value` for values of type `aval`."""
    return aval.dtype.wrap(array) if is_extended(aval) else array


def wrappers(avals: Sequence[Any]) -> list[Any] | None:
    """What makes values of extended dtypes of arrays, per result; None for none at all."""
    found = [a.dtype.wrap if is_extended(a) else None for a in avals]
    return found if any(found) else None
