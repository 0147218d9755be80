"""The types that signatures of array functions name."""

from typing import Any, Protocol

import numpy as np

from jax._src.runtime.arrays.array import Array


class SupportsDType(Protocol):
    """Anything with a dtype."""

    @property
    def dtype(self) -> np.dtype: ...


# What functions take where they say array: no lists, no strings.
ArrayLike = Array | np.ndarray | np.bool_ | np.number | bool | int | float | complex

# What names a dtype: "float32", np.float32, np.dtype("float32"), an array's class.
DTypeLike = str | type[Any] | np.dtype | SupportsDType
