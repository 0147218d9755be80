"""Static arguments as parts of keys: what their comparison raises is explained."""

from typing import Any

import numpy as np

_PLAIN = (bool, int, float, str, bytes, type(None))


def frozen(value: Any) -> Any:
    """What stands for a static value in a key: tuples for lists, bytes for NumPy's arrays.

    Functions of `jax.numpy` take both as static arguments, those of users take neither.
    """
    if isinstance(value, (list, tuple)):
        return tuple(map(frozen, value))
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return value.dtype.str, value.shape, value.tobytes()
    return value


def compared(value: Any) -> Any:
    """A static value as a part of a key, which says so where it cannot be compared."""
    return value if type(value) in _PLAIN else _Compared(value)


def value_of(part: Any) -> Any:
    """The static value of which `compared` made a part of a key."""
    return part.value if isinstance(part, _Compared) else part


class _Compared:
    """A static value that explains what its comparison raises."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Compared):
            return False
        if self.value is other.value:
            return True
        try:
            return bool(self.value == other.value)
        except Exception as error:
            raise ValueError(
                "static arguments should be comparable using __eq__. The following error "
                f"was raised when comparing two objects of types {type(self.value)} and "
                f"{type(other.value)}. The error was:\n{type(error).__name__}: {error}"
            ) from error
