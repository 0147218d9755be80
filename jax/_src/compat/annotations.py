"""Types in annotations of libraries, some of which answer isinstance."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

DType = np.dtype
DimSize = int | Any
Shape = Sequence[DimSize]
StaticScalar = np.bool_ | np.number | bool | int | float | complex


@runtime_checkable
class SupportsDType(Protocol):
    """Anything with a dtype."""

    @property
    def dtype(self, /) -> np.dtype:
        """The dtype."""


@runtime_checkable
class SupportsShape(Protocol):
    """Anything with a shape."""

    @property
    def shape(self, /) -> tuple[int, ...]:
        """The shape."""


@runtime_checkable
class SupportsSize(Protocol):
    """Anything with a number of elements."""

    @property
    def size(self, /) -> int:
        """The number of elements."""


@runtime_checkable
class SupportsNdim(Protocol):
    """Anything with a number of axes."""

    @property
    def ndim(self, /) -> int:
        """The number of axes."""


@runtime_checkable
class DuckTypedArray(SupportsDType, SupportsShape, Protocol):
    """Anything with a dtype and a shape."""
