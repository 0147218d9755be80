"""Arrays of strings: NumPy's `StringDType` elements, which programs do not compute with.

Devices hold the number of each element in a list of strings, which stays on the host. So
strings go where arrays of integers go, and are cut as these are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jax._src.core import avals
from jax._src.runtime.arrays import array, extended_arrays
from jax._src.runtime.transfers import device_put_get


class StringArray(extended_arrays.AbstractExtendedArray):
    """An array of strings; made by `jax.device_put` of a NumPy array of `StringDType`."""

    __slots__ = ("_strings",)

    def __init__(self, strings: np.ndarray, numbers: Any):
        self._strings = strings
        self._dtype = strings.dtype
        self._base_array = numbers

    ndim = property(lambda self: self._base_array.ndim)  # type: ignore[assignment]
    shape = property(lambda self: self._base_array.shape)
    sharding = property(lambda self: self._base_array.sharding)  # type: ignore[assignment]

    @property
    def aval(self) -> avals.ShapedArray:
        """The type of the array."""
        return avals.ShapedArray(self.shape, self._dtype)

    def _of(self, base: Any) -> StringArray:
        return StringArray(self._strings, base)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        found = self._strings[np.asarray(self._base_array)]
        return np.asarray(found, self._dtype if dtype is None else dtype)

    def tolist(self) -> Any:
        """The elements, as lists of Python strings."""
        return np.asarray(self).tolist()

    def __str__(self) -> str:
        return str(np.asarray(self))

    def __repr__(self) -> str:
        elements = np.array2string(np.asarray(self), separator=", ", prefix="Array(")
        return f"Array({elements}, dtype={self._dtype.name})"

    def __reduce__(self):
        return put, (np.asarray(self), None)


def put(strings: np.ndarray, sharding: Any) -> StringArray:
    """A NumPy array of strings on the devices of a sharding; None: the default device."""
    numbers = np.arange(math.prod(strings.shape), dtype=np.int32)
    there = device_put_get.device_put(numbers.reshape(strings.shape), sharding)
    return StringArray(strings.ravel().copy(), there)


array.register_array_type(StringArray)
avals.register_value_type(StringArray, lambda x: x.aval)
device_put_get.install_putter_of_strings(put)
